"""`python -m halcyon` is the command `halcyon`."""

from halcyon.cli import main

if __name__ == "__main__":
    main()
