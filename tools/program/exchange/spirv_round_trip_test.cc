// Every case of a suite as a module of SPIR-V, and as a VGF file, and back, with constants held in
// every way. CTS_SPIRV_RECIPES=certify-pro-int,certify-pro-fp takes other recipes than smoke.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "reference/base/json.h"
#include "reference/bundle/case.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/formats/spirv/spirv_wire.h"
#include "reference/formats/spirv/vgf.h"
#include "reference/graph/call.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }

// The contents of a graph, whatever the order of its tensors and constants: its tensors by name,
// what a constant holds, and its operators with what an absent attribute means.
struct Said {
  std::vector<std::string> inputs, outputs, operators;
  std::map<std::string, std::string> tensors;

  friend bool operator==(const Said&, const Said&) = default;
};

std::string Bits(const AttributeValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return "f" + FormatHex(*number);
  return StrCat(value.index(), " ", ValueText(value));
}

Said WhatIsSaid(const Graph& graph, const Edition& edition) {
  const Block& block = graph.main();
  Said said{.inputs = block.inputs, .outputs = block.outputs, .operators = {}, .tensors = {}};
  for (const GraphTensor& tensor : block.tensors) {
    std::string text = Describe(tensor);
    if (tensor.values != nullptr) {
      for (const uint8_t byte : tensor.values->bytes()) text += StrCat(" ", int{byte});
    }
    said.tensors.emplace(tensor.name, text);
  }
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    std::string text = op.op;
    for (const std::string& name : op.inputs) text += " " + name;
    text += " ->";
    for (const std::string& name : op.outputs) text += " " + name;
    std::map<std::string, AttributeValue> attributes = op.attributes;
    for (const ArgumentSpec& argument : edition.FindOperator(op.op)->arguments) {
      if (argument.name == "nan_mode") attributes.emplace("nan_mode", std::string("PROPAGATE"));
      if (argument.name == "local_bound") attributes.emplace("local_bound", false);
    }
    for (const auto& [name, value] : attributes) text += StrCat(" ", name, "=", Bits(value));
    said.operators.push_back(text);
  }
  return said;
}

StatusOr<Graph> ThereAndBack(const Graph& graph, const SpirvOptions& options,
                             const std::string& id) {
  CTS_ASSIGN_OR_RETURN(const SpirvModule module, EncodeSpirv(graph, Tosa10(), options));
  CTS_ASSIGN_OR_RETURN(SpirvFile file,
                       DecodeSpirv(module.bytes, id, [&](uint32_t number, DType, const Shape&) {
                         return StatusOr<Tensor>(module.constants.at(number));
                       }));
  if (!file.renamed.empty()) return InvalidArgument(file.renamed.begin()->first, " was renamed");
  CTS_ASSIGN_OR_RETURN(const std::string container, EncodeVgf(graph, Tosa10(), options));
  CTS_ASSIGN_OR_RETURN(const SpirvFile contained, DecodeVgf(container, id));
  if (WhatIsSaid(contained.graph, Tosa10()) != WhatIsSaid(file.graph, Tosa10())) {
    return InvalidArgument("a VGF file holds another graph than the module");
  }
  return std::move(file.graph);
}

std::vector<std::string> Recipes() {
  const char* const given = std::getenv("CTS_SPIRV_RECIPES");
  std::istringstream names(given == nullptr ? "smoke" : given);
  std::vector<std::string> recipes;
  for (std::string name; std::getline(names, name, ',');) recipes.push_back(name);
  return recipes;
}

class SpirvRoundTrip : public ::testing::TestWithParam<std::string> {
 protected:
  // A case with its constants in the module, and in one more of the ways; a case that cannot be
  // said is counted by its reason.
  Status One(size_t number, const Case& c) {
    const size_t others = std::size(kSpirvConstants) - 1;
    for (const size_t way_of : {size_t{0}, 1 + number % others}) {
      const SpirvConstantsName& row = kSpirvConstants[way_of];
      const SpirvOptions options{.constants = row.constants};
      StatusOr<Graph> back = ThereAndBack(c.graph, options, c.id);
      std::string way(row.name);
      Graph given = c.graph;
      if (absl::IsUnimplemented(back.status())) {
        if (row.constants == SpirvConstants::kModule) CountRefusal(c, Message(back.status()));
        way = "lowered";
        const StatusOr<Graph> lowered = LowerForSpirv(c.graph, Tosa10());
        if (absl::IsUnimplemented(lowered.status())) return absl::OkStatus();
        CTS_RETURN_IF_ERROR(lowered.status());
        given = *lowered;
        back = ThereAndBack(given, options, c.id);
        if (absl::IsUnimplemented(back.status())) return absl::OkStatus();
      }
      if (!back.ok()) return Annotate(back.status(), StrCat(c.id, ", ", way));
      if (WhatIsSaid(*back, Tosa10()) != WhatIsSaid(given, Tosa10())) {
        return InvalidArgument(c.id, ", ", way, ": came back changed");
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      ++same_[way];
      for (const GraphOperator& op : given.main().operators) operators_.insert(op.op);
    }
    return absl::OkStatus();
  }

  void CountRefusal(const Case& c, const std::string& reason) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (c.outcome == Outcome::kValid) ++refused_[reason.substr(0, reason.find(';'))];
  }

  std::mutex mutex_;
  std::map<std::string, size_t> same_, refused_;
  std::set<std::string> operators_;
};

TEST_P(SpirvRoundTrip, GivesBackEveryCaseHoweverItHoldsConstants) {
  auto recipe = FindRecipe(GetParam());
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  const Status status = ForEachCase({.recipe = *std::move(recipe)},
                                    [&](size_t i, const Case& c) { return One(i, c); });
  EXPECT_TRUE(status.ok()) << status;
  // Legal cases that are refused, unless lowered, are those of IDENTITY, of control flow, of
  // variables, of i4 and without dimensions.
  for (const auto& [reason, count] : refused_) {
    EXPECT_THAT(reason, ::testing::AnyOf(HasSubstr("has no instruction for it"),
                                         HasSubstr("SPIR-V has no tensors of i4"),
                                         HasSubstr("SPIR-V has no tensor without dimensions")))
        << count;
  }
  EXPECT_GT(same_["module"], 6000U);
  EXPECT_GT(same_["lowered"], 600U);
  EXPECT_EQ(same_.size(), std::size(kSpirvConstants) + 1);
  for (const spirv::Instruction& row : spirv::Instructions()) {
    EXPECT_TRUE(operators_.contains(std::string(row.op))) << row.op;
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, SpirvRoundTrip, ::testing::ValuesIn(Recipes()),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(c) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace cts
