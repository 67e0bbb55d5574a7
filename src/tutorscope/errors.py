"""Errors that a user can act on: one line, exit code 2."""

from __future__ import annotations


class UserError(Exception):
    """Bad input. The message is one line: which file, which line or field, what was found, what was expected.

    The command line prints it without a traceback and exits with code 2.
    """


class RefusedError(UserError):
    """The run already holds something else under that name; the message names the field that changed."""
