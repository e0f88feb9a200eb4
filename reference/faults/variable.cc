// Faults of VARIABLE, VARIABLE_WRITE, VARIABLE_READ: other graphs are executed.
#include <algorithm>

#include "reference/faults/fault.h"

namespace cts::variable_faults {
namespace {

// Calls `change` with every operator of a name in the main block, from the last to the first.
std::function<void(Graph&)> AtEach(const std::string& op,
                                   const std::function<void(Block&, size_t position)>& change) {
  return [=](Graph& graph) {
    Block& block = graph.main();
    for (size_t i = block.operators.size(); i-- > 0;) {
      if (block.operators[i].op == op) change(block, i);
    }
  };
}

GraphTensor& TensorOf(Block& block, const std::string& name) {
  return *std::find_if(block.tensors.begin(), block.tensors.end(),
                       [&](const GraphTensor& tensor) { return tensor.name == name; });
}

// The attribute that tells variables apart: the name, or the uid in 0.100.
const AttributeValue& KeyOf(const GraphOperator& op) {
  const auto name = op.attributes.find("name");
  return name != op.attributes.end() ? name->second : op.attributes.at("uid");
}

// The initial value of the variable that the operator reads; null if it has none.
std::shared_ptr<const Tensor> InitialValue(Block& block, const GraphOperator& read) {
  for (const GraphOperator& op : block.operators) {
    const auto found = op.attributes.find("initial_value");
    if (op.op == "VARIABLE" && found != op.attributes.end() && KeyOf(op) == KeyOf(read)) {
      return TensorOf(block, std::get<std::string>(found->second)).values;
    }
  }
  return nullptr;
}

// Another initial value.
std::function<void(Graph&)> Beginning(std::function<void(Tensor&)> spoil) {
  return AtEach("VARIABLE", [spoil = std::move(spoil)](Block& block, size_t position) {
    const auto& attributes = block.operators[position].attributes;
    const auto found = attributes.find("initial_value");
    if (found == attributes.end()) return;
    GraphTensor& tensor = TensorOf(block, std::get<std::string>(found->second));
    Tensor values = *tensor.values;
    spoil(values);
    tensor.values = std::make_shared<const Tensor>(std::move(values));
  });
}

// Reads a constant in place of the variable. `values` returns the constant's values; if it returns
// null, the operator stays.
std::function<void(Graph&)> Reading(
    std::function<std::shared_ptr<const Tensor>(Block&, const GraphOperator&, const GraphTensor&)>
        values) {
  return AtEach("VARIABLE_READ", [values = std::move(values)](Block& block, size_t position) {
    GraphTensor& tensor = TensorOf(block, block.operators[position].outputs[0]);
    tensor.values = values(block, block.operators[position], tensor);
    if (tensor.values == nullptr) return;
    block.operators[position] = {"CONST", {}, {tensor.name}, {}};
  });
}

// Writes the result of an operator on the value and a constant.
std::function<void(Graph&)> Writing(
    std::function<void(Block&, const GraphTensor& value, std::vector<GraphOperator>& made)> make) {
  return AtEach("VARIABLE_WRITE", [make = std::move(make)](Block& block, size_t position) {
    const GraphTensor value = *block.Find(block.operators[position].inputs[0]);
    std::vector<GraphOperator> made;
    make(block, value, made);
    if (made.empty()) return;
    block.operators[position].inputs[0] = made.back().outputs[0];
    block.operators.insert(block.operators.begin() + static_cast<int64_t>(position), made.begin(),
                           made.end());
  });
}

std::string Declare(Block& block, const std::string& name, DType type, const Shape& shape) {
  block.tensors.push_back({name, type, shape, nullptr});
  return name;
}

struct Rewrite {
  const char* id;
  const char* sentence;
  std::function<void(Graph&)> rewrite;
  std::function<bool(const TypeRow&)> touches = nullptr;
};

Faults Rewritten(const std::string& op, const std::string& prefix, const std::string& clause,
                 std::vector<Rewrite> rewrites) {
  Faults faults;
  for (Rewrite& rewrite : rewrites) {
    faults.push_back({.id = prefix + rewrite.id,
                      .op = op,
                      .sentence = rewrite.sentence,
                      .clause = clause,
                      .touches = std::move(rewrite.touches),
                      .does = std::move(rewrite.rewrite)});
  }
  return faults;
}

}  // namespace

Faults VariableFaults() {
  return Rewritten(
      "VARIABLE", "variable.", "VARIABLE, argument initial_value",
      {{"begins_with_zero", "begins with zeros, whatever initial_value is",
        Beginning([](Tensor& values) { values = Tensor(values.dtype(), values.shape()); })},
       {"splats", "takes the first element of initial_value for all", Beginning([](Tensor& values) {
          for (int64_t i = 1; i < values.size(); ++i) values.SetBits(i, values.Bits(0));
        })},
       {"begins_backwards", "reads initial_value from its end", Beginning([](Tensor& values) {
          const Tensor before = values;
          for (int64_t i = 0; i < values.size(); ++i) {
            values.SetBits(i, before.Bits(values.size() - 1 - i));
          }
        })},
       // Every execution declares the variable, but its value is older.
       {"begins_anew", "sets the variable to initial_value in every execution",
        Reading([](Block& block, const GraphOperator& read, const GraphTensor&) {
          return InitialValue(block, read);
        })}});
}

Faults VariableWriteFaults() {
  return Rewritten(
      "VARIABLE_WRITE", "variable_write.", "VARIABLE_WRITE, argument input1",
      {{"writes_nothing", "leaves the variable as it is",
        AtEach("VARIABLE_WRITE",
               [](Block& block, size_t position) {
                 block.operators.erase(block.operators.begin() + static_cast<int64_t>(position));
               })},
       {"writes_zeros", "writes a tensor of zeros",
        Writing([](Block& block, const GraphTensor& value, std::vector<GraphOperator>& made) {
          const std::string zeros = Declare(block, "zeros_" + value.name, value.dtype, value.shape);
          block.tensors.back().values = std::make_shared<Tensor>(value.dtype, value.shape);
          made.push_back({"CONST", {}, {zeros}, {}});
        })},
       {"writes_backwards", "writes the first axis from its end",
        Writing([](Block& block, const GraphTensor& value, std::vector<GraphOperator>& made) {
          if (value.shape.empty()) return;
          const std::string turned =
              Declare(block, "turned_" + value.name, value.dtype, value.shape);
          made.push_back({"REVERSE", {value.name}, {turned}, {{"axis", int64_t{0}}}});
        })},
       {"writes_half", "writes the first half of the elements, zeros for the rest",
        Writing([](Block& block, const GraphTensor& value, std::vector<GraphOperator>& made) {
          Tensor mask(DType::kBool, value.shape);
          for (int64_t i = 0; i < (mask.size() + 1) / 2; ++i) mask.SetInteger(i, 1);
          const std::string first =
              Declare(block, "first_" + value.name, DType::kBool, value.shape);
          block.tensors.back().values = std::make_shared<Tensor>(std::move(mask));
          const std::string none = Declare(block, "none_" + value.name, value.dtype, value.shape);
          block.tensors.back().values = std::make_shared<Tensor>(value.dtype, value.shape);
          const std::string half = Declare(block, "half_" + value.name, value.dtype, value.shape);
          made.push_back({"CONST", {}, {first}, {}});
          made.push_back({"CONST", {}, {none}, {}});
          made.push_back({"SELECT", {first, value.name, none}, {half}, {}});
        })},
       {"writes_the_other", "writes one variable in the place of another",
        [](Graph& graph) {
          GraphOperator* first = nullptr;
          for (GraphOperator& op : graph.main().operators) {
            if (op.op != "VARIABLE_WRITE") continue;
            if (first != nullptr) return std::swap(first->attributes, op.attributes);
            first = &op;
          }
        }},
       {"keeps_bf16", "keeps the variable in bf16",
        Writing([](Block& block, const GraphTensor& value, std::vector<GraphOperator>& made) {
          if (value.dtype != DType::kFp32) return;
          const std::string narrow =
              Declare(block, "narrow_" + value.name, DType::kBf16, value.shape);
          const std::string wide = Declare(block, "wide_" + value.name, value.dtype, value.shape);
          made.push_back({"CAST", {value.name}, {narrow}, {}});
          made.push_back({"CAST", {narrow}, {wide}, {}});
        }),
        Rows("in_t", {DType::kFp32})}});
}

Faults VariableReadFaults() {
  Faults faults = Rewritten(
      "VARIABLE_READ", "variable_read.", "VARIABLE_READ, argument output1",
      {{"reads_the_initial_value", "reads initial_value, whatever has been written since",
        Reading([](Block& block, const GraphOperator& read, const GraphTensor&) {
          return InitialValue(block, read);
        })},
       {"reads_zeros", "reads a tensor of zeros",
        Reading([](Block&, const GraphOperator&, const GraphTensor& tensor) {
          return std::make_shared<const Tensor>(tensor.dtype, tensor.shape);
        })},
       // The new state is computed from the input and the old state. An implementation that reads
       // what is about to be written has the input in place of the old state.
       {"reads_ahead", "reads what the same execution goes on to write",
        AtEach("VARIABLE_READ", [](Block& block, size_t position) {
          const std::string output = block.operators[position].outputs[0];
          const GraphTensor &input = *block.Find(block.inputs[0]), &read = *block.Find(output);
          if (input.dtype != read.dtype || input.shape != read.shape) return;
          block.operators[position] = {"IDENTITY", {input.name}, {output}, {}};
        })}});
  MarkReported(faults, {"reads_ahead"}, "tools/findings/mlir/deviations.json, variables");
  return faults;
}

}  // namespace cts::variable_faults
