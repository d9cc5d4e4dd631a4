"""How Sphinx builds the documentation: ``bash scripts/docs``."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent)]

from alegear import __version__ as release  # noqa: E402

project = "alegear"
highlight_language = "text"  # of blocks that do not say what they are
author = "The alegear developers"
copyright = "The alegear developers"
version = release
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "docstrings",
    "number_cells",
    "generated",
]
exclude_patterns = ["_build", "_ext", "generated/api"]  # what docs/api includes

myst_enable_extensions = ["amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_use_param = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say shape and unit, which types do not
autodoc_class_signature = "mixed"
add_module_names = False
toc_object_entries = False

copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "furo"
html_title = f"alegear {release}"
html_static_path = ["_static"]
html_css_files = ["alegear.css"]
html_copy_source = False
html_show_sphinx = False
math_number_all = False
html_math_renderer = "mathml"
