#include "tools/program/run/plugin_loader.h"

#include <gmock/gmock.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "tools/program/run/plugin_graph.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

TEST(PluginGraph, HasEveryBlockValueOperatorAndAttribute) {
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.tensors = {
      {"x", DType::kFp32, {2, 3}, nullptr},
      {"k",
       DType::kI16,
       {2},
       std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI16, {2}, {-5, 7}))},
      {"none", DType::kShape, {0}, std::make_shared<const Tensor>(DType::kShape, Shape{0})},
      {"y", DType::kI48, {}, nullptr}};
  main.inputs = {"x"};
  main.outputs = {"y", "k"};
  main.operators = {{"CONST", {}, {"k"}, {}},
                    {"ANY",
                     {"k", "x"},
                     {"y"},
                     {{"bool", true},
                      {"integer", int64_t{-9}},
                      {"list", std::vector<int64_t>{3, -4}},
                      {"real", 0.5},
                      {"text", std::string("then")}}}};
  graph.regions.push_back({"then", {{"main", {}, {}, {}, {}}}});
  const std::string edition = "tosa-1.0", level = "8K";
  const PluginGraph converted(graph, edition, level);
  const tensor_cts_graph& c = converted.get();
  EXPECT_STREQ(c.edition, "tosa-1.0");
  EXPECT_STREQ(c.level, "8K");
  ASSERT_EQ(c.block_count, 2u);
  EXPECT_STREQ(c.blocks[1].name, "then");  // what attributes call it: the region
  EXPECT_EQ(c.blocks[1].value_count, 0u);
  const tensor_cts_block& block = c.blocks[0];
  ASSERT_EQ(block.value_count, 4u);
  EXPECT_STREQ(block.values[0].name, "x");
  EXPECT_STREQ(block.values[0].type, "fp32");
  ASSERT_EQ(block.values[0].rank, 2u);
  EXPECT_EQ(block.values[0].shape[1], 3);
  EXPECT_EQ(block.values[0].bytes, 24u);
  EXPECT_EQ(block.values[0].data, nullptr);
  int16_t k[2];
  ASSERT_EQ(block.values[1].bytes, sizeof(k));
  std::memcpy(k, block.values[1].data, sizeof(k));
  EXPECT_EQ(k[0], -5);
  EXPECT_EQ(k[1], 7);
  EXPECT_EQ(block.values[2].bytes, 0u);
  EXPECT_NE(block.values[2].data, nullptr);  // a constant without elements is one
  EXPECT_EQ(block.values[3].bytes, 8u);
  ASSERT_EQ(block.input_count, 1u);
  EXPECT_EQ(block.inputs[0], 0u);
  ASSERT_EQ(block.output_count, 2u);
  EXPECT_EQ(block.outputs[0], 3u);
  EXPECT_EQ(block.outputs[1], 1u);
  ASSERT_EQ(block.operator_count, 2u);
  const tensor_cts_operator& op = block.operators[1];
  EXPECT_STREQ(op.name, "ANY");
  ASSERT_EQ(op.input_count, 2u);
  EXPECT_EQ(op.inputs[0], 1u);
  EXPECT_EQ(op.inputs[1], 0u);
  ASSERT_EQ(op.output_count, 1u);
  EXPECT_EQ(op.outputs[0], 3u);
  ASSERT_EQ(op.attribute_count, 5u);
  EXPECT_EQ(op.attributes[0].kind, TENSOR_CTS_BOOL);
  EXPECT_EQ(op.attributes[0].integer, 1);
  EXPECT_EQ(op.attributes[1].kind, TENSOR_CTS_INTEGER);
  EXPECT_EQ(op.attributes[1].integer, -9);
  EXPECT_EQ(op.attributes[2].kind, TENSOR_CTS_LIST);
  ASSERT_EQ(op.attributes[2].count, 2u);
  EXPECT_EQ(op.attributes[2].list[1], -4);
  EXPECT_EQ(op.attributes[3].kind, TENSOR_CTS_REAL);
  EXPECT_EQ(op.attributes[3].real, 0.5);
  EXPECT_EQ(op.attributes[4].kind, TENSOR_CTS_TEXT);
  EXPECT_STREQ(op.attributes[4].text, "then");
}

TEST(PluginGraph, CannotBeWritten) {
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.tensors = {{"k",
                   DType::kI8,
                   {1},
                   std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI8, {1}, {5}))}};
  main.operators = {{"CONST", {}, {"k"}, {{"list", std::vector<int64_t>{3}}}}};
  const PluginGraph converted(graph, "tosa-1.0", "8K");
  const tensor_cts_block& block = converted.get().blocks[0];
  const auto write = [](const auto* data) {
    *const_cast<std::remove_cv_t<std::remove_pointer_t<decltype(data)>>*>(data) = {};
  };
  EXPECT_DEATH(write(static_cast<const char*>(block.values[0].data)), "");
  EXPECT_DEATH(write(block.values[0].name), "");
  EXPECT_DEATH(write(block.values[0].shape), "");
  EXPECT_DEATH(write(block.operators[0].outputs), "");
  EXPECT_DEATH(write(&block.operators[0].attributes[0].kind), "");
  EXPECT_DEATH(write(block.operators[0].attributes[0].list), "");
  EXPECT_DEATH(write(&converted.get().blocks[0].name), "");
}

TEST(PluginBytes, AreNoneWhereNoTensorHasTheShape) {
  EXPECT_EQ(PluginBytes(DType::kI32, {}), 4u);
  EXPECT_EQ(PluginBytes(DType::kI32, {2, 0}), 0u);
  EXPECT_EQ(PluginBytes(DType::kI32, {-1}), 0u);
  EXPECT_EQ(PluginBytes(DType::kI8, {int64_t{1} << 40, int64_t{1} << 40}), 0u);
  EXPECT_EQ(PluginBytes(DType::kI48, {int64_t{1} << 62}), 0u);
}

TEST(Plugin, RefusesWhatIsNoLibrary) {
  EXPECT_THAT(
      Message(Plugin::Load("/etc/passwd").status()),
      AllOf(HasSubstr("/etc/passwd: cannot be loaded"), HasSubstr("expected a shared library")));
}

}  // namespace
}  // namespace cts
