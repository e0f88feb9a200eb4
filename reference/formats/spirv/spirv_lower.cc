#include <algorithm>
#include <set>
#include <utility>

#include "reference/formats/spirv/spirv.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/structure.h"

namespace cts {
namespace {

class SpirvLowering {
 public:
  SpirvLowering(const Graph& graph, const Edition& edition) : graph_(graph), edition_(edition) {}

  StatusOr<Graph> Run() {
    Graph lowered = graph_;
    Block& block = lowered.main();
    for (const GraphTensor& tensor : block.tensors) tensors_.emplace(tensor.name, tensor);
    GiveArgmaxTwoDimensions(block);
    std::vector<GraphOperator> kept;
    for (size_t i = 0; i < block.operators.size(); ++i) {
      GraphOperator op = block.operators[i];
      const Status stays = Check(op);
      if (!stays.ok()) return Annotate(stays, StrCat("operator ", i, " (", op.op, ")"));
      if (op.op == "IDENTITY") {
        same_.emplace(op.outputs[0], Same(op.inputs[0]));
        continue;
      }
      for (std::string& name : op.inputs) name = Same(name);
      kept.push_back(std::move(op));
    }
    block.operators = std::move(kept);
    for (std::string& name : block.outputs) name = Same(name);
    std::erase_if(block.tensors, [&](const GraphTensor& t) { return same_.contains(t.name); });
    for (GraphTensor& tensor : block.tensors) CTS_RETURN_IF_ERROR(LowerTensor(tensor));
    return lowered;
  }

 private:
  // ARGMAX of [N] has no dimensions left: it becomes that of [1, N] by a RESHAPE, and its result
  // [1].
  void GiveArgmaxTwoDimensions(Block& block) {
    std::vector<GraphOperator> operators;
    for (GraphOperator& op : block.operators) {
      if (LeavesNoDimensions(op)) {
        const GraphTensor input = tensors_.at(op.inputs[0]);
        const int64_t size = input.shape[0];
        const GraphTensor shape{
            NewName(op.inputs[0] + "_shape"),
            DType::kShape,
            {2},
            std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kShape, {2}, {1, size}))};
        const GraphTensor row{NewName(op.inputs[0] + "_row"), input.dtype, {1, size}, nullptr};
        for (const GraphTensor& added : {shape, row}) {
          tensors_.emplace(added.name, added);
          block.tensors.push_back(added);
        }
        operators.push_back({"CONST_SHAPE", {}, {shape.name}, {}});
        operators.push_back({"RESHAPE", {op.inputs[0], shape.name}, {row.name}, {}});
        op.inputs[0] = row.name;
        op.attributes.at("axis") = AttributeValue(int64_t{1});
        tensors_.at(op.outputs[0]).shape = {1};
        for (GraphTensor& tensor : block.tensors) {
          if (tensor.name == op.outputs[0]) tensor.shape = {1};
        }
      }
      operators.push_back(std::move(op));
    }
    block.operators = std::move(operators);
  }

  // An ARGMAX of one dimension, as it should be.
  bool LeavesNoDimensions(const GraphOperator& op) const {
    if (op.op != "ARGMAX" || op.inputs.size() != 1 || op.outputs.size() != 1) return false;
    const auto axis = op.attributes.find("axis");
    if (axis == op.attributes.end() || axis->second != AttributeValue(int64_t{0})) return false;
    const auto input = tensors_.find(op.inputs[0]), output = tensors_.find(op.outputs[0]);
    return input != tensors_.end() && output != tensors_.end() && input->second.shape.size() == 1 &&
           output->second.shape.empty();
  }

  std::string NewName(std::string name) const {
    while (tensors_.contains(name)) name += "_";
    return name;
  }

  // The tensor that this one is a copy of.
  const std::string& Same(const std::string& name) const {
    const auto found = same_.find(name);
    return found == same_.end() ? name : found->second;
  }

  StatusOr<const GraphTensor*> Find(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return InvalidArgument("tensor ", name, " is not declared");
    return &found->second;
  }

  StatusOr<std::vector<const GraphTensor*>> TensorsOf(const GraphOperator& op) const {
    std::vector<const GraphTensor*> tensors;
    for (const auto* names : {&op.inputs, &op.outputs}) {
      for (const std::string& name : *names) {
        CTS_ASSIGN_OR_RETURN(tensors.emplace_back(), Find(name));
      }
    }
    return tensors;
  }

  // Whether the operator says the same when its tensors are lowered.
  Status Check(const GraphOperator& op) const {
    const OperatorSpec* const spec = edition_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument(UnknownOperator(op.op, edition_));
    CTS_ASSIGN_OR_RETURN(const std::vector<const GraphTensor*> tensors, TensorsOf(op));
    if (op.op == "IDENTITY") return CheckIdentity(op);
    const auto any = [&](const auto& is) {
      return std::any_of(tensors.begin(), tensors.end(), is);
    };
    if (any([](const GraphTensor* t) { return t->dtype == DType::kI4; })) {
      CTS_RETURN_IF_ERROR(CheckFourBits(op, *spec));
    }
    if (any([](const GraphTensor* t) {
          return t->shape.empty() || (t->dtype == DType::kShape && t->shape == Shape{0});
        })) {
      CTS_RETURN_IF_ERROR(CheckScalars(op, *spec));
    }
    return absl::OkStatus();
  }

