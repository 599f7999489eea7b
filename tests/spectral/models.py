"""Small spectral models on which several tests run."""

from halcyon.atmosphere.levels import interfaces
from halcyon.transform import Grid
from halcyon_validation.spectral_runs import model_at

LEVELS = interfaces(5, 5000.0)
ROWS_DIFFER = {"reduced": Grid.reduced(32, 21, points_per_wave=3), "octahedral": Grid.octahedral(22)}
MODELS = {
    "barotropic": ("barotropic", "rossby_haurwitz", {}),
    "shallow_water": ("shallow_water", "mountain", {}),
    "semi_implicit": ("shallow_water", "barotropic_jet", {"scheme": "semi_implicit"}),
    "primitive": (
        "primitive",
        "baroclinic_wave",
        {"scheme": "semi_implicit", "levels": LEVELS, "held_suarez": True, "diffusion": (4, 1e4)},
    ),
}


def made(name, **more):
    """A model by its name in MODELS, at its start, T21."""
    equations, start, rest = MODELS[name]
    return model_at(21, equations, start, **rest, **more)
