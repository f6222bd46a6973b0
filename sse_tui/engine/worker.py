"""The engine's own process: llama.cpp, one decode thread, and a thread that reads commands.

Commands come on standard input, reports leave by what was standard output; afterwards anything that a library
prints goes to standard error, which the parent keeps for the report of a crash. The end of standard input
means that the parent is gone, however it went: the process then ends at once, in the middle of a decode if
need be.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

from sse_tui.engine import ipc
from sse_tui.engine.interface import GenRequest
from sse_tui.engine.scheduler import ContextBrokenError, Scheduler
from sse_tui.engine.template import ChatTemplate
from sse_tui.errors import EngineError, ModelError, SseTuiError

if TYPE_CHECKING:
    from sse_tui.engine.native import Model

_READ_SIZE = 65536
_PARENT_POLL_S = 2.0
# A prompt is read in pieces, so that running generations and a cancel wait no longer than for one of them.
_CHUNK_CPU = 32


class Inbox:
    """Commands from the parent, read by a thread of their own so that the end of the pipe is seen at once."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._commands: queue.SimpleQueue[ipc.Command] = queue.SimpleQueue()
        self._parent = os.getppid()
        threading.Thread(target=self._read, name="commands", daemon=True).start()

    def wait(self) -> ipc.Command:
        """The next command, however long it takes."""
        return self._commands.get()

    def take(self) -> list[ipc.Command]:
        """What has come so far."""
        commands: list[ipc.Command] = []
        while not self._commands.empty():
            commands.append(self._commands.get())
        return commands

    def _read(self) -> None:
        try:
            self._pass_on()
        finally:  # the end of the pipe, or nonsense in it
            os._exit(0)

    def _pass_on(self) -> None:
        frames = ipc.Frames()
        while True:
            ready, _, _ = select.select([self._fd], [], [], _PARENT_POLL_S)
            if not ready:
                # A process forked from the parent may hold the other end open; the parent is told apart.
                if os.getppid() != self._parent:
                    return
                continue
            data = os.read(self._fd, _READ_SIZE)
            if not data:
                return
            for body in frames.feed(data):
                self._commands.put(ipc.command(body))


class Outbox:
    """Reports to the parent. A parent that is gone ends the process."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def send(self, message: ipc.Report | ipc.Steps) -> None:
        data = memoryview(ipc.frame(message))
        try:
            while data:
                data = data[os.write(self._fd, data) :]
        except BrokenPipeError:
            os._exit(0)


class Prompter:
    """From a request to the tokens of its prompt, by the model's tokenizer and chat template."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.template = ChatTemplate(
            model.chat_template(),
            bos=model.special_text("bos"),
            eos=model.special_text("eos"),
            controls=model.control_names(),
        )

    def tokens(self, request: GenRequest) -> list[int]:
        """A raw prompt is taken as it is, control tokens included; messages go through the template."""
        if request.prompt is not None:
            tokens = self._model.tokenize(request.prompt, special=True)
        else:
            tokens = []
            for text, special in self.template.render(request.messages):
                tokens += self._model.tokenize(text, special=special)
        bos = self._model.bos
        if bos is not None and tokens[:1] != [bos]:
            tokens.insert(0, bos)
        return tokens


def serve(inbox: Inbox, outbox: Outbox) -> int:
    """Load what the first command says, then run generations until the parent goes; the exit code."""
    load = inbox.wait()
    assert isinstance(load, ipc.Load)
    try:
        from sse_tui.engine.native import Model

        model = Model(load)
        prompter = Prompter(model)
    except SseTuiError as error:
        kind = "model" if isinstance(error, ModelError) else "engine"
        outbox.send(ipc.Failed(kind, error.code, error.message, error.hint))
        return 1
    except (ImportError, OSError, RuntimeError) as error:
        outbox.send(ipc.Failed("engine", "engine-missing", f"llama-cpp-python cannot be used: {error}."))
        return 1
    template = "ChatML (the model has none)" if prompter.template.fallback else "from the model"
    outbox.send(ipc.Ready(model.info(template=template)))
    chunk = load.prefill_chunk or (model.n_batch if model.uses_gpu else _CHUNK_CPU)
    scheduler = Scheduler(
        model, prompter.tokens, time.monotonic, prefill_chunk=chunk, exact=not model.uses_gpu
    )
    try:
        _run(scheduler, inbox, outbox)
    except ContextBrokenError as error:
        outbox.send(scheduler.fail_all(f"The engine must restart: {error}."))
        print(error, file=sys.stderr)  # noqa: T201  (into the parent's crash report)
        return 70
    return 0


def _run(scheduler: Scheduler, inbox: Inbox, outbox: Outbox) -> None:
    pending: list[ipc.Command] = []

    def cancelled() -> list[int]:
        """Cancels that came while the batch ran; the other commands wait for the next step."""
        pending.extend(inbox.take())
        keys = [command.key for command in pending if isinstance(command, ipc.Cancel)]
        # A cancel may follow its own submit; the scheduler must see that one first.
        fresh = {command.key for command in pending if isinstance(command, ipc.Submit)}
        return [key for key in keys if key not in fresh]

    while True:
        pending.extend(inbox.take())
        if not pending and scheduler.idle:
            pending.append(inbox.wait())
        commands, pending[:] = pending[:], []
        for command in commands:
            if isinstance(command, ipc.Submit):
                outbox.send(scheduler.submit(command.key, command.request))
            elif isinstance(command, ipc.Cancel) and (steps := scheduler.cancel(command.key)):
                outbox.send(steps)
        if steps := scheduler.step(cancelled):
            outbox.send(steps)


def main() -> None:
    """The process's entry. Ends by `os._exit`: llama.cpp's threads may not be waited for."""
    # The terminal sends these to the whole group; whether the engine ends is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    faulthandler.enable()
    reports = os.dup(1)
    os.dup2(2, 1)
    code = 70
    try:
        code = serve(Inbox(0), Outbox(reports))
    except EngineError as error:
        print(error, file=sys.stderr)  # noqa: T201
    finally:
        if sys.exc_info()[0] is not None:
            sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
