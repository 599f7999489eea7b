"""The models of runs: `model` of a case names a module here, whose class `Model` is a `RunModel`."""
