#include "tools/program/audit/audit.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>

#include "checker/judge/across_cases.h"
#include "checker/judge/check.h"
#include "generator/cover/condition_coverage.h"
#include "generator/draft/name_text.h"
#include "generator/generate.h"
#include "generator/ops/long_sums.h"
#include "generator/plan/parts.h"
#include "generator/plan/plan.h"
#include "generator/recipe/profiles.h"
#include "generator/recipe/space.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/base/pattern.h"
#include "reference/bundle/bundle.h"
#include "reference/evaluate/native.h"
#include "reference/faults/catalogue.h"
#include "reference/faults/right_answers.h"
#include "reference/faults/symbolic.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"

namespace cts {
namespace {

constexpr size_t kNever = std::numeric_limits<size_t>::max();

// The knowledge about one entry of Audit::faults while cases run.
struct Progress {
  std::atomic<size_t> first = kNever;  // position of the first case that catches it
  std::atomic<uint64_t> caught_by = 0;
  std::atomic<bool> asked = false;  // a shifted bound: the condition looks at that integer
  size_t recalled = kNever;         // position of the case of AuditOptions::since

  void Catch(size_t position) {
    ++caught_by;
    size_t known = first.load();
    while (position < known && !first.compare_exchange_weak(known, position)) {
    }
  }
};

// The result of `condition` for the call with the integer changed; `asked`: whether it looks at the
// integer.
bool SeesShifted(const ShiftedBound& shifted, const Condition& condition, const Call& call,
                 bool broken, bool* asked) {
  if (!call.fits() || condition.broken == nullptr) return broken;
  CallEditor editor(call);
  std::vector<int64_t> values = editor.Integers(shifted.argument);
  if (static_cast<size_t>(shifted.index) >= values.size()) return broken;
  values[static_cast<size_t>(shifted.index)] += shifted.by;
  editor.Set(shifted.argument, values);
  const Call* const other = editor.Make();
  if (other == nullptr) return broken;
  Inquiry inquiry;
  const bool sees{condition.broken(other->RecordingIn(&inquiry))};
  *asked = inquiry.AsksElement(shifted.argument, shifted.index);
  return sees;
}

// Whether the graph is one operator, apart from constants.
bool IsOneOperator(const Graph& graph) {
  if (graph.regions.size() != 1 || graph.main().operators.empty()) return false;
  if (graph.regions[0].blocks.size() != 1) return false;
  const std::vector<GraphOperator>& operators = graph.main().operators;
  return 1 >= std::count_if(operators.begin(), operators.end(),
                            [](const GraphOperator& found) { return !IsConstant(found); });
}

// A fault of an operator's conditions.
struct Watched {
  const Fault* fault;
  Progress* progress;
  const Condition* condition;  // of a shifted bound
};

// The watched faults of one operator, also by the id of the condition that they overlook or check
// one off.
struct WatchedFaults {
  std::vector<Watched> all;
  std::map<std::string, std::vector<size_t>, std::less<>> of_condition;
  std::vector<size_t> refusing;

  void Add(const Watched& watched) {
    const Fault& fault = *watched.fault;
    if (const auto* const shifted = fault.As<ShiftedBound>()) {
      of_condition[shifted->condition].push_back(all.size());
    }
    if (const auto* const missed = fault.As<MissedCondition>()) {
      of_condition[missed->condition].push_back(all.size());
    }
    if (fault.As<WrongRefusal>() != nullptr) refusing.push_back(all.size());
    all.push_back(watched);
  }
};

// Executes a case. All faults of one operator's conditions watch it: each notes what it would have
// seen otherwise. Faults that an earlier case shows are left out.
class ConditionWatch : public Departure {
 public:
  // `open`: the places of the faults that watch. `needs_results`: whether operators read what
  // others compute. `shifts_all`: also the integers at which a condition does not look.
  ConditionWatch(const std::string& op, const WatchedFaults& faults, std::vector<bool> open,
                 bool needs_results, bool shifts_all)
      : op_(op),
        faults_(faults),
        open_(std::move(open)),
        needs_results_(needs_results),
        shifts_all_(shifts_all),
        more_(open_.size()),
        refuses_(open_.size()),
        asked_(open_.size()) {}

