"""Files in Hugging Face repositories, through huggingface_hub: URL, hash, the user's token."""

from __future__ import annotations

from sse_tui.errors import ModelError
from sse_tui.models.download import DownloadSource


def hub_source(spec: str) -> DownloadSource:
    """The source of "owner/repo/path/file.gguf", where "repo" may be followed by "@revision"."""
    owner, _, rest = spec.partition("/")
    repository, _, file = rest.partition("/")
    repository, _, revision = repository.partition("@")
    if not owner or not repository or not file:
        raise ModelError(
            "model-unknown", f"'hf:{spec}' does not name a file.", "Write hf:owner/repo/file.gguf."
        )
    try:
        import huggingface_hub as hub
    except ImportError as error:
        raise ModelError(
            "hub-missing",
            f"'hf:{spec}' needs the package huggingface_hub.",
            "Install it: pip install 'sse-tui[hub]'.",
        ) from error
    url = hub.hf_hub_url(f"{owner}/{repository}", file, revision=revision or None)
    try:
        found = hub.get_hf_file_metadata(url)
    except Exception as error:  # what it raises depends on its version's HTTP library
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise ModelError("download-refused", f"Hugging Face refused '{spec}': {reason}.") from error
    # The entity tag of a large file is its SHA-256, in hex.
    sha256 = found.etag if len(found.etag or "") == 64 else None
    headers = hub.utils.build_hf_headers()
    # Not `found.location`: a redirect to another host must not be followed with the user's token.
    return DownloadSource(url, headers=headers, sha256=sha256, size=found.size, begins=b"GGUF")
