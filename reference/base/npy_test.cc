#include "reference/base/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <vector>

#include "reference/base/file.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A .npy file of version 1.0 put together by hand.
std::string File(std::string_view header, std::string_view data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {version, 0};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  return bytes + std::string(header) + std::string(data);
}

std::string Header(std::string_view descr, std::string_view shape, bool fortran = false) {
  return StrCat("{'descr': '", descr, "', 'fortran_order': ", fortran ? "True" : "False",
                ", 'shape': ", shape, ", }\n");
}

std::string Error(std::string_view bytes, DType dtype, const Shape& shape) {
  const StatusOr<Tensor> tensor = DecodeNpy(bytes, dtype, shape);
  return tensor.ok() ? "accepted" : Message(tensor.status());
}

TEST(Npy, EveryTypeReadsBack) {
  for (const DTypeInfo& info : kDTypes) {
    Tensor tensor(info.dtype, {2, 2});
    if (info.is_float) {
      tensor = Tensor::OfFloats(info.dtype, {2, 2}, {1.5, -0.0, std::nan(""), 448});
    } else {
      tensor = Tensor::OfIntegers(info.dtype, {2, 2},
                                  {0, 1, IntegerMin(info.dtype), IntegerMax(info.dtype)});
    }
    const StatusOr<Tensor> back = DecodeNpy(EncodeNpy(tensor), info.dtype, {2, 2});
    ASSERT_TRUE(back.ok()) << info.name << back.status();
    EXPECT_EQ(*back, tensor) << info.name;
  }
}

TEST(Npy, ReadsVersions2And3AndKeysInAnyOrder) {
  const std::string header = "{ \"shape\" : ( 2 , ),'fortran_order':False,\"descr\":'|i1'}  \n";
  for (char version : {1, 2, 3}) {
    const StatusOr<Tensor> tensor = DecodeNpy(File(header, "\x01\xFF", version), DType::kI8, {2});
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_THAT(tensor->Integers(), ElementsAre(1, -1));
  }
}

TEST(Npy, ReadsFortranOrderAndBigEndian) {
  // [[1, 2, 3], [4, 5, 6]] by columns.
  const StatusOr<Tensor> tensor = DecodeNpy(
      File(Header(">i2", "(2, 3)", true), std::string_view("\0\1\0\4\0\2\0\5\0\3\0\6", 12)),
      DType::kI16, {2, 3});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_THAT(tensor->Integers(), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Npy, RejectsWhatIsNoNpyFile) {
  EXPECT_THAT(Error("", DType::kI8, {1}), StartsWith("magic: found ''"));
  EXPECT_THAT(Error("1.0 2.0 3.0\n", DType::kI8, {1}), StartsWith("magic: found '1.0 2.'"));
  EXPECT_THAT(Error("\x93NUMPY\x04", DType::kI8, {1}), StartsWith("header: truncated after 7"));
  EXPECT_THAT(Error(File("{}", "", 4), DType::kI8, {1}), StartsWith("version: found 4.0"));
}

TEST(Npy, RejectsTruncationEverywhere) {
  const Tensor tensor = Tensor::OfIntegers(DType::kI32, {2, 2}, {1, 2, 3, 4});
  const std::string bytes = EncodeNpy(tensor);
  ASSERT_TRUE(DecodeNpy(bytes, DType::kI32, {2, 2}).ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeNpy(bytes.substr(0, size), DType::kI32, {2, 2}).ok()) << size;
  }
  EXPECT_THAT(Error(bytes.substr(0, bytes.size() - 1), DType::kI32, {2, 2}),
              "data: truncated, found 15 bytes, expected 4 elements of 4");
}

TEST(Npy, RejectsTrailingBytes) {
  const std::string bytes = EncodeNpy(Tensor(DType::kI32, {2}));
  EXPECT_EQ(Error(bytes + "x", DType::kI32, {2}),
            "data: found 1 trailing bytes, expected 8 bytes in all");
}