  bool Sees(std::string_view id, const Call& call, bool broken) const override {
    broken_ += broken ? 1 : 0;
    if (call.given().name != op_) return broken;
    const auto found = faults_.of_condition.find(id);
    if (found == faults_.of_condition.end()) return broken;
    std::optional<Inquiry> inquiry;  // made once it is needed
    for (const size_t k : found->second) {
      if (!open_[k]) continue;
      const Watched& watched = faults_.all[k];
      if (broken && watched.fault->Missed() == id) --more_[k];
      if (watched.condition != nullptr && watched.condition->id == id) {
        const ShiftedBound& shifted = *watched.fault->As<ShiftedBound>();
        if (!inquiry) inquiry = Ask(*watched.condition, call);
        if (!shifts_all_ && !inquiry->CouldSee(shifted.argument, shifted.index)) continue;
        bool asked = false;
        const bool sees = SeesShifted(shifted, *watched.condition, call, broken, &asked);
        asked_[k] = asked_[k] || asked;
        more_[k] += int{sees} - int{broken};
      }
    }
    return broken;
  }
  bool Refuses(const Call& call) const override {
    if (call.given().name != op_) return false;
    for (const size_t k : faults_.refusing) {
      if (open_[k] && (*faults_.all[k].fault->As<WrongRefusal>())(call)) refuses_[k] = true;
    }
    return false;
  }

  // Zeros: no code reads the results, since conditions look at operands.
  std::optional<OperatorOutputs> Compute(const Operator&, const Call& call) const override {
    if (needs_results_) return std::nullopt;
    OperatorOutputs results;
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      const std::string& name = argument.spec->name;
      results[name] = std::make_shared<Tensor>(call.dtype(name), call.shape(name));
    }
    return results;
  }

  // Whether something is seen that the progress of a fault does not hold.
  bool IsNews() const {
    for (size_t k = 0; k < open_.size(); ++k) {
      if (!open_[k]) continue;
      if (Differs(k) || (asked_[k] && !faults_.all[k].progress->asked)) return true;
    }
    return false;
  }
  void Note(size_t position) const {
    for (size_t k = 0; k < open_.size(); ++k) {
      if (!open_[k]) continue;
      if (asked_[k]) faults_.all[k].progress->asked = true;
      if (Differs(k)) faults_.all[k].progress->Catch(position);
    }
  }

 private:
  // The things at which the condition looks. An integer at which it does not look may have any
  // value: the condition goes the same way and finds the same.
  static Inquiry Ask(const Condition& condition, const Call& call) {
    Inquiry inquiry;
    if (!call.fits() || condition.broken == nullptr) return inquiry;
    condition.broken(call.RecordingIn(&inquiry));
    return inquiry;
  }

  // Whether the fault at this place changes the case's outcome. A case that is broken in several
  // ways stays an error as long as one of them is seen.
  bool Differs(size_t k) const {
    const bool is_error = broken_ > 0;
    return is_error ? broken_ + more_[k] == 0 : more_[k] > 0 || refuses_[k];
  }

