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
    return (np.asarray(mesh.area_cell)[:, None] * mass * q).sum()


def second_derivatives(level):
    """Relative errors of the sum and the difference of (d^2/12) d^2 q/dn^2 in both cells of an edge, for a
    quadratic q = p.A p, whose second derivative along n at p is 2 n.A n - 2 p.A p."""
    mesh = meshes.globe(level)
    form = np.array([[1, 0.3, 0.5], [0.3, -0.4, 0.7], [0.5, 0.7, 0.2]])
    ends = np.asarray(mesh.cells_on_edge)
    at, spacing = tracer_flows.points(mesh), np.asarray(mesh.dc_edge)

    def value(p):
        return np.einsum("ia,ab,ib->i", p, form, p)

    def exact(side):
        here, chord = at[ends[:, side]], at[ends[:, 1 - side]] - at[ends[:, side]]
        normal = chord - (chord * here).sum(1)[:, None] * here
        normal /= np.linalg.norm(normal, axis=1)[:, None]
        return spacing**2 / 6 * (value(normal) - value(here))

    transport = tracer_flows.TracerTransport(mesh, scheme={"upwinding": 1.0}).core
    q, along = tracer_flows.column(value(at)), np.ones((mesh.n_edges, 1))
    forward, backward = transport.edge_values(along, q), transport.edge_values(-along, q)
    found = q[:, 0][ends].mean(axis=1) - (forward + backward) / 2, (forward - backward) / 2
    expected = exact(0) + exact(1), exact(1) - exact(0)
    return [np.linalg.norm(f - e) / np.linalg.norm(e) for f, e in zip(found, expected, strict=True)]


def test_second_derivatives_converge():
    """Second order of their sum, first order of their difference, whose magnitude decreases faster."""
    coarse, fine = second_derivatives(4), second_derivatives(5)
    assert fine[0] < 6e-4 and fine[1] < 4e-3
    assert np.log2(coarse[0] / fine[0]) > 1.9
    assert np.log2(coarse[1] / fine[1]) > 1.0


def hill(mesh, centre):
    return np.exp(-8 * (1 - np.cos(tracer_flows.distance(mesh, centre))))


def test_a_smooth_field_is_carried_by_nearly_the_third_order():
    found = []
    for level, step_s in ((4, 3600), (5, 1800)):
        mesh = meshes.globe(level)
        axis = np.array([np.sin(0.7), 0, np.cos(0.7)])
        after = np.cross(axis, [0, -1, 0])  # after a quarter revolution
        q = tracer_flows.rotated(mesh, hill(mesh, (0, -1, 0)), 3, step_s, monotone=False)
        found.append(meshes.norms(mesh, q, hill(mesh, after))[1])
    assert found[1] < 2e-3
    assert np.log2(found[0] / found[1]) > 2.2


def test_a_slotted_box_keeps_its_bounds_and_its_mass():
    mesh = meshes.globe(4)
    box, area = tracer_flows.slotted_disc(mesh), np.asarray(mesh.area_cell)
    limited = tracer_flows.rotated(mesh, box, 6, 3600)
    assert limited.min() >= 0.1 - 1e-13 and limited.max() <= 1 + 1e-13
    assert (area * limited).sum() == pytest.approx((area * box).sum(), rel=1e-13)
    assert limited.max() > 0.9
    free = tracer_flows.rotated(mesh, box, 6, 3600, monotone=False)
    assert free.min() < 0.05 and free.max() > 1.02


def test_limits_spare_what_is_smooth():
    """A bell after half a revolution: the limiter keeps the error far below that of upwind fluxes."""
    mesh = meshes.globe(4)
    bell = np.maximum(0, np.cos(1.5 * tracer_flows.distance(mesh)))
    exact = np.maximum(0, np.cos(1.5 * tracer_flows.distance(mesh, (0, 1, 0))))
    assert meshes.norms(mesh, tracer_flows.rotated(mesh, bell, 6, 3600), exact)[1] < 0.03


