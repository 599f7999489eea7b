"""Transforms on a doubly periodic plane against closed forms, numpy's transforms, round trips and Parseval's
theorem."""

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.transform import Bifourier, Plane
from tests.transform.coefficients import random_waves, relative_error

LENGTHS = {"length_x": 4.0e6, "length_y": 2.5e6}
CASES = {  # plane, truncation (M, N) and shape of the kept waves
    "linear": (Plane(64, 48, **LENGTHS), (31, 23), "ellipse"),
    "quadratic": (Plane(60, 90, **LENGTHS), (19, 29), "ellipse"),
    "rectangle": (Plane(64, 48, **LENGTHS), (31, 23), "rectangle"),
    "odd": (Plane(45, 27, **LENGTHS), (22, 13), "rectangle"),
    "primes": (Plane(53, 37, **LENGTHS), (20, 11), "ellipse"),
    "rows": (Plane(32, 1, **LENGTHS), (15, 0), "ellipse"),
    "columns": (Plane(1, 32, **LENGTHS), (0, 15), "ellipse"),
    "point": (Plane(1, 1, **LENGTHS), 0, "ellipse"),
}


@pytest.fixture(scope="module", params=CASES)
def transform(request):
    plane, truncation, shape = CASES[request.param]
    transform = Bifourier(plane, truncation, shape=shape, group=3)
    transform.kind = shape
    return transform


def fractions(plane):
    """x (point,) and y (row, 1) of the points, as fractions of the plane's lengths."""
    return np.arange(plane.nx) / plane.nx, np.arange(plane.ny)[:, None] / plane.ny


def test_single_waves(transform):
    """Values and coefficients of one wave c exp(2 pi i (m x + n y)) against its closed form."""
    plane = transform.grid
    rng = np.random.default_rng(3)
    for i in rng.permutation(transform.n_coefficients)[:20]:
        m, n = int(transform.m[i]), int(transform.n[i])
        coefficients = np.zeros(transform.n_coefficients, complex)
        coefficients[i] = 0.6 + 0.8j if (m, n) != (0, 0) else 0.6
        if m == 0:
            coefficients[(transform.m == 0) & (transform.n == -n)] = coefficients[i].conj()
        cycles_x = (m * np.arange(plane.nx)) % plane.nx / plane.nx
        cycles_y = (n * np.arange(plane.ny)) % plane.ny / plane.ny
        phase = 2 * np.pi * (cycles_x + cycles_y[:, None])
        exact = (2 if (m, n) != (0, 0) else 1) * (
            coefficients[i].real * np.cos(phase) - coefficients[i].imag * np.sin(phase)
        )
        values = transform.synthesis(coefficients)
        assert np.abs(values - exact).max() < 1e-14
        assert np.abs(transform.analysis(values) - coefficients).max() < 1e-15


def test_coefficients_are_those_of_numpy(transform):
    plane = transform.grid
    values = np.random.default_rng(1).normal(size=(5, *plane.shape))
    expected = np.fft.rfft2(values) / plane.n_points
    assert np.abs(transform.analysis(values) - expected[:, transform.n, transform.m]).max() < 1e-15


