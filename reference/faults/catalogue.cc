#include "reference/faults/catalogue.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "reference/base/contains.h"
#include "reference/base/nearest.h"
#include "reference/evaluate/resolve.h"
#include "reference/faults/accumulation.h"
#include "reference/faults/functions.h"
#include "reference/faults/graph_rewrites.h"
#include "reference/faults/relation_faults.h"
#include "reference/faults/right_answers.h"
#include "reference/faults/size_faults.h"
#include "reference/faults/state.h"
#include "reference/faults/symbolic.h"
#include "reference/faults/systematic.h"
#include "reference/graph/structure.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/edition_wording.h"
#include "reference/spec/precision_table.h"
#include "reference/symbolic/resolver.h"

namespace cts {
namespace {

class FaultDeparture : public Departure {
 public:
  explicit FaultDeparture(const Fault& fault)
      : fault_(fault), shifted_(fault.As<ShiftedBound>()), refuses_(fault.As<WrongRefusal>()) {
    if (const auto* const wrong = fault.As<Wrong>()) wrong_ = *wrong;
    if (const auto* const make = fault.As<WrongWithMemory>()) wrong_ = (*make)();
  }

  bool Sees(std::string_view condition, const Call& call, bool broken) const override {
    if (call.given().name != fault_.op) return broken;
    if (shifted_ != nullptr && condition == shifted_->condition) return SeesShifted(call, broken);
    return broken && condition != fault_.Missed();
  }
  bool Refuses(const Call& call) const override {
    return refuses_ != nullptr && call.given().name == fault_.op && (*refuses_)(call);
  }
  std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const override {
    if (wrong_ != nullptr && call.given().name == fault_.op && fault_.Touches(call.row()) &&
        (fault_.where == nullptr || fault_.where(call))) {
      std::optional<OperatorOutputs> outputs = wrong_(op, call);
      if (outputs.has_value()) return outputs;
    }
    return RememberedAnswer(op, call);
  }

 private:
  bool SeesShifted(const Call& call, bool broken) const {
    const auto& [id, argument, index, by] = *shifted_;
    const Condition* const condition = FindCondition(id, call.edition());
    if (!call.fits() || condition == nullptr || condition->broken == nullptr) return broken;
    CallEditor editor(call);
    std::vector<int64_t> values = editor.Integers(argument);
    if (static_cast<size_t>(index) >= values.size()) return broken;
    values[static_cast<size_t>(index)] += by;
    editor.Set(argument, values);
    const Call* const other = editor.Make();
    return other == nullptr ? broken : bool{condition->broken(*other)};
  }

