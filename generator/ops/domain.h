// The parameter domain of every operator: the parameters to vary, how to build a case from a
// choice, and how to break each condition of the operator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/data/data_sets.h"
#include "generator/draft/case_draft.h"
#include "generator/networks/layer.h"

namespace cts {

// A constraint, which excludes combinations of values.
struct Constraint {
  std::vector<std::string_view> axes;  // that `holds` looks at; those that are absent are skipped
  // The reason: the id of the condition or the name of the limit that such a case would break
  // ("conv2d.pad_negative", "MAX_KERNEL"), or a sentence about the data.
  std::string_view reason;
  std::function<bool(const Setting&, const Labels&)> holds;
};

struct AxisLabel {
  std::string_view axis, label;
};
// Combinations of all these labels make no case.
Constraint Excluded(const std::vector<AxisLabel>& together, std::string_view reason);
// A label occurs only together with all these others.
Constraint OnlyWith(const AxisLabel& label, const std::vector<AxisLabel>& others,
                    std::string_view reason);

using DraftChange = std::function<void(const Setting&, CaseDraft&)>;

// Turns a valid draft into one that breaks a condition, and no other.
struct Breaker {
  std::string condition;
  // The labels that the valid draft must have; undecided parameters take the first values that fit.
  Labels labels;
  bool (*applies)(const Setting&);  // null: to every type row
  DraftChange change;
  // Turns the valid draft into the nearest legal neighbour of the broken one, one step back from
  // `change`. Null: the valid draft is that neighbour.
  DraftChange legal = nullptr;
  bool more = false;    // only for recipes whose domains are "full"; its ids follow all others
  bool within = false;  // the illegal operator is within a graph of this one, which is legal
};

// Marks a breaker for full domains only: a validator may miss it and notice the other ways to break
// the condition.
inline Breaker More(Breaker breaker) {
  breaker.more = true;
  return breaker;
}

// A valid case at a limit of the level.
struct LimitCase {
  std::string_view limit;           // "MAX_KERNEL"
  std::string what;                 // distinguishes cases of one limit: "kernel_y"; for the id
  Labels labels;                    // of the draft that `change` starts from, as Breaker has them
  bool (*applies)(const Setting&);  // null: to every type row
  DraftChange change;
};

// A valid case of a data set in addition to the combinations of values, which do not change for it.
struct DataCase {
  std::string_view data_set;        // "non-finite"
  std::string what;                 // distinguishes cases of one data set: "padded"; for the id
  Labels labels;                    // of the draft that `change` starts from, as Breaker has them
  bool (*applies)(const Setting&);  // null: to every type row
  DraftChange change;
};

// A small valid case in which relations hold. RelationsOf (reference/ops/relation.h) declares them
// for the catalogue of faults, too. The case itself shows which of them hold.
struct RelationCase {
  std::string what;                 // for the id: "stride_2x2"
  bool (*applies)(const Setting&);  // null: to every type row
  DraftChange change;
  // The data set that `change` takes in a type row; empty: the data set of the case that it starts
  // from.
  std::string_view (*data_set)(const Setting&) = nullptr;
  Labels labels = {};  // of the draft that `change` starts from, as Breaker has them
  bool more = false;   // only for recipes whose domains are "full"
};

struct Domain {
  // The axes for a type row. The last axis is always "data": the data sets.
  std::vector<Axis> (*axes)(const Setting&) = nullptr;
  // Combinations that make no valid case.
  std::vector<Constraint> constraints = {};
  // Null: there is no case, since the answer is unknown (CUSTOM).
  CaseDraft (*build)(const Choice&) = nullptr;
  std::vector<Breaker> breakers = {};
  std::vector<LimitCase> limits = {};
  // For type rows that leave the types of a graph open: each breaker starts from each of these, so
  // that there are cases for integers and for floats.
  std::vector<Labels> starts = {};
  std::vector<DataCase> data_cases = {};
  std::vector<RelationCase> relations = {};
  // The case of a layer of a network in place of a draft. Null: no layer of a network has this
  // operator.
  CaseDraft (*at_layer)(const CaseDraft& draft, const NetworkLayer& layer) = nullptr;
  // For a graph: the axes that decide which profiles and extensions it needs; all other axes change
  // only shapes and data. An absent axis is skipped. Empty: any axis may decide it, so every
  // combination has to be built to find out.
  std::vector<std::string_view> needs_axes = {};
  // If `at_layer` makes a block of several layers: the block's name. Only layers that name it
  // apply.
  std::string_view block = {};
  // The result of DeclareAxes; null: the labels are not guarded.
  std::shared_ptr<const DeclaredAxes> declared = nullptr;
};

// Finds all axes and labels of a domain, in any edition, level and type row of the operator, for
// Domain::declared. `owner` names the domain in messages. `also` has the axes of another domain,
// whose function builds a part of the cases; some of them may be missing here. A constraint,
// breaker, limit or start that names an unknown axis or label ends the program with a message.
void DeclareAxes(std::string owner, std::string_view op, bool (*applies)(const Setting&),
                 const DeclaredAxes* also, Domain& domain);

struct OperatorDomain {
  std::string_view name;  // "CONV2D"
  Domain (*domain)();
};

// One for every operator of operators.def, in its order.
const std::vector<OperatorDomain>& OperatorDomains();

// The breakers of the argument tables: "graph.type_row" and the like. They apply to any operator.
const std::vector<Breaker>& GraphBreakers();

// In generator/ops/<stem>.cc, each in a namespace of its own: a helper of one operator may mean
// something else in the next.
#define CTS_OPERATOR(NAME, Function, stem) \
  namespace stem##_domain {                \
    Domain Function##Domain();             \
  }
