"""The table of variables that a model's allocation, output, restart and docs are made from."""

from halcyon._core.fields import Variable, find

__all__ = ["Variable", "find"]
