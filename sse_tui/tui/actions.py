"""Every action of the app, once: key bindings, footer, help screen and command palette are made from this list.

An action's `id` is its name in ``[keys]`` of the configuration. `keys` work everywhere, in the prompt as well; `plain`
keys work wherever no text is being typed. The keys of a scope other than "app" work while that pane has the focus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.binding import Binding

from sse_tui.text.nearest import did_you_mean

FOOTER_KEYS = 7
AT_ONCE = frozenset({"app", "faults"})
"""Scopes whose keys act before the next key is looked at: after ctrl+x and a letter, more may come in one go."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action. `label` is two or three words, `help` one sentence.

    `run` is the Textual action, ``wire.find``: the pane that has it, or none for the app or, for the keys of a scope,
    for what has the focus.
    """

    id: str
    run: str
    label: str
    help: str
    keys: str = ""
    plain: str = ""
    scope: str = "app"
    group: str = "Anywhere"
    palette: bool = True


def _pane(scope: str, group: str, *actions: tuple[str, str, str, str, str]) -> tuple[Action, ...]:
    """Actions that only work while one pane has the focus: id, run, label, help and keys of each."""
    return tuple(Action(*action, scope=scope, group=group, palette=False) for action in actions)


ACTIONS: tuple[Action, ...] = (
    Action("help", "help", "help", "Show all keys.", keys="f1", plain="question_mark"),
    Action("palette", "command_palette", "palette", "Search all commands.", keys="ctrl+p", palette=False),
    Action("quit", "quit", "quit", "Quit. The recording is closed and every process ended.", keys="ctrl+q"),
    Action("stop", "stop", "stop", "Stop the stream; leave a field or a search. Never quits.", plain="escape"),
    Action(
        "interrupt", "interrupt", "copy or stop",
        "Copy the selection in a field, else stop the stream. Never quits.", keys="ctrl+c", palette=False,
    ),
    Action("pane.answer", "answer.enter", "answer", "Go to the answer.", keys="f2,alt+1", plain="1", group="Panes"),
    Action("pane.wire", "wire.enter", "wire", "Go to the wire log.", keys="f3,alt+2", plain="2", group="Panes"),
    Action("pane.detail", "detail.enter", "detail", "Go to the detail.", keys="f4,alt+3", plain="3", group="Panes"),
    Action("pane.metrics", "metrics", "metrics", "Show every number with its definition.", keys="f5,alt+4", plain="4",
           group="Panes"),
    Action("findings", "detail.findings", "findings", "Show the findings: what is wrong with the stream.",
           keys="f7,alt+7", plain="7", group="Findings"),
    Action("findings.next", "detail.finding(1)", "next finding", "Go to the next finding, and its row.",
           plain="right_square_bracket", group="Findings"),
    Action("findings.previous", "detail.finding(-1)", "previous finding", "Go to the previous finding, and its row.",
           plain="left_square_bracket", group="Findings"),
    Action("bundle", "session.bundle", "bug bundle", "Bundle the recording for a bug report, without its secrets.",
           keys="f9", plain="b", group="Findings"),
    Action("pane.faults", "faults.enter", "fault", "Break the connection on purpose: then c, r, s or a.",
           keys="ctrl+x,alt+5", plain="x,5", group="Panes"),
    Action("pane.prompt", "prompt", "prompt", "Go to the prompt.", keys="f6,alt+6", plain="i,6", group="Panes"),
    Action("find", "wire.find", "find", "Find text in the wire log as you type.", keys="ctrl+f", plain="slash",
           group="Wire log"),
    Action("find.next", "wire.find_next(1)", "next match", "Go to the next match.", keys="alt+n", plain="n",
           group="Wire log"),
    Action("find.previous", "wire.find_next(-1)", "previous match", "Go to the previous match.", plain="N",
           group="Wire log"),
    Action("filter", "wire.filter(1)", "filter", "Switch between all rows, tokens, no comments, connection, problems.",
           keys="alt+f", plain="f", group="Wire log"),
    Action("filter.previous", "wire.filter(-1)", "previous filter", "Switch to the previous filter.", plain="F",
           group="Wire log", palette=False),
    Action("gap", "wire.slowest_gap", "slowest gap", "Go to the longest gap between two events.", plain="g",
           keys="alt+g", group="Wire log"),
    Action("copy", "workspace.copy", "copy", "Copy the selected event, or the answer, to the clipboard.", keys="alt+y",
           plain="y"),
    Action("markdown", "answer.markdown", "markdown", "Show answers as Markdown or exactly as they were sent.",
           keys="alt+m", plain="m", group="Answer"),
    Action("keep", "session.keep", "keep recording", "Keep this recording when old ones are cleared.", keys="ctrl+r"),
    Action("note", "session.note", "bookmark", "Write a bookmark into the recording.", keys="ctrl+b", plain="B"),
    Action("retry", "session.retry", "try again", "Send an inspected request again; restart a failed endpoint.",
           keys="f8"),
    Action("theme", "change_theme", "theme", "Change the colours.", palette=False),
    Action("screenshot", "screenshot", "screenshot", "Save the screen as an SVG file.", keys="f12"),
    *_pane(
        "prompt", "Prompt",
        ("send", "send", "send", "Send the prompt.", "enter"),
        ("newline", "newline", "new line", "Start a new line in the prompt.", "shift+enter,ctrl+j,alt+enter"),
        ("older", "older", "older", "Recall the previous prompt, from the first line.", "up"),
        ("newer", "newer", "newer", "Recall the next prompt, from the last line.", "down"),
    ),
    *_pane("plan", "Faults", ("arm.enter", "submit", "arm it", "Arm the plan in the field.", "enter")),
    *_pane(
        "wire", "Wire log",
        ("wire.up", "move(-1)", "up", "Select the row above.", "up,k"),
        ("wire.down", "move(1)", "down", "Select the row below.", "down,j"),
        ("wire.pageup", "page(-1)", "page up", "One page up.", "pageup"),
        ("wire.pagedown", "page(1)", "page down", "One page down.", "pagedown"),
        ("wire.first", "first", "first row", "Go to the first row.", "home"),
        ("wire.follow", "follow", "follow", "Go to the last row and follow new ones.", "end,G"),
        ("wire.open", "open_detail", "detail", "Show the selected row in the detail.", "enter"),
    ),
    *_pane(
        "answer", "Answer",
        ("answer.previous", "workspace.step(-1)", "previous token", "Select the previous token, and its row.",
         "left,h"),
        ("answer.next", "workspace.step(1)", "next token", "Select the next token, and its row.", "right,l"),
        ("answer.open", "wire.enter", "show row", "Go to the row of the selected token.", "enter"),
        ("answer.end", "follow", "end", "Go to the end and follow.", "end"),
    ),
    *_pane(
        "detail", "Detail",
        ("detail.previous", "detail.tab(-1)", "previous tab", "Show the previous tab.", "left,h"),
        ("detail.next", "detail.tab(1)", "next tab", "Show the next of json, text, hex, headers, findings.",
         "right,l"),
    ),
    *_pane(
        "findings", "Findings",
        ("findings.up", "move(-1)", "up", "Select the finding above.", "up,k"),
        ("findings.down", "move(1)", "down", "Select the finding below.", "down,j"),
        ("findings.first", "first", "first", "Go to the first finding.", "home"),
        ("findings.last", "last", "last", "Go to the last finding.", "end"),
        ("findings.open", "open_finding", "show bytes", "Go to the row and the bytes of the finding.", "enter"),
    ),
    Action("fault.cut", "faults.fault('cut@now')", "cut", "Close the connection now, with a FIN.", keys="c",
           scope="faults", group="Faults"),
    Action("fault.reset", "faults.fault('reset@now')", "reset", "Reset the connection now, with an RST.", keys="r",
           scope="faults", group="Faults"),
    Action("fault.stall", "faults.fault('stall=8s@now')", "stall", "Read nothing for 8 seconds.", keys="s",
           scope="faults", group="Faults"),
    Action("fault.arm", "faults.arm", "arm", "Arm a fault, for example cut@event=41.", keys="a", scope="faults",
           group="Faults"),
    *_pane(
        "faults", "Faults",
        ("fault.disarm", "faults.disarm", "disarm", "Disarm the armed fault.", "backspace"),
        ("fault.leave", "faults.leave", "back", "Leave the faults bar.", "escape"),
    ),
)  # fmt: skip

BY_ID: Mapping[str, Action] = {action.id: action for action in ACTIONS}

UNDER_WINDOWS = frozenset(
    action.run for action in ACTIONS if action.scope == "app" and action.id not in {"quit", "screenshot"}
)
"""What does nothing while a window is over the app."""

FOOTERS: Mapping[str, tuple[str, ...]] = {
    "prompt": ("send", "stop", "pane.faults", "find", "pane.wire", "palette", "help"),
    "wire": ("find", "filter", "gap", "copy", "pane.faults", "wire.follow", "help"),
    "answer": ("answer.next", "answer.open", "markdown", "copy", "pane.faults", "palette", "help"),
    "detail": ("detail.next", "copy", "findings.next", "pane.wire", "bundle", "palette", "help"),
    "findings": ("findings.down", "findings.open", "detail.next", "copy", "bundle", "palette", "help"),
    "faults": ("fault.cut", "fault.reset", "fault.stall", "fault.arm", "fault.disarm", "fault.leave", "help"),
    "arm": ("arm.enter", "stop", "help"),
    "find": ("find.next", "stop", "palette", "help", "quit"),
    "": ("find", "filter", "copy", "pane.faults", "palette", "help", "quit"),
}

_KEY_NAMES = {
    "question_mark": "?", "slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "escape": "esc",
    "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End", "up": "↑", "down": "↓", "left": "←",
    "right": "→", "backspace": "⌫",
}  # fmt: skip


def key_name(key: str) -> str:
    """A key as the footer and the help show it: ``^p``, ``F1``, ``alt+1``, ``/``."""
    if key.startswith("ctrl+") and len(key) == 6:
        return "^" + key[-1]
    if len(key) > 1 and key[0] == "f" and key[1:].isdigit():
        return key.upper()
    return _KEY_NAMES.get(key, key)


class Keymap:
    """The keys of each action, after the user's ``[keys]``. `problems` says what in those cannot be used."""

    def __init__(self, custom: Mapping[str, str] | None = None) -> None:
        self.problems: list[str] = []
        self._custom: dict[str, str] = {}
        for name, keys in (custom or {}).items():
            if name in BY_ID:
                self._custom[name] = ",".join(key.strip() for key in keys.split(","))
            else:
                problem = f"[keys] {name}: there is no such action. {did_you_mean(name, BY_ID)}"
                self.problems.append(problem.rstrip())

    def keys(self, action: Action) -> list[str]:
        """All keys of an action, those that work everywhere first."""
        if action.id in self._custom:
            return self._custom[action.id].split(",")
        return [key for key in f"{action.keys},{action.plain}".split(",") if key]

    def first(self, action: Action, *, typing: bool = False) -> str:
        """The key to show where there is room for one; `typing` leaves out those that would be typed."""
        keys = self.keys(action)
        if not typing and action.plain and action.id not in self._custom:
            keys = action.plain.split(",")
        return key_name(keys[0]) if keys else ""

    @property
    def textual(self) -> dict[str, str]:
        """The user's keys as Textual's keymap; a custom key replaces the plain ones of its action too."""
        keymap = dict(self._custom)
        for name in self._custom:
            if BY_ID[name].plain:
                keymap[f"{name}.plain"] = self._custom[name]
        return keymap


def bindings(scope: str) -> list[Binding]:
    """The bindings of a scope. Keys that work everywhere are taken before the focused field sees them."""
    return [
        Binding(keys, action.run, action.label, show=False, priority=priority, id=action.id + suffix)
        for action in ACTIONS
        if action.scope == scope
        for keys, suffix, priority in (
            (action.keys, "", scope in AT_ONCE),
            (action.plain, ".plain", False),
        )
        if keys
    ]


def footer(context: str) -> list[Action]:
    """The actions that the footer names while this pane has the focus."""
    return [BY_ID[name] for name in FOOTERS.get(context, FOOTERS[""])][:FOOTER_KEYS]


def groups() -> dict[str, list[Action]]:
    """The actions by heading, in order."""
    made: dict[str, list[Action]] = {}
    for action in ACTIONS:
        made.setdefault(action.group, []).append(action)
    return made
