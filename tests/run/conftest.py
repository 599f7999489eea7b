"""Fixtures of tests of complete runs."""

import pytest


@pytest.fixture
def folder(path, request):
    """The output folder of a test, in the folder of the case `path` of its module."""
    return path.with_name(request.node.name.replace("/", "_"))
