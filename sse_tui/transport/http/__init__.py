"""HTTP over stamped connections: sockets, TLS, framing, and httpcore for proxies and HTTP/2."""
