"""Source terms of one's own on the spectra of the wave model."""

import numpy as np
import pytest

from halcyon.base import ConfigError
from halcyon.physics import spectrum_scheme
from tests.physics import schemes
from tests.support import sea_states

HERE = "tests.physics.schemes"
RATE, DT_S = 2e-5, 1200.0
# Without wind and these terms, only added source terms change the sea.
NO_TERMS = {"limiter": "none", "transfer": 0.0, "whitecapping": 0.0, "friction": 0.0}


def sea(*terms):
    """A model without wind, with a sea of 12 m/s and only the given source terms."""
    model = sea_states.model(
        sea_states.sphere(2), sea_states.spectral_grid(), schemes=list(terms), physics_options=NO_TERMS
    )
    wind = np.full(model.n_owned, 12.0)
    model.set_wind(wind, 0 * wind)
    model.set_fetch_law(2e5)
    model.set_wind(0 * wind, 0 * wind)
    return model


def resolved(model):
    """Action at the frequencies below the diagnostic tail."""
    return model.action[:, :3].copy()


def test_a_damping_damps_at_its_rate():
    """S = -r F with its derivative is implicit: F / (1 + r dt) after a step; a field sums what is damped."""
    damped, free = sea(spectrum_scheme(f"{HERE}:damping", rate=RATE)), sea()
    before = resolved(damped)
    assert damped.sources(DT_S) == free.sources(DT_S) == (-1, 0.0)
    assert resolved(free) == pytest.approx(before, rel=1e-6)
    assert resolved(damped) == pytest.approx(before / (1 + RATE * DT_S), rel=1e-5)
    assert damped.scheme_field("damped_density").min() > 0
    assert [variable.name for variable in damped.scheme_variables] == ["damped_density"]


def test_a_scheme_sees_its_cell():
    """A damping north of 10 N damps there only."""
    model = sea(spectrum_scheme(f"{HERE}:damping", rate=RATE, north=10.0))
    before = resolved(model)
    model.sources(DT_S)
    ratio = resolved(model).sum(axis=(1, 2)) / before.sum(axis=(1, 2))
    is_north = np.degrees(model.latitude[: model.n_owned]) > 10
    assert ratio[is_north] == pytest.approx(1 / (1 + RATE * DT_S), rel=1e-5)
    assert ratio[~is_north] == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("source", [schemes.DAMPING_C, schemes.DAMPING_F90], ids=["c", "fortran"])
def test_terms_in_c_fortran_and_python_give_the_same_bits(tmp_path, source):
    library = schemes.compiled(tmp_path, "damping", source)
    ours = sea(spectrum_scheme(f"{library}:damping", rate=RATE))
    other = sea(spectrum_scheme(f"{HERE}:damping", rate=RATE))
    for model in (ours, other):
        model.sources(DT_S)
    assert (ours.action == other.action).all()


def test_a_source_that_is_not_finite_is_named():
    model = sea(spectrum_scheme(f"{HERE}:not_finite_source"))
    model.sources(DT_S)
    cell, scheme, message, result, bin_, value = model.scheme_failure
    assert (cell >= 0, scheme, message, result, value) == (True, "not_finite_source", "", "source", np.inf)
    assert bin_ == 2 * 36 + 3
    assert np.isfinite(model.action).all()


def test_a_source_of_another_shape_is_an_error():
    model = sea(spectrum_scheme(f"{HERE}:wrong_source"))
    model.sources(DT_S)
    assert "source has the shape (cell, frequency, direction) = (16, 8, 36)" in model.scheme_failure[2]


def test_an_error_of_a_term_is_kept():
    model = sea(spectrum_scheme(f"{HERE}:failing"))
    model.sources(DT_S)
    assert "ZeroDivisionError" in model.scheme_failure[2]


def test_a_field_that_is_a_variable_is_an_error(monkeypatch):
    monkeypatch.setattr(schemes.damping, "fields", [schemes.Field("depth", "m", "depth", levels=False)])
    with pytest.raises(ConfigError, match="field 'depth', but there is already a variable"):
        sea(spectrum_scheme(f"{HERE}:damping"))


def test_no_term_is_built_in():
    with pytest.raises(ConfigError, match=r"no physics scheme 'damping'. Use LIBRARY.so:FUNCTION"):
        spectrum_scheme("damping")


def test_a_scheme_of_columns_is_no_source_term():
    with pytest.raises(ConfigError, match="'held_suarez' is one of columns of air, not a source term"):
        spectrum_scheme("held_suarez")
