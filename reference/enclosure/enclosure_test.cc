#include "reference/enclosure/enclosure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>

#include "reference/enclosure/chains_testing.h"
#include "reference/enclosure/families_testing.h"
#include "reference/enclosure/random_chains_testing.h"

namespace cts {
namespace {

using testing::HasSubstr;
using namespace testing_chains;  // NOLINT(google-build-using-namespace): the words of chains

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

struct Tally {
  int64_t graphs = 0, enclosed = 0, unsupported = 0, other = 0, runs = 0, elements = 0;
  int64_t anything = 0;
  std::map<std::string, int64_t> why;
};

bool IsAnything(const Answer& answer, int64_t i) {
  return std::isinf(answer.expected.Element(i)) && std::isinf(answer.upper->Element(i));
}

// Runs compliant implementations of one random graph; returns what is refused.
std::string TryGraph(uint64_t seed, Tally* tally) {
  const testing_graph::Setting setting;
  Random random(seed);
  Chain chain(random);
  static constexpr DType kTypes[] = {DType::kFp32, DType::kFp32, DType::kFp16, DType::kBf16};
  const DType type = kTypes[random.Below(4)];
  const bool tiny = random.Chance(8);
  const double reach = tiny ? 4 * Format(type).normal_min() : random.Chance(6) ? 50 : 2;
  const auto side = static_cast<int64_t>(2 + random.Below(2));
  std::vector<std::string> pool;
  for (int k = 0; k < 2; ++k) pool.push_back(chain.Input(type, {1, side, side}, -reach, reach));
  if (random.Chance(5)) {
    Tensor& values = chain.inputs.at(pool[random.Below(2)]);
    values.SetElement(static_cast<int64_t>(random.Below(4)),
                      random.Chance(2) ? kEndless : -kEndless);
  }
  RandomOperators operators(chain, type, pool);
  const uint64_t steps = 2 + random.Below(6);
  for (uint64_t k = 0; k < steps; ++k) operators.Step();
  Block& block = chain.block();
  for (const GraphOperator& node : block.operators) {
    if (!IsConstant(node)) block.outputs.push_back(node.outputs[0]);
  }
  ++tally->graphs;
  const auto evaluation =
      Evaluate(chain.graph, chain.inputs, setting.edition, setting.level, -1, Chains::kEnclosed);
  if (!evaluation.ok()) return StrCat("seed ", seed, ": ", Message(evaluation.status()));
  if (evaluation->outcome == Outcome::kUnsupported) {
    ++tally->unsupported;
    ++tally->why[evaluation->message.substr(evaluation->message.rfind(';') + 1)];
    return "";
  }
  if (evaluation->outcome != Outcome::kValid) {
    ++tally->other;
    ++tally->why[evaluation->violations[0].condition + evaluation->violations[0].message];
    return "";
  }
  ++tally->enclosed;
  for (const ExpectedOutput& output : evaluation->outputs) {
    if (!output.rule.enclosure || !IsFloat(output.dtype)) continue;
    for (int64_t i = 0; i < output.answers[0].expected.size(); ++i) {
      ++tally->elements;
      tally->anything += IsAnything(output.answers[0], i);
    }
  }
  for (const Style style : kStyles) {
    const bool wider = random.Chance(2), flushes = random.Chance(3);
    Imitation imitation(setting.edition, setting.level, style, wider, flushes, random);
    if (!imitation.Run(chain)) continue;
    ++tally->runs;
    for (const ExpectedOutput& output : evaluation->outputs) {
      if (!output.rule.enclosure) continue;
      const std::string refused = Refused(output, imitation.held(output.name));
      if (!refused.empty()) {
        std::string ops;
        for (const GraphOperator& node : block.operators) {
          if (IsConstant(node)) continue;
          ops += StrCat(" ", node.outputs[0], "=", node.op, "(");
          for (const std::string& input : node.inputs) ops += StrCat(input, " ");
          ops += ")";
        }
        return StrCat("seed ", seed, ", style ", static_cast<int>(style), wider ? ", wider" : "",
                      flushes ? ", flushes: " : ": ", refused, ops);
      }
    }
  }
  return "";
}

TEST(Enclosure, NeverRefusesACompliantImplementation) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  const char* const count = std::getenv("TENSOR_CTS_CHAINS");
  const uint64_t graphs = count != nullptr ? std::strtoull(count, nullptr, 10)
                          : whole          ? 300000
                                           : 1500;
  Tally tally;
  int refused = 0;
  for (uint64_t seed = 0; seed < graphs && refused < 5; ++seed) {
    const std::string text = TryGraph(seed, &tally);
    if (text.empty()) continue;
    ++refused;
    ADD_FAILURE() << text;
  }
  std::cout << tally.graphs << " graphs, " << tally.enclosed << " enclosed, " << tally.unsupported
            << " not, " << tally.other << " illegal or unpredictable; " << tally.runs
            << " implementations; " << tally.elements << " enclosed elements, " << tally.anything
            << " of them without a limit\n";
  for (const auto& [why, n] : tally.why) std::cout << "  " << n << why << "\n";
  EXPECT_GT(tally.enclosed, tally.graphs / 2);
  EXPECT_LT(tally.anything, tally.elements / 2);
}

// --- The parts, by brute force.
// -------------------------------------------------------------------

// Every value of the type, in order, without NaN.
std::vector<double> AllValues(DType type) {
  std::vector<double> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << Info(type).bits; ++bits) {
    const double value = DecodeFloat(type, bits);
    if (!std::isnan(value) && !(value == 0 && std::signbit(value))) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

TEST(Enclosure, EndsAreTheNearestValuesOfTheTypeOutsideOrInside) {
  for (const DType type : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16}) {
    const std::vector<double> values = AllValues(type);
    for (size_t k = 0; k + 1 < values.size(); ++k) {
      const double lo = values[k], hi = values[k + 1];
      EXPECT_EQ(GreatestNotAbove(type, lo), lo);
      EXPECT_EQ(LeastNotBelow(type, hi), hi);
      if (std::isinf(lo) || std::isinf(hi)) continue;
      const double middle = lo + (hi - lo) / 2;
      for (const double x : {Above(lo), middle, Below(hi)}) {
        ASSERT_EQ(GreatestNotAbove(type, x), lo) << x;
        ASSERT_EQ(LeastNotBelow(type, x), hi) << x;
      }
    }
  }
}

// The ends round to the value, or lie half between it and its neighbour; nothing farther does.
TEST(Enclosure, RealsOfAValueAreThoseThatRoundToIt) {
  const DType type = DType::kFp16;
  for (const double value : AllValues(type)) {
    if (std::isinf(value)) continue;
    Enclosure enclosure(type, {1});
    enclosure.Set(0, {value, value});
    const Ends reals = enclosure.At(0);
    const double normal_min = Format(type).normal_min();
    // An implementation that flushes holds zero for these.
    const bool may_be_zero = value != 0 && std::fabs(value) <= normal_min;
    if (may_be_zero && value > 0) {
      ASSERT_LE(reals.lo, 0);
    } else {
      ASSERT_EQ(RoundTo(type, Above(reals.lo)), value);
      ASSERT_NE(RoundTo(type, Below(reals.lo)), value);
    }
    if (may_be_zero && value < 0) {
      ASSERT_GE(reals.hi, 0);
    } else {
      ASSERT_EQ(RoundTo(type, Below(reals.hi)), value);
      ASSERT_NE(RoundTo(type, Above(reals.hi)), value);
    }
    if (value > normal_min) {
      // Through zero, the other way round.
      enclosure.Set(0, {-value, -value});
      const Ends mirrored = enclosure.At(0);
      ASSERT_EQ(mirrored.lo, -reals.hi);
      ASSERT_EQ(mirrored.hi, -reals.lo);
    }
  }
}

// y - bound(y) and y + bound(y) for many y of many ranges, across powers of two.
TEST(Enclosure, ToleranceHoldsWhereTheUnitInTheLastPlaceDoubles) {
  Random random(7);
  const Tolerance kinds[] = {{.type = DType::kFp16, .ulps = 0.5},
                             {.type = DType::kFp16, .ulps = 5},
                             {.type = DType::kFp16, .relative = 0x1p-8, .least = 0x1p-20},
                             {.type = DType::kFp16, .absolute = 0.01, .relative = 0.5},
                             {.type = DType::kFp16, .relative = 3}};
  for (const Tolerance& tolerance : kinds) {
    for (int trial = 0; trial < 3000; ++trial) {
      const double scale = std::ldexp(1.0, static_cast<int>(random.Below(40)) - 26);
      double lo = random.Between(-2, 2) * scale, hi = lo + random.Between(0, 1) * scale;
      if (random.Chance(4)) lo = 0;
      if (random.Chance(4)) hi = std::ldexp(1.0, static_cast<int>(random.Below(40)) - 26);
      if (lo > hi) std::swap(lo, hi);
      const Ends around = tolerance.Around({lo, hi});
      for (int sample = 0; sample < 20; ++sample) {
        double y = random.Between(lo, hi);
        if (sample == 0) y = lo;
        if (sample == 1) y = hi;
        if (sample == 2 && y != 0) y = std::copysign(std::ldexp(1.0, std::ilogb(y)), y);
        if (y < lo || y > hi) continue;
        const double bound =
            tolerance.absolute + std::max({tolerance.relative * std::fabs(y), tolerance.least,
                                           UlpErrorBound(tolerance.type, y, tolerance.ulps)});
        ASSERT_LE(around.lo, y - bound) << lo << " " << hi << " " << y;
        ASSERT_GE(around.hi, y + bound) << lo << " " << hi << " " << y;
      }
    }
  }
}

StatusOr<Evaluation> EvaluateEnclosed(const Chain& chain, std::string_view edition = "tosa-1.0") {
  const testing_graph::Setting setting(edition);
  return Evaluate(chain.graph, chain.inputs, setting.edition, setting.level, -1, Chains::kEnclosed);
}

// By hand: x + x may be off by 2^-23, half the last place of 2. Above 2 no value of fp32 is as
// near, but 2 stands for numbers of up to 2 + 2^-23; below there is 2 - 2^-23, and half a place
// more. EXP's own bound is (3 + 2 * 2) * 2^-23 of e^2.
TEST(Enclosure, OfTwoOperatorsIsWhatTheirBoundsSay) {
  Random random(1);
  Chain chain(random);
  const std::string x = chain.Input(DType::kFp32, {1}, 1, 1);
  const std::string sum = chain.Add("ADD", {x, x}, DType::kFp32, {1});
  chain.block().outputs = {chain.Add("EXP", {sum}, DType::kFp32, {1})};
  const auto evaluation = EvaluateEnclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  ASSERT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
  const Answer& answer = evaluation->outputs[0].answers[0];
  const double e2 = std::exp(2.0);
  const double below = e2 * (1.5 + 7) * 0x1p-23, above = e2 * (1 + 7) * 0x1p-23;
  EXPECT_NEAR(answer.expected.Element(0), e2 - below, 2 * 0x1p-21);
  EXPECT_NEAR(answer.upper->Element(0), e2 + above, 2 * 0x1p-21);
  EXPECT_TRUE(evaluation->outputs[0].rule.enclosure);
  EXPECT_THAT(evaluation->outputs[0].rule.clause, HasSubstr("widened most by EXP"));
}

TEST(Enclosure, SettlesAComparisonThatTheBoundsCannotTurn) {
  Random random(1);
  Chain chain(random);
  const std::string x = chain.Input(DType::kFp32, {4}, 1, 2);
  const std::string e = chain.Add("EXP", {x}, DType::kFp32, {4});
  chain.block().outputs = {chain.Add("GREATER", {e, x}, DType::kBool, {4}),
                           chain.Add("GREATER", {e, e}, DType::kBool, {4})};
  const auto evaluation = EvaluateEnclosed(chain);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  ASSERT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
  EXPECT_EQ(evaluation->outputs[0].rule.kind, RuleKind::kExact);
  EXPECT_EQ(evaluation->outputs[0].answers[0].expected.Integers(), std::vector<int64_t>(4, 1));
  EXPECT_TRUE(evaluation->outputs[1].rule.enclosure);
}

TEST(Enclosure, GoesOnInTheDraft) {
  const char* const edition = "tosa-0.100";
  for (int trial = 0; trial < 3; ++trial) {
    Random random(1);
    Chain chain(random);
    const std::string x = chain.Input(DType::kFp32, {1, 3, 3}, 1, 2);
    const std::string e = chain.Add("EXP", {x}, DType::kFp32, {1, 3, 3});
    const std::string sum = chain.Add("ADD", {e, x}, DType::kFp32, {1, 3, 3});
    const std::string part = chain.Add("RECIPROCAL", {sum}, DType::kFp32, {1, 3, 3});
    const std::string tanh = chain.Add("TANH", {part}, DType::kFp32, {1, 3, 3});
    chain.block().outputs = {
        chain.Add("REDUCE_SUM", {tanh}, DType::kFp32, {1, 3, 1}, {{"axis", int64_t{2}}})};
    const auto evaluation = EvaluateEnclosed(chain, edition);
    ASSERT_TRUE(evaluation.ok()) << edition << evaluation.status();
    ASSERT_EQ(evaluation->outcome, Outcome::kValid) << edition << evaluation->message;
    ASSERT_TRUE(evaluation->outputs[0].rule.enclosure);
    const testing_graph::Setting setting(edition);
    for (const Style style : kStyles) {
      Imitation imitation(setting.edition, setting.level, style, true, false, random);
      ASSERT_TRUE(imitation.Run(chain));
      EXPECT_EQ(Refused(evaluation->outputs[0], imitation.held(chain.block().outputs[0])), "");
    }
  }
}

// --- What the enclosures find: one operator of a network is wrong.
// --------------------------------

struct Spoiling {
  const char* name;
  void (*spoil)(Tensor& held);
};

template <class F>
void ChangeAll(Tensor& held, F f) {
  for (int64_t i = 0; i < held.size(); ++i) held.SetElement(i, f(held.Element(i), i));
}

constexpr Spoiling kSpoilings[] = {
    {"negated", [](Tensor& t) { ChangeAll(t, [](double x, int64_t) { return -x; }); }},
    {"zero", [](Tensor& t) { ChangeAll(t, [](double, int64_t) { return 0.0; }); }},
    {"last zero", [](Tensor& t) { t.SetElement(t.size() - 1, 0); }},
    {"shifted",
     [](Tensor& t) {
       const std::vector<double> old = t.Elements();
       ChangeAll(t,
                 [&](double, int64_t i) { return old[static_cast<size_t>(i + 1) % old.size()]; });
     }},
    {"1 + 2^-4",
     [](Tensor& t) { ChangeAll(t, [](double x, int64_t) { return x * (1 + 0x1p-4); }); }},
    {"bf16",
     [](Tensor& t) { ChangeAll(t, [](double x, int64_t) { return RoundTo(DType::kBf16, x); }); }},
    {"1 + 2^-12",
     [](Tensor& t) { ChangeAll(t, [](double x, int64_t) { return x * (1 + 0x1p-12); }); }},
    {"1 + 2^-16",
     [](Tensor& t) { ChangeAll(t, [](double x, int64_t) { return x * (1 + 0x1p-16); }); }},
    {"1 + 2^-20",
     [](Tensor& t) { ChangeAll(t, [](double x, int64_t) { return x * (1 + 0x1p-20); }); }},
};

struct Caught {
  int64_t wrong = 0, found = 0;
  int64_t cancels = 0;  // beside these: no result of exact arithmetic shows the fault
};

// Whether two runs that round nothing agree: the network's function is the same with the fault. One
// in the maximum of a softmax is of this kind, and so is a factor that its powers have in common:
// numerator and denominator both have it. fp64 leaves 2^-52 an operator of it.
bool IsSameFunction(const Tensor& a, const Tensor& b) {
  constexpr double kOfRounding = 0x1p-40;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.Element(i), y = b.Element(i);
    if (!std::isfinite(x) || !std::isfinite(y)) return false;
    if (std::fabs(x - y) > kOfRounding * std::max(std::fabs(x), std::fabs(y))) return false;
  }
  return true;
}

