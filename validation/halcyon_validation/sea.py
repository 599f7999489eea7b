"""The wave model against buoys in hurricanes: scores, and their bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from halcyon import __version__
from halcyon.score import Pairs, Score, intervals, join, peak, score
from halcyon.score.metrics import BLOCK_S
from halcyon_validation import sea_figures
from halcyon_validation.check import Check, Outcome, Table
from halcyon_validation.sea_spectra import spectra_table
from halcyon_validation.sea_storms import SPIN_UP_S, Result

HEIGHT = "significant_height"
UNITS = {"significant_height": "m", "wind_speed": "m s-1"}  # others: s, or degrees of directions
SOURCE = "hours above half the peak"
GOOD_PEAK, WORST_PEAK = 0.15, 0.25  # relative errors of the peak
Results = Sequence[Result]


def outcomes(by_set: Mapping[str, Results]) -> dict[str, Outcome]:
    """Returns the outcomes of storms run with one or several sets of source terms, by title. Checks and
    storms are those of the first set."""
    first = next(iter(by_set.values()))
    found = {"All storms": _all_storms(by_set, first)}
    for i, result in enumerate(first):
        same_storm = [results[i] for results in by_set.values()]
        found[result.storm.name] = _one_storm(result, same_storm)
    return found


def description(by_set: Mapping[str, Results]) -> str:
    """The text of the page of results: which runs they are of, and how they are compared."""
    return f"""Written by

```sh
{command_of(by_set)("All storms")}
```

with Halcyon {__version__}: do not edit it. Checks, storms and figures are of `{next(iter(by_set))}`.

- The cases are in [examples/storms](../examples/storms/README.md). Winds are those of the best track alone,
  without a background wind: waves of other weather are missing.
