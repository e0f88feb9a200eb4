// The precision table of an edition: the rules for each operator's results, as data
// (schemas/editions/precision/<id>.json).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

struct Edition;
struct TypeRow;

// The quantity to which a bound is proportional. kOne: 1, so the bound is constant. kReference: the
// magnitude of the reference result. kRaisedReference: the greater of this magnitude and the least
// normal number. kBinade: the greatest power of two that is not above kRaisedReference.
enum class Magnitude { kOne, kReference, kRaisedReference, kBinade };

// The method that finds the ends of an interval. The methods are in reference/precision.
enum class IntervalEnds { kTowardZeroOrNearest, kNearestSaturated, kInexactRescale };

// The number of terms that are added for one element: KS of the specification.
enum class DotProductLength {
  kKernel,             // the elements of the window in the attribute `kernel`
  kWeightsOfAnOutput,  // all weights of one output channel
  kWeightsOfAChannel,  // all weights of one channel of a depthwise kernel
  kColumnsOfA,
  kReducedAxis,
  kRealTransform,     // H * W
  kComplexTransform,  // 2 * H * W
};

// The numbers of an edition's dot-product rule. The number of effective roundings, ksb, is ceil(KS
// / 2^bits), plus one for the bias. `bits` is the number of fraction bits of the accumulator's type
// minus that of the output's type.
struct DotProductNumbers {
  // "tosa-1.0, Dot product accuracy requirements". DotProductLimits appends KS and ksb.
  std::string clause;
  bool half_of_the_bits = false;      // only half of `bits` counts, rounded down
  bool bias_always_counts = false;    // otherwise only a nonzero bias counts
  bool raise_to_normal_min = false;   // the sum that gives the bound raises magnitudes to
                                      // the least normal number and includes padding
  double absolute = 0;                // the limit of one error is absolute * ksb
  double variance = 0;                // the limit of the variance is variance * ksb
  bool variance_of_any_data = false;  // whether the variance is limited for any data, not
                                      // only for appendix A's data sets
  // The limit of the sum of the errors of all elements: error_sum_scale * sqrt(error_sum_radicand *
  // v * elements). v is the limit of the variance if error_sum_of_variance is set; otherwise v is
  // ksb.
  double error_sum_scale = 0;
  double error_sum_radicand = 0;
  bool error_sum_of_variance = false;
};

// --- The classes of rows, each with its numbers.

// The result must be the reference itself.
struct ExactPrecision {};

// Units in the last place, as the comparing function counts them.
struct UlpPrecision {
  double scale = 0;
};

// Within max(unit * least, normal_min * least_normal_min,
//            unit * magnitude * scale * (constant + slope * |x|)) of the reference.
// x is the argument, normal_min the least normal number, and frac the number of fraction bits of
// the result's type.
struct ElementwisePrecision {
  Magnitude magnitude = Magnitude::kOne;
  bool half_of_the_fraction = false;  // unit is 2^-floor(frac / 2); otherwise 2^-frac
  double scale = 0;
  double constant = 1;
  std::map<DType, double> constants;  // by type, in place of `constant`
  double slope = 0;
  double least = 0;
  double least_normal_min = 0;
  bool table = false;  // whether a table of the specification gives the results for infinities,
                       // zeros and NaN

  double Constant(DType dtype) const;
  // Whether the bound depends on the argument. If the bound depends on it, the operator has only
  // one argument.
  bool NeedsArgument() const { return table || slope != 0; }
};

// |result - ref| <= absolute + relative * |ref|.
struct RelativeAndAbsolutePrecision {
  double relative = 0;
  double absolute = 0;
};

// x^y. The error of y log |x| is 2^-frac * max(logarithm_scale * |y log |x||, logarithm_scale *
// normal_min, logarithm_least * |y|), or 0 if logarithm_scale is 0. In `bound` the argument is y
// log |x| plus this error.
struct PowerPrecision {
  ElementwisePrecision bound;
  double logarithm_scale = 0;
  double logarithm_least = 0;
};

// Let m be the greatest magnitude of the input. The bound is the greater of relative * m and scale
// * 2^-frac * max(m, normal_min).
struct LargestInputPrecision {
  double relative = 0;
  double scale = 0;
};