TEST(Npy, RejectsOversizedHeader) {
  std::string header = Header("|i1", "(1,)");
  header.resize(65537, ' ');
  EXPECT_THAT(Error(File(header, "x", 2), DType::kI8, {1}),
              HasSubstr("header length: found 65537, expected at most 65536"));
  // The length claims more than the file has.
  EXPECT_THAT(Error(std::string_view("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF{}", 14), DType::kI8, {1}),
              HasSubstr("header length: found 4294967295"));
}

TEST(Npy, RejectsHeadersThatAreNotTheDictionary) {
  const char* headers[] = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr': '|i1'}",
      "{'descr': '|i1', 'fortran_order': False}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': 1}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': [1]}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1.0,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (9999999999999999999999,)}",
      "{'descr': '|i1', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '|i1', 'fortran_order': Falsehood, 'shape': (1,)}",
      "{'descr': '|i1, 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '\\x7ci1', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': None, 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|i1' 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)} or 1",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)",
  };
  for (const char* header : headers) {
    EXPECT_THAT(Error(File(header, "x"), DType::kI8, {1}), StartsWith("header, column ")) << header;
  }
  const std::string good = "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)}";
  EXPECT_EQ(Error(File(good, "x"), DType::kI8, {1}), "accepted");
  EXPECT_NE(Error(File(good + std::string(1, '\0'), "x"), DType::kI8, {1}), "accepted");
  EXPECT_THAT(
      Error(File(Header("|i1", StrCat("(", std::string(65, '1'), ",)")), "x"), DType::kI8, {1}),
      HasSubstr("more than 18 digits"));
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1,";
  EXPECT_THAT(Error(File(Header("|i1", StrCat("(", ones, ")")), "x"), DType::kI8, {1}),
              HasSubstr("at most 64 dimensions"));
}

// 200 as uint8 and -56 as int8 are the same bits; of another width a number has to fit.
TEST(Npy, TakesUnsignedNumbersForBitsWhereTheElementsAreUnsigned) {
  const std::string bytes = File(Header("|u1", "(2,)"), "\xC8\x07");
  const StatusOr<Tensor> read = DecodeNpy(bytes, DType::kI8, {2}, true);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, Tensor::OfIntegers(DType::kI8, {2}, {-56, 7}));
  EXPECT_EQ(StoredAsOther(bytes, DType::kI8, true), "");
  EXPECT_EQ(StoredAsOther(bytes, DType::kI8), "|u1");
  EXPECT_EQ(Error(bytes, DType::kI8, {2}), "element [0]: found 200, expected -128 to 127 for i8");
  for (const char* descr : {"<u2", ">u2"}) {
    const bool big = descr[0] == '>';
    const auto wide = DecodeNpy(File(Header(descr, "(1,)"), big ? "\x9C\x40" : "\x40\x9C"),
                                DType::kI16, {1}, true);
    ASSERT_TRUE(wide.ok()) << wide.status();
    EXPECT_EQ(wide->Integer(0), 40000 - 65536);
  }
  EXPECT_THAT(Message(DecodeNpy(File(Header("<u2", "(1,)"), std::string("\xC8\0", 2)), DType::kI8,
                                {1}, true)
                          .status()),
              HasSubstr("found 200, expected -128 to 127"));
  const StatusOr<Tensor> bits =
      DecodeNpy(File(Header("|i1", "(1,)"), "\xC8"), DType::kI8, {1}, true);
  ASSERT_TRUE(bits.ok()) << bits.status();
  EXPECT_EQ(bits->Integer(0), -56);
  // The smallest type of a file is no bits of i4.
  EXPECT_FALSE(DecodeNpy(File(Header("|u1", "(1,)"), "\xFF"), DType::kI4, {1}, true).ok());
}

TEST(Npy, NamesStructuredTypesAndPickledObjects) {
  EXPECT_THAT(
      Error(File("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}", "xxxx"),
            DType::kI32, {1}),
      HasSubstr("found a structured type"));
  EXPECT_EQ(Error(File(Header("|O", "(1,)"), "x"), DType::kFp32, {1}),
            "descr: found '|O' (pickled Python objects), expected '<f4', or '<f8' with exact "
            "values for fp32");
}

