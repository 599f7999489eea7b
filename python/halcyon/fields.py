"""Tables of variables, from which allocation, output, restart files and docs of a model are derived."""

from halcyon._core.fields import Variable, find

__all__ = ["Variable", "find"]
