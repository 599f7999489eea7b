"""Launch of MPI jobs, error handling across ranks, and interrupts, for all programs that run on several
ranks."""
