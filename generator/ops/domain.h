// The parameter domain of every operator: what to vary, how to build a case from a choice, and how
// to break each of its conditions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "generator/case_draft.h"
#include "generator/data/data_sets.h"

namespace cts {

// A parameter of a case. The id of a case holds `prefix` and value, its `parameters` name and
// value.
struct Axis {
  std::string name;                          // "kernel"
  std::string prefix;                        // "k"
  std::vector<std::string> values;           // "1x1", "3x3": [a-z0-9.+-]
  std::vector<std::string> more;             // and these, of recipes whose domains are "full"
  std::map<std::string, std::string> needs;  // the extension that a value needs, where it does
};

// What excludes combinations of values.
struct Constraint {
  std::vector<std::string_view> axes;  // that `holds` looks at; those that are absent are skipped
  // Why: the id of the condition or the name of the limit that such a case would break
  // ("conv2d.pad_negative", "MAX_KERNEL"), or a sentence about the data.
  std::string_view reason;
  bool (*holds)(const Setting&, const Labels&);
};

// Turns a valid draft into one that breaks a condition, and no other.
struct Breaker {
  std::string_view condition;
  // What the valid draft must be like; undecided parameters take the first values that fit.
  Labels labels;
  bool (*applies)(const Setting&);  // null: to every type row
  std::function<void(const Setting&, CaseDraft&)> change;
  // Makes the valid draft the nearest legal neighbour, one step back from `change`. Null: it is
  // already.
  void (*legal)(const Setting&, CaseDraft&) = nullptr;
};

// A valid case at a limit of the level.
struct LimitCase {
  std::string_view limit;           // "MAX_KERNEL"
  std::string_view what;            // tells several of one limit apart: "kernel_y"; for the id
  Labels labels;                    // of the draft that `change` starts from, as Breaker has them
  bool (*applies)(const Setting&);  // null: to every type row
  void (*change)(const Setting&, CaseDraft&);
};

struct Domain {
  // For a type row. The last axis is always "data": the data sets.
  std::vector<Axis> (*axes)(const Setting&);
  // Combinations that make no valid case.
  std::vector<Constraint> constraints;
  // Null: no case, since nobody knows the answer (CUSTOM).
  CaseDraft (*build)(const Choice&);
  std::vector<Breaker> breakers = {};
  std::vector<LimitCase> limits = {};
  // Where the type row leaves open which types a graph has: each breaker starts from each of these,
  // so that implementations of integers and of floats find one of theirs.
  std::vector<Labels> starts = {};
  // What DeclareAxes has found; null: nobody guards the labels.
  std::shared_ptr<const DeclaredAxes> declared = nullptr;
};

// Finds all axes and labels of a domain (`owner` in messages), whichever edition, level and type
// row of the operator has them, for Domain::declared. `also` has the axes of another domain, whose
// function builds a part of the cases: some of them may be missing here. A constraint, breaker,
// limit or start that names an axis or a label that there is not ends the program with a message.
void DeclareAxes(std::string owner, std::string_view op, bool (*applies)(const Setting&),
                 const DeclaredAxes* also, Domain& domain);

inline int DotProductSetNumber(const Label& data_set) {
  return DotProductSetNumber(data_set.text());
}

struct OperatorDomain {
  std::string_view name;  // "CONV2D"
  Domain (*domain)();
};

// One for every operator of operators.def, in its order.
const std::vector<OperatorDomain>& OperatorDomains();

// What breaks the argument tables: "graph.type_row" and the like. They apply to any operator.
const std::vector<Breaker>& GraphBreakers();

// In generator/ops/<stem>.cc, in a namespace of its own: what helps one operator means something
// else to the next.
#define CTS_OPERATOR(NAME, Function, stem) \
  namespace stem##_domain {                \
    Domain Function##Domain();             \
  }
#include "reference/spec/operators.def"
#undef CTS_OPERATOR

// --- What several domains share.

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

// For operators of one input. Axis "shape" has room for what exhaustive data set the type allows,
// and a large shape; PatternData is the data set, if there is one; UnaryConstraints keeps each to
// the other. "exhaustive8" and "exhaustive16" hold every bit pattern, "limits" holds thresholds.
Axis UnaryShapes(const Setting& setting, DType type);
std::vector<std::string> PatternData(DType type);
std::vector<Constraint> UnaryConstraints();
// Whether the input comes out of CONST.
Axis UnaryOperand();

// For a function of one floating-point number: shapes, and the data sets "full-range", "special",
// "finite", numbers from `low` to `high`, and "limits", `thresholds` and their neighbours.
CaseDraft BuildFunction(const Choice& choice, double low, double high,
                        const std::vector<double>& thresholds = {});
Domain FunctionDomain(CaseDraft (*build)(const Choice&));

// {"propagate", "ignore"} if the edition's operator has nan_mode and the type is floating point.
void AddNanModeAxis(const Setting& setting, DType dtype, std::vector<Axis>& axes);
void SetNanMode(const Choice& choice, CaseDraft& draft);

// Axis "parameters" with the values "const" and, of full domains, "run": whether the operands
// `arguments` (zero points, multipliers, lists), which the profiles want constant, come out of
// CONST or in from outside, for which the edition has an extension. No axis where it has none.
void AddParametersAxis(const Setting& setting, const std::vector<std::string_view>& arguments,
                       std::vector<Axis>& axes);
// Makes them what the choice says.
void SetParameters(const Choice& choice, const std::vector<std::string_view>& arguments,
                   CaseDraft& draft);

// "first", "middle", "last" of a shape's axes as a number.
int64_t AxisNumber(const Label& label, const Shape& shape);

// Limit MAX_RANK of operators whose operands and result have one rank: dimensions of 1 before those
// of the draft.
LimitCase MaxRankLimit(const Labels& labels = {});

// Gives a tensor of the draft another shape: the same values, from the first again where they end.
// Zeros would be refused by a divisor's own rules.
void Reshape(Tensor& tensor, Shape shape);

}  // namespace cts
