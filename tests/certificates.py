"""A certificate that is its own authority, made by the openssl program."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost in `folder`, and its key; the test is skipped where there is no openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl program")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run(
        [*command.split(), *names, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True
    )
    return cert, key


def server_context(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    """What a server needs to show the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context
