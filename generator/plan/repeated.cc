#include "generator/plan/repeated.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "generator/draft/name_text.h"
#include "generator/recipe/space.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

using Inputs = std::map<std::string, Tensor>;

// "again-" before what follows the folder of an id.
std::string RepeatedId(const std::string& id) {
  const size_t slash = id.find('/') + 1;
  return StrCat(id.substr(0, slash), "again-", id.substr(slash));
}

bool HasVariables(const Part& part) { return part.setting.spec->group == "variable"; }

// Whether the values of the inputs decide the answer.
bool DependsOnData(const OperatorSpec& spec) {
  const OperatorFacts& facts = FactsOf(spec.Seen().name);
  return facts.reads_values && facts.role != GraphRole::kShape &&
         facts.role != GraphRole::kConstant;
}

// Whether the graph has inputs; that of constants alone has none.
bool TakesInputs(const Item& item) {
  CaseDraft draft = item.domain->build(item.choice);
  draft.built_from = &item.choice;
  const StatusOr<Assembly> assembly = AssembleGraph(item.choice.setting, draft);
  return !assembly.ok() || !assembly->inputs.empty();  // the error comes when the case is made
}

// The data of S0 to S5 are the same however often they are drawn: the second execution takes
// another set. Empty: there is none.
std::string OtherDotProductSet(const Recipe& recipe, const Item& item) {
  for (const char* const set : {"S3", "S2", "S5", "S1"}) {
    if (item.choice.labels.Text(kDataAxis) == set) continue;
    Labels labels = item.choice.labels;
    labels.Set("data", set);
    if (StartOf(*item.domain, item.choice.setting, recipe, labels, nullptr)) return set;
  }
  return "";
}

void Add(const Recipe& recipe, Item item, std::vector<Item>& items) {
  item.choice.id = RepeatedId(item.choice.id);
  purpose::Repeated repeated;
  if (DotProductSetNumber(item.choice.data_set()) >= 0) {
    repeated.other_data = OtherDotProductSet(recipe, item);
    if (repeated.other_data.empty()) return;
  }
  item.purpose = std::move(repeated);
  items.push_back(std::move(item));
}

// The elements within the first 16 bytes of a tensor as a bundle holds it.
int64_t FirstElements(DType dtype) { return 16 / ((std::max(Info(dtype).bits, 8) + 7) / 8); }

// `second` behind the first bytes, which are those of `first`; all of `first`, if it has no more.
Tensor OtherBehindTheStart(const Tensor& first, const Tensor& second) {
  Tensor tensor = first;
  for (int64_t i = FirstElements(first.dtype()); i < first.size(); ++i) {
    tensor.SetBits(i, second.Bits(i));
  }
  return tensor;
}

// `second` before the last bytes, which are those of `first`; all of `first`, if it has no more.
Tensor OtherBeforeTheEnd(const Tensor& first, const Tensor& second) {
  const int64_t kept = FirstElements(first.dtype());
  if (kept >= first.size()) return first;
  Tensor tensor = second;
  for (int64_t i = first.size() - kept; i < first.size(); ++i) tensor.SetBits(i, first.Bits(i));
  return tensor;
}

Tensor Turned(const Tensor& tensor, int64_t by) {
  Tensor turned = tensor;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    turned.SetBits(i, tensor.Bits((i + by) % tensor.size()));
  }
  return turned;
}

// The elements behind the first bytes, each moved forward by `by` places where there is room.
Tensor TailMoved(const Tensor& tensor, int64_t by) {
  Tensor moved = tensor;
  for (int64_t i = FirstElements(tensor.dtype()); i + by < tensor.size(); ++i) {
    moved.SetBits(i, tensor.Bits(i + by));
  }
  return moved;
}

// The inputs that the second execution is given.
enum class Way {
  kTails,       // of every input other elements behind the first bytes
  kTailOfOne,   // of the first input alone
  kTailMoved,   // of every input its own elements behind the first bytes, in another place
  kAll,         // other inputs
  kFirstTurned  // the elements of the first execution in another place
};

Inputs OtherInputs(Way way, const Block& block, const Inputs& first, const Inputs& second,
                   int64_t by) {
  if (way == Way::kAll) return second;
  Inputs inputs = first;
  for (const std::string& name : block.inputs) {
    Tensor& tensor = inputs.at(name);
    const Tensor before = tensor;
    tensor = way == Way::kFirstTurned ? Turned(before, by)
             : way == Way::kTailMoved ? TailMoved(before, by)
                                      : OtherBehindTheStart(before, second.at(name));
    if (way == Way::kTailOfOne && !(tensor == before)) break;
  }
  return inputs;
}

bool IsGraph(const Assembly& assembly, const Choice& choice) {
  return assembly.graph.regions.size() > 1 || choice.id.starts_with("graphs/");
}

// The attempts in which the steps of StepsBack stand between the second execution and the last. An
// operator that refuses what they mix has none.
constexpr int kStepwiseAttempts = 60;

bool HasSteps(const Assembly& assembly, const Choice& choice) {
  return !IsGraph(assembly, choice) && choice.attempt < kStepwiseAttempts;
}