#include "reference/spec/operators.def"
#undef CTS_OPERATOR

// --- Parts that several domains share.

inline constexpr ParsedAxis<Shape> kShapeAxis{"shape", "", ParseShape};
// Whether the operand is a result of CONST.
inline constexpr ListedAxis<bool> kOperandAxis{"operand", "", {{"run", false}, {"const", true}}};
// Whether NaN is ignored.
inline constexpr ListedAxis<bool> kNanModeAxis{
    "nan_mode", "", {{"propagate", false}, {"ignore", true}}};
// Whether parameters that are operands come from outside.
inline constexpr ListedAxis<bool> kParametersAxis{
    "parameters", "", {{"const", false}}, {{"run", true}}};

// The elements of a list argument.
std::vector<int64_t>& List(CaseDraft& draft, std::string_view argument);

// "scalar" and shapes of rank 1 to MAX_RANK, few elements each. 61 elements hold all special
// values.
std::vector<std::string> SomeShapes(const Setting& setting, bool with_scalar = true);
// `tail` with dimensions of 1 before it, up to MAX_RANK.
std::string WithMaxRank(const Setting& setting, std::string_view tail);

// Data set "special" wants a shape with room for every special value: a constraint on axes "shape"
// and "data".
Constraint RoomForSpecials();

// A tensor by the choice's data set: "full-range", "special", "unit" (floats in -1 to 1).
Tensor Filled(const Choice& choice, std::string_view tensor, DType dtype, const Shape& shape,
              Specials specials = Specials::kAll);

// For operators of one input. Axis "shape" has a large shape, and room for the exhaustive data set
// that the type allows. PatternData is that data set, if there is one. UnaryConstraints allows such
// shapes and data sets only together. "exhaustive8" and "exhaustive16" hold every bit pattern,
// "limits" holds thresholds.
Axis UnaryShapes(const Setting& setting, DType type);
std::vector<std::string> PatternData(DType type);
std::vector<Constraint> UnaryConstraints();
// Whether the input is a result of CONST.
Axis UnaryOperand();

// For a function of one floating-point number: shapes, and the data sets "full-range", "special",
// "finite" (numbers from `low` to `high`) and "limits" (`thresholds` and their neighbours).
CaseDraft BuildFunction(const Choice& choice, double low, double high,
                        const std::vector<double>& thresholds = {});
Domain FunctionDomain(CaseDraft (*build)(const Choice&));

