#include "checker/across_cases.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace cts {
namespace {

// The evidence of one output: at least one of these types is flushed, or kept.
struct Evidence {
  std::set<DType> types;
  bool flushed = false;
  bool all_or_none = true;
  const CaseReport* shown_by = nullptr;
};

// Whether some choice, type by type, agrees with all of the evidence.
bool Possible(const std::vector<Evidence>& all) {
  std::set<DType> types;
  for (const Evidence& evidence : all) types.insert(evidence.types.begin(), evidence.types.end());
  for (unsigned choice = 0; choice < 1U << types.size(); ++choice) {
    std::set<DType> flushed;
    unsigned bit = 1;
    for (const DType type : types) {
      if ((choice & bit) != 0) flushed.insert(type);
      bit <<= 1;
    }
    const auto agrees = [&](const Evidence& evidence) {
      return std::any_of(evidence.types.begin(), evidence.types.end(),
                         [&](DType type) { return (flushed.count(type) > 0) == evidence.flushed; });
    };
    if (std::all_of(all.begin(), all.end(), agrees)) return true;
  }
  return false;
}

std::string TypesOf(const Evidence& evidence) {
  std::string text;
  for (const DType type : evidence.types) text += StrCat(text.empty() ? "" : " or ", Name(type));
  return text;
}

// The first evidence of each kind, in the order of the cases; further ones add nothing.
std::vector<Evidence> Collect(const Report& report) {
  std::vector<Evidence> collected;
  for (const CaseReport& c : report.cases) {
    for (const OutputReport& output : c.outputs) {
      if (!output.flushing) continue;
      const bool flushed = output.answer == "flushed";
      if (!flushed && output.answer != "unflushed") continue;
      const std::set<DType>& types = flushed ? output.flushing->flushed : output.flushing->kept;
      const bool is_new = std::none_of(
          collected.begin(), collected.end(),
          [&](const Evidence& other) { return other.types == types && other.flushed == flushed; });
      if (types.empty() || !is_new) continue;
      collected.push_back({types, flushed, output.flushing->all_or_none, &c});
    }
  }
  return collected;
}

// Outputs that only one of two answers fits, of which the bundle does not say what that shows.
void NoteSilentOutputs(Report* report) {
  size_t count = 0;
  const CaseReport* first = nullptr;
  for (const CaseReport& c : report->cases) {
    for (const OutputReport& output : c.outputs) {
      if (output.flushing || (output.answer != "flushed" && output.answer != "unflushed")) continue;
      if (count++ == 0) first = &c;
    }
  }
  if (count == 0) return;
  report->notes.push_back(
      StrCat(count, count == 1 ? " output fits" : " outputs fit",
             " only one of two answers, and the suite does not say what that shows of flushing (",
             first->id, "): mixed flushing was not looked for there; generate the suite again"));
}

}  // namespace

void FindMixedFlushing(Report* report) {
  NoteSilentOutputs(report);
  std::vector<Evidence> all = Collect(*report);
  while (!Possible(all)) {
    // Leave out evidence that the contradiction does not need; later cases first.
    std::vector<Evidence> core = all;
    for (size_t i = core.size(); i-- > 0;) {
      std::vector<Evidence> rest = core;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (!Possible(rest)) core = std::move(rest);
    }
    Finding finding{.kind = "mixed_flushing"};
    std::set<DType> types;
    bool forbidden = true;
    for (const Evidence& evidence : core) {
      finding.message += StrCat(finding.cases.empty() ? "" : ", ", evidence.shown_by->id,
                                evidence.flushed ? " flushes" : " keeps", " subnormal numbers of ",
                                TypesOf(evidence));
      finding.cases.push_back(evidence.shown_by->id);
      types.insert(evidence.types.begin(), evidence.types.end());
      forbidden = forbidden && evidence.all_or_none;
    }
    finding.message += "; an implementation does one or the other for all values of a type";
    if (forbidden) {
      report->findings.push_back(std::move(finding));
    } else {
      report->notes.push_back(std::move(finding.message));
    }
    // Other types may be mixed as well.
    std::erase_if(all, [&](const Evidence& evidence) {
      return std::any_of(evidence.types.begin(), evidence.types.end(),
                         [&](DType type) { return types.count(type) > 0; });
    });
  }
}

void FindNondeterminism(Report* report) {
  Finding finding{.kind = "not_deterministic"};
  const CaseReport* first = nullptr;
  for (const CaseReport& c : report->cases) {
    if (c.differs.empty()) continue;
    if (first == nullptr) first = &c;
    finding.cases.push_back(c.id);
  }
  if (first == nullptr) return;
  finding.message =
      StrCat(finding.cases.size(), finding.cases.size() == 1 ? " case" : " cases",
             " answered differently when run again; ", first->id, ": ", first->differs);
  report->findings.push_back(std::move(finding));
}

}  // namespace cts
