"""The bug bundle: everything about one session that another person needs, and none of its secrets."""

from sse_tui.offline.bundle.known_secrets import bundle_redactor
from sse_tui.offline.bundle.making import Bundle, make_bundle, new_bundle_path

__all__ = ["Bundle", "bundle_redactor", "make_bundle", "new_bundle_path"]
