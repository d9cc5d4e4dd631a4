"""Pictures of machines: curves, layout, graph, parts that only turn, bodies in space."""
