#include "generator/ops/elementwise.h"

#include <algorithm>
#include <map>
#include <span>

#include "generator/ops/limits.h"
#include "generator/ops/side_by_side.h"
#include "reference/base/float_format.h"
#include "reference/ops/relation.h"

namespace cts {
namespace {

// Shapes that only one data set uses, or only large input.
bool BeginWith(const std::vector<Shape>& shapes, int64_t size) {
  return shapes[0].size() > 1 && shapes[0][0] == size;
}
bool IsCrossed(const std::vector<Shape>& shapes) { return BeginWith(shapes, 61); }
bool IsEvery(const std::vector<Shape>& shapes) { return BeginWith(shapes, 256); }
bool IsLarge(const std::vector<Shape>& shapes) { return shapes[0] == Shape{1, 65539}; }

}  // namespace

std::vector<Shape> ParseShapes(std::string_view label) {
  std::vector<Shape> shapes;
  for (size_t plus; (plus = label.find('+')) != label.npos; label.remove_prefix(plus + 1)) {
    shapes.push_back(ParseShape(label.substr(0, plus)));
  }
  shapes.push_back(ParseShape(label));
  return shapes;
}

Shape Broadcast(const std::vector<Shape>& shapes) {
  Shape result = shapes.front();
  for (const Shape& shape : shapes) {
    for (size_t i = 0; i < shape.size(); ++i) result[i] = std::max(result[i], shape[i]);
  }
  return result;
}

Axis PairShapes(const Setting& setting, DType type, std::string_view pairs,
                std::string_view crossed) {
  const std::string full = WithMaxRank(setting, "2x1x3x1x4x2");
  const std::string part = WithMaxRank(setting, "1x3x3x1x1x2");
  Axis axis = kShapesAxis.With({"3x4x5+3x4x5", std::string(pairs), "scalar+scalar", "17+1",
                                "1x9+5x1", "2x1x3x4+1x5x3x1", full + "+" + part});
  // One element against several in every position, in each direction, alone and together.
  axis.more = {"1+17",
               "7x1+1x8",
               "1x1x1+3x4x5",
               "31x1x2+1x3x1",
               "2x3x4x5+1x1x1x1",
               "1x5x1x7+3x1x2x1",
               "2x1x2x1x2+1x3x1x3x1",
               part + "+" + full,
               std::string(crossed),
               "1x65539+1x1"};
  if (Info(type).bits == 8) {
    axis.more.push_back("256x256+256x256");
    axis.more.push_back("256x1+1x256");
  }
  return axis;
}

Axis PairOperands(bool with_same) {
  Axis axis = kOperandsAxis.All();
  axis.prefers_first = true;
  if (!with_same) axis.more.pop_back();
  return axis;
}

Axis PairData(DType type) {
  Axis axis = kDataAxis.With({"full-range", "special"}, {"crossed"});
  if (Info(type).bits == 8) axis.values.push_back("exhaustive8");
  return axis;
}

std::vector<Constraint> PairConstraints() {
  return {
      {{"data", "shapes"},
       "data set special has some 600 pairs of values",
       [](const Setting&, const Labels& labels) {
         return (labels[kDataAxis] != DataSet::kSpecial && labels[kDataAxis] != DataSet::kLimits) ||
                ElementCount(labels[kShapesAxis][0]) >= 625;
       }},
      {{"data", "shapes"},
       "data sets that hold every pair have shapes of their own",
       [](const Setting&, const Labels& labels) {
         return (labels[kDataAxis] == DataSet::kCrossed) == IsCrossed(labels[kShapesAxis]) &&
                (labels[kDataAxis] == DataSet::kExhaustive8) == IsEvery(labels[kShapesAxis]);
       }},
      {{"data", "shapes"},
       "large shapes carry full-range data only",
       [](const Setting&, const Labels& labels) {
         return !IsLarge(labels[kShapesAxis]) ||
                (labels[kDataAxis] != DataSet::kSpecial && labels[kDataAxis] != DataSet::kLimits);
       }},
      {{"operands", "shapes"},
       "large shapes occur once only",
       [](const Setting&, const Labels& labels) {
         return !IsLarge(labels[kShapesAxis]) || labels[kOperandsAxis] == PairOperand::kRun;
       }},
      {{"operands", "shapes"},
       "an operand used twice has one shape",
       [](const Setting&, const Labels& labels) {
         const std::vector<Shape> shapes = labels[kShapesAxis];
         return labels[kOperandsAxis] != PairOperand::kSame ||
                std::all_of(shapes.begin(), shapes.end(),
                            [&](const Shape& shape) { return shape == shapes[0]; });
       }},
      {{"data", "operands"},
       "an operand used twice has no pairs of values",
       [](const Setting&, const Labels& labels) {
         return labels[kOperandsAxis] != PairOperand::kSame ||
                (labels[kDataAxis] != DataSet::kExhaustive8 &&
                 labels[kDataAxis] != DataSet::kLimits);
       }}};
}

Pairs PairsOf(const std::vector<uint64_t>& firsts, const std::vector<uint64_t>& seconds) {
  Pairs pairs;
  pairs.reserve(firsts.size() * seconds.size());
  for (uint64_t second : seconds) {
    for (uint64_t first : firsts) pairs.emplace_back(first, second);
  }
  return pairs;
}

std::vector<uint64_t> BitsOf(DType type, const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  bits.reserve(values.size());
  for (double value : values) bits.push_back(EncodeFloat(type, value));
  return bits;
}

std::vector<uint64_t> BitsOf(const std::vector<int64_t>& values) {
  return {values.begin(), values.end()};
}

std::vector<uint64_t> PairValues(const Choice& choice, DType type) {
  if (choice.data_set() == DataSet::kCrossed) return SpecialBits(type);
  return IsFloat(type) ? BitsOf(type, SpecialFloats(type)) : BitsOf(SpecialIntegers(type));
}

void SetPairs(const Choice& choice, CaseDraft& draft, std::string_view name1,
              std::string_view name2, DType type, const Shape& shape, Pairs pairs) {
  if (choice[kOperandsAxis] == PairOperand::kSame) {
    std::erase_if(pairs, [](const auto& pair) { return pair.first != pair.second; });
  }
  Tensor input1(type, shape), input2(type, shape);
  for (int64_t i = 0; i < input1.size(); ++i) {
    const auto& [first, second] = pairs[static_cast<size_t>(i) % pairs.size()];
    input1.SetBits(i, first);
    input2.SetBits(i, second);
  }
  draft.Input(std::string(name1), std::move(input1));
  draft.Input(std::string(name2), std::move(input2));
}

void SetEveryPair(CaseDraft& draft, std::string_view name1, std::string_view name2, DType type,
                  const std::vector<Shape>& shapes) {
  const bool broadcast = shapes[0] != shapes[1];
  draft.Input(std::string(name1), Exhaustive(type, shapes[0], broadcast ? 1 : 256));
  draft.Input(std::string(name2), Exhaustive(type, shapes[1]));
}

void SetOperands(const Choice& choice, CaseDraft& draft, std::string_view name1,
                 std::string_view name2) {
  const PairOperand operands = choice[kOperandsAxis];
  const auto make_constant = [&](std::string_view name) {
    std::get<TensorArgument>(draft.arguments.find(name)->second).constant = true;
  };
  if (operands == PairOperand::kConst1 || operands == PairOperand::kConst) make_constant(name1);
  if (operands == PairOperand::kConst2 || operands == PairOperand::kConst) make_constant(name2);
  if (operands == PairOperand::kSame) draft.Same(std::string(name2), std::string(name1));
}

namespace {

bool TakesScalars(const Setting& setting) {
  const ArgumentSpec* const input1 = setting.Find("input1");
  return input1->min_rank && input1->min_rank->constant == 0;
}

}  // namespace

std::vector<Breaker> BroadcastBreakers(const std::string& condition, const Labels& labels) {
  return {{condition, labels, nullptr,
           [](const Setting&, CaseDraft& draft) { draft.output_shape.back() += 1; }},
          {condition, labels, nullptr,
           [](const Setting&, CaseDraft& draft) { draft.output_shape.front() = 1; }},
          {condition, labels, nullptr,
           [](const Setting&, CaseDraft& draft) {
             Reshape(draft.tensor("input1"), {2, 4, 5});  // neither 3 nor 1
           }},
          {condition, labels, nullptr,
           [](const Setting&, CaseDraft& draft) {
             Reshape(draft.tensor("input2"), {3, 4, 4});  // neither 5 nor 1
           }},
          {condition, labels, nullptr,
           [](const Setting&, CaseDraft& draft) {
             // A rank of its own: TOSA broadcasts no ranks.
             Reshape(draft.tensor("input1"), {4, 5});
           }},
          {condition, labels, nullptr,
           [](const Setting&, CaseDraft& draft) {
             Reshape(draft.tensor("input2"), {4, 5});
           }},
          // Each operand could be broadcast to the output, which is no operand's size.
          More({condition, labels, nullptr,
                [](const Setting& setting, CaseDraft& draft) {
                  for (const char* const name : {"input1", "input2", "input3"}) {
                    if (setting.Takes(name)) Reshape(draft.tensor(name), {1, 4, 5});
                  }
                }}),
          // No rank is broadcast, and a scalar has one as well.
          More({condition, labels, TakesScalars,
                [](const Setting&, CaseDraft& draft) { Reshape(draft.tensor("input1"), {}); }}),
          More({condition, labels, TakesScalars,
                [](const Setting&, CaseDraft& draft) { Reshape(draft.tensor("input2"), {}); }})};
}

namespace {

// Sizes that no pattern confuses, from the last dimension on.
std::string SizesWithOnes(std::string_view pattern, bool (*is_one)(char letter, int operand),
                          int operand) {
  constexpr int64_t kSizes[] = {5, 4, 3, 2};
  std::string sizes;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const int64_t size = is_one(pattern[i], operand) ? 1 : kSizes[pattern.size() - 1 - i];
    sizes += StrCat(i == 0 ? "" : "x", size);
  }
  return sizes;
}

// Shapes of layers, of full domains. No dimension is a multiple of the lanes of a vector.
struct ShapesOfLayer {
  const char* what;
  const char* shapes;
};
constexpr ShapesOfLayer kPairsOfLayers[] = {
    {"row", "2x3x5x19+1x1x1x19"},        // a bias for each channel
    {"row_first", "1x1x1x19+2x3x5x19"},  // and from the left
    {"row_rank2", "6x21+1x21"},
    {"row_rank2_first", "1x21+6x21"},
    {"column", "6x21+6x1"},
    {"column_first", "6x1+6x21"},
    {"rank6", "2x3x2x2x3x5+2x3x2x2x3x5"},
};
constexpr ShapesOfLayer kTriplesOfLayers[] = {
    {"row_condition", "2x1x5x19+2x3x5x19+2x3x5x19"},
    {"column_condition", "6x1+6x21+6x21"},
    {"row_true", "2x3x5x19+1x1x1x19+2x3x5x19"},
    {"row_false", "2x3x5x19+2x3x5x19+1x1x1x19"},
    {"column_true", "6x21+6x1+6x21"},
    {"column_false", "6x21+6x21+6x1"},
    {"rank6", "2x3x2x2x3x5+2x3x2x2x3x5+2x3x2x2x3x5"},
};

// A graph that runs twice, with other data.
RelationCase TwoRuns(AxesOf axes, BuildOf build, const std::string& shapes) {
  const auto change = [=](const Setting& setting, CaseDraft& draft) {
    constexpr int kOtherDraws = 1000;
    Choice other = *draft.built_from;
    other.attempt += kOtherDraws;
    CaseDraft second = draft;
    second.built_from = &other;
    const StatusOr<Assembly> assembly =
        AssembleGraph(setting, BuildAt(second, axes, build, {{"shapes", shapes}}));
    draft = BuildAt(draft, axes, build, {{"shapes", shapes}});
    draft.failure = assembly.status();
    if (!assembly.ok()) return;
    draft.change_graph = [inputs = assembly->inputs](const Setting&, Assembly& changed) {
      changed.later_inputs = {inputs};
    };
  };
  return {.what = "two_runs", .applies = nullptr, .change = change, .more = true};
}

// The patterns of the relations "broadcast_elr" of an operator, by a part of the name.
std::vector<RelationCase> RelationCasesOf(AxesOf axes, BuildOf build,
                                          const std::vector<Relation>& relations, int operands,
                                          bool (*is_one)(char letter, int operand),
                                          std::string (*group_of)(std::string_view pattern),
                                          void (*mend)(CaseDraft& draft) = nullptr) {
  std::vector<RelationCase> cases;
  std::map<std::string, std::vector<std::string>> groups;
  for (const Relation& relation : relations) {
    if (!relation.name.starts_with("broadcast_")) continue;
    const std::string pattern = relation.name.substr(relation.name.find('_') + 1);
    groups[group_of(pattern)].push_back(pattern);
  }
  for (const auto& group : groups) {
    const std::vector<std::string>& patterns = group.second;
    cases.push_back(
        {"broadcast_" + group.first, nullptr, [=](const Setting& setting, CaseDraft& draft) {
           std::vector<std::pair<std::string, CaseDraft>> drafts;
           for (const std::string& pattern : patterns) {
             std::string shapes;
             for (int k = 0; k < operands; ++k) {
               shapes += StrCat(k == 0 ? "" : "+", SizesWithOnes(pattern, is_one, k));
             }
             drafts.emplace_back("p" + pattern, BuildAt(draft, axes, build, {{"shapes", shapes}}));
             if (mend != nullptr) mend(drafts.back().second);
           }
           draft = SideBySide(setting, drafts);
         }});
  }
  // These cases are for an axis that has such operands.
  cases.push_back({.what = "same_operands",
                   .applies = nullptr,
                   .change = [](const Setting&, CaseDraft&) {},
                   .labels = {{"operands", "same"}}});
  const std::span<const ShapesOfLayer> layers =
      operands == 2 ? std::span<const ShapesOfLayer>(kPairsOfLayers) : kTriplesOfLayers;
  for (const auto& [what, shapes] : layers) {
    cases.push_back(RelationAt(what, axes, build, {{"shapes", shapes}}));
  }
  if (operands == 2) {  // the weights of a layer
    cases.push_back(RelationAt("row_constant", axes, build,
                               {{"shapes", "2x3x5x19+1x1x1x19"}, {"operands", "const2"}}));
  }
  // More results than a thread, or a block of them, takes.
  cases.push_back(TwoRuns(axes, build, operands == 2 ? "35x37+35x37" : "35x37+35x37+35x37"));
  return cases;
}

// One number in the type.
Tensor OneNumber(DType type, double value) {
  Tensor tensor(type, {1, 1});
  IsFloat(type) ? tensor.SetValue(0, value) : tensor.SetInteger(0, static_cast<int64_t>(value));
  return tensor;
}

}  // namespace

