"""Agents that work for another one."""
