"""`halcyon mesh`: makes and describes meshes."""
