"""pytest over a suite. README.md of tools/bindings/python says how.

Road A: `pytest SUITE --tensor-cts-adapter file.py:function`: every case of suite.json is an item.
Road B: `--tensor-cts-suite SUITE` and the fixture tensor_cts_case in a test of one's own.

Each verdict is kept as a result on disk. At the end `tensor-cts check` judges the whole of it: what only several cases
show together is an item of its own, `findings`.
"""
from __future__ import annotations

import datetime
import fnmatch
import json
import os
import pathlib
import platform
import re
import shutil
import tempfile
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

import pytest

from tensor_cts._adapter import name_of
from tensor_cts._command import Report, check, program
from tensor_cts._graph import read_case
from tensor_cts._reference import Refused, Unsupported
from tensor_cts._suite import Case, CaseVerdict, Entry, Implementation, Results, Suite
from tensor_cts.worker import find, save

OPTIONS = {
    "suite": "the suite that the fixture tensor_cts_case walks through",
    "adapter": "file.py:function or module:function, as of `tensor-cts run --python`; runs the cases of a suite.json",
    "results": "a folder for the results, for tensor-cts check, gate and explain",
    "waivers": "the gate's waivers.json: known failures, which have to fail",
    "unsupported": "what a case is that the implementation does not offer: skip (the default) or fail",
}
# Tells pytest-xdist's workers where results go.
RESULTS = "TENSOR_CTS_PYTEST_RESULTS"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tensor-cts", "Tensor CTS")
    for name, text in OPTIONS.items():
        group.addoption("--tensor-cts-" + name, dest="tensor_cts_" + name, metavar=name.upper(), help=text)
        parser.addini("tensor_cts_" + name, text)
    group.addoption("--tensor-cts-operator", dest="tensor_cts_operator", action="append", default=[], metavar="OPERATOR",
                    help="only the cases of this operator are collected; may be given several times")


def option(config: pytest.Config, name: str) -> str:
    """From the command line, or otherwise from the ini file, whose paths are relative to it."""
    given = config.getoption("tensor_cts_" + name)
    if given:
        return str(given)
    given = str(config.getini("tensor_cts_" + name) or "")
    if given and name in ("suite", "results", "waivers") and config.inipath:
        return str(config.inipath.parent / given)
    return given


class Waiver(NamedTuple):
    pattern: str
    reason: str
    owner: str
    expires: str
    verdicts: Sequence[str]

    def covers(self, id: str, verdict: str) -> bool:
        return fnmatch.fnmatchcase(id, self.pattern) and (not self.verdicts or verdict in self.verdicts)

    def __str__(self) -> str:
        return f"{self.reason} ({self.owner}, until {self.expires})"


