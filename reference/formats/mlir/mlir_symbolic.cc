#include "reference/formats/mlir/mlir_symbolic.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "reference/base/contains.h"
#include "reference/formats/mlir/mlir_values.h"
#include "reference/formats/unsupported.h"

namespace cts::mlir_text {
namespace {

// The operations that an operator becomes, one a line.
class Lines {
 public:
  Lines(const BlockNames& block, const std::string& output)
      : block_(block), output_(output), indent_(block.Indent()) {}
  // "%name = <operation>"; the type of the result stands at the end.
  void Add(const std::string& name, const std::string& operation) {
    text_ += StrCat(text_.empty() ? "" : StrCat("\n", indent_, "  "), name, " = ", operation);
  }
  // A name for a value that is not the output.
  std::string Name(std::string_view tail) const {
    return StrCat("%", block_.NewName(StrCat(output_, tail)));
  }
  // The same as Add, for a value of such a name.
  std::string New(const std::string& operation) {
    std::string name = Name(StrCat("__", count_++));
    Add(name, operation);
    return name;
  }
  std::string Index(int64_t value) {
    return New(StrCat("\"arith.constant\"() {value = ", value, " : index} : () -> index"));
  }
  std::string Cast(const std::string& value, std::string_view from, std::string_view to) {
    return New(StrCat("\"arith.index_cast\"(", value, ") : (", from, ") -> ", to));
  }
  std::string Binary(std::string_view op, const std::string& a, const std::string& b) {
    return New(StrCat("\"arith.", op, "\"(", a, ", ", b, ") : (index, index) -> index"));
  }
  const std::string& text() const { return text_; }

 private:
  const BlockNames& block_;
  const std::string& output_;
  const std::string indent_;
  std::string text_;
  int count_ = 0;
};

std::string Repeated(std::string_view text, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += StrCat(i == 0 ? "" : ", ", text);
  return list;
}

// "tensor<?x?xi8>"
std::string Dynamic(size_t rank, std::string_view element) {
  std::string type = "tensor<";
  for (size_t i = 0; i < rank; ++i) type += "?x";
  return StrCat(type, element, ">");
}

// One operator. Its shapes and attributes are as CheckSymbolicStructure wants them.
class SymbolicOperator {
 public:
  SymbolicOperator(const BlockNames& block, const GraphOperator& op, const GraphTensor& output)
      : op_(op), output_(output), result_("%" + output.name), lines_(block, output.name) {}

  StatusOr<std::string> Render(const BlockNames& block) {
    for (const std::string& name : op_.inputs) {
      CTS_ASSIGN_OR_RETURN(const GraphTensor* tensor, block.Lookup(name));
      values_.push_back("%" + name);
      tensors_.push_back(tensor);
    }
    const std::string& name = op_.op;
    if (name == "INDEX_CONST") {
      lines_.Add(result_, StrCat("\"arith.constant\"() {value = ", Number("value"),
                                 " : index} : () -> index"));
      return lines_.text();
    }
    if (!tensors_.empty() && tensors_[0]->dtype != DType::kShape) {
      CTS_ASSIGN_OR_RETURN(input_type_, TensorType(*tensors_[0]));
    }
    if (name == "GET_DIM" || name == "EXTRACT_DIM") return Dimension();
    CTS_ASSIGN_OR_RETURN(output_type_, TensorType(output_));
    CTS_ASSIGN_OR_RETURN(element_, ElementTypeText(output_.dtype));
    if (name == "DIMS_TO_TENSOR") {
      FromElements(element_, 0, result_, output_type_);
      return lines_.text();
    }
    if (name == "IOTA") return Iota();
    if (name == "RESHAPE" || name == "EXPAND_DIMS" || name == "COLLAPSE_DIMS") return Reshape();
    const size_t rank = output_.shape.size();
    if (name == "DATA_DEPENDENT_SLICE" && values_.size() == 1 + 2 * rank) return Slice();
    if (name == "DATA_DEPENDENT_PAD" && values_.size() == 2 + 2 * rank) return Pad();
    const bool scatter = name == "DATA_DEPENDENT_SCATTER";
    if ((scatter || name == "DATA_DEPENDENT_GATHER") && !tensors_[0]->shape.empty() &&
        !IsSymbol(*tensors_[0], 0)) {
      const size_t first = scatter ? 2 : 1;
      const int64_t batches = tensors_[0]->shape[0];
      const auto count = static_cast<int64_t>(values_.size() - first);
      if (batches > 0 && count % batches == 0) return GatherOrScatter(scatter, first, count);
    }
    if (name.find("CONV") != name.npos) {
      return Unsupported("the dialect takes padding, stride and dilation as attributes only");
    }
    return Unsupported("no operation of MLIR takes these index values");
  }

 private:
  int64_t Number(const char* name) const { return std::get<int64_t>(op_.attributes.at(name)); }

