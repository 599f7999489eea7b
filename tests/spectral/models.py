"""Small spectral models that several tests use."""

from halcyon.atmosphere.levels import interfaces
from halcyon.physics import column_scheme
from halcyon.transform import Grid
from halcyon_validation.spectral_runs import make_model

LEVELS = interfaces(5, 5000.0)  # a [Pa] and b
REDUCED_GRIDS = {"reduced": Grid.reduced(32, 21, points_per_wave=3), "octahedral": Grid.octahedral(22)}
# Equations, start and further options of `make_model`.
MODELS = {
    "barotropic": ("barotropic", "rossby_haurwitz", {}),
    "shallow_water": ("shallow_water", "mountain", {}),
    "semi_implicit": ("shallow_water", "barotropic_jet", {"scheme": "semi_implicit"}),
    "primitive": (
        "primitive",
        "baroclinic_wave",
        {"scheme": "semi_implicit", "levels": LEVELS, "held_suarez": True, "diffusion": (4, 1e4)},
    ),
    "lagrangian_water": ("shallow_water", "mountain", {"scheme": "semi_lagrangian", "halo": "on_demand"}),
    "lagrangian_air": (
        "primitive",
        "baroclinic_wave",
        {
            "scheme": "semi_lagrangian",
            "levels": LEVELS,
            "held_suarez": True,
            "diffusion": (4, 1e4),
            "decentring": 0.1,
            "monotone": True,
            "level_groups": 3,
            "tracers": ["passive_tracer", "constant_tracer"],
        },
    ),
    "gcr_water": (
        "shallow_water",
        "solid_rotation",
        {"scheme": "semi_lagrangian", "solver": "gcr", "options": {"tilt": 1.0}},
    ),
    "gcr_air": (
        "primitive",
        "baroclinic_wave",
        {"scheme": "semi_lagrangian", "solver": "gcr", "levels": LEVELS},
    ),
    "moist_air": (
        "primitive",
        "moist_baroclinic_wave",
        {
            "scheme": "semi_lagrangian",
            "levels": LEVELS,
            "moist": True,
            "physics": [column_scheme("kessler"), column_scheme("reed_jablonowski", condensation=False)],
            "tracers": ["constant_tracer"],
        },
    ),
    "water_in_32_bits": (
        "shallow_water",
        "solid_rotation",
        {
            "scheme": "semi_lagrangian",
            "precision": 32,
            "solver": "gcr",
            "tolerance": 1e-6,
            "halo": "on_demand",
            "options": {"tilt": 1.0},
        },
    ),
    "air_in_32_bits": (
        "primitive",
        "moist_baroclinic_wave",
        {
            "scheme": "semi_lagrangian",
            "precision": 32,
            "levels": LEVELS,
            "level_groups": 2,
            "monotone": True,
            "moist": True,
            "physics": [column_scheme("kessler"), column_scheme("reed_jablonowski", condensation=False)],
            "tracers": ["constant_tracer"],
        },
    ),
}


def build(name, **changes):
    """Makes a T21 model of MODELS with its initial state and further options."""
    equations, start, options = MODELS[name]
    return make_model(21, equations, start, **options, **changes)
