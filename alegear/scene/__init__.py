"""Scenes in three dimensions: stress on deformed teeth, gearboxes, motions, modes of planetary sets."""
