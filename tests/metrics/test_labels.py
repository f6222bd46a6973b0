from __future__ import annotations

import pytest

from sse_tui.metrics import label_for


@pytest.mark.parametrize("ratio", [1, 41 / 40, 6 / 5, 0.8])
def test_one_token_an_event_is_itl(ratio: float) -> None:
    assert label_for(ratio) == "ITL"


@pytest.mark.parametrize("ratio", [None, 2, 1.3, 0.5])
def test_several_or_unknown_is_icl(ratio: float | None) -> None:
    assert label_for(ratio) == "ICL"
