"""Machine code on disk: never that of other sources, whole under any number of processes, and never needed."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache, NullCache

import alegear
from alegear.fe import _kernels as element_kernels
from alegear.kernels import code_folder, compiler, decorators, private_names
from alegear.kernels.code_folder import Folder
from alegear.storage import cache_folder

PACKAGE = Path(alegear.__file__).parent

LOWER = """
from alegear.kernels.decorators import kernel

@kernel
def factor(x):
    return 2.0 * x
"""
UPPER = """
import numba
from alegear.kernels.decorators import inner_kernel, kernel
from alegear.kernels.elements import ElementKernel
from alegear.lower.some_kernels import factor

@inner_kernel
def power(x, n, inverse):
    result = 1.0
    for _ in range(n):
        result *= x
    return 1.0 / result if inverse else result

@kernel
def mean_power(x, n):
    return 0.5 * (power(x, n, False) + power(x, 2, True))

@kernel
def total(values):
    result = 0.0
    for value in values.flat:
        result += factor(value)
    return result

@kernel
def first_minus_second(pair):
    return pair.first - pair.second

@ElementKernel
def spring(handle, t, y, rate, force, by_y, by_rate, energy):
    numba.carray(force, (2,))[1] = factor(numba.carray(y, (2,))[1]) + t
    return handle
"""
TOTAL = """
import numpy as np
from alegear.upper._kernels import total
print(total(np.ones(3)), *total.stats.cache_hits.values())
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of the same name with two small kernel files, one of which calls the other; returns its parent."""
    root = tmp_path / "site" / "alegear"
    for name in (
        "__init__.py",
        "__init__.pyi",
        "_version.py",
        "errors.py",
        "storage/__init__.py",
        "storage/cache_folder.py",
        *(f"kernels/{path.name}" for path in PACKAGE.glob("kernels/*.py")),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / name, root / name)
    for folder, name, text in (("lower", "some_kernels.py", LOWER), ("upper", "_kernels.py", UPPER)):
        (root / folder).mkdir()
        (root / folder / "__init__.py").touch()
        (root / folder / name).write_text(text)
    return root.parent


#: Starts programs by forks, so that Numba is imported and gets ready to compile once, and not for two seconds in each.
#: It knows nothing of alegear. A line begins a program, or asks how one has ended.
FORKS = """
import json, os, sys, traceback
import numba
import numpy as np

numba.njit(lambda values: values.sum())(np.ones(3))  # loads what compiling takes
for line in sys.stdin:
    asked = json.loads(line)
    if "process" in asked:
        answer = os.waitstatus_to_exitcode(os.waitpid(asked["process"], 0)[1])
    elif not (answer := os.fork()):
        for stream, name in enumerate((os.devnull, asked["out"], asked["err"])):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), stream)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        sys.path.insert(0, asked["folder"])
        ended = 0
        try:
            exec(compile(asked["program"], "<program>", "exec"), {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
            ended = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended)
    print(answer, flush=True)
"""


def environment_of(**more: str) -> dict[str, str]:
    """The environment without what says how kernels are compiled and kept."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "ALEGEAR", "PYTEST"))}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1"} | more


