"""Problem sets that the package ships: the published one in our own words, and a small one for the demo."""
