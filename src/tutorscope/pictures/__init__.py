"""What reports show: blocks of a page, and the look of our figures."""
