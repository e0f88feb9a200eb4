#include "generator/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <regex>
#include <set>

#include "generator/plan/error_items.h"
#include "reference/base/file.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/bundle/bundle.h"
#include "reference/calls/call_answer.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/graph/disputed.h"
#include "reference/ops/conditions.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// An empty directory that goes away.
class Directory {
 public:
  Directory() {
    std::string pattern = testing::TempDir() + "/generate_test-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~Directory() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

GenerateOptions Options(std::string_view recipe, std::vector<std::string> operators = {}) {
  GenerateOptions options;
  options.recipe = *FindRecipe(recipe);
  options.recipe.operators = std::move(operators);
  options.jobs = 2;
  return options;
}

// The cases of a recipe, as the tests look at them.
struct Summary {
  std::map<std::string, Case> cases;  // by id
};

const Summary& SummaryOf(const std::string& recipe) {
  static std::map<std::string, Summary> known;
  if (const auto found = known.find(recipe); found != known.end()) return found->second;
  Summary& summary = known[recipe];
  std::mutex mutex;
  const Status status = ForEachCase(Options(recipe), [&](size_t, const Case& c) {
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_TRUE(summary.cases.emplace(c.id, c).second) << c.id << " occurs twice";
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return summary;
}

class EveryRecipe : public testing::TestWithParam<std::string> {
 protected:
  const std::map<std::string, Case>& cases() { return SummaryOf(GetParam()).cases; }
  const Edition& edition() { return **FindEdition(FindRecipe(GetParam())->edition); }
};

class RecipeOfTheDraft : public EveryRecipe {};

TEST_P(EveryRecipe, HasACaseForEveryTypeRow) {
  std::set<std::pair<std::string, std::string>> rows;
  for (const auto& [id, c] : cases()) {
    if (c.outcome == Outcome::kValid) rows.insert({c.op, c.mode});
  }
  for (const Operator& op : Operators()) {
    const OperatorSpec* spec = edition().FindOperator(op.name);
    if (spec == nullptr) continue;  // another edition's
    if (op.name == "CUSTOM") {
      // By the specification it is not tested: only an implementation knows the answer.
      EXPECT_FALSE(rows.contains({"CUSTOM", "All"}));
      continue;
    }
    for (const TypeRow& row : spec->type_rows) {
      EXPECT_TRUE(rows.contains({std::string(op.name), row.mode})) << op.name << ", " << row.mode;
    }
  }
}

// Operators that mean something within a graph only.
bool NeedsItsGraph(const Edition& edition, std::string_view op) {
  const std::string& group = edition.FindOperator(op)->group;
  return group == "control-flow" || group == "variable" || group == "custom";
}

TEST_P(EveryRecipe, HasOutputsOfTheShapesThatFollowFromTheInputs) {
  std::set<std::string> seen;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid) continue;
    std::map<std::string, std::shared_ptr<const Tensor>> values;
    for (const auto& [name, value] : c.inputs) values[name] = std::make_shared<Tensor>(value);
    const Block& block = c.graph.main();
    for (const GraphTensor& tensor : block.tensors) {
      if (tensor.values != nullptr) values[tensor.name] = tensor.values;
    }
    for (const GraphOperator& op : block.operators) {
      if (NeedsItsGraph(edition(), op.op)) continue;
      // The values of a shape operand that another operator computes are not known here.
      if (std::any_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& name) {
            return block.Find(name)->dtype == DType::kShape && !values.contains(name);
          })) {
        continue;
      }
      // The graph's statements about the outputs must not help.
      Block known = block;
      if (!op.inputs.empty()) {
        std::erase_if(known.tensors, [&](const GraphTensor& tensor) {
          return std::find(op.outputs.begin(), op.outputs.end(), tensor.name) != op.outputs.end();
        });
      }
      const auto shapes = InferShapes(op, known, values, edition(), *edition().FindLevel(c.level));
      ASSERT_TRUE(shapes.ok()) << id << ": " << shapes.status();
      for (const std::string& output : op.outputs) {
        EXPECT_EQ(shapes->at(output), block.Find(output)->shape) << id;
      }
      seen.insert(op.op);
    }
  }
  for (const Operator& op : Operators()) {
    if (edition().FindOperator(op.name) == nullptr) continue;  // another edition's
    if (NeedsItsGraph(edition(), op.name)) continue;
    EXPECT_TRUE(seen.contains(std::string(op.name))) << op.name;
  }
}

