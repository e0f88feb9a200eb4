"""The smallest model that still deviates in the same way: dimensions, then values. Every step asks kernels, converter and reference."""

import copy
import dataclasses
import re

import numpy as np

import exact
import pipeline


def with_parts(case, inputs, values):
    """The case with these operands (tensor of the model, with its data or not), and the output shapes that the kernels give."""
    made = copy.copy(case)
    made.model = copy.copy(case.model)
    made.model.inputs, made.inputs = inputs, values
    return made


def fitted(steps, case):
    """With the output shapes that the kernels find; None if they refuse."""
    for outputs in steps.source.kernels(steps.source.write(case, steps.folder), case).values():
        if isinstance(outputs, list):
            case.model.outputs = [
                dataclasses.replace(t, shape=tuple(v.shape)) for t, v in zip(case.model.outputs, outputs)
            ]
            return case
    return None


def cut(case, axis_of, low, count):
    """Every operand cut to count elements from low along the axes that axis_of(number, tensor) names."""
    inputs, values, given = [], [], iter(case.inputs)
    for number, tensor in enumerate(case.model.inputs):
        if tensor is None:
            inputs.append(None)
            continue
        constant = tensor.data is not None
        data = tensor.data if constant else next(given)
        for axis in axis_of(number, data.shape):
            data = np.take(data, range(low, low + count), axis)
            if len(tensor.scale) > 1 and tensor.axis == axis:
                tensor = dataclasses.replace(
                    tensor, scale=tensor.scale[low : low + count], zero_point=tensor.zero_point[low : low + count]
                )
        inputs.append(dataclasses.replace(tensor, shape=tuple(data.shape), data=data if constant else None))
        if not constant:
            values.append(data)
    return with_parts(case, inputs, values)


def without_axis(case, axis):
    """One dimension less: the first element along it of what has data, and no entry for it in the lists of one entry an axis."""
    first = next(t for t in case.model.inputs if t is not None and t.data is None)
    rank = len(first.shape)
    inputs, values, given = [], [], iter(case.inputs)
    for tensor in case.model.inputs:
        if tensor is None:
            inputs.append(None)
            continue
        constant = tensor.data is not None
        data = tensor.data if constant else next(given)
        if constant and data.shape == (rank,):
            data = np.delete(data, axis)
        elif data.ndim == rank:
            data = np.take(data, 0, axis)
        inputs.append(dataclasses.replace(tensor, shape=tuple(data.shape), data=data if constant else None))
        if not constant:
            values.append(data)
    return with_parts(case, inputs, values)


def reads_beyond(case):
    """Whether a kernel that does not look would read what lies beyond its operand."""
    if case.model.operator != "STRIDED_SLICE" or not case.model.options[1].get("offset"):
        return False
    operand, begin, size = case.model.inputs[:3]
    return any(b + n > most for b, n, most in zip(begin.data, size.data, operand.shape))


def single_element(case, ours, theirs):
    """For an operator that works element by element: only the first wrong element."""
    for number, (a, b) in enumerate(zip(ours, theirs)):
        wrong = ~np.atleast_1d(pipeline.same(a, b))
        if not wrong.any():
            continue
        position = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong.reshape(-1))), a.shape))
        inputs, values, given = [], [], iter(case.inputs)
        for tensor in case.model.inputs:
            data = tensor.data if tensor.data is not None else next(given)
            one = data[exact.at(data.shape, position)].reshape((1,) * data.ndim)
            inputs.append(dataclasses.replace(tensor, shape=one.shape, data=one if tensor.data is not None else None))
            if tensor.data is None:
                values.append(one)
        return with_parts(case, inputs, values)
    return None


