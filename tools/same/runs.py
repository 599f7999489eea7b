"""The cases of tools/same_results: short runs of the models with public options only.

RUNS maps a name to (ranks, base case, changed options by dotted key). In paths, `{old}` is the folder of
--from and `{work}` the folder of the runs. Runs with fewer ranks run first: a run may read their files, and
those of earlier runs with the same number of ranks.
"""

import copy

METHODS = "isend_recv isend_irecv persistent neighbor ineighbor alltoallv ialltoallv shared".split()  # noqa: SIM905
SPAN = {"start": "2022-09-01T00:00", "end": "2022-09-01T03:00"}
WAVE = {
    "model": "wave",
    "mesh": {
        "file": "{work}/sea.nc",
        "spectrum": {"frequencies": 12, "first_frequency": 0.045, "ratio": 1.15},
    },
    "time": SPAN | {"source_step": 1800},
    "forcing": {"wind": {"track": "{work}/track.csv"}},
    "physics": {"set": "wam3"},
    "initial": {"type": "fetch_law", "fetch": 200000},
    "output": {
        "interval": 3600,
        "segment": 7200,
        "pictures": False,
        "stations": [
            {"name": "West", "longitude": 120, "latitude": 25},
            {"name": "East", "longitude": 150, "latitude": 22},
        ],
    },
    "restart": {"interval": 3600, "keep": 3},
}
AIR = {
    "model": "atmosphere",
    "mesh": {"level": 2},
    "equations": {"set": "hydrostatic"},
    "levels": {"count": 6, "top": 5000},
    "time": SPAN,
    "initial": {"type": "baroclinic_wave"},
    "output": {"interval": 5400, "pictures": False},
    "restart": {"interval": 5400, "keep": 3},
}
SHALLOW = {key: AIR[key] for key in ("model", "mesh", "time", "output", "restart")} | {
    "equations": {"set": "shallow_water"},
    "initial": {"type": "barotropic_jet"},
}
SPECTRAL = SHALLOW | {"model": "spectral", "mesh": {"truncation": 21}}
BASES = {"wave": WAVE, "air": AIR, "shallow": SHALLOW, "spectral": SPECTRAL}
PRODUCTS = (
    "significant_height expected_maximum_height steepness mean_period mean_period_01 mean_period_02 "
    "peak_period mean_direction peak_direction spreading peak_spreading eastward_stokes_drift "
    "northward_stokes_drift eastward_energy_flux northward_energy_flux wind_sea_height "
    "wind_sea_period wind_sea_direction swell_height swell_period swell_direction friction_velocity "
    "eastward_stress northward_stress eastward_wind northward_wind"
)
AIR_PRODUCTS = (
    "surface_pressure temperature potential_temperature geopotential_height eastward_wind "
    "northward_wind upward_wind pressure_velocity vorticity divergence kinetic_energy"
)
SHALLOW_PRODUCTS = (
    "height thickness eastward_wind northward_wind vorticity potential_vorticity divergence kinetic_energy"
)
GRIDDED = {"files": "{work}/winds.nc"}
RUNS = {}


def run(name, base, ranks=1, **changes):
    """Adds a run. changes: options; `__` in a key means a dot."""
    RUNS[name] = (ranks, base, {key.replace("__", "."): value for key, value in changes.items()})


def case_of(base, changes, **folders):
    """The case as nested groups, with the changed options, and with the folders inserted in paths."""
    case = copy.deepcopy(BASES[base])
    for key, value in changes.items():
        *group_names, option = key.split(".")
        group = case
        for name in group_names:
            group = group.setdefault(name, {})
        group[option] = value
    return _with_folders(case, folders)


def _with_folders(value, folders):
    if isinstance(value, dict):
        return {key: _with_folders(each, folders) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_folders(each, folders) for each in value]
    return value.format(**folders) if isinstance(value, str) else value


for physics in ("wam3", "wam4", "ard", "fvwam"):
    run(f"wave-{physics}", "wave", physics={"set": physics})
    run(f"wave-{physics}-two", "wave", 2, physics={"set": physics}, mesh__spectrum__directions=24)
for limiter in ("wamdi", "ecmwf", "none"):
    run(
        f"wave-limiter-{limiter}",
        "wave",
        physics={"set": "wam4", "limiter": limiter, "growth": "exponential"},
    )