// What the enclosures of a family say.
struct Figures {
  std::vector<double> widths;
  int64_t unlimited = 0, wide = 0;
  std::map<std::string, Caught> caught;
};

// One network with random data; every operator is spoiled in every way, one at a time.
void SpoilFamily(const Family& family, DType type, uint64_t seed, Figures* figures) {
  const testing_graph::Setting setting;
  Random random(seed);
  Chain chain(random);
  const std::string output = family.build(chain, type);
  chain.block().outputs = {output};
  const auto evaluation =
      Evaluate(chain.graph, chain.inputs, setting.edition, setting.level, -1, Chains::kEnclosed);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  ASSERT_EQ(evaluation->outcome, Outcome::kValid) << family.name << ": " << evaluation->message;
  const ExpectedOutput& expected = evaluation->outputs[0];
  ASSERT_TRUE(expected.rule.enclosure);
  for (int64_t i = 0; i < expected.answers[0].expected.size(); ++i) {
    const double width =
        WidthOf({expected.answers[0].expected.Element(i), expected.answers[0].upper->Element(i)});
    figures->widths.push_back(width);
    figures->unlimited += std::isinf(width);
    figures->wide += !std::isinf(width) && width > 0.5;
  }
  const auto run = [&](Style style, const std::string& spoiled, const Spoiling* spoiling) {
    Imitation imitation(setting.edition, setting.level, style, false, false, random);
    imitation.spoil = [&](const GraphOperator& node, Tensor& held) {
      if (spoiling != nullptr && node.outputs[0] == spoiled) spoiling->spoil(held);
    };
    EXPECT_TRUE(imitation.Run(chain));
    return imitation.held(output);
  };
  const Tensor right = run(Style::kRounded, "", nullptr);
  const Tensor exact = run(Style::kWider, "", nullptr);
  ASSERT_EQ(Refused(expected, right), "") << family.name;
  for (const GraphOperator& node : chain.block().operators) {
    if (IsConstant(node)) continue;
    for (const Spoiling& spoiling : kSpoilings) {
      const Tensor spoiled = run(Style::kRounded, node.outputs[0], &spoiling);
      if (spoiled == right) continue;  // it cannot be seen
      Caught& of = figures->caught[spoiling.name];
      if (IsSameFunction(exact, run(Style::kWider, node.outputs[0], &spoiling))) {
        ++of.cancels;
        continue;
      }
      ++of.wrong;
      of.found += Refused(expected, spoiled).empty() ? 0 : 1;
    }
  }
}