// The bound allows one rounding for each factor.
struct ProductPrecision {
  Magnitude magnitude = Magnitude::kOne;
};

// The result lies between two ends.
struct IntervalPrecision {
  IntervalEnds ends = IntervalEnds::kTowardZeroOrNearest;
};

// The statistical rule of DotProductNumbers.
struct DotProductPrecision {
  DotProductLength length = DotProductLength::kKernel;
  bool bound_is_local = true;  // whether each sum has a bound of its own; only for operators
                               // without the attribute local_bound
  // For a bound that is not local: the greatest magnitude in all these operands together replaces
  // each of their magnitudes.
  std::vector<std::string> whole_inputs;
  std::string counted;  // the operand that has one element for each dot product; empty: the output
};

using Precision = std::variant<ExactPrecision, UlpPrecision, ElementwisePrecision,
                               RelativeAndAbsolutePrecision, PowerPrecision, LargestInputPrecision,
                               ProductPrecision, IntervalPrecision, DotProductPrecision>;

// The element types that a type variable of a row may have.
struct TypeCondition {
  bool floating_point = false;  // all floating-point types
  bool integer = false;         // all other types
  std::vector<DType> types;     // these types, if neither is set

  bool Holds(DType dtype) const;
};

// One row: the rule for those results of an operator that meet the row's conditions.
struct PrecisionRow {
  std::string op;  // by its name in the edition
  // The kinds of results, the types and the values of attributes to which the row applies.
  bool to_floats = true;
  bool to_integers = false;
  std::map<std::string, TypeCondition> types;
  std::map<std::string, std::string> attributes;

  Precision precision;
  std::string form;         // the name of the form of the comparing function: "tosa-1.0"
  std::string clause;       // "tosa-1.0, EXP: within ..."
  bool zero_sign = false;   // whether -0 and +0 differ; with `table`, only where the table decides
  std::string zero_choice;  // with zero_sign: the named choice that allows +0 in place of -0

  // The numbers of a class; null if the row has another class.
  template <class Class>
  const Class* As() const {
    return std::get_if<Class>(&precision);
  }
  template <class Class>
  bool Is() const {
    return std::holds_alternative<Class>(precision);
  }
};

class PrecisionTable {
 public:
  // Reads the JSON of a file like schemas/editions/precision/<id>.json, and validates the JSON
  // against schemas/precision.schema.json and the edition's operators. `origin` is the file; empty:
  // the embedded file of the edition's id.
  static StatusOr<PrecisionTable> FromJson(const Json& json, const Edition& edition,
                                           const std::string& origin = "");

  // PrecisionRow::form of all rows.
  const std::string& form() const { return form_; }
  const std::vector<PrecisionRow>& rows() const { return rows_; }
  // The numbers of the dot-product rule; null if the table states none.
  const DotProductNumbers* dot_products() const {
    return dot_products_ ? &*dot_products_ : nullptr;
  }

  using AttributeOf = std::function<std::string(const std::string& name)>;
  // The only row for an operator's result of type `result` in the type row `types`. An error if no
  // row or more than one row applies. `attribute` returns the value of an enumeration attribute by
  // its name.
  StatusOr<const PrecisionRow*> Find(std::string_view op, const TypeRow& types, DType result,
                                     const AttributeOf& attribute) const;

  // Whether the dot-product rule applies to results of an operator in at least one type row.
  bool IsDotProduct(std::string_view op) const { return FindDotProduct(op) != nullptr; }
  // The numbers of the operator's first dot-product row; null if there is no such row.
  const DotProductPrecision* FindDotProduct(std::string_view op) const;

 private:
  std::string edition_;
  std::string file_;
  std::string form_;
  std::vector<PrecisionRow> rows_;
  // By operator: the row for integer results, used if no row of rows_ applies. Empty if the table
  // has no rule for such results.
  std::map<std::string, PrecisionRow, std::less<>> integers_;
  std::optional<DotProductNumbers> dot_products_;
};

// The table of an edition; an error if the edition has no table.
StatusOr<const PrecisionTable*> PrecisionOf(const Edition& edition);

// The embedded table of an edition; null if there is no table for its id.
StatusOr<std::shared_ptr<const PrecisionTable>> EmbeddedPrecision(const Edition& edition);

}  // namespace cts
