#include "reference/formats/spirv/vgf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vgf_generated.h>

#include <string>
#include <vector>

#include "reference/formats/mlir/mlir_parse.h"

namespace cts {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const Edition& EditionOfVgf() { return **FindEdition("tosa-1.0"); }

// Two constants: a table of weights, and what MUL asks for.
Graph GraphForVgf() {
  constexpr char kText[] = R"(
    func.func @main(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
      %y = "tosa.const"() {values = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>} : () -> tensor<2x3xi32>
      %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
      %z = tosa.mul %x, %y, %s : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<1xi8>) -> tensor<2x3xi32>
      return %z : tensor<2x3xi32>
    })";
  std::map<std::string, std::string> renamed;
  StatusOr<Graph> graph = ParseMlir(kText, EditionOfVgf(), "test", &renamed);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return *std::move(graph);
}

std::string Encoded(SpirvConstants constants) {
  StatusOr<std::string> bytes = EncodeVgf(GraphForVgf(), EditionOfVgf(), {.constants = constants});
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return *std::move(bytes);
}

std::string ErrorOf(const std::string& bytes) {
  const StatusOr<SpirvFile> file = DecodeVgf(bytes, "f.vgf");
  return file.ok() ? "none" : std::string(Message(file.status()));
}

uint64_t LittleEndian(const std::string& bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

TEST(Vgf, HeaderAndConstantsLieWhereTheContainerHasThem) {
  const std::string bytes = Encoded(SpirvConstants::kGraph);
  EXPECT_EQ(bytes.substr(0, 12), std::string("VGF1\0\0\0\0\0\4\3\0", 12));
  size_t end = 128;  // of the header
  for (size_t section = 0; section < 4; ++section) {
    const size_t at = LittleEndian(bytes, 16 + 16 * section, 8);
    EXPECT_EQ(at % 8, 0U) << section;
    EXPECT_GE(at, end);
    EXPECT_LT(at, end + 8);
    end = at + LittleEndian(bytes, 24 + 16 * section, 8);
  }
  EXPECT_EQ(end, bytes.size());
  // The mark, the count, two records, the values of y, those of s filled up to eight bytes.
  const size_t constants = LittleEndian(bytes, 64, 8);
  EXPECT_EQ(bytes.substr(constants, 8), std::string("CONST00\0", 8));
  EXPECT_EQ(LittleEndian(bytes, constants + 8, 8), 2U);
  EXPECT_EQ(LittleEndian(bytes, constants + 16, 4), 2U);  // behind x and z
  EXPECT_EQ(LittleEndian(bytes, constants + 20, 4), UINT32_MAX);
  EXPECT_EQ(end - constants, 16U + 2 * 24 + 24 + 8);
}

TEST(Vgf, GivesBackTheGraphHoweverItHoldsConstants) {
  for (const SpirvConstantsName& row : kSpirvConstants) {
    const std::string bytes = Encoded(row.constants);
    const StatusOr<SpirvFile> file = DecodeVgf(bytes, "f.vgf");
    ASSERT_TRUE(file.ok()) << row.name << ": " << file.status();
    EXPECT_TRUE(file->renamed.empty());
    const Block& block = file->graph.main();
    EXPECT_THAT(block.inputs, ::testing::ElementsAre("x"));
    EXPECT_EQ(block.outputs.size(), 1U);
    ASSERT_NE(block.Find("y"), nullptr);
    ASSERT_NE(block.Find("y")->values, nullptr);
    EXPECT_EQ(block.Find("y")->values->bytes(),
              Tensor::OfIntegers(DType::kI32, {2, 3}, {1, 2, 3, 4, 5, 6}).bytes());
    const StatusOr<std::string> again =
        EncodeVgf(file->graph, EditionOfVgf(), {.constants = row.constants});
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again == bytes, true) << row.name;
  }
}

