"""The examples of the pages "how to add" run as they stand."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import alegear as ag
from alegear.drivetrain import laws
from alegear.drivetrain.rotational.compiled_ode import CompiledOde

DOCS = Path(__file__).parents[1] / "docs"


def block(page: str, language: str) -> str:
    """The one block of code in a language that a page has."""
    text = (DOCS / page).read_text(encoding="utf-8")
    (example,) = re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)
    return str(example)


def names_of(page: str) -> dict[str, Any]:
    example = block(page, "python")
    names: dict[str, Any] = {"__name__": page}
    exec(compile(example, page, "exec", dont_inherit=True), names)
    return names


def test_an_element() -> None:
    speeds = np.array(names_of("how_to_add_an_element.md")["speeds"])
    # J dv/dt = T - c v^2: v = v_e tanh(t sqrt(T c)/J), at the end within the tolerance of the steps
    assert speeds[-1] == pytest.approx(50.0 * np.tanh(5.0 * 0.5 / 0.2), rel=1e-5)


def test_a_body() -> None:
    modes = names_of("how_to_add_a_body.md")["modes"].elastic()
    assert modes.frequencies == pytest.approx([np.sqrt(4e4 * (1.0 / 0.2 + 1.0 / 0.3))], rel=1e-12)


def test_a_torsional_part() -> None:
    """Break-away where the motor comes to M_S; the run out by quadrature of J domega/(M + c omega^2)."""
    names = names_of("how_to_add_a_torsional_part.md")
    data, machine = names["data"], names["machine"]
    (away, rest), (before, after) = data.event_time.values, data.event_after.values
    assert (before, after) == (1, 0)
    assert away == pytest.approx(0.8, abs=1e-8)  # 5 N m more every second
    assert not data["mode"].values[data.time.values < away].any()
    assert not data.speed.values[data.time.values > rest].any()
    off = int(np.searchsorted(data.time.values, 3.0 - 1e-9))
    nodes, weights = np.polynomial.legendre.leggauss(60)
    speed = 0.5 * float(data.speed.values[off, 0]) * (nodes + 1.0)
    braked = 1.0 + 3.0 * np.exp(-((speed / 2.0) ** 2)) + 0.01 * speed**2
    lasts = 0.5 * float(data.speed.values[off, 0]) * float((0.2 * weights / braked).sum())
    assert rest == pytest.approx(3.0 + lasts, abs=1e-5)  # some hundred steps of 1e-9 of a speed of 30 rad/s
    assert float(np.abs(data.energy_missing).max()) < 1e-7 * float(data.energy_dissipated[-1])
    ode = CompiledOde(machine.case(ag.RotationalMotion(duration=1.0)).turning().model)
    assert ode._python.laws == [0]
    assert ode._python.elements == []  # the blades are compiled


# ------------------------------------------------------------------------- a mesh law
LAW = "how_to_add_a_mesh_law.md"
STIFFNESS, TORQUE = 4e8, 300.0  # of the page: N/m, N m on the wheel


@pytest.fixture
def law_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The law of the page as a file where laws are looked for; returns the folder of its case."""
    folder = tmp_path / "laws"
    folder.mkdir()
    (folder / "spring.py").write_text(block(LAW, "python"), encoding="utf-8")
    monkeypatch.setattr(laws, "__path__", [*laws.__path__, str(folder)])
    monkeypatch.delitem(sys.modules, f"{laws.__name__}.spring", raising=False)
    (tmp_path / "case.toml").write_text(block(LAW, "toml"), encoding="utf-8")
    return tmp_path


def case_of(folder: Path, **changes: str) -> ag.MachineCase:
    text = (folder / "case.toml").read_text(encoding="utf-8")
    for before, after in changes.values():
        assert before in text
        text = text.replace(before, after)
    (folder / "changed.toml").write_text(text, encoding="utf-8")
    return ag.MachineCase.from_toml(folder / "changed.toml")


