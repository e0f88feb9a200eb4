// oneDNN behind tools/adapters/plugin.h: operators of tosa-1.0 that oneDNN has with the same
// meaning, in graphs of one operator. Operators that it lacks, or that mean something else there,
// are `unsupported`, with the reason. An `error` comes from oneDNN's own checks
// (invalid_arguments). To call it at all, some things must be there (the number of operands, ranks,
// types, lengths of attributes): without them a graph is `unsupported`.
#include "tools/adapters/plugin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using dnnl::memory;
using Dims = memory::dims;
using Type = memory::data_type;

// ---- Answers -----------------------------------------------------------------------------------

thread_local std::string error_text;

struct Answer {
  tensor_cts_status status = TENSOR_CTS_OK;
  std::string why = {};
  bool Refuses() const { return status != TENSOR_CTS_OK; }
};

template <class... Args>
Answer Say(tensor_cts_status status, const Args&... args) {
  std::ostringstream why;
  (why << ... << args);
  return {status, why.str()};
}
template <class... Args>
Answer Illegal(const Args&... args) {
  return Say(TENSOR_CTS_ERROR, args...);
}
template <class... Args>
Answer Unsupported(const Args&... args) {
  return Say(TENSOR_CTS_UNSUPPORTED, args...);
}

// Makes the answer of an error that oneDNN throws, by oneDNN's own distinction.
Answer FromError(const dnnl::error& error) {
  switch (error.status) {
    case dnnl_invalid_arguments:
      return Illegal("oneDNN: invalid arguments: ", error.message);
    case dnnl_unimplemented:
      return Unsupported("oneDNN: unimplemented: ", error.message);
    default:
      return Say(TENSOR_CTS_FAILED, "oneDNN: status ", error.status, ": ", error.message);
  }
}

// ---- The graph ---------------------------------------------------------------------------------

std::optional<Type> TypeOf(const tensor_cts_value& value) {
  const std::string_view name = value.type;
  if (name == "fp32") return Type::f32;
  if (name == "bf16") return Type::bf16;
  if (name == "i8") return Type::s8;
  if (name == "i32") return Type::s32;
  return std::nullopt;
}

Dims DimsOf(const tensor_cts_value& value) { return {value.shape, value.shape + value.rank}; }

// The place of an operand's bytes: a constant, or an input of the graph.
struct Operand {
  const tensor_cts_value* value = nullptr;
  size_t input = 0;
  const void* Data(const tensor_cts_input_buffer* inputs) const {
    return value->data != nullptr ? value->data : inputs[input].data;
  }
};

// One operator and what it works on.
struct Call {
  const tensor_cts_operator* op = nullptr;
  std::vector<Operand> inputs;
  const tensor_cts_value* output = nullptr;

  const tensor_cts_value& in(size_t i) const { return *inputs[i].value; }
  Type type(size_t i) const { return *TypeOf(in(i)); }
  Type out_type() const { return *TypeOf(*output); }
  bool Types(std::initializer_list<Type> of_inputs, Type of_output) const {
    size_t i = 0;
    for (const Type type : of_inputs) {
      if (this->type(i++) != type) return false;
    }
    return out_type() == of_output;
  }

  const tensor_cts_attribute* Find(std::string_view name, tensor_cts_attribute_kind kind) const {
    for (size_t i = 0; i < op->attribute_count; ++i) {
      const tensor_cts_attribute& attribute = op->attributes[i];
      if (name == attribute.name && attribute.kind == kind) return &attribute;
    }
    return nullptr;
  }
  // A list of this length; nothing if there is none.
  std::optional<Dims> List(std::string_view name, size_t count) const {
    const tensor_cts_attribute* const list = Find(name, TENSOR_CTS_LIST);
    if (list == nullptr || list->count != count) return std::nullopt;
    return Dims(list->list, list->list + count);
  }