// The operator under test as `eval --calls` reads it, shapes of the outputs left out.
Json CallOf(const Case& c, const OperatorSpec& spec) {
  const Block& block = c.graph.main();
  const GraphOperator& op = *std::find_if(block.operators.begin(), block.operators.end(),
                                          [&](const GraphOperator& o) { return o.op == c.op; });
  const auto tensor_of = [&](const std::string& name) -> Json {
    const GraphTensor& tensor = *block.Find(name);
    if (tensor.values != nullptr) return TensorToJson(*tensor.values, tensor.dtype);
    if (const auto given = c.inputs.find(name); given != c.inputs.end()) {
      return TensorToJson(given->second, tensor.dtype);
    }
    return {{"dtype", Name(tensor.dtype)}, {"shape", tensor.shape}, {"data", nullptr}};
  };
  Json call = {{"id", c.id},       {"edition", c.edition},        {"level", c.level},
               {"operator", c.op}, {"arguments", Json::object()}, {"output_types", Json::object()}};
  if (c.data_set.size() == 2) call["data_set"] = c.data_set[1] - '0';
  size_t input = 0, output = 0;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kOutput) {
      const GraphTensor& tensor = *block.Find(op.outputs[output++]);
      call["output_types"][argument.name]["dtype"] = Name(tensor.dtype);
      if (c.outcome == Outcome::kError) call["output_types"][argument.name]["shape"] = tensor.shape;
      if (tensor.values != nullptr) call["arguments"]["values"] = tensor_of(tensor.name);
    } else if (argument.category == ArgumentCategory::kAttribute) {
      const auto found = op.attributes.find(argument.name);
      if (found == op.attributes.end()) continue;
      const auto* number = std::get_if<double>(&found->second);
      call["arguments"][argument.name] =
          number ? Json(FormatHex(*number))
                 : std::visit([](const auto& value) { return Json(value); }, found->second);
    } else if (argument.type.ends_with("list_t")) {
      Json list = Json::array();
      while (input < op.inputs.size()) list.push_back(tensor_of(op.inputs[input++]));
      call["arguments"][argument.name] = list;
    } else if (input < op.inputs.size()) {
      call["arguments"][argument.name] = tensor_of(op.inputs[input++]);
    }
  }
  return call;
}

// The graphs of relations hold an operator several times.
bool HoldsSeveral(const Case& c) {
  int count = 0;
  for (const GraphOperator& op : c.graph.main().operators) count += op.op == c.op;
  return count > 1 && c.id.find("/relation-") != c.id.npos;
}

TEST_P(EveryRecipe, IsAnsweredAlikeAsOperatorCalls) {
  size_t answered = 0, no_calls = 0;
  for (const auto& [id, c] : cases()) {
    if (NeedsItsGraph(edition(), c.op)) continue;
    if (c.condition == "graph.operand_count") continue;  // a call has its arguments by name
    if (c.executions() > 1) continue;                    // a call is one execution
    if (HoldsSeveral(c)) continue;
    const CallAnswer answer = AnswerCall(CallOf(c, *edition().FindOperator(c.op)).dump());
    const Json json = *ParseJson(answer.line, "answer");
    // A graph may lack an attribute or have one of another type; a call may not.
    if (c.condition == "graph.attribute") {
      no_calls += answer.malformed;
      continue;
    }
    ASSERT_FALSE(answer.malformed) << answer.line;
    ++answered;
    // An operator that yields a shape stands in a graph whose output is another operator's.
    if (json["outputs"].contains("output") && json["outputs"]["output"]["dtype"] == "shape") {
      continue;
    }
    EXPECT_EQ(json["outcome"], Name(c.outcome)) << answer.line;
    if (c.outcome == Outcome::kError) {
      EXPECT_EQ(json["conditions"], Json({c.condition})) << answer.line;
      continue;
    }
    ASSERT_EQ(json["outputs"].size(), c.outputs.size()) << answer.line;
    size_t next = 0;
    for (const ArgumentSpec& argument : edition().FindOperator(c.op)->arguments) {
      if (argument.category != ArgumentCategory::kOutput) continue;
      const ExpectedOutput& output = c.outputs[next++];
      const std::string& name = argument.name;
      EXPECT_EQ(json["outputs"][name], TensorToJson(output.answers[0].expected, output.dtype))
          << id;
      EXPECT_EQ(json["flushed"].contains(name), output.answers.size() == 2) << id;
      if (output.answers.size() == 2) {
        EXPECT_EQ(json["flushed"][name], TensorToJson(output.answers[1].expected, output.dtype));
      }
      Json rule = json["rules"][name];
      for (const char* bound : {"bound", "upper", "flushed_bound", "flushed_upper"}) {
        rule.erase(bound);
      }
      EXPECT_EQ(rule, RuleToJson(output.rule)) << id;
    }
  }
  EXPECT_GT(answered, (edition().id == "rvtensor" ? 5 : 10) * no_calls);
}

// Evaluate decided: exactly this condition is broken, no other (Generate refuses anything else).
TEST_P(EveryRecipe, BreaksEveryErrorConditionAlone) {
  std::set<std::string> broken;
  for (const auto& [id, c] : cases()) {
    if (c.outcome == Outcome::kError) broken.insert(c.condition);
  }
  for (const Operator& op : Operators()) {
    if (edition().FindOperator(op.name) == nullptr) continue;
    for (const Condition& condition : ConditionsOf(op, edition())) {
      if (condition.kind != ConditionKind::kErrorIf) continue;
      EXPECT_NE(broken.contains(std::string(condition.id)),
                ConditionsNotBrokenAlone().contains(std::string(condition.id)))
          << condition.id;
    }
  }
  EXPECT_THAT(broken,
              AllOf(Contains("graph.type_row"), Contains("graph.shape"), Contains("graph.rank")));
}