- The model of each hour is paired with the nearest measurement within 30 minutes. The first
  {SPIN_UP_S // 3600} hours of a run are left out. Hours above half the peak are those in which the buoy
  measured more than half its largest Hs (of the wind: more than half its largest wind).
- Bias is model minus buoy; the scatter index is the standard deviation of the error over the mean of the
  buoy; the slope is that of the line through the origin. Brackets: 95 % intervals by a circular block
  bootstrap with blocks of {BLOCK_S / 3600:.0f} hours within each series (Politis and Romano 1992), since
  errors of successive hours are correlated.
- Buoys measure the wind at 5 m over 8 minutes. It is brought to 10 m by `U10 = U5 (10/5)^0.11` (Hsu, Meindl
  and Gilhousen 1994); means over 8 and over 10 minutes are the same on average (Harper et al. 2010).
- Tm02 of buoys ends at their last frequency, near 0.5 Hz; that of the model includes the tail."""


def command_of(by_set: Mapping[str, Results]) -> Callable[[str], str]:
    """The command that makes the outcome of a title, one of `outcomes`, and its figures."""
    storms = [result.storm.name for result in next(iter(by_set.values()))]

    def command(title: str) -> str:
        names = title if title in storms else ",".join(storms)
        return f"halcyon validate sea --storms {names} --physics {','.join(by_set)} --page docs/sea.md"

    return command


def checks(results: Results) -> list[Check]:
    """The bounds on the heights of the hours above half the peak, all storms together."""
    found, peaks = score(join(_high(results, HEIGHT))), _peaks(results)
    errors = np.array([abs(each.error) for each in peaks])
    delays = np.array([abs(each.delay_s) for each in peaks]) / 3600
    least, winds = round(7 / 9 * len(peaks)), _high(results, "wind_speed")
    wind = [score(join(winds))] if winds else []
    return [
        *(Check("bias of the wind over its mean", 100 * w.bias / w.mean, -10, 10, "%", SOURCE) for w in wind),
        Check("bias of Hs over its mean", 100 * found.bias / found.mean, -8, 8, "%", SOURCE),
        Check("scatter index of Hs", found.scatter_index, 0, 0.2, "", SOURCE),
        Check("correlation of Hs", found.correlation, 0.93, 1, "", SOURCE),
        Check(f"peaks of Hs within 15 %, of {len(peaks)}", (errors <= GOOD_PEAK).sum(), least, len(peaks)),
        Check("largest error of a peak of Hs", 100 * errors.max(), 0, 100 * WORST_PEAK, "%"),
        Check("largest error of the time of a peak of Hs", delays.max(), 0, 2, "h"),
    ]


def _all_storms(by_set: Mapping[str, Results], first: Results) -> Outcome:
    name = next(iter(by_set))
    tables = {
        "By set of source terms, hours above half the peak, all storms": _sets(by_set),
        f"Peaks of Hs ({name})": _peak_table(first),
        f"Hs ({name}), with 95 % intervals": _scores(first, [HEIGHT]),
        f"Wind at 10 m, periods and directions ({name})": _scores(first, _variables(first)[1:]),
    }
    figures = {
        f"Hs at all buoys ({name}): hours above half the peak dark, the others light; right: quantiles": (
            lambda path: sea_figures.scatter(path, first)
        ),
        "Taylor diagram of Hs in the hours above half the peak (Taylor 2001)": (
            lambda path: sea_figures.taylor(path, by_set)
        ),
    }
    return Outcome(checks(first), figures, tables)


def _one_storm(result: Result, same_storm: Results) -> Outcome:
    tables = {f"Scores ({result.physics})": _buoys(result)}
    figures = {
        "Track, and the maximum of Hs": lambda path: sea_figures.storm_map(path, result),
        "Model (lines) and buoys (points)": lambda path: sea_figures.series(path, same_storm),
    }
    for buoy, (modelled, measured) in result.spectra.items():
        times = [pairs.times for pairs in result.high(HEIGHT) if pairs.buoy == buoy]
        found = spectra_table(modelled, measured, times[0]) if times else None
        if found is None:
            continue
        table, draw = found
        tables[f"Spectra at {buoy} by frequency, hours above half the peak"] = table
        figures[f"Spectra at {buoy}: energy, mean direction and spreading"] = draw
    return Outcome([], figures, tables)


def _high(results: Results, variable: str) -> list[Pairs]:
    return [pairs for result in results for pairs in result.high(variable)]


def _peaks(results: Results) -> list:
    return [peak(pairs) for result in results for pairs in result.of(HEIGHT)]


def _variables(results: Results) -> list[str]:
    return list(dict.fromkeys(variable for result in results for _, variable in result.pairs))


def _sets(by_set: Mapping[str, Results]) -> Table:
    rows = []
    for name, results in by_set.items():
        found, peaks = score(join(_high(results, HEIGHT))), _peaks(results)
        errors = np.array([each.error for each in peaks])
        delays = np.array([each.delay_s for each in peaks]) / 3600
        rows.append(
            (
                name,
                str(found.n),
                f"{100 * found.bias / found.mean:+.1f} %",
                f"{found.scatter_index:.3f}",
                f"{found.correlation:.3f}",
                f"{found.slope:.3f}",
                _mean_with_interval(100 * errors),
                f"{(np.abs(errors) <= GOOD_PEAK).sum()} of {len(peaks)}",
                f"{100 * errors[np.abs(errors).argmax()]:+.0f} %",
                f"{delays[np.abs(delays).argmax()]:+.1f} h",
            )
        )
    heads = "set", "n", "bias", "scatter index", "correlation", "slope", "mean error of the peaks [%]"
    return Table((*heads, "peaks within 15 %", "largest error of a peak", "of its time"), rows)


def _mean_with_interval(values: np.ndarray) -> str:
    """The mean as text, with the 95 % interval of a bootstrap of the values (Efron and Tibshirani 1993)."""
    drawn = np.random.default_rng(1).choice(values, (1000, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return f"{values.mean():+.0f} [{low:+.0f}, {high:+.0f}]"


def _peak_table(results: Results) -> Table:
    rows = []
    for result in results:
        for pairs in result.of(HEIGHT):
            found, distance = peak(pairs), result.distance[pairs.buoy]
            rows.append(
                (
                    result.storm.name,
                    pairs.buoy,
                    f"{np.nanmin(distance) / 1e3:.0f}",
                    f"{found.measured:.1f}",
                    str(found.measured_time).replace("T", " ")[:16],
                    f"{found.modelled:.1f}",
                    f"{100 * found.error:+.0f} %",
                    f"{found.delay_s / 3600:+.1f}",
                )
            )
    heads = "storm", "buoy", "nearest to the track [km]", "buoy [m]", "time [UTC]", "model [m]", "error"
    return Table((*heads, "late [h]"), rows)


def _scores(results: Results, variables: Iterable[str]) -> Table:
    rows = []
    for variable in variables:
        for hours, select in (("all", Result.of), (SOURCE, Result.high)):
            groups = {result.storm.name: select(result, variable) for result in results}
            groups["together"] = [pairs for group in groups.values() for pairs in group]
            rows += [
                (variable, name, hours, *_cells(series, variable))
                for name, series in groups.items()
                if series
            ]
    return Table(("variable", "storm", "hours", *_HEADS), rows)


def _buoys(result: Result) -> Table:
    rows = []
    for hours, series in (("all", result.pairs.values()), (SOURCE, _all_high(result))):
        rows += [(pairs.buoy, pairs.variable, hours, *_cells([pairs], pairs.variable)) for pairs in series]
    return Table(("buoy", "variable", "hours", *_HEADS), rows)


def _all_high(result: Result) -> list[Pairs]:
    return [pairs for variable in _variables([result]) for pairs in result.high(variable)]


_HEADS = ("n", "mean of the buoy", "bias", "RMSE", "scatter index", "correlation", "slope")


def _cells(series: Sequence[Pairs], variable: str) -> tuple[str, ...]:
    """The scores of all pairs of several series as texts, with 95 % intervals in brackets."""
    found, between = score(join(series)), intervals(series)
    unit = UNITS.get(variable, "degrees" if "period" not in variable else "s")
    return (
        str(found.n),
        f"{found.mean:.2f} {unit}",
        *(_with_interval(found, between, name) for name in list(Score.__annotations__)[2:]),
    )


def _with_interval(found: Score, between: Mapping[str, tuple[float, float]], name: str) -> str:
    value, (low, high) = getattr(found, name), between[name]
    return "" if np.isnan(value) else f"{value:.2f} [{low:.2f}, {high:.2f}]"