  const std::string& op_;
  const WatchedFaults& faults_;
  const std::vector<bool> open_;
  const bool needs_results_, shifts_all_;
  mutable int broken_ = 0;         // conditions
  mutable std::vector<int> more_;  // by fault: how many more it sees
  mutable std::vector<bool> refuses_;
  mutable std::vector<bool> asked_;  // a shifted bound: the condition looks at the integer
};

// Whether some output is refused or missing, or the outputs contradict each other in what they show
// of the edition's choices.
bool IsCaught(const Case& c, const std::vector<NativeResult>& results) {
  Report alone;
  alone.suite.edition = c.edition;
  alone.cases.emplace_back().id = c.id;
  if (results.size() != static_cast<size_t>(c.executions())) return true;
  for (const ExpectedOutput& output : c.outputs) {
    const NativeResult& result = results[static_cast<size_t>(output.execution)];
    if (result.outcome != Outcome::kValid) return true;
    const auto found = result.outputs.find(output.name);
    if (found == result.outputs.end() || found->second.shape() != output.shape ||
        found->second.dtype() != output.dtype) {
      return true;
    }
    alone.cases[0].outputs.push_back(JudgeTensor(output, found->second));
    if (alone.cases[0].outputs.back().verdict != Verdict::kPass) return true;
  }
  const auto shows = [](const OutputReport& output) { return output.ShowsChoices(); };
  if (std::none_of(alone.cases[0].outputs.begin(), alone.cases[0].outputs.end(), shows)) {
    return false;
  }
  FindChoices(&alone);
  return !alone.findings.empty();
}

bool HasOperator(const Graph& graph, const std::string& op) {
  const std::vector<GraphOperator>& operators = graph.main().operators;
  return std::any_of(operators.begin(), operators.end(),
                     [&](const GraphOperator& found) { return found.op == op; });
}

bool HasAnyType(const TypeRow& row, const std::vector<std::string>& types) {
  return types.empty() || std::any_of(row.types.begin(), row.types.end(), [&](const auto& type) {
           return Contains(types, type.second);
         });
}

// The calls of a case's operators, for faults that touch few of them.
class Reach {
 public:
  Reach(const Edition& edition, const Level& level, const Graph& graph)
      : edition_(edition), level_(level), graph_(graph), is_symbolic_(IsSymbolic(graph)) {}

  // Whether the fault touches a call of the case. Shapes of symbolic programs are not known here.
  bool Has(const Fault& fault) {
    if (fault.where == nullptr || is_symbolic_) return true;
    if (op_ != fault.op) MakeCalls(fault.op);
    return std::any_of(calls_.begin(), calls_.end(), [&](const auto& call) {
      return fault.Touches(call->row()) && fault.where(*call);
    });
  }

 private:
  void MakeCalls(const std::string& op) {
    op_ = op;
    calls_.clear();
    const OperatorSpec& spec = *edition_.FindOperator(op);
    for (const Region& region : graph_.regions) {
      for (const Block& block : region.blocks) {
        std::map<std::string, std::shared_ptr<const Tensor>> constants;
        for (const GraphTensor& tensor : block.tensors) {
          if (tensor.values) constants.emplace(tensor.name, tensor.values);
        }
        for (const GraphOperator& found : block.operators) {
          if (found.op != op) continue;
          calls_.push_back(std::make_unique<Call>(edition_, spec, level_, block, found, constants));
          if (!calls_.back()->fits()) calls_.pop_back();
        }
      }
    }
  }

  const Edition& edition_;
  const Level& level_;
  const Graph& graph_;
  const bool is_symbolic_;
  std::string op_;
  std::vector<std::unique_ptr<Call>> calls_;
};

// Whether the graph may call the operator more than once in an execution.
bool MayCallAgain(const Graph& graph, const std::string& op) {
  int calls = 0;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphOperator& found : block.operators) {
        if (found.op == "WHILE_LOOP") return true;
        calls += found.op == op;
      }
    }
  }
  return calls > 1 || IsSymbolic(graph);
}

// Whether the fault could make another value of a valid case. What it remembers takes a second
// call.
bool CanShow(const Fault& fault, const Case& c, Reach& reach) {
  const bool remembers = fault.As<WrongWithMemory>() != nullptr;
  return (!remembers || c.executions() > 1 || MayCallAgain(c.graph, fault.op)) && reach.Has(fault);
}

class Auditor {
 public:
  Auditor(const AuditOptions& options, const Parts& parts)
      : options_(options), edition_(*parts.edition) {
    if (!IsPartial()) return;
    for (const Part& part : parts.parts) {
      if (!Space(*part.domain, part.setting, options.recipe, part.is_graph).HasCases()) continue;
      asked_.emplace(part.setting.spec->name, "");
      asked_.emplace(part.setting.spec->name, part.setting.row->mode);
    }
  }

