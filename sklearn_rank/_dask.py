"""Dask arrays: row values are computed chunk by chunk where the chunks are."""
