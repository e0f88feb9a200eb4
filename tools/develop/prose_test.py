#!/usr/bin/env python3
"""No new sentence needs a second reading: the patterns of prose.py, what it takes for a sentence, and the tree itself."""
import pathlib
import subprocess
import unittest
from unittest import mock

import prose

GOOD = [
    "What the reference cannot do, and where.",
    "What is an axis?", "Who signs?", "What the adapter says of itself.", "What a plugin is asked: 1 in place of inputs that are not.",
    "Each case that fails is named, and those that pass are counted.", "The page names so many causes that it needs a table.",
    "Everything else is a fault, and nothing else changes.", "The else branch runs first.", "Null if there is none.", "None of them is read.",
    "The first file has a digest, the second has none.", "Of course it is.", "Of 4,634 cases 80 fail.", "The last value of each row, of which the first is padding.",
    "There is a place for every choice.", "With less padding every window has an element.", "In an open file the place is the offset.",
    "The program reads `a`, `b`, `c`, (" + "and more words " * 20 + "), and 12 3 4 files.",
]  # fmt: skip
BAD = {
    "who-subject": ["Whoever takes its name runs code.", "Who sees a number sees its time."],
    "what-subject": ["What is not listed is refused.", "Whatever a sweep asks has a result."],
    "those-subject": ["Those of this program.", "Those that no test runs, too.", "All that has no answer runs again alone."],
    "so-many": ["A file of so many bytes.", "So many inputs go to the plugin at a time."],
    "bare-else": ["Else null.", "COLUMNS, else 100.", "The input in the file or else in the case."],
    "none-object": ["A job that knows none of its own beside none is done.", "An archive with none is refused.", "An axis of none."],
    "of-first": ["Of a disputed graph only those outputs count.", "Every refused element; of the others some."],
    "verb-last": ["Names the readers that there are.", "The values, as the file has them."],
    "inversion": ["Beside each stands a graph.", "Then come the types.", "So is one of fewer sums.", "Only from the second is it read."],
    "nobody": ["The value that nobody reads.", "Words for whoever repairs it.", "Suites for who has to give them."],
    "long": ["word " * 36 + "."],
}  # fmt: skip


def sentences(path, source):
    return [(first, text) for paragraph in prose.texts(path, source) for first, _, text in prose.sentences(paragraph)]


def names(text):
    return {found.pattern for found in prose.in_source("page.md", text)}


class Patterns(unittest.TestCase):
    def test_each_pattern_finds_its_examples_and_not_their_plain_form(self):
        self.assertEqual(set(BAD), {pattern.name for pattern in prose.PATTERNS})
        for pattern in prose.PATTERNS:
            for text in [pattern.example, *BAD[pattern.name]]:
                self.assertIn(pattern.name, names(text), text)
            self.assertEqual(names(pattern.plain), set(), pattern.plain)

    def test_plain_sentences_have_no_pattern(self):
        for text in GOOD:
            self.assertEqual(names(text), set(), text)

    def test_a_sentence_of_35_words_is_not_long(self):
        self.assertEqual(names("word " * 34 + "word."), set())


class Texts(unittest.TestCase):
    def test_comments_of_cpp_are_joined_where_they_go_on(self):
        source = '// One\n// two. Three\n// four.\nint x;  // five\n        // six\nint y;  // seven\n/* Eight\n * nine. */\nauto url = "http://a";\n'
        self.assertEqual(sorted(sentences("a.h", source)), [(1, "One two."), (2, "Three four."), (4, "five six"), (6, "seven"), (7, "Eight nine.")])

    def test_messages_of_cpp_are_literals_with_words_of_a_sentence(self):
        source = 'Say("found a file that\\n"\n    "has no name. ", x,\n    "short", R"(one two\nthree four five)", \'"\', "a.cc");'
        self.assertEqual(sentences("a.cc", source), [(1, "found a file that has no name."), (3, "one two three four five")])
        self.assertEqual(sentences("a_test.cc", source), [])

    def test_comments_and_docstrings_of_python(self):
        source = '#!/bin/env python3\n"""One.\n\nTwo\nthree.\n"""\n# four\n# five\nx = "# six"  # seven\n'
        self.assertEqual(sorted(sentences("a.py", source)), [(2, "One."), (4, "Two three."), (7, "four five"), (9, "seven")])

    def test_comments_of_scripts(self):
        self.assertEqual(sentences("a.sh", "#!/bin/bash\n# one\n# two\nx=$#  # three\n"), [(2, "one two"), (4, "three")])

    def test_pages_without_code_and_headings(self):
        source = "# Head\n\nOne [two](three.md)\nfour. Five e.g. six.\n\n    code\n\n- item\n  on\n\n| a b c | `cells` |\n\n```\ncode\n```\n"
        self.assertEqual(sentences("a.md", source), [(3, "One two four."), (4, "Five e.g. six."), (8, "item on"), (11, "a b c"), (11, "`cells`")])

    def test_lines_that_a_diff_adds(self):
        diff = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n@@ -7,2 +8,0 @@\n@@ -9 +9 @@\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n"
        self.assertEqual(prose.added_lines(diff), {"x": {1, 2, 9}})


class Tree(unittest.TestCase):
    def test_no_sentence_has_a_pattern(self):
        found = [f"{one.path}:{one.first}: {one.pattern}: {one.sentence}" for one in prose.whole_tree()]
        self.assertEqual(found, [], "write it as subject, verb, object (tools/develop/prose.py --patterns), or allow it with a reason in prose_allowed.tsv")

    def test_every_file_is_looked_at(self):
        endings = {name.rsplit(".", 1)[-1] for name in prose.files()}
        self.assertTrue({"cc", "h", "py", "sh", "md", "cmake"} <= endings, endings)
        self.assertGreater(sum(1 for _ in prose.files()), 1000)

    def test_allowed_lines_have_a_reason_and_a_sentence(self):
        exceptions = list(prose.allowed())
        with mock.patch.object(prose, "allowed", lambda: []):
            found = list(prose.whole_tree())
        for pattern, words, reason in exceptions:
            self.assertTrue(reason.strip(), words)
            self.assertTrue(any(one.pattern == pattern and words in one.sentence for one in found), f"{pattern}: no sentence has: {words}")

    def test_patterns_are_printed(self):
        output = subprocess.run([prose.HERE / "prose.py", "--patterns"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(output.count("  plain: "), len(prose.PATTERNS))


if __name__ == "__main__":
    unittest.main(verbosity=2)
