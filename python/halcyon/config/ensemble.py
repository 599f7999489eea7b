"""Options of an ensemble of runs of a wave case."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from halcyon.config.option import Group, option, optional

MOST_MEMBERS = 500  # the same file of all members is open at a time


class Ensemble(Group):
    """The members of an ensemble and its statistics, for `halcyon ensemble`."""

    kind: Literal["auto", "gridded", "techniques", "perturbed"] = option(
        "Kind of the members; gridded: the members in the files of the wind; techniques: the techniques of an"
        " a-deck; perturbed: the track, perturbed by statistics of forecast errors (see"
        " forcing.wind.perturbation); auto: the first of these that the wind allows.",
        default="auto",
    )
    members: int | None = optional(
        "Number of members; by default all in the files, or 20 of a perturbed track.", ge=2, le=MOST_MEMBERS
    )
    dimension: str = option(
        "Dimension, or key of GRIB messages, that numbers the members in the files of the wind.",
        default="number",
        min_length=1,
        max_length=60,
    )
    techniques: list[str] = option(
        "Techniques of the a-deck; by default all whose forecasts cover the run.",
        default=[],
        allowed="a list of names such as [AVNO, HWRF]",
    )
    quantiles: list[Annotated[float, Field(ge=0, le=1)]] = option(
        "Quantiles of the members, between order statistics linear.", default=[0.1, 0.5, 0.9], max_length=20
    )
    exceeding: dict[str, list[float]] | None = optional(
        "Thresholds, by variable of output.variables, whose probability of being exceeded is computed, in"
        " each record and at any time of the run; of significant_height by default 2, 4, 6 and 9 m.",
        allowed="a group of lists, such as {significant_height: [2, 4, 6, 9]}",
    )

    @property
    def thresholds(self) -> dict[str, list[float]]:
        """Thresholds by variable."""
        return {"significant_height": [2.0, 4.0, 6.0, 9.0]} | (self.exceeding or {})
