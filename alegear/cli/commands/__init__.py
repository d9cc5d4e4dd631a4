"""The commands of ``alegear``, one file each.

Such a file has a function ``add_to(commands)``, which adds the command with its arguments to those of the program and
returns its parser; the parser's default ``command`` is the function that carries it out. What a command needs to work
is imported when it is carried out, so that the others start without it.
"""

from alegear.cli.commands import check, convert_flank, export, info, mesh, report, run, show, vary

#: In the order of ``alegear --help``.
COMMANDS = (run, vary, check, mesh, show, report, export, convert_flank, info)
