#include "reference/formats/to_tosa.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/permute.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/call.h"
#include "reference/graph/structure.h"
#include "reference/ops/definition.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

// The accumulator of a convolution that yields this type. For fp16 it is the one in the edition's
// rows.
DType AccumulatorOf(DType out) {
  switch (out) {
    case DType::kI48:
    case DType::kFp16:
      return out;
    case DType::kBf16:
    case DType::kFp32:
      return DType::kFp32;
    default:
      return DType::kI32;
  }
}

class BlockLowering {
 public:
  BlockLowering(const Block& block, const Edition& from, const Edition& to)
      : from_(from), to_(to), block_(block) {
    for (const GraphTensor& tensor : block.tensors) names_.insert(tensor.name);
    lowered_ = block;
    lowered_.operators.clear();
  }

  StatusOr<Block> Run() {
    for (const GraphOperator& op : block_.operators) {
      const Status status = Lower(op);
      if (!status.ok()) return Annotate(status, op.op);
    }
    return std::move(lowered_);
  }

 private:
  Status Lower(const GraphOperator& op) {
    const OperatorSpec* const spec = from_.FindOperator(op.op);
    if (spec == nullptr) return InvalidArgument(UnknownOperator(op.op, from_));
    if (IsConstant(op)) {
      lowered_.operators.push_back(op);
      return absl::OkStatus();
    }
    if (spec->definition != nullptr) return LowerDefined(op, *spec);
    const std::string& text = spec->Seen().name;
    if (text == "FULLY_CONNECTED") return LowerFullyConnected(op, *spec);
    const OperatorSpec* const target = to_.FindOperator(text);
    if (target == nullptr) return Unsupported(to_.id, " has no ", text);
    CTS_ASSIGN_OR_RETURN(GraphOperator result, Translate(op, *spec, *target));
    std::vector<std::pair<std::string, std::string>> outputs;  // as computed, as wanted
    for (std::string& output : result.outputs) {
      const ArgumentSpec* const argument = FindOutput(*spec);
      const GraphTensor* const given = lowered_.Find(output);
      if (argument == nullptr || given == nullptr ||
          argument->view_axes.size() != given->shape.size() || argument->view_axes.empty()) {
        continue;
      }
      std::string computed =
          Declare(output, given->dtype, Permute(given->shape, argument->view_axes));
      outputs.emplace_back(computed, std::exchange(output, computed));
    }
    lowered_.operators.push_back(std::move(result));
    const ArgumentSpec* const argument = FindOutput(*spec);
    for (const auto& [computed, wanted] : outputs) {
      CTS_RETURN_IF_ERROR(Transpose(computed, wanted, Inverse(argument->view_axes)));
    }
    return absl::OkStatus();
  }

  // The operator with the arguments of `target`: operands in its layout, attributes and constants
  // by its names. The outputs are those of `op`.
  StatusOr<GraphOperator> Translate(const GraphOperator& op, const OperatorSpec& spec,
                                    const OperatorSpec& target) {
    GraphOperator result{.op = target.name, .inputs = {}, .outputs = op.outputs, .attributes = {}};
    const OperatorSpec& seen = spec.Seen();
    size_t operands = 0;
    std::map<std::string, std::string> operand_of;  // by the text's name of the argument
    std::map<std::string, AttributeValue> attributes = op.attributes;
    for (size_t i = 0; i < spec.arguments.size(); ++i) {
      const ArgumentSpec& argument = spec.arguments[i];
      const std::string& name = seen.arguments[i].name;
      if (argument.category == ArgumentCategory::kInput && operands < op.inputs.size()) {
        CTS_ASSIGN_OR_RETURN(operand_of[name], InView(op.inputs[operands++], argument.view_axes));
      }
      const auto attribute = attributes.find(argument.name);
      if (argument.category != ArgumentCategory::kAttribute || attribute == attributes.end()) {
        continue;
      }
      const ArgumentSpec* const wanted = target.FindArgument(name);
      if (wanted == nullptr || wanted->category == ArgumentCategory::kAttribute) {
        result.attributes[name] = attribute->second;
      } else {
        CTS_ASSIGN_OR_RETURN(operand_of[name], Constant(op, argument, attribute->second));
      }
      attributes.erase(attribute);
    }
    result.attributes.merge(attributes);  // what is unknown stays so
    for (const ArgumentSpec& wanted : target.arguments) {
      if (wanted.category == ArgumentCategory::kOutput) continue;
      if (const auto operand = operand_of.find(wanted.name); operand != operand_of.end()) {
        result.inputs.push_back(operand->second);
      }
      // Attributes that the edition does not name.
      if (wanted.name == "acc_type" && !op.outputs.empty()) {
        const GraphTensor* const output = block_.Find(op.outputs[0]);
        if (output != nullptr) {
          result.attributes["acc_type"] = std::string(EnumeratorOf(AccumulatorOf(output->dtype)));
        }
      }
      if (wanted.name == "rounding_mode") result.attributes["rounding_mode"] = "SINGLE_ROUND";
    }
    result.inputs.insert(result.inputs.end(),
                         op.inputs.begin() + static_cast<std::ptrdiff_t>(operands),
                         op.inputs.end());
    return result;
  }

