// COND_IF and WHILE_LOOP.
#include <algorithm>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"

namespace cts::control_flow_domain {
namespace {

// Adds tensors and operators to one region of a graph.
class RegionBuilder {
 public:
  RegionBuilder(const Setting& setting, Block& block) : setting_(setting), block_(block) {}

  void Input(const std::string& name, DType type, const Shape& shape) {
    Declare(name, type, shape);
    block_.inputs.push_back(name);
  }
  void Declare(const std::string& name, DType type, const Shape& shape) {
    block_.tensors.push_back({name, type, shape, nullptr});
  }
  void Constant(const std::string& name, const Tensor& values) {
    block_.tensors.push_back(
        {name, values.dtype(), values.shape(), std::make_shared<const Tensor>(values)});
    const bool shape = values.dtype() == DType::kShape;
    block_.operators.push_back({shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
  }
  // An operator with one output; nan_mode is added.
  void Operator(const std::string& op, std::vector<std::string> inputs, const std::string& output,
                DType type, const Shape& shape,
                std::map<std::string, AttributeValue> attributes = {}) {
    Declare(output, type, shape);
    GraphOperator node{op, std::move(inputs), {output}, std::move(attributes)};
    if (setting_.edition->FindOperator(op)->FindArgument("nan_mode") != nullptr) {
      node.attributes["nan_mode"] = std::string("PROPAGATE");
    }
    block_.operators.push_back(std::move(node));
  }
  void Output(const std::string& name) { block_.outputs.push_back(name); }

 private:
  const Setting& setting_;
  Block& block_;
};

// The block of a new region; earlier references to blocks are no longer valid.
Block& AddRegion(Graph& graph, const std::string& name) {
  graph.regions.push_back({name, {Block{name, {}, {}, {}, {}}}});
  return graph.regions.back().blocks.front();
}

Block& RegionOf(CaseDraft& draft, std::string_view name) {
  for (Region& region : draft.Whole().graph.regions) {
    if (region.name == name) return region.blocks.front();
  }
  return draft.Whole().graph.main();
}

// "maximum-i32-then": the operation of the graphs, the type of their tensors, and of COND_IF the
// graph that is taken.
enum class Operation { kSwap, kMaximum, kExp, kConstant, kLongest, kXor, kLoop };
constexpr ListedAxis<Operation> kOperations{"operation",
                                            "",
                                            {{"swap", Operation::kSwap},
                                             {"maximum", Operation::kMaximum},
                                             {"exp", Operation::kExp},
                                             {"constant", Operation::kConstant},
                                             {"longest", Operation::kLongest},
                                             {"xor", Operation::kXor},
                                             {"loop", Operation::kLoop}}};
struct Graphs {
  Operation operation;
  DType type;
  bool takes_then;
};
constexpr ParsedAxis<Graphs> kGraphsAxis{"graphs", "", [](std::string_view label) -> Graphs {
                                           const size_t begin = label.find('-') + 1;
                                           const size_t end = label.find('-', begin);
                                           return {kOperations.Meaning(label.substr(0, begin - 1)),
                                                   *ParseDType(label.substr(begin, end - begin)),
                                                   label.ends_with("-then")};
                                         }};

// How deep the operator under test is nested; "1" adds no operator around it, kMost as many as the
// level allows.
constexpr int64_t kMost = 0;
constexpr ListedAxis<int64_t> kDepthAxis{
    "depth", "depth", {{"1", 1}, {"2", 2}, {"max", kMost}}, {{"3", 3}}};

// Whether the edition's argument table allows an operand or a result of rank 0.
bool MayBeScalar(const Setting& setting, std::string_view op, std::string_view argument) {
  return setting.edition->FindOperator(op)->FindArgument(argument)->min_rank->constant == 0;
}

bool LimitsLists(const Setting& setting) {
  return setting.level->maxima.contains("MAX_TENSOR_LIST_SIZE");
}

// The profiles and extensions that the operators within the graphs need, and those of control flow.
std::vector<std::string> ExtensionsOf(const Choice& choice) {
  return {choice.setting.edition->ProfileOf(
      IsFloat(choice[kGraphsAxis].type) ? NumberKind::kFloats : NumberKind::kIntegers)};
}

// Puts the whole graph into the branch of a COND_IF that is taken. The other branch returns zeros.
void Nest(const Setting& setting, Assembly& assembly) {
  Graph& graph = assembly.graph;
  const std::string level = std::to_string(graph.regions.size());
  Block outer;
  outer.name = graph.main().name;
  outer.inputs = graph.main().inputs;
  outer.outputs = graph.main().outputs;
  for (const std::vector<std::string>* names : {&outer.inputs, &outer.outputs}) {
    for (const std::string& name : *names) {
      GraphTensor tensor = *graph.main().Find(name);
      tensor.values = nullptr;
      outer.tensors.push_back(std::move(tensor));
    }
  }
  // Names are unique in the whole graph: those within get a suffix.
  Block inner = std::move(graph.main());
  inner.name = "nested" + level;
  const auto rename = [&](std::vector<std::string>& names) {
    for (std::string& name : names) name += "_" + level;
  };
  rename(inner.inputs);
  rename(inner.outputs);
  for (GraphTensor& tensor : inner.tensors) tensor.name += "_" + level;
  for (GraphOperator& op : inner.operators) {
    rename(op.inputs);
    rename(op.outputs);
  }
  const std::string other_name = "other" + level;
  Block other;
  other.name = other_name;
  RegionBuilder zeros(setting, other);
  for (const std::string& name : outer.inputs) {
    const GraphTensor& tensor = *outer.Find(name);
    zeros.Input(StrCat(name, "_", other_name), tensor.dtype, tensor.shape);
  }
  for (const std::string& name : outer.outputs) {
    const GraphTensor& tensor = *outer.Find(name);
    zeros.Constant(StrCat(name, "_", other_name), Tensor(tensor.dtype, tensor.shape));
    zeros.Output(StrCat(name, "_", other_name));
  }
  const std::string enter = "enter" + level;
  GraphOperator cond_if{"COND_IF", {enter}, outer.outputs, {}};
  cond_if.inputs.insert(cond_if.inputs.end(), outer.inputs.begin(), outer.inputs.end());
  cond_if.attributes["then_graph"] = inner.name;
  cond_if.attributes["else_graph"] = other_name;
  outer.operators.push_back(std::move(cond_if));
  // A scalar where the argument table allows it: many implementations take no other condition.
  const Shape shape = MayBeScalar(setting, "COND_IF", "condition") ? Shape{} : Shape{1};
  RegionBuilder(setting, outer).Input(enter, DType::kBool, shape);
  assembly.inputs.emplace(enter, Tensor::OfIntegers(DType::kBool, shape, {1}));
  graph.main() = std::move(outer);
  const std::string inner_name = inner.name;
  graph.regions.push_back({inner_name, {std::move(inner)}});
  graph.regions.push_back({other_name, {std::move(other)}});
}

void NestTo(const Choice& choice, Assembly& assembly) {
  int64_t depth = choice[kDepthAxis];
  if (depth == kMost) depth = choice.setting.level->Max("MAX_NESTING");
  for (int64_t i = 1; i < depth; ++i) Nest(choice.setting, assembly);
}

// ---- COND_IF -----------------------------------------------------------------------------------

constexpr ParsedAxis<Shape> kConditionShapeAxis{"condition_shape", "c", ParseShape};

std::vector<Axis> CondIfAxes(const Setting& setting) {
  std::vector<std::string> shapes = {"1", WithMaxRank(setting, "1x1")};
  if (MayBeScalar(setting, "COND_IF", "condition")) shapes.push_back("scalar");
  // Each kind occurs with either graph taken, whatever else is combined.
  std::vector<std::string> graphs;
  for (const char* kind :
       {"swap-i8", "maximum-i32", "maximum-fp32", "exp-fp32", "constant-i32", "longest-i32"}) {
    graphs.push_back(StrCat(kind, "-then"));
    graphs.push_back(StrCat(kind, "-else"));
  }
  return {kGraphsAxis.With(std::move(graphs), {"swap-fp32-then", "swap-fp32-else"}),
          kConditionShapeAxis.With(std::move(shapes)), kDepthAxis.All(),
          kDataAxis.With({"full-range", "special"})};
}

// The longest list has no room for the conditions of further levels.
bool CondIfAllowed(const Setting&, const Labels& labels) {
  return labels[kGraphsAxis].operation != Operation::kLongest || labels[kDepthAxis] == 1;
}

constexpr int64_t kLongestWithoutLimit = 64;

CaseDraft BuildCondIf(const Choice& choice) {
  const Setting& setting = choice.setting;
  const auto [operation, type, takes_then] = choice[kGraphsAxis];
  const bool constant = operation == Operation::kConstant, exp = operation == Operation::kExp;
  const bool maximum = operation == Operation::kMaximum, longest = operation == Operation::kLongest;
  // Tensors go through as they come, or the other way round.
  const bool moves = longest || operation == Operation::kSwap;
  const Shape shape = longest ? Shape{3} : Shape{5, 7};
  int64_t count = constant ? 0 : exp ? 1 : 2;
  if (longest) {
    count =
        LimitsLists(setting) ? setting.level->Max("MAX_TENSOR_LIST_SIZE") : kLongestWithoutLimit;
  }
  Assembly assembly;
  assembly.graph = EmptyGraph();
  assembly.extensions = ExtensionsOf(choice);

  for (const char* branch : {"then", "else"}) {
    const bool then = std::string_view(branch) == "then";
    RegionBuilder region(setting, AddRegion(assembly.graph, branch));
    std::vector<std::string> given;
    for (int64_t k = 0; k < count; ++k) {
      given.push_back(StrCat(branch, "_input", k));
      region.Input(given.back(), type, shape);
    }
    const std::string result = StrCat(branch, "_output");
    if (constant) {
      region.Constant(result, Filled(choice, branch, type, shape));
    } else if (maximum) {
      region.Operator(then ? "MAXIMUM" : "MINIMUM", given, result, type, shape);
    } else if (exp) {
      region.Operator(then ? "EXP" : "IDENTITY", given, result, type, shape);
    } else {
      if (!then) std::reverse(given.begin(), given.end());
      for (size_t k = 0; k < given.size(); ++k) {
        region.Operator("IDENTITY", {given[k]}, StrCat(result, k), type, shape);
        region.Output(StrCat(result, k));
      }
      continue;
    }
    region.Output(result);
  }

  RegionBuilder main(setting, assembly.graph.main());
  GraphOperator cond_if{"COND_IF", {"condition"}, {}, {}};
  const Shape condition_shape = choice[kConditionShapeAxis];
  main.Input("condition", DType::kBool, condition_shape);
  assembly.inputs.emplace("condition",
                          Tensor::OfIntegers(DType::kBool, condition_shape, {takes_then ? 1 : 0}));
  for (int64_t k = 0; k < count; ++k) {
    const std::string name = StrCat("input", k);
    main.Input(name, type, shape);
    // Several tensors of special values are one another's reverse: equal tensors would hide a swap.
    Tensor values = Filled(choice, name, type, shape);
    if (k % 2 == 1) {
      const Tensor forward = values;
      for (int64_t i = 0; i < values.size(); ++i) {
        values.SetBits(i, forward.Bits(values.size() - 1 - i));
      }
    }
    assembly.inputs.emplace(name, std::move(values));
    cond_if.inputs.push_back(name);
  }
  const size_t results = moves ? static_cast<size_t>(count) : 1;
  for (size_t k = 0; k < results; ++k) {
    const std::string name = StrCat("output", k);
    main.Declare(name, type, shape);
    main.Output(name);
    cond_if.outputs.push_back(name);
  }
  cond_if.attributes["then_graph"] = std::string("then");
  cond_if.attributes["else_graph"] = std::string("else");
  assembly.graph.main().operators.push_back(std::move(cond_if));
  NestTo(choice, assembly);
  CaseDraft draft;
  draft.whole = std::move(assembly);
  return draft;
}

// ---- WHILE_LOOP --------------------------------------------------------------------------------

constexpr ParsedAxis<int64_t> kTimesAxis{"times", "n", ParseNumber};
// The shape of the counter, and with it of the condition.
constexpr ParsedAxis<Shape> kCounterAxis{"counter", "i", ParseShape};

std::vector<Axis> WhileLoopAxes(const Setting&) {
  return {kGraphsAxis.With({"swap-i8", "swap-fp32", "xor-i32", "loop-i32"},
                           {"swap-bool", "swap-fp16", "xor-i8", "loop-i8"}),
          kTimesAxis.With({"3", "0", "1", "4"}, {"2", "1000"}), kCounterAxis.With({"1", "scalar"}),
          kDepthAxis.All(), kDataAxis.With({"full-range", "special"})};
}

// A loop in a loop takes a level more.
bool WhileLoopAllowed(const Setting&, const Labels& labels) {
  return labels[kGraphsAxis].operation != Operation::kLoop || labels[kDepthAxis] != kMost;
}

bool ScalarConditionAllowed(const Setting& setting, const Labels& labels) {
  return MayBeScalar(setting, "RESHAPE", "output") || !labels[kCounterAxis].empty() ||
         !IsFloat(labels[kGraphsAxis].type);
}

// The first value of the outermost loop's counter. It is not zero, which a loop that does not run
// would have to return.
constexpr int64_t kStart = 11;

// GREATER of i32, and thus a counter, is for integer profiles only. Loops over floats have a ring
// of flags instead, which turns by one with every iteration. They end at the first flag that is not
// set. As many flags behind it are not set either, so that the ring differs from its start wherever
// it stops. The last flag is set, so that the ring is never all zeros.
Tensor Flags(int64_t times) {
  Tensor flags(DType::kBool, {2 * times + 2});
  for (int64_t i = 0; i < times; ++i) flags.SetInteger(i, 1);
  flags.SetInteger(flags.size() - 1, 1);
  return flags;
}

Tensor List(int64_t number) { return Tensor::OfIntegers(DType::kShape, {1}, {number}); }

// The counter or the flags of a loop that is to run so often.
Tensor CounterFor(const Choice& choice, int64_t times) {
  if (IsFloat(choice[kGraphsAxis].type)) return Flags(times);
  return Tensor::OfIntegers(DType::kI32, choice[kCounterAxis], {kStart});
}

// The graphs of a loop over a counter and two tensors. It runs until the counter is `times`, or
// `times` iterations if it has flags. `inner`: the names of the graphs of a loop within the body,
// over the same tensors and a counter of its own.
struct LoopGraphs {
  std::string cond, body;
};
LoopGraphs AddLoop(const Choice& choice, const std::string& suffix, int64_t times,
                   const Shape& shape, const LoopGraphs* inner, Graph& graph) {
  const Setting& setting = choice.setting;
  const DType type = choice[kGraphsAxis].type;
  LoopGraphs names = {"cond" + suffix, "body" + suffix};
  const Shape one = choice[kCounterAxis];
  const bool flags = IsFloat(type);
  const DType counter_type = flags ? DType::kBool : DType::kI32;
  const Shape counter = flags ? Flags(times).shape() : one;
  const auto inputs = [&](RegionBuilder& region, const std::string& prefix) {
    region.Input(prefix + "_i", counter_type, counter);
    region.Input(prefix + "_a", type, shape);
    region.Input(prefix + "_b", type, shape);
  };
  RegionBuilder cond(setting, AddRegion(graph, names.cond));
  inputs(cond, names.cond);
  const auto in_cond = [&](const char* what) { return StrCat(names.cond, "_", what); };
  if (flags) {
    const std::string first = one.empty() ? in_cond("first") : in_cond("more");
    cond.Constant(in_cond("start"), List(0));
    cond.Constant(in_cond("size"), List(1));
    cond.Operator("SLICE", {in_cond("i"), in_cond("start"), in_cond("size")}, first, DType::kBool,
                  {1});
    if (one.empty()) {
      cond.Constant(in_cond("shape"), Tensor(DType::kShape, {0}));
      cond.Operator("RESHAPE", {first, in_cond("shape")}, in_cond("more"), DType::kBool, one);
    }
  } else {
    cond.Constant(in_cond("times"), Tensor::OfIntegers(DType::kI32, one, {times}));
    cond.Operator("GREATER", {in_cond("times"), in_cond("i")}, in_cond("more"), DType::kBool, one);
  }
  cond.Output(in_cond("more"));

  Block& block = AddRegion(graph, names.body);
  RegionBuilder body(setting, block);
  inputs(body, names.body);
  const auto name = [&](const char* what) { return StrCat(names.body, "_", what); };
  if (flags) {
    const auto slice = [&](const std::string& result, int64_t start, int64_t size) {
      body.Constant(result + "_start", List(start));
      body.Constant(result + "_size", List(size));
      body.Operator("SLICE", {name("i"), result + "_start", result + "_size"}, result, DType::kBool,
                    {size});
    };
    slice(name("first"), 0, 1);
    slice(name("rest"), 1, counter[0] - 1);
    body.Operator("CONCAT", {name("rest"), name("first")}, name("next"), DType::kBool, counter,
                  {{"axis", int64_t{0}}});
  } else {
    body.Constant(name("one"), Tensor::OfIntegers(DType::kI32, one, {1}));
    body.Operator("ADD", {name("i"), name("one")}, name("next"), DType::kI32, one);
  }
  body.Output(name("next"));
  if (inner != nullptr) {
    body.Constant(name("zero"), Tensor::OfIntegers(DType::kI32, one, {0}));
    body.Declare(name("count"), DType::kI32, one);
    body.Declare(name("c"), type, shape);
    body.Declare(name("d"), type, shape);
    block.operators.push_back({"WHILE_LOOP",
                               {name("zero"), name("a"), name("b")},
                               {name("count"), name("c"), name("d")},
                               {{"cond_graph", inner->cond}, {"body_graph", inner->body}}});
    body.Operator("BITWISE_NOT", {name("c")}, name("e"), type, shape);
    body.Output(name("e"));
    body.Output(name("d"));
  } else if (choice[kGraphsAxis].operation == Operation::kSwap) {
    body.Operator("IDENTITY", {name("b")}, name("c"), type, shape);
    body.Operator("IDENTITY", {name("a")}, name("d"), type, shape);
    body.Output(name("c"));
    body.Output(name("d"));
  } else {
    body.Operator("BITWISE_XOR", {name("a"), name("b")}, name("c"), type, shape);
    body.Operator("BITWISE_NOT", {name("a")}, name("d"), type, shape);
    body.Output(name("c"));
    body.Output(name("d"));
  }
  return names;
}

CaseDraft BuildWhileLoop(const Choice& choice) {
  const Setting& setting = choice.setting;
  const DType type = choice[kGraphsAxis].type;
  const Shape shape = {5, 7};
  const int64_t times = choice[kTimesAxis];
  const Tensor counter = CounterFor(choice, times);
  Assembly assembly;
  assembly.graph = EmptyGraph();
  assembly.extensions = ExtensionsOf(choice);
  LoopGraphs graphs;
  if (choice[kGraphsAxis].operation == Operation::kLoop) {
    const LoopGraphs inner = AddLoop(choice, "_inner", 2, shape, nullptr, assembly.graph);
    graphs = AddLoop(choice, "", kStart + times, shape, &inner, assembly.graph);
  } else {
    const int64_t end = IsFloat(type) ? times : kStart + times;
    graphs = AddLoop(choice, "", end, shape, nullptr, assembly.graph);
  }
  RegionBuilder main(setting, assembly.graph.main());
  main.Input("i", counter.dtype(), counter.shape());
  main.Input("a", type, shape);
  main.Input("b", type, shape);
  assembly.inputs.emplace("i", counter);
  assembly.inputs.emplace("a", Filled(choice, "a", type, shape));
  Tensor b = assembly.inputs.at("a");
  for (int64_t i = 0; i < b.size(); ++i) {
    b.SetBits(i, assembly.inputs.at("a").Bits(b.size() - 1 - i));
  }
  assembly.inputs.emplace("b", std::move(b));
  main.Declare("i_after", counter.dtype(), counter.shape());
  main.Declare("a_after", type, shape);
  main.Declare("b_after", type, shape);
  assembly.graph.main().operators.push_back(
      {"WHILE_LOOP",
       {"i", "a", "b"},
       {"i_after", "a_after", "b_after"},
       {{"cond_graph", graphs.cond}, {"body_graph", graphs.body}}});
  for (const char* output : {"a_after", "b_after", "i_after"}) main.Output(output);
  NestTo(choice, assembly);
  CaseDraft draft;
  draft.whole = std::move(assembly);
  return draft;
}

// ---- Breakers of the conditions ----------------------------------------------------------------

// One more level than the choice has, which is the greatest that is allowed.
void NestOnceMore(const Setting& setting, CaseDraft& draft) { Nest(setting, draft.Whole()); }

DraftChange OneMoreInput(std::string_view region) {
  return [=](const Setting&, CaseDraft& draft) {
    Block& block = RegionOf(draft, region);
    const std::string name = StrCat(region, "_unused");
    block.tensors.push_back({name, block.Find(block.inputs.back())->dtype, {2}, nullptr});
    block.inputs.push_back(name);
  };
}

DraftChange OneOutputLess(std::string_view region) {
  return [=](const Setting&, CaseDraft& draft) { RegionOf(draft, region).outputs.pop_back(); };
}

constexpr std::string_view kThen = "then", kElse = "else", kCond = "cond", kBody = "body";

void TwoConditions(const Setting&, CaseDraft& draft) {
  for (GraphTensor& tensor : draft.Whole().graph.main().tensors) {
    if (tensor.name == "condition") tensor.shape = {2};
  }
  Reshape(draft.Whole().inputs.at("condition"), {2});
}

// A number where the argument table has a boolean.
void ConditionIsANumber(const Setting&, CaseDraft& draft) {
  Block& main = draft.Whole().graph.main();
  std::find_if(main.tensors.begin(), main.tensors.end(), [](const GraphTensor& tensor) {
    return tensor.name == "condition";
  })->dtype = DType::kI8;
  Tensor& condition = draft.Whole().inputs.at("condition");
  condition = Tensor::OfIntegers(DType::kI8, condition.shape(), {condition.Integer(0)});
}

// Nothing goes into the graphs, and so there is no operand at all.
void NoCondition(const Setting&, CaseDraft& draft) {
  draft.Whole().graph.main().operators.back().inputs.clear();
}

void LoopWithoutItsLastResult(const Setting&, CaseDraft& draft) {
  Block& main = draft.Whole().graph.main();
  main.operators.back().outputs.pop_back();
  main.outputs = {"a_after", "i_after"};
}

void CondGraphWithTwoElements(const Setting&, CaseDraft& draft) {
  for (GraphTensor& tensor : RegionOf(draft, kCond).tensors) {
    if (tensor.name == "cond_more") tensor.shape = {2};
    if (tensor.name == "cond_size") tensor.values = std::make_shared<const Tensor>(List(2));
    if (tensor.name != "cond_times") continue;
    tensor.shape = {2};
    tensor.values = std::make_shared<const Tensor>(DType::kI32, tensor.shape);
  }
}

void CondGraphWithANumber(const Setting& setting, CaseDraft& draft) {
  Block& cond = RegionOf(draft, kCond);
  cond.outputs = {"cond_i"};
  if (cond.Find("cond_i")->dtype != DType::kBool) return;
  RegionBuilder(setting, cond).Constant("cond_number", Tensor::OfFloats(DType::kFp32, {1}, {1}));
  cond.outputs = {"cond_number"};
}

// Shapes of as many elements as the tensors have.
const Shape& Turned() {
  static const auto& shape = *new Shape{7, 5};
  return shape;
}
const Shape& Flat() {
  static const auto& shape = *new Shape{35};
  return shape;
}

// An operator that makes `to` of `from`, whose shapes have as many elements, before or behind the
// others of the region.
void AddReshape(const Setting& setting, Block& block, const std::string& from,
                const std::string& to, bool is_first) {
  Block made;
  RegionBuilder region(setting, made);
  const std::vector<int64_t> shape = block.Find(to)->shape;
  region.Constant(to + "_shape", Tensor::OfIntegers(DType::kShape, {std::ssize(shape)}, shape));
  made.operators.push_back({"RESHAPE", {from, to + "_shape"}, {to}, {}});
  block.tensors.insert(block.tensors.end(), made.tensors.begin(), made.tensors.end());
  block.operators.insert(is_first ? block.operators.begin() : block.operators.end(),
                         made.operators.begin(), made.operators.end());
}

GraphTensor& TensorIn(Block& block, const std::string& name) {
  return *std::find_if(block.tensors.begin(), block.tensors.end(),
                       [&](const GraphTensor& tensor) { return tensor.name == name; });
}

// Input `nth` of a region has another shape; its operators go on with the shape that they had.
DraftChange OtherInput(std::string_view region, size_t nth, const Shape& shape) {
  return [=](const Setting& setting, CaseDraft& draft) {
    Block& block = RegionOf(draft, region);
    GraphTensor given = TensorIn(block, block.inputs[nth]);
    const std::string inner = given.name;
    given.name += "_given", given.shape = shape;
    block.inputs[nth] = given.name;
    block.tensors.push_back(given);
    AddReshape(setting, block, given.name, inner, true);
  };
}

DraftChange OtherOutput(std::string_view region, size_t nth, const Shape& shape) {
  return [=](const Setting& setting, CaseDraft& draft) {
    Block& block = RegionOf(draft, region);
    GraphTensor made = TensorIn(block, block.outputs[nth]);
    const std::string inner = made.name;
    made.name += "_made", made.shape = shape;
    block.outputs[nth] = made.name;
    block.tensors.push_back(made);
    AddReshape(setting, block, inner, made.name, false);
  };
}

DraftChange OtherResult(std::string_view result, const Shape& shape) {
  return [=](const Setting&, CaseDraft& draft) {
    TensorIn(draft.Whole().graph.main(), std::string(result)).shape = shape;
  };
}

// In a region that is executed, whose interface is as it was, REVERSE swaps the dimensions as well.
// `condition` leads a COND_IF there.
DraftChange IllegalWithin(std::string_view region, int64_t condition) {
  return [=](const Setting& setting, CaseDraft& draft) {
    std::map<std::string, Tensor>& inputs = draft.Whole().inputs;
    if (const auto found = inputs.find("condition"); found != inputs.end()) {
      found->second.SetInteger(0, condition);
    }
    Block& block = RegionOf(draft, region);
    GraphTensor turned = TensorIn(block, block.inputs.back());
    const std::string from = turned.name;
    turned.name += "_turned", turned.shape = Turned();
    block.tensors.push_back(turned);
    RegionBuilder(setting, block).Declare(from + "_back", turned.dtype, {5, 7});
    for (GraphOperator& op : block.operators) {
      std::replace(op.inputs.begin(), op.inputs.end(), from, from + "_back");
    }
    AddReshape(setting, block, turned.name, from + "_back", true);
    block.operators.insert(block.operators.begin(),
                           {"REVERSE", {from}, {turned.name}, {{"axis", int64_t{0}}}});
  };
}

Breaker Within(Breaker breaker) {
  breaker.within = true;
  return More(breaker);
}

// A condition of the greatest rank.
void RankAtLimit(const Setting& setting, CaseDraft& draft) {
  draft =
      BuildAt(draft, CondIfAxes, BuildCondIf, {{"condition_shape", WithMaxRank(setting, "1x1")}});
}

// As many tensors as a list may have. The others pass through the loop unchanged.
void ListAtLimit(const Setting& setting, CaseDraft& draft) {
  Assembly& assembly = draft.Whole();
  const int64_t count = setting.level->Max("MAX_TENSOR_LIST_SIZE");
  const Shape shape = {3};
  const DType type = assembly.inputs.at("a").dtype();
  const auto given = [&](std::string_view region, const std::string& name) {
    Block& block = RegionOf(draft, region);
    block.tensors.push_back({name, type, shape, nullptr});
    block.inputs.push_back(name);
  };
  for (int64_t k = 3; k < count; ++k) {
    const std::string more = StrCat("more", k);
    given("", more);
    assembly.inputs.emplace(more, FullRange(Random(0, "limit", more), type, shape));
    given(kCond, StrCat("cond_", more));
    given(kBody, StrCat("body_", more));
    Block& body = RegionOf(draft, kBody);
    body.tensors.push_back({StrCat("next_", more), type, shape, nullptr});
    body.operators.push_back({"IDENTITY", {StrCat("body_", more)}, {StrCat("next_", more)}, {}});
    body.outputs.push_back(StrCat("next_", more));
    Block& main = assembly.graph.main();
    main.tensors.push_back({StrCat(more, "_after"), type, shape, nullptr});
    main.operators.back().inputs.push_back(more);
    main.operators.back().outputs.push_back(StrCat(more, "_after"));
    main.outputs.push_back(StrCat(more, "_after"));
  }
}

// Every level of nesting adds a condition to the list of operands, which level `none` limits
// likewise.
bool HasRoomToNest(const Setting& setting) { return setting.level->Max("MAX_NESTING") < 64; }

// The labels are those of a case at the limit.
void AsItIs(const Setting&, CaseDraft&) {}

}  // namespace

Domain CondIfDomain() {
  const Labels plain = {{"graphs", "swap-i8-then"}, {"depth", "1"}, {"condition_shape", "1"}};
  const Labels deepest = {{"graphs", "swap-i8-then"}, {"depth", "max"}};
  const Labels without_inputs = {
      {"graphs", "constant-i32-then"}, {"depth", "1"}, {"condition_shape", "1"}};
  const Labels deepest_fp32 = {{"graphs", "swap-fp32-then"}, {"depth", "max"}};
  return {
      .axes = CondIfAxes,
      .constraints = {{{"graphs", "depth"},
                       "the longest lists of operands are not nested",
                       CondIfAllowed}},
      .build = BuildCondIf,
      .breakers = {{"cond_if.nesting", deepest, nullptr, NestOnceMore},
                   {"cond_if.then_inputs", plain, nullptr, OneMoreInput(kThen)},
                   {"cond_if.else_inputs", plain, nullptr, OneMoreInput(kElse)},
                   {"cond_if.then_outputs", plain, nullptr, OneOutputLess(kThen)},
                   {"cond_if.else_outputs", plain, nullptr, OneOutputLess(kElse)},
                   {"cond_if.condition_size", plain, nullptr, TwoConditions},
                   {"graph.type_row", plain, nullptr, ConditionIsANumber},
                   {"graph.operand_count", without_inputs, nullptr, NoCondition},
                   More({"cond_if.then_inputs", plain, nullptr, OtherInput(kThen, 0, Turned())}),
                   More({"cond_if.then_inputs", plain, nullptr, OtherInput(kThen, 1, Flat())}),
                   More({"cond_if.else_inputs", plain, nullptr, OtherInput(kElse, 0, Turned())}),
                   More({"cond_if.else_inputs", plain, nullptr, OtherInput(kElse, 1, Flat())}),
                   More({"cond_if.then_outputs", plain, nullptr, OtherOutput(kThen, 0, Turned())}),
                   More({"cond_if.then_outputs", plain, nullptr, OtherOutput(kThen, 1, Flat())}),
                   More({"cond_if.else_outputs", plain, nullptr, OtherOutput(kElse, 0, Turned())}),
                   More({"cond_if.else_outputs", plain, nullptr, OtherOutput(kElse, 1, Flat())}),
                   Within({"graph.shape", plain, nullptr, IllegalWithin(kThen, 1)}),
                   Within({"graph.shape", plain, nullptr, IllegalWithin(kElse, 0)})},
      .limits = {{"MAX_NESTING", "", deepest, HasRoomToNest, AsItIs},
                 {"MAX_NESTING", "fp32", deepest_fp32, HasRoomToNest, AsItIs},
                 {"MAX_RANK", "condition", plain, nullptr, RankAtLimit},
                 {"MAX_TENSOR_LIST_SIZE",
                  "",
                  {{"graphs", "longest-i32-then"}, {"depth", "1"}},
                  LimitsLists,
                  AsItIs}},
      .starts = {{{"graphs", "swap-i8-then"}}, {{"graphs", "swap-fp32-then"}}}};
}

Domain WhileLoopDomain() {
  const Labels plain = {{"graphs", "swap-i8"}, {"depth", "1"}, {"counter", "1"}};
  const Labels plain_fp32 = {{"graphs", "swap-fp32"}, {"depth", "1"}, {"counter", "1"}};
  const Labels deepest = {{"graphs", "swap-i8"}, {"depth", "max"}};
  const Labels deepest_fp32 = {{"graphs", "swap-fp32"}, {"depth", "max"}};
  return {
      .axes = WhileLoopAxes,
      .constraints = {{{"graphs", "depth"}, "MAX_NESTING", WhileLoopAllowed},
                      {{"graphs", "counter"},
                       "RESHAPE makes a scalar of a slice of flags, but not in 0.100",
                       ScalarConditionAllowed}},
      .build = BuildWhileLoop,
      .breakers = {{"while_loop.nesting", deepest, nullptr, NestOnceMore},
                   {"while_loop.outputs", plain, nullptr, LoopWithoutItsLastResult},
                   {"while_loop.cond_inputs", plain, nullptr, OneMoreInput(kCond)},
                   {"while_loop.body_inputs", plain, nullptr, OneMoreInput(kBody)},
                   {"while_loop.body_outputs", plain, nullptr, OneOutputLess(kBody)},
                   {"while_loop.condition_size", plain, nullptr, CondGraphWithTwoElements},
                   {"while_loop.condition_type", plain, nullptr, CondGraphWithANumber},
                   More({"while_loop.outputs", plain, nullptr, OtherResult("a_after", Turned())}),
                   More({"while_loop.outputs", plain, nullptr, OtherResult("b_after", Flat())}),
                   More({"while_loop.cond_inputs", plain, nullptr, OtherInput(kCond, 1, Turned())}),
                   More({"while_loop.cond_inputs", plain, nullptr, OtherInput(kCond, 2, Flat())}),
                   More({"while_loop.body_inputs", plain, nullptr, OtherInput(kBody, 1, Turned())}),
                   More({"while_loop.body_inputs", plain, nullptr, OtherInput(kBody, 2, Flat())}),
                   More({"while_loop.body_outputs", plain, nullptr,
                         OtherOutput(kBody, 1, Turned())}),
                   More({"while_loop.body_outputs", plain, nullptr, OtherOutput(kBody, 2, Flat())}),
                   Within({"graph.shape", plain, nullptr, IllegalWithin(kCond, 1)}),
                   Within({"graph.shape", plain, nullptr, IllegalWithin(kBody, 1)})},
      .limits = {{"MAX_NESTING", "", deepest, HasRoomToNest, AsItIs},
                 {"MAX_NESTING", "fp32", deepest_fp32, HasRoomToNest, AsItIs},
                 {"MAX_TENSOR_LIST_SIZE", "", plain, LimitsLists, ListAtLimit},
                 {"MAX_TENSOR_LIST_SIZE", "fp32", plain_fp32, LimitsLists, ListAtLimit}},
      .starts = {{{"graphs", "swap-i8"}}, {{"graphs", "swap-fp32"}}}};
}

}  // namespace cts::control_flow_domain
