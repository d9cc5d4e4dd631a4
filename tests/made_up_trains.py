"""Made-up results of torsional machines: bodies in a row with lossy gears between, a drive and a load."""

from __future__ import annotations

import numpy as np
import xarray as xr

from alegear.results.dataset import Identity, ResultArrays
from alegear.results.switch_events import Event, event_variables
from alegear.results.variables import ROTATIONAL


def train(bodies: int, *, efficiency: float = 0.98, switches: bool = True, title: str = "a $train$") -> xr.Dataset:
    """A train of so many bodies that turn ever faster, each gear with the same efficiency.

    The power 100 W t of the drive goes through the gears; the first body takes 10 W t for its kinetic energy.
    """
    time = np.linspace(0.0, 2.0, 21)
    gears = [f"gear {i}" for i in range(bodies - 1)]
    names = [f"body {i}" for i in range(bodies)]
    parts = ["drive", *gears, "load"]
    flanges = [("drive", names[0])]
    power = [-100.0]
    through, loss = 90.0, [0.0]
    for i, gear in enumerate(gears):
        flanges += [(gear, names[i]), (gear, names[i + 1])]
        loss.append((1.0 - efficiency) * through)
        power += [through, -efficiency * through]
        through *= efficiency
    flanges.append(("load", names[-1]))
    power.append(through)
    loss.append(0.0)
    at = time[:, None]
    speed = at * (1.0 + np.arange(bodies))
    energy = 0.5 * at**2
    supplied = np.zeros(len(parts))
    supplied[0], supplied[-1] = 100.0, -through
    of = [names.index(body) for _, body in flanges]
    with np.errstate(invalid="ignore"):
        torque = np.nan_to_num(at * np.array(power) / speed[:, of])
    named = gears if switches else []
    mode = np.ones((len(time), len(named)), dtype=np.int64)
    changes = [(0.5 * (i + 1) / max(len(named), 1), name, 0, 1) for i, name in enumerate(named)]
    values = {
        "angle": 0.5 * at * speed,
        "speed": speed,
        "acceleration": np.tile(1.0 + np.arange(bodies), (len(time), 1)),
        "torque": torque,
        "power": at * np.array(power),
        "mode": mode,
        "relative_speed": mode * 1.0,
        "friction_torque": mode * 0.5,
        "loss": at * np.array(loss),
        "energy_lost": energy * np.array(loss),
        "energy_supplied": energy * supplied,
        "energy_stored": np.zeros((len(time), len(parts))),
        "energy_input": energy[:, 0] * supplied.sum(),
        "energy_kinetic": energy[:, 0] * 10.0,
        "energy_elastic": np.zeros(len(time)),
        "energy_dissipated": energy[:, 0] * sum(loss),
        "energy_missing": np.zeros(len(time)),
    }
    further = event_variables([Event(*one) for one in changes])
    places = {name: further.pop(name) for name in ("event_time", "event_switch")}
    places |= {
        f"flange_{name}": ("flange", [flange[i] for flange in flanges], {"units": "1", "long_name": name})
        for i, name in enumerate(("part", "body"))
    }
    history = ResultArrays(
        analysis="dynamic",
        variables=ROTATIONAL,
        sample_dim="time",
        values=values,
        labels={
            "time": time,
            "body": names,
            "part": parts,
            "switch": named,
            "flange": [f"{part}/{body}" for part, body in flanges],
        },
        coordinates=places,
        others=further,
        attributes={"machine": 1, "rotational": 1},
    )
    return history.dataset(Identity(title=title, case_sha256="0" * 64))


def overlapping_texts(figure) -> list[tuple[str, str]]:
    """Pairs of texts of a figure that lie on each other, and of texts that leave it with the figure."""
    from matplotlib.axis import Axis, Tick
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    FigureCanvasAgg(figure).draw()
    beyond = set()  # labels of ticks beyond the ends of their axes are not drawn
    for axis in figure.findobj(Axis):
        shown = axis._update_ticks() if axis.axes.axison else []
        beyond |= {label for tick in axis.findobj(Tick) if tick not in shown for label in (tick.label1, tick.label2)}
    texts = [one for one in figure.findobj(Text) if one.get_text().strip() and one.get_visible() and one not in beyond]
    boxes = [(one.get_text(), one.get_window_extent()) for one in texts]
    found = [
        (name, "the figure")
        for name, box in boxes
        if box.x0 < 0.0 or box.y0 < 0.0 or box.x1 > figure.bbox.width or box.y1 > figure.bbox.height
    ]
    for i, (name, box) in enumerate(boxes):
        for other, second in boxes[i + 1 :]:
            across = min(box.x1, second.x1) - max(box.x0, second.x0)
            along = min(box.y1, second.y1) - max(box.y0, second.y0)
            if across > 1.0 and along > 1.0:  # pixels: letters have some room of their own
                found.append((name, other))
    return found
