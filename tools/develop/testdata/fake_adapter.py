"""An adapter that copies x.npy to y.npy, but for what it is told to do wrong.

fake_adapter.py BEHAVIOUR [--batch N] (CASE_DIR RESULT_DIR | --worker)
BEHAVIOUR is shown on cases whose id contains "bad"; every other case is answered well.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time


BROKEN = []


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def answer(case, status="ok", **more):
    say(json.dumps({"case": case, "status": status, **more}))


def sleeper(**options):
    """A child that outlives its parent, if nobody ends it; its id goes to the file PIDS."""
    child = subprocess.Popen(["sleep", "1000"], **options)
    with open(os.environ["PIDS"], "a") as file:
        file.write(f"{child.pid}\n")


def serve(behaviour, case, case_dir, result_dir):
    if "error" in case:
        return answer(case, "error", message="shapes differ")
    if "unsupported" in case:
        return answer(case, "unsupported", message="no such type")
    if "compiles" in case:
        return answer(case, "accepted", message="compiled")
    shutil.copy(os.path.join(case_dir, "x.npy"), os.path.join(result_dir, "y.npy"))
    if "contradicts" in case:
        return answer(case, "accepted")
    if "bad" not in case:
        return answer(case)
    if behaviour == "dies":
        sys.stderr.write("about to die\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    elif behaviour == "exits":
        sys.exit(3)
    elif behaviour == "silent":
        sys.exit(0)
    elif behaviour == "hangs":
        sleeper()
        time.sleep(1000)
    elif behaviour == "hangs-stubbornly":
        for ignored in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        sleeper()
        while True:
            time.sleep(1000)
    elif behaviour == "memory":
        held = b"x" * (300 << 20)
        time.sleep(1000)
        assert held
    elif behaviour == "memory-of-child":
        subprocess.run([sys.executable, "-c", "import time; x = b'x' * (300 << 20); time.sleep(1000)"])
    elif behaviour == "escapes":
        sleeper(start_new_session=True)
        answer(case)
    elif behaviour in ("flips", "flips-status"):
        # Something else whenever it runs again.
        seen = os.environ["PIDS"] + "-" + os.path.basename(case)
        if os.path.exists(seen):
            if behaviour == "flips-status":
                return answer(case, "unsupported", message="not any more")
            with open(os.path.join(result_dir, "y.npy"), "r+b") as file:
                file.seek(-4, os.SEEK_END)
                file.write(b"\x01\x02\x03\x04")
        open(seen, "w").close()
        answer(case)
    elif behaviour == "crowded":
        # Something else where more than two of them are there at once.
        crowd = os.environ["PIDS"] + "-crowd"
        os.makedirs(crowd, exist_ok=True)
        own = os.path.join(crowd, str(os.getpid()))
        open(own, "w").close()
        time.sleep(0.3)
        if len(os.listdir(crowd)) > 2:
            with open(os.path.join(result_dir, "y.npy"), "r+b") as file:
                file.seek(-4, os.SEEK_END)
                file.write(b"\x01\x02\x03\x04")
        os.remove(own)
        answer(case)
    elif behaviour == "tires":
        # The second answer comes late, the third never.
        asked = os.environ["PIDS"] + "-" + case.split("/")[-1]
        with open(asked, "a") as file:
            file.write("x")
        time.sleep({2: 3, 3: 1000}.get(os.path.getsize(asked), 0))
        answer(case)
    elif behaviour == "hangs-after":
        answer(case)
        time.sleep(1000)
    elif behaviour == "closes":
        os.close(1)
        time.sleep(1000)
    elif behaviour == "leaves-child":
        # The child keeps standard output open.
        sleeper()
        answer(case)
        os._exit(0)
    elif behaviour == "garbage":
        say("loading \xe4 model ...")
        answer(case)
    elif behaviour == "garbage-after":
        answer(case)
        say("done")
    elif behaviour == "no-object":
        say('["ok"]')
    elif behaviour == "twice":
        answer(case)
        answer(case)
    elif behaviour == "wrong-id":
        answer("copy/nobody")
    elif behaviour == "unknown-status":
        answer(case, "great")
    elif behaviour == "no-status":
        say(json.dumps({"case": case}))
    elif behaviour == "mistyped":
        answer(case, message=7)
    elif behaviour == "huge":
        say("x" * (2 << 20))
    elif behaviour == "huge-message":
        answer(case, message="m" * (1 << 20))
    elif behaviour == "fails-after":
        answer(case)
        sys.exit(3)
    elif behaviour == "dies-after":
        answer(case)
        os.kill(os.getpid(), signal.SIGKILL)
    elif behaviour == "reports":
        answer(case, "crash", message="KeyError: 'pad'")
    elif behaviour == "reports-nothing":
        answer(case, "crash")
    elif behaviour == "reports-an-empty-text":
        answer(case, "crash", message="")
    elif behaviour == "reports-at-length":
        answer(case, "crash", message="m" * 500000 + "\x1b[31m\r\n\0\u202e\ud83d\ude00 the end")
    elif behaviour == "reports-for-ever":
        answer(case, "crash", message="m" * (10 << 20))
    elif behaviour == "reports-a-number":
        answer(case, "crash", message=7)
    elif behaviour == "reports-twice":
        answer(case, "crash", message="once")
        answer(case, "ok")
    elif behaviour == "reports-and-exits":
        answer(case, "crash", message="once")
        sys.exit(3)
    elif behaviour == "reports-a-timeout":
        answer(case, "timeout", message="late")
    elif behaviour == "reports-a-pass":
        answer(case, "crash", message="x", verdict="pass", exit_code=0, signal=0, reported=False)
    elif behaviour == "breaks":
        # The first crash is its own; the process answers nothing else from then on.
        if "poisons" in case or BROKEN:
            BROKEN.append(case)
            return answer(case, "crash", message="device lost")
        answer(case)
    elif behaviour == "stray":
        with open(os.path.join(result_dir, "notes.txt"), "w") as file:
            file.write("found nowhere else")
        answer(case)
    elif behaviour == "link":
        os.remove(os.path.join(result_dir, "y.npy"))
        os.symlink(os.path.join(case_dir, "x.npy"), os.path.join(result_dir, "y.npy"))
        answer(case)
    elif behaviour == "replaced":
        shutil.rmtree(result_dir)
        os.symlink(case_dir, result_dir)
        answer(case)
    elif behaviour == "no-output":
        os.remove(os.path.join(result_dir, "y.npy"))
        answer(case)
    elif behaviour == "no-id":
        say('{"status": "ok"}')
    elif behaviour == "no-newline":
        sys.stdout.write('{"status": "ok"}')
    elif behaviour == "chatty":
        sys.stderr.write("begin" + "e" * (1 << 20) + "end")
        answer(case)
    elif behaviour == "announces-late":
        answer(case)
        say('{"worker": "late", "version": "1"}')
    else:
        raise ValueError(behaviour)


def main():
    behaviour = sys.argv[1]
    batch = int(sys.argv[sys.argv.index("--batch") + 1]) if "--batch" in sys.argv else 1
    if sys.argv[-1] != "--worker":
        case_dir, result_dir = sys.argv[-2:]
        case = "/".join(case_dir.split("/")[-2:])
        return serve(behaviour, case, case_dir, result_dir)
    if "--batch" in sys.argv:
        say(json.dumps({"worker": "fake", "version": "1.2", "batch": batch}))
    requests = []
    for line in sys.stdin:
        requests.append(json.loads(line))
        if requests[-1]["more"]:
            continue
        assert len(requests) <= max(batch, 1)
        if behaviour == "reversed":
            requests.reverse()
        for r in requests:
            serve("none" if behaviour == "reversed" else behaviour, r["case"], r["case_dir"],
                  r["result_dir"])
        requests = []
    if behaviour == "fails-at-end":
        sys.exit(4)


main()