  struct Attribute {
    std::string_view name;
    tensor_cts_attribute_kind kind;
    bool optional = false;
  };
  // Whether the attributes are these, and of these kinds: oneDNN is not told of any other.
  Answer CheckAttributes(std::initializer_list<Attribute> known) const {
    for (size_t i = 0; i < op->attribute_count; ++i) {
      const tensor_cts_attribute& given = op->attributes[i];
      const auto* const found = std::find_if(
          known.begin(), known.end(), [&](const Attribute& one) { return one.name == given.name; });
      if (found == known.end()) return Unsupported("attribute ", given.name);
      if (found->kind != given.kind) return Unsupported(given.name, " of another kind");
    }
    for (const Attribute& one : known) {
      if (!one.optional && Find(one.name, one.kind) == nullptr) {
        return Unsupported("no attribute ", one.name);
      }
    }
    return {};
  }
  Answer CheckCounts(size_t count) const {
    if (inputs.size() == count && op->output_count == 1) return {};
    return Unsupported("found ", inputs.size(), " inputs and ", op->output_count,
                       " outputs, expected ", count, " and 1");
  }
  Answer CheckRanks(std::initializer_list<size_t> ranks, size_t output_rank) const {
    size_t i = 0;
    for (const size_t rank : ranks) {
      if (in(i).rank != rank) return Unsupported("rank ", in(i).rank, " of ", in(i).name);
      ++i;
    }
    if (output->rank != output_rank)
      return Unsupported("rank ", output->rank, " of ", output->name);
    return {};
  }
};

// The function that execute calls.
using Run = std::function<void(const tensor_cts_input_buffer*, tensor_cts_output_buffer*)>;

const dnnl::engine& Engine() {
  static const auto& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory Memory(const memory::desc& desc, const void* data) {
  return memory(desc, Engine(), const_cast<void*>(data));
}

// Dense and row-major. A scalar has one dimension in oneDNN.
memory::desc Plain(Dims dims, Type type) {
  if (dims.empty()) dims = {1};
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return {dims, type, strides};
}

// Runs a primitive. Operands stay as they lie, except those for which the primitive wants another
// layout.
struct Argument {
  int name = 0;
  Operand from;
  memory::desc lies, wanted;
  int64_t copies = 1;  // of its one element
};

Run RunOf(const dnnl::primitive& primitive, const std::vector<Argument>& arguments,
          const memory::desc& output) {
  return [=](const tensor_cts_input_buffer* inputs, tensor_cts_output_buffer* outputs) {
    dnnl::stream stream(Engine());
    std::unordered_map<int, memory> memories;
    for (const Argument& argument : arguments) {
      memory given = Memory(argument.lies, argument.from.Data(inputs));
      if (argument.copies > 1) {
        const size_t bytes = argument.from.value->bytes;
        given = memory(argument.lies, Engine());
        for (int64_t i = 0; i < argument.copies; ++i) {
          std::memcpy(static_cast<char*>(given.get_data_handle()) + i * static_cast<int64_t>(bytes),
                      argument.from.Data(inputs), bytes);
        }
      }
      if (argument.wanted != argument.lies) {
        memory reordered(argument.wanted, Engine());
        dnnl::reorder(given, reordered).execute(stream, given, reordered);
        given = reordered;
      }
      memories[argument.name] = given;
    }
    memories[DNNL_ARG_DST] = Memory(output, outputs[0].data);
    primitive.execute(stream, memories);
    stream.wait();
  };
}

// The zero points of two operands, from input `first` on; oneDNN calls the operands DNNL_ARG_SRC
// and DNNL_ARG_WEIGHTS. Only integers have zero points.
Answer ReadZeroPoints(const Call& call, size_t first, std::array<int32_t, 2>& zero_points) {
  for (size_t i = 0; i < 2; ++i) {
    const tensor_cts_value& value = call.in(first + i);
    if (value.shape[0] != 1) return Unsupported(value.name, " has more than one element");
    if (value.data == nullptr) return Unsupported(value.name, " that is no constant");
    if (TypeOf(value) == Type::s8) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no character.
      zero_points[i] = *static_cast<const int8_t*>(value.data);
      continue;
    }
    const auto* const bytes = static_cast<const unsigned char*>(value.data);
    if (std::any_of(bytes, bytes + value.bytes, [](unsigned char byte) { return byte != 0; })) {
      return Unsupported(value.name, " is not zero, and of no integer");
    }
  }
  return {};
}

// ---- Operators ---------------------------------------------------------------------------------

