"""The uptake instrument: how much a tutor scaffolds in real chats, and whether the student takes it up."""