TEST(Npy, RejectsOtherShapesBeforeReadingData) {
  EXPECT_EQ(Error(File(Header("|i1", "(2, 3)"), ""), DType::kI8, {3, 2}),
            "shape: found [2,3], expected [3,2]");
  EXPECT_EQ(Error(File(Header("|i1", "()"), "x"), DType::kI8, {1}),
            "shape: found [], expected [1]");
  EXPECT_EQ(Error(File(Header("|i1", "(0,)"), ""), DType::kI8, {1}),
            "shape: found [0], expected [1]");
}

// 2^61 elements: code that allocates before it looks at the length dies here.
TEST(Npy, AllocatesNothingForDataThatIsNotThere) {
  const Shape shape = {int64_t{1} << 31, int64_t{1} << 30};
  EXPECT_THAT(
      Error(File(Header("<f8", "(2147483648, 1073741824)"), "12345678"), DType::kFp64, shape),
      StartsWith("data: truncated"));
  EXPECT_THAT(Error(File(Header("<f8", "(0, 1)"), ""), DType::kFp64, {0, 1}),
              HasSubstr("a dimension of 0"));
}

TEST(Npy, RejectsTypesThatLoseSomething) {
  const struct {
    DType dtype;
    std::vector<std::string> descrs;
  } refused[] = {
      {DType::kBool, {"|V1", "<i2", "<f2", "|S1", "<b1x", "=b1"}},
      {DType::kI8, {"|b1", "|V1", "<f2", "<f4", "|S1", "<c8", "=i2", "|i2", "<i3", "<i16"}},
      {DType::kI64, {"<f8", "<m8", "<M8", "|V8"}},
      {DType::kFp8E4M3, {"|i1", "|b1", "<f1", "<u2", "<V2"}},
      {DType::kFp16, {"<i2", "<V2", "|u1", "|f2"}},
      {DType::kBf16, {"<f2", "<i2", ">V2", "|V1", "<u4"}},
      {DType::kFp32, {"<f2", "<i4", "<u4", "<V4", "<c8"}},
      {DType::kFp64, {"<f4", "<u8", "<i8", "<f16"}},
      {DType::kShape, {"<f8", "|V8"}},
  };
  for (const auto& [dtype, descrs] : refused) {
    for (const std::string& descr : descrs) {
      EXPECT_THAT(Error(File(Header(descr, "(1,)"), "xxxxxxxx"), dtype, {1}),
                  StartsWith(StrCat("descr: found '", descr, "', expected ")))
          << Name(dtype);
    }
  }
}

// np.save of ml_dtypes.float8_e5m2.
TEST(Npy, ReadsWhatMlDtypesWritesOfFp8E5M2) {
  for (const char* descr : {"<f1", "|u1", "|V1"}) {
    const StatusOr<Tensor> tensor =
        DecodeNpy(File(Header(descr, "(3,)"), "\x3C\xC1\x7C"), DType::kFp8E5M2, {3});
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_THAT(tensor->Elements(),
                ElementsAre(1.0, -2.5, std::numeric_limits<double>::infinity()));
  }
}

TEST(Npy, ReadsIntegersOfAnyWidthThatFit) {
  const std::string data("\x7F\0\0\0\0\0\0\0", 8);
  for (DType dtype :
       {DType::kI8, DType::kI16, DType::kI32, DType::kI48, DType::kI64, DType::kShape}) {
    for (const char* descr : {"|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8"}) {
      const StatusOr<Tensor> tensor =
          DecodeNpy(File(Header(descr, "()"), data.substr(0, descr[2] - '0')), dtype, {});
      ASSERT_TRUE(tensor.ok()) << tensor.status();
      EXPECT_THAT(tensor->Integers(), ElementsAre(127));
    }
  }
}

