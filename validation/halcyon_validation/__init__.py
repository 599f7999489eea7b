"""Validation of the models against closed forms, published values and laboratory or field curves."""
