"""Stress at the nodes: recovery, averaging, and the stress as a matrix over the displacements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from alegear.fe import _kernels, _stress_kernels
from alegear.fe.assembly import FEModel
from alegear.fe.material import Material

Array = NDArray[np.float64]

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

    What the grid alone decides is made once. With 27 nodes the gradient at a node, averaged over its elements, is a sum
    over few others, for the node lies on the planes of most: of one element over six besides itself. With eight nodes
    the internal parameters of every element are in between, and the gradients of the shape functions are worked out
    for all fields together. The matrix of the whole grid (:func:`stress_operator`) takes longer to sort than all that,
    unless there are hundreds of fields.

    Parameters
    ----------
    model : FEModel
    share : shape (n_cells, n)
        Of each element in the values at its nodes.
    gradient : (indptr, indices, slopes (nnz, 3) [1/m]) or None
        Mean gradient at each node per values at others, with 27 nodes.
    without_traction : shape (n_free, 6, 6)
        :func:`impose_traction` on the free surface, as matrices; none if there is none.
    """

    model: FEModel
    share: Array
    gradient: tuple[NDArray[np.integer], NDArray[np.integer], Array] | None
    without_traction: Array

    @classmethod
    def of(cls, model: FEModel) -> NodalStress:
        """Make what all fields have in common."""
        share = _averaging_weights(model)
        normals = np.zeros((0, 3)) if model.free_surface is None else model.free_surface.normals
        # the images of the six unit stresses are the columns
        images = np.swapaxes(impose_traction(np.eye(6), normals[:, None, :], model.material), 1, 2)
        gradient = None if model.element.has_internal_modes else _mean_gradient(model, share)
        return cls(model=model, share=share, gradient=gradient, without_traction=np.ascontiguousarray(images))

    def __call__(self, fields: Array) -> Array:
        """Return the stress, shape (n_nodes, 6, m) [Pa], of displacements of shape (n_nodes, 3, m) [m]."""
        model, law = self.model, (self.model.material.lame_lambda, self.model.material.mu)
        stress = np.zeros((model.n_nodes, 6, fields.shape[-1]))
        if self.gradient is None:
            tables = model.element.stress_tables
            _kernels.mean_node_stresses(*tables, model.points, model.cells, *law, self.share, fields, stress)
        else:
            _kernels.stresses_of_gradients(*self.gradient, *law, fields, stress)
        if model.free_surface is not None:
            nodes = model.free_surface.nodes
            stress[nodes] = self.without_traction @ stress[nodes]
        return stress


def _mean_gradient(model: FEModel, share: Array) -> tuple[NDArray[np.integer], NDArray[np.integer], Array]:
    """Gradient at the nodes, averaged over their elements, per values at the nodes: CSR with slopes (nnz, 3) [1/m].

    Of an element that is evaluated at its nodes.
    """
    element, cells = model.element, model.cells
    at, of = np.nonzero(element.recovery_gradients.any(axis=2))
    slopes = np.empty((len(cells), at.size, 3))
    _kernels.weighted_node_gradients(
        element.recovery_internal_gradients,
        element.centre_gradients,
        element.recovery_gradients,
        model.points,
        cells,
        share,
        at,
        of,
        slopes,
    )
    places = cells[:, at].reshape(-1), cells[:, of].reshape(-1)
    shape = (model.n_nodes, model.n_nodes)
    # entries that cancel stay, so that all three have the same places
    x, y, z = (sp.csr_array((slopes[..., i].reshape(-1), places), shape=shape) for i in range(3))
    return x.indptr, x.indices, np.stack([x.data, y.data, z.data], axis=1)


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
    nodes = np.asarray(nodes, dtype=np.int64).reshape(-1)
    wanted, row_of = np.unique(nodes, return_inverse=True)
    place = np.full(model.n_nodes, -1, dtype=np.int64)
    place[wanted] = np.arange(len(wanted))
    cell, local = np.nonzero(place[model.cells] >= 0)
    n_dof_e = 3 * model.cells.shape[1]
    operators = np.empty((len(cell), 6, n_dof_e))
    _kernels.stress_operators(
        *model.element.stress_tables,
        model.points,
        model.cells,
        model.material.lame_lambda,
        model.material.mu,
        cell,
        local,
        operators,
    )
    operators *= _averaging_weights(model)[cell, local][:, None, None]
    rows = 6 * place[model.cells[cell, local]][:, None] + np.arange(6)
    columns = (3 * model.cells[cell][:, :, None] + np.arange(3)).reshape(len(cell), n_dof_e)
    shape = operators.shape
    unique = sp.coo_matrix(
        (
            operators.reshape(-1),
            (
                np.broadcast_to(rows[:, :, None], shape).reshape(-1),
                np.broadcast_to(columns[:, None, :], shape).reshape(-1),
            ),
        ),
        shape=(6 * len(wanted), model.n_dof),
    ).tocsr()
    if model.free_surface is not None:
        unique = (_without_traction(model, wanted) @ unique).tocsr()
    return unique[(6 * row_of[:, None] + np.arange(6)).reshape(-1)]


def _without_traction(model: FEModel, nodes: NDArray[np.int64]) -> sp.bsr_matrix:
    """:func:`impose_traction` on the free ones of some different nodes, as a matrix (6 n, 6 n)."""
    assert model.free_surface is not None
    blocks = np.tile(np.eye(6), (len(nodes), 1, 1))
    _, place, of_surface = np.intersect1d(nodes, model.free_surface.nodes, return_indices=True)
    normals = model.free_surface.normals[of_surface]
    # the images of the six unit stresses are the columns
    blocks[place] = np.swapaxes(impose_traction(np.eye(6), normals[:, None, :], model.material), 1, 2)
    order = np.arange(len(nodes) + 1)
    return sp.bsr_matrix((blocks, order[:-1], order), shape=(6 * len(nodes), 6 * len(nodes)))


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


def element_strain_energy(model: FEModel, u: Array) -> Array:
    """Strain energy of every element, ``1/2 u_e^T K_e u_e``, shape (n_cells,) [J]."""
    u = np.asarray(u, dtype=np.float64).reshape(model.n_nodes, 3)
    n = 3 * model.cells.shape[1]
    stiffness = np.empty((len(model.cells), n, n))
    _kernels.element_stiffnesses(
        *model.element.stiffness_tables,
        model.points,
        model.cells,
        model.material.lame_lambda,
        model.material.mu,
        stiffness,
    )
    u_e = u[model.cells].reshape(len(model.cells), n)
    energy: Array = 0.5 * np.einsum("ei,eij,ej->e", u_e, stiffness, u_e)
    return energy


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


def principal_stresses(stress: Array) -> Array:
    """Principal stresses, ascending.

    Parameters
    ----------
    stress : shape (..., 6) [Pa]

    Returns
    -------
    shape (..., 3) [Pa]
    """
    stress = np.asarray(stress, dtype=np.float64)
    principal: Array = np.asarray(np.linalg.eigvalsh(stress[..., TENSOR]), dtype=np.float64)
    return principal


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
