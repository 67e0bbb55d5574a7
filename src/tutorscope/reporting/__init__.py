"""The page, assembled from the sections that instruments offer."""
