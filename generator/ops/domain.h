// The parameter domain of every operator. A domain has the parameters to vary, a function that
// builds a case from a choice of their values, and ways to break each condition of the operator.
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

// A constraint excludes combinations of values.
struct Constraint {
  // The axes that `holds` reads. Axes that a type row lacks are skipped.
  std::vector<std::string_view> axes;
  // The reason of the exclusion: the id of the condition or the name of the limit that an excluded
  // case would break ("conv2d.pad_negative", "MAX_KERNEL"), or a sentence about the data.
  std::string_view reason;
  std::function<bool(const Setting&, const Labels&)> holds;
};

struct AxisLabel {
  std::string_view axis, label;
};
// Excludes the combinations that have all these labels.
Constraint Excluded(const std::vector<AxisLabel>& together, std::string_view reason);
// Excludes the combinations that have `label` and lack at least one of `others`.
Constraint OnlyWith(const AxisLabel& label, const std::vector<AxisLabel>& others,
                    std::string_view reason);

using SettingTest = std::function<bool(const Setting&)>;
using DraftChange = std::function<void(const Setting&, CaseDraft&)>;

// A change that makes a valid draft break one condition, and no other condition.
struct Breaker {
  std::string condition;
  // The labels that the valid draft must have. All other axes take the first values that fit.
  Labels labels;
  SettingTest applies;  // null: it applies to every type row
  DraftChange change;
  // Turns the valid draft into the legal case that differs least from the broken case. Null if the
  // valid draft itself is the legal case that differs least.
  DraftChange legal = nullptr;
  // Only for recipes whose domains are "full"; the ids of its cases come after those of other
  // breakers.
  bool more = false;
  // The illegal operator is inside a region that the domain's operator executes. The domain's
  // operator itself is legal.
  bool within = false;
};

// Marks a breaker for full domains only. Such a breaker is a further way to break the condition. A
// validator may overlook this way of breaking the condition although it notices the other ways.
inline Breaker More(Breaker breaker) {
  breaker.more = true;
  return breaker;
}

// A valid case at a limit of the level.
struct LimitCase {
  std::string_view limit;           // "MAX_KERNEL"
  std::string what;                 // distinguishes cases of one limit: "kernel_y"; for the id
  Labels labels;                    // the labels that the draft must have, as in Breaker
  bool (*applies)(const Setting&);  // null: it applies to every type row
  DraftChange change;
};

// A valid case of a data set, in addition to the combinations of values. The set of combinations
// stays the same.
struct DataCase {
  std::string_view data_set;        // "non-finite"
  std::string what;                 // distinguishes cases of one data set: "padded"; for the id
  Labels labels;                    // the labels that the draft must have, as in Breaker
  bool (*applies)(const Setting&);  // null: it applies to every type row
  DraftChange change;
};

// A small valid case in which relations hold. RelationsOf (reference/ops/relation.h) declares the
// relations. The catalogue of faults uses the same relations. The relations that hold are computed
// from the case itself.
struct RelationCase {
  std::string what;                 // for the id: "stride_2x2"
  bool (*applies)(const Setting&);  // null: it applies to every type row
  DraftChange change;
  // Returns the data set that `change` uses in a type row; empty if it keeps the data set of the
  // draft.
  std::string_view (*data_set)(const Setting&) = nullptr;
  Labels labels = {};  // the labels that the draft must have, as in Breaker
  bool more = false;   // only for recipes whose domains are "full"
};

