"""`python -m catchrate` is the command line."""

from catchrate.cli import main

if __name__ == "__main__":
    main()
