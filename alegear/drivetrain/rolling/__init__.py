"""Rolling bearings: rollers and balls between two rings, with clearance and localised defects. See README.md."""
