"""Calibration: measures the machine of a job, writes a machine file, and compares simulations with
measurements."""
