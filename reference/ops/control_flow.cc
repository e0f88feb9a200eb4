// COND_IF and WHILE_LOOP (section Control Flow Operators). Their graphs are executed where graphs
// are: reference/evaluate/evaluate.cc.
#include <algorithm>
#include <cassert>

#include "reference/ops/operator.h"

namespace cts {
namespace {

constexpr ConditionKind kErrorIf = ConditionKind::kErrorIf;
constexpr ConditionKind kLevel = ConditionKind::kLevel;

bool NestingExceedsLevel(const Call& c) { return c.nesting() >= c.level().Max("MAX_NESTING"); }

std::vector<Shape> ListShapes(const Call& c, std::string_view list) {
  std::vector<Shape> shapes(static_cast<size_t>(c.Count(list)));
  for (int k = 0; k < c.Count(list); ++k) shapes[static_cast<size_t>(k)] = c.shape(list, k);
  return shapes;
}

std::vector<Shape> ShapesOf(const Block& block, const std::vector<std::string>& names) {
  std::vector<Shape> shapes;
  shapes.reserve(names.size());
  for (const std::string& name : names) shapes.push_back(block.Find(name)->shape);
  return shapes;
}

std::vector<Shape> InputShapes(const Call& c, std::string_view graph) {
  return ShapesOf(c.Subgraph(graph), c.Subgraph(graph).inputs);
}

std::vector<Shape> OutputShapes(const Call& c, std::string_view graph) {
  return ShapesOf(c.Subgraph(graph), c.Subgraph(graph).outputs);
}

// Whether a shape has one element; its dimensions may be anything.
bool HasOneElement(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size == 1; });
}

bool InputListExceedsLevel(const Call& c) {
  return c.Count("input_list") > c.level().Max("MAX_TENSOR_LIST_SIZE");
}

bool OutputListExceedsLevel(const Call& c) {
  return c.Count("output_list") > c.level().Max("MAX_TENSOR_LIST_SIZE");
}

}  // namespace

Conditions CondIfConditions() {
  return {
      {"cond_if.nesting", kErrorIf, "the operator stands within MAX_NESTING others",
       NestingExceedsLevel},
      {"cond_if.then_inputs", kErrorIf, "input_list and the inputs of then_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "input_list") != InputShapes(c, "then_graph"); }},
      {"cond_if.else_inputs", kErrorIf, "input_list and the inputs of else_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "input_list") != InputShapes(c, "else_graph"); }},
      {"cond_if.then_outputs", kErrorIf,
       "output_list and the outputs of then_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "output_list") != OutputShapes(c, "then_graph"); }},
      {"cond_if.else_outputs", kErrorIf,
       "output_list and the outputs of else_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "output_list") != OutputShapes(c, "else_graph"); }},
      {"cond_if.condition_size", kErrorIf, "condition has not one element",
       [](const Call& c) { return !HasOneElement(c.shape("condition")); }},
      {"cond_if.level_rank", kLevel, "the rank of condition exceeds MAX_RANK",
       [](const Call& c) {
         return static_cast<int64_t>(c.shape("condition").size()) > c.level().Max("MAX_RANK");
       },
       With(Feature::kCondIfRankLimit)},
      {"cond_if.level_input_list", kLevel, "input_list is longer than MAX_TENSOR_LIST_SIZE",
       InputListExceedsLevel, With(Feature::kListLimits)},
      {"cond_if.level_output_list", kLevel, "output_list is longer than MAX_TENSOR_LIST_SIZE",
       OutputListExceedsLevel, With(Feature::kListLimits)},
  };
}

void ComputeCondIf(const Call&, Computation&) {
  assert(false && "a graph is executed, nothing is computed here");
}

Conditions WhileLoopConditions() {
  return {
      {"while_loop.nesting", kErrorIf, "the operator stands within MAX_NESTING others",
       NestingExceedsLevel},
      {"while_loop.outputs", kErrorIf, "input_list and output_list differ in shape",
       [](const Call& c) { return ListShapes(c, "input_list") != ListShapes(c, "output_list"); }},
      {"while_loop.cond_inputs", kErrorIf,
       "input_list and the inputs of cond_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "input_list") != InputShapes(c, "cond_graph"); }},
      {"while_loop.body_inputs", kErrorIf,
       "input_list and the inputs of body_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "input_list") != InputShapes(c, "body_graph"); }},
      {"while_loop.body_outputs", kErrorIf,
       "input_list and the outputs of body_graph differ in shape",
       [](const Call& c) { return ListShapes(c, "input_list") != OutputShapes(c, "body_graph"); }},
      // The pseudocode takes the size and the type of a list, which has to be a list of one.
      {"while_loop.condition_size", kErrorIf, "the output of cond_graph is not one element",
       [](const Call& c) {
         const std::vector<Shape> shapes = OutputShapes(c, "cond_graph");
         return shapes.size() != 1 || !HasOneElement(shapes[0]);
       }},
      {"while_loop.condition_type", kErrorIf, "the output of cond_graph is not boolean",
       [](const Call& c) {
         const Block& graph = c.Subgraph("cond_graph");
         return graph.outputs.size() == 1 && graph.Find(graph.outputs[0])->dtype != DType::kBool;
       }},
      {"while_loop.level_input_list", kLevel, "input_list is longer than MAX_TENSOR_LIST_SIZE",
       InputListExceedsLevel, With(Feature::kListLimits)},
      {"while_loop.level_output_list", kLevel, "output_list is longer than MAX_TENSOR_LIST_SIZE",
       OutputListExceedsLevel, With(Feature::kListLimits)},
  };
}

void ComputeWhileLoop(const Call&, Computation&) {
  assert(false && "graphs are executed, nothing is computed here");
}

}  // namespace cts