// The combinations of the axes data and shape that are excluded: every bit pattern of a type takes
// a shape of its own.
Constraint ShapeOfEveryPattern();

// {"propagate", "ignore"} if the edition's operator has nan_mode and the type is floating point.
void AddNanModeAxis(const Setting& setting, DType dtype, std::vector<Axis>& axes);
void SetNanMode(const Choice& choice, CaseDraft& draft);

// The data set of signalling NaNs where NaN is ignored, a point on which the text disagrees with
// itself (reference/graph/disputed.h). Where NaN is ignored, all other data sets have only quiet
// NaNs.
inline constexpr std::string_view kSignalling = "signalling";
// Its one case for an operator with nan_mode, in each type row with such NaNs. It has these labels,
// which need not be values of the axes.
DataCase SignallingCase(std::vector<Axis> (*axes)(const Setting&),
                        CaseDraft (*build)(const Choice&), Labels at);

// Axis "parameters" with the values "const" and, for full domains, "run". It says whether the
// operands `arguments` (zero points, multipliers, lists) come from CONST, as the profiles want, or
// from outside, for which the edition has an extension. There is no axis where the edition has
// none.
void AddParametersAxis(const Setting& setting, const std::vector<std::string_view>& arguments,
                       std::vector<Axis>& axes);
// Gives them the source that the choice says.
void SetParameters(const Choice& choice, const std::vector<std::string_view>& arguments,
                   CaseDraft& draft);

// An axis of a shape. If several names fit one, it has the first of these.
enum class AxisPlace { kLast, kFirst, kMiddle, kSecond };
inline constexpr ListedAxis<AxisPlace> kPlaceAxis{
    "axis",
    "",
    {{"last", AxisPlace::kLast}, {"first", AxisPlace::kFirst}, {"middle", AxisPlace::kMiddle}},
    {{"second", AxisPlace::kSecond}}};
int64_t AxisNumber(AxisPlace place, const Shape& shape);

// Limit MAX_RANK for operators whose operands and result have the same rank: dimensions of 1 before
// those of the draft.
LimitCase MaxRankLimit(const Labels& labels = {});

// The choice from which `draft` was built, with these labels instead, which need not be values of
// the axes. The data set stays; every other axis has its first value.
inline CaseDraft BuildAt(const CaseDraft& draft, std::vector<Axis> (*axes)(const Setting&),
                         CaseDraft (*build)(const Choice&), Labels labels) {
  const Choice& before = *draft.built_from;
  if (!labels.Has("data")) labels.Set("data", before.labels.Text(kDataAxis));
  for (const Axis& axis : axes(before.setting)) {
    if (!labels.Has(axis.name)) labels.Set(axis.name, axis.values.front());
  }
  Choice choice = before;
  choice.labels = labels.GuardedAs(before.labels);
  return build(choice);
}

// A relation only for full domains: the case with these labels, which need not be values of the
// axes. `labels` are those of the draft that it starts from.
inline RelationCase RelationAt(std::string what, std::vector<Axis> (*axes)(const Setting&),
                               CaseDraft (*build)(const Choice&), const Labels& at,
                               bool (*applies)(const Setting&) = nullptr, Labels labels = {}) {
  return {
      .what = std::move(what),
      .applies = applies,
      .change = [=](const Setting&, CaseDraft& draft) { draft = BuildAt(draft, axes, build, at); },
      .labels = std::move(labels),
      .more = true};
}

// A shape of rank 6 without a dimension of 1: a kernel that folds dimensions has the most to do.
inline constexpr char kRank6[] = "2x3x2x2x3x5";

// The case of full domains with this shape, for operators whose axis "shape" is that of the input.
inline RelationCase Rank6(std::vector<Axis> (*axes)(const Setting&),
                          CaseDraft (*build)(const Choice&), Labels labels = {}) {
  return RelationAt("rank6", axes, build, {{"shape", kRank6}}, nullptr, std::move(labels));
}

// Gives a tensor of the draft another shape. The values stay, and repeat from the first where they
// end, since a divisor must not be zero.
void Reshape(Tensor& tensor, Shape shape);

}  // namespace cts
