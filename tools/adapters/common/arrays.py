"""Tensors between .npy files and memory, as bits: NumPy has no bf16 and no fp8."""

import numpy

# TOSA type: descr of its .npy, type of a cell in memory, bits that count in a cell.
TYPES = {
    "bool": ("|b1", "u1", 1),
    "i4": ("|i1", "i1", 4),
    "i8": ("|i1", "i1", 8),
    "i16": ("<i2", "<i2", 16),
    "i32": ("<i4", "<i4", 32),
    "i48": ("<i8", "<i8", 48),
    "i64": ("<i8", "<i8", 64),
    "shape": ("<i8", "<i8", 64),
    "fp8e4m3": ("|V1", "u1", 8),
    "fp8e5m2": ("|V1", "u1", 8),
    "fp16": ("<f2", "<u2", 16),
    "bf16": ("<V2", "<u2", 16),
    "fp32": ("<f4", "<u4", 32),
}


def read_bits(path, dtype):
    """The tensor of a file as cells of its type: unsigned bits for floating point, a byte for a bool."""
    array = numpy.load(path, allow_pickle=False)
    return numpy.ascontiguousarray(array).reshape(-1).view(TYPES[dtype][1]).reshape(array.shape)


def write_bits(path, dtype, cells, shape=None):
    """Writes cells, of the type's width, as a tensor of the type."""
    cells = numpy.asarray(cells)
    shape = cells.shape if shape is None else tuple(int(size) for size in shape)
    data = numpy.ascontiguousarray(cells).tobytes()
    header = {"descr": TYPES[dtype][0], "fortran_order": False, "shape": shape}
    with open(path, "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, header)
        file.write(data)


def narrow(cells, dtype, signed):
    """Keeps only the bits that count, where memory leaves the others of an i1, i4 or i48 open."""
    cell, bits = numpy.dtype(TYPES[dtype][1]), TYPES[dtype][2]
    if bits == cell.itemsize * 8:
        return cells
    cells = cells & cell.type((1 << bits) - 1)
    if signed and dtype != "bool":
        sign = cell.type(1 << (bits - 1))
        cells = (cells ^ sign) - sign
    return cells


def bf16_to_fp32(bits):
    return (bits.astype(numpy.uint32) << 16).view(numpy.float32)