  Status Choose();
  StatusOr<Audit> Run();

 private:
  // Whether the edition has operators and type rows for which the recipe cannot have a case.
  bool IsPartial() const {
    return !options_.recipe.profiles.empty() || !options_.recipe.needs.empty();
  }
  void Add(const Fault& fault, std::string mode);
  // For programs with symbols: the faults that only they can show.
  Status TrySymbolic(size_t position, const Case& c, const Level& level);
  Status TryConditions(size_t position, const Case& c, const Level& level);
  Status TryValues(size_t position, const Case& c, const Level& level);
  Status Try(size_t position, const Case& c);
  // Whether a case could say more of a fault than those before it did: as far as the plan tells,
  // and as its graph tells. Answers of the reference are not there yet.
  bool CouldShow(size_t position, const PlannedCase& planned) const;
  StatusOr<bool> CouldShow(size_t position, const Case& c) const;
  // Finds the positions of the cases of AuditOptions::since.
  Status Recall();
  // Runs the open faults over the cases, of the recipe or of the suite.
  Status RunCases();
  Status RunSuite();
  // Whether a case is to be tried with the fault: no case before it shows the fault. A recalled
  // case that shows it stands for all.
  bool IsOpen(const Progress& progress, size_t position) const {
    if (recalls_) return progress.recalled == position;
    if (options_.count_all || options_.skip_nothing) return true;
    const size_t first = progress.first.load();
    return first >= position && (first == kNever || first != progress.recalled);
  }
  bool IsOpen(size_t k, size_t position) const { return IsOpen(*progress_[k], position); }
  // Executes a case with the open faults of its operator's conditions; nothing if there are none.
  StatusOr<std::unique_ptr<ConditionWatch>> Watch(size_t position, const Case& c,
                                                  const Level& level) const;
  // Why no case can show a fault, in a type row if the fault is one of values; empty: a case could
  // show it.
  std::string WhyUnreachable(const AuditedFault& audited, const UnbrokenConditions& unbroken) const;
  // For a recipe of some profiles or of one extension: whether it has no case of the operator, in
  // that type row if one is named.
  bool HasNoCaseOf(const std::string& op, const std::string& mode) const;
  // The condition of the edition's own that forbids cases at a limit of the level; empty if none.
  std::string ForbiddenAtLimit(const std::string& op, const std::string& level_condition) const;

  const AuditOptions& options_;
  const Edition& edition_;
  std::vector<AuditedFault> faults_;
  std::vector<std::unique_ptr<Progress>> progress_;  // in step with faults_
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> of_values_;  // operator, mode
  std::map<std::string, WatchedFaults> of_conditions_;                            // operator
  std::vector<size_t> of_symbolic_;
  std::set<std::pair<std::string, std::string>> asked_;  // operator, mode: HasNoCaseOf
  std::vector<LeftOut> left_out_;                        // by conditions of the edition's own
  bool recalls_ = false;  // only the recalled cases run, each with the faults that it showed
  std::mutex mutex_;
  std::map<size_t, std::pair<std::string, std::string>> cases_;  // position to id and data set
};

void Auditor::Add(const Fault& fault, std::string mode) {
  AuditedFault audited{.fault = &fault, .mode = std::move(mode)};
  progress_.push_back(std::make_unique<Progress>());
  if (fault.IsOfConditions()) {
    const auto* const shifted = fault.As<ShiftedBound>();
    const Condition* condition =
        shifted != nullptr ? FindCondition(shifted->condition, edition_) : nullptr;
    of_conditions_[fault.op].Add({&fault, progress_.back().get(), condition});
  } else {
    of_values_[{fault.op, audited.mode}].push_back(faults_.size());
  }
  faults_.push_back(std::move(audited));
}

