"""Reports of results: one HTML file that needs nothing else, for the screen and for paper."""
