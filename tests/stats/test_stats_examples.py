"""The examples in the docstrings print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import tutorscope.stats

MODULES = [module.name for module in pkgutil.iter_modules(tutorscope.stats.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_real(name):
    outcome = doctest.testmod(importlib.import_module(f"tutorscope.stats.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
