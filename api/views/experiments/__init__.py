"""Experiments: many sessions played in the background."""
