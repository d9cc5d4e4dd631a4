"""Pictures: figures of results, of cases and of signals."""