RelationCase UniformCase(AxesOf axes, BuildOf build, const Uniform& uniform) {
  const auto change = [=](const Setting& setting, CaseDraft& draft) {
    std::vector<std::pair<std::string, CaseDraft>> drafts;
    for (const std::string name : {"input2", "input1"}) {
      if (name == "input1" && !uniform.both_sides) break;
      // Compilers look for the constant, libraries for the single element.
      for (const bool constant : {true, false}) {
        Labels labels = uniform.labels;
        labels.Set("shapes", name == "input2" ? "9x21+1x1" : "1x1+9x21");
        CaseDraft one = BuildAt(draft, axes, build, labels);
        const std::string others = name == "input2" ? "input1" : "input2";
        const DType type = one.tensor(others).dtype();
        one.Input(others, uniform.others(*draft.built_from, type, {9, 21}, uniform.value));
        one.Input(name, OneNumber(type, uniform.value), constant);
        drafts.emplace_back((constant ? "constant_" : "run_") + name, std::move(one));
      }
    }
    draft = SideBySide(setting, drafts);
    draft.one_value = uniform.one_value;
  };
  return {.what = uniform.what,
          .applies = uniform.applies,
          .change = change,
          .data_set = [](const Setting&) -> std::string_view { return "special"; },
          .more = true};
}