  // Index values from `first` on as elements of a tensor of integers.
  void FromElements(std::string_view type, size_t first, const std::string& name,
                    const std::string& tensor_type) {
    std::string list;
    for (size_t i = first; i < values_.size(); ++i) {
      list += StrCat(i == first ? "" : ", ", lines_.Cast(values_[i], "index", type));
    }
    lines_.Add(name, StrCat("\"tensor.from_elements\"(", list, ") : (",
                            Repeated(type, values_.size() - first), ") -> ", tensor_type));
  }

  // Names a tensor of unknown size as the result, whose type may know it.
  std::string CastToResult(const std::string& made, size_t rank) {
    lines_.Add(result_, StrCat("\"tensor.cast\"(", made, ") : (", Dynamic(rank, element_), ") -> ",
                               output_type_));
    return lines_.text();
  }

  StatusOr<std::string> Dimension() {
    const std::string at = lines_.Index(Number("dim_index"));
    if (op_.op == "GET_DIM") {
      lines_.Add(result_, StrCat("\"tensor.dim\"(", values_[0], ", ", at, ") : (", input_type_,
                                 ", index) -> index"));
      return lines_.text();
    }
    CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementTypeText(tensors_[0]->dtype));
    const std::string taken = lines_.New(StrCat("\"tensor.extract\"(", values_[0], ", ", at,
                                                ") : (", input_type_, ", index) -> ", element));
    lines_.Add(result_, StrCat("\"arith.index_cast\"(", taken, ") : (", element, ") -> index"));
    return lines_.text();
  }

  std::string Iota() {
    const size_t n = values_.size();
    const std::string start = n == 1 ? lines_.Index(0) : values_[0];
    const std::string step = n == 3 ? values_[2] : lines_.Index(1);
    const std::string span = lines_.Binary("subi", values_[n == 1 ? 0 : 1], start);
    const std::string count = lines_.Binary("ceildivsi", span, step);
    const std::string at = lines_.Name("_at");
    std::string body = StrCat("({^bb0(", at, ": index): ");
    // The name of the result of an operation of the body.
    const auto add = [&](std::string_view tail, const std::string& operation) {
      std::string name = lines_.Name(tail);
      body += StrCat(name, " = ", operation, " ");
      return name;
    };
    const std::string by =
        add("_by", StrCat("\"arith.muli\"(", at, ", ", step, ") : (index, index) -> index"));
    const std::string sum =
        add("_sum", StrCat("\"arith.addi\"(", by, ", ", start, ") : (index, index) -> index"));
    const std::string_view integer = IsFloat(output_.dtype) ? "i64" : element_;
    std::string value =
        add("_value", StrCat("\"arith.index_cast\"(", sum, ") : (index) -> ", integer));
    if (IsFloat(output_.dtype)) {
      value = add("_float", StrCat("\"arith.sitofp\"(", value, ") : (i64) -> ", element_));
    }
    body += StrCat("\"tensor.yield\"(", value, ") : (", element_, ") -> ()})");
    const std::string made = lines_.New(
        StrCat("\"tensor.generate\"(", count, ") ", body, " : (index) -> ", Dynamic(1, element_)));
    return CastToResult(made, 1);
  }

  // The dimensions of the input that are left, or those among which dimensions of 1 are put: these
  // have the number of dimensions.
  StatusOr<std::vector<size_t>> DimensionsLeft(const std::vector<int64_t>& list) const {
    std::vector<size_t> left;
    const size_t rank = output_.shape.size();
    // Its operations take sizes. None exists for an axis that is no dimension, or whose size is
    // not 1.
    const size_t among =
        op_.op == "COLLAPSE_DIMS" ? tensors_[0]->shape.size() : tensors_[0]->shape.size() + 1;
    bool fits = std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end();
    for (const int64_t i : list) {
      fits = fits && i >= 0 && i < static_cast<int64_t>(among) &&
             (op_.op == "EXPAND_DIMS" || tensors_[0]->shape[static_cast<size_t>(i)] == 1);
    }
    if (!fits) return Unsupported("MLIR has no words for indices ", ToString(list));
    const auto has = [&](size_t i) { return Contains(list, static_cast<int64_t>(i)); };
    for (size_t i = 0; i < tensors_[0]->shape.size(); ++i) {
      if (op_.op == "COLLAPSE_DIMS") {
        if (!has(i)) left.push_back(i);
        continue;
      }
      if (has(i)) left.push_back(tensors_[0]->shape.size());
      left.push_back(i);
    }
    if (op_.op == "EXPAND_DIMS" && has(tensors_[0]->shape.size())) {
      left.push_back(tensors_[0]->shape.size());
    }
    if (left.size() != rank) {
      return Unsupported("MLIR has no words for indices ", ToString(list), " and a result of ",
                         "rank ", rank);
    }
    return left;
  }

