"""Tables of a model's variables. Allocation, output, restart files and docs are derived from them."""

from halcyon._core.fields import Variable, find

__all__ = ["Variable", "find"]
