"""The cases of `halcyon_validation.wave_envelope` pass."""

from halcyon_validation import wave_envelope


def test_strong_winds_saturate():
    outcome = wave_envelope.saturated_seas()
    assert [check.name for check in outcome.checks if not check.passed] == []
    assert len(outcome.checks) == 2 * len(wave_envelope.runs.SOURCE_SETS) * 6


def test_growth_is_within_the_envelope_of_other_models(shared):
    """Heights at 3 to 72 h and at 30 to 1000 km are within the envelope widened by 10 %."""
    outcome = wave_envelope.growth_envelope(shared / "data" / "growth")
    assert outcome.checks and [check.name for check in outcome.checks if not check.passed] == []
