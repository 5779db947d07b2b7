"""`Controller`: functions, and what runs them, under one name."""

from pyfunctools.controller.controller import Controller

__all__ = ["Controller"]