Tensor SpecialAndRandom(const Choice& choice, DType type, const Shape& shape, double) {
  Tensor tensor = FullRange(choice.Stream("others"), type, shape);
  const std::vector<uint64_t> bits = SpecialBits(type);
  for (size_t i = 0; i < bits.size(); ++i) tensor.SetBits(static_cast<int64_t>(i), bits[i]);
  return tensor;
}

Tensor SpecialAndEqual(const Choice&, DType type, const Shape& shape, double value) {
  Tensor tensor = Special(type, shape);
  for (int64_t i = 2; i < tensor.size(); i += 3) {
    const double equal = i % 2 == 0 ? value : -value;  // which is -0 of 0
    IsFloat(type) ? tensor.SetValue(i, equal) : tensor.SetInteger(i, static_cast<int64_t>(value));
  }
  return tensor;
}

std::vector<RelationCase> BroadcastRelationCases(AxesOf axes, BuildOf build) {
  return RelationCasesOf(
      axes, build, RelationsOf("ADD"), 2,
      [](char letter, int operand) {
        return letter == 'b' || letter == (operand == 0 ? 'l' : 'r');
      },
      // By rank; of rank 4 by the first dimension.
      [](std::string_view pattern) {
        return pattern.size() < 4 ? StrCat("rank", pattern.size())
                                  : StrCat("rank4", pattern.substr(0, 1));
      });
}

std::vector<RelationCase> SelectRelationCases(AxesOf axes, BuildOf build) {
  return RelationCasesOf(
      axes, build, RelationsOf("SELECT"), 3,
      [](char digit, int operand) { return ((digit - '0') >> operand & 1) != 0; },
      [](std::string_view pattern) { return StrCat("rank", pattern.size()); },
      // Few elements show what is taken: a single condition takes the larger operand, several take
      // both, and several booleans are not all the same.
      [](CaseDraft& draft) {
        Tensor& condition = draft.tensor("input1");
        const bool first = draft.tensor("input2").size() >= draft.tensor("input3").size();
        if (condition.size() == 1) condition.SetInteger(0, first);
        for (const char* const name : {"input1", "input2", "input3"}) {
          Tensor& operand = draft.tensor(name);
          if (operand.dtype() != DType::kBool || operand.size() == 1) continue;
          operand.SetInteger(0, 1);
          operand.SetInteger(1, 0);
        }
      });
}

}  // namespace cts