  StatusOr<std::string> Reshape() {
    const size_t rank = output_.shape.size();
    std::vector<size_t> left;
    const auto indices = op_.attributes.find("indices");
    if (indices != op_.attributes.end()) {
      CTS_ASSIGN_OR_RETURN(left, DimensionsLeft(std::get<std::vector<int64_t>>(indices->second)));
    }
    std::string sizes;
    size_t next = 1;
    for (size_t i = 0; i < rank; ++i) {
      std::string size;
      if (!IsSymbol(output_, i)) {
        size = lines_.Index(output_.shape[i]);
      } else if (op_.op == "RESHAPE") {
        size = values_[next++];
      } else if (left[i] == tensors_[0]->shape.size()) {
        size = lines_.Index(1);
      } else {
        const std::string at = lines_.Index(static_cast<int64_t>(left[i]));
        size = lines_.New(StrCat("\"tensor.dim\"(", values_[0], ", ", at, ") : (", input_type_,
                                 ", index) -> index"));
      }
      sizes += StrCat(i == 0 ? "" : ", ", size);
    }
    const std::string list_type = StrCat("tensor<", rank, "xindex>");
    const std::string shape = lines_.New(StrCat("\"tensor.from_elements\"(", sizes, ") : (",
                                                Repeated("index", rank), ") -> ", list_type));
    lines_.Add(result_, StrCat("\"tensor.reshape\"(", values_[0], ", ", shape, ") : (", input_type_,
                               ", ", list_type, ") -> ", output_type_));
    return lines_.text();
  }

  std::string Slice() {
    const size_t rank = output_.shape.size();
    const std::string dynamic = StrCat("array<i64: ", Repeated(StrCat(INT64_MIN), rank), ">");
    std::string list = values_[0];
    for (size_t i = 1; i < values_.size(); ++i) list += ", " + values_[i];
    const std::string made = lines_.New(
        StrCat("\"tensor.extract_slice\"(", list, ") {operandSegmentSizes = array<i32: 1, ", rank,
               ", ", rank, ", 0>, static_offsets = ", dynamic, ", static_sizes = ", dynamic,
               ", static_strides = array<i64: ", Repeated("1", rank), ">} : (", input_type_, ", ",
               Repeated("index", 2 * rank), ") -> ", Dynamic(rank, element_)));
    return CastToResult(made, rank);
  }

  std::string Pad() {
    const size_t rank = output_.shape.size();
    const std::string dynamic = StrCat("array<i64: ", Repeated(StrCat(INT64_MIN), rank), ">");
    const std::string zero = lines_.Index(0);
    const std::string constant =
        lines_.New(StrCat("\"tensor.extract\"(", values_[1], ", ", zero, ") : (tensor<1x", element_,
                          ">, index) -> ", element_));
    std::string lows, highs, arguments;
    for (size_t i = 0; i < rank; ++i) {
      lows += ", " + values_[2 + 2 * i];
      highs += ", " + values_[3 + 2 * i];
      arguments += StrCat(i == 0 ? "" : ", ", lines_.Name(StrCat("_at", i)), ": index");
    }
    const std::string made = lines_.New(StrCat(
        "\"tensor.pad\"(", values_[0], lows, highs, ") ({^bb0(", arguments, "): \"tensor.yield\"(",
        constant, ") : (", element_, ") -> ()}) {operandSegmentSizes = array<i32: 1, ", rank, ", ",
        rank, ">, static_low = ", dynamic, ", static_high = ", dynamic, "} : (", input_type_, ", ",
        Repeated("index", 2 * rank), ") -> ", Dynamic(rank, element_)));
    return CastToResult(made, rank);
  }

  StatusOr<std::string> GatherOrScatter(bool scatter, size_t first, int64_t count) {
    const int64_t batches = tensors_[0]->shape[0];
    const std::string type = StrCat("tensor<", batches, "x", count / batches, "xi32>");
    const std::string name = lines_.Name("__indices");
    FromElements("i32", first, name, type);
    std::string other;
    if (scatter) {
      CTS_ASSIGN_OR_RETURN(other, TensorType(*tensors_[1]));
    }
    lines_.Add(result_, StrCat("\"tosa.", scatter ? "scatter" : "gather", "\"(", values_[0], ", ",
                               name, scatter ? ", " + values_[1] : "", ") : (", input_type_, ", ",
                               type, scatter ? ", " + other : "", ") -> ", output_type_));
    return lines_.text();
  }

  const GraphOperator& op_;
  const GraphTensor& output_;
  const std::string result_;
  Lines lines_;
  std::vector<std::string> values_;  // of the operands
  std::vector<const GraphTensor*> tensors_;
  std::string input_type_;  // of the first operand, if it is a tensor
  std::string output_type_;
  std::string_view element_;  // the output's
};

}  // namespace

StatusOr<std::string> RenderSymbolic(const BlockNames& block, const GraphOperator& op) {
  CTS_ASSIGN_OR_RETURN(const GraphTensor* output, block.Lookup(op.outputs[0]));
  return SymbolicOperator(block, op, *output).Render(block);
}

}  // namespace cts::mlir_text
