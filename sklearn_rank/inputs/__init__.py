"""Whatever users pass → y_true and y_scores that belong together, checked."""
