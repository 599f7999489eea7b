"""Halcyon: weather and ocean-wave models in parallel on the sphere.

    import halcyon as hc

    run = hc.Simulation("case.yaml")    # or hc.wave(...), hc.atmosphere(...), hc.spectral(...)
    run.step(hours=6)
    run["significant_height"].plot()
    run.save("mine.out")
    hc.open("mine.out").stations["Ieodo"].plot()

These names are loaded when they are used; `help(hc.Simulation)` and `help(hc.open)` say more.
"""

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect import Signature

    from halcyon.api.results import open_results
    from halcyon.api.simulation import Simulation as Simulation
    from halcyon.api.simulation import stop as stop
    from halcyon.base import ConfigError as ConfigError
    from halcyon.base import Error as Error
    from halcyon.base import InputError as InputError
    from halcyon.base import RunError as RunError

    open = open_results

__version__ = "0.1.0"
_NAMES = {  # modules of names that are loaded when they are used
    "ConfigError": "halcyon.base",
    "Error": "halcyon.base",
    "InputError": "halcyon.base",
    "Picture": "halcyon.api.picture",
    "RunError": "halcyon.base",
    "Simulation": "halcyon.api.simulation",
    "open": "halcyon.api.results",
    "stop": "halcyon.api.simulation",
}
_MODELS = ("wave", "atmosphere", "spectral")  # sub-packages that are functions, too


class _Model(ModuleType):
    """The sub-package of a model, which is also a function that makes a simulation."""

    def __call__(self, **options: Any) -> Any:
        return self._constructor(**options)

    @property
    def _constructor(self) -> Callable[..., Any]:
        constructors: Any = importlib.import_module("halcyon.api.constructors")
        constructor: Callable[..., Any] = getattr(constructors, self.__name__.rpartition(".")[2])
        return constructor

    @property
    def __signature__(self) -> "Signature":
        signature: Signature = vars(self._constructor)["__signature__"]
        return signature

    @property
    def __doc__(self) -> str:  # type: ignore[override]  # with that of the function
        return f"{self.__dict__['__doc__']}\n\nAs a function: {self._constructor.__doc__}"


class _Package(ModuleType):
    """This package: sub-packages of models become functions when they are imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _MODELS and type(value) is ModuleType:
            value.__class__ = _Model
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _MODELS:
        return importlib.import_module(f"halcyon.{name}")
    if name not in _NAMES:
        raise AttributeError(f"module 'halcyon' has no attribute '{name}'")
    return getattr(importlib.import_module(_NAMES[name]), "open_results" if name == "open" else name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES, *_MODELS])
