"""Calls of tools/same_results of transforms, solvers and advection; some also without AVX-512."""

import ctypes
from pathlib import Path

import numpy as np
from same.calls import call

SIMD = ("", "@avx2")


def without_avx512() -> None:
    """Disables AVX-512 in the loaded library: clears its bit in __cpu_model, in which gcc stores the
    processor features.

    The copy in the writable memory of the library is located by comparison with the one in libgcc_s
    (GCC_4.8.0).
    """
    from halcyon import _core

    symbol = ctypes.CDLL(None).dlvsym
    symbol.argtypes, symbol.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p), ctypes.c_void_p
    libgcc = ctypes.CDLL("libgcc_s.so.1")._handle
    ctypes.CFUNCTYPE(ctypes.c_int)(symbol(libgcc, b"__cpu_indicator_init", b"GCC_4.8.0"))()
    model = ctypes.string_at(symbol(libgcc, b"__cpu_model", b"GCC_4.8.0"), 16)
    features = int.from_bytes(model[12:], "little")
    library, n_copies = str(Path(_core.__file__).resolve()), 0
    maps = [line.split() for line in Path("/proc/self/maps").read_text().splitlines()]
    for i, words in enumerate(maps):
        belongs_to_library = words[-1] == library or (
            len(words) < 6 and maps[i - 1][-1] == library
        )  # .bss follows the library
        if not belongs_to_library or not words[1].startswith("rw"):
            continue
        first, last = (int(part, 16) for part in words[0].split("-"))
        memory = ctypes.string_at(first, last - first)
        offset = memory.find(model)
        while offset >= 0:
            ctypes.c_uint32.from_address(first + offset + 12).value = features & ~(1 << 15)
            n_copies += 1
            offset = memory.find(model, offset + 1)
    if not n_copies:
        raise RuntimeError(f"{library} has no __cpu_model")


@call(1, 2)
def krylov(comm):
    from halcyon.krylov import VARIANTS, Helmholtz, solve

    problem = Helmholtz(24, 0.05, comm=comm)
    results = []
    for variant in VARIANTS:
        for preconditioner in (None, problem.jacobi(), problem.zonal_line()):
            solution = solve(
                problem.operator,
                problem.right_side(),
                comm=comm,
                preconditioner=preconditioner,
                tolerance=1e-8,
                variant=variant,
            )
            results += [solution.x, solution.iterations, solution.residual]
    return results


def values_of(n_fields, share, n_rows):
    """Smooth fields at the points of a rank."""
    lat, lon = np.radians(share.latitude), np.radians(share.longitude)
    waves = [
        np.cos(lat) ** (2 + f) * np.cos((f + 1) * lon + f) + 0.1 * f * np.sin(lat) for f in range(n_fields)
    ]
    return np.array(waves)


@call(1, levels=SIMD)
def transform(comm):
    from halcyon.transform import Grid, Transform

    results = []
    for grid, truncation in (
        (Grid.full(32), 21),
        (Grid.full(64), 42),
        (Grid.reduced(64, 42), 42),
        (Grid.octahedral(40), 42),
        (Grid.full(50, 108), 30),
        (Grid.full(192), 127),
    ):
        t = Transform(grid, truncation)
        noise = np.random.default_rng(truncation).normal(
            size=(5, *t.synthesis(np.zeros(len(t.degrees), complex)).shape)
        )
        x = t.analysis(noise)
        u, v = t.winds(x, 1e-3 * x)
        results += [grid.latitude, x, t.synthesis(x), u, v, t.vorticity_divergence(u, v), t.gradient(x)]
        results += [t.analysis(noise[0]), t.laplacian(x), t.inverse_laplacian(x)]
    return results


@call(2, 3, 4, levels=SIMD)
def shared_transform(comm):
    from halcyon.transform import Grid, Transform

    results, noise = [], np.random.default_rng(1).normal(size=(6, 40, 80)) * 1e-5
    pairs = [(v, comm.size // v) for v in (1, 2, 3, 4) if comm.size % v == 0]
    exchanges = [
        ("isend_irecv", "burst", "poll"),
        ("persistent", "bruck", "none"),
        ("ialltoallv", "ring-1", "thread"),
    ]
    for sets in pairs:
        for method, algorithm, progress in exchanges:
            t = Transform(
                Grid.full(40),
                26,
                comm=comm,
                sets=sets,
                groups=2,
                method=method,
                algorithm=algorithm,
                progress=progress,
            )
            x = t.analysis(t.share.scatter_values(noise))
            results += [x, t.synthesis(x, fields=6), t.winds(x, x, fields=6)]
    return results


@call(1, 2, 4, levels=SIMD)
def bifourier(comm):
    from halcyon.transform import Bifourier, Plane

    plane, results = Plane(60, 45, length_x=3.6e6, length_y=2.4e6), []
    for shape in ("ellipse", "rectangle"):
        for sets in [None] if comm.size == 1 else [(1, comm.size), (comm.size, 1), (comm.size // 2, 2)]:
            options = {} if sets is None else {"comm": comm, "sets": sets, "groups": 2}
            t = Bifourier(plane, (19, 14), shape=shape, **options)
            noise = np.random.default_rng(3).normal(size=(4, 45, 60))
            x = t.analysis(noise if sets is None else t.share.scatter_values(noise))
            results += [x, t.synthesis(x), t.x_derivative(x), t.y_derivative(x), t.inverse_laplacian(x)]
    return results


@call(1, 2, 4)
def semi_lagrangian(comm):
    from halcyon.semi_lagrangian import INTERPOLATIONS, Advection, width_for
    from halcyon.transform import Grid

    results = []
    for grid in (Grid.octahedral(16), Grid.full(24)):
        for interpolation in INTERPOLATIONS:
            for options in (
                {"width": width_for(grid, 60, 7200), "groups": 2},
                {"halo": "on_demand", "monotone": True},
            ):
                advection = Advection(comm, grid, levels=2, fields=2, interpolation=interpolation, **options)
                lat = np.radians(np.asarray(advection.latitude))
                u = 30 * np.cos(lat)[:, None] * np.array([1, 1.5])
                x = (
                    np.random.default_rng(2)
                    .normal(size=(100000,))[: int(np.prod(advection.shape))]
                    .reshape(advection.shape)
                )
                y = 2 - x
                advection.step(u, 0.2 * u, 7200, x, y)
                results += [x, y]
    return results