TEST(Npy, NamesElementAndValueOutsideTheType) {
  EXPECT_EQ(Error(File(Header("|i1", "(2, 2)"), "\x07\xF9\xF8\x08"), DType::kI4, {2, 2}),
            "element [1,0]: found -8, expected -7 to 7 for i4");
  EXPECT_EQ(Error(File(Header("|u1", "(2,)"), "\x7F\x80"), DType::kI8, {2}),
            "element [1]: found 128, expected -128 to 127 for i8");
  EXPECT_EQ(
      Error(File(Header("<i8", "()"), std::string_view("\0\0\0\0\0\x80\0\0", 8)), DType::kI48, {}),
      "element []: found 140737488355328, expected -140737488355328 to 140737488355327 for "
      "i48");
  EXPECT_EQ(Error(File(Header("<u8", "()"), std::string(8, '\xFF')), DType::kI64, {}),
            "element []: found 18446744073709551615, expected -9223372036854775808 to "
            "9223372036854775807 for i64");
  for (const char* descr : {"|b1", "|u1", "|i1"}) {
    EXPECT_EQ(Error(File(Header(descr, "(3,)"), std::string_view("\0\1\2", 3)), DType::kBool, {3}),
              "element [2]: found 2, expected 0 to 1 for bool");
  }
  // By columns: the third number of the file is the element [0,1].
  EXPECT_EQ(Error(File(Header("|i1", "(2, 2)", true), "\1\1\x09\1"), DType::kI4, {2, 2}),
            "element [0,1]: found 9, expected -7 to 7 for i4");
}