struct Domain {
  // The axes for a type row. The last axis is always "data": the data sets.
  std::vector<Axis> (*axes)(const Setting&) = nullptr;
  // The constraints exclude combinations of values; Constraint::reason says why.
  std::vector<Constraint> constraints = {};
  // Builds a case from a choice. Null for CUSTOM, which has no case, because the answer is unknown.
  CaseDraft (*build)(const Choice&) = nullptr;
  std::vector<Breaker> breakers = {};
  std::vector<LimitCase> limits = {};
  // For type rows that leave the types of a graph open. Each breaker changes a draft for each of
  // these lists of labels, so that there are error cases for integers and for floats.
  std::vector<Labels> starts = {};
  std::vector<DataCase> data_cases = {};
  std::vector<RelationCase> relations = {};
  // Builds the case of a network's layer from a draft. Null if no layer of a network has this
  // operator.
  CaseDraft (*at_layer)(const CaseDraft& draft, const NetworkLayer& layer) = nullptr;
  // For a graph: the axes that determine which profiles and extensions it needs. All other axes
  // change only shapes and data. Axes that a type row lacks are skipped. If the list is empty, any
  // axis may determine the needs, so every combination must be built to find them out.
  std::vector<std::string_view> needs_axes = {};
  // If `at_layer` makes a block of several layers: the block's name. Only layers that name this
  // block are used.
  std::string_view block = {};
  // The result of DeclareAxes, against which labels are checked; null: they are not checked.
  std::shared_ptr<const DeclaredAxes> declared = nullptr;
};

// Sets Domain::declared to all axes and labels that the domain has in any edition, level and type
// row of the operator. `owner` names the domain in messages. `also` has the axes of another domain
// whose function builds a part of the cases; this domain need not have all of those axes. A
// constraint, breaker, limit or start that names an unknown axis or label ends the program with a
// message.
void DeclareAxes(std::string owner, std::string_view op, bool (*applies)(const Setting&),
                 const DeclaredAxes* also, Domain& domain);

struct OperatorDomain {
  std::string_view name;  // "CONV2D"
  Domain (*domain)();
};

// One domain for every operator of operators.def, in the order of that file.
const std::vector<OperatorDomain>& OperatorDomains();

// The breakers of the conditions that the argument tables state, such as "graph.type_row". These
// breakers apply to any operator.
const std::vector<Breaker>& GraphBreakers();

// Each domain is in generator/ops/<stem>.cc in a namespace of its own, because helpers of different
// operators may have the same name.
#define CTS_OPERATOR(NAME, Function, stem) \
  namespace stem##_domain {                \
    Domain Function##Domain();             \
  }
#include "reference/spec/operators.def"
#undef CTS_OPERATOR

// --- Parts that several domains share.

inline constexpr ParsedAxis<Shape> kShapeAxis{"shape", "", ParseShape};
// Whether the operand is the result of a CONST operator.
inline constexpr ListedAxis<bool> kOperandAxis{"operand", "", {{"run", false}, {"const", true}}};
// The operator's nan_mode: whether NaN is ignored.
inline constexpr ListedAxis<bool> kNanModeAxis{
    "nan_mode", "", {{"propagate", false}, {"ignore", true}}};
// Whether parameters that are operands come from outside of the graph, and not from CONST.
inline constexpr ListedAxis<bool> kParametersAxis{
    "parameters", "", {{"const", false}}, {{"run", true}}};

// The elements of a list argument.
std::vector<int64_t>& List(CaseDraft& draft, std::string_view argument);

// Returns "scalar", shapes of rank 1 to 4, and a shape of MAX_RANK, each with few elements. All
// shapes except "scalar" have room for all special values, of which there are at most 61.
std::vector<std::string> SomeShapes(const Setting& setting, bool with_scalar = true);
// Returns the shape `tail` with MAX_RANK dimensions: adds dimensions of 1 before it, or removes its
// first dimensions.
std::string WithMaxRank(const Setting& setting, std::string_view tail);

// Returns a constraint on axes "shape" and "data": data set "special" needs a shape with room for
// every special value.
Constraint RoomForSpecials();

// Returns a tensor that is filled as the choice's data set says: "special", "exhaustive8" and
// "exhaustive16" (every bit pattern), or "unit" (floats from -1 to 1). For all other data sets, it
// is filled as for "full-range".
Tensor Filled(const Choice& choice, std::string_view tensor, DType dtype, const Shape& shape,
              Specials specials = Specials::kAll);

// These functions are for operators of one input. UnaryShapes is the axis "shape". It includes a
// large shape and, if the type has an exhaustive data set, a shape for this data set. PatternData
// returns the name of this data set, "exhaustive8" or "exhaustive16", which has every bit pattern
// of the type; empty if the type has none. UnaryConstraints allows the exhaustive data set and its
// shape only together, and requires shapes with room for the thresholds of data set "limits".
Axis UnaryShapes(const Setting& setting, DType type);
std::vector<std::string> PatternData(DType type);
std::vector<Constraint> UnaryConstraints();
// Returns the axis "operand", which says whether the input is the result of a CONST operator.
Axis UnaryOperand();