run("wave-ard-all", "wave", physics={"set": "ard", "cumulative": 0.4, "gustiness": 0.1, "sheltering": 0.5})
run("wave-wam4-komen", "wave", physics={"set": "wam4", "whitecapping_means": "inverse", "stress_passes": 3})
run("wave-wam3-breaking", "wave", physics={"set": "wam3", "breaking": 1, "linear_growth": False})
run("wave-upwind", "wave", 2, equations={"scheme": "upwind"})
run("wave-bands", "wave", 2, time__bands=3, equations={"swell_age": 0})
run("wave-straight", "wave", equations={"refraction": False, "great_circle_turning": False}, time__bands=1)
run(
    "wave-calm", "wave", initial={"type": "calm"}, forcing__wind={"constant": {"speed": 15, "direction": 200}}
)
run("wave-gridded", "wave", 2, forcing__wind=GRIDDED)
run("wave-background", "wave", forcing__wind__background=GRIDDED, forcing__wind__inflow="phadke")
run("wave-noleap", "wave", forcing__wind={"files": "{work}/winds_noleap.nc"})
run("wave-radius", "wave", forcing__wind__radius="willoughby", forcing__wind__asymmetry="none")
run(
    "wave-forced",
    "wave",
    3,
    forcing={
        "wind": {"track": "{work}/track.csv"},
        "ice": {"files": "{work}/ice.nc"},
        "current": {"files": "{work}/currents.nc"},
        "water_level": {"files": "{work}/level.nc"},
    },
    time__strongest_current=2,
)
run("wave-products", "wave", 2, output__variables=PRODUCTS.split(), output__spectra=True)
run("wave-nest", "wave", 2, output__nests=[{"name": "bay", "points": "{work}/points.csv"}])
run("wave-boundary", "wave", 2, boundary={"files": "{work}/wave-nest/nest_bay.nc", "distance": 1500000})
for ranks, method in enumerate(METHODS):
    run(f"wave-{method}", "wave", 2 + ranks % 3, exchange={"method": method, "overlap": ranks % 2 == 0})
run(
    "wave-layers",
    "wave",
    4,
    exchange={"layers": 3, "method": "persistent"},
    partition={"method": "recursive"},
)
run("wave-seed", "wave", 3, partition={"seed": 7})
run("wave-part-file", "wave", 3, partition={"method": "file", "file": "{work}/graph.info.part.3"})
run("wave-io-direct", "wave", 4, io={"layout": "direct"})
run("wave-io-groups", "wave", 4, io={"layout": "groups", "group_size": 2})
run("wave-io-box", "wave", 4, io={"layout": "box", "ranks": 3}, output__spectra=True)
run("wave-io-gather", "wave", 3, io={"layout": "gather", "background": False})
run("wave-compressed", "wave", 2, output__compression=3)
run(
    "wave-restart",
    "wave",
    3,
    initial={"type": "restart", "file": "{work}/wave-wam3/restart_20220901T0100.nc"},
    time__start="2022-09-01T01:00",
)
run("wave-resume", "wave", 3, time__end="2022-09-01T06:00")

