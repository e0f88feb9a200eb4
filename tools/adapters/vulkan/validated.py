#!/usr/bin/python3
"""A device behind validators, as one implementation: the device gets the graphs that no validator refuses.

    validated.py --validator COMMAND [--validator COMMAND ...] --device COMMAND --worker
    validated.py --validator COMMAND ... --device COMMAND --write-claim FILE

Each COMMAND is an adapter that knows --worker (../README.md). Every graph is asked of every validator, legal ones as well:
who refuses everything fails. A graph that none refuses with `error` goes to the device; what else a validator says is no
answer, nor are its values. --write-claim is the device's, in the name of all of them.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import worker  # noqa: E402
from common.cases import EnvironmentFault  # noqa: E402

BATCH = 16


class Died(Exception):
    """A member ended, or what it says is no answer."""


class Member:
    """A validator or the device: a worker of its own."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            f"{command} --worker", shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        if not line:
            raise EnvironmentFault(f"{command}: ended with {self.process.wait()} before it said its name")
        try:
            greeting = json.loads(line)
            self.name, self.version = greeting["worker"], greeting["version"]
        except (ValueError, KeyError, TypeError) as what:
            raise EnvironmentFault(f"{command}: found {line[:200]!r}, expected a worker's name and version") from what
        self.declared, self.batch = greeting.get("declared"), greeting.get("batch", 1)
        words = shlex.split(command)
        # Any word may be the program: that of `env X=Y prog` is the third.
        found = [*map(shutil.which, words), *words[1:], *greeting.get("code", [])]
        self.files = [os.path.abspath(file) for file in found if file and os.path.isfile(file)]

    def ask(self, requests):
        """The answer to each request, by its case."""
        answers = {}
        for at in range(0, len(requests), self.batch):
            part = requests[at : at + self.batch]
            lines = [json.dumps({**request, "more": request is not part[-1]}) + "\n" for request in part]
            try:
                self.process.stdin.write("".join(lines))
                self.process.stdin.flush()
            except BrokenPipeError:
                pass  # it says why, or nothing
            left = {request["case"] for request in part}
            while left:
                line = self.process.stdout.readline()
                if not line:
                    raise Died(f"{self.name} ended with {self.process.wait()}")
                try:
                    answer = json.loads(line)
                    if "fault" in answer:
                        raise Died(f"{self.name}: {answer['fault']}")
                    case, _ = answer["case"], answer["status"]
                except (ValueError, KeyError, TypeError) as what:
                    raise Died(f"{self.name}: found {line[:200]!r}, expected a case and its status") from what
                if case not in left:
                    raise Died(f"{self.name} answered for another case: {case}")
                left.remove(case)
                answers[case] = answer
        return answers


class Road:
    def __init__(self, options):
        self.validators = [Member(command) for command in options.validator]
        self.device = Member(options.device)

    @property
    def version(self):
        behind = ", ".join(f"{member.name} {member.version}" for member in self.validators)
        return f"{self.device.version}, behind {behind}"

    def files(self):
        return [file for member in (*self.validators, self.device) for file in member.files]

    def validate(self, member, requests):
        """The answers that are refusals."""
        with tempfile.TemporaryDirectory(prefix="tensor-cts-validated-") as folder:
            asked = [{**request, "result_dir": os.path.join(folder, str(i))} for i, request in enumerate(requests)]
            for request in asked:
                os.mkdir(request["result_dir"])
            answers = member.ask(asked)
        return {case: ("error", f"{member.name}: {answer.get('message', '')}")
                for case, answer in answers.items() if answer["status"] == "error"}  # fmt: skip

    def run_batch(self, requests):
        answers, left = {}, requests
        try:
            for member in self.validators:
                answers.update(self.validate(member, left))
                left = [request for request in left if request["case"] not in answers]
            for case, answer in self.device.ask(left).items():
                answers[case] = (answer["status"], answer.get("message", ""))
        except Died as what:
            answers = {request["case"]: ("crash", str(what)) for request in requests}
        ends = [(request["case"], *answers[request["case"]]) for request in requests]
        return [types.SimpleNamespace(id=case, status=status, message=message) for case, status, message in ends]


def owing_errors(declared):
    """What the device declares; on this road illegal graphs are refused."""
    return {member: value for member, value in declared.items() if member != "illegal_graphs"}


def write_claim(options):
    version = Road(options).version  # before there is a file
    done = subprocess.run(f"{options.device} --write-claim {shlex.quote(options.write_claim)}", shell=True, check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    with open(options.write_claim, encoding="utf-8") as file:
        claim = json.load(file)
    claim["version"] = version
    claim["declared"] = owing_errors(claim["declared"])
    with open(options.write_claim, "w", encoding="utf-8") as file:
        json.dump(claim, file, indent=2)
        file.write("\n")


def main():
    parser = worker.parser(__doc__, BATCH)
    parser.add_argument("--validator", action="append", required=True, help="an adapter that is asked first")
    parser.add_argument("--device", required=True, help="the adapter that gets what all validators take")
    parser.add_argument("--write-claim", metavar="FILE", help="write a claim of all of them, and end")
    files = []

    def prepare(options):
        road = Road(options)
        files.extend(road.files())
        declared = [owing_errors(road.device.declared)] if road.device.declared else []
        return road.device.name, road.version, road.run_batch, *declared

    options = parser.parse_args()
    if not options.write_claim:
        worker.serve(parser, prepare, files)
        return
    try:
        write_claim(options)
    except EnvironmentFault as fault:
        worker.log(str(fault))
        sys.exit(worker.EXIT_ENVIRONMENT)


if __name__ == "__main__":
    main()