  // The steps of the definition. Tensors between them are named after the operator's output.
  Status LowerDefined(const GraphOperator& op, const OperatorSpec& spec) {
    if (spec.definition->edition != to_.id) {
      return Unsupported("a graph of operators of ", spec.definition->edition,
                         " defines it, expected one of ", to_.id);
    }
    std::map<std::string, std::shared_ptr<const Tensor>> values;
    for (const std::string& name : op.inputs) {
      const GraphTensor* const tensor = block_.Find(name);
      if (tensor == nullptr) continue;
      if (!tensor->symbols.empty()) {
        return Unsupported("a graph defines it, whose sizes follow from values of the symbols of ",
                           name, "; tensor-cts resolve makes a static graph");
      }
      if (std::any_of(tensor->shape.begin(), tensor->shape.end(),
                      [](int64_t n) { return n < 1; })) {
        return Unsupported("a graph defines it, whose sizes do not follow from ", name,
                           " of shape ", ToString(tensor->shape));
      }
      if (tensor->values != nullptr) values[name] = tensor->values;
    }
    const Call call(from_, spec, from_.WidestLevel(), block_, op, values);
    if (!call.fits()) {
      return Unsupported("a graph defines it, whose sizes do not follow: ",
                         call.violations().front().message);
    }
    const StatusOr<Block> steps = WriteOut(call);
    if (!steps.ok()) return Unsupported("a graph defines it: ", Message(steps.status()));
    std::map<std::string, std::string> names;
    for (size_t i = 0; i < steps->inputs.size(); ++i) names[steps->inputs[i]] = op.inputs[i];
    for (size_t i = 0; i < steps->outputs.size(); ++i) names[steps->outputs[i]] = op.outputs[i];
    for (const GraphTensor& tensor : steps->tensors) {
      if (names.contains(tensor.name)) continue;
      names[tensor.name] = Declare(StrCat(op.outputs[0], "_", tensor.name), tensor.dtype,
                                   tensor.shape, tensor.values);
    }
    for (GraphOperator step : steps->operators) {
      for (std::string& name : step.inputs) name = names.at(name);
      for (std::string& name : step.outputs) name = names.at(name);
      lowered_.operators.push_back(std::move(step));
    }
    return absl::OkStatus();
  }

