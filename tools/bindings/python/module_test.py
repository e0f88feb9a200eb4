#!/usr/bin/env python3
"""The module tensor_cts: reference, judge, suites, run. Also how soon it answers, printed, not judged.

Usage: module_test.py [TENSOR_CTS LIBRARY]      without them the module that is installed
"""
import ctypes
import gc
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

if len(sys.argv) > 1:
    SOURCES = str(pathlib.Path(__file__).resolve().parent / "src")
    os.environ["TENSOR_CTS_COMMAND"], os.environ["TENSOR_CTS_LIBRARY"] = map(os.path.abspath, sys.argv[1:3])
    sys.path.insert(0, SOURCES)
    os.environ["PYTHONPATH"] = SOURCES
import tensor_cts as cts  # noqa: E402
import tensor_cts.worker  # noqa: E402

FAULT = "maximum.loses_nan"
OPERATORS = ("MAXIMUM", "CAST", "COND_IF", "VARIABLE_READ", "FFT2D", "TILE", "CONCAT", "RESCALE", "MATMUL", "CONST")

DISPUTED = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %m = tosa.maximum %a, %b {nan_mode = IGNORE} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %n = tosa.add %b, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %m, %n : tensor<2xf32>, tensor<2xf32>
}
"""


class Foreign:
    """An array of another library: DLPack is all that it offers."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Capsule:
    """What torch offers of bf16 and fp8: DLPack's code and bits, strides left out, an offset. `deleted` once it is freed."""

    def __init__(self, bits, code, device=1):
        from tensor_cts import _arrays
        self.bits = np.concatenate([bits[:1], bits])  # the offset skips the first
        self.shape = (ctypes.c_int64 * 1)(len(bits))
        self.deleted = []

        class Managed(ctypes.Structure):
            _fields_ = [("tensor", _arrays._DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]

        self.managed = Managed(_arrays._DLTensor(
            self.bits.ctypes.data, _arrays._Device(device, 0), 1, _arrays._DataType(code, 8 * bits.itemsize, 1), self.shape,
            None, bits.itemsize))
        self.destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.deleted.append)

    def __dlpack__(self):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", ctypes.cast(self.destructor, ctypes.c_void_p))