Status Auditor::Choose() {
  const Recipe& recipe = options_.recipe;
  const auto chosen = [&](const Fault& fault) {
    const auto& ops = recipe.operators;
    if (!ops.empty() && !Contains(ops, fault.op)) return false;
    const auto& patterns = options_.faults;
    return patterns.empty() ||
           std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
             return MatchesPattern(pattern, fault.id);
           });
  };
  const Faults& of_static = FaultsOf(edition_);
  const Faults& of_symbolic = SymbolicFaultsOf(edition_);
  for (const std::string& pattern : options_.faults) {
    const auto matches = [&](const Fault& fault) { return MatchesPattern(pattern, fault.id); };
    if (std::any_of(of_static.begin(), of_static.end(), matches) ||
        std::any_of(of_symbolic.begin(), of_symbolic.end(), matches)) {
      continue;
    }
    // A name that is no pattern has names near it.
    if (pattern.find_first_of("*?[") == pattern.npos) {
      CTS_RETURN_IF_ERROR(FindFault(edition_, pattern).status());
    }
    return NotFound("audit: no fault of edition ", edition_.id, " is called \"", pattern,
                    "\"; tensor-cts list faults prints all");
  }
  for (const Fault& fault : of_symbolic) {
    if (!recipe.symbolic || !chosen(fault)) continue;
    of_symbolic_.push_back(faults_.size());
    progress_.push_back(std::make_unique<Progress>());
    faults_.push_back({.fault = &fault});
  }
  // The recipes of static graphs cover the operators' own faults.
  const bool is_static = recipe.valid_cases || recipe.error_cases || recipe.neighbours ||
                         recipe.limits || recipe.relations || recipe.sizes > 0 || recipe.graphs ||
                         recipe.samples > 0 || recipe.mutants > 0;
  for (const Fault& fault : of_static) {
    if ((recipe.symbolic && !is_static) || !chosen(fault)) continue;
    if (fault.IsOfConditions()) {
      Add(fault, "");
      continue;
    }
    for (const TypeRow& row : edition_.FindOperator(fault.op)->type_rows) {
      if (!fault.Touches(row)) continue;
      if (!IsWithin(row.profiles, recipe.profiles) || !HasAnyType(row, recipe.types)) continue;
      Add(fault, row.mode);
    }
  }
  if (faults_.empty()) return NotFound("audit: no fault matches what was asked for");
  return absl::OkStatus();
}

StatusOr<std::unique_ptr<ConditionWatch>> Auditor::Watch(size_t position, const Case& c,
                                                         const Level& level) const {
  const auto found = of_conditions_.find(c.op);
  if (found == of_conditions_.end()) return nullptr;
  const WatchedFaults& faults = found->second;
  std::vector<bool> open(faults.all.size());
  for (size_t k = 0; k < open.size(); ++k) open[k] = IsOpen(*faults.all[k].progress, position);
  if (!Contains(open, true)) return nullptr;
  auto watch = std::make_unique<ConditionWatch>(found->first, faults, std::move(open),
                                                !IsOneOperator(c.graph), options_.skip_nothing);
  CTS_RETURN_IF_ERROR(
      ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition_, level, watch.get())
          .status());
  return watch;
}

Status Auditor::TryConditions(size_t position, const Case& c, const Level& level) {
  CTS_ASSIGN_OR_RETURN(const auto watch, Watch(position, c, level));
  if (watch != nullptr) watch->Note(position);
  return absl::OkStatus();
}

Status Auditor::TrySymbolic(size_t position, const Case& c, const Level& level) {
  for (const size_t k : of_symbolic_) {
    Progress& progress = *progress_[k];
    if (!IsOpen(progress, position)) continue;
    const Fault& fault = *faults_[k].fault;
    const bool shows = c.outcome == Outcome::kValid
                           ? fault.As<GraphRewrite>() != nullptr && HasOperator(c.graph, fault.op)
                           : fault.Missed() == c.condition;
    if (!shows) continue;
    const auto results = ExecuteFaulty(fault, c.graph, c.InputsOfExecutions(), edition_, level);
    if (!results.ok()) return Annotate(results.status(), fault.id);
    const bool caught = c.outcome == Outcome::kValid ? IsCaught(c, *results)
                                                     : results->back().outcome != Outcome::kError;
    if (caught) progress.Catch(position);
  }
  return absl::OkStatus();
}