// Every element of a tensor replaced by the number of its type that is nearest to `value`.
Tensor Filled(const Tensor& tensor, double value) {
  Tensor filled = tensor;
  const DType dtype = tensor.dtype();
  for (int64_t i = 0; i < filled.size(); ++i) {
    if (IsFloat(dtype)) {
      filled.SetValue(i, value);
    } else if (value <= static_cast<double>(IntegerMin(dtype))) {
      filled.SetInteger(i, IntegerMin(dtype));
    } else if (value >= static_cast<double>(IntegerMax(dtype))) {
      filled.SetInteger(i, IntegerMax(dtype));
    } else {
      filled.SetInteger(i, static_cast<int64_t>(value));
    }
  }
  return filled;
}

// Error cases reach every ERROR_IF. Valid cases reach every level condition at a level that allows
// less, and the REQUIREs with extreme numbers in one operand or in all.
TEST_P(EveryRecipe, ReachesEveryCondition) {
  std::set<std::string> reached;
  const auto evaluate = [&](const Graph& graph, const std::map<std::string, Tensor>& inputs,
                            const Level& level) {
    const StatusOr<Evaluation> evaluation = Evaluate(graph, inputs, edition(), level);
    if (!evaluation.ok()) return false;
    for (const Violation& violation : evaluation->violations) reached.insert(violation.condition);
    return evaluation->outcome == Outcome::kValid;
  };
  std::map<std::string, int> seen;  // of a type row
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid) {
      reached.insert(c.condition);
      continue;
    }
    const Level& level = *edition().FindLevel(c.level);
    const int nth = ++seen[c.op + c.mode];
    for (const auto& [name, maximum] : level.maxima) {
      if (nth > 10) break;
      for (const int64_t least : {-100, 0, 1}) {
        Level less = level;
        less.maxima[name] = least;
        if (evaluate(c.graph, c.inputs, less)) break;  // so would a greater maximum be
      }
    }
    if (nth > (c.op == "INTDIV" ? 10 : 2)) continue;
    for (const double value : {-HUGE_VAL, -1.0, 0.0, 1.0, HUGE_VAL}) {
      std::map<std::string, Tensor> all = c.inputs;
      for (auto& [name, input] : all) {
        input = Filled(input, value);
        std::map<std::string, Tensor> one = c.inputs;
        one.at(name) = input;
        evaluate(c.graph, one, level);
      }
      evaluate(c.graph, all, level);
      Graph graph = c.graph;
      for (GraphTensor& tensor : graph.main().tensors) {
        if (tensor.values == nullptr) continue;
        const auto before = tensor.values;
        tensor.values = std::make_shared<Tensor>(Filled(*before, value));
        evaluate(graph, c.inputs, level);
        evaluate(graph, all, level);
        tensor.values = before;
      }
    }
  }
  // Conditions that cannot be reached so, and why.
  const std::set<std::string> elsewhere = {
      "argmax.index_range",  // takes an axis of 2^31 elements
      "pow.nan",             // no NaN is finite, which is another condition
      // A declaration of that rank breaks its own condition before. Variables.* in graph_test.
      "variable_read.level_rank", "variable_write.level_rank",
      "table.size",         // the argument table refuses it first
      "slice.list_length",  // likewise
      // No case has a CUSTOM.
      "custom.level_input_list", "custom.level_output_list",
      // Graphs with several operators on one variable: Variables.* in graph_test.
      "variable.declared_twice", "variable.initial_shape", "variable.initial_type",
      "variable_read.shape", "variable_read.type", "variable_read.undeclared",
      "variable_read.unwritten", "variable_write.shape", "variable_write.type",
      "variable_write.undeclared", "variable_write.unseen"};
  for (const Operator& op : Operators()) {
    if (edition().FindOperator(op.name) == nullptr) continue;
    for (const Condition& condition : ConditionsOf(op, edition())) {
      const std::string name(condition.id);
      EXPECT_NE(reached.contains(name), elsewhere.contains(name)) << name;
    }
  }
}

TEST_P(EveryRecipe, HasIdsAsTheSchemaWantsThem) {
  const std::regex pattern("[a-z0-9_]+/[a-z0-9][a-z0-9._+-]*");  // schemas/case.schema.json
  EXPECT_GE(cases().size(), 400u);
  for (const auto& [id, c] : cases()) {
    EXPECT_TRUE(std::regex_match(id, pattern)) << id;
    EXPECT_LE(id.size(), 240u) << id;
  }
}