// Refuses types that are no row, and attributes that oneDNN does not follow; `integer` says which
// row.
Answer CheckConvolution(const Call& call, bool& integer) {
  if (Answer no = call.CheckCounts(5); no.Refuses()) return no;
  if (Answer no = call.CheckRanks({4, 4, 1, 1, 1}, 4); no.Refuses()) return no;
  integer = call.Types({Type::s8, Type::s8, Type::s32, Type::s8, Type::s8}, Type::s32);
  const auto all = [&](Type type) { return call.Types({type, type, type, type, type}, type); };
  if (!integer && !all(Type::f32) && !all(Type::bf16)) return Unsupported("types of no row");
  if (Answer no = call.CheckAttributes({{"pad", TENSOR_CTS_LIST},
                                        {"stride", TENSOR_CTS_LIST},
                                        {"dilation", TENSOR_CTS_LIST},
                                        {"acc_type", TENSOR_CTS_TEXT},
                                        {"local_bound", TENSOR_CTS_BOOL, true}});
      no.Refuses()) {
    return no;
  }
  const std::string_view accumulator = call.Find("acc_type", TENSOR_CTS_TEXT)->text;
  if (accumulator != (integer ? "INT32" : "FP32")) {
    return Unsupported("acc_type ", accumulator, "; oneDNN has ", integer ? "INT32" : "FP32");
  }
  return {};
}

Answer Convolution(const Call& call, bool depthwise, Run& run) {
  bool integer = false;
  if (Answer no = CheckConvolution(call, integer); no.Refuses()) return no;
  const auto pad = call.List("pad", 4);
  const auto stride = call.List("stride", 2);
  const auto dilation = call.List("dilation", 2);
  if (!pad || !stride || !dilation) return Unsupported("pad, stride or dilation of a wrong length");

  const Dims x = DimsOf(call.in(0)), w = DimsOf(call.in(1)), b = DimsOf(call.in(2)),
             y = DimsOf(*call.output);
  // In oneDNN's order of dimensions, with the strides of TOSA's layouts.
  const auto nhwc = [](const Dims& of, Type type) {
    return memory::desc({of[0], of[3], of[1], of[2]}, type, memory::format_tag::nhwc);
  };
  const memory::desc src = nhwc(x, call.type(0)), dst = nhwc(y, call.out_type());
  memory::desc weights;
  if (depthwise) {
    if (w[2] != x[3]) return Unsupported("the weight has ", w[2], " channels, the input ", x[3]);
    if (w[2] * w[3] != y[3]) return Unsupported("the output has not C * M channels");
    // [KH, KW, C, M] as [C groups, M, 1, KH, KW].
    weights = memory::desc({w[2], w[3], 1, w[0], w[1]}, call.type(1),
                           Dims{w[3], 1, 1, w[1] * w[2] * w[3], w[2] * w[3]});
  } else {
    weights = memory::desc({w[0], w[3], w[1], w[2]}, call.type(1), memory::format_tag::ohwi);
  }
  const bool spread = b[0] == 1 && y[3] != 1;  // one bias for all channels
  const memory::desc bias({y[3]}, call.type(2), memory::format_tag::a);
  if (b[0] != y[3] && !spread)
    return Unsupported("found ", b[0], " biases for ", y[3], " channels");

  std::array<int32_t, 2> zero_points = {};
  if (Answer no = ReadZeroPoints(call, 3, zero_points); no.Refuses()) return no;
  dnnl::primitive_attr attributes;
  if (zero_points[0] != 0) attributes.set_zero_points(DNNL_ARG_SRC, 0, {zero_points[0]});
  const auto choose = [&](const memory::desc& with, const memory::desc& to,
                          const auto&... and_bias) {
    const memory::desc any(with.dims(), with.data_type(), memory::format_tag::any);
    return dnnl::convolution_forward::primitive_desc(
        dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference,
                                        dnnl::algorithm::convolution_direct, src, any, and_bias...,
                                        to, *stride, Dims{(*dilation)[0] - 1, (*dilation)[1] - 1},
                                        Dims{(*pad)[0], (*pad)[2]}, Dims{(*pad)[1], (*pad)[3]}),
        attributes, Engine());
  };
  if (!integer) {
    const auto chosen = choose(weights, dst, bias);
    run = RunOf(dnnl::convolution_forward(chosen),
                {{DNNL_ARG_SRC, call.inputs[0], src, src},
                 {DNNL_ARG_WEIGHTS, call.inputs[1], weights, chosen.weights_desc()},
                 {DNNL_ARG_BIAS, call.inputs[2], bias, bias, spread ? y[3] : 1}},
                dst);
    return {};
  }
  // oneDNN adds an i32 bias in fp32, which is no addition of i32: the plugin adds it here. oneDNN
  // has no zero point for weights. A zero point takes away that many times the sum of the inputs:
  // the plugin gets twice that sum from another convolution, by twos, as oneDNN may halve weights.
  const auto chosen = choose(weights, dst);
  const Run convolve = RunOf(dnnl::convolution_forward(chosen),
                             {{DNNL_ARG_SRC, call.inputs[0], src, src},
                              {DNNL_ARG_WEIGHTS, call.inputs[1], weights, chosen.weights_desc()}},
                             dst);
  Run sum_up;
  auto twos = std::make_shared<std::pair<std::vector<int8_t>, tensor_cts_value>>();
  const int64_t groups = depthwise ? w[2] : 1;
  if (zero_points[1] != 0) {
    const Dims dims = depthwise ? Dims{w[2], 1, 1, w[0], w[1]} : Dims{1, w[3], w[1], w[2]};
    const memory::desc by = Plain(dims, Type::s8), to = nhwc({y[0], y[1], y[2], groups}, Type::s32);
    twos->first.assign(by.get_size(), 2);
    twos->second.data = twos->first.data();
    const auto chosen_sum = choose(by, to);
    sum_up = RunOf(dnnl::convolution_forward(chosen_sum),
                   {{DNNL_ARG_SRC, call.inputs[0], src, src},
                    {DNNL_ARG_WEIGHTS, {&twos->second, 0}, by, chosen_sum.weights_desc()}},
                   to);
  }
  run = [=, addend = call.inputs[2], zero_point = static_cast<uint32_t>(zero_points[1])](
            const tensor_cts_input_buffer* inputs, tensor_cts_output_buffer* outputs) {
    convolve(inputs, outputs);
    const auto channels = static_cast<size_t>(y[3]), pixels = outputs[0].bytes / 4 / channels;
    std::vector<int32_t> sums(pixels * static_cast<size_t>(groups));
    tensor_cts_output_buffer of_sums = {sums.data(), sums.size() * 4, 0};
    if (sum_up) sum_up(inputs, &of_sums);
    const auto* const biases = static_cast<const uint32_t*>(addend.Data(inputs));
    auto* const to = static_cast<uint32_t*>(outputs[0].data);
    const size_t of_group = channels / static_cast<size_t>(groups);
    for (size_t i = 0; i < pixels * channels; ++i) {  // modulo 2^32, as i32 overflows nowhere
      const auto sum = static_cast<uint32_t>(sums[i / of_group] / 2);
      to[i] += biases[spread ? 0 : i % channels] - zero_point * sum;
    }
    (void)twos;  // lives as long as this
  };
  return {};
}

