"""Checked scores and grades → where the relevant items stand; the only place that puts scores in order."""