def read_waivers(path: str) -> list[Waiver]:
    if not path:
        return []
    try:
        with open(path, encoding="utf-8") as file:
            waivers = [Waiver(each["pattern"], each["reason"], each["owner"], each["expires"], each.get("verdicts", ()))
                       for each in json.load(file)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise pytest.UsageError(f"{path}: cannot be read as waivers ({error!r}); see schemas/waivers.schema.json") from error
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    for waiver in waivers:
        if waiver.expires < today:
            raise pytest.UsageError(f"{path}: found the waiver of {waiver.pattern}, which held until {waiver.expires}; "
                                    "mend the failure or ask its owner for more time")
    return waivers


def _mark(name: str) -> str:
    """PRO-INT is pro_int: a mark is a Python name."""
    return re.sub(r"\W", "_", str(name)).lower()


class Session:
    """The state of the plugin while pytest runs."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.unsupported = option(config, "unsupported") or "skip"
        if self.unsupported not in ("skip", "fail"):
            raise pytest.UsageError(f"--tensor-cts-unsupported: found {self.unsupported}, expected skip or fail")
        self.waivers_path = option(config, "waivers")
        self.waivers = read_waivers(self.waivers_path)
        self.suites: dict[pathlib.Path, Suite] = {}
        self.registered = {"tensor_cts"}  # marks
        self.implementation: Implementation | None = None
        self.is_worker = hasattr(config, "workerinput")
        self.results = self._results()
        self.report: Report | None = None

    def _results(self) -> pathlib.Path:
        if self.is_worker:
            return pathlib.Path(os.environ[RESULTS])
        given = option(self.config, "results")
        if not given:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="tensor_cts_pytest-"))
        else:
            folder = pathlib.Path(given).resolve()
            self._make_room(folder)
        os.environ[RESULTS] = str(folder)
        return folder

    @staticmethod
    def _make_room(folder: pathlib.Path) -> None:
        """Removes what an earlier pytest left there, and nothing else."""
        if folder.is_dir() and any(folder.iterdir()):
            try:
                ours = json.loads((folder / "run.json").read_text(encoding="utf-8"))["command"].startswith("pytest ")
            except (OSError, ValueError, KeyError, AttributeError):
                ours = False
            if not ours:
                raise pytest.UsageError(f"{folder}: found a folder that pytest did not write, expected none, or results "
                                        "of pytest, which are replaced; remove it or name another")
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)

    def suite(self, directory: pathlib.Path) -> Suite:
        directory = directory.resolve()
        if directory not in self.suites:
            if self.suites:
                raise pytest.UsageError(f"{directory}: found a second suite beside {next(iter(self.suites))}, expected "
                                        "one: results belong to one suite")
            try:
                suite = Suite(directory)
            except ValueError as error:
                raise pytest.UsageError(str(error)) from error
            for waiver in self.waivers:
                if not waiver.pattern.startswith("finding/") and not fnmatch.filter(suite.ids, waiver.pattern):
                    raise pytest.UsageError(f"{self.waivers_path}: found the waiver of {waiver.pattern}, which no case of "
                                            f"{directory} matches; remove it")
            self.suites[directory] = suite
        return self.suites[directory]

    def entries(self, suite: Suite) -> list[Entry]:
        wanted = {name.upper() for name in self.config.getoption("tensor_cts_operator")}
        unknown = wanted - {entry.operator.upper() for entry in suite.entries}
        if unknown:
            raise pytest.UsageError(f"--tensor-cts-operator: found {', '.join(sorted(unknown))}, expected operators that "
                                    f"{suite.directory} has cases of")
        return [entry for entry in suite.entries if not wanted or entry.operator.upper() in wanted]

    def marks(self, suite: Suite, entry: Entry) -> list[str]:
        """Names for -m: tensor_cts, the types of the operator, the profiles that have the case. The case's own file
        is read only if -m is given: that takes a second for thousands of cases."""
        names = ["tensor_cts"]
        if not self.config.getoption("markexpr", ""):
            return names
        path = suite.directory / entry.id / "case.json"
        try:
            case = read_case(path.parent)
            names += sorted({*map(_mark, case.get("types", {}).values()),
                             *(_mark(name) for names in case.get("profiles", []) for name in names)})
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise pytest.UsageError(f"{path}: cannot be read ({error!r}); generate the suite again") from error
        for name in names:
            if name not in self.registered:
                self.registered.add(name)
                self.config.addinivalue_line("markers", f"{name}: a case of this type or profile")
        return names

    def adapter(self) -> Implementation:
        if self.implementation is None:
            self.implementation = find(option(self.config, "adapter"))
        return self.implementation

    # --- Results on disk.

    def keep(self, suite: Suite, id: str, answer: Results | Refused | Unsupported) -> None:
        self._begin(suite)
        folder = self.results / id
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        result: dict[str, Any] = {"status": "ok"}
        if isinstance(answer, (Refused, Unsupported)):
            result = {"status": "error" if isinstance(answer, Refused) else "unsupported", "message": str(answer)}
        else:
            save(dict(answer), folder)
        (folder / "result.json").write_text(json.dumps(result) + "\n", encoding="utf-8")

    def _begin(self, suite: Suite) -> None:
        path = self.results / "run.json"
        if path.exists():
            return
        name, version = name_of(self.implementation, option(self.config, "adapter") or "pytest")
        record = {
            "format": "tensor-cts-run-1", "suite": suite.name, "suite_digest": suite.digest,
            "suite_path": str(suite.directory), "implementation": {"name": name, "version": version},
            "command": "pytest " + " ".join(map(str, self.config.invocation_params.args)), "host": platform.platform(),
            "started": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        # Whole at once: workers of pytest-xdist write it, too.
        handle, place = tempfile.mkstemp(dir=self.results)
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)
        os.replace(place, path)

    def finish(self) -> None:
        if not option(self.config, "results"):
            shutil.rmtree(self.results, ignore_errors=True)


KEY = pytest.StashKey[Session]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tensor_cts: a case of a suite; with -m also its types (i8) and profiles (pro_int)")
    if any(option(config, name) for name in ("suite", "adapter")):
        config.stash[KEY] = Session(config)
        try:
            program()
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error


# --- What becomes of a case.

class TestedCase:
    """The fixture tensor_cts_case: a case, and what a test does with it."""

    __test__ = False

    def __init__(self, session: Session, suite: Suite, case: Case) -> None:
        self._session, self._suite, self.case = session, suite, case

    def __getattr__(self, name: str) -> Any:
        return getattr(self.case, name)

    def run(self, implementation: Implementation, copy: bool = False) -> None:
        """Runs implementation(graph, inputs) over every execution and checks what it answers."""
        self.check(self.case.run(implementation, copy))

    def check(self, results: Results | Refused | Unsupported) -> None:
        """Keeps the answer and judges it: the test passes, fails, is skipped or is an expected failure."""
        __tracebackhide__ = True
        problem = None
        try:
            verdict = self.case.check(results)
            self._session.keep(self._suite, self.case.id, results)
        except ValueError as error:
            problem = str(error)
        if problem is not None:
            pytest.fail(problem, pytrace=False)
        waivers = [waiver for waiver in self._session.waivers if fnmatch.fnmatchcase(self.case.id, waiver.pattern)]
        if verdict:
            if waivers:
                pytest.fail(f"{self.case.id}: passes, although it is waived: {waivers[0]}; remove the waiver", pytrace=False)
            return
        self._refuse(verdict, waivers)

    def _refuse(self, verdict: CaseVerdict, waivers: Iterable[Waiver]) -> None:
        __tracebackhide__ = True
        for waiver in waivers:
            if waiver.covers(self.case.id, verdict.verdict):
                pytest.xfail(f"{waiver}: {verdict.message}")
        if self.case.disputed and verdict.verdict in ("disputed", "unsupported"):  # it decides nothing
            pytest.skip(f"{verdict.verdict}: {verdict.message}")
        if verdict.verdict == "unsupported" and self._session.unsupported == "skip":
            pytest.skip(f"unsupported: {verdict.message}")
        clause = f"\nclause: {verdict.clause}" if verdict.clause else ""
        pytest.fail(f"{self.case.id}: {verdict.verdict}: {verdict.message}{clause}\ninputs: {self.case.directory}",
                    pytrace=False)


# --- Road A: suite.json is the file of tests.

class CaseItem(pytest.Item):
    def __init__(self, *, entry: Entry, suite: Suite, marks: Iterable[str], **others: Any) -> None:
        super().__init__(**others)
        self.entry, self.suite = entry, suite
        for mark in marks:
            self.add_marker(mark)
        self.extra_keyword_matches.update((entry.operator, entry.outcome))

    def runtest(self) -> None:
        session = self.config.stash[KEY]
        case = self.suite.case(self.entry.id)
        TestedCase(session, self.suite, case).run(session.adapter())

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        return self.path, None, self.entry.id


class SuiteFile(pytest.File):
    def collect(self) -> Iterator[CaseItem]:
        session = self.config.stash[KEY]
        suite = session.suite(self.path.parent)
        try:
            session.adapter()
        except ValueError as error:
            raise pytest.UsageError(f"--tensor-cts-adapter: {error}") from error
        for entry in session.entries(suite):
            yield CaseItem.from_parent(self, name=entry.id, entry=entry, suite=suite,
                                       marks=session.marks(suite, entry))


def _is_suite(folder: pathlib.Path) -> bool:
    return (folder / "suite.json").is_file()


def pytest_collect_file(file_path: pathlib.Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.name == "suite.json" and KEY in parent.config.stash and option(parent.config, "adapter"):
        return SuiteFile.from_parent(parent, path=file_path)
    return None


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """The folders of a suite hold cases, no tests."""
    if KEY in config.stash and collection_path.name != "suite.json" and _is_suite(collection_path.parent):
        return True
    return None


# --- Road B: a fixture.

def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "tensor_cts_case" not in metafunc.fixturenames:
        return
    directory = option(metafunc.config, "suite")
    if not directory:
        raise pytest.UsageError("tensor_cts_case: found no suite, expected --tensor-cts-suite DIR, or tensor_cts_suite in "
                                "the ini file")
    session = metafunc.config.stash[KEY]
    suite = session.suite(pathlib.Path(directory))
    metafunc.parametrize("tensor_cts_case", [
        pytest.param(entry, id=entry.id, marks=[getattr(pytest.mark, name) for name in session.marks(suite, entry)])
        for entry in session.entries(suite)], indirect=True)


@pytest.fixture
def tensor_cts_case(request: pytest.FixtureRequest) -> TestedCase:
    """One case of the suite: tensor_cts_case.run(execute), where execute(graph, inputs) returns {output: array}."""
    session = request.config.stash[KEY]
    suite = session.suite(pathlib.Path(option(request.config, "suite")))
    return TestedCase(session, suite, suite.case(request.param.id))


# --- The end: green is not conformant.

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if KEY not in config.stash or hasattr(config, "workerinput"):
        return
    kept = config.stash[KEY]
    path = kept.results / "run.json"
    if not path.is_file():  # no case ran
        return
    directory = json.loads(path.read_text(encoding="utf-8"))["suite_path"]
    problem = ""
    try:
        kept.report = check(directory, kept.results)
    except ValueError as error:
        problem = str(error)
    else:
        found = [finding for finding in kept.report.findings if not finding.get("waived")
                 and not any(waiver.covers("finding/" + finding["kind"], "") for waiver in kept.waivers
                             if not waiver.verdicts)]
        problem = "\n".join(f"{finding['kind']}: {finding['message']}" for finding in found)
        if not problem and not any(case["verdict"] == "pass" for case in kept.report.cases):
            problem = "found no case that passes, expected one: what was skipped shows nothing"
    _report(session, directory, problem)


def _report(session: pytest.Session, directory: str, problem: str) -> None:
    """An item of its own, which counts in every report."""
    nodeid = f"{os.path.basename(directory)}/suite.json::findings"
    report = pytest.TestReport(nodeid=nodeid, location=(nodeid, None, "findings"), keywords={"tensor_cts": 1},
                               outcome="failed" if problem else "passed", longrepr=problem or None, when="call")
    session.config.hook.pytest_runtest_logreport(report=report)
    if problem:
        session.testsfailed += 1
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if KEY not in config.stash:
        return
    report = config.stash[KEY].report
    if report is None:
        return
    counts: dict[str, int] = {}
    for case in report.cases:
        counts[case["verdict"]] = counts.get(case["verdict"], 0) + 1
    missing = counts.pop("missing", 0)
    shown = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
    terminalreporter.section("Tensor CTS")
    for operator, line in _by_operator(report).items():
        terminalreporter.write_line(f"{operator:24} {line}")
    state = "CONFORMANT" if report else "NOT CONFORMANT"
    not_run = f", {missing} not run or not answered" if missing else ""
    terminalreporter.write_line(f"{state}: {shown}{not_run}; of {len(report.cases)} cases")
    results = option(config, "results")
    if results:
        terminalreporter.write_line(f"results: {results} (tensor-cts check, gate, explain)")


def _by_operator(report: Report) -> dict[str, str]:
    """The operators of which a case that ran did not pass."""
    table: dict[str, dict[str, int]] = {}
    for case in report.cases:
        if case["verdict"] != "missing":
            row = table.setdefault(case["operator"], {})
            row[case["verdict"]] = row.get(case["verdict"], 0) + 1
    return {operator: ", ".join(f"{count} {verdict}" for verdict, count in sorted(row.items()))
            for operator, row in sorted(table.items()) if set(row) != {"pass"}}


def pytest_unconfigure(config: pytest.Config) -> None:
    if KEY in config.stash and not hasattr(config, "workerinput"):
        config.stash[KEY].finish()
