"""A certificate for servers that speak HTTP/2."""

from __future__ import annotations

import ssl

import pytest

from tests.certificates import make_certificate, server_context


@pytest.fixture(scope="session")
def h2_context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    context = server_context(make_certificate(tmp_path_factory.mktemp("h2")))
    context.set_alpn_protocols(["h2"])
    return context
