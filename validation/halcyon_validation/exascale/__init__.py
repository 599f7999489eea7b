"""The findings of Zheng and Marguinaud (2018, Geosci. Model Dev. 11, 3409-3426; ZM), and what Halcyon finds
instead: each verdict of docs/exascale.md as a check, on few ranks and on as many as there."""

from functools import partial

from halcyon_validation.exascale import exchanges, transpositions

_CASES = {**transpositions.CASES, **exchanges.CASES}
CASES = {**_CASES, **transpositions.FEW_ONLY}
LONG = {f"{name}_whole": partial(case, whole=True) for name, case in _CASES.items()} | exchanges.LONG
