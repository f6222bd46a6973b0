"""The engine's own process: llama.cpp, one decode thread, and threads that read commands and tokenize.

When its parent goes, however that happens, the process ends at once, in the middle of a decode if need be.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import sys
import threading
import time
import traceback
from typing import TypeAlias

from sse_tui.engine import ipc
from sse_tui.engine.prompt_lanes import PromptLanes, TokenizedRequest
from sse_tui.engine.prompter import Prompter
from sse_tui.engine.scheduler import ContextBrokenError, Scheduler
from sse_tui.errors import EngineError, SseTuiError
from sse_tui.processes.messages import ErrorMessage
from sse_tui.processes.parent import Parent

# A prompt is read in chunks of this many tokens, so that running generations and cancels wait for one chunk at most.
_CHUNK_CPU = 32
# Seconds for which a thread may keep the GIL from the decode thread; 0.005 by default, a sixth of a step.
_SWITCH_INTERVAL_S = 0.0005

_Work: TypeAlias = TokenizedRequest | ipc.Cancel | ipc.Steps


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
    parent.send(ipc.ModelLoaded(model.info(template=template, message_tokens=prompter.message_tokens)))
    chunk = load.prefill_chunk or (model.n_batch if model.uses_gpu else _CHUNK_CPU)
    scheduler = Scheduler(model, time.monotonic, prefill_chunk=chunk, exact=not model.uses_gpu)
    try:
        _run(scheduler, _tokenized(prompter, commands), parent)
    except ContextBrokenError as error:
        parent.send(scheduler.fail_all(f"The engine must restart: {error}."))
        print(error, file=sys.stderr)  # noqa: T201  (the parent's log)
        return 70
    return 0


def _tokenized(prompter: Prompter, commands: queue.SimpleQueue[ipc.Command]) -> queue.SimpleQueue[_Work]:
    """What the decode thread has to do: the commands, with the prompts of new generations tokenized on the way."""
    work: queue.SimpleQueue[_Work] = queue.SimpleQueue()
    prompts = PromptLanes(prompter.tokens, work.put)

    def pass_on() -> None:
        while True:
            command = commands.get()
            if isinstance(command, ipc.Submit):
                prompts.add(command.key, command.request)
            elif isinstance(command, ipc.Cancel) and not prompts.cancel(command.key):
                work.put(command)

    threading.Thread(target=pass_on, name="prompts", daemon=True).start()
    return work


def _run(scheduler: Scheduler, work: queue.SimpleQueue[_Work], parent: Parent[ipc.Command]) -> None:
    pending: list[_Work] = []

    def take() -> None:
        while not work.empty():
            pending.append(work.get())

    def cancelled() -> list[int]:
        """Cancels that came while the batch ran; what else came waits for the next step."""
        take()
        keys = [each.key for each in pending if isinstance(each, ipc.Cancel)]
        # A cancel may follow its own generation; the scheduler must see that one first.
        fresh = {each.key for each in pending if isinstance(each, TokenizedRequest)}
        return [key for key in keys if key not in fresh]

    while True:
        take()
        if not pending and scheduler.idle:
            pending.append(work.get())
        now, pending[:] = pending[:], []
        for each in now:
            if isinstance(each, TokenizedRequest):
                parent.send(scheduler.submit(each))
            elif isinstance(each, ipc.Cancel):
                if steps := scheduler.cancel(each.key):
                    parent.send(steps)
            else:
                parent.send(each)
        if steps := scheduler.step(cancelled):
            parent.send(steps)


def main() -> None:
    """The process's entry. It ends by `os._exit`, because waiting for llama.cpp's threads could take for ever."""
    # The terminal sends these to the whole group; whether the engine ends is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    faulthandler.enable()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
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