def edits(case):
    """Cuts to try, the boldest first."""
    first = next((t for t in case.model.inputs if t is not None and t.data is None), None)
    if first is not None and len(first.shape) > 1:
        for axis in reversed(range(len(first.shape))):
            yield without_axis(case, axis)
    sizes = sorted({n for t in case.model.inputs if t is not None for n in t.shape if n > 1}, reverse=True)
    for size in sizes:
        for count in dict.fromkeys((1, 2, size // 2, size - 1)):
            if 0 < count < size:
                for low in dict.fromkeys((0, size - count)):
                    yield cut(case, lambda _, shape, s=size: [i for i, n in enumerate(shape) if n == s], low, count)
    for number, tensor in enumerate(case.model.inputs):
        if tensor is None or tensor.data is not None:
            continue
        for axis, size in enumerate(tensor.shape):
            for count in dict.fromkeys((1, 2, size // 2, size - 1)):
                if 0 < count < size:
                    for low in dict.fromkeys((0, size - count)):
                        yield cut(case, lambda n, _, k=number, a=axis: [a] if n == k else [], low, count)


def simpler_values(case):
    """Parts of the data set to zero (the zero point), halves first."""
    for number, values in enumerate(case.inputs):
        tensor = [t for t in case.model.inputs if t is not None and t.data is None][number]
        zero = tensor.zero_point[0] if tensor.scale else 0
        size, count = values.size, values.size
        while count >= 1:
            for low in range(0, size, count):
                flat = values.reshape(-1).copy()
                if np.all(flat[low : low + count] == zero):
                    continue
                flat[low : low + count] = zero
                yield with_parts(
                    case,
                    case.model.inputs,
                    [flat.reshape(values.shape) if n == number else v for n, v in enumerate(case.inputs)],
                )
            count //= 2
            if size > 64 and count < size // 16:
                break


def size_of(case):
    operands = [t for t in case.model.inputs if t is not None] + case.model.outputs
    return sum(int(np.prod(t.shape)) for t in operands), sum(int(np.count_nonzero(v)) for v in case.inputs)


def plain_values(tensor):
    """What an element may become: the number of zero and of one."""
    zero = tensor.zero_point[0] if tensor.scale else 0
    return zero, zero + 1


def operands_of(case):
    """(position in the model, its tensor, its data) of every operand."""
    given = iter(case.inputs)
    for number, tensor in enumerate(case.model.inputs):
        if tensor is not None:
            yield number, tensor, tensor.data if tensor.data is not None else next(given)


def with_operand(case, number, changed):
    """The case with other data of one operand."""
    inputs, values = list(case.model.inputs), []
    for position, tensor, data in operands_of(case):
        data = changed if position == number else data
        if tensor.data is None:
            values.append(data)
        inputs[position] = dataclasses.replace(tensor, shape=data.shape, data=None if tensor.data is None else data)
    return with_parts(case, inputs, values)


def measure(source, case):
    """By what models are compared: elements, dimensions, attributes that are set, elements that are not 0, or not 0 or 1."""
    operands = list(operands_of(case))
    cost = sum(
        int(np.count_nonzero(data != zero)) + int(np.count_nonzero((data != zero) & (data != one)))
        for _, tensor, data in operands
        for zero, one in [plain_values(tensor)]
    )
    shapes = [tensor.shape for _, tensor, _ in operands] + [tensor.shape for tensor in case.model.outputs]
    elements = sum(int(np.prod(shape)) for shape in shapes)
    return elements, sum(map(len, shapes)) + len(operands), len(source.unlike_default(case)), cost


def with_sizes(case, candidate):
    """Gives the candidate the attributes that have the size of a dimension that was cut the new size; whether there are any."""
    if not case.model.options:
        return False
    pairs = [
        (old, new)
        for a, b in zip(case.model.inputs, candidate.model.inputs)
        if a is not None and len(a.shape) == len(b.shape)
        for old, new in zip(a.shape, b.shape)
        if old != new
    ]
    kind, fields = case.model.options
    sizes = dict(pairs)
    changed = {name: sizes[value] for name, value in fields.items() if type(value) is int and value in sizes}
    candidate.model.options = (kind, {**fields, **changed})
    return bool(changed)


def single_steps(source, case):
    """(what it does, the case after it) of every single step that may make a model smaller; not every one is a model."""
    for candidate in edits(case):
        yield f"shapes {[t.shape for t in candidate.model.inputs if t is not None]}", candidate
        if with_sizes(case, candidate):
            yield f"shapes {[t.shape for t in candidate.model.inputs if t is not None]}, and attributes", candidate
        # The operands that name axes name one less.
        for number, tensor, data in operands_of(candidate):
            if tensor.data is not None and data.dtype.kind == "i" and data.size and data.max() > 0:
                shapes = [t.shape for t in candidate.model.inputs if t is not None]
                yield f"shapes {shapes}, constant {number} one less", with_operand(
                    candidate, number, np.maximum(data - 1, 0).astype(data.dtype)
                )
    yield from source.attribute_steps(case)
    for number, tensor, data in operands_of(case):
        for place, value in enumerate(data.reshape(-1)):
            for plain in plain_values(tensor):
                flat = data.reshape(-1).copy()
                flat[place] = plain
                if flat[place] != value:
                    yield f"operand {number}, element {place}: {plain}", with_operand(
                        case, number, flat.reshape(data.shape)
                    )


def shrink(steps, case, record, ours, theirs):
    """The smallest (case, record, ours, theirs) found."""

    def cause(found):
        if found["class"] in ("deviates", "kernels disagree"):
            return found["class"], ""
        # The operator, and the condition that it breaks.
        return found["class"], re.findall(r"[A-Z][A-Z_0-9]+ \(operator|\([a-z_0-9]+\.[a-z_0-9]+\)", found["detail"])

    best, left = (case, record, ours, theirs), steps.source.STEPS
    wanted = cause(record)

    def attempt(candidate):
        nonlocal best, left
        left -= 1
        if reads_beyond(candidate):
            return False
        try:
            candidate = fitted(steps, candidate)
            empty = candidate is not None and any(0 in t.shape for t in candidate.model.outputs)
            if candidate is None or empty or size_of(candidate) >= size_of(best[0]):
                return False
            found, a, b = pipeline.run(steps, candidate)
        except (ValueError, IndexError, KeyError, OSError):
            return False
        if cause(found) != wanted or record.get("nearest kernels") and "nearest kernels" not in found:
            return False
        if record.get("exact") and record["exact"]["theirs"] and not record["exact"]["ours"]:
            known = found.get("exact")
            if not known or not known["theirs"]:
                return False
        best = candidate, found, a, b
        return True

    if ours is not None:
        fit = pipeline.kernel_shape(ours, theirs[record.get("nearest kernels", next(iter(theirs)))])
        try:
            one = single_element(case, ours, fit)
        except (IndexError, ValueError, AttributeError):
            one = None  # it does not work element by element
        if one is not None:
            attempt(one)
    for maker in (edits, simpler_values):
        again = True
        while again and left > 0:
            again = False
            for candidate in maker(best[0]):
                if left <= 0:
                    break
                if attempt(candidate):
                    again = True
                    break
    return best
