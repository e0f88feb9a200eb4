#!/usr/bin/env python3
"""Moves the files of a challenge by plain HTTP: an example for a test bed, without encryption and without users.

Usage: challenge_server.py CHALLENGE INBOX [PORT]

Prints its address. It listens on this machine alone (127.0.0.1); without PORT the system chooses a free port.

  GET /public/...            the published files of CHALLENGE, and nothing of its folder secret
  GET /receipt.json          the receipt, once `tensor-cts challenge receive` has taken an answer
  PUT /answers/NAME/...      a file of an answer, which goes to INBOX/NAME; an existing file is never replaced

The server judges nothing and has no key. Signatures in the files protect them: the vendor checks the issuer's key by
`challenge answer --issuer-key`, and `challenge receive` checks the answer in INBOX/NAME.
"""
import http.server
import os
import pathlib
import re
import shutil
import sys
import tempfile

PUBLISHED = ("public/challenge.json", "public/claim.json", "public/suite/suite.json", "public/suite/case.tar",
             "public/answers.json", "receipt.json")
# The most bytes of each file, as `challenge receive` takes them.
ANSWER = {"answer.json": 1 << 20, "results/run.json": 1 << 20, "results/results.json": 64 << 20, "results/case.tar": 4 << 30}


class Handler(http.server.BaseHTTPRequestHandler):
    challenge = inbox = pathlib.Path()
    timeout = 60  # seconds; a silent client must not hold a thread for ever

    def do_GET(self):
        path = self.challenge / self.path[1:]
        if self.path[1:] not in PUBLISHED or not path.is_file():
            return self.send_error(404)
        with open(path, "rb") as file:
            self.send_response(200)
            self.send_header("Content-Length", str(path.stat().st_size))
            self.end_headers()
            shutil.copyfileobj(file, self.wfile)

    def do_PUT(self):
        found = re.fullmatch(r"/answers/([A-Za-z0-9][A-Za-z0-9-]{0,63})/([a-z./]+)", self.path)
        if not found or found[2] not in ANSWER:
            return self.send_error(404)
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,12}", length):
            return self.send_error(411)
        if int(length) > ANSWER[found[2]]:
            return self.send_error(413)
        place = self.inbox / found[1] / found[2]
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            return self.send_error(409)
        # The file gets its name once it is whole, so that an upload that breaks off can be repeated.
        with tempfile.NamedTemporaryFile(dir=self.inbox, prefix=".upload-") as file:
            left = int(length)
            try:
                while left > 0 and (piece := self.rfile.read(min(left, 1 << 20))):
                    file.write(piece)
                    left -= len(piece)
            except OSError:  # the connection broke, or was silent for too long
                self.close_connection = True
                return None
            if left > 0:  # the connection ended early
                return self.send_error(400)
            file.flush()
            try:
                os.link(file.name, place)
            except FileExistsError:
                return self.send_error(409)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    Handler.challenge, Handler.inbox = map(pathlib.Path, sys.argv[1:3])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3]) if len(sys.argv) == 4 else 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