// Appendix A: at least MIN_DOT_PRODUCTS (1000) results, and no other data for floating point, but
// for what a NaN becomes.
TEST_P(EveryRecipe, TestsFloatingPointDotProductsWithTheNormativeSetsOnly) {
  std::map<std::string, std::set<std::string>> sets;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid || c.outputs[0].rule.kind != RuleKind::kDotProduct) continue;
    if (c.data_set == "non-finite") {
      EXPECT_EQ(c.outputs[0].rule.data_set, -1) << id;
      EXPECT_FALSE(c.outputs[0].rule.variance_limit || c.outputs[0].rule.bias_limit) << id;
      EXPECT_FALSE(c.op.ends_with("FFT2D")) << id;
      // No bound of a whole input leaves all results free.
      const std::vector<double> bounds = c.outputs[0].answers[0].bound->Elements();
      EXPECT_TRUE(std::any_of(bounds.begin(), bounds.end(), [](double bound) {
        return std::isfinite(bound);
      })) << id;
      continue;
    }
    if (c.executions() > 1) {  // two sets
      EXPECT_EQ(c.outputs[0].rule.data_set, -1) << id;
      continue;
    }
    // The statistics of fewer results mean nothing; the limit of each element is left.
    const std::string name = id.substr(id.find('/') + 1);
    const bool is_beside = name.starts_with("relation-") || name.starts_with("size-");
    if (is_beside && ElementCount(c.outputs[0].shape) < 1000) {
      EXPECT_FALSE(c.outputs[0].rule.variance_limit || c.outputs[0].rule.bias_limit) << id;
      continue;
    }
    EXPECT_GE(ElementCount(c.outputs[0].shape), 1000) << id;
    // By 0.100 any data with 1000 results are normative, as S = -1.
    const int set = c.data_set == "bias" ? -1 : c.data_set[1] - '0';
    EXPECT_EQ(c.outputs[0].rule.data_set, set) << id;
    sets[c.op + c.mode].insert(c.data_set);
  }
  // The float rows of AVG_POOL2D, four convolutions and MATMUL; of REDUCE_SUM; of FFT2D and RFFT2D;
  // of FULLY_CONNECTED. RVTensor has four convolutions, FULLY_CONNECTED and MATMUL.
  EXPECT_EQ(sets.size(), edition().id == "rvtensor"
                             ? 4u * 5u + 4u + 6u
                             : 6u * 6u + 3u + 2u + (edition().id == "tosa-0.100" ? 4u : 0u));
  for (const auto& [row, names] : sets) {
    // 0.100 takes the bound B from the accumulator, so that every fp16 result may overflow.
    if (edition().id == "tosa-0.100" && row.find("CONV") != row.npos &&
        row.ends_with("fp16 with fp32 accumulate")) {
      EXPECT_THAT(names, testing::ElementsAre("S0", "S2", "S3", "bias")) << row;
      continue;
    }
    EXPECT_THAT(names, testing::ElementsAre("S0", "S1", "S2", "S3", "S4", "S5")) << row;
  }
}

// Where NaN is ignored, data hold quiet NaNs alone, but for cases that say that they decide
// nothing.
TEST_P(EveryRecipe, DisputesSignallingNansThatAreIgnoredAndHasThemNowhereElse) {
  std::set<std::string> disputed;
  bool ignores = false;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid || !IgnoresNan(c.graph)) {
      EXPECT_EQ(c.disputed, "") << id;
      continue;
    }
    ignores = true;
    EXPECT_EQ(!DisputeOf(c.graph, c.InputsOfExecutions()).empty(), c.data_set == kSignalling) << id;
    EXPECT_EQ(!c.disputed.empty(), c.data_set == kSignalling) << id;
    if (c.data_set != kSignalling) continue;
    EXPECT_THAT(id, HasSubstr("/data-signalling-"));
    disputed.insert(c.op);
  }
  if (!ignores) return;  // 0.100 has no nan_mode
  EXPECT_THAT(disputed, testing::ElementsAre("ARGMAX", "CLAMP", "MAXIMUM", "MAX_POOL2D", "MINIMUM",
                                             "REDUCE_MAX", "REDUCE_MIN"));
}

// In 0.100 all sums of S3 lie beside 256, and correctly rounded results of few products are biased.
TEST_P(RecipeOfTheDraft, LeavesS3ToManyProducts) {
  int asked = 0;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid || c.op.find("CONV") == c.op.npos) continue;
    // Nor one bias for all where it is added in a narrower type than the accumulator's.
    if (c.data_set == "S1" || c.data_set == "bias") {
      const bool rounds_twice = c.mode.ends_with("16 with fp32 accumulate");
      const auto bias = c.parameters.find("bias");
      const bool is_one = bias != c.parameters.end() && bias->second == "1";
      EXPECT_FALSE(rounds_twice && is_one) << id;
    }
    if (c.data_set != "S3") continue;
    const int64_t products = c.outputs[0].rule.kernel_size;
    const bool narrow = Info(c.outputs[0].dtype).bits < 32;
    EXPECT_GE(products, narrow ? 8 : 2) << id;
    asked += narrow;
  }
  EXPECT_GT(asked, 10);
}

