"""`physics:` the source terms."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from halcyon.config.option import Group, option

_LIMITER = "Largest change in a step (Hersbach and Janssen 1999; WAMDI 1988; IFS documentation CY45R1)."
_GROWTH = "How a bin that feeds itself grows in a step: by dt S (WAMDI 1988), or exponentially."
_STRENGTH = "Strength C of the nonlinear transfer (Hasselmann et al. 1985)."
_LINEAR = "Waves start from a flat sea (Cavaleri and Malanotte-Rizzoli 1981)."
_BREAKING = "Strength alpha of depth-induced breaking (Battjes and Janssen 1978); 0 for none."
_PASSES = "Evaluations of the input, with the waves' stress on the wind between."
_CAP = "Largest drag coefficient (Donelan et al. 2004)."
_LONGEST = "A longer source step is taken in equal parts that are not longer."

_SETS = "'wam3', 'wam4', 'ard' or 'fvwam'"

LimiterName = Literal["hersbach_janssen", "wamdi", "ecmwf", "none"]
GrowthName = Literal["linear", "exponential"]


class _Shared(Group):
    """What all sets have; as in the table of the set in C++, with_shared. A test compares the two."""

    lambda_: float = option(
        "Shape of the quadruplet (Hasselmann et al. 1985).", default=0.25, ge=0.05, le=0.45, alias="lambda"
    )
    transfer: float = option(_STRENGTH, default=3e7, ge=0, le=1e9)
    friction: float = option(
        "Strength of bottom friction (Hasselmann et al. 1973).", default=0.038, unit="m2 s-3", ge=0, le=1
    )
    breaking: float = option(_BREAKING, default=0.0, ge=0, le=10)
    breaker_index: float = option(
        "Highest wave over depth, gamma, of depth-induced breaking.", default=0.8, ge=0.3, le=2
    )
    depth_limit: float = option("Largest significant height over depth.", default=0.8, ge=0.1, le=10)
    linear_growth: bool = option(_LINEAR, default=True)
    limiter: LimiterName = option(_LIMITER, default="hersbach_janssen")
    growth: GrowthName = option(_GROWTH, default="linear")
    longest_step: float = option(_LONGEST, default=7200.0, unit="s", ge=10, le=7200)

    def values(self) -> dict[str, bool | float | str]:
        """The options of the set as the C++ side names them."""
        return self.model_dump(by_alias=True, exclude={"set", "preset"})


class Wam3(_Shared):
    """The source terms of WAM cycle 3 (WAMDI 1988; Komen et al. 1984)."""

    set: Literal["wam3"] = option("The set of source terms.", default="wam3", allowed=_SETS)
    drag_cap: float = option(
        "Largest drag coefficient (of the fit by Zijlema et al. 2012).", default=2.03e-3, ge=1e-3, le=1
    )
    whitecapping: float = option(
        "Strength Cds of whitecapping (Komen et al. 1984).", default=2.36e-5, ge=0, le=1e-3
    )


class _Miles(_Shared):
    """Wind input in balance with the stress that the waves take."""

    betamax: float = option("Strength of wind input (Janssen 1991).", default=1.2, ge=0.5, le=3)
    z_alpha: float = option(
        "Shift of waves' age in wind input (Bidlot et al. 2007).", default=0.008, ge=0, le=0.05
    )
    charnock: float = option(
        "Charnock's parameter without waves (Janssen 1991).", default=0.0065, ge=1e-4, le=0.05
    )
    drag_cap: float = option(_CAP, default=2.5e-3, ge=1e-3, le=1)
    stress_passes: float = option(_PASSES, default=2.0, ge=1, le=20)
    transfer: float = option(_STRENGTH, default=2.78e7, ge=0, le=1e9)
    breaking: float = option(_BREAKING, default=1.0, ge=0, le=10)


class Wam4(_Miles):
    """The source terms of WAM cycle 4 (Janssen 1991; Komen et al. 1994; Bidlot et al. 2007)."""

    set: Literal["wam4"] = option("The set of source terms.", default="wam4", allowed=_SETS)
    whitecapping: float = option(
        "Strength C of whitecapping (Bidlot et al. 2007; Komen et al. 1994: 4.5).", default=1.33, ge=0, le=20
    )
    whitecapping_shape: float = option(
        "Share delta of the square of k over its mean.", default=0.5, ge=0, le=1
    )
    whitecapping_means: Literal["first", "inverse"] = option(
        "Means of sigma and sqrt(k) (Bidlot et al. 2005), or of their inverses (Komen et al. 1994).",
        default="first",
    )
    longest_step: float = option(_LONGEST, default=900.0, unit="s", ge=10, le=7200)


class Ard(_Miles):
    """The source terms of Ardhuin et al. (2010) in the form of the IFS."""

    set: Literal["ard"] = option("The set of source terms.", default="ard", allowed=_SETS)
    betamax: float = option("Strength of wind input (Janssen 1991).", default=1.4, ge=0.5, le=3)
    sheltering: float = option(
        "How much of the stress of longer waves shorter ones do not see (Ardhuin et al. 2010).",
        default=0.25,
        ge=0,
        le=1.5,
    )
    gustiness: float = option(
        "Relative standard deviation of u*; not zero: input is the mean of two winds (IFS).",
        default=0.0,
        ge=0,
        le=0.9,
    )
    air_density: float = option("Density of air.", default=1.225, unit="kg m-3", ge=0.9, le=1.6)
    swell_damping: float = option(
        "Strength s1 of swell damping by turbulence (Ardhuin et al. 2010); 0: none at all.",
        default=0.66,
        ge=0,
        le=2,
    )
    whitecapping: float = option(
        "Strength C of breaking by saturation (Ardhuin et al. 2010).", default=2.2e-5, ge=0, le=1e-3
    )
    saturation_threshold: float = option(
        "Saturation above which waves break.", default=9e-4, ge=1e-4, le=1e-2
    )
    isotropic_breaking: float = option(
        "Share of breaking by the largest saturation of all directions.", default=0.3, ge=0, le=1
    )
    saturation_window: float = option(
        "Half width of the sector of saturation.", default=80.0, unit="degree", ge=5, le=90
    )
    cumulative: float = option(
        "Strength C_cu of what larger breakers sweep away (Ardhuin et al. 2010: 0.4); costly.",
        default=0.0,
        ge=0,
        le=2,
    )
    growth: GrowthName = option(_GROWTH, default="exponential")
    longest_step: float = option(_LONGEST, default=600.0, unit="s", ge=10, le=7200)


class Fvwam(Ard):
    """The source terms of FVWAM (Pang et al. 2025); `preset: fvwam` chooses them, too."""

    set: Literal["fvwam"] = option(
        "The set of source terms.", default="fvwam", allowed="'fvwam' where the preset is 'fvwam'"
    )
    preset: Literal["fvwam"] = option("The same by another name.", default="fvwam")
    betamax: float = option("Strength of wind input (Janssen 1991).", default=1.2, ge=0.5, le=3)
    charnock: float = option(
        "Charnock's parameter without waves (Janssen 1991).", default=0.006, ge=1e-4, le=0.05
    )
    sheltering: float = option(
        "How much of the stress of longer waves shorter ones do not see (Ardhuin et al. 2010).",
        default=0.0,
        ge=0,
        le=1.5,
    )
    drag_cap: float = option(_CAP, default=1.0, ge=1e-3, le=1)
    air_density: float = option("Density of air.", default=1.293, unit="kg m-3", ge=0.9, le=1.6)
    transfer: float = option(_STRENGTH, default=3000 * 9.80616**4, ge=0, le=1e9)
    linear_growth: bool = option(_LINEAR, default=False)
    limiter: LimiterName = option(_LIMITER, default="ecmwf")
    growth: GrowthName = option(_GROWTH, default="linear")
    longest_step: float = option(_LONGEST, default=150.0, unit="s", ge=10, le=7200)


def _kind(value: Any) -> str | None:
    if isinstance(value, Group):
        return f"<{value.set}>"
    if not isinstance(value, dict):
        return None
    kind = "fvwam" if "preset" in value else value.get("set", "wam3")
    return f"<{kind}>" if kind in ("wam4", "ard", "fvwam") else "<wam3>"


Physics = Annotated[
    Annotated[Wam3, Tag("<wam3>")]
    | Annotated[Wam4, Tag("<wam4>")]
    | Annotated[Ard, Tag("<ard>")]
    | Annotated[Fvwam, Tag("<fvwam>")],
    Discriminator(_kind),
]