TEST(Npy, ReadsWiderFloatsOnlyWhereExact) {
  const std::string ok = EncodeNpy(Tensor::OfFloats(
      DType::kFp32, {5}, {1.5, -0.0, -std::numeric_limits<double>::infinity(), 57344, 0x1p-16}));
  for (DType dtype : {DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
    const StatusOr<Tensor> tensor = DecodeNpy(ok, dtype, {5});
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(*tensor, Tensor::OfFloats(dtype, {5}, {1.5, -0.0, -INFINITY, 57344, 0x1p-16}));
  }
  const auto error = [](double value, DType wide, DType dtype) {
    return Error(EncodeNpy(Tensor::OfFloats(wide, {1}, {value})), dtype, {1});
  };
  EXPECT_EQ(error(1.03125, DType::kFp16, DType::kFp8E5M2),
            "element [0]: found 1.03125, expected a value of fp8e5m2");
  EXPECT_EQ(error(65536, DType::kFp32, DType::kFp16),
            "element [0]: found 65536, expected a value of fp16");
  EXPECT_EQ(error(INFINITY, DType::kFp32, DType::kFp8E4M3),
            "element [0]: found inf, expected a value of fp8e4m3");
  EXPECT_EQ(error(0x1p-1074, DType::kFp64, DType::kFp32),
            "element [0]: found 4.9406564584124654e-324, expected a value of fp32");
  EXPECT_EQ(error(std::nan(""), DType::kFp64, DType::kFp8E4M3), "accepted");
}

TEST(Npy, FileErrorsBeginWithThePath) {
  const fs::path path = fs::path(testing::TempDir()) / "cts_npy_errors.npy";
  EXPECT_THAT(Message(ReadNpy(path / "absent", DType::kI8, {1}).status()),
              StartsWith(path.string()));
  ASSERT_TRUE(WriteFile(path, "text").ok());
  EXPECT_THAT(Message(ReadNpy(path, DType::kI8, {1}).status()),
              StartsWith(path.string() + ": magic: "));
  // 16 MB where one element is expected: not even read.
  ASSERT_TRUE(WriteFile(path, std::string(16 << 20, ' ')).ok());
  EXPECT_THAT(Message(ReadNpy(path, DType::kI8, {1}).status()), HasSubstr("expected at most"));
  fs::remove(path);
}

// Runs Python in an empty directory of its own, where the files lie.
class NumPy : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  void Run(std::string_view script) {
    ASSERT_TRUE(WriteFile(directory_ / "script.py", script).ok());
    const std::string command =
        StrCat("cd '", directory_.string(), "' && ", CTS_PYTHON, " script.py");
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  Tensor Read(std::string_view name, DType dtype, const Shape& shape) {
    StatusOr<Tensor> tensor = ReadNpy(directory_ / name, dtype, shape);
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    return tensor.ok() ? *std::move(tensor) : Tensor(dtype, shape);
  }

  const fs::path directory_ =
      fs::path(testing::TempDir()) /
      StrCat("cts_npy_", testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(NumPy, ReadsFilesOfEveryType) {
  const auto integers = [&](DType dtype, std::vector<int64_t> values) {
    const Tensor tensor = Tensor::OfIntegers(dtype, {2, 2}, values);
    ASSERT_TRUE(WriteNpy(directory_ / StrCat(Name(dtype), ".npy"), tensor).ok());
  };
  const auto floats = [&](DType dtype, std::vector<double> values) {
    const Tensor tensor = Tensor::OfFloats(dtype, {2, 2}, values);
    ASSERT_TRUE(WriteNpy(directory_ / StrCat(Name(dtype), ".npy"), tensor).ok());
  };
  integers(DType::kBool, {0, 1, 1, 0});
  integers(DType::kI4, {-7, 7, 0, -1});
  integers(DType::kI8, {-128, 127, 0, -1});
  integers(DType::kI16, {-32768, 32767, 258, -1});
  integers(DType::kI32, {INT32_MIN, INT32_MAX, 16909060, -1});
  integers(DType::kI48, {-140737488355328, 140737488355327, 1, -1});
  integers(DType::kI64, {INT64_MIN, INT64_MAX, 1, -1});
  integers(DType::kShape, {1, 2, 3, -1});
  floats(DType::kFp8E4M3, {1.0, -2.0, 448.0, 0x1p-9});
  floats(DType::kFp8E5M2, {1.0, -2.0, 57344.0, 0x1p-16});
  floats(DType::kFp16, {1.0, -2.0, 65504.0, 0x1p-24});
  floats(DType::kBf16, {1.0, -2.0, 0x1.FEp127, 0x1p-133});
  floats(DType::kFp32, {1.0, -2.0, 0.1, 0x1p-149});
  floats(DType::kFp64, {1.0, -2.0, 0.1, 0x1p-1074});
  Run(R"(
import numpy as np
def check(name, dtype, values):
    array = np.load(name + '.npy', allow_pickle=False)
    assert array.dtype == np.dtype(dtype), (name, array.dtype)
    assert array.shape == (2, 2) and array.flags.c_contiguous, name
    if array.dtype.kind == 'V':
        array = array.view('<u%d' % array.itemsize)
    assert array.flatten().tolist() == values, (name, array)
check('bool', '?', [False, True, True, False])
check('i4', 'i1', [-7, 7, 0, -1])
check('i8', 'i1', [-128, 127, 0, -1])
check('i16', '<i2', [-2**15, 2**15 - 1, 258, -1])
check('i32', '<i4', [-2**31, 2**31 - 1, 0x01020304, -1])
check('i48', '<i8', [-2**47, 2**47 - 1, 1, -1])
check('i64', '<i8', [-2**63, 2**63 - 1, 1, -1])
check('shape', '<i8', [1, 2, 3, -1])
check('fp8e4m3', 'V1', [0x38, 0xC0, 0x7E, 0x01])
check('fp8e5m2', 'V1', [0x3C, 0xC0, 0x7B, 0x01])
check('fp16', '<f2', [1.0, -2.0, 65504.0, 2.0**-24])
check('bf16', 'V2', [0x3F80, 0xC000, 0x7F7F, 0x0001])
check('fp32', '<f4', [1.0, -2.0, float(np.float32(0.1)), 2.0**-149])
check('fp64', '<f8', [1.0, -2.0, 0.1, 2.0**-1074])
)");
}

TEST_F(NumPy, WritesFilesThatWeRead) {
  Run(R"(
import numpy as np
np.save('bool.npy', np.array([True, False, True]))
np.save('bool_u1.npy', np.array([1, 0, 1], 'u1'))
np.save('i8.npy', np.array([-128, 127, 3], 'i1'))
np.save('i16_big.npy', np.array([-32768, 258, 3], '>i2'))
np.save('i48.npy', np.array([-2**47, 2**47 - 1, 3], '<i8'))
np.save('fortran.npy', np.asfortranarray(np.arange(24, dtype='<i4').reshape(2, 3, 4)))
np.save('scalar.npy', np.float32(1.5))
np.save('fp16.npy', np.array([1.5, 65504, -0.0], '<f2'))
np.save('fp32_big.npy', np.array([1.5, 2.0**-149, -0.0], '>f4'))
np.save('fp64.npy', np.array([0.1, 2.0**-1074, -0.0], '<f8'))
np.save('bf16_u2.npy', np.array([0x3FC0, 1, 0x8000], '<u2'))
np.save('bf16_u2_big.npy', np.array([0x3FC0, 1, 0x8000], '>u2'))
np.save('bf16_v2.npy', np.array([0x3FC0, 1, 0x8000], '<u2').view('V2'))
np.save('bf16_f4.npy', np.array([1.5, 2.0**-133, -0.0], '<f4'))
np.save('fp8_u1.npy', np.array([0x3C, 0x01, 0x80], 'u1'))
np.save('fp8_v1.npy', np.array([0x3C, 0x01, 0x80], 'u1').view('V1'))
np.save('fp8_f2_fortran.npy', np.asfortranarray(np.array([[1.5, 2.0**-9], [-0.0, 448]], '>f2')))
with open('version2.npy', 'wb') as f:
    np.lib.format.write_array(f, np.array([1, 2, 3], '<i4'), version=(2, 0))
with open('version3.npy', 'wb') as f:
    np.lib.format.write_array(f, np.array([1, 2, 3], '<i4'), version=(3, 0))
np.save('object.npy', np.array([None, None, None]), allow_pickle=True)
np.save('struct.npy', np.zeros(3, [('a', '<i4')]))
)");
  const Shape shape = {3};
  const auto integers = [&](DType dtype, std::vector<int64_t> values) {
    return Tensor::OfIntegers(dtype, shape, values);
  };
  const auto floats = [&](DType dtype, std::vector<double> values) {
    return Tensor::OfFloats(dtype, shape, values);
  };
  EXPECT_EQ(Read("bool.npy", DType::kBool, shape), integers(DType::kBool, {1, 0, 1}));
  EXPECT_EQ(Read("bool_u1.npy", DType::kBool, shape), integers(DType::kBool, {1, 0, 1}));
  EXPECT_EQ(Read("i8.npy", DType::kI8, shape), integers(DType::kI8, {-128, 127, 3}));
  EXPECT_EQ(Read("i16_big.npy", DType::kI16, shape), integers(DType::kI16, {-32768, 258, 3}));
  EXPECT_EQ(Read("i48.npy", DType::kI48, shape),
            integers(DType::kI48, {-140737488355328, 140737488355327, 3}));
  std::vector<int64_t> counting(24);
  for (int64_t i = 0; i < 24; ++i) counting[i] = i;
  EXPECT_EQ(Read("fortran.npy", DType::kI32, {2, 3, 4}).Integers(), counting);
  EXPECT_THAT(Read("scalar.npy", DType::kFp32, {}).Elements(), ElementsAre(1.5));
  EXPECT_EQ(Read("fp16.npy", DType::kFp16, shape), floats(DType::kFp16, {1.5, 65504, -0.0}));
  EXPECT_EQ(Read("fp32_big.npy", DType::kFp32, shape), floats(DType::kFp32, {1.5, 0x1p-149, -0.0}));
  EXPECT_EQ(Read("fp64.npy", DType::kFp64, shape), floats(DType::kFp64, {0.1, 0x1p-1074, -0.0}));
  for (const char* name : {"bf16_u2.npy", "bf16_u2_big.npy", "bf16_v2.npy", "bf16_f4.npy"}) {
    EXPECT_EQ(Read(name, DType::kBf16, shape), floats(DType::kBf16, {1.5, 0x1p-133, -0.0})) << name;
  }
  for (const char* name : {"fp8_u1.npy", "fp8_v1.npy"}) {
    EXPECT_EQ(Read(name, DType::kFp8E4M3, shape), floats(DType::kFp8E4M3, {1.5, 0x1p-9, -0.0}))
        << name;
  }
  EXPECT_EQ(Read("fp8_f2_fortran.npy", DType::kFp8E4M3, {2, 2}),
            Tensor::OfFloats(DType::kFp8E4M3, {2, 2}, {1.5, 0x1p-9, -0.0, 448}));
  EXPECT_EQ(Read("version2.npy", DType::kI32, shape), integers(DType::kI32, {1, 2, 3}));
  EXPECT_EQ(Read("version3.npy", DType::kI32, shape), integers(DType::kI32, {1, 2, 3}));
  EXPECT_THAT(Message(ReadNpy(directory_ / "object.npy", DType::kI32, shape).status()),
              HasSubstr("pickled Python objects"));
  EXPECT_THAT(Message(ReadNpy(directory_ / "struct.npy", DType::kI32, shape).status()),
              HasSubstr("a structured type"));
}

// Shapes whose headers have every length modulo 64, where padding goes wrong first.
TEST_F(NumPy, WritesTheSameBytesAsWeDo) {
  Run(R"(
import numpy as np
for rank in range(33):
    for size in (1, 10, 100):
        shape = ((1,) * (rank - 1) + (size,))[:rank]
        np.save('i1_%d_%d.npy' % (rank, size), np.full(shape, 1, 'i1'))
for dtype in ('?', 'i1', '<i2', '<i4', '<i8', '<f2', '<f4', '<f8'):
    np.save(np.dtype(dtype).str[1:] + '.npy', np.arange(2).astype(dtype).reshape(1, 2))
)");
  const auto read = [&](const std::string& name) {
    StatusOr<std::string> bytes = ReadFile(directory_ / name);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return bytes.ok() ? *bytes : "";
  };
  for (size_t rank = 0; rank <= 32; ++rank) {
    for (int64_t size : {1, 10, 100}) {
      Shape shape(rank, 1);
      if (rank > 0) shape.back() = size;
      const Tensor tensor =
          Tensor::OfIntegers(DType::kI8, shape, std::vector<int64_t>(ElementCount(shape), 1));
      EXPECT_EQ(EncodeNpy(tensor), read(StrCat("i1_", rank, "_", size, ".npy")));
    }
  }
  for (DType dtype : {DType::kBool, DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kFp16,
                      DType::kFp32, DType::kFp64}) {
    const Tensor tensor = IsFloat(dtype) ? Tensor::OfFloats(dtype, {1, 2}, {0, 1})
                                         : Tensor::OfIntegers(dtype, {1, 2}, {0, 1});
    EXPECT_EQ(EncodeNpy(tensor), read(StrCat(Info(dtype).npy.substr(1), ".npy"))) << Name(dtype);
  }
}

// Values and scales that all differ.
Tensor BlockScaledExample() {
  Tensor tensor = *Tensor::BlockScaled(DType::kFp8E4M3, {2, 64});
  for (size_t i = 0; i < tensor.bytes().size(); ++i) tensor.bytes()[i] = static_cast<uint8_t>(i);
  tensor.scales() = {0, 127, 254, 255};
  return tensor;
}

TEST(BlockScaledNpy, ReadsBackFromTwoFiles) {
  const fs::path path = fs::path(testing::TempDir()) / "block_scaled.npy";
  const Tensor tensor = BlockScaledExample();
  ASSERT_EQ(WriteNpy(path, tensor), absl::OkStatus());
  const StatusOr<Tensor> back = ReadBlockScaledNpy(path, DType::kFp8E4M3, {2, 64});
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, tensor);
  const StatusOr<std::string> scales =
      ReadFile(fs::path(testing::TempDir()) / "block_scaled.scale.npy");
  ASSERT_TRUE(scales.ok()) << scales.status();
  EXPECT_EQ(*DecodeNpyShape(*scales), (Shape{2, 2}));
  EXPECT_THAT(*scales, HasSubstr("'descr': '|V1'"));
  // A plain tensor has one file.
  const fs::path plain = fs::path(testing::TempDir()) / "plain.npy";
  ASSERT_EQ(WriteNpy(plain, Tensor(DType::kFp8E4M3, {2, 64})), absl::OkStatus());
  const StatusOr<Tensor> none = ReadBlockScaledNpy(plain, DType::kFp8E4M3, {2, 64});
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(Message(none.status()), HasSubstr("plain.scale.npy"));
}

TEST(BlockScaledNpy, ReadsScalesInOtherOrdersAndRefusesOtherFiles) {
  const Tensor tensor = BlockScaledExample();
  const std::string values = EncodeNpy(tensor);
  const auto read = [&](std::string_view scales) {
    return DecodeBlockScaledNpy(values, scales, DType::kFp8E4M3, {2, 64});
  };
  const std::string_view by_columns("\x00\xFE\x7F\xFF", 4);
  EXPECT_EQ(*read(File(Header("|u1", "(2, 2)", true), by_columns)), tensor);
  const auto error = [&](std::string_view scales) { return Message(read(scales).status()); };
  EXPECT_EQ(error(File(Header("|i1", "(2, 2)"), by_columns)),
            "scales: descr: found '|i1', expected '|V1' or '|u1' with the bits for fp8ue8m0");
  EXPECT_EQ(error(File(Header("<f4", "(2, 2)"), std::string(16, '\0'))),
            "scales: descr: found '<f4', expected '|V1' or '|u1' with the bits for fp8ue8m0");
  EXPECT_EQ(error(File(Header("|V1", "(2, 64)"), std::string(128, '\0'))),
            "scales: shape: found [2,64], expected [2,2]");
  EXPECT_EQ(error(File(Header("|V1", "(2, 2)"), "123")),
            "scales: data: truncated, found 3 bytes, expected 4 elements of 1");
  EXPECT_EQ(Message(DecodeBlockScaledNpy(values, values, DType::kFp8E4M3, {128}).status()),
            "shape: found [2,64], expected [128]");
}

TEST(StoredAsOther, NamesATypeThatIsNeitherThePrescribedOneNorItsBits) {
  const Tensor fp64 = Tensor::OfFloats(DType::kFp64, {2}, {1, 2});
  const Tensor i32 = Tensor::OfIntegers(DType::kI32, {2}, {1, 2});
  EXPECT_EQ(StoredAsOther(EncodeNpy(fp64), DType::kFp64), "");
  EXPECT_EQ(StoredAsOther(EncodeNpy(fp64), DType::kFp32), "<f8");
  EXPECT_EQ(StoredAsOther(EncodeNpy(i32), DType::kI32), "");
  EXPECT_EQ(StoredAsOther(EncodeNpy(i32), DType::kI8), "<i4");
  EXPECT_EQ(StoredAsOther(EncodeNpy(i32, "<u4"), DType::kI32), "<u4");
  const Tensor bf16 = Tensor::OfFloats(DType::kBf16, {2}, {1, 2});
  EXPECT_EQ(StoredAsOther(EncodeNpy(bf16), DType::kBf16), "");
  EXPECT_EQ(StoredAsOther(EncodeNpy(bf16, "<u2"), DType::kBf16), "");
  EXPECT_EQ(StoredAsOther("no file", DType::kI8), "");
}

}  // namespace
}  // namespace cts
