"""Spectra of recorded signals over time and angle, and what in a machine causes their lines."""