def test_values_are_those_of_numpy(transform):
    plane = transform.grid
    coefficients = random_waves(transform, 4)
    all_waves = np.zeros((4, plane.ny, plane.nx // 2 + 1), complex)
    all_waves[:, transform.n, transform.m] = coefficients
    expected = np.fft.irfft2(all_waves, s=plane.shape) * plane.n_points
    assert relative_error(transform.synthesis(coefficients), expected) < 1e-15


def test_round_trips(transform):
    coefficients = random_waves(transform, 2, 4)
    values = transform.synthesis(coefficients)
    assert values.shape == (2, 4, *transform.grid.shape)
    assert relative_error(transform.analysis(values), coefficients) < 2e-15


def test_parseval(transform):
    """The mean square of the values is the sum of squared coefficients, and the mean is that of (0, 0)."""
    coefficients = random_waves(transform, 3)
    values = transform.synthesis(coefficients)
    squares = (np.abs(coefficients) ** 2 * np.where(transform.m == 0, 1, 2)).sum(axis=-1)
    assert (values**2).mean(axis=(1, 2)) == pytest.approx(squares, rel=1e-14)
    assert values.mean(axis=(1, 2)) == pytest.approx(
        coefficients[:, (transform.m == 0) & (transform.n == 0)].real[:, 0], abs=1e-14
    )


def test_which_waves_are_kept(transform):
    """The kept waves are m = 0..M, n = -N..N, for an ellipse with (m/M)^2 + (n/N)^2 <= 1."""
    max_m, max_n = transform.truncation
    m, n = np.meshgrid(np.arange(max_m + 1), np.arange(-max_n, max_n + 1), indexing="ij")
    inside = np.full(m.shape, True)
    if transform.kind == "ellipse" and min(transform.truncation) > 0:
        inside = (m / max_m) ** 2 + (n / max_n) ** 2 <= 1 + 1e-12
    assert np.array_equal(transform.m, m[inside]) and np.array_equal(transform.n, n[inside])


def test_derivatives_of_plane_waves(transform):
    """For f = sin(k x + l y + c): f_x = k cos(...), f_y = l cos(...), Laplacian -(k^2 + l^2) f."""
    plane = transform.grid
    x, y = fractions(plane)
    largest_wavenumber = (
        2 * np.pi * np.hypot(transform.m / plane.length_x, transform.n / plane.length_y).max()
    )
    for m, n in {(1, 2), (3, -5), (0, 4), (7, 0), (10, 8)}:
        if not ((transform.m == m) & (transform.n == n)).any():
            continue
        k, l = 2 * np.pi * m / plane.length_x, 2 * np.pi * n / plane.length_y  # noqa: E741
        phase = 2 * np.pi * (m * x + n * y) + 0.3
        coefficients = transform.analysis(np.sin(phase))
        scale = np.hypot(k, l)
        x_derivative = transform.synthesis(transform.x_derivative(coefficients))
        y_derivative = transform.synthesis(transform.y_derivative(coefficients))
        laplacian = transform.laplacian(coefficients)
        assert np.abs(x_derivative - k * np.cos(phase)).max() < 1e-13 * scale
        assert np.abs(y_derivative - l * np.cos(phase)).max() < 1e-13 * scale
        error = np.abs(transform.synthesis(laplacian) + scale**2 * np.sin(phase)).max()
        assert (
            error < 1e-13 * scale**2 + 1e-15 * largest_wavenumber**2
        )  # rounding errors of sin() project onto all waves
        assert np.abs(transform.inverse_laplacian(laplacian) - coefficients).max() < 1e-15


def test_the_laplacian_is_the_divergence_of_the_gradient(transform):
    coefficients = random_waves(transform, 3)
    x, y = transform.x_derivative(coefficients), transform.y_derivative(coefficients)
    divergence = transform.x_derivative(x) + transform.y_derivative(y)
    laplacian = transform.laplacian(coefficients)
    assert np.abs(divergence - laplacian).max() <= 1e-15 * np.abs(laplacian).max()
    back = transform.inverse_laplacian(laplacian)
    mean = (transform.m == 0) & (transform.n == 0)
    assert np.abs(back - coefficients)[:, ~mean].max(initial=0) < 1e-15 and not back[:, mean].any()
    assert not transform.inverse_laplacian(np.ones(transform.n_coefficients))[mean].any()


def test_a_fields_bits_depend_on_no_other(transform):
    coefficients = random_waves(transform, 7)
    values = transform.synthesis(coefficients)
    back = transform.analysis(values)
    for group in (1, 2, 7, 16):
        batched = Bifourier(transform.grid, transform.truncation, shape=transform.kind, group=group)
        assert np.array_equal(batched.synthesis(coefficients), values)
        assert np.array_equal(batched.analysis(values), back)
        assert np.array_equal(batched.synthesis(coefficients[5]), values[5])
        assert np.array_equal(batched.analysis(values[2]), back[2])


def test_wherever_arrays_lie(transform):
    """Bits do not depend on the address or the memory order of arrays."""
    coefficients = random_waves(transform, 2)
    values = transform.synthesis(coefficients)
    back = transform.analysis(values)
    memory = np.empty(values.size + 8)
    for shift in range(4):
        moved = memory[shift : shift + values.size].reshape(values.shape)
        assert np.array_equal(transform.synthesis(coefficients, out=moved), values)
        assert np.array_equal(transform.analysis(moved), back)
    assert np.array_equal(transform.analysis(np.asfortranarray(values)), back)


def test_what_is_not_of_a_real_field_is_left_out():
    transform = Bifourier(Plane(12, 10, **LENGTHS), (4, 4), shape="rectangle")
    coefficients = np.zeros(transform.n_coefficients, complex)
    # n = -2 lacks the conjugate coefficient, which a real field has
    coefficients[(transform.m == 0) & (transform.n == 2)] = 1
    back = transform.analysis(transform.synthesis(coefficients))
    assert back[(transform.m == 0) & (np.abs(transform.n) == 2)] == pytest.approx([0.5, 0.5], abs=1e-15)


def test_places_of_points():
    plane = Plane(4, 5, length_x=8, length_y=10)
    share = Bifourier(plane, (1, 2)).share
    assert plane.x.tolist() == [0, 2, 4, 6] and plane.y.tolist() == [0, 2, 4, 6, 8]
    assert np.array_equal(share.x.reshape(5, 4), np.tile(plane.x, (5, 1)))
    assert np.array_equal(share.y.reshape(5, 4)[:, 0], plane.y)


def test_mistakes_are_told():
    plane = Plane(12, 10, **LENGTHS)
    with pytest.raises(
        ConfigError, match=r"12 x 10 values cannot hold the truncation 6 x 3. Give 13 x 7 .*5 x 4"
    ):
        Bifourier(plane, (6, 3))
    with pytest.raises(ConfigError, match=r"truncation -1 x 3 was asked for. Give 0 or more"):
        Bifourier(plane, (-1, 3))
    with pytest.raises(ConfigError, match=r"truncation is 2.5. Give a whole number"):
        Bifourier(plane, 2.5)
    with pytest.raises(ConfigError, match=r"truncation is \(1, 2, 3\). Give two whole numbers: \(M, N\)"):
        Bifourier(plane, (1, 2, 3))
    with pytest.raises(ConfigError, match=r"shape is 3. Give one of the names"):
        Bifourier(plane, 3, shape=3)
    with pytest.raises(ConfigError, match=r"plane is 12. Give a Plane"):
        Bifourier(12, 3)
    with pytest.raises(ConfigError, match=r"nx is 8.5. Give a whole number"):
        Plane(8.5, 8, **LENGTHS)
    with pytest.raises(ConfigError, match=r"length_x is 'long'. Give a number"):
        Plane(8, 8, length_x="long", length_y=1)
    with pytest.raises(ConfigError, match=r"inf m x 1 m was asked for. Give more than 0 m"):
        Bifourier(Plane(12, 10, length_x=np.inf, length_y=1), 3)
    with pytest.raises(ConfigError, match=r"is 'circle'. Use ellipse or rectangle"):
        Bifourier(plane, 3, shape="circle")
    with pytest.raises(ConfigError, match=r"0 x 10 values was asked for. Give 1 or more"):
        Bifourier(Plane(0, 10, **LENGTHS), 0)
    with pytest.raises(ConfigError, match="Give more than 0 m"):
        Bifourier(Plane(12, 10, length_x=-1, length_y=1), 3)
    with pytest.raises(ConfigError, match="group is 0, the number of fields that are computed together"):
        Bifourier(plane, 3, group=0)
    with pytest.raises(ConfigError, match="Give comm, too"):
        Bifourier(plane, 3, sets=(2, 1))
    transform = Bifourier(plane, 4)
    with pytest.raises(
        InputError, match=r"values has the shape \(12, 10\). A field on this plane is \(10, 12\)"
    ):
        transform.analysis(np.zeros((12, 10)))
    with pytest.raises(
        InputError, match=r"shape \(2, 7\). The truncation \(4, 4\) has 29 coefficients: give"
    ):
        transform.synthesis(np.zeros((2, 7)))
    with pytest.raises(InputError, match="29 coefficients"):
        transform.laplacian(np.zeros(3))
    with pytest.raises(InputError, match="values is of complex128"):
        transform.analysis(np.zeros((10, 12), complex))
    with pytest.raises(InputError, match="Give a contiguous array"):
        transform.synthesis(np.zeros(29), out=np.zeros((10, 11)))
    with pytest.raises(ConfigError, match="One rank exchanges nothing"):
        transform.schedule("synthesis", 3)
