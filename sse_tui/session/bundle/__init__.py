"""The bug bundle: everything about one session that another person needs, and none of its secrets."""

from sse_tui.session.bundle.making import Bundle, make_bundle, new_bundle_path
from sse_tui.session.bundle.secrets import bundle_redactor

__all__ = ["Bundle", "bundle_redactor", "make_bundle", "new_bundle_path"]
