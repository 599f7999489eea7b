"""Validation of the models against analytic solutions, published values and measurements."""
