#include "reference/faults/symbolic.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "reference/graph/symbols.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

using Names = std::vector<std::string>;
// A change of an operator of a program.
using Change = void (*)(const Block& block, GraphOperator& op);

std::string Lower(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

const Shape& ShapeOfFirst(const Block& block, const GraphOperator& op) {
  return block.Find(op.inputs[0])->shape;
}

int64_t& Number(GraphOperator& op, const char* attribute) {
  return std::get<int64_t>(op.attributes.at(attribute));
}

// The place where the index values of an operand list begin.
size_t FirstIndex(const Block& block, const GraphOperator& op) {
  size_t first = 0;
  while (first < op.inputs.size() && block.Find(op.inputs[first])->dtype != DType::kShape) ++first;
  return first;
}

// The same number counted from the last of `count`, and the number behind it. A number beyond them
// stays beyond.
int64_t FromTheEnd(int64_t i, int64_t count) { return i < 0 ? i : count - 1 - i; }
int64_t Next(int64_t i, int64_t count) {
  if (i == INT64_MAX) return i;
  return count < 1 ? i + 1 : (i + 1) % count;
}

int64_t RankOfFirst(const Block& block, const GraphOperator& op) {
  return static_cast<int64_t>(ShapeOfFirst(block, op).size());
}

// Swaps two runs of `count` operands each.
void SwapRuns(GraphOperator& op, size_t a, size_t b, size_t count) {
  if (b + count > op.inputs.size()) return;
  std::swap_ranges(op.inputs.begin() + static_cast<int64_t>(a),
                   op.inputs.begin() + static_cast<int64_t>(a + count),
                   op.inputs.begin() + static_cast<int64_t>(b));
}

// Turns the rows of a table of `rows` rows into its columns.
void TransposeIndices(GraphOperator& op, size_t first, size_t rows) {
  const Names before(op.inputs.begin() + static_cast<int64_t>(first), op.inputs.end());
  if (rows == 0 || before.size() % rows != 0) return;
  const size_t columns = before.size() / rows;
  for (size_t i = 0; i < before.size(); ++i) {
    op.inputs[first + i] = before[i % columns * rows + i / columns];
  }
}

size_t Batches(const Block& block, const GraphOperator& op) {
  const Shape& shape = ShapeOfFirst(block, op);
  const int64_t batches = shape.empty() ? 1 : shape[0];
  return batches < 1 ? 1 : static_cast<size_t>(batches);
}

// The number of a convolution's directions.
size_t Directions(const Block& block, const GraphOperator& op) {
  return std::max<size_t>(ShapeOfFirst(block, op).size(), 2) - 2;
}

struct Entry {
  const char *op, *name, *sentence;
  Change change;
};

void PadsEndFirst(const Block& block, GraphOperator& op) {
  const size_t first = FirstIndex(block, op);
  for (size_t i = 0; i < Directions(block, op); ++i) {
    SwapRuns(op, first + 2 * i, first + 2 * i + 1, 1);
  }
}
void PadsBeginningsFirst(const Block& block, GraphOperator& op) {
  const size_t first = FirstIndex(block, op), count = Directions(block, op);
  GraphOperator pads = op;
  pads.inputs.resize(std::min(first + 2 * count, op.inputs.size()));
  TransposeIndices(pads, first, count);
  std::copy(pads.inputs.begin(), pads.inputs.end(), op.inputs.begin());
}
void StridesBackwards(const Block& block, GraphOperator& op) {
  const size_t first = FirstIndex(block, op), count = Directions(block, op);
  if (count > 0) SwapRuns(op, first + 2 * count, first + 3 * count - 1, 1);
}
void DilationBeforeStride(const Block& block, GraphOperator& op) {
  const size_t first = FirstIndex(block, op), count = Directions(block, op);
  SwapRuns(op, first + 2 * count, first + 3 * count, count);
}
void IndicesColumnByColumn(const Block& block, GraphOperator& op) {
  TransposeIndices(op, FirstIndex(block, op), Batches(block, op));
}
void IndicesOfTheFirstBatch(const Block& block, GraphOperator& op) {
  const size_t first = FirstIndex(block, op);
  const size_t each = (op.inputs.size() - first) / Batches(block, op);
  for (size_t i = first + each; each > 0 && i < op.inputs.size(); ++i) {
    op.inputs[i] = op.inputs[i - each];
  }
}
void ValuesBackwards(const Block& block, GraphOperator& op) {
  std::reverse(op.inputs.begin() + static_cast<int64_t>(FirstIndex(block, op)), op.inputs.end());
}

constexpr Entry kEntries[] = {
    {"INDEX_CONST", "one_more", "takes a value that is one more",
     [](const Block&, GraphOperator& op) { Number(op, "value") = Next(Number(op, "value"), 0); }},
    {"INDEX_CONST", "no_sign", "takes a negative value for a positive one",
     [](const Block&, GraphOperator& op) {
       const int64_t value = std::max(Number(op, "value"), -INT64_MAX);
       Number(op, "value") = std::max(value, -value);
     }},
    {"GET_DIM", "next_dimension", "takes the size of the next dimension",
     [](const Block& block, GraphOperator& op) {
       int64_t& i = Number(op, "dim_index");
       i = Next(i, RankOfFirst(block, op));
     }},
    {"GET_DIM", "from_the_end", "counts dimensions from the last one",
     [](const Block& block, GraphOperator& op) {
       int64_t& i = Number(op, "dim_index");
       i = FromTheEnd(i, RankOfFirst(block, op));
     }},
    {"EXTRACT_DIM", "first_element", "takes the first element, whichever is asked for",
     [](const Block&, GraphOperator& op) { Number(op, "dim_index") = 0; }},
    {"EXTRACT_DIM", "next_element", "takes the element behind the one that is asked for",
     [](const Block& block, GraphOperator& op) {
       int64_t& i = Number(op, "dim_index");
       i = Next(i, ShapeOfFirst(block, op)[0]);
     }},
    {"DIMS_TO_TENSOR", "backwards", "puts the last value first", ValuesBackwards},
    {"EXPAND_DIMS", "behind", "puts the 1 behind the dimension that is named",
     [](const Block&, GraphOperator& op) {
       for (int64_t& i : std::get<std::vector<int64_t>>(op.attributes.at("indices")))
         i = Next(i, 0);
     }},
    {"COLLAPSE_DIMS", "from_the_end", "counts dimensions from the last one",
     [](const Block& block, GraphOperator& op) {
       auto& indices = std::get<std::vector<int64_t>>(op.attributes.at("indices"));
       for (int64_t& i : indices) i = FromTheEnd(i, RankOfFirst(block, op));
       std::reverse(indices.begin(), indices.end());
     }},
    {"IOTA", "from_zero", "begins with 0, whatever the start is",
     [](const Block&, GraphOperator& op) {
       if (op.inputs.size() == 2) op.inputs.erase(op.inputs.begin());
     }},
    {"IOTA", "steps_of_one", "ignores the step",
     [](const Block&, GraphOperator& op) {
       op.inputs.resize(std::min<size_t>(op.inputs.size(), 2));
     }},
    {"IOTA", "backwards", "takes the limit for the start, and the start for the limit",
     [](const Block&, GraphOperator& op) {
       if (op.inputs.size() > 1) std::swap(op.inputs[0], op.inputs[1]);
     }},
    {"RESHAPE", "symbols_backwards", "takes the last dimension value for the first symbol",
     ValuesBackwards},
    {"DATA_DEPENDENT_SLICE", "size_before_start", "takes the sizes first",
     [](const Block& block, GraphOperator& op) {
       const size_t rank = ShapeOfFirst(block, op).size();
       SwapRuns(op, 1, 1 + rank, rank);
     }},
    {"DATA_DEPENDENT_SLICE", "pairs", "takes start and size of one dimension after the other",
     [](const Block& block, GraphOperator& op) {
       TransposeIndices(op, 1, ShapeOfFirst(block, op).size());
     }},
    {"DATA_DEPENDENT_PAD", "beginnings_first", "takes what is before each dimension first",
     [](const Block& block, GraphOperator& op) {
       TransposeIndices(op, FirstIndex(block, op), ShapeOfFirst(block, op).size());
     }},
    {"DATA_DEPENDENT_PAD", "end_first", "takes what is behind a dimension first",
     [](const Block& block, GraphOperator& op) {
       const size_t first = FirstIndex(block, op);
       for (size_t i = first; i + 1 < op.inputs.size(); i += 2) SwapRuns(op, i, i + 1, 1);
     }},
    {"DATA_DEPENDENT_GATHER", "column_by_column", "takes an index of each batch in turn",
     IndicesColumnByColumn},
    {"DATA_DEPENDENT_GATHER", "first_batch", "takes the indices of the first batch for all",
     IndicesOfTheFirstBatch},
    {"DATA_DEPENDENT_SCATTER", "column_by_column", "takes an index of each batch in turn",
     IndicesColumnByColumn},
    {"DATA_DEPENDENT_SCATTER", "first_batch", "takes the indices of the first batch for all",
     IndicesOfTheFirstBatch},
};

// The operators that take a padding, a stride and, except for the last, a dilation.
constexpr const char* kConvolutions[] = {"DATA_DEPENDENT_CONV2D", "DATA_DEPENDENT_CONV3D",
                                         "DATA_DEPENDENT_DEPTHWISE_CONV2D",
                                         "DATA_DEPENDENT_TRANSPOSE_CONV2D"};

// A program in which every operator of that name is changed.
std::function<void(Graph&)> Everywhere(const std::string& name, Change change) {
  return [name, change](Graph& graph) {
    Block& block = graph.main();
    for (GraphOperator& op : block.operators) {
      if (op.op == name && IsSymbolic(op)) change(block, op);
    }
  };
}

Fault FaultOf(const Entry& entry, FaultSource source = FaultSource::kHardware) {
  Fault fault{.id = StrCat(Lower(entry.op), ".", entry.name),
              .op = entry.op,
              .source = source,
              .sentence = entry.sentence,
              .clause = StrCat("Symbolic shapes, ", entry.op)};
  fault.does = Everywhere(entry.op, entry.change);
  return fault;
}

Faults MakeSymbolicFaults() {
  Faults faults;
  for (const Entry& entry : kEntries) faults.push_back(FaultOf(entry));
  for (const char* op : kConvolutions) {
    faults.push_back(
        FaultOf({op, "pads_end_first", "takes the padding behind an image first", PadsEndFirst}));
    faults.push_back(
        FaultOf({op, "pads_beginnings_first", "takes the padding before each direction first",
                 PadsBeginningsFirst}));
    faults.push_back(FaultOf(
        {op, "strides_backwards", "takes the stride of the width first", StridesBackwards}));
    if (op == kConvolutions[3]) continue;
    faults.push_back(FaultOf({op, "dilation_before_stride", "takes the dilation before the stride",
                              DilationBeforeStride}));
  }
  for (const Condition& condition : SymbolConditions()) {
    const std::string id(condition.id);
    std::string op = "*";
    for (const std::string_view name : SymbolicOperatorNames()) {
      if (id.starts_with(StrCat(Lower(name), "."))) op = name;
    }
    faults.push_back({.id = StrCat(id, ".accepted"),
                      .op = op,
                      .source = FaultSource::kSystematic,
                      .sentence = StrCat("accepts: ", condition.paraphrase),
                      .clause = StrCat("Symbolic shapes, ", id),
                      .does = MissedCondition{id}});
  }
  return faults;
}

}  // namespace

const Faults& SymbolicFaultsOf(const Edition& edition) {
  static const Faults& none = *new Faults;
  static const Faults& all = *new Faults(MakeSymbolicFaults());
  return edition.Has(Feature::kSymbolicPrograms) ? all : none;
}

const Fault* FindSymbolicFault(const Edition& edition, std::string_view id) {
  for (const Fault& fault : SymbolicFaultsOf(edition)) {
    if (fault.id == id) return &fault;
  }
  return nullptr;
}

}  // namespace cts