  Status CheckIdentity(const GraphOperator& op) const {
    if (op.inputs.size() != 1 || op.outputs.size() != 1 || !op.attributes.empty()) {
      return Unsupported("cannot be left out: found ", op.inputs.size(), " inputs, ",
                         op.outputs.size(), " outputs and ", op.attributes.size(), " attributes");
    }
    CTS_ASSIGN_OR_RETURN(const GraphTensor* const input, Find(op.inputs[0]));
    CTS_ASSIGN_OR_RETURN(const GraphTensor* const output, Find(op.outputs[0]));
    for (const Level& level : edition_.levels) {
      if (static_cast<int64_t>(input->shape.size()) <= level.Max("MAX_RANK")) continue;
      return Unsupported("cannot be left out: a level refuses ", input->shape.size(),
                         " dimensions");
    }
    if (input->dtype == output->dtype && input->shape == output->shape) return absl::OkStatus();
    return Unsupported("cannot be left out: its output is not as its input");
  }

  // The types of a row with i4 for the weight, which another row has with i8.
  Status CheckFourBits(const GraphOperator& op, const OperatorSpec& spec) const {
    if (IsConstant(op)) return absl::OkStatus();
    size_t position = 0;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == ArgumentCategory::kAttribute) continue;
      const bool is_output = argument.category == ArgumentCategory::kOutput;
      const std::vector<std::string>& names = is_output ? op.outputs : op.inputs;
      const size_t at = is_output ? 0 : position++;
      if (at >= names.size()) break;
      CTS_ASSIGN_OR_RETURN(const GraphTensor* const tensor, Find(names[at]));
      const bool is_weight = argument.name.starts_with("weight");
      const bool is_input = argument.name.starts_with("input");
      const DType wanted = is_weight ? DType::kI4 : is_input ? DType::kI8 : DType::kI32;
      if (tensor->dtype == wanted) continue;
      return Unsupported("i4 becomes i8 beside i8 alone, and ", argument.name, " is of ",
                         Name(tensor->dtype));
    }
    const auto type = op.attributes.find("acc_type");
    if (type != op.attributes.end() && type->second == AttributeValue(std::string("INT32"))) {
      return absl::OkStatus();
    }
    return Unsupported("i4 becomes i8 with acc_type INT32 alone");
  }

  // Either all of an operator's tensors that may be without dimensions are, or it is RESHAPE.
  Status CheckScalars(const GraphOperator& op, const OperatorSpec& spec) const {
    if (IsConstant(op)) return absl::OkStatus();
    if (op.op == "RESHAPE") return CheckReshape(op);
    size_t inputs = 0, outputs = 0;
    bool any_input = false;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == ArgumentCategory::kAttribute) continue;
      const bool is_output = argument.category == ArgumentCategory::kOutput;
      const std::vector<std::string>& names = is_output ? op.outputs : op.inputs;
      size_t& next = is_output ? outputs : inputs;
      if (next >= names.size()) break;
      CTS_ASSIGN_OR_RETURN(const GraphTensor* const tensor, Find(names[next++]));
      const bool may_be = argument.min_rank && !argument.min_rank->plus_max_rank &&
                          argument.min_rank->constant == 0;
      any_input |= !is_output && tensor->shape.empty();
      if (may_be != tensor->shape.empty() || (is_output && !any_input)) {
        return Unsupported("a shape of [] becomes [1] where all are [], and ", argument.name,
                           " has ", ToString(tensor->shape));
      }
    }
    const auto per_channel = op.attributes.find("per_channel");
    if (per_channel == op.attributes.end() || per_channel->second == AttributeValue(false)) {
      return absl::OkStatus();
    }
    return Unsupported("a shape of [] has no channels, and [1] has one");
  }

  // Its shape and its output, which differ in an illegal one.
  Status CheckReshape(const GraphOperator& op) const {
    if (op.inputs.size() != 2 || op.outputs.size() != 1) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const GraphTensor* const shape, Find(op.inputs[1]));
    CTS_ASSIGN_OR_RETURN(const GraphTensor* const output, Find(op.outputs[0]));
    if (output->shape.empty() == (shape->shape == Shape{0})) return absl::OkStatus();
    return Unsupported("a shape of [] becomes [1] where the output has it, and the output has ",
                       ToString(output->shape));
  }

  static Status LowerTensor(GraphTensor& tensor) {
    const bool empty_shape = tensor.dtype == DType::kShape && tensor.shape == Shape{0};
    const DType dtype = tensor.dtype == DType::kI4 ? DType::kI8 : tensor.dtype;
    if (dtype == tensor.dtype && !tensor.shape.empty() && !empty_shape) return absl::OkStatus();
    const Shape shape = tensor.shape.empty() || empty_shape ? Shape{1} : tensor.shape;
    if (tensor.values != nullptr) {
      Tensor values(dtype, shape);
      if (empty_shape) {
        values.SetInteger(0, 1);  // RESHAPE to one element
      } else {
        values.bytes() = tensor.values->bytes();
      }
      for (int64_t i = 0; tensor.dtype == DType::kI4 && i < values.size(); ++i) {
        if (values.Integer(i) < IntegerMin(DType::kI4)) {
          return Unsupported("tensor ", tensor.name, ": ", values.Integer(i), " is below ",
                             IntegerMin(DType::kI4), " as i4, and allowed as i8");
        }
      }
      tensor.values = std::make_shared<const Tensor>(std::move(values));
    }
    tensor.dtype = dtype;
    tensor.shape = shape;
    return absl::OkStatus();
  }

  const Graph& graph_;
  const Edition& edition_;
  std::map<std::string, GraphTensor> tensors_;
  std::map<std::string, std::string> same_;
};

}  // namespace

StatusOr<Graph> LowerForSpirv(const Graph& graph, const Edition& edition) {
  return SpirvLowering(graph, edition).Run();
}

}  // namespace cts
