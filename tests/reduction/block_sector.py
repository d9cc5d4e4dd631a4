"""A tiny sector with everything a tooth sector has: rim between two cut planes, a tooth on it, fillet strips, bore."""

from __future__ import annotations

import numpy as np

from alegear.mesh import SectorMesh, VolumeMesh


def block_sector(
    teeth: int,
    *,
    n_rim: int = 2,
    n_tooth: int = 2,
    n_width: int = 2,
    strip: int = 1,
    n_thick: int = 2,
    twist: float = 0.0,
    bend: float = 0.03,
) -> SectorMesh:
    """Mesh a ring sector (bore 20 mm, root 30 mm) with a tapered, slightly crooked tooth up to 36 mm, 12 mm wide.

    `strip` elements lie on each side of the tooth, `n_thick` below it. The tooth is bent to one side (`bend`) so that
    no tooth is symmetric by accident. A helical sector turns by `twist` [rad/m] on its way along z.
    """
    n_theta = 2 * strip + n_thick
    half = np.pi / teeth
    r = np.concatenate([np.linspace(20e-3, 30e-3, n_rim + 1), np.linspace(30e-3, 36e-3, n_tooth + 1)[1:]])
    z = np.linspace(-6e-3, 6e-3, n_width + 1)
    number: dict[tuple[int, int, int], int] = {}
    points = []
    for i in range(r.size):
        for j in range(n_theta + 1):
            if i > n_rim and not strip <= j <= n_theta - strip:
                continue
            theta = half * (2.0 * j / n_theta - 1.0)
            height = max(i - n_rim, 0) / n_tooth
            theta = theta * (1.0 - 0.4 * height) + bend * half * height**2
            for k in range(z.size):
                number[i, j, k] = len(points)
                angle = theta + twist * z[k]
                points.append([r[i] * np.cos(angle), r[i] * np.sin(angle), z[k]])
    cells = []
    for i in range(r.size - 1):
        for j in range(n_theta):
            for k in range(n_width):
                corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                nodes = [number.get((*c, k + dk)) for dk in (0, 1) for c in corners]
                if None not in nodes:
                    cells.append(nodes)

    def grid(path: list[tuple[int, int]]) -> np.ndarray:
        return np.array([[number[i, j, k] for k in range(z.size)] for i, j in path])

    flank = range(n_rim, r.size)
    strips = range(strip + 1)
    sets = {
        "flank_a": grid([(i, n_theta - strip) for i in flank]),
        "flank_b": grid([(i, strip) for i in flank]),
        "root_a": grid([(n_rim, n_theta - j) for j in strips]),
        "root_b": grid([(n_rim, j) for j in strips]),
        "cut_low": grid([(i, 0) for i in range(n_rim + 1)]).ravel(),
        "cut_high": grid([(i, n_theta) for i in range(n_rim + 1)]).ravel(),
        "bore": grid([(0, j) for j in range(n_theta + 1)]).ravel(),
        "tip": grid([(r.size - 1, j) for j in range(strip, n_theta - strip + 1)]).ravel(),
    }
    volume = VolumeMesh(
        points=np.array(points),
        cells=np.array(cells, dtype=np.int64),
        node_sets={name: nodes.ravel() for name, nodes in sets.items()},
    )
    return SectorMesh(volume=volume, teeth=teeth, twist=twist, **sets)
