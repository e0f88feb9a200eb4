#include "checker/judge/across_cases.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "reference/spec/edition.h"

namespace cts {
namespace {

constexpr std::string_view kSubnormals = "subnormals";

// A choice, and the type for which it is made.
using Choice = std::pair<std::string, DType>;

// The evidence of one output: at least one of these choices has its second option (flushed, +0), or
// its first (kept, -0).
struct Evidence {
  std::set<Choice> about;
  bool second = false;
  bool all_or_none = true;
  bool moved = false;
  const CaseReport* shown_by = nullptr;
  std::string element = {};  // that shows it, as OutputReport has it
};

using Assignment = std::map<Choice, bool>;

bool Agrees(const Evidence& evidence, const Assignment& assignment) {
  return std::any_of(evidence.about.begin(), evidence.about.end(), [&](const Choice& choice) {
    return assignment.at(choice) == evidence.second;
  });
}

// Evidence and the choices that it joins, some of it directly and some by way of others. Only the
// subnormals of several types are ever joined, so that a part has no more choices than there are
// types.
struct Part {
  std::set<Choice> choices;
  std::vector<const Evidence*> evidence;
};

std::vector<Part> PartsOf(const std::vector<Evidence>& all) {
  std::vector<Part> parts;
  for (const Evidence& evidence : all) {
    Part joined{evidence.about, {&evidence}};
    std::vector<Part> others;
    for (Part& part : parts) {
      const bool shares =
          std::any_of(evidence.about.begin(), evidence.about.end(),
                      [&](const Choice& choice) { return part.choices.contains(choice); });
      if (!shares) {
        others.push_back(std::move(part));
        continue;
      }
      joined.choices.merge(part.choices);
      joined.evidence.insert(joined.evidence.end(), part.evidence.begin(), part.evidence.end());
    }
    others.push_back(std::move(joined));
    parts = std::move(others);
  }
  return parts;
}

// The assignments that agree with all of a part's evidence.
std::vector<Assignment> Explanations(const Part& part) {
  Assignment assignment;
  for (const Choice& choice : part.choices) assignment[choice] = false;
  std::vector<Assignment> explanations;
  for (unsigned bits = 0; bits < 1U << assignment.size(); ++bits) {
    unsigned bit = 1;
    for (auto& [choice, second] : assignment) {
      second = (bits & bit) != 0;
      bit <<= 1;
    }
    const auto agrees = [&](const Evidence* evidence) { return Agrees(*evidence, assignment); };
    if (std::all_of(part.evidence.begin(), part.evidence.end(), agrees)) {
      explanations.push_back(assignment);
    }
  }
  return explanations;
}

bool Possible(const std::vector<Evidence>& all) {
  const std::vector<Part> parts = PartsOf(all);
  return std::all_of(parts.begin(), parts.end(),
                     [](const Part& part) { return !Explanations(part).empty(); });
}

// The choices for which every explanation takes one and the same option.
Assignment Shown(const std::vector<Evidence>& all) {
  Assignment shown;
  for (const Part& part : PartsOf(all)) {
    const std::vector<Assignment> explanations = Explanations(part);
    for (const auto& [choice, second] : explanations.front()) {
      const Choice& of = choice;
      const bool same = second;
      if (std::all_of(explanations.begin(), explanations.end(),
                      [&](const Assignment& assignment) { return assignment.at(of) == same; })) {
        shown[choice] = second;
      }
    }
  }
  return shown;
}

std::set<Choice> SubnormalsOf(const std::set<DType>& types) {
  std::set<Choice> choices;
  for (const DType type : types) choices.emplace(kSubnormals, type);
  return choices;
}

// The first evidence of each kind, in the order of the cases; further ones add nothing.
class Collection {
 public:
  void Add(std::set<Choice> about, bool second, const FlushingEvidence& flushing,
           const CaseReport& c, const std::string& element = "") {
    Evidence evidence{.about = std::move(about),
                      .second = second,
                      .all_or_none = flushing.all_or_none,
                      .moved = flushing.moved && !second,
                      .shown_by = &c,
                      .element = element};
    const bool is_new = std::none_of(all_.begin(), all_.end(), [&](const Evidence& other) {
      return other.about == evidence.about && other.second == evidence.second &&
             other.moved == evidence.moved;
    });
    if (!evidence.about.empty() && is_new) all_.push_back(std::move(evidence));
  }
  const std::vector<Evidence>& all() const { return all_; }

