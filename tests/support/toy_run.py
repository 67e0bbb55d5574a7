"""Run the test-only instrument's own ``run``, or ``judge``, in a process of its own: python toy_run.py run|judge ARGS."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from toy import TOY  # noqa: E402

from tutorscope.cli import instruments as installed  # noqa: E402

installed.instruments = lambda: {"toy": lambda: TOY}

if __name__ == "__main__":
    from tutorscope.cli import main as command_line

    command_line.instruments = installed.instruments
    command_line.main(sys.argv[1:])
