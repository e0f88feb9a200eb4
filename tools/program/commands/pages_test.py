#!/usr/bin/python3
"""The manual pages and the completion of bash, zsh and fish.  Usage: pages_test.py TENSOR_CTS MAN_FOLDER"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

CTS, MAN = "", pathlib.Path()
COMPLETION = pathlib.Path(__file__).parent / "completion"


def output_of(*command, **options):
    return subprocess.run(command, check=True, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          **options).stdout


def commands():
    listed = output_of(CTS, "--help").split("\nMake:\n")[1]
    return re.findall(r"^  ([a-z-]+) ", listed, re.M)


class Manual(unittest.TestCase):
    def page(self, name):
        """As a terminal shows it, without a warning."""
        done = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbou", "-rLL=100n", MAN / (name + ".1")], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stderr, "", name)
        return done.stdout

    def test_every_command_has_one_that_says_what_help_says(self):
        self.assertGreater(len(commands()), 20)
        self.assertEqual({path.name for path in MAN.iterdir()},
                         {"tensor-cts.1"} | {f"tensor-cts-{name}.1" for name in commands()})
        for command in commands():
            with self.subTest(command):
                page = self.page("tensor-cts-" + command)
                for section in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                    self.assertRegex(page, "(?m)^" + section + "$")
                spaced = " ".join(page.split())
                text = output_of(CTS, "help", command)
                options = re.findall(r"^  (-\S+)", text, re.M)
                self.assertGreater(len(options), 0)
                for option in options:
                    self.assertIn(option.split("{")[0].replace(",", ", "), spaced)
                # Every word of help, but for what CLI11 adds and what of all commands is said once.
                text = re.sub(r"(?m)^(Positionals:|Options:|Usage:.*|--edition-file.*|--quiet and.*)$", "", text)
                words = set(re.findall(r"\b[a-z]{4,}\b", text.replace("Exit code:", "").replace("{false}", "")))
                self.assertLessEqual({word for word in words if word not in page}, set(), page)

    def test_files_are_those_of_the_arguments(self):
        self.assertIn("SUITE/suite.json", self.page("tensor-cts-check"))
        self.assertIn("RESULTS/run.json", self.page("tensor-cts-check"))
        self.assertIn("EVIDENCE/SHA256SUMS", self.page("tensor-cts-verify"))
        self.assertNotIn("\nFILES\n", self.page("tensor-cts-version"))

    def test_help_lists_commands_by_what_they_are_for(self):
        groups = re.findall(r"^([A-Z][a-z ]+):$", output_of(CTS, "--help"), re.M)
        self.assertEqual(groups, ["Options", "Make", "Run", "Judge", "Explain", "Measure", "Exchange", "Certify", "Look up"])

    def test_the_program_s_page_names_all(self):
        page = self.page("tensor-cts")
        for command in commands():
            self.assertIn(f"tensor-cts-{command}(1)", page)
        for words in ("130 interrupted", "NO_COLOR", "--edition-file FILE"):
            self.assertIn(words, " ".join(page.split()))


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="pages_test-")
        here = pathlib.Path(cls.folder.name)
        (here / "bin").mkdir()
        (here / "bin/tensor-cts").symlink_to(CTS)
        cls.here = here
        for command in (["generate", "--recipe", "smoke", "--operator", "add", "--operator", "abs", "--out", "suite"],
                        ["run", "suite", "--implementation", "builtin:native", "--out", "results"]):
            subprocess.run([CTS, *command], cwd=here, stdout=subprocess.DEVNULL, check=True)
        cls.environment = {**os.environ, "PATH": f"{here}/bin:{os.environ['PATH']}", "HOME": str(here)}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def offers(self, line):
        """What the program offers: word -> what it is."""
        text = output_of(CTS, "complete", "--line", "tensor-cts " + line, cwd=self.here)
        return {line.split("\t")[0]: line.partition("\t")[2] for line in text.splitlines()}

    def test_commands_and_options(self):
        self.assertEqual(list(self.offers("")), commands())
        self.assertEqual(self.offers("ge"), {"generate": "Make a suite from a recipe"})
        self.assertEqual(list(self.offers("--quiet ver")), ["verify", "version"])
        self.assertEqual(list(self.offers("help exp")), ["explain", "export"])
        self.assertEqual(self.offers("nothing "), {})
        self.assertEqual(list(self.offers("check --ju")), ["--junit", "--junit-unsupported"])
        self.assertIn("--edition-file", self.offers("check --"))
        # Every option that help names is offered, and nothing that it does not.
        for command in commands():
            text = output_of(CTS, "help", command)
            said = set(re.findall(r"(--[a-z0-9-]+)", "\n".join(re.findall(r"^  -\S+", text, re.M))))
            offered = set(self.offers(command + " --"))
            self.assertEqual(said - {"--quiet", "--verbose"},
                             offered - {"--edition-file", "--quiet", "--verbose", "--version"}, command)

    def test_words_of_options(self):
        self.assertEqual(list(self.offers("check s r --junit-unsupported ")), ["skipped", "failure"])
        self.assertEqual(list(self.offers("check --junit-unsupported=sk")), ["--junit-unsupported=skipped"])
        self.assertIn("certify", self.offers("generate --recipe cert"))
        self.assertIn("CONV2D", self.offers("generate --recipe smoke --operator CONV"))
        self.assertIn("tosa-1.0", self.offers("list operators --edition "))
        self.assertEqual(list(self.offers("run suite --implementation builtin:na")), ["builtin:native"])
        self.assertGreater(len(self.offers("run suite --implementation builtin:fault:")), 100)
        self.assertIn("operators", self.offers("list "))
        # A file, or anything.
        self.assertEqual(self.offers("check suite results --json "), {})
        self.assertEqual(self.offers("run suite --jobs "), {})
        self.assertEqual(self.offers("check suite results more "), {})

    def test_ids_of_cases(self):
        self.assertEqual(list(self.offers("explain results ")), ["abs/", "add/"])
        self.assertEqual(list(self.offers("run suite --filter a")), ["abs/", "add/"])
        ids = list(self.offers("explain results abs/"))
        self.assertGreater(len(ids), 10)
        for id in ids:
            self.assertTrue((self.here / "suite" / id / "case.json").exists())
        self.assertEqual(list(self.offers("explain 'results' " + ids[0][:-1])), [id for id in ids if id.startswith(ids[0][:-1])])
        self.assertEqual(self.offers("explain nowhere "), {})

    def shell(self, *command):
        return output_of(*command, cwd=self.here, env=self.environment).split()

    def test_bash(self):
        def reply(line):
            words = " ".join(shlex.quote(word) for word in line.split())
            return self.shell("bash", "-c", f"source {COMPLETION}/tensor-cts.bash; COMP_LINE={shlex.quote(line)}; "
                              f"COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({words}); _tensor_cts; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        self.assertEqual(reply("tensor-cts ge"), ["generate"])
        self.assertEqual(reply("tensor-cts explain results ab"), ["abs/"])
        # At = and : the word begins anew.
        self.assertEqual(reply("tensor-cts run suite --implementation builtin:na"), ["native"])
        self.assertEqual(reply("tensor-cts check --junit-unsupported=sk"), ["skipped"])

    def test_zsh(self):
        def reply(line):
            words = " ".join(shlex.quote(word) for word in line.split()) + (" ''" if line.endswith(" ") else "")
            # _describe [-t TAG] WHAT ARRAY: what zsh's own function would show.
            return self.shell("zsh", "-f", "-c", "_describe() { while [[ $1 == -t ]]; do shift 2; done; print -rl -- ${(P)2}; }; "
                              "_files() { print FILES; }; "
                              f"words=({words}); CURRENT=$#words; source {COMPLETION}/_tensor-cts")
        self.assertEqual(reply("tensor-cts ge"), ["generate:Make", "a", "suite", "from", "a", "recipe"])
        self.assertEqual(reply("tensor-cts explain results ab"), ["abs/"])
        self.assertEqual(reply("tensor-cts check suite results --json "), ["FILES"])
        self.assertEqual(reply("tensor-cts run suite --implementation builtin:na")[0], "builtin\\:native:the")

    def test_fish(self):
        def reply(line):
            return self.shell("fish", "--no-config", "-c", f"source {COMPLETION}/tensor-cts.fish; complete -C {shlex.quote(line)}")
        self.assertEqual(reply("tensor-cts ge")[0], "generate")
        self.assertEqual(reply("tensor-cts explain results ab"), ["abs/"])
        self.assertEqual(reply("tensor-cts check suite --json bi"), ["bin/"])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    MAN = pathlib.Path(sys.argv.pop())
    CTS = os.path.abspath(sys.argv.pop())
    unittest.main()
