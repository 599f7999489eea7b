"""`python -m halcyon.physics` prints the folder of halcyon_physics.h and halcyon_physics.f90."""

from halcyon.physics.include import include_dir

print(include_dir())
