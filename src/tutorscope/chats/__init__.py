"""Chats: who said what, one reader for each log format, and what is valid to be scored."""