Status Auditor::TryValues(size_t position, const Case& c, const Level& level) {
  const auto found = of_values_.find({c.op, c.mode});
  if (c.outcome != Outcome::kValid || found == of_values_.end()) return absl::OkStatus();
  Reach reach(edition_, level, c.graph);
  std::optional<RightAnswers> answers;
  if (!options_.skip_nothing) answers.emplace();
  for (const size_t k : found->second) {
    Progress& progress = *progress_[k];
    if (options_.stop != nullptr && *options_.stop) return absl::CancelledError("interrupted");
    if (!IsOpen(progress, position)) continue;
    const Fault& fault = *faults_[k].fault;
    if (!options_.skip_nothing && !CanShow(fault, c, reach)) continue;
    const auto results = ExecuteFaulty(fault, c.graph, c.InputsOfExecutions(), edition_, level);
    // A fault is to execute something: what is no graph would be caught by any case.
    if (!results.ok()) return Annotate(results.status(), fault.id);
    if (IsCaught(c, *results)) progress.Catch(position);
  }
  return absl::OkStatus();
}

Status Auditor::Try(size_t position, const Case& c) {
  if (!c.disputed.empty()) return absl::OkStatus();  // what it shows decides nothing
  const Level& level = *edition_.FindLevel(c.level);
  CTS_RETURN_IF_ERROR(TryConditions(position, c, level));
  CTS_RETURN_IF_ERROR(TryValues(position, c, level));
  return IsSymbolic(c.graph) ? TrySymbolic(position, c, level) : absl::OkStatus();
}

bool Auditor::CouldShow(size_t position, const PlannedCase& planned) const {
  const auto is_open = [&](size_t k) { return IsOpen(k, position); };
  if (std::any_of(of_symbolic_.begin(), of_symbolic_.end(), is_open)) return true;
  const auto conditions = of_conditions_.find(planned.op);
  if (conditions != of_conditions_.end() &&
      std::any_of(conditions->second.all.begin(), conditions->second.all.end(),
                  [&](const Watched& watched) { return IsOpen(*watched.progress, position); })) {
    return true;
  }
  const auto values = of_values_.find({planned.op, planned.mode});
  return planned.condition.empty() && values != of_values_.end() &&
         std::any_of(values->second.begin(), values->second.end(), is_open);
}

StatusOr<bool> Auditor::CouldShow(size_t position, const Case& c) const {
  if (options_.count_all || options_.skip_nothing || IsSymbolic(c.graph)) return true;
  const Level& level = *edition_.FindLevel(c.level);
  const auto found = of_values_.find({c.op, c.mode});
  if (c.outcome == Outcome::kValid && found != of_values_.end()) {
    Reach reach(edition_, level, c.graph);
    for (const size_t k : found->second) {
      if (IsOpen(k, position) && CanShow(*faults_[k].fault, c, reach)) return true;
    }
  }
  CTS_ASSIGN_OR_RETURN(const auto watch, Watch(position, c, level));
  return watch != nullptr && watch->IsNews();
}

bool Auditor::HasNoCaseOf(const std::string& op, const std::string& mode) const {
  return IsPartial() && asked_.count({op, mode}) == 0;
}

std::string Auditor::ForbiddenAtLimit(const std::string& op,
                                      const std::string& level_condition) const {
  for (const ArgumentSpec& argument : edition_.FindOperator(op)->arguments) {
    for (const LevelLimit& limit : argument.level_limits) {
      if (limit.id != level_condition) continue;
      const std::string prefix = StrCat(Lower(op), "/limit-", Lower(limit.limit), "-");
      for (const LeftOut& left_out : left_out_) {
        if (left_out.id.starts_with(prefix)) return left_out.condition;
      }
    }
  }
  return "";
}

