"""Upwinded fluxes and monotone tracers: order, bounds, conservation."""

from math import erf

import numpy as np
import pytest

from halcyon import atmosphere
from halcyon.base import InputError
from tests.atmosphere import atmosphere_states, tracer_flows
from tests.support import meshes

LEVELS = 7  # not a multiple of the SIMD width


def tracer_mass(mesh, mass, q):
    """The mass of tracer q (cell, level) [kg]."""
    return (np.asarray(mesh.area_cell)[:, None] * mass * q).sum()


def second_derivatives(level):
    """Relative errors of second derivatives on G<level>: of the sum and of the difference of (d^2/12) d2q/dn2
    in the two cells of each edge, n being the direction across the edge and d the distance of the cells; the
    former with the error of the shift of q to the middle of the edge.

    The field is quadratic, q = p.A p at points p; its second derivative along n at p is 2 n.A n - 2 p.A p."""
    mesh = meshes.globe(level)
    form = np.array([[1, 0.3, 0.5], [0.3, -0.4, 0.7], [0.5, 0.7, 0.2]])
    ends = np.asarray(mesh.cells_on_edge)
    points, spacing = tracer_flows.points(mesh), np.asarray(mesh.dc_edge)

    def value(p):
        return np.einsum("ia,ab,ib->i", p, form, p)

    def exact(side):
        point, chord = points[ends[:, side]], points[ends[:, 1 - side]] - points[ends[:, side]]
        normal = chord - (chord * point).sum(1)[:, None] * point
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        return spacing**2 / 6 * (value(normal) - value(point))

    transport = tracer_flows.TracerTransport(mesh, scheme={"upwinding": 1.0}).core
    q, flux = tracer_flows.column(value(points)), np.ones((mesh.n_edges, 1))
    forward, backward = transport.edge_values(flux, q), transport.edge_values(-flux, q)
    corners = np.asarray(mesh.vertex_points)[np.asarray(mesh.vertices_on_edge)]
    middles = [sum(pair) / np.linalg.norm(sum(pair), axis=1)[:, None]
               for pair in (corners.transpose(1, 0, 2), points[ends].transpose(1, 0, 2))]  # fmt: skip
    at_middle = q[:, 0][ends].mean(axis=1) + value(middles[0]) - value(middles[1])  # of the edge
    computed = at_middle - (forward + backward) / 2, (forward - backward) / 2
    expected = exact(0) + exact(1), exact(1) - exact(0)
    return [np.linalg.norm(c - e) / np.linalg.norm(e) for c, e in zip(computed, expected, strict=True)]


def test_second_derivatives_converge():
    """Their sum converges at second order; their difference, which itself decreases faster, at first
    order."""
    coarse, fine = second_derivatives(4), second_derivatives(5)
    assert fine[0] < 7e-4 and fine[1] < 4e-3
    assert np.log2(coarse[0] / fine[0]) > 1.8
    assert np.log2(coarse[1] / fine[1]) > 1.0


def hill(mesh, centre):
    """A smooth hill (cell) around a point of the unit sphere."""
    return np.exp(-8 * (1 - np.cos(tracer_flows.distance(mesh, centre))))


def test_a_smooth_field_is_carried_by_nearly_the_third_order():
    """After a quarter of a revolution the error falls by more than 2^2.2 from G4 to G5."""
    errors = []
    for level, step_s in ((4, 3600), (5, 1800)):
        mesh = meshes.globe(level)
        axis = np.array([np.sin(0.7), 0, np.cos(0.7)])
        end = np.cross(axis, [0, -1, 0])  # centre after a quarter of a revolution
        q = tracer_flows.rotated(mesh, hill(mesh, (0, -1, 0)), 3, step_s, monotone=False)
        errors.append(meshes.norms(mesh, q, hill(mesh, end))[1])
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) > 2.2


def test_a_slotted_box_keeps_its_bounds_and_its_mass():
    """After half a revolution limited transport has kept bounds and mass; unlimited transport exceeds the
    bounds."""
    mesh = meshes.globe(4)
    disc, area = tracer_flows.slotted_disc(mesh), np.asarray(mesh.area_cell)
    limited = tracer_flows.rotated(mesh, disc, 6, 3600)
    assert limited.min() >= 0.1 - 1e-13 and limited.max() <= 1 + 1e-13
    assert (area * limited).sum() == pytest.approx((area * disc).sum(), rel=1e-13)
    assert limited.max() > 0.9
    unlimited = tracer_flows.rotated(mesh, disc, 6, 3600, monotone=False)
    assert unlimited.min() < 0.05 and unlimited.max() > 1.02


