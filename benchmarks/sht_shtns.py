"""Transforms of SHTns for `sht.py`: field by field by its Python module, and batches by its C library."""

import ctypes

import numpy as np

try:
    import _shtns
    import shtns
except ImportError:
    shtns = None

COMPLEX, REAL = (np.ctypeslib.ndpointer(kind, flags="C") for kind in (complex, float))


def singly(case, polar):
    """Functions that transform field by field, longitudes contiguous. The analysis overwrites its input, the
    result of the previous call.

    polar: size below which functions near the poles are skipped"""
    plan = plan_of(case, shtns.SHT_PHI_CONTIGUOUS, polar)
    return {
        "synthesis": case.singly(plan.SH_to_spat, case.coefficients, case.scratch),
        "analysis": case.singly(plan.spat_to_SH, case.scratch, case.back),
    }


def batched(case):
    """Functions that transform all fields in one call of the C library; the Python module has no such
    call."""
    plan, library = plan_of(case, shtns.SHT_PHI_CONTIGUOUS, n_fields=case.n_fields), functions()
    values = np.empty_like(case.scratch)
    return calls(library, plan, case, values)


def batched_its_way(case):
    """Functions that transform all fields in one call, in the fastest layout of SHTns: (field, longitude,
    latitude), latitudes padded."""
    layout = shtns.SHT_THETA_CONTIGUOUS | shtns.SHT_ALLOW_PADDING
    plan, library = plan_of(case, layout, n_fields=case.n_fields), functions()
    return calls(library, plan, case, np.empty(plan.nspat))


def calls(library, plan, case, values):
    """Functions for synthesis and analysis; the input of the analysis is the result of the previous call."""
    handle, spectra, back = int(plan.this), case.coefficients, case.back
    return {
        "synthesis": lambda plan=plan: library.SH_to_spat(handle, spectra, values),
        "analysis": lambda plan=plan: library.spat_to_SH(handle, values, back),
    }


def plan_of(case, layout, polar=1e-10, n_fields=1):
    plan = shtns.sht(case.truncation, case.truncation, norm=shtns.sht_fourpi | shtns.SHT_NO_CS_PHASE)
    if n_fields > 1 and functions().shtns_set_many(int(plan.this), n_fields, 0) != n_fields:
        raise RuntimeError(f"SHTns does not support a batch of {n_fields} fields.")
    plan.set_grid(case.n_rows, 2 * case.n_rows, flags=shtns.sht_gauss | layout, polar_opt=polar)
    return plan


def functions():
    """The C library of SHTns, which is part of its Python module."""
    library = ctypes.CDLL(_shtns.__file__)
    library.shtns_set_many.argtypes = ctypes.c_void_p, ctypes.c_int, ctypes.c_long
    library.SH_to_spat.argtypes = ctypes.c_void_p, COMPLEX, REAL
    library.spat_to_SH.argtypes = ctypes.c_void_p, REAL, COMPLEX
    library.SH_to_spat.restype = library.spat_to_SH.restype = None
    return library
