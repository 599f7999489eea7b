"""The validation cases of the linear solver pass, and fail for a weaker method or a wrong operator."""

from unittest.mock import patch

from halcyon import krylov
from halcyon_validation import krylov_helmholtz as cases
from halcyon_validation.cases import cases_of


def failed_checks(case):
    """Names of the checks of a case that failed."""
    cases._solved.cache_clear()
    return [check.name for check in case().checks if not check.passed]


def test_all_cases_pass():
    assert cases_of("krylov").keys() == cases.CASES.keys()
    assert [failed_checks(case) for case in cases.CASES.values()] == [[], [], []]


def test_cases_find_a_weaker_method_and_a_wrong_operator():
    with patch.object(cases, "solve", lambda *args, **options: krylov.solve(*args, **options, k=1)):
        assert any("iterations" in name for name in failed_checks(cases.helmholtz_iterations))
    with patch.object(cases, "Helmholtz", lambda n, length: krylov.Helmholtz(n, length, n_longitudes=n)):
        assert any("error" in name for name in failed_checks(cases.helmholtz_error))
    cases._solved.cache_clear()
