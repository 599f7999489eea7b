"""What tests of whole runs share: a folder for each."""

import pytest


@pytest.fixture
def folder(path, request):
    """Beside the case `path` of the test module, one for the test."""
    return path.with_name(request.node.name.replace("/", "_"))