Answer Matmul(const Call& call, Run& run) {
  if (Answer no = call.CheckAttributes({}); no.Refuses()) return no;
  if (Answer no = call.CheckCounts(4); no.Refuses()) return no;
  if (Answer no = call.CheckRanks({3, 3, 1, 1}, 3); no.Refuses()) return no;
  const auto all = [&](Type in, Type out) { return call.Types({in, in, in, in}, out); };
  if (!all(Type::s8, Type::s32) && !all(Type::f32, Type::f32) && !all(Type::bf16, Type::f32)) {
    return Unsupported("types of no row");
  }
  std::array<int32_t, 2> zero_points = {};
  if (Answer no = ReadZeroPoints(call, 2, zero_points); no.Refuses()) return no;
  dnnl::primitive_attr attributes;
  if (zero_points[0] != 0) attributes.set_zero_points(DNNL_ARG_SRC, 0, {zero_points[0]});
  if (zero_points[1] != 0) attributes.set_zero_points(DNNL_ARG_WEIGHTS, 0, {zero_points[1]});
  const memory::desc a = Plain(DimsOf(call.in(0)), call.type(0)),
                     b = Plain(DimsOf(call.in(1)), call.type(1)),
                     y = Plain(DimsOf(*call.output), call.out_type());
  // oneDNN broadcasts batches, TOSA does not.
  if (call.in(0).shape[0] != call.in(1).shape[0])
    return Unsupported("A and B differ in their batches");
  const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(a, b, y), attributes, Engine());
  run = RunOf(dnnl::matmul(chosen),
              {{DNNL_ARG_SRC, call.inputs[0], a, a}, {DNNL_ARG_WEIGHTS, call.inputs[1], b, b}}, y);
  return {};
}