// Cases of one operator keep the first bytes as long as there is hope. The executions of a graph
// are to differ as much as they can.
Way WayOf(const Assembly& assembly, const Choice& choice) {
  constexpr size_t kHope = 40;
  const bool is_graph = IsGraph(assembly, choice);
  // Without the steps all begins again.
  const bool later = !is_graph && !HasSteps(assembly, choice);
  const auto attempt = static_cast<size_t>(choice.attempt - (later ? kStepwiseAttempts : 0));
  if (!is_graph && attempt < kHope) {
    constexpr std::array kTailWays = {Way::kTails, Way::kTailOfOne, Way::kTailMoved};
    return kTailWays[attempt % kTailWays.size()];
  }
  constexpr std::array kWays = {Way::kAll, Way::kFirstTurned, Way::kTails, Way::kTailOfOne};
  return kWays[attempt % kWays.size()];
}

// The most inputs that each change in an execution of their own.
constexpr size_t kStepwise = 4;

// Executions behind the first two, of which each is given something of the one before: the last
// bytes of every input; then all inputs but one, until each is that of the first execution again.
std::vector<Inputs> StepsBack(const Block& block, const Inputs& first, const Inputs& second,
                              const Inputs& third) {
  std::vector<Inputs> steps;
  Inputs inputs = second;
  for (const std::string& name : block.inputs) {
    inputs.at(name) = OtherBeforeTheEnd(second.at(name), third.at(name));
  }
  if (inputs != second) steps.push_back(inputs);
  for (const std::string& name : block.inputs) {
    if (block.inputs.size() > kStepwise && name != block.inputs.front()) break;
    if (name == block.inputs.back()) break;
    inputs.at(name) = first.at(name);
    const Inputs& before = steps.empty() ? second : steps.back();
    if (inputs != before && inputs != first) steps.push_back(inputs);
  }
  return steps;
}

Status CheckSameInputs(const Inputs& first, const Inputs& second) {
  const bool same = std::equal(
      first.begin(), first.end(), second.begin(), second.end(), [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.dtype() == b.second.dtype() &&
               a.second.shape() == b.second.shape();
      });
  if (same) return absl::OkStatus();
  return absl::InternalError("other data change the graph's inputs, expected the same shapes");
}

}  // namespace

void AddRepeatedOperator(const Recipe& recipe, const Part& part, std::vector<Item>& items) {
  const Setting& setting = part.setting;
  if (HasVariables(part) || !DependsOnData(*setting.spec)) return;
  std::optional<Labels> labels;
  // Over the full range a function's results are mostly infinite, or one number. One channel of
  // RESIZE has few bytes.
  for (const Labels& wanted :
       {Labels{{"data", "finite"}}, Labels{{"batch_channels", "2x3"}}, Labels{}}) {
    if (!labels) labels = StartOf(*part.domain, setting, recipe, wanted, nullptr);
  }
  if (!labels) return;
  Choice choice{setting, part.prefix, recipe.seed, *labels};
  for (const Axis& axis : part.domain->axes(setting)) {
    if (labels->Has(axis.name)) choice.id += "-" + axis.prefix + Lower(choice[axis.name].text());
  }
  Add(recipe, {std::move(choice), part.domain, {}}, items);
}

void AddRepeatedGraphs(const Recipe& recipe, const Part& part, size_t first,
                       std::vector<Item>& items) {
  constexpr size_t kOf = 4;
  const size_t end = items.size();
  if (first == end || HasVariables(part) || !TakesInputs(items[first])) return;
  // Special values are the same however often they are drawn.
  std::vector<size_t> drawn, others;
  for (size_t i = first; i < end; ++i) {
    (items[i].choice.labels.Text(kDataAxis) == "special" ? others : drawn).push_back(i);
  }
  const std::vector<size_t>& from = drawn.empty() ? others : drawn;
  const size_t count = std::min((end - first + kOf - 1) / kOf, from.size());
  for (size_t k = 0; k < count; ++k) Add(recipe, items[from[k * from.size() / count]], items);
}

StatusOr<Assembly> AssembleRepeated(const Item& item, const Choice& choice) {
  constexpr int kOtherDraws = 1000;
  const auto assemble = [&](const Choice& chosen) {
    CaseDraft draft = item.domain->build(chosen);
    draft.built_from = &chosen;
    return AssembleGraph(chosen.setting, draft);
  };
  CTS_ASSIGN_OR_RETURN(Assembly assembly, assemble(choice));
  Choice other = choice;
  other.attempt += kOtherDraws;
  const std::string& other_data = item.As<purpose::Repeated>()->other_data;
  if (!other_data.empty()) other.labels.Set("data", other_data);
  CTS_ASSIGN_OR_RETURN(const Assembly second, assemble(other));
  CTS_RETURN_IF_ERROR(CheckSameInputs(assembly.inputs, second.inputs));
  const Block& block = assembly.graph.main();
  assembly.later_inputs = {OtherInputs(WayOf(assembly, choice), block, assembly.inputs,
                                       second.inputs, 1 + choice.attempt)};
  if (HasSteps(assembly, choice)) {
    other.attempt += kOtherDraws;
    CTS_ASSIGN_OR_RETURN(Assembly third, assemble(other));
    CTS_RETURN_IF_ERROR(CheckSameInputs(assembly.inputs, third.inputs));
    if (!other_data.empty()) {  // which is the same however often it is drawn
      for (auto& [name, tensor] : third.inputs) tensor = Turned(tensor, 1 + tensor.size() / 3);
    }
    const std::vector<Inputs> steps =
        StepsBack(block, assembly.inputs, assembly.later_inputs.front(), third.inputs);
    assembly.later_inputs.insert(assembly.later_inputs.end(), steps.begin(), steps.end());
  }
  assembly.later_inputs.push_back(assembly.inputs);
  return assembly;
}

}  // namespace cts