class Asking(unittest.TestCase):
    def test_value_bound_rule_and_clause(self):
        ref = cts.reference("EXP", input1=np.float32([0, 1]))
        self.assertEqual((ref.outcome, ref.message, ref.conditions), ("valid", "", []))
        output = ref.outputs["output"]
        self.assertEqual(output.value.tolist(), [1, 2.718281828459045])
        self.assertEqual((output.type, output.shape, output.rule), ("fp32", (2,), "absolute_bound"))
        self.assertIn("EXP", output.clause)
        self.assertEqual(output.rounded().dtype, np.float32)
        self.assertEqual(output.rounded().tolist(), [1, float(np.float32(2.718281828459045))])
        self.assertGreater(output.bound[1], 0)
        self.assertIsNone(output.upper)
        self.assertFalse(output.value.flags.writeable)

    def test_values_outlive_their_answer(self):
        value = cts.reference("ABS", input1=np.arange(-500, 500, dtype=np.int32)).outputs["output"].value
        gc.collect()
        for _ in range(50):
            cts.reference("ABS", input1=np.zeros(1000, np.int32))
        self.assertEqual(value.tolist(), [abs(i) for i in range(-500, 500)])

    def test_an_illegal_call_has_conditions(self):
        ref = cts.reference("ADD", input1=np.zeros((2, 3), np.int32), input2=np.zeros((3, 3), np.int32))
        self.assertEqual(ref.outcome, "error")
        self.assertEqual([condition.id for condition in ref.conditions], ["add.broadcast"])
        self.assertEqual(ref.conditions[0].kind, "error_if")
        self.assertEqual(dict(ref.outputs), {})
        self.assertTrue(ref.judge(cts.Refused()))
        self.assertIn("expected a refusal: add.broadcast", ref.judge(np.zeros((3, 3), np.int32)).message)

    def test_two_answers_where_subnormals_may_be_flushed(self):
        tiny, zero = np.float32([1e-40]), np.float32([0])
        arguments = {"input1": tiny, "input2": zero, "nan_mode": "PROPAGATE"}
        output = cts.reference("MAXIMUM", **arguments).outputs["output"]
        self.assertFalse(output.flushed)
        self.assertTrue(output.alternative.flushed)
        self.assertEqual(output.alternative.value[0], 0)
        for result, answer in ((tiny, "unflushed"), (zero, "flushed")):
            judgement = cts.judge("MAXIMUM", result, **arguments)
            self.assertEqual((bool(judgement), judgement.answer), (True, answer))

    def test_judge_says_where_and_how_far(self):
        x = np.float32([0, 1])
        right = cts.judge("EXP", np.exp(x), input1=x)
        self.assertTrue(right)
        self.assertEqual((right.message, right.mismatches, repr(right)), ("", 0, "accept"))
        wrong = cts.judge("EXP", np.float32([1, 2.7]), input1=x)
        self.assertFalse(wrong)
        self.assertEqual((wrong.first_index, wrong.mismatches), ("[1]", 1))
        self.assertIn("element [1]: expected 2.718281", wrong.message)
        self.assertGreater(wrong.worst_ulp, 1000)
        self.assertIn("found fp16[2], expected fp32[2]", cts.judge("EXP", np.float16([1, 2]), input1=x).message)
        self.assertIn("found fp32[1], expected fp32[2]", cts.judge("EXP", np.float32([1]), input1=x).message)
        self.assertFalse(cts.judge("EXP", cts.Refused("no"), input1=x))
        self.assertFalse(cts.judge("EXP", cts.Unsupported("no"), input1=x))

    def test_a_signalling_nan_that_is_ignored_is_disputed(self):
        """maxNum of IEEE 754-2008 makes NaN of it; of a quiet one that is wrong."""
        one, nan = np.float32([1]), np.float32([np.nan])
        signalling = np.uint32([0x7FA00000]).view(np.float32)
        for operand, result, accepted, disputed in ((signalling, one, True, False), (signalling, nan, True, True),
                                                    (nan, one, True, False), (nan, nan, False, False)):
            judgement = cts.judge("MAXIMUM", result, input1=operand, input2=one, nan_mode="IGNORE")
            self.assertEqual((bool(judgement), judgement.disputed), (accepted, disputed), judgement.message)
            self.assertEqual("a signalling NaN" in judgement.message, disputed)

    def test_another_dtype_is_taken_where_nothing_is_lost(self):
        def judge(result, x):
            return cts.judge("IDENTITY", result, input1=x)
        ints = np.int32([-1, 0, 1 << 30])
        for given in (np.int64, Foreign):
            result = Foreign(ints.astype(np.int64)) if given is Foreign else ints.astype(given)
            self.assertEqual(repr(judge(result, ints)), "accept")
        self.assertIn("element [1]: expected 0, got 1", judge(np.int64([-1, 1, 1 << 30]), ints).message)
        self.assertIn("found i48[3], expected i32[3]", judge(np.int64([-1, 0, 1 << 31]), ints).message)
        self.assertIn("found fp64[3], expected i32[3]", judge(ints.astype(np.float64), ints).message)
        self.assertIn("found i48[3]", judge(cts.Tensor(ints.astype(np.int64), "i48"), ints).message)
        self.assertTrue(judge(np.uint8([0, 127]), np.int8([0, 127])))
        self.assertIn("uint8", judge(np.uint8([0, 128]), np.int8([0, -128])).message)
        self.assertTrue(judge(np.int8([0, 1]), np.array([False, True])))
        self.assertFalse(judge(np.int8([0, 2]), np.array([False, True])))
        self.assertFalse(judge(np.int32([0, 1]), np.array([False, True])))
        self.assertTrue(judge(np.int16([-7, 7]), cts.Tensor(np.int8([-7, 7]), "i4")))
        self.assertFalse(judge(np.int16([-8, 7]), cts.Tensor(np.int8([-7, 7]), "i4")))
        floats = np.float32([-0.0, 0.1, np.inf, np.nan, 1e-45])
        self.assertEqual(repr(judge(floats.astype(np.float64), floats)), "accept")
        self.assertIn("found fp64[1], expected fp32[1]", judge(np.float64([0.1]), floats[1:2]).message)
        self.assertIn("found fp64[1], expected fp32[1]", judge(np.float64([1e300]), floats[2:3]).message)
        self.assertIn("found fp16[1], expected fp32[1]", judge(np.float16([np.inf]), floats[2:3]).message)

    def test_several_outputs(self):
        zeros = np.zeros((1, 4, 4), np.float32)
        arguments = {"input_real": zeros, "input_imag": zeros, "inverse": False, "local_bound": False}
        self.assertTrue(cts.judge("FFT2D", [zeros, zeros], **arguments))
        self.assertTrue(cts.judge("FFT2D", {"output_real": zeros, "output_imag": zeros}, **arguments))
        lacking = cts.judge("FFT2D", {"output_real": zeros}, **arguments)
        self.assertEqual(lacking.message, "output output_imag: found no result, expected one")
        with self.assertRaisesRegex(ValueError, "found 1 results, expected 2: output_real, output_imag"):
            cts.judge("FFT2D", zeros, **arguments)
        with self.assertRaisesRegex(ValueError, "found a result named 'real'"):
            cts.judge("FFT2D", {"real": zeros}, **arguments)

    def test_plain_values_lists_and_output_types(self):
        x = np.float32([-1, 0.1, 9])
        output = cts.reference("CLAMP", input=x, min_val=-0.0, max_val=0.1, nan_mode="PROPAGATE").outputs["output"]
        self.assertEqual(output.value.tolist(), [0, float(x[1]), float(np.float32(0.1))])
        both = cts.reference("CONCAT", input1=[np.int8([1]), np.int8([2, 3])], axis=0)
        self.assertEqual(both.outputs["output"].value.tolist(), [1, 2, 3])
        reshaped = cts.reference("RESHAPE", input1=np.int8([[1, 2]]), shape=[2, 1])
        self.assertEqual(reshaped.outputs["output"].shape, (2, 1))
        cast = cts.reference("CAST", input=x, output_types={"output": "i8"})
        self.assertEqual(cast.outputs["output"].value.tolist(), [-1, 0, 9])
        self.assertEqual(cast.outputs["output"].value.dtype, np.int8)
        self.assertEqual(cts.reference("ABS", input1=x, output_types={"output": ("fp32", [4])}).outcome, "error")
        self.assertEqual(cts.reference("ABS", input1=x, edition="tosa-0.100", level="8K").outcome, "valid")

    def test_types_that_numpy_does_not_have(self):
        bits = cts.Tensor(np.uint16([0x3f80, 0x4000]), "bf16")
        output = cts.reference("EXP", input1=bits).outputs["output"]
        self.assertEqual(output.type, "bf16")
        rounded = output.rounded()
        self.assertEqual(rounded.view(np.uint16).tolist(), [0x402e, 0x40ec])
        self.assertTrue(cts.judge("EXP", cts.Tensor(rounded.view(np.uint16), "bf16"), input1=bits))
        self.assertTrue(cts.judge("EXP", np.uint16([0x402e, 0x40ec]), input1=bits))  # a result may be the bits alone
        self.assertFalse(cts.judge("EXP", np.uint8([1, 2]), input1=bits))
        self.assertEqual(cts.reference("IDENTITY", input1=cts.Tensor(np.int8([7]), "i4")).outputs["output"].type, "i4")
        self.assertTrue(cts.judge("IDENTITY", np.int8([7]), input1=cts.Tensor(np.int8([7]), "i4")))
        with self.assertRaisesRegex(ValueError, "element \\[0\\]: found -8"):
            cts.reference("IDENTITY", input1=cts.Tensor(np.int8([-8]), "i4"))
        with self.assertRaisesRegex(ValueError, "found an array of int16, expected uint16 for the type bf16"):
            cts.Tensor(np.int16([1]), "bf16")

    def test_ml_dtypes(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        x = np.array([1, 2], ml_dtypes.bfloat16)
        output = cts.reference("EXP", input1=x).outputs["output"]
        self.assertEqual(output.rounded().dtype, ml_dtypes.bfloat16)
        self.assertTrue(cts.judge("EXP", output.rounded(), input1=x))
        four = np.array([-3, 7], ml_dtypes.int4)
        self.assertEqual(cts.reference("IDENTITY", input1=four).outputs["output"].value.tolist(), [-3, 7])
        self.assertTrue(cts.judge("IDENTITY", four, input1=four))
        for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
            self.assertTrue(cts.judge("IDENTITY", np.array([1.5], kind), input1=np.array([1.5], kind)))
        for kind in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.bfloat16):
            x = np.array([1.5, -0.0, np.nan], kind)
            self.assertTrue(cts.judge("IDENTITY", x.astype(np.float32), input1=x))
            self.assertTrue(cts.judge("IDENTITY", x.astype(np.float64), input1=x))
            self.assertIn("found fp32[3]", cts.judge("IDENTITY", np.float32([1.501, 0, 0]), input1=x).message)

    def test_dlpack(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        for array in (x, x.T, x[::2, 1:], x[:, :1], np.array(3, np.float32)):
            value = cts.reference("ABS", input1=Foreign(array)).outputs["output"].value
            self.assertEqual(value.tolist(), array.tolist())
        self.assertTrue(cts.judge("ABS", Foreign(x), input1=x))
        with self.assertRaisesRegex(ValueError, "/arguments/input1: found DLPack's type 5 of 64 bits"):
            cts.reference("ABS", input1=Foreign(np.zeros(1, np.complex64)))

    @unittest.skipUnless(hasattr(ctypes, "pythonapi"), "not CPython")
    def test_dlpack_of_types_that_numpy_does_not_have(self):
        for bits, code, kind in ((np.uint16([0x3f80, 0xc000]), 4, "bf16"), (np.uint8([0x38, 0xc0]), 10, "fp8e4m3"),
                                 (np.uint8([0x3c, 0xc0]), 12, "fp8e5m2")):
            capsule = Capsule(bits, code)
            output = cts.reference("IDENTITY", input1=capsule).outputs["output"]
            self.assertEqual((output.type, output.value.tolist()), (kind, [1, -2]))
            gc.collect()
            self.assertEqual(len(capsule.deleted), 1)
        with self.assertRaisesRegex(ValueError, "found a tensor on device 2, expected one in the CPU's memory"):
            cts.reference("IDENTITY", input1=Capsule(np.uint8([0]), 10, device=2))

    def test_arrays_of_any_layout(self):
        x = np.arange(12, dtype=np.int32).reshape(3, 4)
        for array in (x.T, x[::-1, ::2], np.asfortranarray(x), np.array(3, np.int32)):
            self.assertEqual(cts.reference("IDENTITY", input1=array).outputs["output"].value.tolist(), array.tolist())

    def test_errors_are_value_errors(self):
        x = np.float32([1])
        for pattern, op, arguments in (
                ("did you mean EXP, ERF or POW", "EXPO", {"input1": x}),
                ('found the member "input", expected input1', "EXP", {"input": x}),
                ('/arguments: expected a member "input1"', "EXP", {}),
                ("big-endian, expected little-endian: array.astype", "EXP", {"input1": x.astype(">f4")}),
                ("found an array of complex64", "EXP", {"input1": x.astype("c8")}),
                ("found an array of object", "EXP", {"input1": np.array([object()])}),
                ("found object, expected an array", "EXP", {"input1": object()}),
                ("found NoneType, expected an array", "EXP", {"input1": None}),
                ("element \\[0\\]: found 140737488355328", "IDENTITY", {"input1": np.int64([1 << 47])}),
                ("/edition: found \"tosa\"", "EXP", {"input1": x, "edition": "tosa"}),
                ("/data_set: found 9", "EXP", {"input1": x, "data_set": 9}),
                ("/output_types/output: found the type 'int'", "CAST", {"input": x, "output_types": {"output": "int"}}),
                ("/output_types: expected a member", "CAST", {"input": x})):
            with self.subTest(pattern=pattern), self.assertRaisesRegex(ValueError, pattern):
                cts.reference(op, **arguments)

    def test_an_empty_array_is_the_references_to_refuse(self):
        ref = cts.reference("ABS", input1=np.zeros((2, 0), np.float32), output_types={"output": [2, 0]})
        self.assertEqual(ref.outcome, "unpredictable")
        self.assertEqual(ref.conditions[0].id, "graph.dimension")
        with self.assertRaisesRegex(ValueError, "nothing can be judged: the outcome is unpredictable"):
            ref.judge(np.zeros((2, 0), np.float32))

    def test_the_floating_point_mode_changes_nothing(self):
        libm = ctypes.CDLL("libm.so.6")
        tiny = np.float32([1e-40])
        before = [libm.fegetround(), cts.reference("MAXIMUM", input1=tiny, input2=tiny, nan_mode="IGNORE")
                  .outputs["output"].value.tolist(), cts.reference("SUB", input1=tiny, input2=np.float32([1]))
                  .outputs["output"].value.tolist()]
        for mode in (0x400, 0x800, 0xc00):
            libm.fesetround(mode)
            try:
                after = [cts.reference("MAXIMUM", input1=tiny, input2=tiny, nan_mode="IGNORE")
                         .outputs["output"].value.tolist(), cts.reference("SUB", input1=tiny, input2=np.float32([1]))
                         .outputs["output"].value.tolist()]
                kept = libm.fegetround()
            finally:
                libm.fesetround(before[0])
            self.assertEqual((kept, after), (mode, before[1:]))

    @unittest.skipIf(platform.machine() != "x86_64", "sets MXCSR in the layout of x86-64's fenv_t")
    def test_flushing_changes_no_judgement(self):
        """A library built with -ffast-math sets FTZ and DAZ in the thread that loads it; others unmask exceptions."""
        libm = ctypes.CDLL("libm.so.6")
        # An fp32 that is subnormal, as a wider number that is exact in it, and one that no fp32 is.
        exact, lost = np.float64([2.0 ** -140]), np.float64([5e-324])
        a, b = np.float32([2.0 ** -140]), np.float32([0])

        def answers():
            ref = cts.reference("MAXIMUM", input1=a, input2=b, nan_mode="PROPAGATE")
            return [bool(ref.judge(exact)), ref.judge(lost).message, ref.outputs["output"].value.tobytes()]

        before = answers()
        self.assertEqual((before[0], "fp64" in before[1]), (True, True))
        saved = (ctypes.c_uint32 * 16)()
        for flags, masks in ((0x8000, 0), (0x40, 0), (0x8040, 0), (0, 0x1F80), (0x8040, 0x1F80)):
            libm.fegetenv(saved)
            changed = (ctypes.c_uint32 * 16)(*saved)
            changed[7] = (changed[7] | flags) & ~masks & ~0x3F  # MXCSR
            libm.fesetenv(changed)
            try:
                after = answers()
            finally:
                libm.fesetenv(saved)
            self.assertEqual(after, before)

    def test_an_unsigned_output_may_be_unsigned(self):
        def rescale(unsigned):
            return cts.reference("RESCALE", input=np.int8([100, 3]), multiplier=np.int32([1 << 30]), shift=np.int8([29]),
                                 input_zp=np.int8([0]), output_zp=np.int8([0]), scale32=True, rounding_mode="SINGLE_ROUND",
                                 per_channel=False, input_unsigned=False, output_unsigned=unsigned, output_types={"output": "i8"})
        self.assertTrue(rescale(True).judge(np.uint8([200, 6])))
        self.assertTrue(rescale(True).judge(np.int8([-56, 6])))
        self.assertIn("expected 200, got 201", rescale(True).judge(np.uint8([201, 6])).message)
        self.assertIn("found uint8", rescale(False).judge(np.uint8([200, 6])).message)
        self.assertTrue(rescale(False).judge(np.uint8([127, 6])))  # a value of i8

    def test_threads_run_beside_each_other(self):
        ticks, done = [0], threading.Event()

        def tick():
            while not done.is_set():
                ticks[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=tick)
        thread.start()
        a = np.ones((1, 1000, 1000), np.float32)  # some 50 ms
        zero = np.float32([0])
        begin = ticks[0]
        cts.reference("MATMUL", A=a, B=a, A_zp=zero, B_zp=zero)
        passed = ticks[0] - begin
        done.set()
        thread.join()
        self.assertGreaterEqual(passed, 3, "the GIL is held while the reference computes")

    def test_many_threads(self):
        wrong = []

        def ask(k):
            for _ in range(50):
                x = np.full(8, -k, np.int32)
                if cts.reference("ABS", input1=x).outputs["output"].value.tolist() != [k] * 8:
                    wrong.append(k)
                try:
                    cts.reference("ABS", inputs=x)
                except ValueError as error:
                    if "found the member \"inputs\"" not in str(error):
                        wrong.append(str(error))

        threads = [threading.Thread(target=ask, args=(k,)) for k in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_how_soon_it_answers(self):
        x = np.linspace(-1, 1, 16, dtype=np.float32)
        y = np.exp(x)
        for what, ask in (("reference", lambda: cts.reference("EXP", input1=x)),
                          ("value", lambda: cts.reference("EXP", input1=x).outputs["output"].value),
                          ("judge", lambda: cts.judge("EXP", y, input1=x))):
            begin = time.process_time()
            for _ in range(1000):
                ask()
            print(f"1,000 x {what} of EXP of 16: {1000 * (time.process_time() - begin):.0f} ms of CPU")


class Suites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="tensor_cts_module-"))
        cls.suite = cts.generate(cls.root / "suite", operators=OPERATORS)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def results(self, id, folder):
        """What a run left: results as arrays, or what the implementation said."""
        result = json.loads((folder / id / "result.json").read_text())
        if result["status"] == "error":
            return cts.Refused(result.get("message", ""))
        found = {}
        case = self.suite.case(id)
        for path in sorted((folder / id).glob("*.npy")):
            array = np.load(path)
            kind = case.outputs[path.name[:-4]].type
            if array.dtype.kind == "V":
                array = array.view(f"u{array.dtype.itemsize}")
            found[path.name[:-4]] = cts.Tensor(array, kind)
        return found

    def test_verdicts_are_those_of_check(self):
        for name, implementation in (("right", "builtin:native"), ("wrong", "builtin:fault:" + FAULT)):
            folder = self.root / name
            report = cts.run(self.suite, implementation, folder, arguments=["--jobs", "2"])
            verdicts = {case["id"]: case["verdict"] for case in report.cases}
            self.assertEqual(set(verdicts), set(self.suite.ids))
            self.assertEqual(report.conformant, name == "right")
            for id, verdict in verdicts.items():
                with self.subTest(implementation=implementation, id=id):
                    self.assertEqual(self.suite.case(id).check(self.results(id, folder)).verdict, verdict)

    def test_a_case_says_what_it_asks(self):
        id = next(id for id in self.suite.ids if id.startswith("maximum/") and "-fp32-" in id and "error" not in id)
        case = self.suite.case(id)
        self.assertEqual((case.operator, case.expects_error), ("MAXIMUM", False))
        self.assertEqual([op.name for op in case.graph.operators][-1], "MAXIMUM")
        inputs = case.inputs()
        self.assertEqual(list(inputs), case.graph.inputs)
        first = next(iter(inputs.values()))
        self.assertFalse(first.flags.writeable)
        self.assertTrue(next(iter(case.inputs(copy=True).values())).flags.writeable)
        kept = first.copy()
        del case, inputs
        gc.collect()
        np.testing.assert_array_equal(first, kept)

    def test_verdicts_of_answers(self):
        legal = self.suite.case(next(e.id for e in self.suite.entries if e.outcome == "valid"))
        illegal = self.suite.case(next(e.id for e in self.suite.entries if e.outcome == "error"))
        self.assertTrue(illegal.check(cts.Refused("no")))
        self.assertEqual(illegal.check({}).verdict, "wrong_outcome")
        self.assertEqual(legal.check(cts.Refused("no")).verdict, "wrong_outcome")
        self.assertEqual(legal.check(cts.Unsupported("no")), ("unsupported", "no", ""))
        self.assertEqual(legal.check({}).verdict, "missing")
        with self.assertRaisesRegex(ValueError, "found a result named 'nothing'"):
            legal.check({"nothing": np.zeros(1)})
        maximum = self.suite.case("maximum/" + next(id.split("/")[1] for id in self.suite.ids
                                                    if id.startswith("maximum/fp32-25x27") and "const" not in id))
        (name, declared), = maximum.outputs.items()
        wrong = maximum.check({name: np.zeros(declared.shape, np.float32)})
        self.assertEqual((wrong.verdict, bool(wrong)), ("fail", False))
        self.assertIn("element [0,", wrong.message)
        self.assertIn("MAXIMUM", wrong.clause)
        name = next(iter(legal.outputs))
        self.assertEqual(legal.check({name: np.zeros((9, 9, 9, 9), np.float64)}).verdict, "malformed")

    def test_a_disputed_point_excuses_only_the_outputs_that_it_reaches(self):
        from tensor_cts import _command
        (self.root / "net.mlir").write_text(DISPUTED)
        np.save(self.root / "a.npy", np.uint32([0x7FA00000, 0x3F800000]).view(np.float32))
        np.save(self.root / "b.npy", np.float32([1, 2]))
        inputs = [word for name in "ab" for word in ("--input", f"{name}={self.root}/{name}.npy")]
        subprocess.run([_command.program(), "import", self.root / "net.mlir", *inputs, "--out", self.root / "disputed"], check=True)
        suite = cts.Suite(self.root / "disputed")
        (id,) = suite.ids
        case = suite.case(id)
        maximum, add = case.outputs
        for first, second, verdict in ((1, 2, "pass"), (np.nan, 2, "disputed"), (1, 7, "fail"), (np.nan, 7, "fail")):
            found = case.check({maximum: np.float32([first, 2]), add: np.float32([second, 4])})
            self.assertEqual(found.verdict, verdict, found.message)

    def test_constants(self):
        cases = [self.suite.case(id) for id in self.suite.ids if id.startswith("const/")]
        constants = [case.constants for case in cases if case.constants]
        self.assertGreater(len(constants), 3)

    def test_an_adapter_of_one_function(self):
        (self.root / "npu.py").write_text(
            "import numpy as np, tensor_cts\n"
            "@tensor_cts.adapter('npu', '7')\n"
            "def execute(graph, inputs):\n"
            "    print('chatter')\n"
            "    op = graph.operators[-1]\n"
            "    if op.name != 'MAXIMUM' or len(graph.operators) != 1 or graph.tensors[op.outputs[0]].type != 'i32':\n"
            "        raise tensor_cts.Unsupported(op.name)\n"
            "    if len(op.inputs) != 2: raise tensor_cts.Refused('operands')\n"
            "    a, b = (inputs[name] for name in op.inputs)\n"
            "    result = np.maximum(a, b)\n"
            "    return {op.outputs[0]: result}\n")
        report = cts.run(self.suite, str(self.root / "npu.py") + ":execute", self.root / "npu",
                         arguments=["--filter", "maximum/*"])
        verdicts = {case["id"]: case["verdict"] for case in report.cases if case["id"].startswith("maximum/")}
        self.assertIn("pass", verdicts.values())
        self.assertLessEqual(set(verdicts.values()), {"pass", "unsupported", "wrong_outcome", "crash"})
        self.assertEqual(json.loads((self.root / "npu" / "run.json").read_text())["implementation"]["name"], "npu")
        self.assertFalse(report)
        self.assertIn("NOT CONFORMANT", report.text)

    def run_function(self, name, decorator, body, *arguments):
        """The results of a function over the cases of MAXIMUM, and run.json."""
        folder = self.root / name
        folder.mkdir()
        (folder / "npu.py").write_text(f"import os, numpy as np, tensor_cts\n{decorator}\ndef execute(graph, inputs):\n"
                                       + "".join(f"    {line}\n" for line in body))
        report = cts.run(self.suite, f"{folder / 'npu.py'}:execute", folder / "results",
                         arguments=["--filter", "maximum/*", "--jobs", "1", *arguments])
        results = {path.parent.name: json.loads(path.read_text()) for path in (folder / "results").rglob("result.json")}
        return results, json.loads((folder / "results" / "run.json").read_text()), report

    def test_an_exception_costs_its_case_and_no_process(self):
        results, record, report = self.run_function(
            "raises", "@tensor_cts.adapter('npu', '7')",
            ["os.write(1, b'words of a library\\n')", "if 'i32' not in graph.tensors[graph.outputs[0]].type: raise tensor_cts.Unsupported('x')",
             "return {graph.outputs[0]: {}['\\ud800\\x1b[31m' + str(len(inputs))]}"])
        statuses = {result["status"] for result in results.values()}
        self.assertEqual(statuses, {"crash", "unsupported"})
        self.assertEqual((record["restarts"], "unexplained" in record), (0, False))
        crash = next(result for result in results.values() if result["status"] == "crash")
        self.assertTrue(crash["reported"])
        self.assertRegex(crash["message"], r"^reported by the adapter: KeyError: .*\(npu.py, line 6, in execute\)$")
        self.assertIn("Traceback (most recent call last)", crash["log"])
        wrong = {case["verdict"] for case in report.cases if case.get("message", "").startswith("reported by the adapter")}
        self.assertEqual((wrong, bool(report)), ({"crash"}, False))

    def test_results_of_no_known_type_are_a_crash_of_their_case(self):
        for name, value in (("text", "'seven'"), ("nothing", "None"), ("objects", "np.array([object()])")):
            results, record, _ = self.run_function(f"returns-{name}", "@tensor_cts.adapter('npu')",
                                                   ["if graph.tensors[graph.outputs[0]].type != 'i32': raise tensor_cts.Unsupported('x')",
                                                    f"return {{graph.outputs[0]: {value}}}"])
            self.assertEqual({result["status"] for result in results.values()}, {"crash", "unsupported"}, name)
            self.assertEqual(record["restarts"], 0)

    def test_a_process_that_ends_or_lacks_memory_is_replaced(self):
        for name in ("SystemExit", "MemoryError"):
            results, record, _ = self.run_function(name, "@tensor_cts.adapter('npu')", [
                f"if graph.tensors[graph.outputs[0]].type == 'i32': raise {name}('device lost')", "raise tensor_cts.Unsupported('x')"])
            crashes = [result for result in results.values() if result["status"] == "crash"]
            self.assertEqual(len(crashes), record["restarts"])
            self.assertFalse(any("reported" in result for result in crashes))

    def test_exceptions_that_are_refusals(self):
        results, _, _ = self.run_function("refuses", "@tensor_cts.adapter('npu', refuses=(ValueError,), batch=16)", ["raise UnicodeError('no')"])
        self.assertEqual({(result["status"], result["message"]) for result in results.values()}, {("error", "UnicodeError: no")})
        @cts.adapter("npu", refuses=(ValueError,))
        def execute(graph, inputs):
            raise ValueError("no")
        illegal = next(entry.id for entry in self.suite.entries if entry.outcome == "error")
        self.assertTrue(self.suite.case(illegal).check(self.suite.case(illegal).run(execute)))
        for wrong in ((int,), (BaseException,), (Exception,), ("ValueError",)):
            with self.assertRaisesRegex(ValueError, "refuses"):
                cts.adapter("npu", refuses=wrong)
        with self.assertRaisesRegex(ValueError, "batch"):
            cts.adapter("npu", batch=0)

    def test_a_malformed_result_is_no_refusal(self):
        @cts.adapter("npu", refuses=(ValueError,))
        def execute(graph, inputs):
            return {"output": None}
        illegal = next(entry.id for entry in self.suite.entries if entry.outcome == "error")
        self.assertNotIsInstance(self.suite.case(illegal).run(execute), cts.Refused)
        with tempfile.TemporaryDirectory() as results:
            answer = tensor_cts.worker.answer(execute, self.suite.directory / illegal, pathlib.Path(results))
        self.assertEqual(answer["status"], "crash")

    def test_what_an_adapter_declares(self):
        _, record, report = self.run_function(
            "declares", "@tensor_cts.adapter('npu', declared={'operators': ['MAXIMUM'], 'types': ['i32']})", ["raise tensor_cts.Unsupported('x')"])
        self.assertEqual(record["implementation"]["declared"]["operators"], ["MAXIMUM"])
        self.assertIn("declared", report.text)

    def test_a_script_that_holds_an_adapter_is_told_the_right_call(self):
        folder = self.root / "a script"
        folder.mkdir()
        npu = folder / "npu.py"
        npu.write_text("import sys, tensor_cts\n@tensor_cts.adapter('npu')\ndef execute(graph, inputs):\n"
                       "    raise tensor_cts.Unsupported('x')\nexec(sys.argv.pop() if sys.argv[-1].startswith('#') else '')\n")

        def start(*arguments):
            return subprocess.run([sys.executable, npu, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder)
        call = "npu.py: holds the function execute of an adapter, and was started as a script; call: tensor-cts run SUITE --python npu.py:execute --out RESULTS\n"
        case = self.suite.directory / self.suite.ids[0]
        for arguments, code in (("--worker",), 0), ((case, folder), 0), ((), 0):
            done = start(*arguments)
            self.assertEqual((done.returncode, done.stderr, done.stdout), (code, call, ""), arguments)
        # A script that uses the module, or has arguments of its own, knows what it does.
        for arguments in ("--mine",), ("#\ntensor_cts.judge('ABS', [1], input1=tensor_cts.Tensor(__import__('numpy').int32([1]), 'i32'))",):
            self.assertNotIn("started as a script", start(*arguments).stderr)
        self.assertTrue(start("#\n1/0").stderr.endswith("ZeroDivisionError: division by zero\n"))
        for worker in ((), ("--worker",)):
            done = subprocess.run([cts.program(), "run", str(self.suite.directory), "--adapter", f"{sys.executable} '{npu}'", *worker,
                                   "--out", str(folder / f"results{len(worker)}")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--python", done.stderr)
            self.assertIn("npu.py:execute' --out RESULTS", done.stderr)

    def test_a_function_in_the_commands(self):
        folder = self.root / "commands"
        folder.mkdir()
        (folder / "npu.py").write_text("import tensor_cts\n@tensor_cts.adapter('npu', '7')\ndef execute(graph, inputs):\n    raise tensor_cts.Unsupported('x')\n")
        environment = {**os.environ, "TENSOR_CTS_PYTHON": sys.executable}

        def call(*arguments, **changed):
            return subprocess.run([cts.program(), *map(str, arguments)], capture_output=True, text=True, cwd=folder, env={**environment, **changed})
        suite = self.suite.directory
        for place in "npu.py:execute", "npu:execute":
            code = () if ".py" in place else ("--code", "npu.py")  # no file names the code of a module
            done = call("run", suite, "--filter", "tile/*", "--python", place, *code, "--out", place.replace(":", "-"))
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads((folder / place.replace(":", "-") / "run.json").read_text())
            self.assertEqual((record["implementation"]["name"], record["command"]), ("npu", f"{sys.executable} -m tensor_cts.worker {place} --worker"))
        done = call("gate", "--suite", suite, "--python", "npu.py:execute", "--out", "gated")
        self.assertEqual(done.returncode, 1, done.stderr)
        for place, words in (("npu.py", "--python: found npu.py, expected FILE.py:FUNCTION or MODULE:FUNCTION"), (":execute", "expected FILE.py:FUNCTION"),
                             ("npu.py:", "expected FILE.py:FUNCTION"), ("none.py:execute", "none.py: no such file; `tensor-cts init python` writes one"),
                             ("npu.py:nothing", "npu.py: found no function nothing"), ("absent:execute", "whose code cannot be recorded")):
            done = call("run", suite, "--python", place, "--out", "none")
            self.assertEqual((done.returncode, words in done.stderr), (2, True), done.stderr)
        done = call("run", suite, "--python", "npu.py:execute", "--adapter", "x", "--out", "none")
        self.assertEqual((done.returncode, "excludes" in done.stderr), (2, True), done.stderr)
        done = call("run", suite, "--implementation", "builtin:native", "--code", "npu.py", "--out", "none")
        self.assertIn("--code goes with --adapter or --python", done.stderr)
        done = call("run", suite, "--python", "npu.py:execute", "--out", "none", PYTHONPATH="", TENSOR_CTS_PYTHON=f"{sys.executable}")
        if done.returncode:  # no module there but that of the sources
            self.assertIn("the module comes with the wheel and with python3-tensor-cts", done.stderr)

    def test_a_function_under_sweep(self):
        folder = self.root / "swept"
        folder.mkdir()
        (folder / "npu.py").write_text(
            "import os, time, numpy, tensor_cts\n"
            "@tensor_cts.adapter('npu', '7')\n"
            "def execute(graph, inputs):\n"
            "    name, = graph.outputs\n"
            "    x = inputs[graph.operators[-1].inputs[0]]\n"
            "    at = int(os.environ.get('AT', '-1'), 16)\n"
            "    how = os.environ.get('HOW') if at >= 0 and (x.view(numpy.uint16) == at).any() else None\n"
            "    if how == 'raise': raise ValueError('not today')\n"
            "    if how == 'exit': os._exit(3)\n"
            "    if how == 'hang': time.sleep(3600)\n"
            "    if how == 'short': x = x[:-1]\n"
            "    if graph.operators[-1].name != 'ABS': raise tensor_cts.Unsupported('only ABS')\n"
            "    result = numpy.abs(x)\n"
            "    if how == 'wrong': result[x.view(numpy.uint16) == at] = 7\n"
            "    return {name: result}\n")

        def sweep(*arguments, operator="ABS", **changed):
            return subprocess.run([cts.program(), "sweep", "--operator", operator, "--type", "fp16", "--jobs", "1", "--python", "npu.py:execute", *arguments],
                                  capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL, timeout=300,
                                  env={**os.environ, "TENSOR_CTS_PYTHON": sys.executable, **changed})
        done = sweep("--out", "abs.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("ABS fp16, tosa-1.0: npu 7", done.stdout)
        self.assertIn("accepted      65,536 (100 %)", done.stdout)
        done = sweep(AT="c000", HOW="wrong")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("rejected      1 (", done.stdout)
        self.assertIn("0xc000", done.stdout)
        few = "--inputs", "0xc000-0xc00f"
        for how, words in (("raise", "input 0xc003: ABS of npu: the worker answered crash: ValueError: not today"), ("exit", "the worker exited with code 3"),
                           ("hang", "no answer within 2 seconds"), ("short", "input 0xc003: ABS of npu: ")):
            done = sweep(*few, "--timeout", "2", AT="c003", HOW=how)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(words, done.stdout)
            self.assertIn("0xc003", done.stdout)
        done = sweep(operator="EXP")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("the worker answered unsupported for EXP of fp16: only ABS", done.stderr)
        # Another file is another implementation.
        report = json.loads((folder / "abs.json").read_text())
        self.assertRegex(report["implementation"]["digest"], "^[0-9a-f]{64}$")
        with open(folder / "npu.py", "a") as file:
            file.write("# changed\n")
        done = sweep("--out", "abs.json", "--resume")
        self.assertEqual(done.returncode, 2)
        self.assertIn("abs.json: holds a sweep of another library", done.stderr)
        for arguments, words in ((("--plugin", "x.so"), "excludes"),):
            done = sweep(*arguments)
            self.assertEqual((done.returncode, words in done.stderr), (2, True), done.stderr)

    def test_the_code_that_an_adapter_names(self):
        folder = self.root / "named"
        folder.mkdir()
        for name in ("kernels.py", "unused.py"):
            (folder / name).write_text("")
        text = ("import pathlib, kernels, tensor_cts\n"
                "@tensor_cts.adapter('npu', '7'CODE)\n"
                "def execute(graph, inputs):\n"
                "    with open(pathlib.Path(__file__).parent / 'unused.py', 'a') as file: file.write('#')\n"
                "    raise tensor_cts.Unsupported('all')\n")
        run = [cts.program(), "run", str(self.suite.directory), "--worker", "--jobs", "1", "--filter", "maximum/*-i32-*",
               "--adapter", f"{sys.executable} -m tensor_cts.worker {folder / 'npu.py'}:execute"]
        (folder / "npu.py").write_text(text.replace("CODE", ", code=['kernels.py']"))
        done = subprocess.run([*run, "--out", str(folder / "results")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)  # though unused.py changed
        record = json.loads((folder / "results/run.json").read_text())
        names = [pathlib.Path(file["path"]).name for file in record["adapter_files"]]
        self.assertEqual(names[1:], ["npu.py", "kernels.py"])
        (folder / "npu.py").write_text(text.replace("CODE", ""))
        done = subprocess.run([*run, "--out", str(folder / "all")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "unused.py: a file of the adapter, changed while it ran")

    def test_errors_have_the_commands_texts(self):
        with self.assertRaisesRegex(ValueError, "nowhere"):
            cts.Suite(self.root / "nowhere")
        with self.assertRaisesRegex(ValueError, "maximum"):
            self.suite.case("maximum/unknown")
        with self.assertRaisesRegex(ValueError, "MAXIMUS"):
            cts.generate(self.root / "other", operators=["MAXIMUS"])
        with self.assertRaisesRegex(ValueError, "nowhere"):
            cts.check(self.suite, self.root / "nowhere")

    def test_a_blind_suite_judges_nothing(self):
        with self.assertRaisesRegex(ValueError, "found a blind suite, expected one with answers"):
            cts.generate(self.root / "blind", operators=["ABS"], types=["i32"],
                         arguments=["--blind", str(self.root / "answers.json")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
