"""The templates of grading: whether an answer is right, as a judge is asked."""