for equations in ("hydrostatic", "nonhydrostatic"):
    for bits in (32, 64):
        run(f"air-{equations}-{bits}", "air", 1 + bits // 64, equations={"set": equations, "precision": bits})
    for start in ("resting_mountain", "mountain_waves", "gravity_wave"):
        planet = {"equations__rotation": 0} if start == "mountain_waves" else {}
        run(f"air-{equations}-{start}", "air", equations__set=equations, initial={"type": start}, **planet)
    run(
        f"air-{equations}-held-suarez",
        "air",
        3,
        equations__set=equations,
        physics="held_suarez",
        initial={"type": "held_suarez"},
        levels={"count": 7, "coordinate": "sigma", "spacing": "pressure"},
    )
    run(
        f"air-{equations}-tracers",
        "air",
        2,
        equations={"set": equations, "sponge": {"pressure": 20000, "rate": 1e-5}},
        tracers=["passive_tracer", "constant_tracer"],
        output__variables=AIR_PRODUCTS.split(),
    )
run("air-keep-energy", "air", 2, equations__keep_energy=True, levels__spacing="height")
run("air-pressures", "air", 2, output__vertical={"pressure": [85000, 50000]})
run("air-heights", "air", output__vertical={"height": [1000, 5000]}, exchange__overlap=False)
run(
    "air-restart",
    "air",
    3,
    initial="{work}/air-hydrostatic-64/restart_20220901T013000.nc",
    time__start="2022-09-01T01:30",
)
run(
    "air-from-fields",
    "air",
    2,
    initial="{work}/air-pressures/fields_20220901T0000.nc",
    equations__set="nonhydrostatic",
)
run("air-resume", "air", 2, equations__set="nonhydrostatic", time__end="2022-09-01T06:00")
for ranks, method in enumerate(METHODS):
    run(f"air-{method}", "air", 2 + ranks % 3, exchange={"method": method})
for order in ("natural", "morton", "bfs", "rcm", "grist_hilbert", "grist_morton"):
    run(f"shallow-{order}", "shallow", mesh={"level": 2, "order": order})
for ranks, start in enumerate(
    ("cosine_bell", "solid_rotation", "thin_layer", "mountain", "rossby_haurwitz", "modons")
):
    run(f"shallow-{start}", "shallow", 1 + ranks % 3, initial={"type": start})
run("shallow-products", "shallow", 2, output__variables=SHALLOW_PRODUCTS.split())
run("shallow-32", "shallow", 2, equations={"set": "shallow_water", "precision": 32, "hyperdiffusion": 0.05})
run("shallow-semi-implicit", "shallow", 2, time__scheme="semi_implicit")
run("shallow-points", "shallow", mesh={"points": 200, "tolerance": 1e-3})
run(
    "shallow-zoom",
    "shallow",
    2,
    mesh={"points": 200, "zoom": {"ratio": 2, "transition": 2500000}, "tolerance": 1e-3},
)
run("shallow-stretch", "shallow", mesh={"level": 2, "stretch": {"ratio": 2}})

for level in ("", "@avx2"):
    for equations in ("barotropic", "shallow_water", "primitive"):
        start = {"type": "baroclinic_wave" if equations == "primitive" else "rossby_haurwitz"}
        vertical = {"levels": {"count": 6, "top": 5000}} if equations == "primitive" else {}
        for ranks in (1, 2):
            run(
                f"spectral-{equations}-{ranks}{level}",
                "spectral",
                ranks,
                equations={"set": equations},
                initial=start,
                **vertical,
            )
    for grid in ("reduced", "octahedral"):
        run(f"spectral-{grid}{level}", "spectral", 2, mesh__grid=grid)
for algorithm, progress in (("bruck", "none"), ("ring-1", "poll"), ("ring-4", "thread")):
    run(
        f"spectral-{algorithm}",
        "spectral",
        4,
        exchange={"sets": [2, 2], "algorithm": algorithm, "progress": progress, "groups": 2},
    )
for method in ("persistent", "ineighbor", "alltoallv", "ialltoallv", "shared"):
    run(f"spectral-{method}", "spectral", 3, exchange={"method": method, "sets": [1, 3]})
run("spectral-semi-implicit", "spectral", time__scheme="semi_implicit", initial={"type": "mountain"})
run(
    "spectral-held-suarez",
    "spectral",
    2,
    equations={"set": "primitive"},
    levels={"count": 6, "top": 5000},
    physics="held_suarez",
    initial={"type": "held_suarez"},
)
run("spectral-resume", "spectral", 2, time__end="2022-09-01T12:00")

for equations in ("hydrostatic", "nonhydrostatic"):
    run(f"file-{equations}", "air", 2, mesh={"file": "{work}/g2.nc"}, equations__set=equations)
run("file-shallow", "shallow", mesh={"file": "{work}/g2.nc"})

OLD_SEA = {"mesh__file": "{old}/sea.nc"}
OLD_GLOBE = {"mesh": {"file": "{old}/g2.nc"}, "time__start": "2022-09-01T01:30"}
run("old-mesh", "wave", **OLD_SEA)
run("old-nest", "wave", 2, **OLD_SEA, boundary={"files": "{old}/nest.nc", "distance": 1500000})
run(
    "old-wave",
    "wave",
    2,
    **OLD_SEA,
    initial={"type": "restart", "file": "{old}/wave.nc"},
    time__start="2022-09-01T01:00",
)
for equations in ("hydrostatic", "nonhydrostatic"):
    run(
        f"old-{equations}", "air", 2, **OLD_GLOBE, equations__set=equations, initial=f"{{old}}/{equations}.nc"
    )
run("old-shallow", "shallow", 2, **OLD_GLOBE, initial="{old}/shallow.nc")
run("old-fields", "shallow", mesh={"file": "{old}/g2.nc"}, initial="{old}/fields.nc")
RESUMED = ("wave-resume", "air-resume", "spectral-resume")  # stopped early, then resumed
for name in RESUMED:
    RUNS[f"old-{name}"] = RUNS[name]  # stopped by the version of --from
KEPT = {  # file in the folder of --from: file in the folder of the runs
    "wave.nc": "wave-wam3/restart_20220901T0100.nc",
    "nest.nc": "wave-nest/nest_bay.nc",
    "hydrostatic.nc": "file-hydrostatic/restart_20220901T013000.nc",
    "nonhydrostatic.nc": "file-nonhydrostatic/restart_20220901T013000.nc",
    "shallow.nc": "file-shallow/restart_20220901T013000.nc",
    "fields.nc": "file-shallow/fields_20220901T0000.nc",
    "sea.nc": "sea.nc",
    "g2.nc": "g2.nc",
} | {name: f"{name}.stopped" for name in RESUMED}