  // TOSA 1.0 does not have the operator. A convolution with a kernel of one has its types, except
  // wider results of fp16 and bf16, which MATMUL has.
  Status LowerFullyConnected(const GraphOperator& op, const OperatorSpec& spec) {
    const GraphTensor* const output = op.outputs.empty() ? nullptr : block_.Find(op.outputs[0]);
    const GraphTensor* const input = op.inputs.empty() ? nullptr : block_.Find(op.inputs[0]);
    if (output == nullptr || input == nullptr || op.inputs.size() != 3 || op.outputs.size() != 1) {
      return Unsupported("with other operands than its three, or another result than its one");
    }
    const bool widens = output->dtype == DType::kFp32 &&
                        (input->dtype == DType::kFp16 || input->dtype == DType::kBf16);
    GraphOperator reshaped = op;
    const OperatorSpec& target = *to_.FindOperator(widens ? "MATMUL" : "CONV2D");
    if (!widens) {
      // [N,IC] and [OC,IC] as [N,1,1,IC] and [OC,1,1,IC].
      for (size_t k = 0; k < 2; ++k) {
        CTS_ASSIGN_OR_RETURN(reshaped.inputs[k], WithKernelOfOne(op.inputs[k]));
      }
      CTS_ASSIGN_OR_RETURN(GraphOperator conv, Translate(reshaped, spec, target));
      conv.attributes["pad"] = std::vector<int64_t>{0, 0, 0, 0};
      conv.attributes["stride"] = std::vector<int64_t>{1, 1};
      conv.attributes["dilation"] = std::vector<int64_t>{1, 1};
      if (output->shape.size() != 2) {
        lowered_.operators.push_back(std::move(conv));
        return absl::OkStatus();
      }
      const Shape shape = {output->shape[0], 1, 1, output->shape[1]};
      conv.outputs[0] = Declare(output->name, output->dtype, shape);
      lowered_.operators.push_back(conv);
      return ReshapeTo(conv.outputs[0], output->name);
    }
    const GraphTensor *const weight = block_.Find(op.inputs[1]), *const bias =
                                                                     block_.Find(op.inputs[2]);
    if (weight == nullptr || bias == nullptr || input->shape.size() != 2 ||
        weight->shape.size() != 2 || bias->shape.size() != 1 || output->shape.size() != 2) {
      return Unsupported("with other ranks than its own, where MATMUL stands for it");
    }
    // [1,N,IC] and [1,IC,OC]; a bias of [1,BC] is added.
    GraphOperator matmul{.op = "MATMUL", .inputs = {}, .outputs = {}, .attributes = {}};
    CTS_ASSIGN_OR_RETURN(const std::string rows,
                         Reshaped(op.inputs[0], {1, input->shape[0], input->shape[1]}));
    CTS_ASSIGN_OR_RETURN(const std::string turned, InView(op.inputs[1], {1, 0}));
    CTS_ASSIGN_OR_RETURN(const std::string columns,
                         Reshaped(turned, {1, weight->shape[1], weight->shape[0]}));
    matmul.inputs = {rows, columns};
    for (const char* const name : {"in_qpoint", "w_qpoint"}) {
      const auto attribute = op.attributes.find(name);
      if (attribute == op.attributes.end()) continue;
      CTS_ASSIGN_OR_RETURN(const std::string constant,
                           Constant(op, *spec.FindArgument(name), attribute->second));
      matmul.inputs.push_back(constant);
    }
    const Shape& shape = output->shape;
    matmul.outputs.push_back(Declare(output->name, output->dtype, {1, shape[0], shape[1]}));
    lowered_.operators.push_back(matmul);
    CTS_ASSIGN_OR_RETURN(const std::string sums, Reshaped(matmul.outputs[0], shape));
    CTS_ASSIGN_OR_RETURN(const std::string row, Reshaped(bias->name, {1, bias->shape[0]}));
    lowered_.operators.push_back({"ADD", {sums, row}, {output->name}, {}});
    return absl::OkStatus();
  }

