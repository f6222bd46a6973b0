"""The bug bundle: everything about one session that another person needs, and none of its secrets."""

from .making import Bundle, make_bundle, new_bundle_path
from .secrets import bundle_redactor

__all__ = ["Bundle", "bundle_redactor", "make_bundle", "new_bundle_path"]
