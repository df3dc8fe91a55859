"""Ranked relevant items → row values → figures."""
