"""Holds a JUnit XML file against what its readers accept, and prints its counts.

The grammar is that of the strictest reader, Jenkins' xunit plugin (junit-10.xsd): which elements and
attributes there are, which must be there, and how a time is written. Beyond it: GitLab knows a test by
classname and name, and drops the second of two alike; counts must add up.
"""
import re
import sys
import xml.etree.ElementTree as tree

TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")
# element: attributes (those with ! must be there), children
GRAMMAR = {
    "testsuites": ("name time tests failures errors", "testsuite"),
    "testsuite": ("name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
                  "testsuite properties testcase system-out system-err"),
    "testcase": ("name! time classname group",
                 "skipped error failure rerunFailure rerunError flakyFailure flakyError system-out system-err"),
    "failure": ("type message", ""),
    "skipped": ("type message", ""),
    "error": ("type message", ""),
    "system-out": ("", ""),
    "system-err": ("", ""),
}


def check(element):
    attributes, children = GRAMMAR[element.tag]
    names = {name.rstrip("!") for name in attributes.split()}
    assert set(element.keys()) <= names, (element.tag, element.keys())
    for name in attributes.split():
        assert not name.endswith("!") or element.get(name[:-1]) is not None, (element.tag, name)
    if element.get("time") is not None:
        assert TIME.fullmatch(element.get("time")), element.get("time")
        float(element.get("time"))
    for child in element:
        assert child.tag in children.split(), (element.tag, child.tag)
        check(child)


def count(element):
    cases = element.findall(".//testcase")
    failed = [case for case in cases if case.find("failure") is not None]
    broken = [case for case in cases if case.find("error") is not None]
    assert [int(element.get(name)) for name in ("tests", "failures", "errors")] == [
        len(cases), len(failed), len(broken)], element.get("name")
    if element.tag == "testsuite":
        skipped = [case for case in cases if case.find("skipped") is not None]
        assert int(element.get("skipped")) == len(skipped), element.get("name")


root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites"
check(root)
count(root)
for suite in root:
    count(suite)
known = [(case.get("classname"), case.get("name")) for case in root.findall(".//testcase")]
assert len(known) == len(set(known))
print(root.tag, root.get("tests"), root.get("failures"), root.get("errors"))
for case in root.findall(".//testcase"):
    for child in case:
        if child.tag in ("failure", "error", "skipped"):
            print(case.get("classname"), case.get("name"), child.tag, child.get("type"),
                  ascii(child.get("message")))
