"""What bench.py measured, as tables, ratios and a figure."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Bench = dict[str, Any]

#: Stages as they follow one another.
ORDER = (
    "case",
    "mesh",
    "assembly",
    "sector condensation",
    "ring closing",
    "window",
    "contact set-up",
    "store",
    "tooth-change threshold",
    "mean stiffness",
    "static position",
    "dynamic step",
    "root stress",
    "stress fields",
    "writing",
    "plots",
    "rest",
    "in all",
)
COUNTED = {
    "static position": "position",
    "dynamic step": "output time",
    "root stress": "sample",
    "stress fields": "field",
}


def seconds(value: float) -> str:
    """A time with its unit, three digits."""
    if not math.isfinite(value):
        return ""
    if abs(value) < 0.1:
        return f"{1e3 * value:.3g} ms"
    return f"{value:.3g} s"


def spread(times: dict[str, float], per: int = 1) -> str:
    """Median (smallest to largest)."""
    median, low, high = (seconds(times[name] / per) for name in ("median", "min", "max"))
    return f"{median} ({low} to {high})" if times["n"] > 1 else median


# --- table ------------------------------------------------------------------------------------------------------------


def markdown(bench: Bench) -> str:
    """Tables in Markdown: the machine, the cases, their stages, the fine wheel, start and scaling."""
    return "\n\n".join(["\n".join(part) for part in _parts(bench) if part])


def _parts(bench: Bench) -> Iterator[list[str]]:
    machine = bench["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items() if version)
    load = " to ".join(f"{machine[name][0]:.2g}" for name in ("load_average", "load_average_after") if name in machine)
    n = bench["options"]["repeat"]
    quick = ", coarse grids (quick)" if bench["options"]["quick"] else ""
    yield [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_MB'] / 1024:.0f} GB; "
        f"Python {machine['python']}, {versions}; load average {load}; medians of {n} runs (smallest to largest)"
        f"{quick}; nothing stored, kernels compiled. What runs beside something else is counted in full; the rest is "
        "the time of no stage."
    ]
    cases = bench["cases"]
    if cases:
        yield list(_commands(cases))
        yield list(_stages({name: case["stages"] for name, case in cases.items()}))
    if "fine_wheel" in bench:
        wheels = bench["fine_wheel"]["wheels"]
        yield list(_wheel_facts(wheels))
        yield list(_stages({f"{z} teeth": wheel["stages"] for z, wheel in wheels.items()}))
    if "cold_start" in bench:
        yield list(_start(bench["cold_start"]))
    if "gearbox" in bench:
        yield list(_gearbox(bench["gearbox"]))
    if "actuator" in bench:
        yield list(_actuator(bench["actuator"]))
    if "two_gears" in bench:
        yield list(_two_gears(bench["two_gears"]))
    if "chain" in bench:
        yield list(_chain(bench["chain"]))
    if "scaling" in bench:
        for axis, points in bench["scaling"].items():
            yield list(_scaling(axis, points))


def _commands(cases: dict[str, Any]) -> Iterator[str]:
    yield "| case | degrees of freedom, full | of the tooth faces | `alegear run` | CPU | peak memory |"
    yield "|---|---|---|---|---|---|"
    for case in cases.values():
        facts, command = case["facts"], case["command"]
        yield (
            f"| {case['title']} | {_thousands(facts['dof_full'])} | {_thousands(facts['dof_boundary'])} "
            f"| {spread(command['wall'])} | {seconds(command['cpu']['median'])} | {command['peak_MB'] / 1024:.2f} GB |"
        )


def _stages(columns: dict[str, Any]) -> Iterator[str]:
    yield "| stage | " + " | ".join(columns) + " |"
    yield "|---" * (1 + len(columns)) + "|"
    names = [name for name in ORDER if any(name in stages for stages in columns.values())]
    for name in names:
        row = []
        for stages in columns.values():
            stage = stages.get(name)
            row.append("" if stage is None else spread(stage["wall"], max(stage["per"], 1)))
        label = f"{name}, each {COUNTED[name]}" if name in COUNTED else name
        yield f"| {label} | " + " | ".join(row) + " |"
        if name == "root stress" and any("static position" in stages for stages in columns.values()):
            both = [
                seconds(sum(s[k]["wall"]["median"] / s[k]["per"] for k in ("static position", "root stress")))
                if "static position" in s
                else ""
                for s in columns.values()
            ]
            yield "| static position with root stress | " + " | ".join(both) + " |"


def _wheel_facts(wheels: dict[str, Any]) -> Iterator[str]:
    yield "| fine wheel | degrees of freedom, full | mesh and reduction | peak memory |"
    yield "|---|---|---|---|"
    for z, wheel in wheels.items():
        yield (
            f"| {z} teeth | {_thousands(wheel['facts']['dof_full'])} | {spread(wheel['stages']['in all']['wall'])} "
            f"| {wheel['peak_MB'] / 1024:.2f} GB |"
        )
    if {"97", "20"} <= set(wheels):
        long, short = (wheels[z]["stages"]["in all"]["wall"]["median"] for z in ("97", "20"))
        yield f"| ratio of 97 teeth to 20 | | {long / short:.2f} | |"
        for name, route in wheels["97"]["routes"].items():  # other ways to the same wheel, in the same run
            yield f"| 97 teeth, {name} | | {spread(route['wall'])} | |"
            yield f"| ratio to that | | {long / route['wall']['median']:.2f} | |"


def _start(cold: dict[str, Any]) -> Iterator[str]:
    yield f"| {cold['title']} | |"
    yield "|---|---|"
    yield f"| `import alegear` | {spread(cold['import']['package'])} |"
    yield f"| import of all that a run needs | {spread(cold['import']['all'])} |"
    yield f"| `alegear check` | {spread(cold['check']['wall'])} |"
    for when, label in (("first", "compilation on the first run"), ("later", "inside the compiler on a later run")):
        yield f"| {label} | {seconds(cold[when]['compiler'])}, CPU {seconds(cold[when]['compiler_cpu'])} |"
    yield f"| `alegear run`, first run | {spread(cold['first command']['wall'])} |"


def _gearbox(drive: dict[str, Any]) -> Iterator[str]:
    yield f"| {drive['title']} | |"
    yield "|---|---|"
    yield f"| {drive['driven']:g} s of driving | {spread(drive['rounds'])} |"
    yield f"| how much faster than the car | {drive['driven'] / drive['rounds']['median']:.0f} |"
    yield f"| steps, events | {drive['steps']}, {drive['events']} |"


def _actuator(actuator: dict[str, Any]) -> Iterator[str]:
    yield f"| {actuator['title']}, {actuator['duration']:g} s | time | steps, events | energy missing of that put in |"
    yield "|---|---|---|---|"
    for point in actuator["points"]:
        counted = f"{point['steps']}, {point['events']} | {point['missing']:.1e}"
        yield f"| tolerance {point['tolerance']:g} | {spread(point['rounds'])} | {counted} |"


def _two_gears(gears: dict[str, Any]) -> Iterator[str]:
    yield f"| {gears['title']}, {gears['duration']:g} s | time | times as fast as they turn | steps |"
    yield "|---|---|---|---|"
    for point in gears["points"]:
        faster = gears["duration"] / point["rounds"]["median"]
        yield f"| {point['rpm']:g} rpm | {spread(point['rounds'])} | {faster:.1f} | {point['steps']} |"


def _chain(chain: dict[str, Any]) -> Iterator[str]:
    yield f"| {chain['title']}, {chain['duration']:g} s | computing a second of motion | and a part | steps, events |"
    yield "|---|---|---|---|"
    for point in chain["points"]:
        per_second = {k: v if k == "n" else v / chain["duration"] for k, v in point["seconds"].items()}
        each = seconds(per_second["median"] / point["parts"])
        yield f"| {point['parts']} parts | {spread(per_second)} | {each} | {point['steps']}, {point['events']} |"
    yield f"| first call, with loading of kernels | {seconds(chain['first'])} | | |"


def _scaling(axis: str, points: list[dict[str, Any]]) -> Iterator[str]:
    yield f"| {axis} | degrees of freedom, full | mesh | reduction and contact set-up | position | root stress |"
    yield "|---|---|---|---|---|---|"
    for point in points:
        times = " | ".join(seconds(point[name]["median"]) for name in ("mesh", "reduce", "position", "root stress"))
        yield f"| {point['x']} | {_thousands(point['dof_full'])} | {times} |"


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", " ")


# --- compare ----------------------------------------------------------------------------------------------------------


def comparison(before: Bench, after: Bench) -> str:
    """Ratios after/before of everything that both files hold; below 1 is better."""
    old, new = dict(_figures(before)), dict(_figures(after))
    shared = [name for name in old if name in new]
    width = max((len(name) for name in shared), default=0)
    lines = [f"{'':{width}}  {'before':>10}  {'after':>10}  ratio"]
    for key in ("cpu", "cores"):
        if before["machine"][key] != after["machine"][key]:
            lines.insert(0, f"not the same machine: {before['machine'][key]} and {after['machine'][key]}")
    for name in shared:
        a, b = old[name], new[name]
        ratio = f"{b / a:5.2f}" if a else "    -"
        show = (lambda x: f"{x:.0f} MB") if name.endswith("peak memory") else seconds
        lines.append(f"{name:{width}}  {show(a):>10}  {show(b):>10}  {ratio}")
    lines += [f"only {'before' if name in old else 'after'}: {name}" for name in sorted(set(old) ^ set(new))]
    return "\n".join(lines)


def _figures(bench: Bench) -> Iterator[tuple[str, float]]:
    """Every median and peak, by a name that says what it is."""
    for name, case in bench["cases"].items():
        yield from _stage_figures(name, case["stages"])
        yield f"{name}: stages, peak memory", case["peak_MB"]
        yield f"{name}: alegear run", case["command"]["wall"]["median"]
        yield f"{name}: alegear run, CPU", case["command"]["cpu"]["median"]
        yield f"{name}: alegear run, peak memory", case["command"]["peak_MB"]
    for z, wheel in bench.get("fine_wheel", {}).get("wheels", {}).items():
        yield from _stage_figures(f"fine wheel, {z} teeth", wheel["stages"])
        yield f"fine wheel, {z} teeth: peak memory", wheel["peak_MB"]
        for route, values in wheel.get("routes", {}).items():
            yield f"fine wheel, {z} teeth: {route}", values["wall"]["median"]
    if "cold_start" in bench:
        cold = bench["cold_start"]
        yield "import alegear", cold["import"]["package"]["median"]
        yield "alegear check", cold["check"]["wall"]["median"]
        yield "compilation", cold["first"]["compiler"]
        yield "compilation, CPU", cold["first"]["compiler_cpu"]
        yield "alegear run, first", cold["first command"]["wall"]["median"]
    if "gearbox" in bench:
        yield f"gearbox, {bench['gearbox']['driven']:g} s of driving", bench["gearbox"]["rounds"]["median"]
    for point in bench.get("actuator", {}).get("points", ()):
        yield f"actuator at {point['tolerance']:g}", point["rounds"]["median"]
    for point in bench.get("two_gears", {}).get("points", ()):
        yield f"two gears at {point['rpm']:g} rpm", point["rounds"]["median"]
    for point in bench.get("chain", {}).get("points", ()):
        yield f"chain of {point['parts']} parts", point["seconds"]["median"]
    for axis, points in bench.get("scaling", {}).items():
        for point in points:
            for name in ("mesh", "reduce", "position", "root stress"):
                yield f"{axis} {point['x']}: {name}", point[name]["median"]


def _stage_figures(name: str, stages: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for stage in (s for s in ORDER if s in stages):
        yield f"{name}: {stage}", stages[stage]["wall"]["median"] / max(stages[stage]["per"], 1)


# --- plot -------------------------------------------------------------------------------------------------------------


def draw_scaling(bench: Bench, out: Path) -> None:
    """Figure: seconds of preparation (top) and of a static position (bottom) against what the size depends on."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    axes_of = bench["scaling"]
    figure, rows = plt.subplots(2, len(axes_of), figsize=(10.0, 5.6), sharey="row", layout="constrained", squeeze=False)
    above = {"mesh": "mesh", "reduce": "reduction, contact set-up"}
    below = {"position": "contact", "root stress": "root stress"}
    for row, names, factor in ((rows[0], above, 1.0), (rows[1], below, 1e3)):
        for plot, points in zip(row, axes_of.values(), strict=True):
            x = [point["x"] for point in points]
            for (name, label), marker in zip(names.items(), ("s", "o"), strict=True):
                middle, low, high = ([factor * p[name][which] for p in points] for which in ("median", "min", "max"))
                plot.plot(x, middle, marker=marker, markersize=4, label=label)
                plot.fill_between(x, low, high, alpha=0.25)
            plot.grid(alpha=0.3)
            plot.set_xticks(x, _apart(x))
            plot.tick_params(axis="x", labelsize="small")
        top = max(factor * point[name]["max"] for points in axes_of.values() for point in points for name in names)
        row[0].set_ylim(0.0, 1.1 * top)
        row[0].legend(loc="best", fontsize="small")
    for plot, axis in zip(rows[1], axes_of, strict=True):
        plot.set_xlabel({"teeth": "teeth of the wheel", "flank elements": "elements along the flank"}.get(axis, axis))
    rows[0][0].set_ylabel("mesh, reduction of both gears [s]")
    rows[1][0].set_ylabel("one static position [ms]")
    figure.savefig(out, dpi=110)
    plt.close(figure)


