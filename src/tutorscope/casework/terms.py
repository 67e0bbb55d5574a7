"""The words that name what casework asks. Nothing is imported here: the command line reads them before it runs."""

HORIZONS = ("immediate", "long_term")
"""A reply for the moment, or a plan over weeks."""

FORMS = ("open", "reference", "mcq", "binary")
"""The ways to ask."""

DEFAULT_FORMS = ("open", "mcq")
"""What is asked where no form is named."""

LETTERS = "ABCD"
