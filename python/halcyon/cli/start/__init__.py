"""`halcyon demo` and `halcyon new`: the first run of a new user."""