@pytest.mark.parametrize("levels", [1, 2, 3, LEVELS])
@pytest.mark.parametrize("monotone", [True, False])
def test_a_constant_stays_to_the_bit(levels, monotone):
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
    before = [tracer_mass(mesh, flow.mass, each) for each in (values, 1 - values)]
    for n in range(120):
        transport.step(step_s, *flow.step(step_s, np.cos(2 * np.pi * (n + 0.5) / 24)))
    after = [transport.values(tracer) for tracer in (0, 1)]
    for initial, q in zip(before, after, strict=True):
        assert tracer_mass(mesh, flow.mass, q) == pytest.approx(initial, rel=1e-12)
    assert after[0][:, LEVELS // 2 :].max() > 0.2  # the tracer was transported downwards
    overshoot = max(0.1 - after[0].min(), after[0].max() - 1, -after[1].min(), after[1].max() - 0.9)
    assert overshoot < 1e-13 if monotone else overshoot > 1e-3


def column_error(levels, order):
    """Relative error in a column at rest with moving interfaces: the exact solution is the layer means of the
    same profile between the new interfaces."""
    mesh, whole = meshes.globe(2), 1e5
    initial_interfaces = np.linspace(0, whole, levels + 1)

    def spread(values):
        return np.tile(values, (mesh.n_cells, 1))

    def interfaces(angle):
        return initial_interfaces + 0.12 * whole * np.sin(np.pi * initial_interfaces / whole) * np.sin(angle)

    def means(at):
        integral = [whole * erf((x / whole - 0.4) / 0.15) for x in at]
        return np.diff(integral) / np.diff(at)

    transport = tracer_flows.TracerTransport(
        mesh, levels=levels, scheme={"transport_order": order, "monotone": False}
    )
    transport.set(spread(means(initial_interfaces)))
    no_flux, step_s = np.zeros((mesh.n_edges, levels)), tracer_flows.DAY_S / levels
    for n in range(levels):
        old, new = (interfaces(np.pi / 2 * (n + part) / levels) for part in (0, 1))
        transport.step(
            step_s, no_flux, spread((old - new) / step_s), spread(np.diff(old)), spread(np.diff(new))
        )
    found, exact = transport.values()[0], means(new)
    assert np.linalg.norm(means(initial_interfaces) - exact) > 0.5 * np.linalg.norm(
        exact
    )  # the interfaces moved
    return np.linalg.norm(found - exact) / np.linalg.norm(exact)


@pytest.mark.parametrize(("order", "most", "least_order"), [(2, 0.024, 1.8), (3, 0.007, 2.5)])
def test_interfaces_that_move_carry_by_their_order(order, most, least_order):
    coarse, fine = column_error(16, order), column_error(32, order)
    assert fine < most
    assert np.log2(coarse / fine) > least_order


def layer_means(power, n):
    """Means of x^power in layers of thickness 1 from 0 (level)."""
    ends = np.arange(n + 1.0) ** (power + 1) / (power + 1)
    return np.diff(ends)


def test_interfaces_are_met_by_the_third_order_and_without_upwinding_the_fourth():
    n, inner = 9, slice(2, -2)
    at, down = np.arange(n + 1.0), np.ones(n + 1)
    for flux in (down, -down):
        found = atmosphere.interface_values(3, layer_means(2, n), flux)
        assert found[inner] == pytest.approx(at[inner] ** 2, rel=1e-13)
    forth, back = (atmosphere.interface_values(3, layer_means(3, n), flux) for flux in (down, -down))
    assert ((forth + back) / 2)[inner] == pytest.approx(at[inner] ** 3, rel=1e-13)
    assert (forth < back)[inner].all() or (forth > back)[inner].all()


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_interfaces_beside_the_ends_have_means(n):
    q, flux = np.cos(np.arange(n) ** 2.0), np.ones(n + 1)
    means = np.concatenate([q[:1], (q[1:] + q[:-1]) / 2, q[-1:]])
    assert atmosphere.interface_values(2, q, flux).tolist() == means.tolist()
    found = atmosphere.interface_values(3, q, flux)
    for k in {0, 1, n - 1, n}:
        assert found[k] == means[k]


def test_arrays_of_another_shape_are_refused():
    mesh = meshes.globe(3)
    transport = tracer_flows.TracerTransport(mesh, levels=2).core
    edges, cells = np.ones((mesh.n_edges, 2)), np.ones((mesh.n_cells, 2))
    with pytest.raises(
        InputError, match=r"vertical_flux has the shape \(642, 2\), and should have \(642, 3\)"
    ):
        transport.step(1.0, edges, cells, cells, cells)


def test_limits_need_a_third_halo_layer():
    with pytest.raises(Exception, match="have 2 halo layers, and need 3"):
        tracer_flows.TracerTransport(meshes.globe(3), layers=2)
    tracer_flows.TracerTransport(meshes.globe(3), layers=2, scheme={"monotone": False})


def test_a_bell_comes_around():
    """Case 1 of Williamson et al. (1992) with third-order and with centred fluxes."""
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
    """Three second derivatives per cell and level, for potential temperature and for tracers."""
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
