"""How a model would scale on a machine: computation as measured here, communication as simulated."""
