#!/usr/bin/python3
"""certify and verify as a vendor and a buyer call them, with a second opinion on the signature.
Usage: evidence_test.py TENSOR_CTS"""
import base64
import datetime
import functools
import hashlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

CTS = ""
SCHEMAS = pathlib.Path(__file__).resolve().parents[3] / "schemas"
README = pathlib.Path(__file__).resolve().parents[2] / "examples/ci/README.md"


# A worker that answers the first cases slowly, and says of each that it does not support it.
SLOW = """
import json, os, sys, time
print(json.dumps({"worker": "NPU compiler", "version": "2.1"}), flush=True)
for line in sys.stdin:
    if "CTS_TEST_QUICK" not in os.environ:
        time.sleep(0.02)
    print(json.dumps({"case": json.loads(line)["case"], "status": "unsupported"}), flush=True)
"""


def call(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)


def cts(*arguments):
    return call(CTS, *arguments)


class Evidence(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The claim of the documentation, certified once."""
        # Tens of thousands of small files, several times over: in memory where there is room.
        in_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and \
            shutil.disk_usage("/dev/shm").free > 4 << 30 else None
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="evidence_test-", dir=in_memory))
        claim = re.search(r"```json claim.json\n(.*?)```", README.read_text(), re.S).group(1)
        cls.claim = cls.shared / "claim.json"
        cls.claim.write_text(claim)
        cls.key, cls.pub = cls.shared / "key.pem", cls.shared / "key.pub"
        call("openssl", "genpkey", "-algorithm", "ed25519", "-out", cls.key, check=True)
        call("openssl", "pkey", "-in", cls.key, "-pubout", "-out", cls.pub, check=True)
        cls.evidence = cls.shared / "evidence"
        cls.done = cls.certify(cls.evidence)
        assert cls.done.returncode == 0, cls.done.stdout + cls.done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    @classmethod
    def certify(cls, out, **changes):
        options = {"claim": cls.claim, "key": cls.key, "implementation": "builtin:native",
                   "out": out, **changes}
        return cts("certify", *(f"--{name}={value}" for name, value in options.items()))

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.shared))

    def expect(self, code, done, *words):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr if code == 2 else done.stdout)

    def test_certify_marks_the_positive_control(self):
        self.assertIn("is not evidence of conformance", self.done.stdout)
        self.assertIn("certificate.intoto.json, which says WARNED", self.done.stdout)

    @classmethod
    @functools.cache
    def verified(cls):
        return cts("verify", cls.evidence, "--key", cls.pub)

    def test_verify_holds(self):
        self.expect(0, self.verified(),
                    "Example NPU compiler 2.1 on NPU rev. B: tosa-1.0 PRO-INT, level 8K",
                    "as in certify-pro-int.lock.json", "the positive control passed")

    def test_the_signature_in_the_eyes_of_openssl(self):
        envelope = json.loads((self.evidence / "certificate.intoto.json").read_text())
        kind, payload = envelope["payloadType"], base64.b64decode(envelope["payload"])
        self.assertEqual(kind, "application/vnd.in-toto+json")
        encoded = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
        (self.here / "pae").write_bytes(encoded)
        (self.here / "sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
        verify = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", self.pub,
                  "-sigfile", self.here / "sig", "-in"]
        done = call(*verify, self.here / "pae")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.here / "pae").write_bytes(encoded[:-1])
        self.assertNotEqual(call(*verify, self.here / "pae").returncode, 0)
        der = subprocess.run(["openssl", "pkey", "-pubin", "-in", self.pub, "-outform", "DER"],
                             stdout=subprocess.PIPE).stdout
        self.assertEqual(envelope["signatures"][0]["keyid"], hashlib.sha256(der).hexdigest())

        statement = json.loads(payload)
        self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
        self.assertEqual(statement["predicateType"],
                         "https://in-toto.io/attestation/test-result/v0.1")
        for file in statement["subject"] + statement["predicate"]["configuration"][:2]:
            content = (self.evidence / file["name"]).read_bytes()
            self.assertEqual(file["digest"]["sha256"], hashlib.sha256(content).hexdigest())
        manifest = json.loads((self.evidence / "suite/suite.json").read_text())
        self.assertEqual(statement["predicate"]["passedTests"], [c["id"] for c in manifest["cases"]])

    def test_the_list_in_the_eyes_of_sha256sum(self):
        self.assertEqual(call("sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS",
                              cwd=self.evidence).returncode, 0)
        files = {str(path.relative_to(self.evidence)) for path in self.evidence.rglob("*")
                 if path.is_file()}
        listed = {line[66:] for line in (self.evidence / "SHA256SUMS").read_text().splitlines()}
        self.assertEqual(files - listed, {"SHA256SUMS", "SIZES", "certificate.intoto.json"})
        sizes = {line.split("  ", 1)[1]: int(line.split("  ")[0]) for line in (self.evidence / "SIZES").read_text().splitlines()}
        self.assertEqual(sizes, {file: (self.evidence / file).stat().st_size for file in listed | {"SHA256SUMS"}})

    def test_the_page_and_the_json_for_people(self):
        page, facts = self.here / "certificate.html", self.here / "verification.json"
        self.expect(0, cts("verify", self.evidence, "--key", self.pub, "--html", page, "--json", facts), "HOLDS")
        said, digest = json.loads(facts.read_text()), hashlib.sha256((self.evidence / "certificate.intoto.json").read_bytes()).hexdigest()
        self.assertEqual((said["holds"], said["result"], said["faults"]), (True, "WARNED", []))
        self.assertEqual(said["statement"], {"file": "certificate.intoto.json", "sha256": digest})
        self.assertEqual(said["claim"], {**json.loads(self.claim.read_text()), "format": said["claim"]["format"]})
        self.assertEqual(sum(said["cases"].values()), said["suite"]["cases"])
        self.assertEqual(said["cases"]["right"], said["suite"]["cases"])
        jsonschema.validate(said, json.loads((SCHEMAS / "verification.schema.json").read_text()))
        text = page.read_text()
        for words in ("NO CERTIFICATE", f"sha256:{digest}", "Example NPU compiler 2.1", "CONV2D, i8", "<svg"):
            self.assertIn(words, text)
        self.assertNotIn("CONFORMANT", text)
        self.assertIn("the positive control passed", said["verdict"])
        self.assertNotIn("<script", text)
        done = cts("verify", self.evidence, "--key", self.pub, "--json")
        self.assertEqual(json.loads(done.stdout), said)
        done = cts("verify", self.evidence, "--key", self.pub, "--json", page, "--html", page)
        self.expect(2, done, "a place of its own")

    def test_evidence_that_does_not_hold_has_no_page(self):
        call("openssl", "genpkey", "-algorithm", "ed25519", "-out", self.here / "k", check=True)
        call("openssl", "pkey", "-in", self.here / "k", "-pubout", "-out", self.here / "p", check=True)
        page, facts = self.here / "certificate.html", self.here / "verification.json"
        done = cts("verify", self.evidence, "--key", self.here / "p", "--html", page, "--json", facts)
        self.expect(1, done, "DOES NOT HOLD")
        self.assertIn("no page is written", done.stderr)
        self.assertFalse(page.exists())
        said = json.loads(facts.read_text())
        self.assertEqual((said["holds"], said["passed"], len(said["faults"])), (False, False, 1))
        self.assertNotIn("claim", said)

    def test_changes_are_named(self):
        some = next((self.evidence / "results").glob("clz/*/output.npy"))
        good = some.read_bytes()
        some.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
        self.expect(1, cts("verify", self.evidence, "--key", self.pub), "DOES NOT HOLD",
                    some.relative_to(self.evidence))
        some.write_bytes(good)
        call("openssl", "genpkey", "-algorithm", "ed25519", "-out", self.here / "k", check=True)
        call("openssl", "pkey", "-in", self.here / "k", "-pubout", "-out", self.here / "p",
             check=True)
        self.expect(1, cts("verify", self.evidence, "--key", self.here / "p"),
                    "certificate.intoto.json: /signatures: found no signature by the key")

    def archive(self):
        """The same claim, certified into one file; a copy of it, alone in its folder."""
        made = self.shared / "archive/e.tar.zst"
        if not made.exists():
            done = cts("certify", f"--claim={self.claim}", f"--key={self.key}", "--archive",
                       f"--out={made}", "--implementation=builtin:native")
            self.expect(0, done, f"statement: certificate.intoto.json in {made}, which says WARNED")
            self.assertEqual([path.name for path in made.parent.iterdir()], [made.name])
        return pathlib.Path(shutil.copy(made, self.here))

    def test_one_file_holds_as_the_folder_does(self):
        out = self.archive()
        words = self.verify_in(self.here, out)
        self.expect(0, words, f"HOLDS: {out}: the positive control passed")
        of_folder = self.verified().stdout
        same = [line for line in of_folder.splitlines() if not line.startswith(("HOLDS", "ran"))]
        self.assertGreater(len(same), 4)
        for line in same:
            self.assertIn(line, words.stdout)
        self.assertEqual([path.name for path in self.here.iterdir()], [out.name])
        # Other tools can read it, and the files that they unpack hold.
        if shutil.which("zstd") and shutil.which("tar"):
            call("tar", "-xf", out, cwd=self.here, check=True)
            self.expect(0, cts("verify", self.here / "evidence", "--key", self.pub), "HOLDS")
        bytes_ = bytearray(out.read_bytes())
        bytes_[len(bytes_) // 2] ^= 1
        out.write_bytes(bytes_)
        done = self.verify_in(self.here, out)
        # Where the bit lies decides what is met first: the frame, a header, a record, an entry's name.
        self.expect(2, done)
        self.assertRegex(done.stderr, f"(?m)^tensor-cts: {re.escape(str(out))}: .*found .*, expected .*; get the file again from its signer\n$")
        out.write_bytes(bytes_[:len(bytes_) // 3])
        self.expect(2, self.verify_in(self.here, out), f"{out}: found the end of the file", "truncated")
        self.expect(2, cts("certify", f"--claim={self.claim}", f"--key={self.key}", "--archive",
                           f"--out={out}", "--implementation=builtin:native"), "exists already")

    def verify_in(self, folder, out):
        return call(CTS, "verify", out, "--key", self.pub, env={**os.environ, "TMPDIR": str(folder)})

    def test_verify_interrupted_at_any_time_leaves_nothing(self):
        out = self.archive()
        for number, wait in ((signal.SIGINT, 0), (signal.SIGTERM, 0.3), (signal.SIGHUP, 2.5)):
            process = subprocess.Popen(
                [CTS, "verify", out, "--key", self.pub], stdin=subprocess.DEVNULL, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**os.environ, "TMPDIR": str(self.here)},
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # nohup ignores it
            while process.poll() is None and not list(self.here.glob("tensor-cts-verify.tmp-*/evidence")):
                time.sleep(0.002)
            time.sleep(wait)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=100)
            self.assertEqual(process.returncode, -number, stdout + stderr)
            self.assertIn("verify: interrupted", stderr)
            self.assertEqual([path.name for path in self.here.iterdir()], [out.name])

    def test_verify_cannot(self):
        self.expect(2, cts("verify", self.here / "none", "--key", self.pub), "none: expected a dir")
        self.expect(2, cts("verify", self.claim, "--key", self.pub),
                    f"{self.claim}: found compressed data", "expected one Zstandard frame")
        self.expect(2, cts("verify", self.evidence, "--key", self.here / "none"), "no such file")
        self.expect(2, cts("verify", self.evidence, "--key", self.key), "found a private key")
        self.expect(2, cts("verify", self.evidence), "--key is required")
        self.expect(1, cts("verify", self.here, "--key", self.pub),
                    "certificate.intoto.json: is missing")

    def test_keys_that_are_refused(self):
        out = self.here / "out"
        encrypted, rsa = self.here / "encrypted", self.here / "rsa"
        call("openssl", "pkey", "-in", self.key, "-aes256", "-passout", "pass:x", "-out", encrypted,
             check=True)
        self.expect(2, self.certify(out, key=encrypted), "encrypted: found an encrypted key, expected --passphrase FILE")
        passphrase = self.here / "passphrase"
        for text, words in [("y\n", "passphrase does not unlock"), ("\nx\n", "passphrase: found an empty first line"), (None, "no such file")]:
            passphrase.unlink(missing_ok=True) if text is None else passphrase.write_text(text)
            self.expect(2, self.certify(out, key=encrypted, passphrase=passphrase), words)
        call("openssl", "genpkey", "-algorithm", "RSA", "-out", rsa, check=True)
        self.expect(2, self.certify(out, key=rsa), "rsa: found a key of type RSA, expected an Ed25519")
        self.expect(2, self.certify(out, key=self.pub), "found a public key")
        self.assertFalse(out.exists())

    def test_a_second_signature_by_an_encrypted_key(self):
        evidence, key, pub, passphrase = (self.here / name for name in ("evidence", "lab.pem", "lab.pub", "passphrase"))
        shutil.copytree(self.evidence, evidence)
        passphrase.write_text("long secret\nanother line\n")
        call("openssl", "genpkey", "-algorithm", "ed25519", "-aes256", "-pass", "pass:long secret", "-out", key, check=True)
        call("openssl", "pkey", "-in", key, "-passin", "pass:long secret", "-pubout", "-out", pub, check=True)
        both = ["--key", self.pub, "--key", pub]
        self.expect(1, cts("verify", evidence, *both), "signed by 1 of 2 keys, expected 2: certificate.intoto.json: /signatures")
        self.expect(0, cts("verify", evidence, *both, "--threshold", 1), "signed    by the key ")
        self.expect(2, cts("verify", evidence, *both, "--threshold", 3), "--threshold: found 3, expected at most 2")
        self.expect(2, cts("verify", evidence, "--key", pub, "--key", pub), "--key: found the key", "twice")

        sign = ["verify", evidence, "--key", self.pub, "--passphrase", passphrase, "--countersign", key]
        self.expect(2, cts(*sign[:4], "--countersign", key), "lab.pem: found an encrypted key")
        self.expect(2, cts(*sign, "--timestamp", pub, "--timestamp-ca", pub), "--countersign")
        done = cts(*sign, "--json")
        self.expect(0, done)
        self.assertTrue(json.loads(done.stdout)["holds"])
        self.expect(2, cts(*sign), "found a signature by the key", "expected a key that has not signed yet")
        done = cts("verify", evidence, *both)
        self.expect(0, done, "signed    by the key ")
        self.assertEqual(done.stdout.count("signed    by the key "), 2)
        self.expect(0, cts("verify", evidence, "--key", pub))
        said = json.loads(cts("verify", evidence, *both, "--json").stdout)
        self.assertEqual((len(set(said["keys"])), said["key"]), (2, said["keys"][0]))

        # By a key of several that has signed, whatever their order.
        third, third_pub = self.here / "third.pem", self.here / "third.pub"
        call("openssl", "genpkey", "-algorithm", "ed25519", "-out", third, check=True)
        call("openssl", "pkey", "-in", third, "-pubout", "-out", third_pub, check=True)
        third.write_text("No ENCRYPTED key\n" + third.read_text())
        keys = ["--key", third_pub, "--key", self.pub, "--threshold", 1]
        self.expect(0, cts("verify", evidence, *keys, "--countersign", third), "signed by the key ", ", too")
        self.expect(0, cts("verify", evidence, "--key", third_pub))

        (evidence / "claim.json").write_text("{}")
        before = (evidence / "certificate.intoto.json").read_bytes()
        self.expect(1, cts("verify", evidence, "--key", self.pub, "--countersign", self.key), "claim.json: was changed")
        self.assertEqual((evidence / "certificate.intoto.json").read_bytes(), before)

    def stamped(self, place, data, algorithm="-sha256"):
        """The reply of an authority that exists in the folder `place` alone, and its certificate."""
        place.mkdir(exist_ok=True)
        config = place / "openssl.cnf"
        (place / "serial").write_text("01\n")
        config.write_text(f"""[req]
distinguished_name = name
prompt = no
x509_extensions = extensions
[name]
CN = Clock of {place.name}
[extensions]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = tsa1
[tsa1]
serial = {place}/serial
signer_cert = {place}/tsa.pem
signer_key = {place}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha1, sha256
""")
        if not (place / "tsa.pem").exists():
            call("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-config", config, "-keyout", place / "tsa.key",
                 "-out", place / "tsa.pem", check=True)
        call("openssl", "ts", "-query", algorithm, "-cert", "-data", data, "-out", place / "query", check=True)
        call("openssl", "ts", "-reply", "-config", config, "-queryfile", place / "query", "-out", place / "reply", check=True)
        return place / "reply", place / "tsa.pem"

    def test_time_stamps(self):
        statement = self.evidence / "certificate.intoto.json"
        reply, authority = self.stamped(self.here / "one", statement)
        verify = ["verify", self.evidence, "--key", self.pub, "--timestamp"]
        done = cts(*verify, reply, "--timestamp-ca", authority)
        self.expect(0, done)
        self.assertRegex(done.stdout, r"(?m)^stamped   20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ by CN=Clock of one$")
        said = json.loads(cts(*verify, reply, "--timestamp-ca", authority, "--json").stdout)
        self.assertEqual(said["timestamp"]["authority"], "CN=Clock of one")
        self.assertIn("CN=Clock of one", cts(*verify, reply, "--timestamp-ca", authority, "--html", "-").stdout)

        other_reply, other = self.stamped(self.here / "two", self.claim)
        self.expect(1, cts(*verify, reply, "--timestamp-ca", other), "reply: found a time stamp that the authorities in", "did not sign")
        self.expect(1, cts(*verify, other_reply, "--timestamp-ca", other), "found a time stamp of the digest",
                    hashlib.sha256(statement.read_bytes()).hexdigest())
        sha1, _ = self.stamped(self.here / "two", statement, "-sha1")
        self.expect(1, cts(*verify, sha1, "--timestamp-ca", other), "found a time stamp of the digest")
        good = reply.read_bytes()
        for at in (len(good) // 2, len(good) - 10):
            reply.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
            self.expect(1, cts(*verify, reply, "--timestamp-ca", authority), "reply: found ")
        for bytes_ in (b"", b"hello", good[:-1], good + b"x", self.pub.read_bytes()):
            reply.write_bytes(bytes_)
            self.expect(1, cts(*verify, reply, "--timestamp-ca", authority), "reply: found no time stamp")
        reply.write_bytes(good)
        self.expect(2, cts(*verify, reply, "--timestamp-ca", self.pub), "key.pub: found no certificate")
        damaged = self.here / "damaged.pem"
        damaged.write_text(authority.read_text() + authority.read_text().replace("MII", "MIJ"))
        self.expect(2, cts(*verify, reply, "--timestamp-ca", damaged), "damaged.pem: found a certificate that cannot be read")
        self.expect(2, cts(*verify, self.here / "none", "--timestamp-ca", authority), "none: no such file")
        self.expect(2, cts(*verify, reply), "--timestamp requires --timestamp-ca")

    def test_names_that_are_refused(self):
        for out, more, words in (("e.tar.zst", [], "add --archive"),
                                 ("e", ["--archive"], "expected a name that ends with .tar.zst")):
            self.expect(2, cts("certify", f"--claim={self.claim}", f"--key={self.key}", *more,
                               f"--out={self.here / out}", "--implementation=builtin:native"), words)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_libraries_that_are_missing_are_named_before_anything_is_made(self):
        """An empty file in the place of a library is what the loader finds first and cannot open."""
        broken = self.here / "broken"
        broken.mkdir()
        for name in ("libarchive.so.13", *(f"libicui18n.so.{version}" for version in range(58, 100))):
            (broken / name).touch()
        claim = self.here / "claim.json"
        claim.write_text(json.dumps({**json.loads(self.claim.read_text()), "name": "Gr\u00fcn"}))
        release = pathlib.Path("/etc/os-release").read_text()
        icu, archive = "libicu", "libarchive"
        if "\nID=debian\n" in release and 'VERSION_ID="12"' in release:
            icu, archive = "apt-get install libicu72)", "apt-get install libarchive13)"
        packed = self.here / "e.tar.zst"
        packed.touch()
        certify = ("certify", f"--key={self.key}", "--implementation=builtin:native")
        for words, command in (
                (("names beyond ASCII need ICU", icu), (*certify, f"--claim={claim}", f"--out={self.here / 'e'}")),
                (("one file needs libarchive", archive), (*certify, f"--claim={self.claim}", "--archive", f"--out={self.here / 'f.tar.zst'}")),
                (("one file needs libarchive", archive), ("verify", packed, "--key", self.pub))):
            self.expect(2, call(CTS, *command, env={**os.environ, "LD_LIBRARY_PATH": str(broken)}), *words, "file too short")
        self.assertEqual(sorted(path.name for path in self.here.iterdir()), ["broken", "claim.json", "e.tar.zst"])

    def test_claims_that_are_refused(self):
        for member, value, words in [
                ("profiles", [], "/profiles"), ("profiles", ["PRO-XY"], "/profiles/0: found"),
                ("extensions", ["EXT-FFT"], "which extends PRO-FP"), ("level", "9K", "none, 8K"),
                ("edition", "tosa-7", "/edition"), ("waivers", [], "unknown member"),
                ("edition", "tosa-1.1-draft", "expected one of tosa-1.0, tosa-0.100, rvtensor")]:
            claim = {**json.loads(self.claim.read_text()), member: value}
            path = self.here / "claim.json"
            path.write_text(json.dumps(claim))
            self.expect(2, self.certify(self.here / "out", claim=path), words, "claim.json")
            self.assertEqual(sorted(p.name for p in self.here.iterdir()), ["claim.json"])

    def test_nothing_can_be_left_out(self):
        for option in ("--filter=x", "--waivers=x", "--baseline=x", "--shard=1/2",
                       "--repeat=2", "--operator=ABS"):
            done = cts("certify", "--claim", self.claim, "--key", self.key, "--implementation",
                       "builtin:native", "--out", self.here / "out", option)
            self.expect(2, done, "no option")

    def test_a_suite_that_is_not_the_mandatory_one(self):
        smaller = self.here / "smaller"
        cts("generate", "--recipe", "certify", "--profile", "pro-int", "--operator", "abs", "--out",
            smaller)
        self.expect(2, self.certify(self.here / "out", suite=smaller), "suite.json: /recipe/operators")
        self.assertEqual(sorted(p.name for p in self.here.iterdir()), ["smaller"])

    def test_a_suite_of_another_edition(self):
        claim = {**json.loads(self.claim.read_text()), "edition": "rvtensor",
                 "profiles": ["RVTENSOR"], "extensions": []}
        other = self.here / "claim.json"
        other.write_text(json.dumps(claim))
        tosa, rvtensor = self.here / "tosa", self.here / "rvtensor"
        cts("generate", "--recipe", "certify", "--operator", "abs", "--out", tosa)
        cts("generate", "--recipe", "rvtensor", "--operator", "const", "--out", rvtensor)
        out = self.here / "out"
        self.expect(2, self.certify(out, claim=other, suite=tosa),
                    "/edition: found tosa-1.0, expected rvtensor for this claim")
        self.expect(2, self.certify(out, suite=rvtensor),
                    "/edition: found rvtensor, expected tosa-1.0 for this claim")

    def interrupted(self, number, wanted, *more):
        """A call that a signal ended once a file was there, or how many, and its standard error."""
        process = subprocess.Popen(
            [CTS, "certify", "--claim", self.claim, "--key", self.key, "--suite", self.evidence / "suite",
             "--out", self.here / "out", *more], stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pattern, least = wanted
        while process.poll() is None and len(list((self.here / "out.partial").glob(pattern))) < least:
            time.sleep(0.002)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=500)
        self.assertEqual(process.returncode, -number, stdout + stderr)
        return stderr

    def test_interrupted_before_an_answer_nothing_is_left(self):
        stderr = self.interrupted(signal.SIGINT, ("evidence/suite/*", 5), "--implementation=builtin:native")
        self.assertIn("certify: interrupted; nothing was written", stderr)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_interrupted_by_any_signal_it_goes_on(self):
        """A slow adapter, interrupted three times, once by a signal that no program can catch."""
        adapter = self.here / "slow.py"
        adapter.write_text(SLOW)
        as_before = ("--adapter", f"python3 {adapter}", "--worker", "--jobs=2", "--timeout=600")
        words = "kept in", "go on with the same command and --resume"
        for number, least, more in ((signal.SIGTERM, 20, ()), (signal.SIGKILL, 60, ("--resume",)), (signal.SIGINT, 90, ("--resume",))):
            stderr = self.interrupted(number, ("evidence/results/*/*/result.json", least), *as_before, *more)
            for word in words if number != signal.SIGKILL else ():
                self.assertIn(word, stderr)
        # A result that the journal lacks was in hand when the second call was killed, and runs again.
        journal, results = (self.here / "out.partial/journal").read_text(), self.here / "out.partial/evidence/results"
        kept = {path: path.read_bytes() for path in results.glob("*/*/*") if f" result {path.parent.relative_to(results)} " in journal}
        in_hand = [path for path in results.glob("*/*/*") if path not in kept]
        self.assertLessEqual(len(in_hand), 2, in_hand)  # one for each job
        self.assertGreaterEqual(len(kept) + len(in_hand), 90)
        out = self.here / "out"
        command = ("certify", f"--claim={self.claim}", f"--key={self.key}", "--suite", self.evidence / "suite", "--out", out, *as_before)
        self.expect(2, cts(*command), "out.partial: exists already", words[1])
        self.expect(1, cts("verify", self.here / "out.partial", "--key", self.pub), "certificate.intoto.json: is missing")
        os.environ["CTS_TEST_QUICK"] = "1"
        self.addCleanup(os.environ.pop, "CTS_TEST_QUICK")
        self.expect(1, cts(*command, "--resume"), "failure.intoto.json, which says FAILED")  # it answers few cases
        self.assertFalse((self.here / "out.partial").exists())
        for path, before in kept.items():
            self.assertEqual((out / "results" / path.relative_to(self.here / "out.partial/evidence/results")).read_bytes(), before)
        self.expect(1, cts("verify", out, "--key", self.pub), "went on 3 times; what was in hand then ran again", "HOLDS", ", killed after the result of 20")
        payload = json.loads(base64.b64decode(json.loads((out / "failure.intoto.json").read_text())["payload"]))
        run = next(part["annotations"] for part in payload["predicate"]["configuration"] if part["name"] == "results/run.json")
        self.assertEqual(run["resumed"], 3)
        self.assertEqual([sorted(part) for part in run["parts"]],
                         [["began", "ended", "host"], ["began", "host", "last_result"], ["began", "ended", "host"], ["began", "ended", "host"]])
        moments = [part[word] for part in run["parts"] for word in ("began", "last_result", "ended") if word in part]
        self.assertEqual(moments, sorted(moments))

    def test_merged_shards_become_evidence(self):
        shards = [self.here / f"shard{i}" for i in (1, 2)]
        for i, shard in enumerate(shards, 1):
            self.expect(0, cts("run", self.evidence / "suite", "--implementation=builtin:native", f"--shard={i}/2", "--pack", "--out", shard))
        whole, out = self.here / "whole", self.here / "out"
        self.expect(0, cts("merge", *shards, "--out", whole))
        certify = ("certify", f"--claim={self.claim}", f"--key={self.key}", "--suite", self.evidence / "suite", "--out", out)
        self.expect(2, cts(*certify, "--results", shards[0]), "found results of shard 1/2, expected those of the whole suite")
        self.expect(2, cts(*certify, "--results", whole, "--implementation=builtin:native"), "with --results nothing runs")
        self.expect(2, cts(*certify, "--results", whole, "--resume"), "--results excludes --resume")
        self.expect(0, cts(*certify, "--results", whole))
        self.expect(0, cts("verify", out, "--key", self.pub), "before certify took the results at 20", "in 2 shards from 20", "HOLDS")
        facts = json.loads(cts("verify", out, "--key", self.pub, "--json").stdout)
        jsonschema.validate(facts, json.loads((SCHEMAS / "verification.schema.json").read_text()))
        self.assertEqual(len(facts["run"]["course"]), 2)


ACME = pathlib.Path(__file__).resolve().parents[2] / "develop/testdata/acme"
SERVER = pathlib.Path(__file__).resolve().parents[2] / "examples/ci/challenge_server.py"


class Challenges(unittest.TestCase):
    """challenge as an issuer and a vendor call it, about an edition of two operators, which takes a second."""

    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="evidence_test-"))
        edition = shutil.copytree(ACME, cls.shared / "edition")
        for path, key, keep in ((edition / "acme-0.1.json", "operators", ("CONST", "PERMUTE")),
                                (edition / "precision/acme-0.1.json", "rows", ("CONST",))):
            content = json.loads(path.read_text())
            content[key] = [one for one in content[key] if one.get("name", one.get("operator")) in keep]
            for one in content["operators"] if key == "operators" else ():
                one["type_rows"] = [row for row in one["type_rows"] if "i32" in row["types"].values()]
            path.write_text(json.dumps(content))
        cls.edition = ("--edition-file", edition / "acme-0.1.json")
        cls.claim = cls.shared / "claim.json"
        cls.claim.write_text(json.dumps({
            "format": "tensor-cts-claim-1", "name": "n", "version": "1", "vendor": "v", "hardware": "h",
            "edition": "acme-0.1", "profiles": ["BASE"], "extensions": [], "level": "8K"}))
        for name in ("issuer", "vendor"):
            call("openssl", "genpkey", "-algorithm", "ed25519", "-out", cls.shared / f"{name}.pem", check=True)
            call("openssl", "pkey", "-in", cls.shared / f"{name}.pem", "-pubout", "-out", cls.shared / f"{name}.pub", check=True)
        cls.challenge = cls.shared / "challenge"
        done = cls.open(cls.challenge)
        assert done.returncode == 0, done.stderr
        cls.results = cls.run_native(cls.challenge / "public/suite", cls.shared / "results")
        cls.good = cls.shared / "answer"
        done = cls.answer(cls.challenge / "public", cls.results, cls.good)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.shared))

    expect = Evidence.expect

    @classmethod
    def open(cls, out, *more, until="9999-12-31"):
        return cts("challenge", *cls.edition, "open", "--claim", cls.claim, "--key", cls.shared / "issuer.pem", "--vendor",
                   cls.shared / "vendor.pub", "--issuer", "Example Lab", "--until", until, "--out", out, *more)

    @classmethod
    def run_native(cls, suite, out):
        call(CTS, "run", *cls.edition, suite, "--implementation", "builtin:native", "--out", out, check=True)
        return out

    @classmethod
    def answer(cls, public, results, out, *more):
        return cts("challenge", *cls.edition, "answer", "--challenge", public, "--results", results, "--key",
                   cls.shared / "vendor.pem", "--issuer-key", cls.shared / "issuer.pub", "--out", out, *more)

    def receive(self, challenge, answer):
        return cts("challenge", *self.edition, "receive", "--challenge", challenge, "--answer", answer, "--key",
                   self.shared / "issuer.pem")

    def verdict(self, challenge, out, *more):
        return cts("challenge", *self.edition, "verdict", "--challenge", challenge, "--key", self.shared / "issuer.pem",
                   "--out", out, *more)

    def test_files_move_by_plain_http(self):
        challenge, inbox, vendor = self.here / "challenge", self.here / "inbox", self.here / "vendor"
        shutil.copytree(self.challenge, challenge)
        server = subprocess.Popen([sys.executable, SERVER, challenge, inbox], stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        address = server.stdout.readline().strip()
        self.assertRegex(address, r"^http://127\.0\.0\.1:[0-9]+$")

        def ask(method, path, body=None, headers=()):
            connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
            try:
                connection.request(method, path, body, dict(headers))
                reply = connection.getresponse()
                return reply.status, reply.read()
            finally:
                connection.close()

        for path in ("challenge.json", "claim.json", "suite/suite.json", "suite/case.tar"):
            code, content = ask("GET", f"/public/{path}")
            self.assertEqual(code, 200, path)
            (vendor / "public" / path).parent.mkdir(parents=True, exist_ok=True)
            (vendor / "public" / path).write_bytes(content)
        for path in ("/secret/answers.json", "/public/../secret/answers.json", "/public/answers.json", "/public", "/", "/receipt.json"):
            self.assertEqual(ask("GET", path)[0], 404, path)
        results = self.run_native(vendor / "public/suite", vendor / "results")
        self.expect(0, self.answer(vendor / "public", results, vendor / "answer"), "hand it in until 9999-12-31T23:59:59Z, once")
        names = ("answer.json", "results/run.json", "results/results.json", "results/case.tar")
        with socket.create_connection(address.removeprefix("http://").split(":"), timeout=60) as broken:
            broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close resets the connection
            broken.sendall(b"PUT /answers/acme-1/answer.json HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
            while not list(inbox.glob("acme-1")):
                time.sleep(0.01)
        for path in names:
            self.assertEqual(ask("PUT", f"/answers/acme-1/{path}", (vendor / "answer" / path).read_bytes())[0], 201, path)
        for path, headers, code in (("acme-1/answer.json", {}, 409), ("acme-1/x.json", {}, 404), ("../answer.json", {}, 404), ("a/../../x", {}, 404),
                                    ("b/answer.json", {"Content-Length": str(1 << 21)}, 413), ("b/answer.json", {"Content-Length": "x"}, 411)):
            self.assertEqual(ask("PUT", f"/answers/{path}", b"{}", headers)[0], code, path)
        while list(inbox.glob(".upload-*")):
            time.sleep(0.01)
        self.assertEqual({str(p.relative_to(inbox)) for p in inbox.rglob("*") if p.is_file()}, {f"acme-1/{name}" for name in names})
        self.expect(0, self.receive(challenge, inbox / "acme-1"), "took the answer ", "receipt.json")
        code, receipt = ask("GET", "/receipt.json")
        self.assertEqual((code, receipt), (200, (challenge / "receipt.json").read_bytes()))
        self.expect(0, self.verdict(challenge, self.here / "evidence"), "which says WARNED")
        verify = ("verify", *self.edition, self.here / "evidence", "--key", self.shared / "issuer.pub")
        self.expect(0, cts(*verify), "challenge 2", "its holder claims to be \"Example Lab\"", "received  2", "HOLDS")
        facts = json.loads(cts(*verify, "--json").stdout)
        jsonschema.validate(facts, json.loads((SCHEMAS / "verification.schema.json").read_text()))
        schema = json.loads((SCHEMAS / "challenge.schema.json").read_text())
        for name in ("challenge", "answer", "receipt"):
            envelope = json.loads((self.here / f"evidence/challenge/{name}.json").read_text())
            payload = json.loads(base64.b64decode(envelope["payload"]))
            jsonschema.validate({name: payload}, schema)
            self.assertIn("format", payload)

    def test_a_sample_from_open_to_verdict(self):
        challenge = self.here / "challenge"
        self.expect(0, self.open(challenge, "--sample"), "which has the answers: this is a sample")
        results = self.run_native(challenge / "public/suite", self.here / "results")
        practice = self.here / "practice"
        self.expect(0, cts("unblind", *self.edition, results, "--answers", challenge / "public/answers.json", "--out", practice))
        self.expect(0, cts("check", *self.edition, practice / "suite", practice / "results"), "CONFORMANT")
        self.expect(0, self.answer(challenge / "public", results, self.here / "answer"))
        self.expect(0, self.receive(challenge, self.here / "answer"))
        self.expect(0, self.verdict(challenge, self.here / "verdict"), "nothing was signed, and this is no evidence")
        self.expect(1, cts("verify", *self.edition, self.here / "verdict", "--key", self.shared / "issuer.pub"), "DOES NOT HOLD")

    def test_an_expired_challenge(self):
        challenge = self.here / "challenge"
        until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=4)
        self.expect(0, self.open(challenge, until=until.strftime("%Y-%m-%dT%H:%M:%SZ")))
        results = self.run_native(challenge / "public/suite", self.here / "results")
        self.expect(0, self.answer(challenge / "public", results, self.here / "answer"))
        time.sleep(max(0, (until - datetime.datetime.now(datetime.timezone.utc)).total_seconds()) + 1.1)
        late = self.answer(challenge / "public", results, self.here / "late")
        self.expect(0, late, until.strftime("hand it in until %Y-%m-%dT%H:%M:%SZ, which has passed by this clock, once"))
        self.expect(2, self.receive(challenge, self.here / "answer"), "expired at 20", "this call took no answer")
        self.assertFalse((challenge / "receipt.json").exists())
        self.expect(2, self.verdict(challenge, self.here / "evidence"), "no answer was taken, and the challenge expired at")

    def test_answer_says_who_opened_the_challenge(self):
        pem = (self.shared / "issuer.pub").read_text().splitlines()
        key = hashlib.sha256(base64.b64decode("".join(pem[1:-1]))).hexdigest()
        self.expect(0, self.answer(self.challenge / "public", self.results, self.here / "a"),
                    f'issuer: the key {key}, checked by --issuer-key; its holder claims to be "Example Lab"')
        self.expect(0, cts("challenge", *self.edition, "answer", "--challenge", self.challenge / "public", "--results", self.results,
                           "--key", self.shared / "vendor.pem", "--out", self.here / "b"),
                    f'issuer: the key {key}, checked by no --issuer-key; its holder claims to be "Example Lab"')

    def test_the_folder_of_the_other_side_is_refused(self):
        self.expect(2, self.answer(self.challenge, self.results, self.here / "a"), "which holds the folder public: give that folder")
        for done in (self.receive(self.challenge / "public", self.good), self.verdict(self.challenge / "public", self.here / "e")):
            self.expect(2, done, "a folder public: give the folder that holds it")
        self.assertEqual(list(self.here.iterdir()), [])

    def test_a_receipt_that_cannot_be_printed_is_named(self):
        challenge = shutil.copytree(self.challenge, self.here / "challenge")
        with open("/dev/full", "w") as full:
            done = subprocess.run([CTS, "challenge", *map(str, self.edition), "receive", "--challenge", challenge, "--answer", self.good,
                                   "--key", self.shared / "issuer.pem"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=100)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"standard output: cannot be written; the answer was taken: the receipt is {challenge}/receipt.json", done.stderr)
        self.expect(0, self.verdict(challenge, self.here / "evidence"))

    def test_options_that_are_empty_missing_or_of_another_action(self):
        challenge = shutil.copytree(self.challenge, self.here / "challenge")
        before = sorted(challenge.rglob("*"))
        out, key = self.here / "out", self.shared / "issuer.pem"
        self.expect(2, self.answer(challenge / "public", self.results, out, "--issuer-key", ""), "--issuer-key")
        answer = ("challenge", *self.edition, "answer", "--challenge", challenge / "public", "--results", self.results,
                  "--key", self.shared / "vendor.pem", "--out", out)
        self.expect(2, cts(*answer, "--issuer-key", ""), "--issuer-key: found an empty value, expected PEM")
        self.expect(2, cts(*answer, "--passphrase", ""), "--passphrase: found an empty value, expected FILE")
        self.expect(2, cts(*answer, "--sample"), "--sample: does not go with challenge answer")
        self.expect(2, cts("challenge", "open", "--vendor", ""), "--vendor: found an empty value, expected PEM")
        self.expect(2, cts("challenge", "open", "--key", key), "is missing, and challenge open needs it")
        for name, value in (("--until", ""), ("--issuer", ""), ("--vendor", ""), ("--claim", ""), ("--out", "")):
            words = {"--claim": self.claim, "--key": key, "--vendor": self.shared / "vendor.pub", "--issuer": "x", "--until": "9999-12-31",
                     "--out": out, name: value}
            self.expect(2, cts("challenge", *self.edition, "open", *(word for pair in words.items() for word in pair)),
                        f"{name}: found an empty value")
        receive = ("challenge", *self.edition, "receive", "--challenge", challenge, "--answer", self.good, "--key", key)
        self.expect(2, cts(*receive, "--out", out), "--out: does not go with challenge receive")
        self.expect(2, cts(*receive[:-2]), "--key: is missing, and challenge receive needs it")
        self.expect(2, cts("challenge", "take"), "take", "verdict")
        self.assertEqual(sorted(challenge.rglob("*")), before)
        self.assertFalse(out.exists())

    def test_processes_that_receive_at_once(self):
        challenge = shutil.copytree(self.challenge, self.here / "challenge")
        answers = []
        for k in range(4):
            results = self.run_native(challenge / "public/suite", self.here / f"results{k}")
            answers.append(self.here / f"answer{k}")
            self.expect(0, self.answer(challenge / "public", results, answers[-1]))
        processes = [subprocess.Popen([CTS, "challenge", *map(str, self.edition), "receive", "--challenge", challenge, "--answer", answer,
                                       "--key", self.shared / "issuer.pem"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                     for answer in answers]
        said = [process.communicate(timeout=100) for process in processes]
        codes = [process.returncode for process in processes]
        self.assertEqual(sorted(codes), [0, 2, 2, 2], said)
        for code, (_, stderr) in zip(codes, said):
            if code == 2:
                self.assertIn("a challenge takes one answer; this call took no answer", stderr)
        taken = re.search("took the answer ([0-9a-f]{64})", said[codes.index(0)][0])[1]
        self.assertEqual((challenge / "received" / taken / "answer.json").read_bytes(),
                         (answers[codes.index(0)] / "answer.json").read_bytes())
        self.expect(0, self.verdict(challenge, self.here / "evidence"))
        self.expect(0, cts("verify", *self.edition, self.here / "evidence", "--key", self.shared / "issuer.pub"), "HOLDS")

    def test_a_bad_name_of_the_evidence_is_refused(self):
        challenge = shutil.copytree(self.challenge, self.here / "challenge")
        self.expect(0, self.receive(challenge, self.good))
        self.expect(2, self.verdict(challenge, self.here / "e", "--archive"), "expected a name that ends with .tar.zst")
        self.expect(2, self.verdict(challenge, self.here / "e.tar.zst"), "add --archive")
        self.expect(2, self.verdict(challenge, challenge), "exists already")
        self.assertEqual([path.name for path in self.here.iterdir()], ["challenge"])
        self.expect(0, self.verdict(challenge, self.here / "e.tar.zst", "--archive"))
        self.expect(0, cts("verify", *self.edition, self.here / "e.tar.zst", "--key", self.shared / "issuer.pub"), "received  2")

    def test_interrupted_it_opens_nothing(self):
        """A claim of many cases, so that there is time for the signal."""
        claim = self.here / "claim.json"
        claim.write_text(re.search(r"```json claim.json\n(.*?)```", README.read_text(), re.S).group(1))
        process = subprocess.Popen([CTS, "challenge", "open", "--claim", claim, "--key", self.shared / "issuer.pem", "--vendor",
                                    self.shared / "vendor.pub", "--issuer", "x", "--until", "9999-12-31", "--out", self.here / "out"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and not list(self.here.glob("out.tmp-*/public/suite.tmp-*/case/*")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=100)
        self.assertEqual(process.returncode, -signal.SIGINT, stderr)
        self.assertIn("challenge: interrupted", stderr)
        self.assertEqual([path.name for path in self.here.iterdir()], ["claim.json"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()
