"""The spectral model: barotropic, shallow-water and primitive equations in spherical harmonics."""

from halcyon._core.spectral import Planet
from halcyon.deprecated import provide
from halcyon.spectral.model import Model
from halcyon.spectral.pressures import level_pressures
from halcyon.spectral.tables import EQUATIONS, integral_variables_of, variables_of

__all__ = ["EQUATIONS", "Model", "Planet", "integral_variables_of", "level_pressures", "variables_of"]

provide(__name__)