  const Fault& fault_;
  const ShiftedBound* const shifted_;
  const WrongRefusal* const refuses_;
  Wrong wrong_;
};

using RowTest = std::function<bool(const TypeRow&)>;

// A fault that is right in an edition with a feature, except in the rows of `wrong_in`; null: no
// exception.
struct NoFault {
  Feature feature;
  RowTest wrong_in;
};

// Faults that some editions call right, leave open, or have no argument for.
const std::map<std::string_view, NoFault>& NoFaults() {
  const RowTest beyond_fp8 = [](const TypeRow& row) {
    return Info(*row.PlainType("out_t")).bits != 8;
  };
  static const auto& rows = *new std::map<std::string_view, NoFault>{
      // On an axis of NaN the last place is right; what follows a NaN may replace it by the
      // pseudocode (argmax.nan_order).
      {"argmax.takes_the_last_nan", {Feature::kArgmaxNanOrderUnclear, nullptr}},
      {"argmax.forgets_a_nan", {Feature::kArgmaxNanOrderUnclear, nullptr}},
      // -infinity, which fp8e4m3 does not have, shows the other half of MAX_POOL2D's.
      {"argmax.begins_with_the_least_finite", {Feature::kAlwaysPropagatesNan, nullptr}},
      {"clamp.folds_infinite_bounds", {Feature::kAlwaysPropagatesNan, nullptr}},
      {"max_pool2d.begins_with_the_least_finite",
       {Feature::kAlwaysPropagatesNan,
        [](const TypeRow& row) { return row.Type("in_out_t") != DType::kFp8E4M3; }}},
      {"reduce_max.line_of_ignored_nan_is_finite", {Feature::kAlwaysPropagatesNan, nullptr}},
      {"reduce_min.line_of_ignored_nan_is_finite", {Feature::kAlwaysPropagatesNan, nullptr}},
      // Neither has a table.
      {"tanh.loses_sign_of_zero", {Feature::kComparingIgnoresZeros, nullptr}},
      {"cast.loses_sign_of_zero", {Feature::kComparingIgnoresZeros, nullptr}},
      // notes.md, SELECT.
      {"select.nan_of_either", {Feature::kSelectNanUnclear, nullptr}},
      // The text does not say how an infinity is cast to fp8.
      {"cast.saturates_floats", {Feature::kSaturatingFp8Casts, beyond_fp8}},
      {"cast.infinity_is_nan", {Feature::kSaturatingFp8Casts, beyond_fp8}},
      {"cast.infinity_is_greatest", {Feature::kSaturatingFp8Casts, beyond_fp8}},
      {"cast.flushes_fp8", {Feature::kComparingIgnoresZeros, beyond_fp8}},
      // A mixture is allowed, and zero stands for any number below the normal ones.
      {"mul.flushes_some_results", {Feature::kMixedFlushing, nullptr}}};
  return rows;
}

// An implementation that takes feature maps for what they are in the edition is right. RESHAPE has
// no layout of its own to show the fault.
bool TakesOwnLayout(const Edition& edition, std::string_view id) {
  const bool channels_first = edition.Has(Feature::kChannelsFirst);
  if (id == "reshape.takes_channels_first") return channels_first;
  return id == "reshape.takes_channels_last" && !channels_first;
}

// Narrows the fault to the rows in which the edition makes it one. False if there are none.
bool Narrow(const Edition& edition, Fault& fault) {
  if (TakesOwnLayout(edition, fault.id)) return false;
  // notes.md, dot product, NaN and infinity: 0.100 leaves sums with infinities open.
  if (edition.Has(Feature::kAlwaysPropagatesNan) && IsOfInfiniteOperands(fault.id)) return false;
  // Elsewhere that is right.
  if (fault.id == "cast.overflows_fp8") return edition.Has(Feature::kSaturatingFp8Casts);
  const auto found = NoFaults().find(fault.id);
  if (found == NoFaults().end() || !edition.Has(found->second.feature)) return true;
  if (found->second.wrong_in == nullptr) return false;
  fault.touches = [all = fault.touches, these = found->second.wrong_in](const TypeRow& row) {
    return (all == nullptr || all(row)) && these(row);
  };
  return true;
}

// The clauses of the precision rows for floating-point results of the rows that a fault touches.
std::string PrecisionClauses(const Edition& edition, const OperatorSpec& spec, const Fault& fault) {
  std::vector<std::string> clauses;
  for (const TypeRow& types : spec.type_rows) {
    if (edition.precision == nullptr || !fault.Touches(types)) continue;
    for (const ArgumentSpec& output : spec.arguments) {
      if (output.category != ArgumentCategory::kOutput) continue;
      const std::optional<DType> result = types.PlainType(output.element_type);
      if (!result || !IsFloat(*result)) continue;
      const StatusOr<const PrecisionRow*> row =
          edition.precision->Find(spec.name, types, *result, [](const std::string&) { return ""; });
      if (!row.ok()) continue;
      const bool sums = (*row)->Is<DotProductPrecision>();
      const std::string& clause = sums ? edition.precision->dot_products()->clause : (*row)->clause;
      if (!Contains(clauses, clause)) clauses.push_back(clause);
    }
  }
  return clauses.empty() ? spec.name : absl::StrJoin(clauses, "; ");
}

// Adapts a fault of a text to the edition's operator: its name, the rows that can show the fault,
// the names of its arguments, the clauses of its precision.
void FitTo(const Edition& edition, const OperatorSpec& spec, Fault& fault) {
  if (fault.op != spec.name) {
    fault.op = spec.name;
    fault.id = absl::AsciiStrToLower(spec.name) + fault.id.substr(fault.id.find('.'));
  }
  if (fault.shows != nullptr) {
    fault.touches = [&spec, touches = fault.touches, shows = fault.shows](const TypeRow& row) {
      return (touches == nullptr || touches(row)) && shows(spec, row);
    };
  }
  fault.sentence = InEditionWords(spec, fault.sentence);
  fault.clause = InEditionWords(spec, fault.clause);
  if (absl::StrContains(fault.clause, kPrecisionClause)) {
    fault.clause = absl::StrReplaceAll(
        fault.clause, {{kPrecisionClause, PrecisionClauses(edition, spec, fault)}});
  }
}

Faults MakeFaults(const Edition& edition) {
  Faults faults;
  if (!edition.Has(Feature::kExecuted)) return faults;  // nothing executes it
  const auto add = [&](Faults some, const OperatorSpec& spec) {
    for (Fault& fault : some) {
      // Nearly the same in every edition, apart from the operators and type rows that the edition
      // has.
      if (!Narrow(edition, fault)) continue;
      const auto touched = [&](const TypeRow& row) { return fault.Touches(row); };
      const bool of_rows = !fault.IsOfConditions();
      if (fault.op != spec.Seen().name) continue;
      FitTo(edition, spec, fault);
      if (of_rows && std::none_of(spec.type_rows.begin(), spec.type_rows.end(), touched)) continue;
      faults.push_back(std::move(fault));
    }
  };
  // The edition may have several operators of one text.
#define CTS_OPERATOR(NAME, Function, stem)                                 \
  for (const OperatorSpec& spec : edition.operators) {                     \
    if (spec.definition != nullptr || spec.Seen().name != #NAME) continue; \
    add(stem##_faults::Function##Faults(), spec);                          \
    add(SystematicFaults(edition, spec, *FindOperator(#NAME)), spec);      \
    add(StateFaults(edition, spec), spec);                                 \
    add(RelationFaults(edition, spec), spec);                              \
    add(SizeFaults(spec), spec);                                           \
    add(GraphRewriteFaults(edition, spec), spec);                          \
  }
#include "reference/spec/operators.def"
#undef CTS_OPERATOR
  for (const OperatorSpec& spec : edition.operators) {
    if (spec.definition != nullptr) add(SystematicFaults(edition, spec, *OperatorFor(spec)), spec);
  }
  return faults;
}

}  // namespace

const Faults& FaultsOf(const Edition& edition) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, Faults>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, inserted] = known.try_emplace(edition.id);
  if (inserted) found->second = MakeFaults(edition);
  return found->second;
}

StatusOr<const Fault*> FindFault(const Edition& edition, std::string_view id) {
  std::vector<std::string> ids;
  for (const Fault& fault : FaultsOf(edition)) {
    if (fault.id == id) return &fault;
    ids.push_back(fault.id);
  }
  if (const Fault* const fault = FindSymbolicFault(edition, id)) return fault;
  for (const Fault& fault : SymbolicFaultsOf(edition)) ids.push_back(fault.id);
  return NotFound("edition ", edition.id, " has no fault \"", std::string(id), "\"",
                  "; did you mean ", absl::StrJoin(NearestNames(ids, id, 3), ", "),
                  "? tensor-cts list faults prints all");
}

namespace {

// Whether the fault accepts every violation of a symbolic program; false if there is none. The
// place of a violation begins with the name of its operator.
bool AcceptsAll(const Fault& fault, const std::vector<Violation>& violations) {
  return !violations.empty() &&
         std::all_of(violations.begin(), violations.end(), [&](const Violation& violation) {
           return violation.condition == fault.Missed() &&
                  (fault.op == "*" || violation.op.starts_with(fault.op + " "));
         });
}

}  // namespace

StatusOr<std::vector<NativeResult>> ExecuteFaulty(const Fault& fault, const Graph& graph,
                                                  const InputSequence& inputs,
                                                  const Edition& edition, const Level& level) {
  const FaultDeparture departure(fault);
  if (IsSymbolic(graph)) {
    CTS_RETURN_IF_ERROR(CheckStructure(graph, edition));
    CTS_RETURN_IF_ERROR(CheckSymbolicStructure(graph, edition));
  }
  const auto* const rewrite = fault.As<GraphRewrite>();
  if (rewrite == nullptr) {
    auto results = ExecuteNativeSequence(graph, inputs, edition, level, &departure);
    if (!results.ok() || fault.Missed().empty() || !IsSymbolic(graph)) return results;
    NativeResult& last = results->back();
    if (last.outcome != Outcome::kError) return results;
    // A violation that comes before a symbolic program is a static graph comes before there is a
    // call to ask about.
    const ExecutionInputs& given = inputs[results->size() - 1];
    const auto resolution = Resolve(graph, *given.binding, *given, edition, level);
    if (resolution.ok() && AcceptsAll(fault, resolution->violations)) {
      last.outcome = Outcome::kUnpredictable;
    }
    return results;
  }
  Graph other = graph;
  (*rewrite)(other);
  const auto refused = [](const StatusOr<std::vector<NativeResult>>& results) {
    return results.ok() &&
           std::any_of(results->begin(), results->end(), [](const NativeResult& result) {
             return result.outcome == Outcome::kError;
           });
  };
  auto results = ExecuteNativeSequence(other, inputs, edition, level);
  if (!refused(results) || refused(ExecuteNativeSequence(graph, inputs, edition, level))) {
    return results;
  }
  // A rewritten graph may nest deeper than the implementation does.
  Level deeper = level;
  if (const auto nesting = deeper.maxima.find("MAX_NESTING"); nesting != deeper.maxima.end()) {
    nesting->second += 2;
  }
  return ExecuteNativeSequence(other, inputs, edition, deeper);
}

}  // namespace cts
