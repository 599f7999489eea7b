"""Discrete operators on global Voronoi meshes: divergence, gradient, curl, tangential wind, kinetic energy.

    operators = Operators(local_mesh, radius)  # a `LocalMesh` of a global mesh; radius [m]
    vorticity = operators.curl(wind)           # (vertex, level), from the normal wind (edge, level)

After Thuburn et al. (2009) and Ringler et al. (2010): see docs/operators.md.
"""

from halcyon._core.operators import Operators

__all__ = ["Operators"]
