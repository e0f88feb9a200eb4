#include "reference/formats/captures.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cts {
namespace {

// No real graph is nested deeper.
constexpr int kMaxNesting = 512;

class Captures {
 public:
  explicit Captures(Graph& graph) : graph_(graph) {}

  Status Run() {
    for (size_t r = 0; r < graph_.regions.size(); ++r) {
      regions_.emplace(graph_.regions[r].name, r);
      for (Block& block : graph_.regions[r].blocks) {
        for (const GraphTensor& tensor : block.tensors) {
          declared_.emplace(tensor.name, Declaration{&block, tensor, ""});
        }
      }
    }
    for (const Region& region : graph_.regions) {
      for (const Block& block : region.blocks) {
        for (const GraphOperator& op : block.operators) {
          if (op.outputs.size() != 1 || !IsConstant(op)) continue;
          const auto found = declared_.find(op.outputs[0]);
          if (found != declared_.end()) found->second.constant = op.op;
        }
      }
    }
    done_.insert(0);
    for (Block& block : graph_.regions.front().blocks) {
      CTS_RETURN_IF_ERROR(InBlock(block, 0));
    }
    for (const Region& region : graph_.regions) {
      for (const Block& block : region.blocks) {
        const std::vector<std::string> missing = Missing(block);
        if (missing.empty()) continue;
        return InvalidArgument("block ", block.name, ": ", missing.front(),
                               " names no tensor of the block or of one around it");
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Declaration {
    const Block* block;  // that declares it
    GraphTensor tensor;
    std::string constant;  // the operator that yields it, if that is one for constants
  };

  bool Has(const Block& block, const std::string& name) const {
    const auto found = declared_.find(name);
    return found != declared_.end() && found->second.block == &block;
  }

  // The names that a block uses but does not declare, in the order of its operators.
  std::vector<std::string> Missing(const Block& block) const {
    std::vector<std::string> missing;
    std::set<std::string> seen;
    const auto look = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (!Has(block, name) && seen.insert(name).second) missing.push_back(name);
      }
    };
    for (const GraphOperator& op : block.operators) look(op.inputs);
    look(block.outputs);
    return missing;
  }

  // Innermost first, so that an inner graph's captures are known when the outer one is examined.
  Status InBlock(Block& block, int nesting) {
    if (nesting > kMaxNesting) return InvalidArgument("nested more than ", kMaxNesting, " deep");
    for (size_t i = 0; i < block.operators.size(); ++i) {
      if (block.operators[i].op != "COND_IF" && block.operators[i].op != "WHILE_LOOP") continue;
      std::vector<Block*> graphs;
      const Block* shared = nullptr;  // named before, by this operator or another
      for (const auto& [name, value] : block.operators[i].attributes) {
        const auto* region = std::get_if<std::string>(&value);
        const auto found = region == nullptr ? regions_.end() : regions_.find(*region);
        if (found == regions_.end()) continue;
        Block& inner = graph_.regions[found->second].blocks.front();
        if (!done_.insert(found->second).second) {
          shared = &inner;
          if (changed_.contains(&inner)) return NamedTwice(inner);
          continue;
        }
        CTS_RETURN_IF_ERROR(InBlock(inner, nesting + 1));
        graphs.push_back(&inner);
      }
      CTS_RETURN_IF_ERROR(PassTo(block, block.operators[i], graphs, shared));
    }
    return absl::OkStatus();
  }

  static Status NamedTwice(const Block& block) {
    return InvalidArgument("block ", block.name, ": two operators name it, and one of them has to ",
                           "hand over tensors of the block around it");
  }

  Status PassTo(Block& block, GraphOperator& op, const std::vector<Block*>& graphs,
                const Block* shared) {
    std::vector<std::string> passed;
    std::set<std::string> seen;
    for (Block* inner : graphs) {
      std::map<std::string, std::string> renamed;
      std::vector<GraphOperator> constants;
      for (const std::string& name : Missing(*inner)) {
        const auto found = declared_.find(name);
        if (found == declared_.end()) continue;  // which is found at the end
        changed_.insert(inner);
        if (found->second.constant.empty()) {
          if (seen.insert(name).second) passed.push_back(name);
          continue;
        }
        const std::string copy = Copy(*inner, found->second);
        constants.push_back({declared_.at(name).constant, {}, {copy}, {}});
        renamed.emplace(name, copy);
      }
      Rename(*inner, renamed);
      inner->operators.insert(inner->operators.begin(), constants.begin(), constants.end());
    }
    if (passed.empty()) return absl::OkStatus();
    if (shared != nullptr) return NamedTwice(*shared);
    for (const std::string& name : passed) {
      op.inputs.push_back(name);
      if (op.op == "WHILE_LOOP") op.outputs.push_back(Copy(block, declared_.at(name)));
    }
    for (Block* inner : graphs) {
      std::map<std::string, std::string> renamed;
      changed_.insert(inner);
      for (const std::string& name : passed) {
        inner->inputs.push_back(Copy(*inner, declared_.at(name)));
        renamed.emplace(name, inner->inputs.back());
      }
      Rename(*inner, renamed);
      const auto body = op.attributes.find("body_graph");
      if (op.op != "WHILE_LOOP" || body == op.attributes.end()) continue;
      const auto* region = std::get_if<std::string>(&body->second);
      if (region == nullptr || inner != graph_.FindGraph(*region)) continue;
      for (const std::string& name : passed) inner->outputs.push_back(renamed.at(name));
    }
    return absl::OkStatus();
  }

  // Declares a tensor of the same type and shape, with the values of a constant.
  std::string Copy(Block& block, const Declaration& original) {
    GraphTensor tensor = original.tensor;
    if (original.constant.empty()) tensor.values = nullptr;
    const std::string constant = original.constant;
    int& number = copies_[original.tensor.name];
    do {
      // A name has at most 100 bytes (case.schema.json).
      tensor.name = StrCat(original.tensor.name.substr(0, 90), "_", ++number);
    } while (!declared_.emplace(tensor.name, Declaration{&block, tensor, constant}).second);
    block.tensors.push_back(tensor);
    return tensor.name;
  }

  static void Rename(Block& block, const std::map<std::string, std::string>& renamed) {
    if (renamed.empty()) return;
    const auto rename = [&](std::vector<std::string>& names) {
      for (std::string& name : names) {
        const auto found = renamed.find(name);
        if (found != renamed.end()) name = found->second;
      }
    };
    for (GraphOperator& op : block.operators) rename(op.inputs);
    rename(block.outputs);
  }

  Graph& graph_;
  std::map<std::string, size_t> regions_;
  std::map<std::string, Declaration> declared_;
  std::map<std::string, int> copies_;  // by the name of the original
  std::set<size_t> done_;              // regions
  std::set<const Block*> changed_;     // that have tensors of a block around them
};

}  // namespace

Status PassCaptures(Graph& graph) { return Captures(graph).Run(); }

}  // namespace cts
