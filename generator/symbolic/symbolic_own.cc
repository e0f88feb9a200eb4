#include <algorithm>
#include <cctype>

#include "generator/graphs/graphs.h"
#include "generator/recipe/space.h"
#include "generator/symbolic/symbolic_breakers.h"
#include "generator/symbolic/symbolic_data.h"
#include "generator/symbolic/symbolic_domains.h"
#include "reference/base/contains.h"

namespace cts::symbolic_graphs {
namespace {

// Returns the bindings for programs in which one element leaves nothing to find.
std::vector<Binding> LargerBatches() {
  return {{{"N", 6}, {"M", 7}}, {{"N", 3}, {"M", 20}}, {{"N", 13}, {"M", 4}}};
}

// "n-3-m+n-1-m": dimensions of one operand or several.
std::string WithSizes(const std::string& label, const Binding& binding) {
  std::string sizes;
  for (const char c : label) {
    if (c == '-') {
      sizes += 'x';
    } else if (c == 'n' || c == 'm') {
      sizes += StrCat(binding.at(std::string(1, static_cast<char>(std::toupper(c)))));
    } else {
      sizes += c;
    }
  }
  return sizes;
}

std::string OwnData(const Setting& setting) {
  const std::vector<std::string> values = OwnDomain(setting.spec->name).axes(setting).back().values;
  const bool has = Contains(values, "full-range");
  return has ? "full-range" : values.front();
}

bool HasAxis(const Setting& setting, std::string_view name) {
  const std::vector<Axis> axes = OwnDomain(setting.spec->name).axes(setting);
  return std::any_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
}

std::vector<Axis> SizesAxes(const Setting& setting) {
  Axis dims = {"dims", "", {"n", "n-m", "3-n-m", "n-2-m-2"}};
  if (HasAxis(setting, "shapes")) {
    dims.values = {"n-m+n-m", "n-1-m+1-3-m", "n+1", "1-m+n-1", "n-2-m+1-2-1"};
    if (setting.spec->group == "elementwise-ternary") {
      dims.values = {"n-m+n-m+n-m", "n-1+n-m+1-m", "1+n+n", "n-1-m+1-3-1+1-1-m"};
    }
  }
  return {std::move(dims), kDataAxis.With({OwnData(setting)})};
}

CaseDraft BuildOwn(const Choice& choice) {
  const Setting& setting = choice.setting;
  const Domain& domain = OwnDomain(setting.spec->name);
  const std::optional<Labels> start =
      StartOf(domain, setting, Recipe{}, {{"data", choice.labels.Text(kDataAxis)}}, nullptr);
  CaseDraft result;
  if (!start) {
    result.failure = absl::InternalError("its own domain has no such case");
    return result;
  }
  const std::vector<Binding> bindings =
      setting.spec->name == "ARGMAX" ? LargerBatches() : Batches();
  // Other data for every binding, unless the operator also draws parameters.
  for (const bool same : {false, true}) {
    SymbolicBuilder builder(choice, bindings);
    std::vector<Choice> choices;
    std::vector<CaseDraft> drafts;
    for (size_t k = 0; k < kBindings; ++k) {
      Choice& own = choices.emplace_back(choice);
      own.labels = *start;
      own.labels.Set(HasAxis(setting, "shapes") ? "shapes" : "shape",
                     WithSizes(choice["dims"].text(), bindings[k]));
      if (k > 0 && !same) own.id += StrCat(" ", k);
      drafts.push_back(domain.build(own));
    }
    result = builder.Finish(builder.Append(setting, drafts));
    if (result.failure.ok()) break;
  }
  return result;
}

// Gives the last operand that has the first symbol a symbol of its own instead; returns the
// operand.
Name Separate(CaseDraft& draft) {
  KeepOne({}, draft);
  Block& block = draft.Whole().graph.main();
  for (auto input = block.inputs.rbegin(); input != block.inputs.rend(); ++input) {
    const auto tensor =
        std::find_if(block.tensors.begin(), block.tensors.end(),
                     [&](const GraphTensor& candidate) { return candidate.name == *input; });
    const auto symbol = std::find(tensor->symbols.begin(), tensor->symbols.end(), "N");
    if (symbol == tensor->symbols.end()) continue;
    *symbol = "K";
    Binding& binding = draft.Whole().bindings[0];
    binding["K"] = binding.at("N");
    return *input;
  }
  draft.failure = absl::InternalError("no operand has the symbol");
  return "";
}

// An operator that broadcasts must not take a symbol for a 1 that broadcasts.
Breaker OwnBroadcast(std::string_view dims, bool (*applies)(const Setting&)) {
  return {"symbol.broadcast",
          {{"dims", std::string(dims)}},
          applies,
          [](const Setting& setting, CaseDraft& draft) {
            const Name operand = Separate(draft);
            if (draft.failure.ok()) WithSymbol("K", 1, operand)(setting, draft);
          },
          [](const Setting&, CaseDraft& draft) { Separate(draft); }};
}

}  // namespace

Domain OwnOperator() {
  return {.axes = SizesAxes,
          .build = BuildOwn,
          .breakers = {OwnBroadcast("n-m+n-m",
                                    [](const Setting& setting) {
                                      return HasAxis(setting, "shapes") &&
                                             setting.spec->group != "elementwise-ternary";
                                    }),
                       OwnBroadcast("n-m+n-m+n-m", [](const Setting& setting) {
                         return HasAxis(setting, "shapes") &&
                                setting.spec->group == "elementwise-ternary";
                       })}};
}

}  // namespace cts::symbolic_graphs