def test_limits_spare_what_is_smooth():
    """A bell after half a revolution: the limiter keeps the error far below that of upwind fluxes."""
    mesh = meshes.globe(4)
    bell = np.maximum(0, np.cos(1.5 * tracer_flows.distance(mesh)))
    exact = np.maximum(0, np.cos(1.5 * tracer_flows.distance(mesh, (0, 1, 0))))
    assert meshes.norms(mesh, tracer_flows.rotated(mesh, bell, 6, 3600), exact)[1] < 0.03


@pytest.mark.parametrize("levels", [1, 2, 3, LEVELS])
@pytest.mark.parametrize("monotone", [True, False])
def test_a_constant_stays_to_the_bit(levels, monotone):
    """Any flow with changing layer masses leaves a constant tracer as it is."""
    mesh = meshes.globe(3)
    flow = tracer_flows.Flow(mesh, levels)
    transport = tracer_flows.TracerTransport(mesh, levels=levels, scheme={"monotone": monotone})
    transport.set(np.full((mesh.n_cells, levels), 0.1))
    for _ in range(20):
        transport.step(3600.0, *flow.step(3600.0))
    assert np.ptp(flow.mass) > 100
    assert (transport.values() == 0.1).all()


@pytest.mark.parametrize("monotone", [True, False])
def test_a_circulation_keeps_what_it_carries(monotone):
    """Ten days of an oscillating overturning circulation with varying layer mass: conservation and, if
    limited, bounds."""
    mesh = meshes.globe(3)
    flow = tracer_flows.Flow(mesh, LEVELS)
    transport = tracer_flows.TracerTransport(mesh, levels=LEVELS, tracers=2, scheme={"monotone": monotone})
    step_s = 7200.0
    values = np.repeat(tracer_flows.slotted_disc(mesh)[:, None], LEVELS, axis=1)
    values[:, LEVELS // 2 :] = 0.1
    transport.set(values, 0)
    transport.set(1 - values, 1)
    before = [tracer_mass(mesh, flow.mass, q) for q in (values, 1 - values)]
    for n in range(120):
        transport.step(step_s, *flow.step(step_s, np.cos(2 * np.pi * (n + 0.5) / 24)))
    after = [transport.values(tracer) for tracer in (0, 1)]
    for initial, q in zip(before, after, strict=True):
        assert tracer_mass(mesh, flow.mass, q) == pytest.approx(initial, rel=1e-12)
    assert after[0][:, LEVELS // 2 :].max() > 0.2  # the tracer was transported downwards
    overshoot = max(0.1 - after[0].min(), after[0].max() - 1, -after[1].min(), after[1].max() - 0.9)
    assert overshoot < 1e-13 if monotone else overshoot > 1e-3


def column_error(levels, order):
    """Relative error of a tracer in columns at rest with moving interfaces. The exact solution is the
    means of the unchanged profile over the new layers."""
    mesh, column_mass = meshes.globe(2), 1e5
    initial_interfaces = np.linspace(0, column_mass, levels + 1)

    def on_all_cells(values):
        return np.tile(values, (mesh.n_cells, 1))

    def interfaces(angle):
        return initial_interfaces + 0.12 * column_mass * np.sin(
            np.pi * initial_interfaces / column_mass
        ) * np.sin(angle)

    def means(ends):
        integral = [column_mass * erf((x / column_mass - 0.4) / 0.15) for x in ends]
        return np.diff(integral) / np.diff(ends)

    transport = tracer_flows.TracerTransport(
        mesh, levels=levels, scheme={"transport_order": order, "monotone": False}
    )
    transport.set(on_all_cells(means(initial_interfaces)))
    no_flux, step_s = np.zeros((mesh.n_edges, levels)), tracer_flows.DAY_S / levels
    for n in range(levels):
        old, new = (interfaces(np.pi / 2 * (n + part) / levels) for part in (0, 1))
        transport.step(
            step_s,
            no_flux,
            on_all_cells((old - new) / step_s),
            on_all_cells(np.diff(old)),
            on_all_cells(np.diff(new)),
        )
    computed, exact = transport.values()[0], means(new)
    assert np.linalg.norm(means(initial_interfaces) - exact) > 0.5 * np.linalg.norm(
        exact
    )  # the interfaces moved
    return np.linalg.norm(computed - exact) / np.linalg.norm(exact)


@pytest.mark.parametrize(("order", "largest_error", "least_order"), [(2, 0.024, 1.8), (3, 0.007, 2.5)])
def test_interfaces_that_move_carry_by_their_order(order, largest_error, least_order):
    """The error with 32 levels is bounded, and falls from 16 levels by at least the order given."""
    coarse, fine = column_error(16, order), column_error(32, order)
    assert fine < largest_error
    assert np.log2(coarse / fine) > least_order


def layer_means(power, n):
    """Means of x^power in layers of thickness 1 from 0 (level)."""
    ends = np.arange(n + 1.0) ** (power + 1) / (power + 1)
    return np.diff(ends)


def test_interfaces_are_met_by_the_third_order_and_without_upwinding_the_fourth():
    """Values at inner interfaces are exact for x^2; their mean over both directions of the flux for x^3."""
    n, inner = 9, slice(2, -2)
    x, down = np.arange(n + 1.0), np.ones(n + 1)
    for flux in (down, -down):
        values = atmosphere.interface_values(3, layer_means(2, n), flux)
        assert values[inner] == pytest.approx(x[inner] ** 2, rel=1e-13)
    downward, upward = (atmosphere.interface_values(3, layer_means(3, n), flux) for flux in (down, -down))
    assert ((downward + upward) / 2)[inner] == pytest.approx(x[inner] ** 3, rel=1e-13)
    assert (downward < upward)[inner].all() or (downward > upward)[inner].all()


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_interfaces_beside_the_ends_have_means(n):
    """The two interfaces at each end of a column have second-order values."""
    q, flux = np.cos(np.arange(n) ** 2.0), np.ones(n + 1)
    means = np.concatenate([q[:1], (q[1:] + q[:-1]) / 2, q[-1:]])
    assert atmosphere.interface_values(2, q, flux).tolist() == means.tolist()
    values = atmosphere.interface_values(3, q, flux)
    for k in {0, 1, n - 1, n}:
        assert values[k] == means[k]


def test_arrays_of_another_shape_are_refused():
    mesh = meshes.globe(3)
    transport = tracer_flows.TracerTransport(mesh, levels=2).core
    edges, cells = np.ones((mesh.n_edges, 2)), np.ones((mesh.n_cells, 2))
    with pytest.raises(
        InputError, match=r"vertical_flux has the shape \(642, 2\), and should have \(642, 3\)"
    ):
        transport.step(1.0, edges, cells, cells, cells)


def test_limits_need_a_third_halo_layer():
    """Monotone transport needs three halo layers, other transport two."""
    with pytest.raises(Exception, match="have 2 halo layers, and need 3"):
        tracer_flows.TracerTransport(meshes.globe(3), layers=2)
    tracer_flows.TracerTransport(meshes.globe(3), layers=2, scheme={"monotone": False})


def test_a_bell_comes_around():
    """Case 1 of Williamson et al. (1992), a whole revolution: errors of third-order and of centred fluxes."""
    mesh = meshes.globe(4)
    errors = []
    for scheme in ({}, {"transport_order": 2}):
        core = meshes.core(mesh, start="cosine_bell", scheme=scheme)
        before, mass = core.products(["thickness"])["thickness"], core.integrals()[0]
        for _ in range(12 * 24):
            core.step(3600.0)
        assert core.integrals()[0] == pytest.approx(mass, rel=1e-14)
        errors.append(meshes.norms(mesh, core.products(["thickness"])["thickness"], before)[1])
    assert errors[0] < 0.33 and errors[1] > 0.9


def test_second_order_holds_no_second_derivatives():
    """The third order stores three second derivatives per cell and level, for potential temperature and for
    each tracer; the second order none."""
    mesh, count = meshes.globe(3), 8
    second, third = (
        atmosphere_states.core(
            mesh,
            "hydrostatic",
            start="baroclinic_wave",
            count=count,
            tracers=["passive_tracer"],
            layers=3,
            scheme={"transport_order": order},
        ).memory_bytes
        for order in (2, 3)
    )
    assert third - second >= 2 * 3 * 8 * count * mesh.n_cells
