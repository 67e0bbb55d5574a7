"""``--help`` stays light: none of the heavy libraries is loaded for it, for any command."""

import json
import subprocess
import sys

HEAVY = ["inspect_ai", "matplotlib", "numpy", "openai", "pandas", "pyarrow", "scipy", "statsmodels", "xllamacpp"]

# One process walks all commands: a child for each would cost a second apiece.
WALK = """
import json, sys
import click
from tutorscope.cli.main import cli

def walk(command, path, parent=None):
    context = click.Context(command, info_name=path[-1], parent=parent)
    assert command.get_help(context)
    loaded[" ".join(path)] = [name for name in HEAVY if name in sys.modules]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            walk(command.get_command(context, name), [*path, name], context)

HEAVY, loaded = json.loads(sys.argv[1]), {}
walk(cli, ["tutorscope"])
print(json.dumps(loaded))
"""


def test_no_help_loads_a_heavy_library() -> None:
    walked = subprocess.run([sys.executable, "-c", WALK, json.dumps(HEAVY)], capture_output=True, text=True, check=True)
    loaded = json.loads(walked.stdout)
    assert "tutorscope uptake run" in loaded
    assert {command: names for command, names in loaded.items() if names} == {}


def test_the_package_runs_as_a_module() -> None:
    said = subprocess.run([sys.executable, "-m", "tutorscope", "--version"], capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.startswith("python -m tutorscope, version ")
    wrong = subprocess.run([sys.executable, "-m", "tutorscope", "casework", "check", "nowhere"], capture_output=True)
    assert wrong.returncode == 2
