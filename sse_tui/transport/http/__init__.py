"""HTTP over stamped connections: sockets, TLS, framing, and httpx's own transport for proxies and HTTP/2."""
