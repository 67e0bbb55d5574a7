"""``python -m tutorscope``: the command line, where the program itself is not on the path."""

from tutorscope.cli.main import main

if __name__ == "__main__":
    main()