Answer Eltwise(const Call& call, dnnl::algorithm algorithm, float alpha, float beta, Run& run) {
  if (Answer no = call.CheckAttributes({}); no.Refuses()) return no;
  if (Answer no = call.CheckCounts(1); no.Refuses()) return no;
  const Type type = call.type(0);
  if (type != call.out_type()) return Unsupported("input and output of different types");
  if (type != Type::f32 && type != Type::bf16) {
    return Unsupported("eltwise of ", call.in(0).type, ", which oneDNN computes in fp32");
  }
  // An eltwise primitive has one shape for both ends.
  if (DimsOf(call.in(0)) != DimsOf(*call.output))
    return Unsupported("input and output of different shapes");
  const Dims dims = DimsOf(call.in(0));
  const memory::desc flat(
      {std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>())}, type,
      memory::format_tag::a);
  const dnnl::eltwise_forward::primitive_desc chosen(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference, algorithm, flat, alpha, beta),
      Engine());
  run = RunOf(dnnl::eltwise_forward(chosen), {{DNNL_ARG_SRC, call.inputs[0], flat, flat}}, flat);
  return {};
}

Answer Binary(const Call& call, dnnl::algorithm algorithm, bool has_shift, Run& run) {
  if (Answer no = call.CheckAttributes({}); no.Refuses()) return no;
  if (Answer no = call.CheckCounts(has_shift ? 3 : 2); no.Refuses()) return no;
  if (has_shift) {
    // oneDNN has no shift; floating point has a shift of zero.
    const tensor_cts_value& shift = call.in(2);
    if (std::string_view(shift.type) != "i8" || shift.bytes != 1 || shift.rank != 1) {
      return Unsupported("a shift that is no i8[1]");
    }
    if (shift.data == nullptr) return Unsupported("a shift that is no constant");
    if (*static_cast<const int8_t*>(shift.data) != 0) return Unsupported("a shift of floats");
  }
  const Type type = call.type(0);
  if (type != Type::f32 && type != Type::bf16) {
    return Unsupported("binary of ", call.in(0).type, ", which oneDNN computes in fp32");
  }
  if (call.type(1) != type || call.out_type() != type)
    return Unsupported("operands of different types");
  const Dims a = DimsOf(call.in(0)), b = DimsOf(call.in(1)), y = DimsOf(*call.output);
  if (a.size() != y.size() || b.size() != y.size())
    return Unsupported("operands of different ranks");
  size_t first = 0;
  if (a != y) {
    // oneDNN broadcasts its second operand only.
    if (b != y) {
      for (size_t d = 0; d < y.size(); ++d) {
        if (y[d] != (a[d] == 1 ? b[d] : a[d]) || (a[d] != b[d] && a[d] != 1 && b[d] != 1)) {
          return Unsupported("shapes that do not broadcast to that of the output");
        }
      }
      return Unsupported("broadcasting of both operands");
    }
    if (algorithm == dnnl::algorithm::binary_sub) return Unsupported("broadcasting of the minuend");
    first = 1;  // both operands of the others may change places
  }
  const memory::desc x0 = Plain(first == 0 ? a : b, type), x1 = Plain(first == 0 ? b : a, type),
                     dst = Plain(y, type);
  const dnnl::binary::primitive_desc chosen(dnnl::binary::desc(algorithm, x0, x1, dst), Engine());
  run = RunOf(dnnl::binary(chosen),
              {{DNNL_ARG_SRC_0, call.inputs[first], x0, x0},
               {DNNL_ARG_SRC_1, call.inputs[1 - first], x1, x1}},
              dst);
  return {};
}

