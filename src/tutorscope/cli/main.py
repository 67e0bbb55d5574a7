"""``tutorscope``: the command line. Every command loads what it needs only when it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from tutorscope.cli.instruments import instrument_group, instruments
from tutorscope.errors import UserError

SHARED_VERBS = {
    "chats": "tutorscope.cli.chats:chats",
    "demo": "tutorscope.cli.demo:demo",
    "judge": "tutorscope.cli.judge:judge",
    "models": "tutorscope.cli.models:models",
    "raters": "tutorscope.cli.raters:raters",
    "report": "tutorscope.cli.report:report",
    "runs": "tutorscope.cli.runs:runs",
}


class Commands(click.Group):
    """The commands: shared verbs, and one group an instrument. Loaded one at a time, so that --help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands: instruments first."""
        return [*instruments(), *sorted(SHARED_VERBS)]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Load one command."""
        if name in SHARED_VERBS:
            module, attribute = SHARED_VERBS[name].split(":")
            command: click.Command = getattr(__import__(module, fromlist=[attribute]), attribute)
            return command
        record = instruments().get(name)
        return instrument_group(record()) if record else None


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="tutorscope")
def cli() -> None:
    """Measure how AI tutors help: when they step in, what they give away, whether the student still works."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 units erred, 2 bad input, 130 stopped by the user."""
    try:
        code = cli.main(args=list(args) if args is not None else None, standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except UserError as problem:
        _say(f"error: {problem}")
        sys.exit(2)
    except click.ClickException as problem:
        problem.show()
        sys.exit(problem.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _say("stopped")
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) is gone: nothing is left to say, and the interpreter must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except UnicodeError as problem:
        _say(f"error: a text could not be read ({problem}); expected UTF-8, or the encoding that --encoding names")
        sys.exit(2)
    except OSError as problem:
        _say(f"error: {problem.filename or 'a file'}: {problem.strerror or problem}")
        sys.exit(2)


def _say(line: str) -> None:
    from tutorscope.texts.plain import strip_controls

    click.echo(strip_controls(line).replace("\n", " "), err=True)


if __name__ == "__main__":
    main()
