"""Runs cases in a child process, which may crash or hang: what is settled before that is kept."""

import collections
import json
import os
import resource
import signal
import traceback

from .cases import Case, EnvironmentFault, open_cases, without_values
from .worker import EXIT_ENVIRONMENT, log

SECONDS_PER_CASE = 20  # of CPU time, before a batch gives up on a case


def teller(cases, pipe):
    """A function that writes the line of a settled case, once."""
    told = set()
    numbers = {id(case): number for number, case in enumerate(cases)}

    def tell(case):
        if case.id in told:
            return
        told.add(case.id)
        line = (json.dumps([numbers[id(case)], case.status, case.message]) + "\n").encode()
        while line:
            line = line[os.write(pipe, line) :]

    return tell


def in_child(cases, work):
    """Settles what a child process could say of the cases; returns what ended it, empty if nothing did.

    work(cases, tell) settles cases, and calls tell(case) as soon as one is settled.
    """
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = EXIT_ENVIRONMENT
        try:
            os.close(read_end)
            os.dup2(2, 1)  # standard output belongs to the protocol
            if len(cases) > 1:
                limit = SECONDS_PER_CASE * len(cases)
                resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            tell = teller(cases, write_end)
            work(cases, tell)
            for case in cases:
                tell(case)
            code = 0
        except BaseException as fault:  # nothing of the parent may run in the child
            log(f"{type(fault).__name__}: {fault}")
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write_end)
    with open(read_end, encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                number, status, message = json.loads(line)
                if status is not None:
                    cases[number].settle(status, message)
    _, state = os.waitpid(pid, 0)
    if os.WIFSIGNALED(state):
        return f"died of {signal.Signals(os.WTERMSIG(state)).name}"
    if os.WEXITSTATUS(state) == EXIT_ENVIRONMENT:
        raise EnvironmentFault("the process that runs the cases failed; its last words are above")
    return f"exited with code {os.WEXITSTATUS(state)}" if os.WEXITSTATUS(state) else ""


def settle_all(cases, work, what):
    """Settles every open case; whatever a crash leaves open runs again, alone."""
    waiting = collections.deque([open_cases(cases)])
    while waiting:
        part = open_cases(waiting.popleft())
        if not part:
            continue
        end = in_child(part, work)
        left = open_cases(part)
        if end and len(part) == 1 and left:
            left[0].settle("crash", f"{what} {end}")
        elif left:
            waiting.extend([case] for case in left)


def batches(work, what, missing=lambda case: None):
    """run_batch for worker.serve: settle_all over the requests' cases. missing(case) is empty, or says why it is not offered."""

    def run_batch(requests):
        cases = [Case(request) for request in requests]
        for case in cases:
            if words := missing(case):
                case.settle("unsupported", words)
        settle_all(cases, work, what)
        return cases

    return run_batch


def missing_for_tools_of_1_0(case):
    """The reason why tools of TOSA 1.0, which take whole graphs, cannot take a case; otherwise None."""
    if case.bundle["edition"] != "tosa-1.0":
        return f"edition {case.bundle['edition']}: expected tosa-1.0"
    if name := without_values(case):
        return f"there are no values to call it with for input {name}"
    return None