Answer Reduction(const Call& call, dnnl::algorithm algorithm, Run& run) {
  // REDUCE_SUM and REDUCE_PRODUCT have no nan_mode.
  if (Answer no = call.CheckAttributes({{"axis", TENSOR_CTS_INTEGER}}); no.Refuses()) return no;
  if (Answer no = call.CheckCounts(1); no.Refuses()) return no;
  const Type type = call.type(0);
  if (type != call.out_type()) return Unsupported("input and output of different types");
  if (type != Type::f32 && type != Type::bf16) {
    return Unsupported("reduction of ", call.in(0).type, ", which oneDNN computes in fp32");
  }
  const tensor_cts_attribute* const axis = call.Find("axis", TENSOR_CTS_INTEGER);
  Dims dims = DimsOf(call.in(0));
  if (axis == nullptr || axis->integer < 0 || axis->integer >= static_cast<int64_t>(dims.size())) {
    return Unsupported("no such axis");
  }
  const memory::desc src = Plain(dims, type), dst = Plain(DimsOf(*call.output), type);
  dims[static_cast<size_t>(axis->integer)] = 1;
  if (DimsOf(*call.output) != dims) return Unsupported("the output's shape is not the reduced one");
  if (src == dst) return Unsupported("a reduction of one element, which oneDNN refuses");
  const dnnl::reduction::primitive_desc chosen(dnnl::reduction::desc(algorithm, src, dst, 0, 0),
                                               Engine());
  run = RunOf(dnnl::reduction(chosen), {{DNNL_ARG_SRC, call.inputs[0], src, src}}, dst);
  return {};
}

Answer Choose(const Call& call, Run& run) {
  using dnnl::algorithm;
  const std::string_view op = call.op->name;
  if (op == "CONV2D") return Convolution(call, false, run);
  if (op == "DEPTHWISE_CONV2D") return Convolution(call, true, run);
  if (op == "MATMUL") return Matmul(call, run);
  if (op == "ABS") return Eltwise(call, algorithm::eltwise_abs, 0, 0, run);
  if (op == "EXP") return Eltwise(call, algorithm::eltwise_exp, 0, 0, run);
  if (op == "LOG") return Eltwise(call, algorithm::eltwise_log, 0, 0, run);
  if (op == "SIGMOID") return Eltwise(call, algorithm::eltwise_logistic, 0, 0, run);
  if (op == "TANH") return Eltwise(call, algorithm::eltwise_tanh, 0, 0, run);
  if (op == "RECIPROCAL") return Eltwise(call, algorithm::eltwise_pow, 1, -1, run);
  if (op == "ADD") return Binary(call, algorithm::binary_add, false, run);
  if (op == "SUB") return Binary(call, algorithm::binary_sub, false, run);
  if (op == "MUL") return Binary(call, algorithm::binary_mul, true, run);
  if (op == "REDUCE_SUM") return Reduction(call, algorithm::reduction_sum, run);
  if (op == "REDUCE_PRODUCT") return Reduction(call, algorithm::reduction_mul, run);
  if (op == "ERF") return Unsupported("oneDNN has gelu_erf, which is another function");
  if (op == "RSQRT") return Unsupported("pow(x, -0.5) differs: of -inf it is 0, of -0 it is inf");
  if (op == "NEGATE") return Unsupported("linear, -1 * x + 0, makes +0 of 0");
  if (op == "MAXIMUM" || op == "MINIMUM" || op == "CLAMP" || op == "REDUCE_MAX" ||
      op == "REDUCE_MIN" || op == "MAX_POOL2D") {
    return Unsupported("oneDNN does not say what it makes of NaN");
  }
  return Unsupported("oneDNN has no primitive that means ", op);
}

// ---- The plugin --------------------------------------------------------------------------------

struct Prepared {
  Run run;
};