 private:
  std::vector<Evidence> all_;
};

void CollectFrom(const OutputReport& output, const CaseReport& c, Collection& collected) {
  const ShownChoices& shown = output.shown;
  for (const bool positive : {false, true}) {
    if ((positive ? shown.positive_zero : shown.negative_zero) < 0) continue;
    collected.Add({{output.rule.zero_choice, output.dtype}}, positive, {}, c);
  }
  if (!output.flushing) return;
  const FlushingEvidence& flushing = *output.flushing;
  if (output.answer == "flushed" || shown.flushed >= 0) {
    collected.Add(SubnormalsOf(flushing.flushed), true, flushing, c, output.flushed_at);
  }
  if (output.answer == "unflushed") {
    collected.Add(SubnormalsOf(flushing.kept), false, flushing, c, output.kept_at);
  }
  // A subnormal is of the output's own type, whatever else the output tells of others.
  if (shown.kept >= 0 && !flushing.kept.empty()) {
    collected.Add(SubnormalsOf({output.dtype}), false, flushing, c, output.kept_at);
  }
}

std::vector<Evidence> Collect(const Report& report) {
  Collection collected;
  for (const CaseReport& c : report.cases) {
    for (const OutputReport& output : c.outputs) {
      if (!output.disputed) CollectFrom(output, c, collected);
    }
  }
  return collected.all();
}

// Outputs that only one of two answers fits, where the bundle does not say what that shows.
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

// Returns the edition of the report's suite; null if it was never added.
const Edition* EditionOf(const Report& report) {
  const StatusOr<const Edition*> edition = FindEdition(report.suite.edition);
  return edition.ok() ? *edition : nullptr;
}

std::string SentenceOf(const Edition* edition, const std::string& choice) {
  const NamedChoice* const named = edition == nullptr ? nullptr : edition->FindChoice(choice);
  return named == nullptr ? choice : named->sentence;
}

// " (its pseudocode)"; nothing if the edition does not say what an option follows.
std::string ClauseOf(const Edition* edition, const std::string& choice, bool second) {
  const NamedChoice* const named = edition == nullptr ? nullptr : edition->FindChoice(choice);
  const std::string means = named == nullptr ? "" : named->options[second ? 1 : 0].means;
  return means.empty() ? "" : StrCat(" (", means, ")");
}

std::string Says(const Edition* edition, const Evidence& evidence) {
  std::string types;
  for (const auto& [choice, type] : evidence.about) {
    types += StrCat(types.empty() ? "" : " or ", Name(type));
  }
  const std::string& choice = evidence.about.begin()->first;
  if (choice != kSubnormals) {
    return StrCat(" gives ", evidence.second ? "+0" : "-0", " for ", SentenceOf(edition, choice),
                  " in ", types, ClauseOf(edition, choice, evidence.second));
  }
  return StrCat(evidence.second  ? " flushes"
                : evidence.moved ? " moves"
                                 : " keeps",
                " subnormal numbers of ", types,
                evidence.element.empty() ? "" : StrCat(" (", evidence.element, ")"));
}

// The name and the reason of evidence that contradicts itself.
struct Contradiction {
  std::string kind, why;
};

Contradiction Named(const std::vector<Evidence>& core) {
  const bool signs = std::any_of(core.begin(), core.end(), [](const Evidence& evidence) {
    return evidence.about.begin()->first != kSubnormals;
  });
  if (signs) return {"mixed_choice", "the text says both, and an implementation follows one"};
  const bool moved = std::any_of(core.begin(), core.end(),
                                 [](const Evidence& evidence) { return evidence.moved; });
  if (moved) {
    return {
        std::string(kMovedNotComputed),
        "an implementation flushes all values of a type or none, those that it only moves, too"};
  }
  const bool by_zero = std::any_of(core.begin(), core.end(), [](const Evidence& evidence) {
    return evidence.element.ends_with(kZeroOfFlushedOnly);
  });
  return {"mixed_flushing",
          StrCat("an implementation does one or the other for all values of a type",
                 by_zero ? ". A zero out of an overflow within, as in SIGMOID written as "
                           "1 / (1 + EXP(-x)), counts as flushed"
                         : "")};
}

// Tells of each contradiction, and takes the evidence of its choices away.
void TellContradictions(const Edition* edition, std::vector<Evidence>& all, std::set<Choice>* mixed,
                        Report* report) {
  while (!Possible(all)) {
    // Leave out evidence that the contradiction does not need; later cases first.
    std::vector<Evidence> core = all;
    for (size_t i = core.size(); i-- > 0;) {
      std::vector<Evidence> rest = core;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (!Possible(rest)) core = std::move(rest);
    }
    const Contradiction named = Named(core);
    Finding finding{.kind = named.kind};
    std::set<Choice> choices;
    bool forbidden = true;
    for (const Evidence& evidence : core) {
      const std::string& id = evidence.shown_by->id;
      finding.message += StrCat(finding.message.empty() ? "" : ", ", id, Says(edition, evidence));
      if (finding.cases.empty() || finding.cases.back() != id) finding.cases.push_back(id);
      choices.insert(evidence.about.begin(), evidence.about.end());
      forbidden = forbidden && evidence.all_or_none;
    }
    finding.message += StrCat("; ", named.why);
    if (forbidden) {
      report->findings.push_back(std::move(finding));
    } else {
      report->notes.push_back(std::move(finding.message));
    }
    mixed->insert(choices.begin(), choices.end());
    // Other types may be mixed as well.
    std::erase_if(all, [&](const Evidence& evidence) {
      return std::any_of(evidence.about.begin(), evidence.about.end(),
                         [&](const Choice& choice) { return choices.count(choice) > 0; });
    });
  }
}

// The option of each choice that every explanation has, for the types that outputs have.
void WriteAssignment(const Edition* edition, const std::vector<Evidence>& all,
                     const std::set<Choice>& mixed, Report* report) {
  if (edition == nullptr) return;
  const Assignment shown = Shown(all);
  std::set<DType> types;
  for (const CaseReport& c : report->cases) {
    for (const OutputReport& output : c.outputs) {
      if (Info(output.dtype).may_flush) types.insert(output.dtype);
    }
  }
  for (const NamedChoice& named : edition->choices) {
    if (!named.by_type) continue;
    for (const DType type : types) {
      ChosenOption chosen{named.id, named.sentence, type, "", ""};
      const Choice choice{named.id, type};
      if (mixed.count(choice) > 0) {
        chosen.option = "mixed";
      } else if (const auto option = shown.find(choice); option != shown.end()) {
        chosen.option = named.options[option->second ? 1 : 0].name;
        chosen.means = named.options[option->second ? 1 : 0].means;
      }
      report->choices.push_back(std::move(chosen));
    }
  }
}

}  // namespace

void FindChoices(Report* report) {
  NoteSilentOutputs(report);
  const Edition* const edition = EditionOf(*report);
  const std::vector<Evidence> collected = Collect(*report);
  std::set<Choice> mixed;
  // First what is computed: who contradicts himself there has no excuse.
  std::vector<Evidence> all = collected;
  std::erase_if(all, [](const Evidence& evidence) { return evidence.moved; });
  TellContradictions(edition, all, &mixed, report);
  for (const Evidence& evidence : collected) {
    if (!evidence.moved) continue;
    const bool told = std::any_of(evidence.about.begin(), evidence.about.end(),
                                  [&](const Choice& choice) { return mixed.count(choice) > 0; });
    if (!told) all.push_back(evidence);
  }
  TellContradictions(edition, all, &mixed, report);
  WriteAssignment(edition, all, mixed, report);
}

void FindNondeterminism(Report* report) {
  Finding finding{.kind = "not_deterministic"};
  const CaseReport* first = nullptr;
  for (const CaseReport& c : report->cases) {
    if (c.differs.empty() || !c.disputed.empty()) continue;
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
