#include "tools/program/ask/resolve.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <set>
#include <system_error>

#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/resolve.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// As schemas/case.schema.json has it.
constexpr size_t kLongestId = 240;

struct Setting {
  const Edition* edition;
  const Level* level;
};

StatusOr<Setting> SettingOf(const Case& c) {
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
  const Level* const level = edition->FindLevel(c.level);
  if (level == nullptr) {
    return InvalidArgument("edition ", c.edition, " has no level \"", c.level, "\"");
  }
  return Setting{edition, level};
}

// Programs without a static graph, and why.
Status Refused(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& v : violations) {
    text += StrCat(text.empty() ? "" : "; ", v.condition, ": ", v.op, ": ", v.message);
  }
  return InvalidArgument("there is no static graph: ", text);
}

// "valid", "error: slice.end_range"
std::string Described(Outcome outcome, const std::string& why) {
  return StrCat(Name(outcome), why.empty() ? "" : ": ", why);
}

Status CheckSymbols(const Case& c, const Binding& binding) {
  if (!IsSymbolic(c.graph)) {
    return InvalidArgument(
        "found a static graph, expected a symbolic program; there is nothing to resolve");
  }
  CTS_RETURN_IF_ERROR(CheckBinding(c.graph, binding));
  // Values that the case itself leaves open may stay open.
  for (const std::string& symbol : InputSymbols(c.graph)) {
    const bool open = std::any_of(c.bindings.begin(), c.bindings.end(),
                                  [&](const Binding& given) { return !given.contains(symbol); });
    if (binding.contains(symbol) || open) continue;
    return InvalidArgument("symbol ", symbol, ": found no value; add --bind ", symbol, "=SIZE");
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Binding> ParseBinding(const std::vector<std::string>& arguments) {
  Binding binding;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    int64_t value = 0;
    const char* const end = argument.data() + argument.size();
    const bool named = equals != 0 && equals != std::string::npos && equals + 1 < argument.size();
    std::from_chars_result read = {};
    if (named) read = std::from_chars(argument.data() + equals + 1, end, value);
    if (!named || read.ptr != end || read.ec == std::errc::invalid_argument) {
      return InvalidArgument("--bind: found ", argument, ", expected SYMBOL=SIZE, such as N=4");
    }
    if (read.ec != std::errc()) {
      return InvalidArgument("--bind: found ", argument, ", expected a size of at most ",
                             INT64_MAX);
    }
    const auto [found, added] = binding.emplace(argument.substr(0, equals), value);
    if (!added) {
      return InvalidArgument("--bind: found ", found->first, " twice: ", found->second, " and ",
                             value);
    }
  }
  return binding;
}

StatusOr<Case> ResolveCase(const Case& c, const Binding& binding) {
  CTS_RETURN_IF_ERROR(CheckSymbols(c, binding));
  size_t k = 0;
  while (k < c.bindings.size() && c.bindings[k] != binding) ++k;
  if (k == c.bindings.size()) {
    std::string known;
    for (const Binding& given : c.bindings) {
      known += StrCat(known.empty() ? "" : "; ", Describe(given));
    }
    return InvalidArgument("found ", Describe(binding),
                           ", for which the case has no inputs; it has those of ", known,
                           "; --graph makes the graph alone, of any");
  }
  CTS_ASSIGN_OR_RETURN(const Setting setting, SettingOf(c));
  Case made = c;
  made.inputs = *c.InputsOfExecutions()[k];
  made.later_inputs.clear();
  made.bindings.clear();
  made.outputs.clear();
  made.parameters["resolved_from"] = c.id;
  for (const auto& [symbol, value] : binding) {
    made.id += StrCat("+", symbol, value);
    made.parameters["symbol_" + symbol] = StrCat(value);
  }
  if (made.id.size() > kLongestId) {
    const std::string tail = StrCat("+binding", k);
    made.id = c.id.substr(0, kLongestId - tail.size()) + tail;
  }
  std::transform(made.id.begin(), made.id.end(), made.id.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  CTS_ASSIGN_OR_RETURN(Resolution resolution,
                       Resolve(c.graph, binding, made.inputs, *setting.edition, *setting.level));
  if (!resolution.graph) return Refused(resolution.violations);
  made.graph = *std::move(resolution.graph);
  const bool numbered = c.data_set.size() == 2 && c.data_set[0] == 'S';
  CTS_ASSIGN_OR_RETURN(const Evaluation evaluation,
                       Evaluate(made.graph, made.inputs, *setting.edition, *setting.level,
                                numbered ? c.data_set[1] - '0' : -1, Chains::kEnclosed));
  if (c.outcome == Outcome::kError) {
    if (evaluation.outcome == Outcome::kError &&
        evaluation.violations.front().condition == c.condition) {
      return made;
    }
  } else if (SameAnswers(c.outputs, static_cast<int>(k), evaluation)) {
    for (ExpectedOutput output : evaluation.outputs) made.outputs.push_back(std::move(output));
    return made;
  }
  const bool alike = c.outcome == Outcome::kValid && evaluation.outcome == Outcome::kValid;
  return InvalidArgument(
      "the case is not what its program gives: found ",
      alike ? StrCat("other outputs for ", Describe(binding)) : Described(c.outcome, c.condition),
      ", expected ",
      alike ? "those of its static graph, which eval prints"
            : StrCat("what its static graph gives: ",
                     Described(evaluation.outcome, evaluation.violations.empty()
                                                       ? evaluation.message
                                                       : evaluation.violations[0].condition)));
}

StatusOr<std::string> ResolveGraph(const Case& c, const Binding& binding) {
  CTS_RETURN_IF_ERROR(CheckSymbols(c, binding));
  CTS_ASSIGN_OR_RETURN(const Setting setting, SettingOf(c));
  std::map<std::string, Tensor> inputs;
  for (const ExecutionInputs& given : c.InputsOfExecutions()) {
    if (*given.binding == binding) inputs = *given;
  }
  CTS_ASSIGN_OR_RETURN(const Resolution resolution,
                       Resolve(c.graph, binding, inputs, *setting.edition, *setting.level));
  if (!resolution.graph) return Refused(resolution.violations);
  return FormatJson(GraphToJson(*resolution.graph));
}

Status WriteCase(const Case& c, const std::filesystem::path& directory) {
  CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(directory));
  if (taken) {
    return InvalidArgument(directory.string(), ": exists already; choose another");
  }
  for (const BundleFile& file : EncodeCase(c)) {
    CTS_RETURN_IF_ERROR(WriteFile(directory / file.path, file.bytes));
  }
  return absl::OkStatus();
}

}  // namespace cts
