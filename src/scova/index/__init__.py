"""Index: the handle a user holds. What it can be asked, how it stands, the way in and out, and how its parts fit together."""

from scova.index.handle import Index

__all__ = ["Index"]
