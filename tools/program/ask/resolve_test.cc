#include "tools/program/ask/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "generator/generate.h"
#include "reference/base/npy.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

using testing::HasSubstr;

// The one case of the recipe with that id.
Case Generated(const std::string& id) {
  GenerateOptions options;
  options.recipe = *FindRecipe("symbolic");
  options.recipe.ids = {id};
  Case found;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    found = c;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return found;
}

TEST(ParseBinding, TakesEachSymbolOnce) {
  EXPECT_EQ(*ParseBinding({"N=4", "M=-1"}), (Binding{{"M", -1}, {"N", 4}}));
  EXPECT_THAT(Message(ParseBinding({"N=4", "N=5"}).status()), HasSubstr("found N twice: 4 and 5"));
  for (const char* wrong : {"N", "N=", "=4", "N=4x", "N= 4", "N=+4", "N:4"}) {
    EXPECT_THAT(Message(ParseBinding({wrong}).status()),
                HasSubstr(StrCat("found ", wrong, ", expected SYMBOL=SIZE, such as N=4")));
  }
  for (const char* wrong : {"N=9223372036854775808", "N=-99999999999999999999"}) {
    EXPECT_THAT(
        Message(ParseBinding({wrong}).status()),
        HasSubstr(StrCat("found ", wrong, ", expected a size of at most 9223372036854775807")));
  }
}

// Under every binding of every program: a static case, which has the same inputs and, to the bit,
// the same answers; it reads back unchanged.
TEST(ResolveCase, MakesAStaticCaseOfEveryBindingOfTheRecipe) {
  GenerateOptions options;
  options.recipe = *FindRecipe("symbolic");
  std::atomic<int> programs = 0, bindings = 0;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    if (c.outcome != Outcome::kValid) return absl::OkStatus();
    ++programs;
    for (size_t k = 0; k < c.bindings.size(); ++k) {
      ++bindings;
      const auto made = ResolveCase(c, c.bindings[k]);
      EXPECT_TRUE(made.ok()) << c.id << ": " << made.status();
      if (!made.ok()) continue;
      EXPECT_TRUE(RequireStatic(made->graph).ok()) << c.id;
      EXPECT_EQ(made->inputs, *c.InputsOfExecutions()[k].tensors) << c.id;
      size_t next = 0;
      for (const ExpectedOutput& wanted : c.outputs) {
        if (wanted.execution != static_cast<int>(k)) continue;
        EXPECT_LT(next, made->outputs.size()) << c.id;
        if (next == made->outputs.size()) break;
        const ExpectedOutput& found = made->outputs[next++];
        EXPECT_EQ(found.name, wanted.name) << c.id;
        EXPECT_EQ(found.execution, 0) << c.id;
        EXPECT_EQ(found.answers.size(), wanted.answers.size()) << c.id;
        for (size_t i = 0; i < std::min(found.answers.size(), wanted.answers.size()); ++i) {
          EXPECT_EQ(EncodeNpy(found.answers[i].expected), EncodeNpy(wanted.answers[i].expected))
              << c.id;
        }
      }
      EXPECT_EQ(next, made->outputs.size()) << c.id;
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(programs, 1300);
  EXPECT_GT(bindings, 3500);
}

TEST(ResolveCase, MakesAStaticCaseOfEveryBinding) {
  const Case c = Generated("symbolic/heads-i8-full-range");
  ASSERT_EQ(c.bindings.size(), 3u);
  for (const Binding& binding : c.bindings) {
    const auto made = ResolveCase(c, binding);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE(RequireStatic(made->graph).ok());
    EXPECT_TRUE(made->bindings.empty());
    EXPECT_TRUE(made->later_inputs.empty());
    EXPECT_EQ(made->id, StrCat(c.id, "+m", binding.at("M"), "+n", binding.at("N")));
    // The text that was written is the one that is read.
    EXPECT_EQ(made->outputs.size(), 1u);
    EXPECT_EQ(made->outputs[0].shape[1], binding.at("N"));
  }
}

TEST(ResolveCase, SaysWhatIsWrong) {
  const Case c = Generated("symbolic/heads-i8-full-range");
  const auto say = [&](const Binding& binding) {
    return Message(ResolveCase(c, binding).status());
  };
  EXPECT_THAT(say({{"N", 6}}), HasSubstr("symbol M: found no value; add --bind M=SIZE"));
  EXPECT_THAT(say({{"N", 6}, {"M", 7}, {"K", 1}}), HasSubstr("found symbol K, which no tensor"));
  EXPECT_THAT(
      say({{"N", 6}, {"M", 8}}),
      HasSubstr("found M=8 N=6, for which the case has no inputs; it has those of M=7 N=6"));
  const auto graph = [&](const Binding& binding) {
    const auto text = ResolveGraph(c, binding);
    return text.ok() ? *text : Message(text.status());
  };
  EXPECT_THAT(graph({{"N", 2}, {"M", 8}}), HasSubstr("\"RESHAPE\""));
  EXPECT_THAT(graph({{"N", 0}, {"M", 8}}),
              HasSubstr("there is no static graph: symbol.not_positive: binding: N: found 0"));
  // More than a tensor may have, though every size is one.
  EXPECT_THAT(graph({{"N", int64_t{1} << 62}, {"M", 8}}),
              HasSubstr("there is no static graph: graph.tensor_size: binding: x: "
                        "i8[4611686018427387904,8,6], expected at most 2147483647 bytes"));
  EXPECT_THAT(graph({{"N", -2}, {"M", 8}}), HasSubstr("symbol.not_positive: binding: N: found -2"));
  Case known = *ResolveCase(c, c.bindings[0]);
  EXPECT_THAT(Message(ResolveCase(known, {}).status()), HasSubstr("found a static graph"));
  // Dimensions that depend on data are known where there are data.
  const Case slice = Generated("symbolic/slice-i8-full-range");
  EXPECT_TRUE(ResolveGraph(slice, slice.bindings[1]).ok());
  EXPECT_THAT(Message(ResolveGraph(slice, {{"N", 2}, {"M", 2}}).status()),
              HasSubstr("values of where are not known"));
}

TEST(ResolveCase, KeepsErrorsThatAStaticGraphHas) {
  const Case end = Generated("symbolic/error-slice-end_range-slice-i8");
  const auto made = ResolveCase(end, end.bindings[0]);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->condition, "slice.end_range");
  const Case ones = Generated("symbolic/error-symbol-broadcast-two-batches-i32");
  EXPECT_THAT(Message(ResolveCase(ones, ones.bindings[0]).status()),
              HasSubstr("there is no static graph: symbol.broadcast"));
}