// These functions are for operators that compute a function of one floating-point number. The data
// sets are "full-range", "special", "finite" (numbers from `low` to `high`), "limits" (`thresholds`
// and their neighbours) and those of PatternData.
CaseDraft BuildFunction(const Choice& choice, double low, double high,
                        const std::vector<double>& thresholds = {});
Domain FunctionDomain(CaseDraft (*build)(const Choice&));

// Returns a constraint on axes "shape" and "data": a data set with every bit pattern of a type, and
// the shape for this data set, occur only together.
Constraint ShapeOfEveryPattern();

// Adds the axis "nan_mode" if the edition's operator has this attribute. The axis has the value
// "ignore" only for a floating-point type.
void AddNanModeAxis(const Setting& setting, DType dtype, std::vector<Axis>& axes);
void SetNanMode(const Choice& choice, CaseDraft& draft);

// The data set with signalling NaNs, for cases that ignore NaN. The specification contradicts
// itself about signalling NaNs in such cases (reference/graph/disputed.h). In cases that ignore
// NaN, all other data sets have only quiet NaNs.
inline constexpr std::string_view kSignalling = "signalling";
// Returns the case of data set "signalling" for an operator with nan_mode. The case exists in each
// type row whose type has signalling NaNs. It has the labels `at`, which need not be values of the
// axes.
DataCase SignallingCase(std::vector<Axis> (*axes)(const Setting&),
                        CaseDraft (*build)(const Choice&), Labels at);

// Adds the axis "parameters" with the values "const" and, for full domains, "run". The operands
// `arguments` (zero points, multipliers, lists) come from CONST, as the profiles require, or from
// outside of the graph, which needs an extension. No axis is added if the edition has no such
// extension.
void AddParametersAxis(const Setting& setting, const std::vector<std::string_view>& arguments,
                       std::vector<Axis>& axes);
// Makes these operands constant, or takes them from outside of the graph, as the choice says.
void SetParameters(const Choice& choice, const std::vector<std::string_view>& arguments,
                   CaseDraft& draft);

// A place among the axes of a shape. If several of the names below fit one axis, only the first of
// them in the list is used for the axis.
enum class AxisPlace { kLast, kFirst, kMiddle, kSecond };
inline constexpr ListedAxis<AxisPlace> kPlaceAxis{
    "axis",
    "",
    {{"last", AxisPlace::kLast}, {"first", AxisPlace::kFirst}, {"middle", AxisPlace::kMiddle}},
    {{"second", AxisPlace::kSecond}}};
int64_t AxisNumber(AxisPlace place, const Shape& shape);

// The case at MAX_RANK for operators whose operands and result have the same rank. The case adds
// dimensions of 1 before those of the draft.
LimitCase MaxRankLimit(const Labels& labels = {});

// Builds a case again from the choice of `draft`, but with these labels, which need not be values
// of the axes. If the labels name no data set, the data set stays the same. Every other axis that
// they do not name takes its first value.
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

// Returns a relation case for full domains only: the case with the labels `at`, which need not be
// values of the axes. `labels` are the labels that a draft must have so that the case is built from
// it. The case keeps this draft's setting, id and seed (BuildAt).
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

// A shape of rank 6 without a dimension of 1, so that a kernel that merges dimensions has to merge
// all of them.
inline constexpr char kRank6[] = "2x3x2x2x3x5";

// Returns a relation case for full domains only, with the shape kRank6. The operator's axis "shape"
// must be the input's shape.
inline RelationCase Rank6(std::vector<Axis> (*axes)(const Setting&),
                          CaseDraft (*build)(const Choice&), Labels labels = {}) {
  return RelationAt("rank6", axes, build, {{"shape", kRank6}}, nullptr, std::move(labels));
}

// Gives a tensor of the draft another shape. The values stay. If there are too few values, they
// repeat from the first value on, because filling with zeros could make a divisor zero.
void Reshape(Tensor& tensor, Shape shape);

}  // namespace cts
