"""HTTP over a stamped connection: sockets, TLS, framing, routing, and httpx's own transport where ours cannot go."""
