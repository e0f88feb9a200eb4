"""A worker with three faults and no check of legality, as a beginner writes one.

CONV2D of i8 is one off in its last element. CLAMP of fp32 has the other sign in its first. RESHAPE says ok and writes nothing.
Of five illegal graphs it accepts four. The rest is right: RIGHT is a folder with results of builtin:native over the same suite.
"""
import glob
import json
import os
import shutil
import sys
import zlib


def flip(path, at, bits):
    data = bytearray(open(path, "rb").read())
    data[at] ^= bits
    open(path, "wb").write(data)


def answer(request):
    case = request["case"]
    with open(request["case_dir"] + "/case.json", encoding="utf-8") as file:
        if json.load(file)["outcome"] == "error":
            if zlib.crc32(case.encode()) % 5 == 0:
                return {"case": case, "status": "error", "message": "bad argument in " + case.split("/")[0]}
            return {"case": case, "status": "ok"}
    for path in glob.glob(glob.escape(f"{os.environ['RIGHT']}/{case}") + "/*.npy"):
        copy = f"{request['result_dir']}/{os.path.basename(path)}"
        if case.startswith("reshape/"):
            continue
        shutil.copyfile(path, copy)
        if case.startswith("conv2d/i8"):
            flip(copy, -4, 1)
        # The first element's highest byte: little-endian, behind the header of 128 bytes.
        if case.startswith("clamp/fp32"):
            flip(copy, 128 + 3, 0x80)
    return {"case": case, "status": "ok"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
