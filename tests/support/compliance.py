"""What compliance-checker finds wrong with a file."""

import warnings

import pytest


def complaints(path):
    """Its complaints, whatever their weight, by the rules of CF-1.11."""
    pytest.importorskip("compliance_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of checkers that are not asked
        from compliance_checker.runner import CheckSuite

        suite = CheckSuite()
        suite.load_all_available_checkers()
        checks, failures = suite.run_all(suite.load_dataset(str(path)), ["cf:1.11"])["cf:1.11"]
    assert not failures
    return [text for check in checks if not _passed(check.value) for text in check.msgs or [check.name]]


def _passed(value):
    return value[0] == value[1] if isinstance(value, tuple) else bool(value)
