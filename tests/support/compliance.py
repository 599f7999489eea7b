"""Messages of compliance-checker about a file."""

import warnings

import pytest


def complaints(path):
    """Returns all messages of the checks of CF-1.11, of any severity."""
    pytest.importorskip("compliance_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from checkers that are not used
        from compliance_checker.runner import CheckSuite

        suite = CheckSuite()
        suite.load_all_available_checkers()
        checks, failures = suite.run_all(suite.load_dataset(str(path)), ["cf:1.11"])["cf:1.11"]
    assert not failures
    return [text for check in checks if not _passed(check.value) for text in check.msgs or [check.name]]


def _passed(value):
    """Whether a check succeeded; its value is a bool, or (points that the file got, points possible)."""
    return value[0] == value[1] if isinstance(value, tuple) else bool(value)
