"""What rules see in a turn: leaks, the student's own work, commitments, requests; as published, and sounder."""
