#include "tools/program/audit/diagnose_accumulator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "checker/judge/check_notes.h"
#include "checker/rules/match.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/faults/accumulation.h"
#include "reference/faults/catalogue.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// Every model makes every sum of the first; those that are left make the sums of the others.
constexpr size_t kFirst = 2, kMost = 20, kMostPassing = 5;
constexpr double kNear = 2;  // the factor that is near

// One case of the dot-product rule, as the implementation answered it.
struct Sums {
  CheckedCase checked;
  const Level* level = nullptr;
};

// The extent to which a model's sums are those of the implementation, in one case.
struct Likeness {
  bool same = false;
  double factor = std::numeric_limits<double>::infinity();  // of the sums of squared errors
};

bool IsOfSums(const Case& c, const Edition& edition) {
  if (c.outcome != Outcome::kValid || c.executions() != 1 || c.outputs.size() != 1) return false;
  if (c.graph.main().operators.empty() || edition.FindLevel(c.level) == nullptr) return false;
  const ExpectedOutput& output = c.outputs.front();
  return output.rule.kind == RuleKind::kDotProduct && !output.answers.empty();
}

bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  for (int64_t i = 0; i < a.size(); ++i) {
    if (a.Bits(i) == b.Bits(i)) continue;
    if (!std::isnan(a.Element(i)) || !std::isnan(b.Element(i))) return false;
  }
  return true;
}

// Over all elements that have a limit, those that are refused included.
double SquaredErrors(const ExpectedOutput& output, size_t answer, const Tensor& result) {
  const ElementJudge judge(output, output.answers[answer], result);
  double sum = 0;
  for (int64_t i = 0; i < result.size(); ++i) {
    const DotProductElement element = judge.DotProduct(i);
    if (element.limited && std::isfinite(element.error)) sum += element.error * element.error;
  }
  return sum;
}

Likeness Try(const AccumulatorModel& model, const Sums& sums, const Edition& edition) {
  const Case& c = sums.checked.expected;
  Fault fault;
  fault.op = c.op;
  fault.does = [&](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    const auto arithmetic = InAccumulator(model);
    return ComputeWith(op, call, *arithmetic);
  };
  const auto results = ExecuteFaulty(fault, c.graph, c.InputsOfExecutions(), edition, *sums.level);
  if (!results.ok() || results->front().outcome != Outcome::kValid) return {};
  const auto& output = sums.checked.outputs.front();
  const auto found = results->front().outputs.find(c.outputs.front().name);
  if (found == results->front().outputs.end()) return {};
  Likeness made;
  made.same = SameBits(found->second, *output.result);
  const double own = SquaredErrors(c.outputs.front(), output.answer, *output.result);
  const double other = SquaredErrors(c.outputs.front(), output.answer, found->second);
  if (own > 0 && other > 0) made.factor = std::max(own / other, other / own);
  return made;
}

// The cases of the dot-product rule among these, short sums first. `modes`: of their type rows, if
// not empty.
StatusOr<std::vector<Sums>> Read(const Report& report, const std::vector<const CaseReport*>& cases,
                                 size_t most, const std::set<std::string>& modes,
                                 const Edition& edition) {
  std::vector<Sums> all;
  for (const CaseReport* const c : cases) {
    if (all.size() >= 4 * most) break;
    CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry,
                         FindCase(report.suite, c->id, report.suite_path));
    CTS_ASSIGN_OR_RETURN(CheckedCase checked, CheckCase(report.suite_path, *entry,
                                                        report.suite.edition, report.results_path));
    // A refusal has no outputs.
    if (!IsOfSums(checked.expected, edition) || checked.outputs.empty() ||
        !checked.outputs.front().result) {
      continue;
    }
    // Zeros and infinities alone say nothing of an accumulator.
    if (checked.expected.data_set == "S0" || checked.expected.data_set == "non-finite") continue;
    if (!modes.empty() && !modes.contains(checked.expected.mode)) continue;
    const Level* const level = edition.FindLevel(checked.expected.level);
    all.push_back({std::move(checked), level});
  }
  const auto length = [](const Sums& sums) {
    return sums.checked.expected.outputs.front().rule.kernel_size;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Sums& a, const Sums& b) { return length(a) < length(b); });
  if (all.size() > most) all.resize(most);
  return all;
}

// The likeness of each model's results to those of each case.
using Attempts = std::map<const AccumulatorModel*, std::vector<Likeness>>;

Status Fill(const std::vector<const AccumulatorModel*>& models, const std::vector<Sums>& cases,
            const Edition& edition, const AccumulatorOptions& options, Attempts& attempts) {
  for (const AccumulatorModel* const model : models) attempts[model].resize(cases.size());
  const ParallelOptions parallel{.jobs = options.jobs, .stop = options.stop};
  return ParallelFor(models.size() * cases.size(), parallel, [&](size_t k) -> Status {
    const AccumulatorModel* const model = models[k / cases.size()];
    const size_t i = k % cases.size();
    attempts.find(model)->second[i] = Try(*model, cases[i], edition);
    return absl::OkStatus();
  });
}

uint64_t CountSame(const std::vector<Likeness>& made) {
  return static_cast<uint64_t>(
      std::count_if(made.begin(), made.end(), [](const Likeness& one) { return one.same; }));
}

