"""Ways of tutoring: one prompt, the routed policy, and the user's own."""
