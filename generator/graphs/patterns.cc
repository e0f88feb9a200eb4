#include "generator/graphs/patterns.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "reference/base/contains.h"
#include "reference/base/tensor.h"

namespace cts {
namespace patterns {
namespace {

using Operators = std::vector<const GraphOperator*>;

// Without CONST and CONST_SHAPE.
Operators Computing(const Block& block) {
  Operators operators;
  for (const GraphOperator& op : block.operators) {
    if (!IsConstant(op)) operators.push_back(&op);
  }
  return operators;
}

Operators ReadersOf(const Block& block, const std::string& tensor) {
  Operators readers;
  for (const GraphOperator* const op : Computing(block)) {
    if (Contains(op->inputs, tensor)) readers.push_back(op);
  }
  return readers;
}

const GraphOperator* MakerOf(const Block& block, const std::string& tensor) {
  for (const GraphOperator* const op : Computing(block)) {
    if (Contains(op->outputs, tensor)) return op;
  }
  return nullptr;
}

const Tensor* ConstantOf(const Block& block, const std::string& name) {
  const GraphTensor* const tensor = block.Find(name);
  return tensor == nullptr ? nullptr : tensor->values.get();
}

template <class Predicate>
bool AnyOperator(const Block& block, Predicate holds) {
  const Operators operators = Computing(block);
  return std::any_of(operators.begin(), operators.end(),
                     [&](const GraphOperator* op) { return holds(*op); });
}

// Whether it holds of any tensor that an operator makes.
template <class Predicate>
bool AnyResult(const Block& block, Predicate holds) {
  return AnyOperator(block, [&](const GraphOperator& op) {
    return std::any_of(op.outputs.begin(), op.outputs.end(), holds);
  });
}

bool HasSeveralReaders(const Block& block) {
  return AnyResult(block, [&](const auto& tensor) { return ReadersOf(block, tensor).size() > 1; });
}

// Returns for each tensor those that it is made of, itself among them.
std::map<std::string, std::set<std::string>> Sources(const Block& block) {
  std::map<std::string, std::set<std::string>> sources;
  for (const std::string& input : block.inputs) sources[input] = {input};
  for (const GraphOperator* const op : Computing(block)) {
    std::set<std::string> all;
    for (const std::string& input : op->inputs) {
      const auto found = sources.find(input);
      if (found != sources.end()) all.insert(found->second.begin(), found->second.end());
    }
    for (const std::string& output : op->outputs) {
      sources[output] = all;
      sources[output].insert(output);
    }
  }
  return sources;
}

// Two operands that differ and are made of one tensor.
bool IsDiamond(const Block& block) {
  const auto sources = Sources(block);
  return AnyOperator(block, [&](const GraphOperator& op) {
    for (const std::string& a : op.inputs) {
      for (const std::string& b : op.inputs) {
        if (a >= b || sources.count(a) == 0 || sources.count(b) == 0) continue;
        const std::set<std::string>&of_a = sources.at(a), &of_b = sources.at(b);
        if (std::any_of(of_a.begin(), of_a.end(),
                        [&](const std::string& source) { return of_b.count(source) > 0; })) {
          return true;
        }
      }
    }
    return false;
  });
}

bool ReadsOneTensorTwice(const GraphOperator& op) {
  const std::set<std::string> different(op.inputs.begin(), op.inputs.end());
  return different.size() < op.inputs.size();
}
bool ReadsTwice(const Block& block) { return AnyOperator(block, ReadsOneTensorTwice); }

bool ReadsAnOutput(const Block& block) {
  return AnyOperator(block, [&](const GraphOperator& op) {
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](const std::string& input) { return Contains(block.outputs, input); });
  });
}

bool PassesAnInputOn(const Block& block) {
  return std::any_of(block.outputs.begin(), block.outputs.end(), [&](const std::string& output) {
    const GraphOperator* const maker = MakerOf(block, output);
    return maker != nullptr && maker->op == "IDENTITY" &&
           Contains(block.inputs, maker->inputs.front());
  });
}

bool TurnsOutputs(const Block& block) {
  size_t last = 0;
  for (const std::string& output : block.outputs) {
    size_t at = 0;
    while (at < block.operators.size() && !Contains(block.operators[at].outputs, output)) ++at;
    if (at < last) return true;
    last = at;
  }
  return false;
}

bool HasDeadOperator(const Block& block) {
  return AnyOperator(block, [&](const GraphOperator& op) {
    return std::none_of(op.outputs.begin(), op.outputs.end(), [&](const std::string& output) {
      return Contains(block.outputs, output) || !ReadersOf(block, output).empty();
    });
  });
}

bool RepeatsAnOperator(const Block& block) {
  const Operators operators = Computing(block);
  for (size_t i = 0; i < operators.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const GraphOperator &a = *operators[i], &b = *operators[k];
      if (a.op == b.op && a.inputs == b.inputs && a.attributes == b.attributes) return true;
    }
  }
  return false;
}

