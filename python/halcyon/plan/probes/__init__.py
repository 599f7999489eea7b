"""What a step of a model costs here: measured by `halcyon plan` and `halcyon bench`."""
