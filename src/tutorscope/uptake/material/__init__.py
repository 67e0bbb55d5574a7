"""Chats written for this package, in our own format: what the demo scores."""
