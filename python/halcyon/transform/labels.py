"""xarray support: DataArrays are matched by dimension names and checked against the coordinates of a
transform."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import ConfigError, InputError

if TYPE_CHECKING:
    import xarray as xr

    from halcyon.transform.shared import SharedTransform


__all__ = ["COEFFICIENT", "NO_ATTRIBUTES", "accepts_xarray"]

COEFFICIENT = "coefficient"
NO_ATTRIBUTES: dict[str, str] = {}  # of derivatives, which have other units than their argument
ALIASES = {"latitude": ("latitude", "lat"), "longitude": ("longitude", "lon")}
ATTRIBUTES = {
    "latitude": {"standard_name": "latitude", "units": "degrees_north"},
    "longitude": {"standard_name": "longitude", "units": "degrees_east"},
    "x": {"standard_name": "projection_x_coordinate", "units": "m"},
    "y": {"standard_name": "projection_y_coordinate", "units": "m"},
}


def accepts_xarray(
    given_kind: str, result_kind: str, *attributes: Mapping[str, str]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a method of a transform, which then also accepts DataArrays and returns DataArrays.
    `given_kind`, `result_kind`: whether arguments and results are "values" or "coefficients".
    `attributes`: name and attributes of each result; by default, results have the attributes of the first
    argument."""

    def decorator(method: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(method)
        names = [p.name for p in signature.parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD][1:]

        @functools.wraps(method)
        def call(self: SharedTransform, *arguments: Any, **options: Any) -> Any:
            given_by_name = (options[name] for name in names if name in options)
            if not any(map(is_data_array, (*arguments, *given_by_name))):
                return method(self, *arguments, **options)
            bound = signature.bind(self, *arguments, **options)
            data_arrays = {
                name: bound.arguments[name] for name in names if is_data_array(bound.arguments[name])
            }
            try:
                arrays = match_arrays(self, data_arrays, given_kind, result_kind)
            except (ConfigError, InputError):
                if given_kind == result_kind:
                    raise  # a local operation, which other ranks do not take part in
                with self._collective_errors():
                    raise  # on all ranks
            bound.arguments |= {name: array.data for name, array in arrays.items()}
            first = next(iter(arrays.values()))
            results = method(*bound.args, **bound.kwargs)
            is_tuple = isinstance(results, tuple)
            labelled = [
                as_data_array(
                    self, result, first, given_kind, result_kind, attributes[i] if attributes else first.attrs
                )
                for i, result in enumerate(results if is_tuple else (results,))
            ]
            return tuple(labelled) if is_tuple else labelled[0]

        return call

    return decorator


def match_arrays(
    transform: SharedTransform, data_arrays: Mapping[str, xr.DataArray], given_kind: str, result_kind: str
) -> dict[str, xr.DataArray]:
    """Returns the DataArrays by name, with the dimensions of `given_kind` last, and with the leading
    dimensions, which are those of fields, in the order of the first array. Raises ConfigError or InputError
    for arrays that do not match each other or the transform."""
    ordered = {name: checked_array(transform, array, given_kind, name) for name, array in data_arrays.items()}
    first_name, first = next(iter(ordered.items()))
    n_kind_dims = len(dims_and_coordinates(transform, given_kind)[0])
    require_unused_names(transform, first, first_name, n_kind_dims, result_kind)
    return {
        name: match_leading_dimensions(first, first_name, array, name, n_kind_dims)
        for name, array in ordered.items()
    }


def require_unused_names(
    transform: SharedTransform, first: xr.DataArray, first_name: str, n_kind_dims: int, kind: str
) -> None:
    """Raises InputError if a dimension or coordinate that results take from `first` has the name of a
    dimension or coordinate of kind `kind`."""
    leading = first.dims[:-n_kind_dims]
    inherited = {
        *leading,
        *(name for name, values in first.coords.items() if set(values.dims) <= set(leading)),
    }
    dims, coordinates = dims_and_coordinates(transform, kind)
    for name in (*dims, *coordinates):
        if name in inherited:
            raise InputError(f"{first_name} has a {name}, a name reserved for {kind}. Rename or drop it.")


def is_data_array(array: object) -> bool:
    return hasattr(array, "dims") and hasattr(array, "coords")


def dims_and_coordinates(
    transform: SharedTransform, kind: str
) -> tuple[tuple[str, ...], dict[str, tuple[str, np.ndarray]]]:
    """Returns the dimensions of "values" or "coefficients", and (dimension, values) of each coordinate by
    name."""
    if kind == "coefficients":
        return (COEFFICIENT,), {
            name: (COEFFICIENT, values) for name, values in transform.coefficient_coordinates.items()
        }
    coordinates = transform.value_coordinates
    if len(transform.shape) == 1:
        return ("point",), {name: ("point", values) for name, values in coordinates.items()}
    return tuple(coordinates), {name: (name, values) for name, values in coordinates.items()}


def checked_array(transform: SharedTransform, array: xr.DataArray, kind: str, name: str) -> xr.DataArray:
    """Returns the array with the dimensions of `kind` last. Raises InputError if the array has coordinates
    that differ from those of the transform."""
    if transform.sets[0] > 1 and transform.splits_fields:
        raise InputError(
            f"{name} is a DataArray, but V sets share the fields. Give numpy arrays, or sets with V = 1."
        )
    if hasattr(array, "data_vars"):
        raise InputError(f"{name} is a Dataset. Give one of its variables: {', '.join(map(str, array))}.")
    dims, coordinates = dims_and_coordinates(transform, kind)
    kind_dims = [find_dimension(array, dim, kind, name) for dim in dims]
    array = array.transpose(..., *kind_dims)
    for label, (_, expected) in coordinates.items():
        for alias in ALIASES.get(label, (label,)):
            if alias in array.coords:
                check_coordinate(array.coords[alias], expected, alias, name)
    return array


def match_leading_dimensions(
    first: xr.DataArray, first_name: str, array: xr.DataArray, name: str, n_kind_dims: int
) -> xr.DataArray:
    """Returns the array with its leading dimensions (all but the last `n_kind_dims`) in the order of the
    first array. Raises ConfigError, naming the dimension, if leading dimensions or their coordinates
    differ."""
    leading, array_leading = first.dims[:-n_kind_dims], array.dims[:-n_kind_dims]
    for dim in (*leading, *array_leading):
        if dim not in leading or dim not in array_leading:
            has, lacks = (first_name, name) if dim in leading else (name, first_name)
            raise ConfigError(
                f"{has} has the dimension {dim}, and {lacks} does not. Give both the same dimensions."
            )
        if first.sizes[dim] != array.sizes[dim]:
            raise ConfigError(
                f"{dim} has {first.sizes[dim]} values in {first_name}, and {array.sizes[dim]} in {name}. "
                "Give the same number of both."
            )
        if dim in first.coords and dim in array.coords and not first.indexes[dim].equals(array.indexes[dim]):
            raise ConfigError(
                f"{dim} of {name} differs from that of {first_name}. Give both on the same {dim}, such as by "
                f"{name}.sel({dim}={first_name}.{dim})."
            )
    return array.transpose(*leading, *array.dims[-n_kind_dims:])


def find_dimension(array: xr.DataArray, dim: str, kind: str, name: str) -> Hashable:
    """Returns the name of a dimension in the array: `dim` or an alias. If "point" is missing,
    the last dimension counts as point."""
    names = ALIASES.get(dim, (dim,))
    matches = [alias for alias in names if alias in array.dims]
    if not matches and len(names) == 1 and kind == "values" and dim == "point" and array.dims:
        return array.dims[-1]
    if not matches:
        raise InputError(
            f"{name} has the dimensions {', '.join(map(str, array.dims)) or 'none'}. Give it a dimension "
            f"named {' or '.join(names)}."
        )
    return matches[0]


def check_coordinate(coordinate: xr.DataArray, expected: np.ndarray, label: str, name: str) -> None:
    """Raises InputError if the coordinate `label` of array `name` differs from that of the transform."""
    given = coordinate.values
    if not np.can_cast(given.dtype, np.float64, "same_kind"):
        raise InputError(f"{label} of {name} is of {given.dtype}. Give numbers.")
    if given.shape != expected.shape:
        raise InputError(
            f"{label} of {name} has {given.size} values, and the transform {expected.size}. Give {name} on "
            "its grid."
        )
    scale = max(np.abs(expected).max(initial=0), 1)
    differs = ~(np.abs(given - expected) <= 1e-6 * scale)  # also for NaN
    if differs.any():
        i = int(np.argmax(differs))
        is_reversed = np.allclose(given[::-1], expected, atol=1e-6 * scale, rtol=0)
        advice = f"Reverse it: {name}.isel({coordinate.dims[0]}=slice(None, None, -1))"
        raise InputError(
            f"{label}[{i}] of {name} is {given[i]:g}, and that of the transform {expected[i]:g}. "
            f"{advice if is_reversed else f'Give {name} on its grid'}."
        )


def as_data_array(
    transform: SharedTransform,
    result: np.ndarray,
    first: xr.DataArray,
    given_kind: str,
    result_kind: str,
    attributes: Mapping[Any, Any],
) -> xr.DataArray:
    """Returns a result as DataArray, with the leading dimensions and coordinates of the first argument, then
    the dimensions and coordinates of `result_kind`."""
    import xarray

    given_dims, _ = dims_and_coordinates(transform, given_kind)
    dims, coordinates = dims_and_coordinates(transform, result_kind)
    leading = first.dims[: len(first.dims) - len(given_dims)]
    inherited = {name: values for name, values in first.coords.items() if set(values.dims) <= set(leading)}
    new = {name: (dim, values, ATTRIBUTES.get(name, {})) for name, (dim, values) in coordinates.items()}
    attributes = dict(attributes)
    name = attributes.pop("name", first.name)
    return xarray.DataArray(
        result, dims=(*leading, *dims), coords=inherited | new, name=name, attrs=attributes
    )
