"""How fast the machine is that this runs on, as a machine file; and how well simulations with it hold."""