double GreatestFactor(const std::vector<Likeness>& made) {
  double factor = 1;
  for (const Likeness& one : made) factor = std::max(factor, one.factor);
  return factor;
}

// The type of the sums in the first case's row.
std::optional<DType> AccumulatorOfCase(const Sums& sums, const Edition& edition) {
  const Case& c = sums.checked.expected;
  for (const TypeRow& row : edition.FindOperator(c.op)->type_rows) {
    if (row.mode == c.mode) return AccumulatorOf(row);
  }
  return std::nullopt;
}

}  // namespace

StatusOr<std::optional<AccumulatorDiagnosis>> DiagnoseAccumulator(
    const Report& report, const std::vector<const CaseReport*>& failing,
    const std::vector<const CaseReport*>& passing, const AccumulatorOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(report.suite.edition));
  CTS_ASSIGN_OR_RETURN(const std::vector<Sums> cases, Read(report, failing, kMost, {}, *edition));
  if (cases.empty()) return std::optional<AccumulatorDiagnosis>();
  const std::vector<Sums> first(
      cases.begin(), cases.begin() + static_cast<int64_t>(std::min(cases.size(), kFirst)));
  std::vector<const AccumulatorModel*> models;
  for (const AccumulatorModel& model : AccumulatorModels()) models.push_back(&model);
  Attempts of_first;
  CTS_RETURN_IF_ERROR(Fill(models, first, *edition, options, of_first));

  // An implementation may have another accumulator in another row.
  std::set<std::string> modes;
  for (const Sums& sums : cases) modes.insert(sums.checked.expected.mode);
  AccumulatorDiagnosis diagnosis;
  diagnosis.of_failing = cases.size();
  std::vector<const AccumulatorModel*> left;
  for (const AccumulatorModel* const model : models) {
    if (CountSame(of_first[model]) == first.size()) left.push_back(model);
  }
  if (left.empty()) {
    for (const AccumulatorModel* const model : models) {
      const double factor = GreatestFactor(of_first[model]);
      if (factor > kNear || (diagnosis.factor && factor >= *diagnosis.factor)) continue;
      diagnosis.model = model;
      diagnosis.factor = factor;
    }
    if (diagnosis.model == nullptr) return std::optional<AccumulatorDiagnosis>();
    diagnosis.of_failing = first.size();
    diagnosis.same = CountSame(of_first[diagnosis.model]);
    diagnosis.name = NameOf(*diagnosis.model, AccumulatorOfCase(first.front(), *edition));
    return std::optional<AccumulatorDiagnosis>(std::move(diagnosis));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<Sums> accepted,
                       Read(report, passing, kMostPassing, modes, *edition));
  Attempts of_failing, of_passing;
  CTS_RETURN_IF_ERROR(Fill(left, cases, *edition, options, of_failing));
  CTS_RETURN_IF_ERROR(Fill(left, accepted, *edition, options, of_passing));
  const auto counts = [&](const AccumulatorModel* model) {
    return std::pair(CountSame(of_failing[model]), CountSame(of_passing[model]));
  };
  for (const AccumulatorModel* const model : left) {
    if (diagnosis.model == nullptr || counts(model) > counts(diagnosis.model)) {
      diagnosis.model = model;
    }
  }
  std::tie(diagnosis.same, diagnosis.same_passing) = counts(diagnosis.model);
  diagnosis.of_passing = accepted.size();
  for (const AccumulatorModel* const model : left) {
    if (model != diagnosis.model && counts(model) == counts(diagnosis.model)) {
      diagnosis.alike.push_back(model->id);
    }
  }
  diagnosis.name = NameOf(*diagnosis.model, AccumulatorOfCase(cases.front(), *edition));
  return std::optional<AccumulatorDiagnosis>(std::move(diagnosis));
}

std::string AccumulatorText(const AccumulatorDiagnosis& diagnosis) {
  std::string text = StrCat(WhatIsLost(*diagnosis.model), " (", diagnosis.name, "): ");
  if (diagnosis.factor) {
    char factor[32];
    std::snprintf(factor, sizeof factor, "%.2f", *diagnosis.factor);
    return text +
           StrCat("the nearest of the models, bit for bit in ", diagnosis.same, " of ",
                  diagnosis.of_failing,
                  " failing cases of the dot-product rule; the sums of squared errors differ "
                  "by a factor of ",
                  factor, " at most");
  }
  text += StrCat("bit for bit in ", diagnosis.same, " of ", diagnosis.of_failing,
                 " failing cases of the dot-product rule and in ", diagnosis.same_passing, " of ",
                 diagnosis.of_passing, " passing ones");
  if (!diagnosis.alike.empty()) {
    text +=
        StrCat("; ", diagnosis.alike.size(), " other model", diagnosis.alike.size() == 1 ? "" : "s",
               " just as well: ", FirstNames(diagnosis.alike));
  }
  return text;
}

Json AccumulatorToJson(const AccumulatorDiagnosis& diagnosis) {
  Json json = {{"model", diagnosis.model->id},
               {"what", WhatIsLost(*diagnosis.model)},
               {"name", diagnosis.name},
               {"same", diagnosis.same},
               {"of_failing", diagnosis.of_failing},
               {"same_passing", diagnosis.same_passing},
               {"of_passing", diagnosis.of_passing},
               {"alike", diagnosis.alike}};
  if (diagnosis.factor) json["factor"] = *diagnosis.factor;
  return json;
}

}  // namespace cts