// Every written case can be read: an id is shorter than the names of symbols may be.
TEST(ResolveCase, MakesNoIdThatIsTooLong) {
  Case c = Generated("symbolic/identity-i8-full-range");
  const std::string n(100, 'N'), m(100, 'M');
  for (GraphTensor& tensor : c.graph.main().tensors) {
    for (std::string& symbol : tensor.symbols) {
      if (symbol == "N") symbol = n;
      if (symbol == "M") symbol = m;
    }
  }
  for (Binding& binding : c.bindings) binding = {{n, binding.at("N")}, {m, binding.at("M")}};
  c.id += std::string(60, '-');
  const auto made = ResolveCase(c, c.bindings[1]);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_LE(made->id.size(), 240u);
  EXPECT_TRUE(made->id.ends_with("+binding1")) << made->id;
  const auto directory = std::filesystem::path(::testing::TempDir()) / "resolved";
  std::filesystem::remove_all(directory);
  ASSERT_TRUE(WriteCase(*made, directory).ok());
  const auto again = ReadCase(directory);
  EXPECT_TRUE(again.ok()) << again.status();
  std::filesystem::remove_all(directory);
}

TEST(ResolveCase, SaysWhereTheCaseIsNotWhatItsProgramGives) {
  Case c = Generated("symbolic/identity-i8-full-range");
  const auto say = [&] { return Message(ResolveCase(c, c.bindings[0]).status()); };
  Tensor& expected = c.outputs[0].answers[0].expected;
  expected.SetBits(0, expected.Bits(0) ^ 1);
  EXPECT_EQ(say(),
            "the case is not what its program gives: found other outputs for M=7 N=6, expected "
            "those of its static graph, which eval prints");
  c.outcome = Outcome::kError;
  c.condition = "symbol.broadcast";
  EXPECT_EQ(say(),
            "the case is not what its program gives: found error: symbol.broadcast, expected what "
            "its static graph gives: valid");
}

}  // namespace
}  // namespace cts