std::string Auditor::WhyUnreachable(const AuditedFault& audited,
                                    const UnbrokenConditions& unbroken) const {
  const Recipe& recipe = options_.recipe;
  const Fault& fault = *audited.fault;
  if (FindSymbolicFault(edition_, fault.id) != nullptr) return "";
  if (const auto* const missed = fault.As<MissedCondition>()) {
    return std::string(unbroken.Reason(missed->condition, fault.op));
  }
  if (!options_.suite.empty()) return "";  // a suite is not asked why it lacks a case
  if (HasNoCaseOf(fault.op, audited.mode)) {
    return StrCat("no case of ", fault.op, audited.mode.empty() ? "" : ", ", audited.mode,
                  recipe.needs.empty() ? " is of the recipe's profiles and extensions"
                                       : StrCat(" needs ", recipe.needs));
  }
  const auto& chosen = recipe.profiles;
  const bool is_known =
      std::any_of(edition_.profiles.begin(), edition_.profiles.end(),
                  [&](const ProfileSpec& profile) { return profile.name == fault.needs; });
  if (is_known && !chosen.empty() && !Contains(chosen, fault.needs)) {
    return StrCat("only what needs ", fault.needs, " shows it, which the recipe lacks");
  }
  if (fault.As<WrongWithMemory>() != nullptr && !(recipe.repeats && recipe.valid_cases)) {
    return "the recipe runs no graph of a single operator more than once";
  }
  if (fault.rung > recipe.sizes) {
    return recipe.sizes == 0 ? "the recipe has no cases of the ladder of sizes"
                             : StrCat("the recipe climbs the ladder of sizes up to ", recipe.sizes);
  }
  if (fault.sums > LongestSum(fault.op, recipe.long_sums)) {
    return StrCat("the recipe has no sums of ", fault.sums, " products");
  }
  if (fault.source == FaultSource::kShape && fault.rung == 0 && !recipe.relations) {
    return "the recipe has no cases of relations";
  }
  const auto* const shifted = fault.As<ShiftedBound>();
  if (shifted == nullptr) return "";
  const Condition* const condition = FindCondition(shifted->condition, edition_);
  if (condition->kind == ConditionKind::kLevel) {
    if (!recipe.limits) return "the recipe has no cases at the limits of the level";
    const std::string forbids = ForbiddenAtLimit(fault.op, shifted->condition);
    return forbids.empty() ? "" : StrCat("the condition ", forbids, " forbids cases at this limit");
  }
  if (!recipe.error_cases) return "the recipe asks for no error cases";
  return recipe.neighbours ? "" : "the recipe has no legal neighbours of error cases";
}

Status Auditor::Recall() {
  CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> planned, PlanCases(options_.recipe));
  std::map<std::string_view, size_t> positions;
  for (size_t k = 0; k < planned.size(); ++k) positions.emplace(planned[k].id, k);
  for (size_t k = 0; k < faults_.size(); ++k) {
    const auto since = options_.since.find({faults_[k].fault->id, faults_[k].mode});
    if (since == options_.since.end()) continue;
    const auto found = positions.find(since->second);
    if (found != positions.end()) progress_[k]->recalled = found->second;
  }
  return absl::OkStatus();
}

Status Auditor::RunSuite() {
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(options_.suite));
  CTS_ASSIGN_OR_RETURN(const Folder folder, Folder::Open(options_.suite));
  if (suite.edition != edition_.id) {
    return InvalidArgument(options_.suite.string(), ": found a suite of ", suite.edition,
                           ", expected one of ", edition_.id);
  }
  const ParallelOptions parallel{options_.jobs, options_.stop, options_.progress};
  return ParallelFor(suite.cases.size(), parallel, [&](size_t position) -> Status {
    const SuiteEntry& entry = suite.cases[position];
    const auto& ops = options_.recipe.operators;
    if (!ops.empty() && !Contains(ops, entry.op)) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const Case c, ReadVerifiedCase(folder, entry, edition_.id));
    if (edition_.FindLevel(c.level) == nullptr) {
      return InvalidArgument(c.id, ": found level ", c.level, ", expected one of ", edition_.id);
    }
    StatusOr<bool> could = CouldShow(position, c);
    if (!could.ok()) return Annotate(could.status(), c.id);
    if (!*could) return absl::OkStatus();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      cases_[position] = {c.id, c.data_set};
    }
    const Status tried = Try(position, c);
    return tried.ok() ? tried : Annotate(tried, c.id);
  });
}