// A gross fault that changes the network's function is found wherever it is, but in fp16 and bf16,
// whose sums of some terms have bounds of some percent.
bool IsGross(std::string_view spoiling) {
  return spoiling == "negated" || spoiling == "zero" || spoiling == "shifted" ||
         spoiling == "1 + 2^-4";
}

TEST(Enclosure, FindsFaultsOfOneOperatorOfANetwork) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    for (const Family& family : kFamilies) {
      if (!family.HasType(type)) continue;
      Figures figures;
      for (uint64_t seed = 0; seed < (whole ? 50 : 2); ++seed) {
        SpoilFamily(family, type, seed, &figures);
      }
      std::vector<double>& widths = figures.widths;
      ASSERT_FALSE(widths.empty());
      std::nth_element(widths.begin(), widths.begin() + static_cast<int64_t>(widths.size() / 2),
                       widths.end());
      std::cout << Name(type) << " " << family.name << ": of " << widths.size() << " intervals "
                << figures.unlimited << " unlimited, " << figures.wide
                << " wide, half narrower than " << widths[widths.size() / 2] << " of the value;";
      for (const Spoiling& spoiling : kSpoilings) {
        const Caught& of = figures.caught[spoiling.name];
        std::cout << " " << spoiling.name << " " << of.found << "/" << of.wrong;
        if (of.cancels > 0) std::cout << " (" << of.cancels << " cancel)";
        if (type == DType::kFp32 && IsGross(spoiling.name)) {
          EXPECT_EQ(of.found, of.wrong) << family.name << ", " << spoiling.name;
        }
      }
      std::cout << "\n";
      EXPECT_EQ(figures.unlimited, 0) << family.name;
    }
  }
}

