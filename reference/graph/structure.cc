#include "reference/graph/structure.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_join.h"
#include "reference/base/nearest.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

// The attributes by which an operator names graphs (COND_IF, WHILE_LOOP).
constexpr std::string_view kGraphAttributes[] = {"then_graph", "else_graph", "cond_graph",
                                                 "body_graph"};

std::vector<std::string> GraphsOf(const GraphOperator& op) {
  std::vector<std::string> graphs;
  if (op.op != "COND_IF" && op.op != "WHILE_LOOP") return graphs;
  for (const std::string_view attribute : kGraphAttributes) {
    const auto found = op.attributes.find(std::string(attribute));
    if (found == op.attributes.end()) continue;
    // An attribute of another type names no graph; the argument tables refuse it.
    const auto* name = std::get_if<std::string>(&found->second);
    if (name != nullptr) graphs.push_back(*name);
  }
  return graphs;
}

// One block by itself.
class BlockCheck {
 public:
  BlockCheck(const Graph& graph, const Block& block, const Edition& edition)
      : graph_(graph), block_(block), edition_(edition) {}

  Status Run() {
    for (const GraphTensor& tensor : block_.tensors) {
      if (!tensors_.emplace(tensor.name, &tensor).second) {
        return Bad("tensors", "tensor ", tensor.name, " is declared twice");
      }
      if (tensor.values != nullptr && tensor.values->is_block_scaled()) {
        return Bad("tensors", "the values of ", tensor.name, " are ", tensor.values->TypeName(),
                   ", expected a type without scales: no operator computes with them yet");
      }
    }
    for (const std::string& name : block_.inputs) {
      CTS_RETURN_IF_ERROR(Declared(name, "inputs"));
      if (!defined_.insert(name).second) return Bad("inputs", name, " is an input twice");
    }
    for (size_t i = 0; i < block_.operators.size(); ++i) {
      CTS_RETURN_IF_ERROR(CheckOperator(block_.operators[i], Place(graph_, block_, i)));
    }
    for (const std::string& name : block_.outputs) {
      CTS_RETURN_IF_ERROR(Declared(name, "outputs"));
      if (!defined_.contains(name)) return Bad("outputs", "no operator defines ", name);
    }
    return absl::OkStatus();
  }

 private:
  Status CheckOperator(const GraphOperator& op, const std::string& where) {
    const bool symbolic = IsSymbolic(op);
    if (!symbolic && edition_.FindOperator(op.op) == nullptr) {
      return InvalidArgument("graph, ", where, ": ", UnknownOperator(op.op, edition_));
    }
    for (const std::string& name : op.inputs) {
      CTS_RETURN_IF_ERROR(Declared(name, where));
      if (!defined_.contains(name)) {
        return InvalidArgument("graph, ", where, ": input ", name,
                               " is used before an operator or the graph's inputs define it");
      }
    }
    for (const std::string& name : op.outputs) {
      CTS_RETURN_IF_ERROR(Declared(name, where));
      if (!defined_.insert(name).second) {
        return InvalidArgument("graph, ", where, ": tensor ", name, " is defined twice");
      }
    }
    if (op.op != "VARIABLE") return absl::OkStatus();
    const auto initial = op.attributes.find("initial_value");
    if (initial == op.attributes.end()) return absl::OkStatus();
    const auto* name = std::get_if<std::string>(&initial->second);
    if (name == nullptr) return absl::OkStatus();
    CTS_RETURN_IF_ERROR(Declared(*name, where));
    if (tensors_.at(*name)->values == nullptr) {
      return InvalidArgument("graph, ", where, ": attribute initial_value: tensor ", *name,
                             " has no values");
    }
    return absl::OkStatus();
  }

  template <class... Args>
  Status Bad(std::string_view place, const Args&... args) const {
    const bool is_main = &block_ == &graph_.main();
    return InvalidArgument("graph, ", is_main ? "" : StrCat("block ", block_.name, ", "), place,
                           ": ", args...);
  }

  Status Declared(const std::string& name, const std::string& where) const {
    if (tensors_.contains(name)) return absl::OkStatus();
    return InvalidArgument("graph, ", where, ": tensor ", name, " is not declared in the block");
  }

  const Graph& graph_;
  const Block& block_;
  const Edition& edition_;
  std::unordered_map<std::string, const GraphTensor*> tensors_;
  std::unordered_set<std::string> defined_;
};

// The regions that each region's operators name, in the order of the regions.
using References = std::vector<std::vector<size_t>>;

