"""The base of the panes that show lines: a scrolling view that follows its end until someone scrolls up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from sse_tui.tui.drawing.styles import component_style


class LineView(ScrollView, can_focus=True):
    """Draws `line_count()` lines by `draw(index, width)`; only what is on screen is ever drawn.

    While `following`, the last line stays in view as lines are added. Any scroll upward ends that, `follow()`
    restores it; both post `FollowChanged`.
    """

    ALLOW_SELECT = False

    class FollowChanged(Message):
        """Following began or ended."""

    def __init__(self, *, id: str | None = None, following: bool = True) -> None:
        super().__init__(id=id)
        self.following = following
        self._settling = False

    def line_count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def draw(self, index: int, width: int) -> Strip:
        """One line."""
        raise NotImplementedError

    def style_of(self, name: str) -> Style:
        """The style of a component class, without the pane's own background."""
        return component_style(self, name)

    def strip_of(self, runs: Iterable[tuple[str, str]], prefix: str) -> Strip:
        """Texts with the names of their styles, those of the component classes with this prefix; "" for none."""
        styled = ((text, self.style_of(f"{prefix}--{name}") if name else None) for text, name in runs if text)
        return Strip([Segment(text, style) for text, style in styled])

    def lines_changed(self) -> None:
        """Take in a new number of lines; scrolls to the end while following."""
        with self.settling():
            self.virtual_size = Size(self.content_width, self.line_count())
            if self.following:
                end = max(0, self.line_count() - self.size.height)
                self.scroll_to(y=end, animate=False, force=True)
        self.refresh()

    @contextmanager
    def settling(self) -> Iterator[None]:
        """Scrolling inside this block is not the user's: it does not end following."""
        before, self._settling = self._settling, True
        try:
            yield
        finally:
            self._settling = before

    @property
    def content_width(self) -> int:
        """The cells a line may use: all of the pane but the scrollbar's column."""
        return max(1, self.scrollable_content_region.width)

    def follow(self) -> None:
        """Go to the end and stay there."""
        if not self.following:
            self.following = True
            self.post_message(self.FollowChanged())
        self.lines_changed()

    def action_follow(self) -> None:
        self.follow()

    def release(self) -> None:
        if self.following:
            self.following = False
            self.post_message(self.FollowChanged())

    def show_line(self, index: int) -> None:
        """Scroll as little as needed to have a line in view."""
        height = self.size.height
        top = round(self.scroll_y)
        if index < top:
            self.scroll_to(y=index, animate=False)
        elif index >= top + height:
            self.scroll_to(y=index - height + 1, animate=False)

    def under(self, event: events.MouseEvent) -> tuple[int, int] | None:
        """The line under the pointer and the column in it; None beside the lines."""
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        index = round(self.scroll_y) + offset.y
        return (index, offset.x) if 0 <= index < self.line_count() else None

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Release on any scroll upward, but not where the end is still in view: then there are fewer lines now."""
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value and not self._settling and new_value + self.size.height < self.line_count():
            self.release()

    def on_resize(self) -> None:
        """Keep the end in view when the pane's size changes. Textual calls this after a subclass's own handler."""
        self.lines_changed()

    def render_line(self, y: int) -> Strip:
        index = round(self.scroll_y) + y
        width = self.scrollable_content_region.width
        base = self.rich_style
        if index >= self.line_count():
            return Strip.blank(width, base)
        return self.draw(index, width).adjust_cell_length(width, base).apply_style(base)