// 112 of 128 scores are masked by -infinity. Their part is zero: no NaN, and nothing else.
TEST(Enclosure, OfAMaskedSoftmaxRefusesWhatIsNoZeroWhereItIsMasked) {
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    Random random(5);
    Chain chain(random);
    const Shape shape{1, 128};
    Tensor mask(type, shape);
    for (int64_t i = 16; i < 128; ++i) mask.SetElement(i, -kEndless);
    const std::string x = chain.Input(type, shape);
    const std::string masked = chain.Add("ADD", {x, chain.Const(std::move(mask))}, type, shape);
    chain.block().outputs = {Softmax(chain, masked)};
    const auto evaluation = EvaluateEnclosed(chain);
    ASSERT_TRUE(evaluation.ok()) << evaluation.status();
    ASSERT_EQ(evaluation->outcome, Outcome::kValid) << evaluation->message;
    const ExpectedOutput& output = evaluation->outputs[0];
    const testing_graph::Setting setting;
    Imitation imitation(setting.edition, setting.level, Style::kRounded, false, false, random);
    ASSERT_TRUE(imitation.Run(chain));
    const Tensor right = imitation.held(output.name);
    EXPECT_EQ(Refused(output, right), "");
    for (const double wrong : {kNotANumber, 7.0, 1e-3, -1e-3, kEndless}) {
      for (const int64_t at : {16, 77, 127}) {
        Tensor result = right;
        result.SetElement(at, wrong);
        EXPECT_NE(Refused(output, result), "") << Name(type) << ": " << wrong << " at " << at;
      }
    }
  }
}

}  // namespace
}  // namespace cts
