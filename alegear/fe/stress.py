"""Stress at the nodes: recovery, averaging, and the stress as a matrix over the displacements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from alegear.arrays import Array, Indices
from alegear.fe import _kernels, _stress_kernels
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material

#: Place of each entry of the stress tensor among the components xx, yy, zz, xy, yz, zx.
TENSOR = np.array([[0, 3, 5], [3, 1, 4], [5, 4, 2]])


def nodal_stress(model: FEModel, u: Array) -> Array:
    """Stress at all nodes, averaged over the adjacent elements.

    Eight nodes: in each element the internal parameters follow from its nodal displacements, the stress is evaluated at
    the 2x2x2 Gauss points and extrapolated trilinearly to the nodes. 27 nodes: the stress is evaluated at the nodes.
    The values that meet at a node are averaged with the weights ``1 / V_e``; on the model's free surface
    :func:`impose_traction` then takes out the traction.

    Why, with eight nodes, the inverse of the volume: along its own direction a normal stress is constant inside an
    element (the internal mode takes the linear part away), so the value brought to a node is off by ``h_e / 2`` times
    the slope, with opposite signs on the two sides. Weights ``1 / h_e`` cancel that on any rectangular grading;
    equal weights do so on even grids only, weights ``V_e`` make a graded grid worse. So the stress is of second
    order inside the body. On its surface there is one side only: first order; where the traction is known
    :func:`impose_traction` brings the second order back.

    Parameters
    ----------
    model : FEModel
    u : shape (n_nodes, 3) or (n_dof,) [m]

    Returns
    -------
    shape (n_nodes, 6) [Pa]
        Components xx, yy, zz, xy, yz, zx; tension positive.
    """
    u = np.asarray(u, dtype=np.float64).reshape(1, model.n_nodes, 3)
    return nodal_stresses(model, u)[0]


def nodal_stresses(model: FEModel, u: Array) -> Array:
    """Stress at all nodes as :func:`nodal_stress` gives it, for many displacement fields; see :class:`NodalStress`.

    Parameters
    ----------
    model : FEModel
    u : shape (m, n_nodes, 3) [m]

    Returns
    -------
    shape (m, n_nodes, 6) [Pa]
        Components xx, yy, zz, xy, yz, zx; tension positive.
    """
    fields = np.ascontiguousarray(np.moveaxis(np.asarray(u, dtype=np.float64), 0, -1))
    return np.ascontiguousarray(np.moveaxis(NodalStress.of(model)(fields), -1, 0))


@dataclass(frozen=True, kw_only=True, eq=False)
class NodalStress:
    r"""Stress at all nodes of a model, for many displacement fields at once.

    What the grid alone decides is made once: the gradient at a node, averaged over its elements, is a sum over few
    others, with 27 nodes over those on its planes, six besides itself in each element. With eight nodes the internal
    parameters of the elements are further values that it depends on.

    Parameters
    ----------
    model : FEModel
    gradient : (indptr, indices, slopes (nnz, 3) [1/m])
        Mean gradient at each node per values at others, then per internal parameters of one element after the other.
    inner : shape (n_cells, 3 k, 3 n)
        Internal parameters per displacements of the nodes of their element; none with 27 nodes.
    without_traction : shape (n_free, 6, 6)
        :func:`impose_traction` on the free surface, as matrices; none if there is none.
    """

    model: FEModel
    gradient: tuple[NDArray[np.integer], NDArray[np.integer], Array]
    inner: Array
    without_traction: Array

    @classmethod
    def of(cls, model: FEModel) -> NodalStress:
        """Make what all fields have in common."""
        normals = np.zeros((0, 3)) if model.free_surface is None else model.free_surface.normals
        x, y, z = _mean_gradients(model, np.arange(model.n_nodes))
        return cls(
            model=model,
            gradient=(x.indptr, x.indices, np.stack([x.data, y.data, z.data], axis=1)),
            inner=_internal_parameters(model, np.arange(len(model.cells))),
            without_traction=_matrices_without_traction(normals, model.material),
        )

    def __call__(self, fields: Array) -> Array:
        """Return the stress, shape (n_nodes, 6, m) [Pa], of displacements of shape (n_nodes, 3, m) [m]."""
        model, m = self.model, fields.shape[-1]
        stress = np.empty((model.n_nodes, 6, m))
        if self.inner.size:
            u_e = fields[model.cells].reshape(len(model.cells), -1, m)
            fields = np.concatenate([fields, (self.inner @ u_e).reshape(-1, 3, m)])
        _kernels.stresses_of_gradients(*self.gradient, model.material.lame_lambda, model.material.mu, fields, stress)
        if model.free_surface is not None:
            nodes = model.free_surface.nodes
            stress[nodes] = self.without_traction @ stress[nodes]
        return stress


def _mean_gradients(model: FEModel, nodes: Indices) -> tuple[sp.csr_array, sp.csr_array, sp.csr_array]:
    """Slopes d/dx, d/dy, d/dz at some nodes, each once, averaged over their elements, (len(nodes), n) [1/m].

    Columns are all nodes, then the internal parameters of one element after the other. All three have the same places.
    """
    element, k = model.element, model.element.internal_gradients.shape[1]
    place = np.full(model.n_nodes, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    cell, local = np.nonzero(place[model.cells] >= 0)
    some, which = np.unique(cell, return_inverse=True)
    g, _ = _gradients_in_space(model, some, element.recovery_gradients, element.recovery_internal_gradients)
    at_nodes = np.einsum("np,cpai->cnai", element.extrapolation, g, optimize=True)
    slopes = at_nodes[which, local] * _averaging_weights(model)[cell, local][:, None, None]
    # an element that is evaluated at its nodes knows there only those on their planes
    depends = np.abs(element.extrapolation) @ element.recovery_gradients.any(axis=2) > 0.0
    used = np.pad(depends[local], ((0, 0), (0, k)), constant_values=True)
    columns = np.hstack([model.cells[cell], model.n_nodes + k * cell[:, None] + np.arange(k)])[used]
    rows = np.broadcast_to(place[model.cells[cell, local]][:, None], used.shape)[used]
    shape = (len(nodes), model.n_nodes + k * len(model.cells))
    x, y, z = (sp.csr_array((slopes[..., i][used], (rows, columns)), shape=shape) for i in range(3))
    return x, y, z


def _gradients_in_space(
    model: FEModel, some: Indices, gradients: Array, internal_gradients: Array
) -> tuple[Array, Array]:
    """Gradients in space of the shape functions of some elements, internal modes last, and determinants of the map.

    Parameters
    ----------
    some : shape (m,)
    gradients, internal_gradients : shape (q, n, 3), (q, k, 3)
        Of the reference element.

    Returns
    -------
    shape (m, q, n + k, 3) [1/m], shape (m, q) [m^3]
    """
    x = np.swapaxes(model.points[model.cells[some]], 1, 2)
    jacobian, centre = x[:, None] @ gradients, x @ model.element.centre_gradients
    determinant = np.linalg.det(jacobian)
    ratio = np.linalg.det(centre)[:, None] / determinant
    internal = ratio[:, :, None, None] * (internal_gradients @ np.linalg.inv(centre)[:, None])
    return np.concatenate([gradients @ np.linalg.inv(jacobian), internal], axis=2), determinant


def _internal_parameters(model: FEModel, some: Indices) -> Array:
    """Internal parameters of some elements per displacements of their nodes, -K_aa^-1 K_au, (m, 3 k, 3 n)."""
    element, law = model.element, (model.material.lame_lambda, model.material.mu)
    n, k = element.n_nodes, element.internal_gradients.shape[1]
    if k == 0:
        return np.zeros((len(some), 0, 3 * n))
    g, j = _gradients_in_space(model, some, element.gradients, element.internal_gradients)
    flat = g.reshape(*j.shape, -1)
    products = np.swapaxes(flat[..., 3 * n :] * (j * element.weights)[..., None], 1, 2) @ flat
    H = products.reshape(len(some), k, 3, n + k, 3)  # int g_ai g_bj dV
    K = law[0] * H + law[1] * np.swapaxes(H, 2, 4)
    K += law[1] * np.einsum("caibi->cab", H)[:, :, None, :, None] * np.eye(3)[:, None]
    K = K.reshape(len(some), 3 * k, -1)
    return np.asarray(-np.linalg.solve(K[:, :, 3 * n :], K[:, :, : 3 * n]), dtype=np.float64)


def stress_operator(model: FEModel, nodes: NDArray[np.integer]) -> sp.csr_matrix:
    """Nodal stress as a matrix: ``stress_operator(model, nodes) @ u`` is ``nodal_stress(model, u)[nodes]``.

    Parameters
    ----------
    model : FEModel
    nodes : shape (k,)
        Node numbers, any order; a node may occur more than once.

    Returns
    -------
    shape (6 k, n_dof) [Pa/m]
        Row ``6 i + c`` is component ``c`` (xx, yy, zz, xy, yz, zx) at ``nodes[i]``.
    """
    wanted, row_of = np.unique(np.asarray(nodes, dtype=np.int64), return_inverse=True)
    slopes = _mean_gradients(model, wanted)
    # stress of the slope d(u_i)/dx_j = 1, (component, i, j)
    unit = model.material.lame_lambda * np.repeat([1.0, 0.0], 3)[:, None, None] * np.eye(3)
    for component, (i, j) in enumerate(((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0))):
        unit[component, i, j] += model.material.mu
        unit[component, j, i] += model.material.mu
    parts = [sp.kron(slope, sp.csr_array(unit[:, :, j]), format="csr") for j, slope in enumerate(slopes)]
    operator = sp.csr_matrix(parts[0] + parts[1] + parts[2])
    operator, of_inner = operator[:, : model.n_dof], operator[:, model.n_dof :]
    if of_inner.nnz:
        some = np.unique(of_inner.indices // (3 * model.element.internal_gradients.shape[1]))
        inner = _internal_parameters(model, some)
        rows = (inner.shape[1] * some[:, None] + np.arange(inner.shape[1]))[:, :, None]
        columns = (3 * model.cells[some][:, :, None] + np.arange(3)).reshape(len(some), 1, -1)
        at, of = (np.broadcast_to(place, inner.shape).ravel() for place in (rows, columns))
        by_nodes = sp.csr_matrix((inner.ravel(), (at, of)), shape=(of_inner.shape[1], model.n_dof))
        operator = sp.csr_matrix(operator + of_inner @ by_nodes)
    if model.free_surface is not None:
        operator = sp.csr_matrix(_without_traction(model, wanted) @ operator)
    return operator[(6 * row_of[:, None] + np.arange(6)).reshape(-1)]


def _without_traction(model: FEModel, nodes: Indices) -> sp.bsr_matrix:
    """:func:`impose_traction` on the free ones of some different nodes, as a matrix (6 n, 6 n)."""
    assert model.free_surface is not None
    blocks = np.tile(np.eye(6), (len(nodes), 1, 1))
    _, place, of_surface = np.intersect1d(nodes, model.free_surface.nodes, return_indices=True)
    blocks[place] = _matrices_without_traction(model.free_surface.normals[of_surface], model.material)
    order = np.arange(len(nodes) + 1)
    return sp.bsr_matrix((blocks, order[:-1], order), shape=(6 * len(nodes), 6 * len(nodes)))


def _matrices_without_traction(normals: Array, material: Material) -> Array:
    """:func:`impose_traction` on free surfaces with the normals (n, 3), shape (n, 6, 6)."""
    # the images of the six unit stresses are the columns
    return np.ascontiguousarray(np.swapaxes(impose_traction(np.eye(6), normals[:, None, :], material), 1, 2))


def impose_traction(stress: Array, normals: Array, material: Material, traction: Array | None = None) -> Array:
    """Correct nodal stresses on a surface whose traction is known, by default a free one.

    The recovered stress misses the traction by a part of first order (eight nodes: the element holds its normal stress
    constant over its depth) or second order (27 nodes) in the depth of the surface element, and takes ``nu/(1 - nu)``
    of that part along into the tangential directions. The tangential strains are better; they are kept. With
    ``d = sigma n - t``, ``d_n = d . n`` and ``d_s = d - d_n n``::

        sigma - d_n (n n^T + nu/(1 - nu) (I - n n^T)) - d_s n^T - n d_s^T

    Parameters
    ----------
    stress : shape (..., 6) [Pa]
    normals : shape (..., 3)
        Outward unit normals.
    material : Material
    traction : shape (..., 3) [Pa], optional
        The force on the surface per area; none is a free surface.

    Returns
    -------
    shape (..., 6) [Pa]
    """
    stress = np.asarray(stress, dtype=np.float64)
    normals = np.asarray(normals, dtype=np.float64)
    surplus = np.einsum("...ij,...j->...i", stress[..., TENSOR], normals)
    if traction is not None:
        surplus = surplus - traction
    normal_surplus = np.sum(surplus * normals, axis=-1)[..., None, None]
    shear = surplus - normal_surplus[..., 0] * normals
    ratio = material.nu / (1.0 - material.nu)
    dyad = normals[..., :, None] * normals[..., None, :]
    shear_dyad = shear[..., :, None] * normals[..., None, :]
    wrong = normal_surplus * (dyad + ratio * (np.eye(3) - dyad))
    wrong = wrong + shear_dyad + np.swapaxes(shear_dyad, -1, -2)
    corrected: Array = stress - wrong[..., [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]]
    return corrected


def von_mises(stress: Array) -> Array:
    """Equivalent stress after von Mises, never negative.

    ``sqrt(((xx - yy)^2 + (yy - zz)^2 + (zz - xx)^2) / 2 + 3 (xy^2 + yz^2 + zx^2))``

    Parameters
    ----------
    stress : shape (..., 6) [Pa]

    Returns
    -------
    shape (...) [Pa]
    """
    xx, yy, zz, xy, yz, zx = np.moveaxis(np.asarray(stress, dtype=np.float64), -1, 0)
    normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2)
    equivalent: Array = np.sqrt(normal + 3.0 * (xy**2 + yz**2 + zx**2))
    return equivalent


def largest_principal(stress: Array) -> Array:
    """Principal stress largest by magnitude, with its sign: positive on the tension side of a root.

    Parameters
    ----------
    stress : shape (..., 6) [Pa]

    Returns
    -------
    shape (...) [Pa]
    """
    stress = np.asarray(stress, dtype=np.float64)
    principal = np.empty(stress.shape[:-1])
    _stress_kernels.largest_principals(np.ascontiguousarray(stress).reshape(-1, 6), principal.reshape(-1))
    return principal


def fillet_maxima(stress: Array, highest: Array, lowest: Array, points: Array | None = None) -> Array:
    """Maxima over the points of root fillets of :func:`von_mises` and :func:`largest_principal`, in one pass.

    Parameters
    ----------
    stress : shape (n, slots, sides, n_points, 6) [Pa]
    highest, lowest : shape (sides, n_points) [Pa]
        Carried on: range of the largest principal stress at each point over samples and slots.
    points : shape (n, slots, sides, n_points, 2) [Pa], optional
        Filled with both measures at every point.

    Returns
    -------
    shape (n, slots, sides, 2) [Pa]
        Largest equivalent stress; principal stress largest by magnitude, with its sign.
    """
    maxima = np.empty((*stress.shape[:3], 2))
    if points is None:
        points = np.empty((0, *stress.shape[1:4], 2))
    _stress_kernels.fillet_maxima(stress, maxima, highest, lowest, points)
    return maxima


def _averaging_weights(model: FEModel) -> Array:
    """Weight of each element at each of its nodes, shape (n_cells, n); the weights at a node sum to one."""
    inverse = np.repeat(1.0 / model.cell_volumes, model.cells.shape[1])
    nodes = model.cells.reshape(-1)
    total = np.bincount(nodes, inverse, minlength=model.n_nodes)
    weights: Array = (inverse / total[nodes]).reshape(model.cells.shape)
    return weights
