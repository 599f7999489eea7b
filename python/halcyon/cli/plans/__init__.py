"""`halcyon plan`: predicts the scaling of models."""
