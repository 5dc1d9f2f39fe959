"""Numbered deals in bulk: numberings, batches, stores, grades and pools."""