@cache
def forks() -> subprocess.Popen[str]:
    """The process that starts the others."""
    return subprocess.Popen(
        [sys.executable, "-B", "-c", FORKS],
        env=environment_of(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module", autouse=True)
def _forks_end() -> Iterator[None]:
    yield
    if forks.cache_info().currsize:
        forks().communicate()


def ask_forks(**what: Any) -> int:
    """Send a line to the process that starts the others, and return the number it answers."""
    server = forks()
    assert server.stdin is not None
    assert server.stdout is not None
    print(json.dumps(what), file=server.stdin, flush=True)
    return int(server.stdout.readline())


@dataclass(frozen=True, kw_only=True)
class Started:
    """A program that runs in a process of its own, and where it prints."""

    process: int
    out: Path
    err: Path

    def end(self) -> tuple[int, str, str]:
        """Wait, and return its exit code with what it has printed on both channels."""
        return ask_forks(process=self.process), self.out.read_text(), self.err.read_text()


def start(package: Path, program: str, **environment: str) -> Started:
    """Start a process that imports the small package and keeps its kernels beside it."""
    number = len(list(package.parent.glob("*.out")))
    out, err = package.parent / f"{number}.out", package.parent / f"{number}.err"
    out.touch()
    process = ask_forks(
        program=textwrap.dedent(program),
        environment=environment_of(ALEGEAR_CACHE_DIR=str(package.parent / "cache"), **environment),
        folder=str(package),
        out=str(out),
        err=str(err),
    )
    return Started(process=process, out=out, err=err)


def response(started: Started) -> list[str]:
    code, out, err = started.end()
    assert code == 0, err
    return out.split()


def files(package: Path) -> list[Path]:
    return sorted((package.parent / "cache").rglob("*.kernel"))


def test_changed_callee_changes_the_caller(package: Path) -> None:
    assert response(start(package, TOTAL)) == ["6.0"]
    lower = package / "alegear" / "lower" / "some_kernels.py"
    before = lower.stat()
    lower.write_text(LOWER.replace("2.0", "5.0"))
    # neither size nor time of the file tells: only its content does
    os.utime(lower, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert response(start(package, TOTAL)) == ["15.0"]
    lower.write_text(LOWER)
    # taken up, not compiled
    assert response(start(package, TOTAL)) == ["6.0", "1"]


@pytest.mark.parametrize("words", ["0", pytest.param("1", marks=pytest.mark.thorough)])
def test_element_kernels_are_called_by_address_and_kept(package: Path, words: str) -> None:
    program = """
        import ctypes
        import numpy as np
        from alegear.upper._kernels import spring
        y, force = np.array([0.0, 3.0]), np.zeros(2)
        form = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * 6)
        call = form(spring.address)
        status = call(7, 0.5, y.ctypes.data, None, force.ctypes.data, None, None, None)
        print(status, *force, spring.compiled.cache_hits)
    """
    assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["7", "0.0", "6.5", "0"]
    assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["7", "0.0", "6.5", "1"]
    (package / "alegear" / "lower" / "some_kernels.py").write_text(LOWER.replace("2.0", "5.0"))
    assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["7", "0.0", "15.5", "0"]


@pytest.mark.thorough  # of a module imported after a change: below
def test_program_text_changed_during_a_run_is_not_stored(package: Path) -> None:
    """The process holds the old callee; its code must be found neither under the new digest nor under the old one."""
    program = f"""
        import pathlib
        import numpy as np
        from alegear.upper._kernels import total
        pathlib.Path("alegear/lower/some_kernels.py").write_text({LOWER.replace("2.0", "5.0")!r})
        print(total(np.ones(3)))
    """
    assert response(start(package, program)) == ["6.0"]
    assert not files(package)
    assert response(start(package, TOTAL)) == ["15.0"]


def test_module_imported_after_a_change_is_not_stored(package: Path) -> None:
    program = f"""
        import pathlib
        import numpy as np
        from alegear.lower.some_kernels import factor
        pathlib.Path("alegear/upper/_kernels.py").write_text({UPPER.replace("0.0", "1.0")!r})
        from alegear.upper._kernels import total
        print(total(np.ones(3)))
    """
    assert response(start(package, program)) == ["7.0"]
    assert not files(package)


def test_processes_that_compile_at_once(package: Path) -> None:
    """Every signature is compiled by one process, is found by all, and is its own code."""
    types = ("float64", "int64", "complex128")
    program = """
        import os, pathlib, time
        import numpy as np
        from alegear.upper._kernels import total
        name, gate = os.environ["NAME"], pathlib.Path("gate")
        (gate / str(os.getpid())).touch()
        while len(list(gate.iterdir())) < int(os.environ["ALL"]):
            time.sleep(0.005)
        print(total(np.arange(4).astype(name)).real, total(np.ones((2, 3), name)).real)
        print(sum(total.stats.cache_misses.values()))
    """
    names = [*types, *types]
    (package / "gate").mkdir()
    running = [start(package, program, NAME=name, ALL=str(len(names))) for name in names]
    # sum of 0 ... 3 and of six ones, twice
    said = [response(process) for process in running]
    assert [words[:2] for words in said] == [["12.0", "12.0"]] * len(names)
    assert sum(int(words[2]) for words in said) == 2 * len(types)
    everything = f"""
        import numpy as np
        from alegear.upper._kernels import total
        for name in {types}:
            print(total(np.arange(4).astype(name)).real, total(np.ones((2, 3), name)).real)
        print(sum(total.stats.cache_hits.values()), sum(total.stats.cache_misses.values()))
    """
    assert response(start(package, everything)) == ["12.0"] * 2 * len(types) + [str(2 * len(types)), "0"]
    assert not [path for path in (package.parent / "cache").rglob("*") if path.suffix in (".part", ".lock")]


BESIDE = """
import os, sys, time
import numpy as np
from alegear.kernels.compiling_process import compile_beside
from alegear.upper._kernels import total
compile_beside((total, (np.ones(3),)), (total, (np.ones((2, 3)),)))
"""


def test_another_process_compiles_what_is_needed_later(package: Path) -> None:
    program = """
while len(list(total._cache._folder.path.glob("upper._kernels.total-*.kernel"))) < 2:
    time.sleep(0.02)
print(total(np.ones(3)), total(np.ones((2, 3))), sum(total.stats.cache_misses.values()))
"""
    assert response(start(package, BESIDE + program)) == ["6.0", "12.0", "0"]


def test_it_is_asked_once(package: Path) -> None:
    program = """
from alegear.kernels import compiling_process
compiling_process.subprocess.Popen = None  # another one could not be started
compile_beside((total, (np.ones(3),)), (total, (np.ones((2, 3)),)))
print("none")
"""
    assert response(start(package, BESIDE + program)) == ["none"]


def test_who_needs_it_before_waits(package: Path) -> None:
    program = """
while not list(total._cache._folder.path.glob("*.lock")):
    time.sleep(0.002)
print(total(np.ones(3)), sum(total.stats.cache_misses.values()))
"""
    assert response(start(package, BESIDE + program)) == ["6.0", "0"]


def test_it_ends_by_itself_without_a_word() -> None:
    serve = "from alegear.kernels.compiling_process import _serve; _serve()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", serve], **pipes) as process:  # type: ignore[call-overload]
        pickle.dump([], process.stdin)
        process.stdin.flush()  # and stays open, as of a process that goes on
        assert process.wait(60) == 0
        assert process.stdout.read() + process.stderr.read() == b""


def test_it_ends_with_the_process_that_asked(package: Path) -> None:
    program = """
(number,) = [int(name) for name in os.listdir("/proc") if name.isdigit() and parent_of(name) == os.getpid()]
print(number, flush=True)
os._exit(0)  # as killed: nothing is put in order
"""
    parent_of = """
def parent_of(name):
    try:
        return int(open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0
"""
    (number,) = response(start(package, BESIDE + parent_of + program))
    for _ in range(200):
        if not Path(f"/proc/{number}").exists():
            return
        time.sleep(0.05)
    pytest.fail("it goes on alone")


def test_fields_of_a_named_tuple_are_part_of_the_key(package: Path) -> None:
    """Numba calls both types Pair(float64 x 2); the order of their fields need not stand in a kernel file."""
    program = """
        from collections import namedtuple
        from alegear.upper._kernels import first_minus_second
        Pair = namedtuple("Pair", FIELDS)
        print(first_minus_second(Pair(first=5.0, second=3.0)))
    """
    assert response(start(package, program.replace("FIELDS", "'first second'"))) == ["2.0"]
    assert response(start(package, program.replace("FIELDS", "'second first'"))) == ["2.0"]


@pytest.mark.parametrize("words", ["1", pytest.param("store", marks=pytest.mark.thorough)])
def test_numba_keeps_its_code_its_own_way(package: Path, words: str) -> None:
    """Without a store of ours: Numba's, in the folder of the digest, for one process at a time."""
    program = """
        import numba
        before = numba.config.CACHE_DIR
        from alegear.upper._kernels import total
        assert numba.config.CACHE_DIR == before
    """
    program = textwrap.dedent(program) + TOTAL
    assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["6.0"]
    assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["6.0", "1"]
    # while another process has the folder, nothing is taken from it and nothing put there
    (lock,) = (package.parent / "cache").rglob("lock")
    with lock.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["6.0"]
    assert not files(package)
    lower = package / "alegear" / "lower" / "some_kernels.py"
    lower.write_text(LOWER.replace("2.0", "5.0"))
    assert response(start(package, program, ALEGEAR_PLAIN_NUMBA=words)) == ["15.0"]


PLAIN = """
    import sys
    from alegear.upper._kernels import mean_power, power, total
    print(mean_power(2.0, 3))
    try:
        power(2.0, 3, False)
    except TypeError as error:
        print("other kernels only" in str(error))
    print("alegear.kernels.compiler" in sys.modules)
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("0", ["True", "True"]),
        pytest.param("passes,lean", ["True", "True"], marks=pytest.mark.thorough),
        pytest.param("inner", ["True"], marks=pytest.mark.thorough),
        pytest.param("1", ["False"], marks=pytest.mark.thorough),
        ("store,inner,passes,lean", ["False"]),
    ],
)
def test_what_is_left_out(package: Path, words: str, expected: list[str]) -> None:
    """The same results whichever of our additions are there; without all of them their files are not imported."""
    assert response(start(package, PLAIN, ALEGEAR_PLAIN_NUMBA=words)) == [str(0.5 * (8.0 + 0.25)), *expected]


def test_words_that_are_none(package: Path) -> None:
    code, _, err = start(package, PLAIN, ALEGEAR_PLAIN_NUMBA="inner,outer").end()
    assert code == 1
    assert "ALEGEAR_PLAIN_NUMBA = 'inner,outer': must be 0, 1 or some of store, inner" in err


@pytest.mark.parametrize(("release", "plain", "warned"), [("0.999.0", "0", True), ("0.999.0", "1", False)])
def test_another_numba_is_used_by_its_public_interface(package: Path, release: str, plain: str, warned: bool) -> None:
    program = f"import numba\nnumba.__version__ = {release!r}\n" + textwrap.dedent(PLAIN)
    _, out, err = start(package, program, ALEGEAR_PLAIN_NUMBA=plain).end()
    assert out.split() == [str(0.5 * (8.0 + 0.25)), "False"]
    assert (f"not tried with Numba {release}" in err) == warned
    assert ("pip install 'numba>=" in err) == warned


def test_oldest_numba_is_one_that_was_tested() -> None:
    """A newer one than those is warned of, and may be installed."""
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    (given,) = (text for text in project["project"]["dependencies"] if text.startswith("numba"))
    assert given == f"numba>={'.'.join(map(str, private_names.TESTED[0]))}"


#: What may be imported of Numba and llvmlite besides `numba` itself: extensions of others rest on it, too. Numba
#: documents its events (Developer Manual), its types and `cgutils` (Extending Numba), though they are in its core.
PUBLIC = {
    "numba",
    "numba.extending",
    "numba.core.types",
    "numba.core.event",
    "numba.core.cgutils",
    "llvmlite",
    "llvmlite.ir",
}


def test_names_that_are_not_public_stand_in_one_file() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(PACKAGE).as_posix()
        if name == "kernels/compiler.py" or not any(word in text for word in ("numba", "llvmlite", "dispatcher")):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in ("numba", "llvmlite"):
                imported = {node.module} if node.module in PUBLIC else {f"{node.module}.{a.name}" for a in node.names}
                # the base class of numba.extending.infer_getattr
                assert imported <= PUBLIC | {"numba.core.typing.templates.AttributeTemplate"}, f"{path}: {imported}"
            elif isinstance(node, ast.Import):
                assert not any(alias.name.startswith(("numba.", "llvmlite.")) for alias in node.names), path
            elif isinstance(node, ast.Attribute):
                owner = getattr(node.value, "id", "")
                assert not (
                    owner in ("dispatcher", "numba") and node.attr.startswith("_") and node.attr != "__version__"
                )
            elif isinstance(node, ast.keyword):
                assert node.arg != "_nrt", path


def test_compilation_is_measured_kernel_by_kernel(package: Path) -> None:
    program = """
        import numpy as np
        from alegear.kernels.decorators import measured_compilation
        from alegear.upper._kernels import total
        with measured_compilation() as seconds:
            total(np.ones(3))
            total(np.ones((2, 2)))
        total(np.ones((1, 1, 1)))
        assert all(value > 0.0 for value in seconds.values())
        print(*(name.replace(" ", "") for name in seconds))
    """
    total = "upper._kernels.total"
    assert response(start(package, program)) == ["lower.some_kernels.factor", total, f"{total}[2]"]
    # what is found on disk is not compiled
    assert response(start(package, program)) == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """An empty folder of kernel files that nobody edits."""
    monkeypatch.setattr(code_folder, "_digest", lambda: "digest")
    return Folder(tmp_path / "kernels" / "now", "digest")


def test_file_gives_back_what_was_written(folder: Folder) -> None:
    folder.write("name", b"key", b"code")
    assert folder.read("name", b"key") == b"code"
    # another key under the same name: the digest of the name is cut short
    assert folder.read("name", b"kez") is None
    assert folder.read("other", b"key") is None
    assert [path.name for path in folder.path.iterdir()] == ["name"]


@pytest.mark.parametrize("harm", [lambda text: text[:-1], lambda text: b"", lambda text: text[:-1] + b"x"])
def test_damaged_file_is_not_there(folder: Folder, harm: Callable[[bytes], bytes]) -> None:
    folder.write("name", b"key", b"code")
    path = folder.path / "name"
    path.write_bytes(harm(path.read_bytes()))
    assert folder.read("name", b"key") is None


def test_code_that_cannot_be_taken_up_is_compiled_again(folder: Folder) -> None:
    """A sound file whose content another Numba would have written."""

    class Context:
        """What a cache asks of Numba's target."""

        def refresh(self) -> None:
            pass

        def codegen(self) -> Context:
            return self

        def magic_tuple(self) -> tuple[str, ...]:
            return ("processor",)

    kept = compiler.KernelCache(test_code_that_cannot_be_taken_up_is_compiled_again, folder)
    key = kept._key((), Context())
    folder.write(kept._file_name(key), key, pickle.dumps((1, 2, 3)))
    assert kept.load_overload((), Context()) is None


def test_folder_that_cannot_be_written_is_said_once(folder: Folder, caplog: pytest.LogCaptureFixture) -> None:
    folder.path.parent.write_text("a file stands where the folder would be made")
    for name in ("one", "two"):
        folder.write(name, b"key", b"code")
        assert folder.read(name, b"key") is None
    (record,) = caplog.records
    assert "ALEGEAR_CACHE_DIR" in record.getMessage()


def test_inner_kernels_belong_to_those_that_call_them(package: Path) -> None:
    """No entry from Python, no file; an edit changes the callers."""
    program = """
        from alegear.kernels.decorators import measured_compilation
        from alegear.upper._kernels import mean_power, power
        with measured_compilation() as seconds:
            print(mean_power(2.0, 3))
        for _ in range(2):
            try:
                power(2.0, 3, False)
            except TypeError as error:
                assert "other kernels only" in str(error)
            else:
                raise AssertionError
        print(*(name.replace(" ", "") for name in seconds))
    """
    # Numba compiles anew for each constant
    names = ["upper._kernels.power", "upper._kernels.power[2]", "upper._kernels.mean_power"]
    assert response(start(package, program)) == [str(0.5 * (8.0 + 0.25)), *names]
    assert response(start(package, program)) == [str(0.5 * (8.0 + 0.25))]
    assert len(files(package)) == 1
    upper = package / "alegear" / "upper" / "_kernels.py"
    upper.write_text(UPPER.replace("result *= x", "result *= 2.0 * x"))
    assert response(start(package, program)) == [str(0.5 * (64.0 + 0.0625)), *names]


def test_a_folder_within_is_one_that_can_be_written_to(folder: Folder) -> None:
    place = folder.within("good")
    assert place is not None
    assert place.is_dir()
    (folder.path / "bad").touch()
    assert folder.within("bad") is None
    # said once, and no more tried
    assert folder.within("good") is None


def test_code_that_nobody_uses_is_forgotten(folder: Folder) -> None:
    old, young, used = ("a" * 24, "b" * 24, "c" * 24)
    ages = {old: 1.1, young: 0.9, used: 1.1}  # in terms of the time after which they are forgotten
    for name, age in ages.items():
        other = Folder(folder.path.parent / name, "digest")
        other.write("name", b"key", b"code")
        then = other.path.stat().st_mtime - age * code_folder.FORGET_AFTER
        os.utime(other.path, (then, then))
    Folder(folder.path.parent / used, "").read("name", b"key")
    folder.write("name", b"key", b"code")
    assert sorted(path.name for path in folder.path.parent.iterdir()) == [young, used, "now"]


def test_kernels_of_the_user_are_left_alone() -> None:
    compiled = [value for value in vars(element_kernels).values() if hasattr(value, "py_func")]
    # of two processes Numba's own files belong to the first, and the other one keeps nothing
    cache = (FunctionCache, NullCache) if "store" in private_names.LEFT_OUT else compiler.KernelCache
    assert all(isinstance(dispatcher._cache, cache) for dispatcher in compiled)
    own = numba.njit(lambda x: 2 * x)
    assert type(own._cache) is NullCache
    own.enable_caching()
    assert type(own._cache) is FunctionCache


def test_kernels_stand_in_kernel_files() -> None:
    with pytest.raises(TypeError, match=r"kernels\.py"):
        decorators.kernel(np.ones)  # type: ignore[arg-type]

    def local(x: float) -> float:
        return x

    with pytest.raises(TypeError, match=r"kernels\.py"):
        decorators.kernel(local)


def test_kernel_files_take_nothing_from_other_files() -> None:
    """Compiled code holds the values of the constants it uses: they must stand where the digest sees them."""
    known = {"__future__", "collections", "collections.abc", "math", "numba", "numpy", "numpy.typing", "typing"}
    known |= {f"alegear.kernels.{name}" for name in ("decorators", "elements", "structs")}
    for path in PACKAGE.rglob("*kernels.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [f"{'.' * node.level}{node.module}"]
            for module in modules:
                assert module in known or module.endswith("kernels"), f"{path}: {module}"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"NUMBA_CACHE_DIR": "/n", "ALEGEAR_CACHE_DIR": "/a"}, "/n/alegear-kernels"),
        ({"ALEGEAR_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/x"}, "/a/kernels"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/alegear/kernels"),
        ({"HOME": "/h"}, "/h/.cache/alegear/kernels"),
    ],
)
def test_where_kernels_are_kept(environment: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_CACHE_DIR", "ALEGEAR_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert cache_folder.kernel_directory() == Path(folder)
