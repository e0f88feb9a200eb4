// COND_IF and WHILE_LOOP (section Control Flow Operators). Their graphs are executed where graphs
// are: reference/evaluate/evaluate.cc.
#include <algorithm>
#include <cassert>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

constexpr ConditionKind kErrorIf = ConditionKind::kErrorIf;

Breach NestingExceedsLevel(const Call& c) {
  const int64_t most = c.level().Max("MAX_NESTING");
  if (c.nesting() < most) return false;
  return Breach::Saying("the operator stands within ", c.nesting(),
                        " others, expected fewer than MAX_NESTING = ", most);
}

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

std::string TextOf(const std::vector<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + ToString(shape);
  return shapes.empty() ? "none" : text;
}

Breach ShapesDiffer(const std::vector<Shape>& list, const std::vector<Shape>& other) {
  if (list == other) return false;
  return Breach::Showing("the shapes ", TextOf(list), " and ", TextOf(other));
}

// Whether a shape has one element; its dimensions may be anything.
bool HasOneElement(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](int64_t size) { return size == 1; });
}

StatusOr<Shapes> InferCondIf(const Call& c) {
  const Block& graph = c.Subgraph("then_graph");
  Shapes shapes;
  for (const std::string& output : graph.outputs) shapes.push_back(graph.Find(output)->shape);
  return shapes;
}

// Every iteration takes the results of the one before it.
StatusOr<Shapes> InferWhileLoop(const Call& c) {
  Shapes shapes;
  for (int k = 0; k < c.Count("input_list"); ++k) shapes.push_back(c.shape("input_list", k));
  return shapes;
}

}  // namespace

OperatorFacts CondIfFacts() {
  return {.infer = InferCondIf, .keeping = Keeping::kSilent, .role = GraphRole::kControlFlow};
}

Conditions CondIfConditions() {
  return {
      {"cond_if.nesting", kErrorIf, "the operator stands within MAX_NESTING others",
       NestingExceedsLevel},
      {"cond_if.then_inputs", kErrorIf, "input_list and the inputs of then_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "input_list"), InputShapes(c, "then_graph"));
       }},
      {"cond_if.else_inputs", kErrorIf, "input_list and the inputs of else_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "input_list"), InputShapes(c, "else_graph"));
       }},
      {"cond_if.then_outputs", kErrorIf,
       "output_list and the outputs of then_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "output_list"), OutputShapes(c, "then_graph"));
       }},
      {"cond_if.else_outputs", kErrorIf,
       "output_list and the outputs of else_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "output_list"), OutputShapes(c, "else_graph"));
       }},
      {"cond_if.condition_size", kErrorIf, "condition has not one element",
       [](const Call& c) { return !HasOneElement(c.shape("condition")); }},
  };
}

void ComputeCondIf(const Call&, Computation&) {
  assert(false && "a graph is executed, nothing is computed here");
}

OperatorFacts WhileLoopFacts() {
  return {.infer = InferWhileLoop, .keeping = Keeping::kSilent, .role = GraphRole::kControlFlow};
}

Conditions WhileLoopConditions() {
  return {
      {"while_loop.nesting", kErrorIf, "the operator stands within MAX_NESTING others",
       NestingExceedsLevel},
      {"while_loop.outputs", kErrorIf, "input_list and output_list differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "input_list"), ListShapes(c, "output_list"));
       }},
      {"while_loop.cond_inputs", kErrorIf,
       "input_list and the inputs of cond_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "input_list"), InputShapes(c, "cond_graph"));
       }},
      {"while_loop.body_inputs", kErrorIf,
       "input_list and the inputs of body_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "input_list"), InputShapes(c, "body_graph"));
       }},
      {"while_loop.body_outputs", kErrorIf,
       "input_list and the outputs of body_graph differ in shape",
       [](const Call& c) {
         return ShapesDiffer(ListShapes(c, "input_list"), OutputShapes(c, "body_graph"));
       }},
      // The pseudocode takes the size and the type of a list, which has to be a list of one.
      {"while_loop.condition_size", kErrorIf, "the output of cond_graph is not one element",
       [](const Call& c) -> Breach {
         const std::vector<Shape> shapes = OutputShapes(c, "cond_graph");
         if (shapes.size() == 1 && HasOneElement(shapes[0])) return false;
         return Breach::Showing(shapes.empty() ? "no output"
                                               : StrCat("outputs of the shapes ", TextOf(shapes)));
       }},
      {"while_loop.condition_type", kErrorIf, "the output of cond_graph is not boolean",
       [](const Call& c) -> Breach {
         const Block& graph = c.Subgraph("cond_graph");
         if (graph.outputs.size() != 1) return false;  // another condition's business
         const DType dtype = graph.Find(graph.outputs[0])->dtype;
         return dtype != DType::kBool ? Breach::Showing(Name(dtype)) : false;
       }},
  };
}

void ComputeWhileLoop(const Call&, Computation&) {
  assert(false && "graphs are executed, nothing is computed here");
}

}  // namespace cts