Answer PrepareGraph(const tensor_cts_graph& graph, Prepared& prepared) {
  if (std::string_view(graph.edition) != "tosa-1.0") {
    return Unsupported("edition ", graph.edition, "; this plugin knows tosa-1.0");
  }
  const tensor_cts_block& block = graph.blocks[0];
  Call call;
  for (size_t i = 0; i < block.operator_count; ++i) {
    const std::string_view name = block.operators[i].name;
    if (name == "CONST" || name == "CONST_SHAPE") continue;  // their outputs have data
    if (call.op != nullptr) return Unsupported("graphs of more than one operator");
    call.op = &block.operators[i];
  }
  if (call.op == nullptr || block.output_count != 1 || call.op->output_count == 0) {
    return Unsupported("graphs without an operator, or with another number of outputs than one");
  }
  for (size_t i = 0; i < call.op->input_count; ++i) {
    const tensor_cts_value& value = block.values[call.op->inputs[i]];
    const size_t* const end = block.inputs + block.input_count;
    const size_t* const found = std::find(block.inputs, end, call.op->inputs[i]);
    if (value.data == nullptr && found == end) return Unsupported(value.name, " is not known");

    call.inputs.push_back({&value, static_cast<size_t>(found - block.inputs)});
  }
  call.output = &block.values[call.op->outputs[0]];
  std::vector<const tensor_cts_value*> values = {call.output};
  for (const Operand& operand : call.inputs) values.push_back(operand.value);
  for (const tensor_cts_value* value : values) {
    if (!TypeOf(*value)) return Unsupported("type ", value->type);
  }
  for (const tensor_cts_value* value : values) {
    if (value->bytes == 0) return Unsupported("a shape that no tensor has: ", value->name);
  }
  return Choose(call, prepared.run);
}

// Runs `work`; oneDNN's exceptions end here.
template <class F>
tensor_cts_status Guarded(F work) {
  Answer answer;
  try {
    answer = work();
  } catch (const dnnl::error& error) {
    answer = FromError(error);
  } catch (const std::exception& error) {
    answer = Say(TENSOR_CTS_FAILED, error.what());
  }
  error_text = answer.why;
  return answer.status;
}

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** result) {
  return Guarded([&] {
    auto prepared = std::make_unique<Prepared>();
    Answer answer = PrepareGraph(*graph, *prepared);
    *result = prepared.release();
    return answer;
  });
}

tensor_cts_status Execute(void* prepared, const tensor_cts_input_buffer* inputs, size_t,
                          tensor_cts_output_buffer* outputs, size_t) {
  return Guarded([&] {
    static_cast<Prepared*>(prepared)->run(inputs, outputs);
    outputs[0].written = outputs[0].bytes;
    return Answer();
  });
}

const char* ErrorText() { return error_text.c_str(); }

void Free(void* prepared) { delete static_cast<Prepared*>(prepared); }

// As DNNL_MAX_CPU_ISA calls it.
const char* IsaName() {
  switch (dnnl_get_effective_cpu_isa()) {
    case dnnl_cpu_isa_sse41:
      return "DNNL_MAX_CPU_ISA: SSE41";
    case dnnl_cpu_isa_avx:
      return "DNNL_MAX_CPU_ISA: AVX";
    case dnnl_cpu_isa_avx2:
      return "DNNL_MAX_CPU_ISA: AVX2";
    case dnnl_cpu_isa_avx2_vnni:
      return "DNNL_MAX_CPU_ISA: AVX2_VNNI";
    case dnnl_cpu_isa_avx512_core:
      return "DNNL_MAX_CPU_ISA: AVX512_CORE";
    case dnnl_cpu_isa_avx512_core_vnni:
      return "DNNL_MAX_CPU_ISA: AVX512_CORE_VNNI";
    case dnnl_cpu_isa_avx512_core_bf16:
      return "DNNL_MAX_CPU_ISA: AVX512_CORE_BF16";
    case dnnl_cpu_isa_avx512_core_amx:
      return "DNNL_MAX_CPU_ISA: AVX512_CORE_AMX";
    default:
      return "an instruction set that this plugin has no name for";
  }
}

const char* Version() {
  static const std::string& text = *new std::string([] {
    const dnnl_version_t* const version = dnnl_version();
    std::ostringstream words;
    words << version->major << '.' << version->minor << '.' << version->patch;
    return words.str();
  }());
  return text.c_str();
}

}  // namespace

extern "C" const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t abi) {
  if (abi != TENSOR_CTS_PLUGIN_ABI) return nullptr;
  static const tensor_cts_plugin_table table = {TENSOR_CTS_PLUGIN_ABI,
                                                TENSOR_CTS_PLUGIN_THREADS,
                                                "oneDNN",
                                                Version(),
                                                IsaName(),
                                                Prepare,
                                                Execute,
                                                ErrorText,
                                                Free};
  return &table;
}
