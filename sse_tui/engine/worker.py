"""The engine's own process: llama.cpp, one decode thread, and a thread that reads commands.

When its parent goes, however that happens, the process ends at once, in the middle of a decode if need be.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import sys
import time
import traceback
from typing import TYPE_CHECKING

from sse_tui.engine import ipc
from sse_tui.engine.interface import GenRequest
from sse_tui.engine.scheduler import ContextBrokenError, Scheduler
from sse_tui.engine.template import ChatTemplate
from sse_tui.errors import EngineError, SseTuiError
from sse_tui.processes.messages import ErrorMessage
from sse_tui.processes.parent import Parent

if TYPE_CHECKING:
    from sse_tui.engine.native import Model

# A prompt is read in chunks of this many tokens, so that running generations and cancels wait for one chunk at most.
_CHUNK_CPU = 32


class Prompter:
    """Turns a request into the tokens of its prompt, with the model's tokenizer and chat template."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.template = ChatTemplate(
            model.chat_template(),
            bos=model.special_text("bos"),
            eos=model.special_text("eos"),
            controls=model.control_names(),
        )

    def tokens(self, request: GenRequest) -> list[int]:
        """A raw prompt is used as it is, control tokens included; messages go through the template."""
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


def serve(parent: Parent[ipc.Command]) -> int:
    """Load the model of the first command, then run generations until the parent goes; the exit code."""
    commands = parent.commands()
    load = commands.get()
    assert isinstance(load, ipc.Load)
    try:
        from sse_tui.engine.native import Model

        model = Model(load)
        prompter = Prompter(model)
    except (SseTuiError, ImportError, OSError, RuntimeError) as error:
        if not isinstance(error, SseTuiError):
            # Installed, and yet it does not load: a broken build, a missing shared library.
            error = EngineError("engine-missing", f"llama-cpp-python cannot be used: {error}.")
        parent.send(ipc.LoadFailed(ErrorMessage.of(error)))
        return 1
    template = "ChatML (the model has none)" if prompter.template.fallback else "from the model"
    parent.send(ipc.ModelLoaded(model.info(template=template)))
    chunk = load.prefill_chunk or (model.n_batch if model.uses_gpu else _CHUNK_CPU)
    scheduler = Scheduler(
        model, prompter.tokens, time.monotonic, prefill_chunk=chunk, exact=not model.uses_gpu
    )
    try:
        _run(scheduler, commands, parent)
    except ContextBrokenError as error:
        parent.send(scheduler.fail_all(f"The engine must restart: {error}."))
        print(error, file=sys.stderr)  # noqa: T201  (the parent's log)
        return 70
    return 0


def _run(scheduler: Scheduler, commands: queue.SimpleQueue[ipc.Command], parent: Parent[ipc.Command]) -> None:
    pending: list[ipc.Command] = []

    def take() -> None:
        while not commands.empty():
            pending.append(commands.get())

    def cancelled() -> list[int]:
        """Cancels that came while the batch ran; the other commands wait for the next step."""
        take()
        keys = [command.key for command in pending if isinstance(command, ipc.Cancel)]
        # A cancel may follow its own submit; the scheduler must see that one first.
        fresh = {command.key for command in pending if isinstance(command, ipc.Submit)}
        return [key for key in keys if key not in fresh]

    while True:
        take()
        if not pending and scheduler.idle:
            pending.append(commands.get())
        now, pending[:] = pending[:], []
        for command in now:
            if isinstance(command, ipc.Submit):
                parent.send(scheduler.submit(command.key, command.request))
            elif isinstance(command, ipc.Cancel) and (steps := scheduler.cancel(command.key)):
                parent.send(steps)
        if steps := scheduler.step(cancelled):
            parent.send(steps)


def main() -> None:
    """The process's entry. It ends by `os._exit`, because waiting for llama.cpp's threads could take for ever."""
    # The terminal sends these to the whole group; whether the engine ends is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    faulthandler.enable()
    code = 70
    try:
        code = serve(Parent(ipc.read_command))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