StatusOr<References> FindReferences(const Graph& graph) {
  std::unordered_map<std::string, size_t> numbers;
  for (size_t r = 0; r < graph.regions.size(); ++r) {
    if (!numbers.emplace(graph.regions[r].name, r).second) {
      return InvalidArgument("graph: two regions have the name ", graph.regions[r].name);
    }
  }
  References references(graph.regions.size());
  for (size_t r = 0; r < graph.regions.size(); ++r) {
    const Block& block = graph.regions[r].blocks.front();
    for (size_t i = 0; i < block.operators.size(); ++i) {
      for (const std::string& name : GraphsOf(block.operators[i])) {
        const auto found = numbers.find(name);
        if (found == numbers.end()) {
          return InvalidArgument("graph, ", Place(graph, block, i), ": found no region ", name);
        }
        references[r].push_back(found->second);
      }
    }
  }
  return references;
}

// The regions, each behind those that it names; an error if one contains itself.
StatusOr<std::vector<size_t>> InnerFirst(const Graph& graph, const References& references) {
  enum State { kNew, kOpen, kDone };
  std::vector<State> states(references.size(), kNew);
  std::vector<size_t> order;
  for (size_t start = 0; start < references.size(); ++start) {
    if (states[start] != kNew) continue;
    // A stack of our own: nesting may be as deep as the graph is long.
    std::vector<std::pair<size_t, size_t>> open = {{start, 0}};  // region, next reference
    states[start] = kOpen;
    while (!open.empty()) {
      const size_t region = open.back().first;
      if (open.back().second == references[region].size()) {
        states[region] = kDone;
        order.push_back(region);
        open.pop_back();
        continue;
      }
      const size_t inner = references[region][open.back().second++];
      if (states[inner] == kOpen) {
        return InvalidArgument("graph, region ", graph.regions[inner].name,
                               ": contains itself, by way of region ", graph.regions[region].name);
      }
      if (states[inner] == kNew) {
        states[inner] = kOpen;
        open.emplace_back(inner, 0);
      }
    }
  }
  return order;
}

// ---- Variables ---------------------------------------------------------------------------------

// The variables that an operator reads and writes, including those in the graphs that it executes.
struct Touched {
  std::set<std::string> read, written;
};

std::string VariableOf(const GraphOperator& op) {
  for (const char* attribute : {"name", "uid"}) {
    const auto found = op.attributes.find(attribute);
    if (found == op.attributes.end()) continue;
    if (const auto* name = std::get_if<std::string>(&found->second)) return *name;
    if (const auto* uid = std::get_if<int64_t>(&found->second)) return StrCat(*uid);
  }
  return "";
}

// The operators on which one depends, by tensors from operator to operator.
std::vector<bool> Needed(const Block& block, size_t position) {
  std::vector<bool> needed(position, false);
  std::unordered_set<std::string> wanted(block.operators[position].inputs.begin(),
                                         block.operators[position].inputs.end());
  for (size_t i = position; i-- > 0;) {
    const GraphOperator& op = block.operators[i];
    needed[i] = std::any_of(op.outputs.begin(), op.outputs.end(),
                            [&](const std::string& name) { return wanted.contains(name); });
    if (needed[i]) wanted.insert(op.inputs.begin(), op.inputs.end());
  }
  return needed;
}

// An operator that reads or writes a variable.
struct Touch {
  size_t position;
  bool writes;
};

// Two such operators, in the order of their block. No tensor decides their order, and one of them
// writes.
std::string FindUnordered(const Graph& graph, const Block& block,
                          const std::vector<Touch>& touches) {
  bool written = false;
  for (const Touch& later : touches) {
    if (written || later.writes) {
      const std::vector<bool> needed = Needed(block, later.position);
      for (const Touch& earlier : touches) {
        if (earlier.position == later.position) break;
        if ((!earlier.writes && !later.writes) || needed[earlier.position]) continue;
        return StrCat("no tensor orders ", Place(graph, block, earlier.position), " and ",
                      Place(graph, block, later.position));
      }
    }
    written = written || later.writes;
  }
  return "";
}

}  // namespace

std::string EditionsWith(const std::string& op) {
  std::string with;
  for (const std::string& id : EditionIds()) {
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (edition.ok() && (*edition)->FindOperator(op) != nullptr) {
      with += StrCat(with.empty() ? "" : ", ", id);
    }
  }
  return with;
}

std::string UnknownOperator(const std::string& op, const Edition& edition) {
  const std::string missing = StrCat(edition.id, " has no operator of that name");
  if (const std::string with = EditionsWith(op); !with.empty()) {
    return StrCat(missing, "; one of ", with, ": a graph is of one edition, which its case names");
  }
  std::vector<std::string> known;
  for (const OperatorSpec& spec : edition.operators) known.push_back(spec.name);
  return StrCat(missing, "; did you mean ", absl::StrJoin(NearestNames(known, op, 3), ", "), "?");
}

