"""A loader of YAML for cassettes: every scalar is text but for binary ones, and no tag makes an object."""

from __future__ import annotations

import base64
import binascii
import importlib
from functools import cache
from typing import Any

_BINARY = ("tag:yaml.org,2002:binary", "!binary")


@cache
def loader() -> Any:
    """The class to give to ``yaml.load``: with libyaml where PyYAML has it, which is ten times quicker."""
    yaml = importlib.import_module("yaml")
    parser = getattr(yaml, "CParser", None)
    readers = (
        (parser,)
        if parser is not None
        else (yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer)
    )
    rest = (yaml.constructor.BaseConstructor, yaml.resolver.BaseResolver)

    def begin(self: Any, stream: Any) -> None:
        readers[0].__init__(self, stream)
        for base in (*readers[1:], *rest):
            base.__init__(self)

    def binary(self: Any, node: Any) -> bytes:
        try:
            return base64.b64decode("".join(str(self.construct_scalar(node)).split()), validate=True)
        except (binascii.Error, ValueError) as error:
            raise yaml.constructor.ConstructorError(
                None, None, f"broken binary: {error}", node.start_mark
            ) from error

    made: Any = type("CassetteLoader", (*readers, *rest), {"__init__": begin})
    for tag in _BINARY:
        made.add_constructor(tag, binary)
    return made
