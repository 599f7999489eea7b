"""xarray in, xarray out: DataArrays by the names of their dimensions, on the coordinates of a transform."""

import functools
import inspect

import numpy as np

from halcyon.base import ConfigError, InputError

__all__ = ["COEFFICIENT", "labelled"]

COEFFICIENT = "coefficient"
ALIASES = {"latitude": ("latitude", "lat"), "longitude": ("longitude", "lon")}
ATTRIBUTES = {
    "latitude": {"standard_name": "latitude", "units": "degrees_north"},
    "longitude": {"standard_name": "longitude", "units": "degrees_east"},
    "x": {"standard_name": "projection_x_coordinate", "units": "m"},
    "y": {"standard_name": "projection_y_coordinate", "units": "m"},
}


def labelled(given, found, *attributes):
    """Lets a method of a transform take DataArrays and return such. Its arrays are all of the kind `given`,
    its results of the kind `found`: "values" or "coefficients". `attributes` of each result, with its name;
    none: those of the first array."""

    def decorated(method):
        signature = inspect.signature(method)
        names = [p.name for p in signature.parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD][1:]

        @functools.wraps(method)
        def call(self, *arguments, **options):
            given_by_name = (options[name] for name in names if name in options)
            if not any(map(is_labelled, (*arguments, *given_by_name))):
                return method(self, *arguments, **options)
            bound = signature.bind(self, *arguments, **options)
            labels = {name: bound.arguments[name] for name in names if is_labelled(bound.arguments[name])}
            try:
                arrays = matched(self, labels, given, found)
            except (ConfigError, InputError):
                if given == found:
                    raise  # no other rank waits
                with self._together():
                    raise
            bound.arguments |= {name: array.data for name, array in arrays.items()}
            first = next(iter(arrays.values()))
            results = method(*bound.args, **bound.kwargs)
            several = isinstance(results, tuple)
            each = [
                put_labels(self, result, first, given, found, attributes[i] if attributes else first.attrs)
                for i, result in enumerate(results if several else (results,))
            ]
            return tuple(each) if several else each[0]

        return call

    return decorated


def matched(transform, labels, given, found):
    """The DataArrays by name, of a kind: their own dimensions last, the leading ones those of the first."""
    ordered = {name: plain(transform, array, given, name) for name, array in labels.items()}
    first_name, first = next(iter(ordered.items()))
    n_own = len(axes(transform, given)[0])
    require_free(transform, first, first_name, n_own, found)
    return {name: alike(first, first_name, array, name, n_own) for name, array in ordered.items()}


def require_free(transform, first, first_name, n_own, kind):
    """Raises InputError where what the results keep of an array has a name that those of their kind need."""
    leading = first.dims[:-n_own]
    kept = {*leading, *(name for name, one in first.coords.items() if set(one.dims) <= set(leading))}
    dims, coordinates = axes(transform, kind)
    for name in (*dims, *coordinates):
        if name in kept:
            raise InputError(f"{first_name} has its own {name}, as {kind} have. Rename or drop it.")


def is_labelled(array):
    return hasattr(array, "dims") and hasattr(array, "coords")


def axes(transform, kind):
    """Dimensions of a kind of arrays, and coordinates: name to (dimension, numbers)."""
    if kind == "coefficients":
        return (COEFFICIENT,), {
            name: (COEFFICIENT, one) for name, one in transform.coefficient_coordinates.items()
        }
    places = transform.value_coordinates
    if len(transform.shape) == 1:
        return ("point",), {name: ("point", one) for name, one in places.items()}
    return tuple(places), {name: (name, one) for name, one in places.items()}


def plain(transform, array, kind, name):
    """With the dimensions of the kind last, in order; their coordinates, where it has any, are the
    transform's."""
    if transform.sets[0] > 1 and transform.splits_fields:
        raise InputError(
            f"{name} is labelled, but V sets share the fields. Give numpy arrays, or sets with V = 1."
        )
    if hasattr(array, "data_vars"):
        raise InputError(f"{name} is a Dataset. Give one of its variables: {', '.join(map(str, array))}.")
    dims, coordinates = axes(transform, kind)
    own = [found_dimension(array, dim, kind, name) for dim in dims]
    array = array.transpose(..., *own)
    for label, (_, expected) in coordinates.items():
        for known in ALIASES.get(label, (label,)):
            if known in array.coords:
                check(array.coords[known], expected, known, name)
    return array


def alike(first, first_name, array, name, n_own):
    """With the leading dimensions of the first array in its order, those before the `n_own` last ones. Raises
    ConfigError, which names the dimension, where they or their coordinates differ."""
    leading, others = first.dims[:-n_own], array.dims[:-n_own]
    for dim in (*leading, *others):
        if dim not in leading or dim not in others:
            has, lacks = (first_name, name) if dim in leading else (name, first_name)
            raise ConfigError(f"{has} has the dimension {dim}, and {lacks} has none. Give both the same.")
        if first.sizes[dim] != array.sizes[dim]:
            raise ConfigError(
                f"{dim} has {first.sizes[dim]} values in {first_name}, and {array.sizes[dim]} in {name}. "
                "Give as many."
            )
        if dim in first.coords and dim in array.coords and not first.indexes[dim].equals(array.indexes[dim]):
            raise ConfigError(
                f"{dim} of {name} is not that of {first_name}. Give both on one {dim}, such as by "
                f"{name}.sel({dim}={first_name}.{dim})."
            )
    return array.transpose(*leading, *array.dims[-n_own:])


def found_dimension(array, dim, kind, name):
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


def check(coordinate, expected, label, name):
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
        turn = f"Turn it round: {name}.isel({coordinate.dims[0]}=slice(None, None, -1))"
        raise InputError(
            f"{label}[{i}] of {name} is {known[i]:g}, and that of the transform {expected[i]:g}. "
            f"{turn if backwards else f'Give {name} on its grid'}."
        )


def put_labels(transform, result, first, given, found, attributes):
    import xarray

    own_dims, _ = axes(transform, given)
    dims, coordinates = axes(transform, found)
    leading = first.dims[: len(first.dims) - len(own_dims)]
    kept = {name: one for name, one in first.coords.items() if set(one.dims) <= set(leading)}
    made = {name: (dim, numbers, ATTRIBUTES.get(name, {})) for name, (dim, numbers) in coordinates.items()}
    attributes = dict(attributes)
    name = attributes.pop("name", first.name)
    return xarray.DataArray(result, dims=(*leading, *dims), coords=kept | made, name=name, attrs=attributes)