// A case whose elements all have one value would pass an implementation that computes only one.
TEST_P(EveryRecipe, HasOutputsThatDiffer) {
  int uniform = 0, large = 0;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid) continue;
    const Tensor& expected = c.outputs[0].answers[0].expected;
    if (expected.size() < 16) continue;
    // S0 is zero by design, bounds that are equal leave one value, and no product of two i32,
    // halved 63 times, rounds to anything but 0.
    const auto is = [&parameters = c.parameters](const char* parameter, std::string_view value) {
      const auto found = parameters.find(parameter);
      return found != parameters.end() && found->second == value;
    };
    if (c.data_set == "S0" && c.op != "REDUCE_SUM") continue;
    // 0.100 takes the bound B from the accumulator: fp16 results summed in fp32 overflow all.
    if (edition().id == "tosa-0.100" && c.data_set == "S1" &&
        c.mode == "fp16 with fp32 accumulate") {
      continue;
    }
    if (is("bounds", "equal") || (c.op == "MUL" && is("shift", "63"))) continue;
    ++large;
    std::set<uint64_t> values;
    for (int64_t i = 0; i < expected.size(); ++i) values.insert(expected.Bits(i));
    if (values.size() > 1) continue;
    ++uniform;
    // To boolean everything but zero is true.
    EXPECT_EQ(c.op, "CAST") << id;
  }
  EXPECT_GT(large, 300);
  EXPECT_LE(uniform, 4);
}

// REDUCE_PRODUCT: an implementation that accumulates in the type, in any order, must not leave the
// type's range on the way to a product within it.
TEST_P(EveryRecipe, KeepsPartialProductsWithinTheRange) {
  int lines = 0;
  for (const auto& [id, c] : cases()) {
    if (c.op != "REDUCE_PRODUCT" || c.outcome != Outcome::kValid || c.data_set == "special")
      continue;
    const Tensor& input = c.inputs.begin()->second;
    const FloatFormat& format = Format(input.dtype());
    std::map<Shape, std::pair<double, double>> exponents;  // of all factors above 1, and below
    for (int64_t i = 0; i < input.size(); ++i) {
      Shape line = Index(input.shape(), i);
      for (size_t axis = 0; axis < line.size(); ++axis) {
        if (c.outputs[0].shape[axis] == 1) line[axis] = 0;
      }
      const double exponent = std::log2(std::fabs(input.Value(i)));
      (exponent > 0 ? exponents[line].first : exponents[line].second) += exponent;
    }
    for (const auto& [line, sums] : exponents) {
      const auto [up, down] = sums;
      EXPECT_TRUE(up == 0 || down == 0 ||
                  (up < std::log2(format.max) && down > format.min_exponent))
          << id << ": up by " << up << ", down by " << down;
      ++lines;
    }
  }
  EXPECT_EQ(lines > 200, edition().FindOperator("REDUCE_PRODUCT") != nullptr);
}

// An infinity meets coefficients that are zero in the reals and 6e-17 in fp64.
TEST_P(EveryRecipe, GivesTransformsFiniteNumbersOnly) {
  int64_t elements = 0;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid || (c.op != "FFT2D" && c.op != "RFFT2D")) continue;
    for (const auto& [name, input] : c.inputs) {
      for (const double value : input.Elements()) ASSERT_TRUE(std::isfinite(value)) << id;
      elements += input.size();
    }
  }
  EXPECT_EQ(elements > 0, edition().FindOperator("FFT2D") != nullptr);
}

// 0.100 leaves two cases open (schemas/editions/notes.md): SELECT where the value that it does not
// take is a NaN, and LOGICAL_LEFT_SHIFT by the width or more.
TEST_P(RecipeOfTheDraft, AsksNothingThatIsLeftOpen) {
  int selected = 0, shifted = 0;
  for (const auto& [id, c] : cases()) {
    if (c.outcome != Outcome::kValid) continue;
    if (c.op == "SELECT" && c.data_set == "special") {
      const Tensor &a = c.inputs.at("input2"), &b = c.inputs.at("input3");
      if (!IsFloat(a.dtype())) continue;
      for (int64_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(std::isnan(a.Value(i)), std::isnan(b.Value(i))) << id;
        selected += std::isnan(a.Value(i));
      }
    } else if (c.op == "LOGICAL_LEFT_SHIFT") {
      for (const auto& [name, input] : c.inputs) {
        if (!name.ends_with("input2")) continue;
        for (const int64_t shift : input.Integers()) {
          EXPECT_LT(shift, Info(input.dtype()).bits) << id;
          ++shifted;
        }
      }
    }
  }
  EXPECT_GT(selected, 0);
  EXPECT_GT(shifted, 0);
}

TEST_P(EveryRecipe, AddsTheExtensionsThatValuesNeed) {
  size_t found = 0;
  for (const auto& [id, c] : cases()) {
    if (edition().id != "tosa-1.0" || c.op != "RESCALE" || c.outcome != Outcome::kValid) continue;
    for (const GraphOperator& op : c.graph.main().operators) {
      const auto rounding = op.attributes.find("rounding_mode");
      if (rounding == op.attributes.end()) continue;
      if (rounding->second != AttributeValue(std::string("DOUBLE_ROUND"))) continue;
      ++found;
      for (const auto& alternative : c.profiles) {
        EXPECT_THAT(alternative, Contains("EXT-DOUBLEROUND")) << id;
      }
    }
  }
  EXPECT_EQ(found > 0, edition().id == "tosa-1.0");
}

