"""What dialects of JSON payloads have in common: the sentinel, heartbeats, in-band errors, broken payloads.

`JsonDialect` decodes each event and hands objects to `_take`; `TypedDialect` picks a reader by the payload's
``type``, or the event's where the payload has none. Neither raises on what a server sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from sse_tui import bounded
from sse_tui.dialects.base import Delta, Finish, Malformed, Meta, Reasoning, StreamFault, Text
from sse_tui.dialects.choices import IndexCount
from sse_tui.dialects.error_names import announces
from sse_tui.dialects.error_text import fault_in_text
from sse_tui.dialects.event_order import NO_ORDER, Order, OrderCheck
from sse_tui.dialects.finish_reasons import is_finish
from sse_tui.dialects.heartbeats import heartbeat_text, is_heartbeat, named_ping
from sse_tui.dialects.inband import fault_alone, fault_behind, fault_in, fault_in_any, named
from sse_tui.dialects.lenient_json import LenientDialect
from sse_tui.dialects.payload import (
    JsonError,
    compact,
    decode,
    index_of,
    kind_of,
    scrubbed,
    string,
)
from sse_tui.dialects.request import last_of_role, last_user, members_of
from sse_tui.eventstream.items import Event

DONE = "[DONE]"


class JsonDialect(LenientDialect):
    """Reads events whose data is a JSON object, and OpenAI's sentinel, which many others adopted."""

    # The member of a request that holds the messages, or a prompt of plain text, where that is all there is to know.
    messages_in: ClassVar[str | None] = None
    prompt_in: ClassVar[str | None] = None
    json_due = True
    reason_due: ClassVar[bool] = False  # before the own end mark, which gateways send behind anything
    _done: bool = False
    _model: str | None = None
    _id: str | None = None
    # A type under which the last events had something in them: no heartbeat and no error comes under that name.
    _usual_type: str = ""

    def read(self, event: Event) -> Sequence[Delta]:
        """The deltas of one event."""
        data = event.data
        if len(data) < 16 and data.strip() == DONE:
            return self._sentinel(data)
        if self._ended:
            return (Meta("after-end", data),)
        if not data:
            return self._empty(event)
        try:
            payload, broken = self._decoded(data)
        except JsonError as exc:
            return self._not_json(event, str(exc))
        if type(payload) is not dict:
            return self._no_object(event, payload)
        if event.type != self._usual_type and (
            named_ping(event.type) or (len(data) < 256 and is_heartbeat(payload))
        ):
            beat: list[Delta] = [Meta("ping", data)]
            self._follow(payload, beat)
            return beat
        return self._payload(event, payload, broken)

    def _follow(self, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Take note of a payload's place in the stream, where the dialect numbers its events."""

    def _payload(
        self, event: Event, payload: dict[str, Any], broken: Sequence[Delta] = ()
    ) -> Sequence[Delta]:
        """The deltas of one payload, and the error that it is where the dialect finds nothing in it.

        `broken` says what is wrong with its JSON.
        """
        deltas: list[Delta] = []
        self._take(event, payload, deltas)
        if event.type != self._usual_type or not deltas:
            if not deltas or (event.type != "message" and announces(event.type)):
                self._unread(event, payload, deltas)
            elif event.type != "message":
                self._usual_type = event.type
        if broken:
            deltas[:0] = broken
        return deltas if self._joiner is None else self._joiner.joined(deltas)

    def _unread(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Add the error of an event whose name announces one, or whose payload means nothing else."""
        announced = announces(event.type)
        if announced and not any(type(delta) is StreamFault for delta in deltas):
            self._fault(payload, deltas, announced=True)
        if announced:
            deltas[:] = [
                named(delta, event.type) if type(delta) is StreamFault else delta for delta in deltas
            ]
        elif all(type(delta) is Meta for delta in deltas) and (fault := self._alone(payload)) is not None:
            self._failed = True
            deltas.append(fault)

    def _alone(self, payload: dict[str, Any]) -> StreamFault | None:
        """The error that a payload is in which nothing was found."""
        return fault_in(payload) or fault_alone(payload)

    def read_ignored(self, line: str) -> Sequence[Delta]:
        """The meaning of a whole answer that came as JSON, not as an event: the server did not stream; or an error."""
        text = line.strip()
        if text.startswith("{") and not self._ended:
            try:
                payload = decode(text)
            except JsonError:
                payload = None
            if isinstance(payload, dict) and self._is_whole(payload):
                return self.read(Event("message", text, "", 0, 0))
        return super().read_ignored(line)

    def _is_whole(self, payload: dict[str, Any]) -> bool:
        """Whether a payload is what the API answers to a request that asks for no stream."""
        return False

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Add the deltas of one payload: where a dialect knows no more, of the error that it reports."""
        self._fault(payload, deltas, announced=event.type == "error")

    @classmethod
    def prompt_of(cls, body: str) -> str | None:
        """The text of the last message of the user, or the user's last words in a prompt of plain text."""
        request: Mapping[Any, Any] = members_of(body)
        prompt = request.get(cls.prompt_in)
        return last_user(prompt) if isinstance(prompt, str) else last_of_role(request.get(cls.messages_in))

    def _sentinel(self, data: str) -> Sequence[Delta]:
        if self._done:
            return (Meta("after-end", data),)
        self._done = True
        if self.sentinel == "ends":
            self._ended = True
        return (Meta("done", DONE),)

    @property
    def finished(self) -> bool:
        """Whether the payloads said that the answer is finished, whatever mark followed."""
        return self._finished

    @property
    def complete(self) -> bool | None:
        """True once the answer is finished or its own end mark has come; never after an error.

        ``[DONE]`` alone proves nothing: servers send it behind an interrupted answer too, so it leaves that unknown.
        """
        if self._failed:
            return False
        if self.finished:
            return True
        if self._ended:
            return None if self.reason_due or (self._done and self.sentinel == "ends") else True
        return False if self._marks_end else None

    def _empty(self, event: Event) -> Sequence[Delta]:
        if announces(event.type):
            self._failed = True
            return (named(StreamFault(None, None, None), event.type),)
        return (Meta("ping", ""),)

    def _not_json(self, event: Event, why: str) -> Sequence[Delta]:
        broken = Malformed(f"not JSON: {why}", "json")
        if announces(event.type):
            self._failed = True
            fault = fault_behind(event.data) or StreamFault(None, None, event.data)
            return (broken, named(fault, event.type))
        if named_ping(event.type) or event.data.startswith(":") or heartbeat_text(event.data):
            return (Meta("ping", event.data), broken)  # a comment that some gateway wrapped as data
        return self._broken(broken, fault_behind(event.data) or fault_in_text(event.data))

    def _no_object(self, event: Event, payload: Any) -> Sequence[Delta]:
        broken = Malformed(f"expected an object, got {kind_of(payload)}")
        if announces(event.type):
            self._failed = True
            payload = scrubbed(payload)
            return (broken, named(StreamFault(None, None, string(payload) or compact(payload)), event.type))
        return self._broken(broken, fault_in_any(payload))

    def _broken(self, broken: Malformed, fault: StreamFault | None) -> Sequence[Delta]:
        """A payload that breaks the dialect, and perhaps is an error."""
        if fault is None:
            return (broken,)
        self._failed = True
        return (broken, fault)

    def _fault(self, payload: dict[str, Any], deltas: list[Delta], *, announced: bool = False) -> None:
        """Add the error that `payload` reports, if it does."""
        fault = fault_in(payload, announced=announced)
        if fault is not None:
            self._failed = True
            deltas.append(fault)

    def _names(self, model: Any, ident: Any, deltas: list[Delta]) -> None:
        """Add model and response id, each when it changes."""
        if model != self._model and string(model):
            self._model = model
            deltas.append(Meta("model", model))
        if ident != self._id and string(ident):
            self._id = ident
            deltas.append(Meta("id", ident))


class ChoiceDialect(JsonDialect):
    """Reads payloads that list choices, each of which ends with a reason of its own."""

    def __init__(self) -> None:
        self._finishes: dict[int, str | None] = {}
        self._more = False  # there are choices beyond those that are followed
        self._count = IndexCount()
        self._index: int | None = None  # of the last choice: another one is rare in most streams
        self._closed: int | None = None  # the last choice that ended
        self._ended = False  # read at every event, and faster in the object than in its class

    @property
    def finished(self) -> bool:
        """Whether every choice that began has a finish reason."""
        if self._count.counts:
            return self._finished or self._closed == self._index
        return self._finished or (
            bool(self._finishes) and None not in self._finishes.values() and not self._more
        )

    @property
    def recognised(self) -> bool:
        """Whether a choice has begun."""
        return bool(self._finishes)

    def _turn(self, index: int, position: int, choice: dict[str, Any], deltas: list[Delta]) -> None:
        """Another choice than the last one, at this position in its chunk: a new one, or one among several."""
        counted = self._count.counts
        ended = self._index is not None and self._closed == self._index
        self._count.turn_to(index, alone=not position, ended=ended, ends=_only_ends(choice))
        if counted != self._count.counts:
            deltas.append(Meta("index-counts", not counted))
        self._index = index
        if index in self._finishes:
            return
        if len(self._finishes) < bounded.RECENT:
            self._finishes[index] = None
        else:
            self._more = True

    def _end(self, index: int, reason: str, deltas: list[Delta]) -> None:
        """A choice ended; of those beyond `bounded.RECENT` only its reason is passed on."""
        if not is_finish(reason):
            return
        self._closed = index
        if index in self._finishes:
            self._finishes[index] = reason
        deltas.append(Finish(reason, index))

    def _choices(
        self,
        choices: Any,
        name: str,
        read: Callable[[dict[str, Any], int, list[Delta]], None],
        deltas: list[Delta],
    ) -> None:
        """Add the deltas of the payload's member `name`, its choices: `read` takes each with its index."""
        if type(choices) is list:
            for position, choice in enumerate(choices):
                if type(choice) is dict:
                    index = choice.get("index")
                    if type(index) is not int:
                        index = index_of(index)
                        if index is None:
                            index = position
                    if index != self._index:
                        self._turn(index, position, choice, deltas)
                    read(choice, index, deltas)
                else:
                    deltas.append(Malformed(f"{name}[{position}]: expected an object, got {kind_of(choice)}"))
        elif choices is not None:
            deltas.append(Malformed(f"{name}: expected an array, got {kind_of(choices)}"))


def _only_ends(choice: dict[str, Any]) -> bool:
    """Whether a choice brings its finish reason and no text."""
    delta = choice.get("delta")
    brings = delta.items() if isinstance(delta, dict) else ()
    return bool(choice.get("finish_reason")) and not (
        choice.get("text") or any(value for name, value in brings if name != "role")
    )


Reader: TypeAlias = Callable[[Any, dict[str, Any], list[Delta]], None]


class TypedDialect(JsonDialect):
    """Reads payloads that name their kind in the member `kind_in`. Kinds without a reader give nothing: APIs grow."""

    kind_in: ClassVar[str] = "type"
    readers: ClassVar[Mapping[str, Reader]] = {}
    order: ClassVar[Order] = NO_ORDER
    _order_check: OrderCheck | None = None
    # The kind of the last event, the member that numbers its block, and that number, where the block is open: another
    # such event is in order. So that the usual event of a long block needs no check.
    _usual: tuple[str, str, Any] = "", "", None

    def _take(self, event: Event, payload: dict[str, Any], deltas: list[Delta]) -> None:
        kind = payload.get(self.kind_in)
        if type(kind) is not str:
            kind = event.type
        usual, member, number = self._usual
        if kind != usual or payload.get(member) != number:
            self._in_order(kind, payload, deltas)
        reader = self.readers.get(kind)
        if reader is not None:
            reader(self, payload, deltas)
        else:
            self._other(kind, payload, deltas)
        announced = kind == "error" or event.type == "error"
        if announced or "error" in payload:
            self._fault(payload, deltas, announced=announced)

    def _in_order(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Check the place of an event."""
        step = self.order.steps.get(kind)
        if step is None:
            return
        check = self._order_check = self._order_check or OrderCheck(self.order)
        deltas += (Meta("out-of-order", wrong) for wrong in check.wrong(kind, step, payload))
        if step.block is None or step.role != "fills":
            self._usual = "", "", None
        else:
            self._usual = kind, step.block.number, payload.get(step.block.number)

    def _other(self, kind: str, payload: dict[str, Any], deltas: list[Delta]) -> None:
        """Add the deltas of a payload whose kind has no reader."""


PARTS = 2**19
"""An index of a part is below this."""


def part_index(value: Any, limit: int = PARTS) -> int:
    """`value` when it can be the index of a part, else 0."""
    return value if type(value) is int and 0 <= value < limit else 0


def add_text(
    kind: type[Text] | type[Reasoning],
    text: Any,
    name: str,
    deltas: list[Delta],
    index: int = 0,
    part: int = 0,
) -> None:
    """Add the text of the member `name`, none for "" and null; anything else breaks the dialect."""
    if type(text) is str:
        if text:
            deltas.append(kind(text, index, part))
    elif text is not None:
        deltas.append(Malformed(f"{name}: expected a string, got {kind_of(text)}"))


def passed_on(name: str, member: str | None = None) -> Reader:
    """A reader that gives the payload, or one member of it, as the `Meta` called `name`."""

    def read(_: Any, payload: dict[str, Any], deltas: list[Delta]) -> None:
        deltas.append(Meta(name, payload if member is None else payload.get(member)))

    return read