Status CheckOperators(const Graph& graph, const Edition& edition) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (size_t i = 0; i < block.operators.size(); ++i) {
        const GraphOperator& op = block.operators[i];
        if (IsSymbolic(op) || edition.FindOperator(op.op) != nullptr) continue;
        return InvalidArgument("graph, ", Place(graph, block, i), ": ",
                               UnknownOperator(op.op, edition));
      }
    }
  }
  return absl::OkStatus();
}

Status CheckStructure(const Graph& graph, const Edition& edition) {
  if (graph.regions.empty() || graph.regions.front().blocks.empty()) {
    return InvalidArgument("graph: found no block, expected regions[0].blocks[0]");
  }
  for (const Region& region : graph.regions) {
    if (region.blocks.size() != 1) {
      return InvalidArgument("graph, region ", region.name, ": found ", region.blocks.size(),
                             " blocks, expected one");
    }
    CTS_RETURN_IF_ERROR(BlockCheck(graph, region.blocks.front(), edition).Run());
  }
  CTS_ASSIGN_OR_RETURN(const References references, FindReferences(graph));
  return InnerFirst(graph, references).status();
}

Status CheckInputs(const Graph& graph, const std::map<std::string, Tensor>& inputs) {
  const Block& block = graph.main();
  for (const std::string& name : block.inputs) {
    const auto found = inputs.find(name);
    if (found == inputs.end()) continue;
    const GraphTensor& tensor = *block.Find(name);
    // Shapes of a symbolic program are checked against its binding.
    const bool fits = tensor.symbols.empty() ? found->second.shape() == tensor.shape
                                             : found->second.shape().size() == tensor.shape.size();
    const bool plain = !found->second.is_block_scaled();
    if (found->second.dtype() == tensor.dtype && fits && plain) continue;
    return InvalidArgument("graph, inputs: ", name, " is given as ", found->second.TypeName(),
                           ToString(found->second.shape()), ", declared as ", Describe(tensor));
  }
  return absl::OkStatus();
}

std::string TensorSizeExcess(const std::string& name, DType dtype, const Shape& shape,
                             const Edition& edition, const Level& level) {
  // The limit is that of a tensor_size_t, or that of a size_t and half of it for a dimension.
  const int64_t bits = level.Max("MAX_LOG2_SIZE");
  const bool size_t_counts = edition.Has(Feature::kSizesOfSizeT);
  const uint64_t most = ~uint64_t{0} >> (63 - bits + (size_t_counts ? 0 : 1));
  uint64_t bytes = static_cast<uint64_t>(std::max(1, Info(dtype).bits / 8));
  bool fits = true;
  for (const int64_t size : shape) {
    if (size < 1) return "";
    const auto unsigned_size = static_cast<uint64_t>(size);
    fits = fits && !__builtin_mul_overflow(bytes, unsigned_size, &bytes) && bytes <= most &&
           (!size_t_counts || unsigned_size <= most / 2);
  }
  if (fits) return "";
  return StrCat(name, ": ", Name(dtype), ToString(shape), ", expected at most ", most, " bytes",
                size_t_counts ? StrCat(", and ", most / 2, " in a dimension") : "");
}

std::string FindUnorderedVariable(const Graph& graph) {
  const References references = *FindReferences(graph);
  const std::vector<size_t> inner_first = *InnerFirst(graph, references);
  std::vector<Touched> of_region(graph.regions.size());
  std::unordered_map<std::string, size_t> numbers;
  for (size_t r = 0; r < graph.regions.size(); ++r) numbers[graph.regions[r].name] = r;
  for (const size_t region : inner_first) {
    const Block& block = graph.regions[region].blocks.front();
    std::map<std::string, std::vector<Touch>> touches;
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const GraphOperator& op = block.operators[i];
      Touched touched;
      if (op.op == "VARIABLE_READ") touched.read.insert(VariableOf(op));
      if (op.op == "VARIABLE_WRITE") touched.written.insert(VariableOf(op));
      for (const std::string& name : GraphsOf(op)) {
        const Touched& inner = of_region[numbers.at(name)];
        touched.read.insert(inner.read.begin(), inner.read.end());
        touched.written.insert(inner.written.begin(), inner.written.end());
      }
      for (const std::string& name : touched.written) touches[name].push_back({i, true});
      for (const std::string& name : touched.read) {
        if (!touched.written.contains(name)) touches[name].push_back({i, false});
      }
      of_region[region].read.merge(touched.read);
      of_region[region].written.merge(touched.written);
    }
    for (const auto& [name, list] : touches) {
      const std::string found = FindUnordered(graph, block, list);
      if (!found.empty()) return StrCat("variable ", name, ": ", found);
    }
  }
  return "";
}

}  // namespace cts