std::string TestName(const testing::TestParamInfo<std::string>& recipe) {
  std::string name = recipe.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

// The recipes with complete coverage; "random" is not held to any coverage.
INSTANTIATE_TEST_SUITE_P(Smoke, EveryRecipe,
                         testing::Values("smoke", "smoke-0.100", "smoke-rvtensor"), TestName);
INSTANTIATE_TEST_SUITE_P(Smoke, RecipeOfTheDraft, testing::Values("smoke-0.100"), TestName);

TEST(Samples, AreFurtherCasesOfEveryTypeRow) {
  GenerateOptions options = Options("smoke", {"SLICE", "MATMUL"});
  options.recipe.error_cases = false;
  const size_t without = PlanCases(options.recipe)->size();
  const Edition& edition = **FindEdition("tosa-1.0");
  const size_t rows = edition.FindOperator("SLICE")->type_rows.size() +
                      edition.FindOperator("MATMUL")->type_rows.size();
  options.recipe.samples = 7;
  EXPECT_EQ(PlanCases(options.recipe)->size(), without + 7 * rows);
  size_t done = 0;
  std::mutex mutex;
  EXPECT_TRUE(ForEachCase(options, [&](size_t, const Case& c) {
                EXPECT_EQ(c.outcome, Outcome::kValid) << c.id;
                const std::lock_guard<std::mutex> lock(mutex);
                ++done;
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(done, without + 7 * rows);
}

TEST(Mutants, AreErrorsOfManyKinds) {
  GenerateOptions options = Options("random", {"CONV2D", "SLICE", "RESCALE", "CLAMP"});
  options.recipe.samples = 0;
  options.recipe.mutants = 30;
  std::set<std::string> conditions;
  std::mutex mutex;
  EXPECT_TRUE(ForEachCase(options, [&](size_t, const Case& c) {
                if (c.id.find("error-mutant") == c.id.npos) return absl::OkStatus();
                const auto evaluation = Evaluate(c.graph, c.inputs, **FindEdition(c.edition),
                                                 *(*FindEdition(c.edition))->FindLevel(c.level));
                EXPECT_EQ(evaluation->outcome, Outcome::kError) << c.id;
                EXPECT_EQ(evaluation->violations.front().condition, c.condition) << c.id;
                const std::lock_guard<std::mutex> lock(mutex);
                conditions.insert(c.condition);
                return absl::OkStatus();
              }).ok());
  EXPECT_THAT(conditions, testing::IsSupersetOf({"graph.type_row", "graph.shape", "graph.rank",
                                                 "conv2d.output_width", "slice.output_dimension",
                                                 "rescale.input_zp"}));
}

// One number may well have an exponential of which anything is accepted.
TEST(ForEachCase, DrawsAgainWhatBindsNothing) {
  GenerateOptions options = Options("random", {"EXP"});
  options.recipe.samples = 200;
  options.recipe.mutants = 0;
  int scalars = 0;
  std::mutex mutex;
  EXPECT_TRUE(ForEachCase(options, [&](size_t, const Case& c) {
                const std::vector<double> bounds = c.outputs[0].answers[0].bound->Elements();
                EXPECT_FALSE(std::all_of(bounds.begin(), bounds.end(), [](double bound) {
                  return std::isinf(bound);
                })) << c.id;
                const std::lock_guard<std::mutex> lock(mutex);
                scalars += bounds.size() == 1;
                return absl::OkStatus();
              }).ok());
  EXPECT_GT(scalars, 20);
}

TEST(Generate, WritesTheSameBytesForAnyNumberOfThreads) {
  const Directory directory;
  std::set<std::string> digests;
  for (int jobs : {1, 2, 8}) {
    GenerateOptions options = Options("smoke", {"CONV2D", "RESCALE", "EXP", "TABLE", "CLAMP"});
    options.jobs = jobs;
    options.out = directory.path() / std::to_string(jobs);
    const auto suite = Generate(options);
    ASSERT_TRUE(suite.ok()) << suite.status();
    digests.insert(suite->digest);
    digests.insert(ReadSuite(options.out)->digest);
  }
  EXPECT_EQ(digests.size(), 1u);
}

TEST(Generate, PacksTheSameCasesIntoTheSameBytesForAnyNumberOfThreads) {
  const Directory directory;
  GenerateOptions options = Options("smoke", {"ABS", "ARGMAX"});
  options.out = directory.path() / "folders";
  const auto folders = Generate(options);
  ASSERT_TRUE(folders.ok()) << folders.status();
  options.pack = true;
  std::set<std::string> bytes;
  for (int jobs : {1, 3}) {
    options.jobs = jobs;
    options.out = directory.path() / std::to_string(jobs);
    const auto packed = Generate(options);
    ASSERT_TRUE(packed.ok()) << packed.status();
    EXPECT_EQ(packed->digest, folders->digest);
    EXPECT_EQ(*ReadFile(options.out / "suite.json"),
              *ReadFile(directory.path() / "folders/suite.json"));
    bytes.insert(*ReadFile(options.out / "abs.tar") + *ReadFile(options.out / "argmax.tar"));
    EXPECT_EQ(std::distance(fs::directory_iterator(options.out), fs::directory_iterator()), 3);
    const Folder suite = *Folder::Open(options.out);
    for (const SuiteEntry& entry : packed->cases) {
      const auto c = ReadVerifiedCase(suite, entry, packed->edition);
      ASSERT_TRUE(c.ok()) << c.status();
      EXPECT_EQ(*BundleDigestOnDisk(options.out / entry.id), entry.digest);
      EXPECT_TRUE(ReadCaseHeader(options.out / entry.id).ok());
    }
  }
  EXPECT_EQ(bytes.size(), 1);
}

TEST(Generate, WritesBundlesThatReadBackAsTheyWere) {
  const Directory directory;
  GenerateOptions options = Options("smoke", {"MATMUL", "RESIZE", "CONCAT", "CONST_SHAPE"});
  options.out = directory.path() / "suite/";
  const auto suite = Generate(options);
  ASSERT_TRUE(suite.ok()) << suite.status();
  const auto read = ReadSuite(directory.path() / "suite");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(std::is_sorted(read->cases.begin(), read->cases.end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; }));
  for (const SuiteEntry& entry : read->cases) {
    const auto c = ReadCase(directory.path() / "suite" / entry.id);
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_EQ(BundleDigest(EncodeCase(*c)), entry.digest) << entry.id;
  }
}

TEST(Generate, ChangesDataWithTheSeedAndNothingElse) {
  const Directory directory;
  GenerateOptions options = Options("smoke", {"IDENTITY"});
  options.recipe.strength = 3;  // every combination, so that the ids are the same
  options.out = directory.path() / "1";
  const auto one = Generate(options);
  options.recipe.seed = 99;
  options.out = directory.path() / "2";
  const auto two = Generate(options);
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_EQ(one->cases.size(), two->cases.size());
  EXPECT_EQ(two->seed, 99u);
  int differing = 0;
  for (size_t i = 0; i < one->cases.size(); ++i) {
    EXPECT_EQ(one->cases[i].id, two->cases[i].id);
    if (one->cases[i].outcome == "error") continue;  // has data of some kind
    const bool random = one->cases[i].id.find("full-range") != std::string::npos ||
                        one->cases[i].id.starts_with("identity/size-");
    const bool differs = one->cases[i].digest != two->cases[i].digest;
    EXPECT_LE(differs, random) << one->cases[i].id;
    differing += differs;
  }
  EXPECT_GT(differing, 10);
}

TEST(Generate, RefusesADirectoryThatIsNotEmpty) {
  const Directory directory;
  ASSERT_TRUE(WriteFile(directory.path() / "suite" / "note.txt", "mine").ok());
  GenerateOptions options = Options("smoke", {"TABLE"});
  options.out = directory.path() / "suite";
  const auto suite = Generate(options);
  ASSERT_FALSE(suite.ok());
  EXPECT_THAT(Message(suite.status()),
              AllOf(HasSubstr("suite: exists already"), HasSubstr("Remove it or choose another")));
  EXPECT_EQ(*ReadFile(directory.path() / "suite" / "note.txt"), "mine");
}

TEST(Generate, AcceptsAnEmptyDirectory) {
  const Directory directory;
  GenerateOptions options = Options("smoke", {"CONST_SHAPE"});
  options.out = directory.path();
  ASSERT_TRUE(Generate(options).ok());
  EXPECT_TRUE(fs::exists(directory.path() / "suite.json"));
}

TEST(Generate, SaysWhereItCannotWrite) {
  const Directory directory;
  ASSERT_TRUE(WriteFile(directory.path() / "file", "").ok());
  GenerateOptions options = Options("smoke", {"TABLE"});
  options.out = directory.path() / "file" / "suite";
  const auto suite = Generate(options);
  ASSERT_FALSE(suite.ok());
  EXPECT_THAT(Message(suite.status()),
              AllOf(HasSubstr("file/suite"), HasSubstr("Not a directory")));
}

// No file may exceed 12 KiB, as on a disk that fills up. That is enough for each case.json.
TEST(Generate, LeavesNothingBehindWhenADiskIsFull) {
  const Directory directory;
  GenerateOptions options = Options("smoke", {"REDUCE_SUM"});
  options.out = directory.path() / "suite";
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{12288, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto suite = Generate(options);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  ASSERT_FALSE(suite.ok());
  EXPECT_THAT(Message(suite.status()), AllOf(HasSubstr(".npy"), HasSubstr("File too large")));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(PlanCases, KeepsToTheProfilesChosen) {
  GenerateOptions options = Options("smoke");
  options.recipe.profiles = {"pro-int"};
  const auto cases = PlanCases(options.recipe);
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_GT(cases->size(), 100u);
  for (const PlannedCase& c : *cases) {
    EXPECT_THAT(
        c.id, Not(testing::AnyOf(HasSubstr("fp16"), HasSubstr("bf16"), HasSubstr("fp8"),
                                 HasSubstr("i48"), HasSubstr("-double-"), HasSubstr("-inexact-"))));
  }
}

TEST(PlanCases, ListsWhatIsKnownForUnknownNames) {
  GenerateOptions options = Options("smoke", {"CONV2"});
  EXPECT_THAT(Message(PlanCases(options.recipe).status()),
              AllOf(HasSubstr("no operator in tosa-1.0: CONV2;"), HasSubstr("CONV2D")));
  options = Options("smoke");
  options.recipe.profiles = {"PRO-INTEGER"};
  EXPECT_THAT(Message(PlanCases(options.recipe).status()),
              AllOf(HasSubstr("PRO-INTEGER"), HasSubstr("PRO-INT, PRO-FP")));
  options = Options("smoke");
  options.recipe.level = "9K";
  EXPECT_THAT(Message(PlanCases(options.recipe).status()),
              AllOf(HasSubstr("no level in tosa-1.0: 9K"), HasSubstr("8K")));
  options = Options("smoke");
  options.recipe.edition = "tosa-2.0";
  EXPECT_THAT(Message(PlanCases(options.recipe).status()), HasSubstr("tosa-1.0"));
  options.recipe.edition = "tosa-1.1-draft";
  EXPECT_THAT(Message(PlanCases(options.recipe).status()),
              HasSubstr("does not have its operators yet"));
}

TEST(PlanCases, CombinesMoreWithMoreStrength) {
  GenerateOptions options = Options("smoke", {"CLAMP"});
  const size_t one = PlanCases(options.recipe)->size();
  options.recipe.strength = 2;
  const size_t two = PlanCases(options.recipe)->size();
  EXPECT_GT(two, one);
  options.recipe.error_cases = false;
  EXPECT_LT(PlanCases(options.recipe)->size(), two);
}

TEST(ForEachCase, ReachesTheLevelWithoutLimitsToo) {
  GenerateOptions options = Options("smoke", {"ADD", "RESIZE", "CONCAT", "REDUCE_SUM"});
  options.recipe.level = "none";
  size_t count = 0, ranks32 = 0;
  std::mutex mutex;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++count;
    ranks32 += c.outcome == Outcome::kValid && c.outputs[0].shape.size() == 32;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(count, 100u);
  EXPECT_GT(ranks32, 4u);
}

TEST(ForEachWantedCase, HandsOverTheCasesThatBothQuestionsWant) {
  const GenerateOptions options = Options("smoke", {"TABLE"});
  const StatusOr<std::vector<PlannedCase>> planned = PlanCases(options.recipe);
  ASSERT_TRUE(planned.ok()) << planned.status();
  std::mutex mutex;
  std::map<size_t, Case> all, wanted;
  ASSERT_TRUE(ForEachCase(options, [&](size_t i, const Case& c) {
                const std::lock_guard<std::mutex> lock(mutex);
                all.emplace(i, c);
                return absl::OkStatus();
              }).ok());
  size_t begun = 0;
  const CaseFilter filter{.begins =
                              [&](size_t i, const PlannedCase& c) {
                                EXPECT_EQ(c.id, (*planned)[i].id);
                                EXPECT_EQ(c.mode, all.at(i).mode);
                                return c.condition.empty();
                              },
                          .goes_on = [&](size_t i, const Case& c) -> StatusOr<bool> {
                            const std::lock_guard<std::mutex> lock(mutex);
                            ++begun;
                            EXPECT_EQ(c.outcome, Outcome::kValid);
                            EXPECT_TRUE(c.outputs.empty());
                            EXPECT_EQ(c.id, all.at(i).id);
                            return i % 2 == 0;
                          }};
  ASSERT_TRUE(ForEachWantedCase(options, filter, [&](size_t i, const Case& c) {
                const std::lock_guard<std::mutex> lock(mutex);
                wanted.emplace(i, c);
                return absl::OkStatus();
              }).ok());
  EXPECT_GT(begun, wanted.size());
  size_t expected = 0;
  for (const auto& [i, c] : all) {
    // The filter is not asked about a repeated case.
    const bool repeated = c.id.find("/again-") != std::string::npos;
    const bool is_wanted = c.outcome == Outcome::kValid && (repeated || i % 2 == 0);
    expected += is_wanted ? 1 : 0;
    ASSERT_EQ(wanted.count(i), is_wanted ? 1u : 0u) << c.id;
    if (!is_wanted) continue;
    EXPECT_EQ(BundleDigest(EncodeCase(wanted.at(i))), BundleDigest(EncodeCase(c)));
  }
  EXPECT_GT(expected, 0u);
}

TEST(ForEachCase, ReportsWhatTheSinkRefuses) {
  const Status status = ForEachCase(Options("smoke", {"TABLE"}),
                                    [](size_t, const Case&) { return Unavailable("no room"); });
  EXPECT_EQ(Message(status), "no room");
}

}  // namespace
}  // namespace cts
