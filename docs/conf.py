"""How the documentation is built: MyST pages, furo's own files, formulas as MathML; nothing comes from elsewhere."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "tutorscope"
author = "the tutorscope authors"
copyright = author
version = release = version_of("tutorscope")

extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
]
exclude_patterns = ["_build"]

myst_enable_extensions = ["dollarmath", "deflist", "fieldlist"]
myst_heading_anchors = 3

# The docstrings name types, shapes and units; spelled-out array types would only bury the names.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

add_module_names = False

html_theme = "furo"
html_title = f"tutorscope {version}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

# The rooms that others build on. Instruments and the command line have pages of their own.
ROOMS = ("errors", "chats", "stats", "texts", "pictures", "models", "runs", "judging", "people")


def write_reference() -> None:
    """Write one page a room into ``docs/reference``, with every module that the room has now."""
    source = HERE.parent / "src"
    (HERE / "reference").mkdir(exist_ok=True)
    for room in ROOMS:
        found = [source / "tutorscope" / f"{room}.py", *sorted((source / "tutorscope" / room).rglob("*.py"))]
        modules = [path for path in found if path.is_file() and path.read_text(encoding="utf-8").strip()]
        names = [".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__") for path in modules]
        parts = [f"## {name}\n\n```{{eval-rst}}\n.. automodule:: {name}\n```\n" for name in names]
        if parts:
            (HERE / "reference" / f"{room}.md").write_text("\n".join([f"# {room}\n", *parts]), encoding="utf-8")


write_reference()