bool HasEqualConstants(const Block& block) {
  const std::vector<GraphTensor>& tensors = block.tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Tensor *const a = tensors[i].values.get(), *const b = tensors[k].values.get();
      if (a != nullptr && b != nullptr && a->size() > 1 && *a == *b) return true;
    }
  }
  return false;
}

bool SharesAConstant(const Block& block) {
  return std::any_of(block.tensors.begin(), block.tensors.end(), [&](const GraphTensor& tensor) {
    return tensor.values != nullptr && tensor.values->size() > 1 &&
           ReadersOf(block, tensor.name).size() > 1;
  });
}

bool IsALongChain(const Block& block) {
  constexpr size_t kLong = 100;
  std::map<std::string, size_t> length;
  size_t longest = 0;
  for (const GraphOperator* const op : Computing(block)) {
    size_t before = 0;
    for (const std::string& input : op->inputs) before = std::max(before, length[input]);
    for (const std::string& output : op->outputs) length[output] = before + 1;
    longest = std::max(longest, before + 1);
  }
  return longest >= kLong;
}

bool HasOnlyConstants(const Block& block) {
  return AnyOperator(block, [&](const GraphOperator& op) {
    return !op.inputs.empty() &&
           std::all_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
             return ConstantOf(block, input) != nullptr;
           });
  });
}

using Holds = std::function<bool(const Block&)>;

// An operator `second` whose first operand is the result of `first`.
Holds After(std::string_view second, std::string_view first) {
  return [=](const Block& block) {
    return AnyOperator(block, [&](const GraphOperator& op) {
      if (op.op != second || op.inputs.empty()) return false;
      const GraphOperator* const maker = MakerOf(block, op.inputs.front());
      return maker != nullptr && maker->op == first;
    });
  };
}
Holds OfItself(std::string_view name) { return After(name, name); }
// An operator of one tensor twice.
Holds WithItself(std::string_view name) {
  return [=](const Block& block) {
    return AnyOperator(block, [&](const GraphOperator& op) {
      return op.op == name && op.inputs.size() > 1 && op.inputs[0] == op.inputs[1];
    });
  };
}

bool AddsRescales(const Block& block) {
  return AnyOperator(block, [&](const GraphOperator& op) {
    if (op.op != "ADD") return false;
    return std::all_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
      const GraphOperator* const maker = MakerOf(block, input);
      return maker != nullptr && maker->op == "RESCALE";
    });
  });
}

// Whether the first operand of such an operator is an output of the graph as well, or has another
// reader.
Holds OperandIsReadAgain(std::string_view name) {
  return [=](const Block& block) {
    return AnyOperator(block, [&](const GraphOperator& op) {
      if (op.op != name || op.inputs.empty()) return false;
      const std::string& operand = op.inputs.front();
      return MakerOf(block, operand) != nullptr &&
             (Contains(block.outputs, operand) || ReadersOf(block, operand).size() > 1);
    });
  };
}

