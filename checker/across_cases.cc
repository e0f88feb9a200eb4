#include "checker/across_cases.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "reference/spec/edition.h"

namespace cts {
namespace {

constexpr std::array<std::string_view, 3> kTypes = {"fp16", "bf16", "fp32"};

// That these keep subnormals shows nothing: the edition's text of them does not let them be
// flushed, or they only move values, which an implementation may copy, and a compiler may leave
// out, whatever its arithmetic does.
const std::set<std::string>& SilentOperators() {
  static const auto& operators = *new std::set<std::string>{
      "ARGMAX",        "COND_IF",        "CONCAT",    "CONST",      "CONST_SHAPE", "CUSTOM",
      "GATHER",        "IDENTITY",       "PAD",       "REDUCE_SUM", "RESHAPE",     "RESIZE",
      "REVERSE",       "SCATTER",        "SLICE",     "TILE",       "TRANSPOSE",   "VARIABLE",
      "VARIABLE_READ", "VARIABLE_WRITE", "WHILE_LOOP"};
  return operators;
}

bool IsSilent(const GraphOperator& op, const Block& block) {
  // A constant operand is no result of an operator under test.
  if (op.op == "CONST" && block.operators.size() > 1) return false;
  if (op.op == "CAST") {
    // To bool, the text knows zero and not zero only.
    return std::any_of(op.outputs.begin(), op.outputs.end(), [&](const std::string& name) {
      const GraphTensor* const output = block.Find(name);
      return output != nullptr && output->dtype == DType::kBool;
    });
  }
  return SilentOperators().count(op.op) > 0;
}

// What one output shows: of the types whose bits are set, at least one is (not) flushed.
struct Evidence {
  unsigned types = 0;
  bool flushed = false;
  const CaseReport* shown_by = nullptr;
};

// Whether a choice, one bit a type, agrees.
bool Agrees(const Evidence& evidence, unsigned choice) {
  return ((evidence.flushed ? choice : ~choice) & evidence.types) != 0;
}

bool Possible(const std::vector<Evidence>& all) {
  for (unsigned choice = 0; choice < 1U << kTypes.size(); ++choice) {
    if (std::all_of(all.begin(), all.end(),
                    [&](const Evidence& evidence) { return Agrees(evidence, choice); })) {
      return true;
    }
  }
  return false;
}

std::string TypesOf(const Evidence& evidence) {
  std::string text;
  for (size_t i = 0; i < kTypes.size(); ++i) {
    if ((evidence.types >> i & 1) != 0) text += StrCat(text.empty() ? "" : " or ", kTypes[i]);
  }
  return text;
}

// Of one operator that reads one of these types and yields another: which of them decides between
// the answers.
void Narrow(const Graph& graph, FlushingScope& scope) {
  const Block& block = graph.main();
  const GraphOperator* only = nullptr;
  for (const GraphOperator& op : block.operators) {
    if (op.op == "CONST" || op.op == "CONST_SHAPE") continue;
    if (only != nullptr) return;
    only = &op;
  }
  if (only == nullptr || graph.regions.size() != 1 || scope.types.size() != 2) return;
  const auto types_of = [&](const std::vector<std::string>& names) {
    std::set<std::string> types;
    for (const std::string& name : names) {
      const GraphTensor* const tensor = block.Find(name);
      if (tensor != nullptr && scope.types.count(std::string(Name(tensor->dtype))) > 0) {
        types.emplace(Name(tensor->dtype));
      }
    }
    return types;
  };
  const std::set<std::string> read = types_of(only->inputs), yielded = types_of(only->outputs);
  if (read.size() != 1 || yielded.size() != 1 || read == yielded) return;
  // What is made of fp16 numbers by multiplying and adding is no subnormal of the wider types.
  if (*read.begin() == "fp16" &&
      (only->op == "CAST" || only->op == "MATMUL" || only->op == "FULLY_CONNECTED")) {
    scope.kept = scope.flushed = "fp16";
  }
  // bf16 and fp32 have the same exponents: who flushes what is read yields the zeros of the answer
  // without subnormals.
  if (only->op == "CAST" && *read.begin() != "fp16" && *yielded.begin() != "fp16") {
    scope.kept = *read.begin();
  }
}

// The first evidence of each kind, in the order of the cases; further ones add nothing.
std::vector<Evidence> Collect(const Report& report) {
  std::vector<Evidence> collected;
  for (const CaseReport& c : report.cases) {
    for (const OutputReport& output : c.outputs) {
      const bool flushed = output.answer == "flushed";
      const std::string& known = flushed ? c.flushing.flushed : c.flushing.kept;
      unsigned types = 0;
      for (size_t i = 0; i < kTypes.size(); ++i) {
        const std::string type(kTypes[i]);
        if (known.empty() ? c.flushing.types.count(type) > 0 : known == type) types |= 1U << i;
      }
      const Evidence evidence{types, flushed, &c};
      const bool shows = evidence.flushed || (output.answer == "unflushed" && !c.flushing.silent);
      const bool is_new =
          std::none_of(collected.begin(), collected.end(), [&](const Evidence& other) {
            return other.types == evidence.types && other.flushed == evidence.flushed;
          });
      if (types != 0 && shows && is_new) collected.push_back(evidence);
    }
  }
  return collected;
}

}  // namespace

FlushingScope ScopeOf(const Graph& graph) {
  FlushingScope scope;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        const std::string_view name = Name(tensor.dtype);
        if (std::find(kTypes.begin(), kTypes.end(), name) != kTypes.end()) {
          scope.types.emplace(name);
        }
      }
      for (const GraphOperator& op : block.operators) {
        scope.silent = scope.silent || IsSilent(op, block);
      }
    }
  }
  Narrow(graph, scope);
  return scope;
}

void FindMixedFlushing(Report* report) {
  std::vector<Evidence> all = Collect(*report);
  while (!Possible(all)) {
    // Leave out what the contradiction does without; later cases first.
    std::vector<Evidence> core = all;
    for (size_t i = core.size(); i-- > 0;) {
      std::vector<Evidence> rest = core;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      if (!Possible(rest)) core = std::move(rest);
    }
    Finding finding{.kind = "mixed_flushing"};
    unsigned types = 0;
    for (const Evidence& evidence : core) {
      finding.message += StrCat(finding.cases.empty() ? "" : ", ", evidence.shown_by->id,
                                evidence.flushed ? " flushes" : " keeps", " subnormal numbers of ",
                                TypesOf(evidence));
      finding.cases.push_back(evidence.shown_by->id);
      types |= evidence.types;
    }
    finding.message += "; an implementation does one or the other for all values of a type";
    const StatusOr<const Edition*> edition = FindEdition(report->suite.edition);
    if (edition.ok() && (*edition)->Has(Feature::kMixedFlushing)) {
      report->notes.push_back(std::move(finding.message));
    } else {
      report->findings.push_back(std::move(finding));
    }
    // Other types may be mixed as well.
    all.erase(
        std::remove_if(all.begin(), all.end(),
                       [&](const Evidence& evidence) { return (evidence.types & types) != 0; }),
        all.end());
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