  static const ArgumentSpec* FindOutput(const OperatorSpec& spec) {
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == ArgumentCategory::kOutput) return &argument;
    }
    return nullptr;
  }

  std::string Declare(const std::string& like, DType dtype, Shape shape,
                      std::shared_ptr<const Tensor> values = nullptr) {
    std::string name;
    for (int k = 0; !names_.insert(name = StrCat(like, "_", k)).second; ++k) {
    }
    lowered_.tensors.push_back({name, dtype, std::move(shape), std::move(values)});
    return name;
  }

  // The tensor with its dimensions in another order.
  StatusOr<std::string> InView(const std::string& name, const AxisOrder& order) {
    const GraphTensor* const given = lowered_.Find(name);
    if (order.empty() || given == nullptr || given->shape.size() != order.size()) return name;
    const GraphTensor tensor = *given;
    const Shape shape = Permute(tensor.shape, order);
    if (tensor.values != nullptr) {
      return Constant(name, std::make_shared<const Tensor>(Permute(*tensor.values, order)));
    }
    std::string permuted = Declare(name, tensor.dtype, shape);
    CTS_RETURN_IF_ERROR(Transpose(name, permuted, order));
    return permuted;
  }

  Status Transpose(const std::string& input, const std::string& output, const AxisOrder& order) {
    CTS_RETURN_IF_ERROR(CheckMoves("TRANSPOSE", input));
    lowered_.operators.push_back({"TRANSPOSE",
                                  {input},
                                  {output},
                                  {{"perms", std::vector<int64_t>(order.begin(), order.end())}}});
    return absl::OkStatus();
  }

  // TOSA moves no i4 and no i48.
  Status CheckMoves(std::string_view op, const std::string& tensor) const {
    const DType dtype = lowered_.Find(tensor)->dtype;
    const auto& rows = to_.FindOperator(op)->type_rows;
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const TypeRow& row) { return row.Type("in_out_t") == dtype; })) {
      return absl::OkStatus();
    }
    return Unsupported(std::string(op), " of ", to_.id, " has no ", Name(dtype), ", which tensor ",
                       tensor, " takes on its way");
  }

  StatusOr<std::string> WithKernelOfOne(const std::string& name) {
    const GraphTensor* const given = lowered_.Find(name);
    if (given == nullptr || given->shape.size() != 2) return name;
    return Reshaped(name, {given->shape[0], 1, 1, given->shape[1]});
  }

  StatusOr<std::string> Reshaped(const std::string& name, const Shape& shape) {
    const GraphTensor given = *lowered_.Find(name);
    if (given.values != nullptr) {
      Tensor values(given.dtype, shape);
      values.bytes() = given.values->bytes();
      return Constant(name, std::make_shared<const Tensor>(std::move(values)));
    }
    std::string reshaped = Declare(name, given.dtype, shape);
    CTS_RETURN_IF_ERROR(ReshapeTo(name, reshaped));
    return reshaped;
  }

  Status ReshapeTo(const std::string& input, const std::string& output) {
    CTS_RETURN_IF_ERROR(CheckMoves("RESHAPE", input));
    const Shape shape = lowered_.Find(output)->shape;
    const auto rank = static_cast<int64_t>(shape.size());
    const std::string sizes = Constant(
        "shape", std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kShape, {rank}, shape)));
    lowered_.operators.push_back({"RESHAPE", {input, sizes}, {output}, {}});
    return absl::OkStatus();
  }

  std::string Constant(const std::string& like, const std::shared_ptr<const Tensor>& values) {
    const bool shape = values->dtype() == DType::kShape;
    std::string name = Declare(like, values->dtype(), values->shape(), values);
    lowered_.operators.push_back({shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
    return name;
  }

  // An attribute as the constant tensor that it is in TOSA: a q-point has the type of its operand,
  // a multiplier that of scale32.
  StatusOr<std::string> Constant(const GraphOperator& op, const ArgumentSpec& argument,
                                 const AttributeValue& value) {
    const OperatorSpec& spec = *from_.FindOperator(op.op);
    std::optional<DType> dtype;
    if (argument.element_type == "i8_t") dtype = DType::kI8;
    if (argument.element_type == "mul_t") {
      const auto scale32 = op.attributes.find("scale32");
      const bool* const wide =
          scale32 == op.attributes.end() ? nullptr : std::get_if<bool>(&scale32->second);
      dtype = wide != nullptr && *wide ? DType::kI32 : DType::kI16;
    }
    size_t inputs = 0, outputs = 0;
    for (const ArgumentSpec& other : spec.arguments) {
      if (other.category == ArgumentCategory::kAttribute) continue;
      const bool input = other.category == ArgumentCategory::kInput;
      const std::vector<std::string>& names = input ? op.inputs : op.outputs;
      size_t& next = input ? inputs : outputs;
      const GraphTensor* const tensor = next < names.size() ? lowered_.Find(names[next]) : nullptr;
      ++next;
      if (!dtype && tensor != nullptr && other.element_type == argument.element_type) {
        dtype = tensor->dtype;
      }
    }
    std::vector<int64_t> integers;
    std::vector<double> numbers;
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) integers = *list;
    if (const auto* number = std::get_if<int64_t>(&value)) integers = {*number};
    if (const auto* number = std::get_if<double>(&value)) numbers = {*number};
    if (!dtype || (integers.empty() && numbers.empty())) {
      return Unsupported("a constant holds no such value of ", argument.name);
    }
    if (IsFloat(*dtype)) {
      numbers.insert(numbers.end(), integers.begin(), integers.end());
      const auto count = static_cast<int64_t>(numbers.size());
      return Constant(argument.name,
                      std::make_shared<const Tensor>(Tensor::OfFloats(*dtype, {count}, numbers)));
    }
    // RESCALE's q-points are bit patterns, those of unsigned tensors, too.
    const bool is_pattern = op.op == "RESCALE" && argument.name.ends_with("_qpoint");
    const int64_t least = IntegerMin(*dtype);
    const int64_t greatest = IntegerMax(*dtype) - (is_pattern ? least : 0);
    const bool fits = std::all_of(integers.begin(), integers.end(),
                                  [&](int64_t x) { return x >= least && x <= greatest; });
    if (!fits || integers.empty()) {
      return Unsupported("a constant of ", Name(*dtype), " cannot hold ", argument.name);
    }
    const auto count = static_cast<int64_t>(integers.size());
    return Constant(argument.name,
                    std::make_shared<const Tensor>(Tensor::OfIntegers(*dtype, {count}, integers)));
  }

  const Edition &from_, &to_;
  const Block& block_;
  Block lowered_;
  std::set<std::string> names_;
};

}  // namespace

StatusOr<Graph> ToTosa(const Graph& graph, const Edition& from, const Edition& to) {
  Graph lowered = graph;
  for (Region& region : lowered.regions) {
    for (Block& block : region.blocks) {
      CTS_ASSIGN_OR_RETURN(Block result, BlockLowering(block, from, to).Run());
      block = std::move(result);
    }
  }
  return lowered;
}

}  // namespace cts
