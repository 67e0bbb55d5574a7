"""From tables to verdicts: contrasts, couplings, budgets, claims, judges against each other, power."""