// The file with another model sequence, behind its end: constants of the graph by `bindings`, in
// place of a list.
std::string WithBindings(std::string bytes,
                         const std::vector<std::pair<uint32_t, uint32_t>>& bindings) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<vgf::ConstantBinding>> offsets;
  for (const auto& [id, place] : bindings) {
    offsets.push_back(vgf::CreateConstantBinding(builder, id, place));
  }
  const std::vector<flatbuffers::Offset<vgf::Slot>> in = {vgf::CreateSlot(builder, 0, 0)};
  const std::vector<flatbuffers::Offset<vgf::Slot>> out = {vgf::CreateSlot(builder, 1, 1)};
  const std::vector<flatbuffers::Offset<vgf::Segment>> segments = {
      vgf::CreateSegmentDirect(builder, vgf::ModuleType::GRAPH, "s", 0, nullptr, &in, &out, nullptr,
                               nullptr, nullptr, &offsets)};
  builder.Finish(vgf::CreateSequenceDirect(builder, &segments, &in, &out));
  const auto put = [&](size_t at, uint64_t value) {
    for (size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
  };
  put(32, bytes.size());
  put(40, builder.GetSize());
  bytes.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
  bytes[9] = 5;  // the version
  return bytes;
}

TEST(Vgf, ConstantsOfNewerFilesAreFoundByTheirIds) {
  const std::string whole = Encoded(SpirvConstants::kGraph);
  const StatusOr<SpirvFile> file = DecodeVgf(WithBindings(whole, {{1, 1}, {0, 0}}), "f.vgf");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->graph.main().Find("y")->values->Integer(5), 6);
  // Constant 0 of the graph has the type of y, which lies in place 0.
  EXPECT_THAT(ErrorOf(WithBindings(whole, {{0, 1}, {1, 0}})), HasSubstr("it has the format 14"));
  EXPECT_THAT(ErrorOf(WithBindings(whole, {{0, 0}})), HasSubstr("has no such constant"));
  EXPECT_THAT(ErrorOf(WithBindings(whole, {{0, 0}, {1, 7}})), HasSubstr("has no such constant"));
}

TEST(Vgf, RefusesWhatItCannotReadAndSaysWhy) {
  const std::string whole = Encoded(SpirvConstants::kGraph);
  EXPECT_EQ(ErrorOf("VGF1"),
            "f.vgf: found 4 bytes, expected a VGF file: 128 bytes of header that begin with VGF1");
  std::string changed = whole;
  changed[9] = 6;
  EXPECT_EQ(ErrorOf(changed), "f.vgf: VGF of version 0.6, expected 0.5 at most");
  changed = whole;
  changed[16 + 7] = 1;
  EXPECT_THAT(ErrorOf(changed), StartsWith("f.vgf: section 0 lies at "));
  changed = whole;
  changed[LittleEndian(whole, 48, 8)] = '\x70';
  EXPECT_EQ(ErrorOf(changed),
            "f.vgf: damaged: the resource table is no FlatBuffer of schemas/vgf.fbs");
  const size_t constants = LittleEndian(whole, 64, 8);
  changed = whole;
  changed[constants + 8] = 100;
  EXPECT_THAT(ErrorOf(changed), StartsWith("f.vgf: found 100 constants in a section of "));
  changed = whole;
  changed[constants + 16 + 8] = 4;  // the size of y
  EXPECT_THAT(ErrorOf(changed), HasSubstr("it has 4 bytes, expected 24"));
  changed = whole;
  changed[constants + 16 + 4] = 0;
  EXPECT_THAT(ErrorOf(changed), HasSubstr("it is sparse"));
  changed = whole;
  changed[constants + 16] = 9;
  EXPECT_THAT(ErrorOf(changed), HasSubstr("it is resource 9 of 4"));
  changed = whole;
  changed[constants] = 'c';
  EXPECT_EQ(ErrorOf(changed), "f.vgf: the section of constants does not begin with CONST00");
}

TEST(Vgf, EveryBeginningOfAFileIsRefused) {
  const std::string whole = Encoded(SpirvConstants::kGraph);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(ErrorOf(whole.substr(0, size)), StartsWith("f.vgf: ")) << size;
  }
}

}  // namespace
}  // namespace cts
