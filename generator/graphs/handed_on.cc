// Control flow that hands tensors on as they are; operands and results that other operators read;
// variables that are never written, or whose new value only the next execution reads.
#include <algorithm>

#include "generator/graphs/control_parts.h"
#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"

namespace cts {
namespace handed_on {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;
using control_parts::AddBelow;
using control_parts::AsCondition;
using control_parts::ConditionAxis;
using control_parts::ConditionInput;
using control_parts::OneInteger;
using control_parts::Parameters;

const Shape& kShape = *new Shape{4, 7};

Name SmallInput(GraphBuilder& builder, const Choice& choice, const Name& name) {
  return builder.Input(name,
                       IntegersBetween(choice.Stream(name), DType::kI32, kShape, -9999, 9999));
}

const std::pair<DType, Shape>& Whole() {
  static const auto& whole = *new std::pair<DType, Shape>{DType::kI32, kShape};
  return whole;
}
const std::pair<DType, Shape>& One() {
  static const auto& one = *new std::pair<DType, Shape>{DType::kI32, {1}};
  return one;
}

// ---- COND_IF -----------------------------------------------------------------------------------

std::vector<Axis> ReturnedAxes(const Setting& setting) {
  return {kTakenAxis.All(), kTypeAxis.With({"i32", "bool"}), ConditionAxis(setting),
          kDataAxis.With({"full-range"})};
}

// The branches have no operators: one returns its arguments in turn, the other one of them twice.
// An operator behind says which profile has the lists' type.
CaseDraft BuildReturned(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = choice[kTypeAxis];
  for (const bool then : {true, false}) {
    const std::string region = then ? "then" : "else";
    builder.Begin(region);
    const Names given = Parameters(builder, region, {{type, kShape}, {type, kShape}});
    builder.End(then ? Names{given[1], given[0]} : Names{given[0], given[0]});
  }
  const Name condition = ConditionInput(builder, choice, "condition", choice[kTakenAxis]);
  const Name a = builder.Input("a", Filled(choice, "a", type, kShape));
  const Name b = builder.Input("b", Filled(choice, "b", type, kShape));
  Names results = builder.If(condition, {a, b}, "then", "else");
  results.push_back(builder.Apply(type == DType::kBool ? "LOGICAL_OR" : "MAXIMUM", results));
  return builder.Finish(results);
}

// Whether the COND_IF is handed one tensor twice.
constexpr ListedAxis<bool> kSameAxis{"operands", "", {{"two", false}, {"same", true}}};

std::vector<Axis> ReadOnAxes(const Setting& setting) {
  return {kTakenAxis.All(), kSameAxis.All(), ConditionAxis(setting),
          kDataAxis.With({"full-range"})};
}

// An operator's result goes into a COND_IF and to an operator behind it, and so does the COND_IF's
// own result: no branch may write over what it was handed.
CaseDraft BuildReadOn(const Choice& choice) {
  GraphBuilder builder(choice);
  for (const bool then : {true, false}) {
    const std::string region = then ? "then" : "else";
    builder.Begin(region);
    const Names given = Parameters(builder, region, {Whole(), Whole()});
    const Name made = builder.Apply(then ? "ADD" : "MUL", {given[0], given[1]});
    builder.End({made, builder.Apply(then ? "BITWISE_NOT" : "NEGATE", {given[0]})});
  }
  const Name condition = ConditionInput(builder, choice, "condition", choice[kTakenAxis]);
  const Name x = SmallInput(builder, choice, "x"), y = SmallInput(builder, choice, "y");
  const Name a = builder.Apply("ABS", {x});
  const Name b = choice[kSameAxis] ? a : builder.Apply("MAXIMUM", {x, y});
  const Names chosen = builder.If(condition, {a, b}, "then", "else");
  return builder.Finish({builder.Apply("ADD", {chosen[0], a}), chosen[0],
                         builder.Apply("ADD", {chosen[1], y}), builder.Apply("SUB", {b, y})});
}

constexpr ListedAxis<bool> kFirstAxis{"first", "", {{"then", true}, {"else", false}}};
constexpr ListedAxis<bool> kSecondAxis{"second", "", {{"then", true}, {"else", false}}};

std::vector<Axis> InARowAxes(const Setting& setting) {
  return {kFirstAxis.All(), kSecondAxis.All(), ConditionAxis(setting),
          kDataAxis.With({"full-range"})};
}

// Two COND_IFs one after the other, with regions of their own: the second takes what the first
// gives, in turn, and what the first was given.
CaseDraft BuildInARow(const Choice& choice) {
  GraphBuilder builder(choice);
  struct Region {
    const char *name, *op;
  };
  for (const auto& [name, op] : {Region{"first_then", "ADD"}, Region{"first_else", "SUB"},
                                 Region{"second_then", "MAXIMUM"}, Region{"second_else", "SUB"}}) {
    builder.Begin(name);
    const Names given = Parameters(builder, name, {Whole(), Whole()});
    const Name made = builder.Apply(op, {given[1], given[0]});
    builder.End({made, given[0]});
  }
  const Name c = ConditionInput(builder, choice, "c", choice[kFirstAxis]);
  const Name d = ConditionInput(builder, choice, "d", choice[kSecondAxis]);
  const Name a = SmallInput(builder, choice, "a"), b = SmallInput(builder, choice, "b");
  const Names first = builder.If(c, {a, b}, "first_then", "first_else");
  const Names second = builder.If(d, {first[1], first[0]}, "second_then", "second_else");
  return builder.Finish({second[1], second[0], first[0]});
}

// ---- WHILE_LOOP --------------------------------------------------------------------------------

std::vector<Axis> TimesAxes(const Setting& setting) {
  return {kTimesAxis.With({"4", "1", "0", "2"}), ConditionAxis(setting),
          kDataAxis.With({"full-range"})};
}

Name Next(GraphBuilder& builder, const Name& counter) {
  return builder.Apply("ADD", {counter, builder.Constant("body_one", OneInteger(1))});
}

// Three tensors change places in a circle, and the limit is handed on: nothing copies them.
CaseDraft BuildCircle(const Choice& choice) {
  GraphBuilder builder(choice);
  const std::vector<std::pair<DType, Shape>> types = {One(), Whole(), Whole(), Whole(), One()};
  AddBelow(builder, choice, types);
  builder.Begin("body");
  const Names given = Parameters(builder, "body", types);
  builder.End({Next(builder, given[0]), given[2], given[3], given[1], given[4]});
  Names operands = {builder.Constant("zero", OneInteger(0))};
  for (const char* name : {"a", "b", "c"}) operands.push_back(SmallInput(builder, choice, name));
  operands.push_back(builder.Input("times", OneInteger(choice[kTimesAxis])));
  const Names after = builder.While(operands, "more", "body");
  return builder.Finish({after[1], after[2], after[3]});
}

// One tensor is the initial value of two carried ones, of which the one becomes the other's last
// value; it is read behind the loop again.
CaseDraft BuildInitialValue(const Choice& choice) {
  GraphBuilder builder(choice);
  const std::vector<std::pair<DType, Shape>> types = {One(), Whole(), Whole(), One()};
  AddBelow(builder, choice, types);
  builder.Begin("body");
  const Names given = Parameters(builder, "body", types);
  builder.End(
      {Next(builder, given[0]), builder.Apply("ADD", {given[1], given[2]}), given[1], given[3]});
  const Name a = builder.Apply("ABS", {SmallInput(builder, choice, "x")});
  const Names after = builder.While({builder.Constant("zero", OneInteger(0)), a, a,
                                     builder.Input("times", OneInteger(choice[kTimesAxis]))},
                                    "more", "body");
  return builder.Finish({builder.Apply("ADD", {after[1], a}), after[2]});
}

std::vector<Axis> FlagAxes(const Setting& setting) {
  return {kTimesAxis.With({"2", "1", "0"}), ConditionAxis(setting), kDataAxis.With({"full-range"})};
}

// The condition is a carried flag itself, and two tensors change places. The body returns a
// constant in place of the last flag.
CaseDraft BuildFlag(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape of_flag = choice[kConditionAxis];
  const std::vector<std::pair<DType, Shape>> types = {
      {DType::kBool, of_flag}, {DType::kBool, of_flag}, Whole(), Whole(), Whole()};
  builder.Begin("more");
  builder.End({Parameters(builder, "more", types)[0]});
  builder.Begin("body");
  const Names given = Parameters(builder, "body", types);
  const Name never = builder.Constant("body_never", Tensor(DType::kBool, of_flag));
  builder.End({given[1], never, given[3], given[2], builder.Apply("ADD", {given[4], given[2]})});
  const int64_t times = choice[kTimesAxis];
  Names operands = {ConditionInput(builder, choice, "now", times > 0),
                    ConditionInput(builder, choice, "then", times > 1)};
  for (const char* name : {"a", "b", "sum"}) operands.push_back(SmallInput(builder, choice, name));
  const Names after = builder.While(operands, "more", "body");
  return builder.Finish({after[2], after[3], after[4]});
}

// ---- Variables ---------------------------------------------------------------------------------

std::vector<Axis> VariableAxes(const Setting&) {
  return {kExecutionsAxis.With({"3", "2"}), kDataAxis.With({"full-range"})};
}

DType VariableType(const Setting& setting) {
  return *ParseDType(setting.row->types.begin()->second);
}

// An input of every execution.
Name SeriesInput(GraphBuilder& builder, const Choice& choice, const std::string& name, DType type) {
  builder.Input(name, Filled(choice, name, type, kShape));
  for (int64_t k = 1; k < choice[kExecutionsAxis]; ++k) {
    builder.NextInput(name, Filled(choice, StrCat(name, " ", k), type, kShape));
  }
  return name;
}

// No operator reads the new value in the same execution: only the next one shows it.
CaseDraft BuildWritten(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = VariableType(choice.setting);
  builder.Variable("state", FullRange(choice.Stream("initial"), type, kShape));
  const Name mask = SeriesInput(builder, choice, "mask", DType::kBool);
  const Name input = SeriesInput(builder, choice, "input", type);
  const Name before = builder.Read("state");
  builder.Write("state", builder.Apply("SELECT", {mask, input, before}));
  return builder.Finish({before});
}

// A variable without a write, and two operators with a VARIABLE_READ each.
CaseDraft BuildRead(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = VariableType(choice.setting);
  builder.Variable("state", FullRange(choice.Stream("initial"), type, kShape));
  const Name mask = SeriesInput(builder, choice, "mask", DType::kBool);
  const Name input = SeriesInput(builder, choice, "input", type);
  const Name first = builder.Read("state");
  const Name chosen = builder.Apply("SELECT", {mask, input, first});
  return builder.Finish({chosen, builder.Read("state")});
}

// A variable that is written as it was read, but the other way round: never in its own place.
CaseDraft BuildReversed(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = VariableType(choice.setting);
  builder.Variable("state", FullRange(choice.Stream("initial"), type, kShape));
  const Name mask = SeriesInput(builder, choice, "mask", DType::kBool);
  const Name input = SeriesInput(builder, choice, "input", type);
  const Name before = builder.Read("state");
  const Name reversed = builder.Apply("REVERSE", {before}, {{"axis", int64_t{1}}});
  builder.Write("state", reversed);
  return builder.Finish({builder.Apply("SELECT", {mask, input, reversed}), before});
}

std::vector<GraphDomain> Graphs() {
  return {
      {"cond-if-arguments-returned", "COND_IF", HasIntegers, Plain(ReturnedAxes, BuildReturned)},
      {"cond-if-operands-read-again", "COND_IF", HasIntegers, Plain(ReadOnAxes, BuildReadOn)},
      {"cond-ifs-in-a-row", "COND_IF", HasIntegers, Plain(InARowAxes, BuildInARow)},
      {"while-loop-circle", "WHILE_LOOP", HasIntegers, Plain(TimesAxes, BuildCircle)},
      {"while-loop-initial-value", "WHILE_LOOP", HasIntegers, Plain(TimesAxes, BuildInitialValue)},
      {"while-loop-flag", "WHILE_LOOP", HasIntegers, Plain(FlagAxes, BuildFlag)},
      {"variable-only-written", "VARIABLE_WRITE", nullptr, Plain(VariableAxes, BuildWritten)},
      {"variable-only-read", "VARIABLE_READ", nullptr, Plain(VariableAxes, BuildRead)},
      {"variable-reversed", "VARIABLE_WRITE", nullptr, Plain(VariableAxes, BuildReversed)}};
}

}  // namespace
}  // namespace handed_on

std::vector<GraphDomain> HandedOnGraphs() { return handed_on::Graphs(); }

}  // namespace cts