def frequency_of_the_wheel(case: ag.MachineCase) -> float:
    wheel = case.layout.gears["wheel"]
    return float(np.sqrt(STIFFNESS * wheel.gear.r_b**2 / wheel.gear.inertia(wheel.material.rho)))


def test_a_mesh_law_has_modes(law_file: Path) -> None:
    case = case_of(law_file)
    modes = ag.run(case).dataset["frequency"]
    assert 2.0 * np.pi * modes.to_numpy() == pytest.approx([frequency_of_the_wheel(case)], rel=1e-12)


def test_a_mesh_law_has_equilibria(law_file: Path) -> None:
    case = case_of(law_file, kind=('"modal"', '"static"'))
    d = ag.run(case).dataset
    force = TORQUE / case.layout.gears["wheel"].gear.r_b
    np.testing.assert_allclose(np.linalg.norm(d["mesh_force"], axis=-1), force, rtol=1e-9)
    np.testing.assert_allclose(d["transmission_error"], -force / STIFFNESS, rtol=1e-9)
    np.testing.assert_allclose(d["mesh_stiffness"], STIFFNESS)


def test_a_mesh_law_moves(law_file: Path) -> None:
    """The brake rises straight: the wheel swings about the line, damped with the ratio of the analysis."""
    ratio, step, rise = 0.05, 5e-6, 3e-3
    keys = f"duration_s = {rise}\ntime_step_s = {step}\noutput_every_s = {step}\nmesh_damping_ratio = {ratio}"
    table = ("torque_Nm = 300.0", f"torque_table_s_Nm = [[0.0, 0.0], [{rise}, {TORQUE}]]")
    case = case_of(law_file, kind=('"modal"', f'"dynamic"\n{keys}'), load=table)
    d = ag.run(case).dataset
    omega, t = frequency_of_the_wheel(case), d["time"].to_numpy()
    full = TORQUE / case.layout.gears["wheel"].gear.r_b / STIFFNESS
    damped, late = omega * np.sqrt(1.0 - ratio**2), 2.0 * ratio / omega
    swing = late * np.cos(damped * t) + (2.0 * ratio**2 - 1.0) / damped * np.sin(damped * t)
    expected = -full / rise * (t - late + np.exp(-ratio * omega * t) * swing)
    error = d["transmission_error"].to_numpy()[:, 0]
    np.testing.assert_allclose(error, expected, atol=(omega * step) ** 2 / 12.0 * full)  # period of the trapezoid
    pressed = np.linalg.norm(d["mesh_force"].to_numpy()[:, 0], axis=-1)
    springs = -STIFFNESS * (error + late * np.gradient(error, t))
    np.testing.assert_allclose(pressed[1:-1], springs[1:-1], atol=(omega * step) ** 2 * STIFFNESS * full)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("mesh_stiffness_N_per_um = 400.0", ""), "meshes.first.mesh_stiffness_N_per_um"),
        (("mesh_stiffness_N_per_um = 400.0", "mesh_stiffness_N_per_um = 0.0"), "must be greater than 0"),
        (("um = 400.0", "um = 400.0\nslices = 4"), "meshes.first.slices = 4: must be left out: it has no effect with"),
        (('"spring"', '"rigid"'), 'no effect with fidelity = "rigid"; leave it out, or write fidelity = "spring"'),
        (('"spring"', '"springs"'), 'must be one of "elastic", "flexible", "lossy", "rigid", "spring"'),
    ],
)
def test_keys_of_a_mesh_law_are_checked(law_file: Path, change: tuple[str, str], words: str) -> None:
    with pytest.raises(ag.CaseFaults) as refused:
        case_of(law_file, change=change)
    assert words in str(refused.value)


def test_a_word_is_taken_once(law_file: Path) -> None:
    (law_file / "laws" / "again.py").write_text(block(LAW, "python"), encoding="utf-8")
    with pytest.raises(ag.Fault, match='files of mesh law "spring"'):
        laws.mesh_laws()
    del sys.modules[f"{laws.__name__}.again"]
