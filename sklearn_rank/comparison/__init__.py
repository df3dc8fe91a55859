"""Row values of several models → intervals, tests, pictures."""
