"""A browser for the tests of pages."""

import pytest

from tests.support import browser

# A text that ends or begins elements, comments and strings if it is not escaped.
HOSTILE = "<script>alert(1)</script> </SCRIPT> <!-- \" ' & {{style}} \\u003c 台風 \U0001f30a"


@pytest.fixture(scope="session")
def _started():
    if browser.executable() is None:
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    with browser.Browser() as started:
        yield started


@pytest.fixture
def chromium(_started):
    """Headless Chromium. The test fails if its console has an error, or a page has asked a network."""
    yield _started
    assert _started.errors == []
    assert all(address.startswith(("file:", "data:", "about:")) for address in _started.requests)
