"""xarray support: DataArrays are matched by dimension names and checked against the coordinates of a
transform."""

import functools
import inspect

import numpy as np

from halcyon.base import ConfigError, InputError

__all__ = ["COEFFICIENT", "accepts_xarray"]

COEFFICIENT = "coefficient"
ALIASES = {"latitude": ("latitude", "lat"), "longitude": ("longitude", "lon")}
ATTRIBUTES = {
    "latitude": {"standard_name": "latitude", "units": "degrees_north"},
    "longitude": {"standard_name": "longitude", "units": "degrees_east"},
    "x": {"standard_name": "projection_x_coordinate", "units": "m"},
    "y": {"standard_name": "projection_y_coordinate", "units": "m"},
}


def accepts_xarray(given_kind, result_kind, *attributes):
    """Decorator: a method of a transform also accepts DataArrays and then returns DataArrays. Its arrays and
    results are of these kinds, "values" or "coefficients".
    `attributes`: name and attributes of each result; by default those of the first array."""

    def decorated(method):
        signature = inspect.signature(method)
        names = [p.name for p in signature.parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD][1:]

        @functools.wraps(method)
        def call(self, *arguments, **options):
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
                    raise  # a local operation: no other rank waits
                with self._collective_errors():
                    raise
            bound.arguments |= {name: array.data for name, array in arrays.items()}
            first = next(iter(arrays.values()))
            results = method(*bound.args, **bound.kwargs)
            several = isinstance(results, tuple)
            each = [
                as_data_array(
                    self, result, first, given_kind, result_kind, attributes[i] if attributes else first.attrs
                )
                for i, result in enumerate(results if several else (results,))
            ]
            return tuple(each) if several else each[0]

        return call

    return decorated


def match_arrays(transform, data_arrays, given_kind, result_kind):
    """Returns the DataArrays of a kind by name, with their own dimensions last and leading dimensions in
    the order of the first array."""
    ordered = {name: checked_array(transform, array, given_kind, name) for name, array in data_arrays.items()}
    first_name, first = next(iter(ordered.items()))
    n_own = len(axes(transform, given_kind)[0])
    require_unused_names(transform, first, first_name, n_own, result_kind)
    return {
        name: match_leading_dimensions(first, first_name, array, name, n_own)
        for name, array in ordered.items()
    }


def require_unused_names(transform, first, first_name, n_own, kind):
    """Raises InputError if a dimension or coordinate that results inherit has a name that their kind
    reserves."""
    leading = first.dims[:-n_own]
    kept = {*leading, *(name for name, one in first.coords.items() if set(one.dims) <= set(leading))}
    dims, coordinates = axes(transform, kind)
    for name in (*dims, *coordinates):
        if name in kept:
            raise InputError(f"{first_name} has a {name}, a name reserved for {kind}. Rename or drop it.")


def is_data_array(array):
    return hasattr(array, "dims") and hasattr(array, "coords")


def axes(transform, kind):
    """Returns the dimensions of a kind of arrays, and its coordinates: name to (dimension, numbers)."""
    if kind == "coefficients":
        return (COEFFICIENT,), {
            name: (COEFFICIENT, one) for name, one in transform.coefficient_coordinates.items()
        }
    coordinates = transform.value_coordinates
    if len(transform.shape) == 1:
        return ("point",), {name: ("point", one) for name, one in coordinates.items()}
    return tuple(coordinates), {name: (name, one) for name, one in coordinates.items()}


def checked_array(transform, array, kind, name):
    """Returns the array with the dimensions of its kind last, in order, after checking its coordinates,
    if any, against those of the transform."""
    if transform.sets[0] > 1 and transform.splits_fields:
        raise InputError(
            f"{name} is a DataArray, but V sets share the fields. Give numpy arrays, or sets with V = 1."
        )
    if hasattr(array, "data_vars"):
        raise InputError(f"{name} is a Dataset. Give one of its variables: {', '.join(map(str, array))}.")
    dims, coordinates = axes(transform, kind)
    own = [find_dimension(array, dim, kind, name) for dim in dims]
    array = array.transpose(..., *own)
    for label, (_, expected) in coordinates.items():
        for known in ALIASES.get(label, (label,)):
            if known in array.coords:
                check_coordinate(array.coords[known], expected, known, name)
    return array


def match_leading_dimensions(first, first_name, array, name, n_own):
    """Returns the array with its leading dimensions (all but the last `n_own`) in the order of the first
    array. Raises ConfigError, naming the dimension, if they or their coordinates differ."""
    leading, others = first.dims[:-n_own], array.dims[:-n_own]
    for dim in (*leading, *others):
        if dim not in leading or dim not in others:
            has, lacks = (first_name, name) if dim in leading else (name, first_name)
            raise ConfigError(f"{has} has the dimension {dim}, and {lacks} has none. Give both the same.")
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
    return array.transpose(*leading, *array.dims[-n_own:])


def find_dimension(array, dim, kind, name):
    names = ALIASES.get(dim, (dim,))
    found = [each for each in names if each in array.dims]
    if not found and len(names) == 1 and kind == "values" and dim == "point" and array.dims:
        return array.dims[-1]
    if not found:
        raise InputError(
            f"{name} has the dimensions {', '.join(map(str, array.dims)) or 'none'}. Give it one that is "
            f"named {' or '.join(names)}."
        )
    return found[0]


def check_coordinate(coordinate, expected, label, name):
    known = coordinate.values
    if not np.can_cast(known.dtype, np.float64, "same_kind"):
        raise InputError(f"{label} of {name} is of {known.dtype}. Give numbers.")
    if known.shape != expected.shape:
        raise InputError(
            f"{label} of {name} has {known.size} values, and the transform {expected.size}. Give {name} on "
            "its grid."
        )
    scale = max(np.abs(expected).max(initial=0), 1)
    wrong = ~(np.abs(known - expected) <= 1e-6 * scale)
    if wrong.any():
        i = int(np.argmax(wrong))
        backwards = np.allclose(known[::-1], expected, atol=1e-6 * scale, rtol=0)
        turn = f"Reverse it: {name}.isel({coordinate.dims[0]}=slice(None, None, -1))"
        raise InputError(
            f"{label}[{i}] of {name} is {known[i]:g}, and that of the transform {expected[i]:g}. "
            f"{turn if backwards else f'Give {name} on its grid'}."
        )


def as_data_array(transform, result, first, given_kind, result_kind, attributes):
    import xarray

    own_dims, _ = axes(transform, given_kind)
    dims, coordinates = axes(transform, result_kind)
    leading = first.dims[: len(first.dims) - len(own_dims)]
    kept = {name: one for name, one in first.coords.items() if set(one.dims) <= set(leading)}
    made = {name: (dim, values, ATTRIBUTES.get(name, {})) for name, (dim, values) in coordinates.items()}
    attributes = dict(attributes)
    name = attributes.pop("name", first.name)
    return xarray.DataArray(result, dims=(*leading, *dims), coords=kept | made, name=name, attrs=attributes)