def _apart(x: list[float]) -> list[str]:
    """Labels of ticks; of two that would touch the second has none."""
    labels, last = [], -math.inf
    for value in x:
        near = value - last < 0.08 * (max(x) - min(x))
        labels.append("" if near else f"{value:g}")
        last = last if near else value
    return labels


def draw_chain(bench: Bench, out: Path) -> None:
    """Figure: seconds of computing a second of motion (left), and of that a part (right), over the number of parts."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    chain = bench["chain"]
    x = [point["parts"] for point in chain["points"]]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    for plot, per, factor in ((left, [1] * len(x), 1.0), (right, x, 1e3)):
        middle, low, high = (
            [factor * p["seconds"][which] / chain["duration"] / n for p, n in zip(chain["points"], per, strict=True)]
            for which in ("median", "min", "max")
        )
        plot.plot(x, middle, marker="o", markersize=4)
        plot.fill_between(x, low, high, alpha=0.25)
        plot.set_xscale("log")
        plot.set_xticks(x, labels=[str(n) for n in x])
        plot.minorticks_off()
        plot.grid(alpha=0.3)
        plot.set_xlabel("parts")
        plot.set_ylim(bottom=0.0)
    left.set_ylabel("a second of motion [s]")
    right.set_ylabel("a second of motion and a part [ms]")
    figure.savefig(out, dpi=110)
    plt.close(figure)
