"""A child process for the tests: it answers each command and does what it is told, good or bad."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import msgspec

from sse_tui.processes.messages import reader
from sse_tui.processes.parent import Parent


class Echo(msgspec.Struct, tag="echo", frozen=True):
    """Send it back."""

    text: str


class Write(msgspec.Struct, tag="write", frozen=True):
    """Print it: to standard error if all is well."""

    text: str
    times: int = 1


class Corrupt(msgspec.Struct, tag="corrupt", frozen=True):
    """Send bytes that are not a message."""

    data: bytes


class Linger(msgspec.Struct, tag="linger", frozen=True):
    """Ignore the end of the input and, with `stubborn`, SIGTERM too."""

    stubborn: bool = False


class Exit(msgspec.Struct, tag="exit", frozen=True):
    """End with a code, or, where it is negative, by that signal."""

    code: int


class Spin(msgspec.Struct, tag="spin", frozen=True):
    """Compute in the main thread for ever, as a parser would on a stream without end."""


Command = Echo | Write | Corrupt | Linger | Exit | Spin
read_command: Callable[[bytes], Command] = reader(Command)
read_echo: Callable[[bytes], Echo] = reader(Echo)


def main() -> None:
    lingering = threading.Event()
    output = os.dup(1)
    parent: Parent[Command] = Parent(read_command)
    over = threading.Event()
    spinning = threading.Event()

    def obey(command: Command) -> None:
        match command:
            case Echo():
                parent.send(command)
            case Write():
                for _ in range(command.times):
                    print(command.text, flush=True)
            case Corrupt():
                os.write(output, command.data)
            case Linger():
                lingering.set()
                if command.stubborn:
                    os.kill(os.getpid(), signal.SIGUSR1)
                parent.send(Echo("lingering"))
            case Spin():
                spinning.set()
                parent.send(Echo("spinning"))
            case Exit():
                if command.code < 0:
                    os.kill(os.getpid(), -command.code)
                    time.sleep(10)
                os._exit(command.code)

    def end() -> None:
        if not lingering.is_set():
            over.set()

    signal.signal(signal.SIGUSR1, lambda *_: signal.signal(signal.SIGTERM, signal.SIG_IGN))
    parent.listen(obey, end)
    while spinning.is_set() or not over.wait(0.02):
        pass


if __name__ == "__main__":
    main()
