"""Pictures of results: curves, maps, diagrams, one file each."""