Status Auditor::RunCases() {
  if (!options_.suite.empty()) return RunSuite();
  const GenerateOptions generate{.recipe = options_.recipe,
                                 .jobs = options_.jobs,
                                 .progress = options_.progress,
                                 .stop = options_.stop};
  const CaseFilter filter{
      .begins = [&](size_t position,
                    const PlannedCase& planned) { return CouldShow(position, planned); },
      .goes_on = [&](size_t position, const Case& c) { return CouldShow(position, c); }};
  return ForEachWantedCase(generate, filter, [&](size_t position, const Case& c) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      cases_[position] = {c.id, c.data_set};
    }
    const Status tried = Try(position, c);
    return tried.ok() ? tried : Annotate(tried, c.id);
  });
}

StatusOr<Audit> Auditor::Run() {
  CTS_RETURN_IF_ERROR(Choose());
  if (!options_.since.empty() && !options_.count_all && options_.suite.empty()) {
    CTS_RETURN_IF_ERROR(Recall());
    recalls_ = true;
    CTS_RETURN_IF_ERROR(RunCases());
    recalls_ = false;
  }
  CTS_RETURN_IF_ERROR(RunCases());
  CTS_ASSIGN_OR_RETURN(const UnbrokenConditions unbroken, UnbrokenConditions::Of(options_.recipe));
  if (!edition_.file.empty()) {  // the embedded ones have no conditions of their own
    CTS_ASSIGN_OR_RETURN(Plan plan, MakePlan(options_.recipe));
    left_out_ = std::move(plan.left_out);
  }
  Audit audit{
      .recipe = options_.recipe.name, .edition = edition_.id, .count_all = options_.count_all};
  for (size_t k = 0; k < faults_.size(); ++k) {
    AuditedFault& fault = faults_[k];
    const Progress& progress = *progress_[k];
    if (const size_t first = progress.first.load(); first != kNever) {
      std::tie(fault.first, fault.data_set) = cases_.at(first);
      fault.caught_by = options_.count_all ? progress.caught_by.load() : 1;
    } else if (fault.fault->As<ShiftedBound>() != nullptr && !progress.asked) {
      ++audit.not_asked;
      continue;
    } else {
      fault.unreachable = WhyUnreachable(fault, unbroken);
    }
    audit.faults.push_back(std::move(fault));
  }
  return audit;
}

}  // namespace

uint64_t Audit::Caught() const {
  return static_cast<uint64_t>(std::count_if(
      faults.begin(), faults.end(), [](const AuditedFault& fault) { return fault.caught(); }));
}

uint64_t Audit::Survivors() const {
  return static_cast<uint64_t>(std::count_if(
      faults.begin(), faults.end(),
      [](const AuditedFault& fault) { return !fault.caught() && fault.unreachable.empty(); }));
}

Status RecallFirstCases(const std::string& file, AuditOptions* options) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, "audit"));
  const std::string recipe = json["recipe"], edition = json["edition"];
  if (recipe != options->recipe.name || edition != options->recipe.edition) {
    return InvalidArgument(file, ": found an audit of ", recipe, ", ", edition,
                           ", expected one of ", options->recipe.name, ", ",
                           options->recipe.edition);
  }
  for (const Json& entry : json["entries"]) {
    if (!entry.contains("first")) continue;
    options->since[{entry["fault"], entry.value("types", "")}] = entry["first"];
  }
  return absl::OkStatus();
}

StatusOr<Audit> RunAudit(const AuditOptions& options) {
  // With names as the edition spells them.
  CTS_ASSIGN_OR_RETURN(const Parts parts, MakeParts(options.recipe));
  AuditOptions resolved = options;
  resolved.recipe = *parts.recipe;
  return Auditor(resolved, parts).Run();
}

}  // namespace cts
