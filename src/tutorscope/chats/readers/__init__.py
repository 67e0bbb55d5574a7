"""One module for each log format; the registry knows them by name."""
