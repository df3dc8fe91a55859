"""A fitted estimator and a fold → y_true and y_scores → figures."""