// Two operators of one name and the same first operand that are not the same.
bool HasNearlyEqualOperators(const Block& block) {
  const Operators operators = Computing(block);
  for (size_t i = 0; i < operators.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const GraphOperator &a = *operators[i], &b = *operators[k];
      if (a.op == b.op && !a.inputs.empty() && !b.inputs.empty() &&
          a.inputs.front() == b.inputs.front() &&
          (a.inputs != b.inputs || a.attributes != b.attributes)) {
        return true;
      }
    }
  }
  return false;
}

bool MultipliesByZero(const Block& block) {
  return AnyOperator(block, [&](const GraphOperator& op) {
    if (op.op != "MUL") return false;
    return std::any_of(op.inputs.begin(), op.inputs.begin() + 2, [&](const std::string& input) {
      const Tensor* const values = ConstantOf(block, input);
      if (values == nullptr) return false;
      for (int64_t i = 0; i < values->size(); ++i) {
        if (IsFloat(values->dtype()) ? values->Value(i) != 0 : values->Integer(i) != 0) {
          return false;
        }
      }
      return true;
    });
  });
}

const std::vector<GraphPattern>& All() {
  static const auto& all = *new std::vector<GraphPattern>{
      {"several_readers",
       "a result has several readers",
       "the first must not write over it",
       HasSeveralReaders,
       {"several-readers"}},
      {"diamond",
       "two operands of an operator come from one tensor",
       "fusing the one path takes its value from the other",
       IsDiamond,
       {"residual-of-clamp"}},
      {"operand_twice",
       "an operator reads one tensor twice",
       "a kernel takes its operands for different memory",
       ReadsTwice,
       {"add-same", "mul-same"}},
      {"output_read_further",
       "an operator reads what is an output of the graph as well",
       "an output's memory is not free after its last reader",
       ReadsAnOutput,
       {"several-readers"}},
      {"input_passed_on",
       "an output of the graph is one of its inputs",
       "no operator computes it or copies it",
       PassesAnInputOn,
       {"several-readers"}},
      {"outputs_turned",
       "outputs are declared in another order than they are made",
       "results change places",
       TurnsOutputs,
       {"several-readers"}},
      {"dead_operator",
       "a result is read by no operator and is no output",
       "a compiler that removes it removes too much",
       HasDeadOperator,
       {"several-readers"}},
      {"operator_twice",
       "two operators have the same name, operands and attributes",
       "they are merged, and so are others that differ a little",
       RepeatsAnOperator,
       {"equal-values"}},
      {"equal_constants",
       "two constants have the same values",
       "they are merged, and one is changed for its reader",
       HasEqualConstants,
       {"equal-values"}},
      {"shared_constant",
       "a constant has several readers",
       "it is changed for the one, in layout or in value",
       SharesAConstant,
       {"add-neutral", "maximum-neutral"}},
      {"long_chain",
       "a chain of a hundred operators",
       "recursion, and memory that is reused",
       IsALongChain,
       {"chain-of-hundred"}},
      {"constants_alone",
       "an operator has constants alone for operands",
       "it is folded by other code than the kernel's",
       HasOnlyConstants,
       {"add-of-constants"}},
      {"negate_of_negate",
       "NEGATE of NEGATE",
       "dropped although the least integer saturates",
       OfItself("NEGATE"),
       {"negate-twice"}},
      {"clamp_of_clamp",
       "CLAMP of CLAMP",
       "merged although the bounds lie apart",
       OfItself("CLAMP"),
       {"clamp-clamp"}},
      {"transpose_of_transpose",
       "TRANSPOSE of TRANSPOSE",
       "dropped or composed the wrong way",
       OfItself("TRANSPOSE"),
       {"transpose-pair"}},
      {"reverse_of_reverse",
       "REVERSE of REVERSE",
       "dropped although the axes differ",
       OfItself("REVERSE"),
       {"reverse-twice", "reverse-two-axes"}},
      {"cast_of_cast",
       "CAST of CAST",
       "dropped although the first loses digits",
       OfItself("CAST"),
       {"cast-chain"}},
      {"rescale_of_rescale",
       "RESCALE of RESCALE",
       "merged although the first rounds or saturates",
       OfItself("RESCALE"),
       {"rescale-down-and-up"}},
      {"reshape_of_reshape",
       "RESHAPE of RESHAPE",
       "merged to the wrong shape",
       OfItself("RESHAPE"),
       {"reshape-chain"}},
      {"pad_before_convolution",
       "CONV2D of PAD",
       "folded although what is padded is not the zero point",
       After("CONV2D", "PAD"),
       {"pad-conv2d"}},
      {"pad_before_average",
       "AVG_POOL2D of PAD",
       "folded although the divisor changes",
       After("AVG_POOL2D", "PAD"),
       {"pad-avg-pool2d"}},
      {"pad_before_maximum",
       "MAX_POOL2D of PAD",
       "folded although what is padded may win",
       After("MAX_POOL2D", "PAD"),
       {"pad-max-pool2d"}},
      {"rescaled_read_again",
       "what a RESCALE reads is read elsewhere",
       "fused with the operator before, and the accumulator is gone",
       OperandIsReadAgain("RESCALE"),
       {"conv2d-accumulator-read-again", "depthwise-conv2d-accumulator-read-again",
        "matmul-accumulator-read-again"}},
      {"clamped_read_again",
       "what a CLAMP reads is read elsewhere",
       "clamped there as well",
       OperandIsReadAgain("CLAMP"),
       {"rescaled-read-again"}},
      {"operators_nearly_equal",
       "two operators have the same name and first operand, and differ",
       "merged although an attribute or a constant is another",
       HasNearlyEqualOperators,
       {"clamps-unequal", "rescales-unequal", "pads-unequal", "tables-unequal", "conv2ds-unequal"}},
      {"pad_of_pad",
       "PAD of PAD",
       "merged although the constants differ",
       OfItself("PAD"),
       {"pad-pad"}},
      {"slice_of_slice",
       "SLICE of SLICE",
       "merged although the starts add up",
       OfItself("SLICE"),
       {"slice-and-move"}},
      {"concat_of_concat",
       "CONCAT of CONCAT",
       "merged although the axes differ",
       OfItself("CONCAT"),
       {"concat-concat"}},
      {"slice_of_pad",
       "SLICE of PAD",
       "folded although padding is left",
       After("SLICE", "PAD"),
       {"slice-of-pad"}},
      {"slice_of_concat",
       "SLICE of CONCAT",
       "taken from the wrong part",
       After("SLICE", "CONCAT"),
       {"slice-of-concat"}},
      {"concat_of_slices",
       "CONCAT of SLICE",
       "taken for the whole although parts are missing",
       After("CONCAT", "SLICE"),
       {"concat-of-slices"}},
      {"sum_of_rescales",
       "ADD of two RESCALEs",
       "added before they are rounded",
       AddsRescales,
       {"rescales-added", "add-between-rescales"}},
      {"product_with_zero",
       "MUL by constant zeros",
       "0 although the other factor may be a NaN",
       MultipliesByZero,
       {"mul-by-zero"}},
      {"sum_with_itself",
       "ADD of a tensor and itself",
       "made a shift or a product",
       WithItself("ADD"),
       {"add-same"}},
      {"product_with_itself",
       "MUL of a tensor and itself",
       "made another power",
       WithItself("MUL"),
       {"mul-same"}},
      {"difference_from_itself",
       "SUB of a tensor and itself",
       "0 although it may be a NaN",
       WithItself("SUB"),
       {"sub-of-itself"}},
      {"maximum_with_itself",
       "MAXIMUM of a tensor and itself",
       "dropped although NaN has a mode",
       WithItself("MAXIMUM"),
       {"maximum-same"}},
      {"matmul_with_itself",
       "MATMUL of a tensor and itself",
       "read as transposed",
       WithItself("MATMUL"),
       {"matmul-with-itself"}},
  };
  return all;
}

}  // namespace
}  // namespace patterns

const std::vector<GraphPattern>& GraphPatterns() { return patterns::All(); }

}  // namespace cts
