"""The arrays of a transform, on the sphere or a plane: what they are given as, and what results go to."""

import numpy as np

from halcyon.base import InputError
from halcyon.transform.arrays import apart, numbers, output
from halcyon.transform.labels import labelled
from halcyon.transform.round_trips import RoundTrips

__all__ = ["Shaped"]


class Shaped(RoundTrips):
    """Of a transform with `core`, `shape` of a field of values, `n_coefficients` and `sets`. `place` is what
    its values lie on, in a word; `truncated` what its coefficients are of."""

    place: str

    @labelled("values", "coefficients")
    def analysis(self, values, *, out=None):
        """Coefficients (..., coefficient) of fields: exact for what the truncation holds."""
        with self._together() as same:
            values, fields = self._values(values, "values")
            coefficients = self._coefficients_out(fields, out)
            apart([coefficients], [values])
            same("fields", fields)
        self._tune_first(fields)
        self.core.analysis(values, coefficients)
        return coefficients

    def _values(self, given, name):
        """The array, and the leading dimensions of its fields."""
        found = numbers(given, np.float64, name)
        rank = len(self.shape)
        if found.shape[-rank:] != self.shape:
            raise InputError(
                f"{name} has the shape {found.shape}. A field on this {self.place} is {self.shape}: give "
                f"(..., {', '.join(map(str, self.shape))})."
            )
        return found, found.shape[:-rank]

    def _whole_coefficients(self, given, name):
        """The array of one coefficient each."""
        found = numbers(given, np.complex128, name)
        if found.shape[-1:] != (self.n_coefficients,):
            raise InputError(
                f"{name} has the shape {found.shape}. {self.truncated} has {self.n_coefficients} "
                f"coefficients{'' if self.sets == (1, 1) else ' on this rank'}: give (..., coefficient)."
            )
        return found

    def _of_coefficients(self, function, coefficients):
        """What a function of the core makes of coefficients, of each as many."""
        coefficients = self._whole_coefficients(coefficients, "coefficients")
        found = np.empty_like(coefficients)
        function(coefficients, found)
        return found

    def _held(self, fields):
        """Leading dimensions of the coefficients that this rank has of all fields."""
        return fields

    def _values_out(self, fields, out):
        return output(out, (*fields, *self.shape), np.float64)

    def _coefficients_out(self, fields, out):
        return output(out, (*self._held(fields), self.n_coefficients), np.complex128)
