"""The parts of the report: sentences, tables, talks."""
