"""Packs numbers for a page: quantised, as differences in time, compressed, and as text.

Text: groups of four bytes as five digits of base 85, with an alphabet that needs no escapes in HTML.
`data.js` is the reader."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

ALPHABET = "".join(c for c in map(chr, range(33, 127)) if c not in "\"&'<>\\`")[:85]
_DIGITS = np.frombuffer(ALPHABET.encode(), np.uint8)
_POWERS = 85 ** np.arange(4, -1, -1, dtype=np.uint32)


def text_of(data: bytes) -> str:
    """Bytes as text, 5 characters per 4 bytes, and 1 more than its bytes for a last, shorter group."""
    padding = -len(data) % 4
    words = np.frombuffer(data + bytes(padding), ">u4")
    text = _DIGITS[words[:, None] // _POWERS % 85].tobytes().decode()
    return text[: len(text) - padding]


def packed_integers(values: np.ndarray) -> str:
    """Integers of 32 bits as text: differences of consecutive values, in four planes of bytes, deflated."""
    differences = np.diff(np.asarray(values, np.int32).ravel(), prepend=np.int32(0))
    zigzag = ((differences << 1) ^ (differences >> 31)).astype(
        "<u4"
    )  # small for small differences of any sign
    return text_of(_deflated(_planes(zigzag)))


@dataclass(frozen=True)
class PackedField:
    """A quantised field (time, cell): value = lowest + step * (code - 1); code 0 is a missing value.

    error: largest difference from the given values, in their unit; text: the packed codes."""

    lowest: float
    step: float
    bits: int
    error: float
    text: str


def packed_field(values: np.ndarray, bits: int) -> PackedField:
    """Quantises values (time, cell), NaN where missing, into 2**bits - 2 equal intervals (bits up to 16).

    Codes are stored as differences in time modulo 2**8 or 2**16; codes above 8 bits in two planes of bytes,
    the lower bytes first."""
    finite = values[np.isfinite(values)]
    lowest, highest = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    step = (highest - lowest) / (2**bits - 2) or 1.0
    with np.errstate(invalid="ignore"):
        exact = 1 + (values.astype(np.float64) - lowest) / step
    kind: Any = np.uint8 if bits <= 8 else np.uint16
    codes = np.where(np.isfinite(exact), np.rint(exact), 0).astype(kind)
    differences = codes.copy()
    differences[1:] -= codes[:-1]
    return PackedField(lowest, step, bits, step / 2, text_of(_deflated(_planes(differences))))


def _planes(values: np.ndarray) -> bytes:
    """The bytes of little-endian integers: all lowest bytes first, then the next."""
    ordered = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).ravel()
    return ordered.view(np.uint8).reshape(-1, values.dtype.itemsize).T.tobytes()


def _deflated(data: bytes) -> bytes:
    return zlib.compress(data, 7)
