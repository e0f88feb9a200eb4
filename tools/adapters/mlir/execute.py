"""Calls compiled cases, each in a child process, and writes their outputs."""

import ctypes
import os
import signal

import numpy

import pipeline
from common.arrays import TYPES, narrow, read_bits, write_bits
from common.cases import without_values

ALIGNMENT = 64


def read_input(path, dtype):
    """A tensor as memory holds it, aligned."""
    cells = narrow(read_bits(path, dtype), dtype, signed=False)
    shape = cells.shape
    memory = numpy.zeros(cells.nbytes + ALIGNMENT, numpy.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    memory = memory[start : start + cells.nbytes]
    memory[:] = cells.reshape(-1).view(numpy.uint8)
    return memory, shape


def descriptor(memory, shape):
    """MLIR's memref: allocated and aligned pointer, offset, sizes, strides (in elements)."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    words = [memory.ctypes.data, memory.ctypes.data, 0, *shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


def cells_of(words, rank, dtype):
    """The shape and elements that a memref descriptor describes, row-major."""
    _, pointer, offset = words[:3]
    shape, strides = words[3 : 3 + rank], words[3 + rank : 3 + 2 * rank]
    cell = numpy.dtype(TYPES[dtype][1])
    if any(size < 1 for size in shape):  # of a symbolic program that computed it
        return [max(size, 0) for size in shape], numpy.zeros(0, cell)
    reach = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    start = pointer + offset * cell.itemsize
    buffer = (ctypes.c_uint8 * (reach * cell.itemsize)).from_address(start)
    memory = numpy.ctypeslib.as_array(buffer)
    view = numpy.lib.stride_tricks.as_strided(
        memory.view(cell), shape, [stride * cell.itemsize for stride in strides]
    )
    return shape, numpy.array(view).reshape(-1)


def call(library, case):
    """Runs every execution in turn, in one process, so that variables keep their values."""
    block = case.bundle["graph"]["regions"][0]["blocks"][0]
    tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
    outputs = [tensors[name] for name in block["outputs"]]
    function = library["_mlir_ciface_" + case.function]
    function.restype = None
    for k, execution in enumerate([case.bundle, *case.bundle.get("later_executions", [])]):
        memories, arguments = [], []
        for name in block["inputs"]:
            path = os.path.join(case.case_dir, execution["inputs"][name])
            memory, shape = read_input(path, tensors[name]["dtype"])
            memories.append(memory)
            arguments.append(descriptor(memory, shape))
        call_once(function, arguments, outputs, case.result_dir, f".{k}.npy" if k else ".npy")


def call_once(function, arguments, outputs, result_dir, suffix):
    sizes = [3 + 2 * len(output["shape"]) for output in outputs]
    results = (ctypes.c_int64 * sum(sizes))()
    function(*([ctypes.byref(results)] if outputs else []), *map(ctypes.byref, arguments))
    start = 0
    for output, size in zip(outputs, sizes):
        words = results[start : start + size]
        start += size
        shape, cells = cells_of(words, len(output["shape"]), output["dtype"])
        path = os.path.join(result_dir, output["name"] + suffix)
        write_bits(path, output["dtype"], narrow(cells, output["dtype"], signed=True), shape)


def run_child(library, case, seconds, pipe):
    """Calls the case; writes to `pipe` what is wrong with the adapter or its surroundings."""
    code = 1
    try:
        os.dup2(2, 1)  # standard output belongs to the protocol
        pipeline.limit_cpu(seconds)
        call(library, case)
        code = 0
    except BaseException as fault:  # nothing of the parent may run in the child
        os.write(pipe, f"{type(fault).__name__}: {fault}".encode()[:4000])
    finally:
        os._exit(code)


def execute(library_path, cases, seconds):
    """Settles every case: ok, crash, or hang if it takes more than `seconds` of CPU time (None: no
    limit).

    Each runs in a process of its own: what a miscompiled case does to its memory is then no other
    case's wrong result. Anything that is not the implementation's fault is an OSError.
    """
    library = ctypes.CDLL(library_path)
    for case in cases:
        if name := without_values(case):
            case.settle("unsupported", f"there are no values to call it with for input {name}")
            continue
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            run_child(library, case, seconds, write_end)
        os.close(write_end)
        with open(read_end, "rb", buffering=0) as pipe:
            message = pipe.read(4000).decode(errors="replace")
        _, wait_status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(wait_status) and os.WTERMSIG(wait_status) == signal.SIGXCPU:
            case.settle("hang", f"compiled code ran for more than {seconds} s")
        elif os.WIFSIGNALED(wait_status):
            name = signal.Signals(os.WTERMSIG(wait_status)).name
            case.settle("crash", f"compiled code died of {name}")
        elif message or os.WEXITSTATUS(wait_status) != 0:
            raise OSError(f"{case.id}: {message or 'the process that calls it failed'}")
        else:
            case.settle("ok")
