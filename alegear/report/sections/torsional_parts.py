"""Torsional machines: losses, torques, what sticks and slides."""

from __future__ import annotations

from collections.abc import Iterator

from alegear.report.blocks import Block, TableBlock
from alegear.report.section import ReportSection
from alegear.results.power_flow import SMALL, power_flow
from alegear.results.reading import array, has, labels, lead_of
from alegear.results.result import Result
from alegear.results.switch_events import MODES, events, has_events

#: Rows of a table of events.
EVENTS = 40


def _holds(result: Result) -> bool:
    dataset = result.dataset
    return lead_of(dataset) == "time" and (has(dataset, "energy_lost") or has_events(dataset))


def _blocks(result: Result) -> Iterator[Block]:
    dataset = result.dataset
    if has(dataset, "energy_lost"):
        parts, lost = labels(dataset, "part"), array(dataset, "energy_lost")[-1]
        supplied, stored = array(dataset, "energy_supplied")[-1], array(dataset, "energy_stored")[-1]
        rows = [
            [name, float(supplied[k]), float(lost[k]), float(stored[k])]
            for k, name in enumerate(parts)
            if supplied[k] or lost[k] or stored[k]
        ]
        yield TableBlock(
            head=("part", "put in [J]", "lost [J]", "stored [J]"), rows=rows, caption="Energies at the end"
        )
    if has(dataset, "power") and "flange" in dataset["power"].dims:
        yield from _power_flow(result)
    if has_events(dataset):
        found = events(dataset)
        switched = [(one.time, one.switch, MODES[one.before], MODES[one.after]) for one in found[:EVENTS]]
        more = f", the first {EVENTS} of {len(found)}" if len(found) > EVENTS else ""
        if switched:
            yield TableBlock(head=("time [s]", "part", "before", "after"), rows=switched, caption=f"Events{more}")


def _power_flow(result: Result) -> Iterator[Block]:
    """Mean powers from bodies into parts and back, trapezoids over time; what is next to nothing is left out."""
    if result.dataset.sizes["time"] < 2:
        return
    flow = power_flow(result.dataset)
    rows = [(flow.nodes[b.tail].name, flow.nodes[b.head].name, b.power) for b in flow.bands if b.power > flow.small]
    rows.sort(key=lambda row: -row[2])
    if rows:
        words = f"Power flow, {flow.when}; what is below {SMALL:.1%} is left out"
        yield TableBlock(head=("power from", "into", "[W]"), rows=rows, caption=words)


SECTION = ReportSection(title="Torsional parts", order=260, holds=_holds, blocks=_blocks)
