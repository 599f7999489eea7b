"""The models of runs, a file each, which `model` of a case names: its class `Model` is a `RunModel`."""
