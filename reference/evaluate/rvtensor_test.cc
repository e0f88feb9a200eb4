// RVTensor's operators are TOSA's over tensors in another layout. Each is compared with TOSA's over
// tensors that this file transposes by the letters of the layouts, independently of the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/calls/call_answer.h"
#include "reference/calls/operator_call.h"
#include "reference/evaluate/native.h"
#include "reference/evaluate/trace_testing.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

constexpr char kRv[] = "rvtensor", kTosa[] = "tosa-1.0", kDraft[] = "tosa-0.100";

// Layouts as they are written: one letter a dimension.
struct Layouts {
  std::string rv, tosa;
};

// The same elements where `to` wants them: "NCHW" to "NHWC".
Json Transposed(const Json& tensor, const std::string& from, const std::string& to) {
  std::map<char, int64_t> size;
  for (size_t k = 0; k < from.size(); ++k) size[from[k]] = tensor["shape"][k];
  Json result = {{"dtype", tensor["dtype"]}, {"shape", Json::array()}, {"data", Json::array()}};
  for (const char name : to) result["shape"].push_back(size[name]);
  std::map<char, int64_t> at;
  for (size_t count = tensor["data"].size(); count > 0; --count) {
    int64_t place = 0;
    for (const char name : from) place = place * size[name] + at[name];
    result["data"].push_back(tensor["data"][static_cast<size_t>(place)]);
    for (auto name = to.rbegin(); name != to.rend() && ++at[*name] == size[*name]; ++name) {
      at[*name] = 0;
    }
  }
  return result;
}

TEST(Transposed, MovesElementsAsTheLettersSay) {
  const Json nchw = {{"dtype", "i8"}, {"shape", {1, 3, 1, 2}}, {"data", {1, 2, 3, 4, 5, 6}}};
  const Json nhwc = Transposed(nchw, "NCHW", "NHWC");
  EXPECT_EQ(nhwc["shape"], Json({1, 1, 2, 3}));
  EXPECT_EQ(nhwc["data"], Json({1, 3, 5, 2, 4, 6}));
}

// The relation of an operator's arguments to those of TOSA.
struct Comparison {
  std::string op;
  std::map<std::string, Layouts> layouts;    // of operands and "output"
  std::map<std::string, std::string> names;  // RVTensor's to TOSA's
  std::string edition = kTosa;
};

const std::map<std::string, std::string> kQPoints = {{"in_qpoint", "input_zp"},
                                                     {"w_qpoint", "weight_zp"}};

Comparison Conv2d() {
  return {"CONV2D",
          {{"input", {"NCHW", "NHWC"}}, {"weight", {"OIHW", "OHWI"}}, {"output", {"NCHW", "NHWC"}}},
          kQPoints};
}
Comparison Conv3d() {
  return {"CONV3D",
          {{"input", {"NDCHW", "NDHWC"}},
           {"weight", {"DOIHW", "ODHWI"}},
           {"output", {"NDCHW", "NDHWC"}}},
          kQPoints};
}
Comparison DepthwiseConv2d() {
  return {"DEPTHWISE_CONV2D",
          {{"input", {"NCHW", "NHWC"}}, {"weight", {"MIHW", "HWIM"}}, {"output", {"NCHW", "NHWC"}}},
          kQPoints};
}
Comparison TransposeConv2d() {
  Comparison comparison = Conv2d();
  comparison.op = "TRANSPOSE_CONV2D";
  comparison.names["pad"] = "out_pad";
  return comparison;
}
Comparison FullyConnected() { return {"FULLY_CONNECTED", {}, kQPoints, kDraft}; }
Comparison Matmul() { return {"MATMUL", {}, {{"A_qpoint", "A_zp"}, {"B_qpoint", "B_zp"}}}; }
Comparison Rescale() {
  return {"RESCALE",
          {},
          {{"in_qpoint", "input_zp"},
           {"out_qpoint", "output_zp"},
           {"in_unsigned", "input_unsigned"},
           {"out_unsigned", "output_unsigned"}}};
}

// The call of TOSA's operator that is to say the same.
Json ToTosa(const Comparison& comparison, const Json& call, const Json& more) {
  Json other = {{"operator", call["operator"]}, {"edition", comparison.edition}};
  for (const auto& [name, value] : call["arguments"].items()) {
    const auto renamed = comparison.names.find(name);
    const auto layouts = comparison.layouts.find(name);
    other["arguments"][renamed == comparison.names.end() ? name : renamed->second] =
        layouts == comparison.layouts.end()
            ? value
            : Transposed(value, layouts->second.rv, layouts->second.tosa);
  }
  other["arguments"].update(more);
  if (call.contains("data_set")) other["data_set"] = call["data_set"];
  if (!call.contains("output_types")) return other;
  other["output_types"] = call["output_types"];
  Json& output = other["output_types"]["output"];
  if (const auto layouts = comparison.layouts.find("output");
      layouts != comparison.layouts.end() && output.contains("shape")) {
    const Json shape = output["shape"];
    const auto& [rv, tosa] = layouts->second;
    for (size_t k = 0; k < tosa.size(); ++k) output["shape"][k] = shape[rv.find(tosa[k])];
  }
  return other;
}

Json Answer(const Json& call) {
  const CallAnswer answer = AnswerCall(call.dump());
  EXPECT_FALSE(answer.malformed) << answer.line << "\n" << call.dump();
  return *ParseJson(answer.line, "answer");
}

// The results of builtin:native, and the elements that it reads for one element.
struct Native {
  Outcome outcome;
  Json output;
  std::vector<std::pair<std::string, std::string>> read;  // tensor and value
  std::vector<Shape> places;
};
Native NativeOf(const Json& json, int64_t element) {
  const auto call = OperatorCallFromJson(json);
  EXPECT_TRUE(call.ok()) << call.status();
  const auto result = ExecuteNative(call->graph, call->inputs, *call->edition, *call->level);
  EXPECT_TRUE(result.ok()) << result.status();
  Native native{result->outcome, {}, {}, {}};
  if (native.outcome != Outcome::kValid) return native;
  const Tensor& output = result->outputs.at("output");
  native.output = TensorToJson(output, output.dtype());
  const auto elements =
      TraceElement(call->graph, call->inputs, *call->edition, *call->level, "output", element);
  EXPECT_TRUE(elements.ok()) << elements.status();
  for (const ReadElement& each : *elements) {
    native.read.emplace_back(each.tensor,
                             FormatHex(each.value + static_cast<double>(each.integer)));
    native.places.push_back(each.index);
  }
  return native;
}

// The place of an element in another layout.
Shape PlaceIn(const Layouts& layouts, const Shape& place) {
  Shape moved;
  for (const char name : layouts.tosa) moved.push_back(place[layouts.rv.find(name)]);
  return moved;
}

// Compares everything that the reference says. `rules`: whether the rules are those of one edition.
// Returns the outcome.
std::string Compare(const Comparison& comparison, const Json& call, const Json& more,
                    bool rules = true) {
  const Json other = ToTosa(comparison, call, more);
  const Json rv = Answer(call), tosa = Answer(other);
  EXPECT_EQ(rv["outcome"], tosa["outcome"]) << call.dump() << "\n" << other.dump();
  EXPECT_EQ(rv["conditions"], tosa["conditions"]) << call.dump() << "\n" << other.dump();
  if (rv["outcome"] != "valid" || tosa["outcome"] != "valid") return rv["outcome"];
  const auto layouts = comparison.layouts.find("output");
  const auto expected = [&](const Json& tensor) {
    if (layouts == comparison.layouts.end()) return tensor;
    return Transposed(tensor, layouts->second.tosa, layouts->second.rv);
  };
  for (const char* const kind : {"outputs", "flushed"}) {
    EXPECT_EQ(rv[kind].size(), tosa[kind].size()) << kind << call.dump();
    for (const auto& [name, tensor] : tosa[kind].items()) {
      EXPECT_EQ(rv[kind][name], expected(tensor)) << kind << call.dump();
    }
  }
  Json rule = tosa["rules"]["output"];
  if (rules) {
    for (const char* const tensor : {"bound", "upper", "flushed_bound", "flushed_upper"}) {
      if (rule.contains(tensor)) rule[tensor] = expected(rule[tensor]);
    }
    rule["clause"] = rv["rules"]["output"]["clause"];
    EXPECT_EQ(rv["rules"]["output"], rule) << call.dump();
  }
  // One element, and where it comes from.
  const Json& shape = rv["outputs"]["output"]["shape"];
  const int64_t count = static_cast<int64_t>(rv["outputs"]["output"]["data"].size());
  const int64_t element = count * 2 / 3;
  int64_t moved = element;
  if (layouts != comparison.layouts.end()) {
    const Shape place = PlaceIn(layouts->second, Index(shape.get<Shape>(), element));
    moved = Offset(tosa["outputs"]["output"]["shape"].get<Shape>(), place);
  }
  const Native ours = NativeOf(call, element), theirs = NativeOf(other, moved);
  EXPECT_EQ(ours.outcome, theirs.outcome);
  EXPECT_EQ(ours.output, expected(theirs.output)) << call.dump();
  // RVTensor's multipliers, shifts and q-points are no tensors.
  std::vector<Shape> places;
  std::vector<std::pair<std::string, std::string>> read;  // tensor and value
  for (size_t i = 0; i < theirs.read.size(); ++i) {
    if (!call["arguments"][theirs.read[i].first].is_object()) continue;
    read.push_back(theirs.read[i]);
    places.push_back(theirs.places[i]);
  }
  EXPECT_EQ(ours.read, read) << call.dump();
  for (size_t i = 0; i < places.size() && i < ours.places.size(); ++i) {
    const auto of_operand = comparison.layouts.find(read[i].first);
    const bool same = of_operand == comparison.layouts.end();
    EXPECT_EQ(same ? ours.places[i] : PlaceIn(of_operand->second, ours.places[i]), places[i]);
  }
  return rv["outcome"];
}

// Random calls, a part of them illegal. The generator's numbers are the same on every machine.
class Calls {
 public:
  explicit Calls(uint32_t seed) : random_(seed) {}

  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  bool OneIn(int64_t count) { return Between(1, count) == 1; }

  Json TensorOf(const std::string& dtype, const Shape& shape) {
    const DType type = *ParseDType(dtype);
    Json data = Json::array();
    for (int64_t i = 0; i < ElementCount(shape); ++i) {
      if (!IsFloat(type)) {
        const int64_t value = Between(0, (int64_t{1} << std::min(Info(type).bits, 31)) - 1);
        data.push_back(IntegerMin(type) + value % (IntegerMax(type) - IntegerMin(type) + 1));
        if (type == DType::kBool) data.back() = value % 2;
      } else if (OneIn(40)) {
        data.push_back(OneIn(2) ? Json("nan") : Json(Smallest(type)));
      } else {
        data.push_back(static_cast<double>(Between(-24, 24)) / 4);
      }
    }
    return {{"dtype", dtype}, {"shape", shape}, {"data", std::move(data)}};
  }

  Json ZeroPoint(const std::string& dtype) {
    if (dtype == "i8") return Between(-128, 127);
    return OneIn(12) ? 1 : 0;
  }
  std::vector<int64_t> List(size_t length, int64_t low, int64_t high, int64_t wrong) {
    std::vector<int64_t> list;
    for (size_t k = 0; k < length; ++k) list.push_back(OneIn(150) ? wrong : Between(low, high));
    return list;
  }

 private:
  // The least subnormal number, which may be flushed.
  static double Smallest(DType type) { return DecodeFloat(type, 1); }

  std::mt19937 random_;
};

struct Types {
  std::string in, weight, out, acc_type;
};
const std::vector<Types>& ConvolutionTypes() {
  static const auto& types = *new std::vector<Types>{
      {"i8", "i8", "i32", "INT32"},           {"i8", "i4", "i32", "INT32"},
      {"i16", "i8", "i48", "INT48"},          {"fp8e4m3", "fp8e4m3", "fp16", "FP16"},
      {"fp8e5m2", "fp8e5m2", "fp16", "FP16"}, {"fp16", "fp16", "fp16", "FP16"},
      {"bf16", "bf16", "bf16", "FP32"},       {"fp32", "fp32", "fp32", "FP32"}};
  return types;
}

// The number of calls with each outcome, and the broken conditions.
struct Tally {
  int valid = 0, error = 0, other = 0;
  void Add(const std::string& outcome) {
    (outcome == "valid" ? valid : outcome == "error" ? error : other) += 1;
  }
};
std::ostream& operator<<(std::ostream& out, const Tally& tally) {
  return out << tally.valid << " valid, " << tally.error << " errors, " << tally.other << " others";
}

// A convolution of RVTensor over `spatial` axes, most of them legal.
Json Convolution(Calls& calls, const std::string& op, const Types& types) {
  const bool depthwise = op == "DEPTHWISE_CONV2D", transposed = op == "TRANSPOSE_CONV2D";
  const size_t spatial = op == "CONV3D" ? 3 : 2;
  const int64_t n = calls.Between(1, 2), ic = calls.Between(1, 3), oc = calls.Between(1, 4);
  const std::vector<int64_t> stride = calls.List(spatial, 1, 3, 0);
  const std::vector<int64_t> dilation = calls.List(spatial, 1, 2, 0);
  std::vector<int64_t> pad = calls.List(2 * spatial, 0, 2, -1);
  Shape in, kernel, out;
  for (size_t k = 0; k < spatial; ++k) {
    kernel.push_back(calls.Between(1, 3));
    out.push_back(calls.Between(1, 3));
    const int64_t pads = pad[2 * k] + pad[2 * k + 1];
    if (transposed) {
      in.push_back(calls.Between(1, 3));
      out.back() = std::max<int64_t>(1, (in.back() - 1) * stride[k] + pads + kernel.back());
    } else {
      in.push_back((out.back() - 1) * stride[k] + 1 + (kernel.back() - 1) * dilation[k] - pads);
      in.back() = std::max<int64_t>(1, in.back() + (calls.OneIn(30) ? 1 : 0));
    }
  }
  Shape input = in, weight = kernel, output = out;
  if (spatial == 3) {  // NDCHW, DOIHW
    input.insert(input.begin() + 1, ic), input.insert(input.begin(), n);
    weight.insert(weight.begin() + 1, {oc, ic});
    output.insert(output.begin() + 1, oc), output.insert(output.begin(), n);
  } else {  // NCHW, OIHW or MIHW
    input.insert(input.begin(), {n, ic});
    weight.insert(weight.begin(), {oc, ic});
    output.insert(output.begin(), {n, depthwise ? oc * ic : oc});
  }
  const int64_t channels = depthwise ? oc * ic : oc;
  const int64_t bc = calls.OneIn(25) ? channels + 1 : calls.OneIn(3) ? 1 : channels;
  Json call = {{"operator", op}, {"edition", kRv}};
  Json& arguments = call["arguments"];
  arguments = {{"input", calls.TensorOf(types.in, input)},
               {"weight", calls.TensorOf(types.weight, weight)},
               {"bias", calls.TensorOf(types.out, {bc})},
               {"pad", pad},
               {"stride", stride},
               {"in_qpoint", calls.ZeroPoint(types.in)},
               {"w_qpoint", calls.ZeroPoint(types.weight)}};
  if (!transposed) arguments["dilation"] = dilation;
  if (calls.OneIn(30)) output[static_cast<size_t>(calls.Between(0, 3))] += 1;
  call["output_types"]["output"] = {{"dtype", types.out}};
  if (!calls.OneIn(4)) call["output_types"]["output"]["shape"] = output;
  if (IsFloat(*ParseDType(types.in))) call["data_set"] = calls.Between(0, 5);
  return call;
}

// A call without the output's shape is no call if the shape does not follow.
bool IsCall(const Json& call) { return !AnswerCall(call.dump()).malformed; }

void CompareConvolutions(const Comparison& comparison) {
  Calls calls(static_cast<uint32_t>(comparison.op.size()));
  Tally tally;
  for (int round = 0; round < 60; ++round) {
    for (const Types& types : ConvolutionTypes()) {
      const Json call = Convolution(calls, comparison.op, types);
      if (!IsCall(call)) continue;
      tally.Add(Compare(comparison, call, {{"acc_type", types.acc_type}}));
    }
  }
  EXPECT_GT(tally.valid, 150) << tally;
  EXPECT_GT(tally.error, 60) << tally;
  std::cout << comparison.op << ": " << tally << "\n";
}

TEST(Rvtensor, Conv2dIsThatOfTosaTransposed) { CompareConvolutions(Conv2d()); }
TEST(Rvtensor, Conv3dIsThatOfTosaTransposed) { CompareConvolutions(Conv3d()); }
TEST(Rvtensor, DepthwiseConv2dIsThatOfTosaTransposed) { CompareConvolutions(DepthwiseConv2d()); }
TEST(Rvtensor, TransposeConv2dIsThatOfTosaTransposed) { CompareConvolutions(TransposeConv2d()); }

TEST(Rvtensor, FullyConnectedIsThatOfTosa) {
  Calls calls(7);
  Tally tally;
  std::vector<Types> rows = {{"fp16", "fp16", "fp32", ""}, {"bf16", "bf16", "fp32", ""}};
  for (const Types& types : ConvolutionTypes()) {
    if (types.in != "bf16" && !types.in.starts_with("fp8")) rows.push_back(types);
  }
  for (int round = 0; round < 60; ++round) {
    for (const Types& types : rows) {
      const int64_t n = calls.Between(1, 4), ic = calls.Between(1, 9), oc = calls.Between(1, 5);
      const int64_t bc = calls.OneIn(20) ? oc + 1 : calls.OneIn(3) ? 1 : oc;
      Json call = {{"operator", "FULLY_CONNECTED"},
                   {"edition", kRv},
                   {"arguments",
                    {{"input", calls.TensorOf(types.in, {n, ic})},
                     {"weight", calls.TensorOf(types.weight, {oc, ic})},
                     {"bias", calls.TensorOf(types.out, {bc})},
                     {"in_qpoint", calls.ZeroPoint(types.in)},
                     {"w_qpoint", calls.ZeroPoint(types.weight)}}},
                   {"output_types", {{"output", {{"dtype", types.out}}}}}};
      // The draft's rules differ from those of 1.0, which does not have the operator.
      const std::string outcome = Compare(FullyConnected(), call, Json::object(), false);
      tally.Add(outcome);
      if (outcome != "valid" || types.acc_type.empty()) continue;
      // As a convolution with a kernel of one, it has the rules of 1.0.
      if (IsFloat(*ParseDType(types.in))) call["data_set"] = calls.Between(0, 5);
      Json convolution = ToTosa(FullyConnected(), call, Json::object());
      convolution["operator"] = "CONV2D";
      convolution["edition"] = kTosa;
      Json& arguments = convolution["arguments"];
      arguments["input"]["shape"] = {n, 1, 1, ic};
      arguments["weight"]["shape"] = {oc, 1, 1, ic};
      arguments.update({{"pad", {0, 0, 0, 0}},
                        {"stride", {1, 1}},
                        {"dilation", {1, 1}},
                        {"acc_type", types.acc_type},
                        {"local_bound", true}});
      Json ours = Answer(call)["rules"]["output"], theirs = Answer(convolution)["rules"]["output"];
      for (Json* const rule : {&ours, &theirs}) {
        rule->erase("clause");
        for (const char* const bound : {"bound", "flushed_bound"}) {
          if (rule->contains(bound)) (*rule)[bound].erase("shape");
        }
      }
      EXPECT_EQ(ours, theirs) << call.dump();
    }
  }
  EXPECT_GT(tally.valid, 200) << tally;
  EXPECT_GT(tally.error, 30) << tally;
}

TEST(Rvtensor, MatmulIsThatOfTosa) {
  Calls calls(8);
  Tally tally;
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"i8", "i32"},    {"i16", "i48"},   {"fp8e4m3", "fp16"}, {"fp8e5m2", "fp16"},
      {"fp16", "fp16"}, {"fp16", "fp32"}, {"bf16", "fp32"},    {"fp32", "fp32"}};
  for (int round = 0; round < 60; ++round) {
    for (const auto& [in, out] : rows) {
      const int64_t n = calls.Between(1, 3), h = calls.Between(1, 4), c = calls.Between(1, 7),
                    w = calls.Between(1, 5);
      Json call = {{"operator", "MATMUL"},
                   {"edition", kRv},
                   {"arguments",
                    {{"A", calls.TensorOf(in, {n, h, c})},
                     {"B", calls.TensorOf(in, {n, c + (calls.OneIn(20) ? 1 : 0), w})},
                     {"A_qpoint", calls.ZeroPoint(in)},
                     {"B_qpoint", calls.ZeroPoint(in)}}},
                   {"output_types", {{"output", {{"dtype", out}, {"shape", {n, h, w}}}}}}};
      if (IsFloat(*ParseDType(in))) call["data_set"] = calls.Between(0, 5);
      tally.Add(Compare(Matmul(), call, Json::object()));
    }
  }
  EXPECT_GT(tally.valid, 300) << tally;
  EXPECT_GT(tally.error, 40) << tally;
}

TEST(Rvtensor, RescaleIsThatOfTosaRoundingOnce) {
  Calls calls(9);
  Tally tally;
  for (int round = 0; round < 120; ++round) {
    for (const char* const in : {"i8", "i16", "i32", "i48"}) {
      for (const char* const out : {"i8", "i16", "i32"}) {
        Shape shape;
        for (int64_t rank = calls.Between(0, 4); rank > 0; --rank) {
          shape.push_back(calls.Between(1, 4));
        }
        const bool scale32 = !calls.OneIn(3), per_channel = calls.OneIn(2);
        const size_t channels =
            per_channel && !shape.empty() ? static_cast<size_t>(shape.back()) : 1;
        const int64_t most = scale32 ? (int64_t{1} << 31) - 1 : (int64_t{1} << 15) - 1;
        const std::string in_t = in, out_t = out;
        const Json call = {{"operator", "RESCALE"},
                           {"edition", kRv},
                           {"arguments",
                            {{"input", calls.TensorOf(in, shape)},
                             {"in_qpoint", calls.ZeroPoint(in)},
                             {"out_qpoint", calls.ZeroPoint(out)},
                             {"multiplier", calls.List(channels, most / 2, most, 1)},
                             {"shift", calls.List(channels, scale32 ? 31 : 15, 50, 2)},
                             {"scale32", scale32},
                             {"per_channel", per_channel},
                             {"in_unsigned", calls.OneIn(5)},
                             {"out_unsigned", calls.OneIn(5)}}},
                           {"output_types", {{"output", {{"dtype", out}, {"shape", shape}}}}}};
        tally.Add(Compare(Rescale(), call, {{"rounding_mode", "SINGLE_ROUND"}}));
      }
    }
  }
  EXPECT_GT(tally.valid, 300) << tally;
  EXPECT_GT(tally.error, 100) << tally;
}

TEST(Rvtensor, DataLayoutIsThatOfTosa) {
  Calls calls(10);
  Tally tally;
  for (int round = 0; round < 40; ++round) {
    for (const char* const dtype :
         {"bool", "i8", "i16", "i32", "fp8e4m3", "fp8e5m2", "fp16", "bf16", "fp32"}) {
      Shape shape;
      for (int64_t rank = calls.Between(1, 5); rank > 0; --rank) {
        shape.push_back(calls.Between(1, 4));
      }
      const Json input = calls.TensorOf(dtype, shape);
      Shape reversed(shape.rbegin(), shape.rend());
      if (calls.OneIn(10)) reversed.push_back(2);
      std::vector<int64_t> perms;
      for (size_t k = 0; k < shape.size(); ++k) perms.push_back(static_cast<int64_t>(k));
      for (size_t k = perms.size(); k > 1; --k) {
        std::swap(perms[k - 1],
                  perms[static_cast<size_t>(calls.Between(0, static_cast<int64_t>(k) - 1))]);
      }
      if (calls.OneIn(8)) perms[0] = calls.Between(-1, 5);
      for (const Json& call :
           {Json{{"operator", "RESHAPE"}, {"arguments", {{"input1", input}, {"shape", reversed}}}},
            Json{{"operator", "TRANSPOSE"},
                 {"arguments", {{"input1", input}, {"perms", perms}}},
                 {"output_types", {{"output", {{"shape", shape}}}}}},
            Json{{"operator", "TRANSPOSE"}, {"arguments", {{"input1", input}, {"perms", perms}}}},
            Json{{"operator", "CONST"}, {"arguments", {{"values", input}}}}}) {
        Json of_rv = call;
        of_rv["edition"] = kRv;
        if (!IsCall(of_rv)) continue;
        tally.Add(
            Compare({.op = call["operator"], .layouts = {}, .names = {}}, of_rv, Json::object()));
      }
    }
  }
  EXPECT_GT(tally.valid, 500) << tally;
  EXPECT_GT(tally.error, 50) << tally;
}

// --- What the document says itself ---------------------------------------------------------------

TEST(Rvtensor, Conv2dReadsChannelsBeforeRows) {
  // Two channels of 1x2, one output channel: 1 * 1 + 2 * 10 and so on, and q-points 1 and 2.
  const Json call = {
      {"operator", "CONV2D"},
      {"edition", kRv},
      {"arguments",
       {{"input", {{"dtype", "i8"}, {"shape", {1, 2, 1, 2}}, {"data", {2, 3, 4, 5}}}},
        {"weight", {{"dtype", "i8"}, {"shape", {1, 2, 1, 1}}, {"data", {3, 12}}}},
        {"bias", {{"dtype", "i32"}, {"shape", {1}}, {"data", {100}}}},
        {"pad", {0, 0, 0, 0}},
        {"stride", {1, 1}},
        {"dilation", {1, 1}},
        {"in_qpoint", 1},
        {"w_qpoint", 2}}}};
  const Json answer = Answer(call);
  EXPECT_EQ(answer["outputs"]["output"]["shape"], Json({1, 1, 1, 2}));
  EXPECT_EQ(answer["outputs"]["output"]["data"], Json({131, 142}));
}

TEST(Rvtensor, RescaleTakesAChannelOfTheLastDimension) {
  const Json call = {{"operator", "RESCALE"},
                     {"edition", kRv},
                     {"arguments",
                      {{"input", {{"dtype", "i32"}, {"shape", {2, 2}}, {"data", {8, 8, 16, 16}}}},
                       {"in_qpoint", 0},
                       {"out_qpoint", -1},
                       {"multiplier", {1 << 30, 1 << 30}},
                       {"shift", {30, 32}},
                       {"scale32", true},
                       {"per_channel", true},
                       {"in_unsigned", false},
                       {"out_unsigned", false}}},
                     {"output_types", {{"output", {{"dtype", "i8"}}}}}};
  EXPECT_EQ(Answer(call)["outputs"]["output"]["data"], Json({7, 1, 15, 3}));
  Json longer = call;
  longer["arguments"]["shift"] = {30, 32, 30};
  longer["output_types"]["output"]["shape"] = {2, 2};
  EXPECT_EQ(Answer(longer)["conditions"], Json({"graph.attribute"}));
  // 16 bits without scale32, 8 bits of a shift.
  Json narrow = call;
  narrow["arguments"]["scale32"] = false;
  EXPECT_THAT(AnswerCall(narrow.dump()).line, HasSubstr("expected an integer from -32768"));
}

TEST(Rvtensor, MessagesHaveTheLayoutOfTheDocument) {
  Json call = {{"operator", "CONV2D"},
               {"edition", kRv},
               {"arguments",
                {{"input", {{"dtype", "i8"}, {"shape", {1, 2, 3, 4}}, {"data", nullptr}}},
                 {"weight", {{"dtype", "i8"}, {"shape", {5, 2, 1, 1}}, {"data", nullptr}}},
                 {"bias", {{"dtype", "i32"}, {"shape", {5}}, {"data", nullptr}}},
                 {"pad", {0, 0, 0, 0}},
                 {"stride", {1, 1}},
                 {"dilation", {1, 1}},
                 {"in_qpoint", 0},
                 {"w_qpoint", 0}}}};
  EXPECT_EQ(Answer(call)["outputs"]["output"]["shape"], Json({1, 5, 3, 4}));
  call["output_types"]["output"]["shape"] = {1, 6, 3, 4};
  const Json answer = Answer(call);
  EXPECT_EQ(answer["conditions"], Json({"graph.shape"}));
  EXPECT_EQ(answer["violations"][0]["message"],
            "output: found shape [1,6,3,4], expected [N,OC,OH,OW] with OC = 5");
  call["arguments"]["weight"]["shape"] = {5, 3, 1, 1};
  EXPECT_THAT(Answer(call)["violations"][0]["message"].get<std::string>(),
              HasSubstr("weight: found shape [5,3,1,1], expected [OC,IC,KH,KW] with IC = 2"));
}

TEST(Rvtensor, MessagesHaveTheNamesOfTheDocument) {
  Json call = {{"operator", "TRANSPOSE_CONV2D"},
               {"edition", kRv},
               {"arguments",
                {{"input", {{"dtype", "i16"}, {"shape", {1, 2, 3, 4}}, {"data", nullptr}}},
                 {"weight", {{"dtype", "i8"}, {"shape", {5, 2, 2, 2}}, {"data", nullptr}}},
                 {"bias", {{"dtype", "i48"}, {"shape", {5}}, {"data", nullptr}}},
                 {"pad", {0, 0, 0, -2}},
                 {"stride", {1, 1}},
                 {"in_qpoint", 1},
                 {"w_qpoint", 0}}},
               {"output_types", {{"output", {{"shape", {1, 5, 4, 3}}}}}}};
  const Json answer = Answer(call);
  EXPECT_EQ(answer["conditions"],
            Json({"transpose_conv2d.input_zp", "transpose_conv2d.out_pad_x"}));
  const Json& violations = answer["violations"];
  EXPECT_EQ(
      violations[0]["message"],
      "in_qpoint is not zero although the input is not i8: found input of type i16, in_qpoint "
      "1");
  EXPECT_EQ(violations[1]["paraphrase"], "pad_left or pad_right is at most -KW");
  EXPECT_EQ(violations[1]["message"],
            "pad_left or pad_right is at most -KW: found weight of shape [5,2,2,2], pad_left 0, "
            "pad_right -2");
  // TOSA's names are no names here, and stay what they are.
  call["arguments"]["input_zp"] = 1;
  EXPECT_THAT(AnswerCall(call.dump()).line, HasSubstr("input_zp"));
}

// The tables of RESHAPE and TRANSPOSE begin with rank 1, that of RESCALE with 0.
TEST(Rvtensor, ScalarsAreRescaledAndNotReshaped) {
  const auto reshaped = [](const char* edition, const Shape& from, const Shape& to) {
    return Answer({{"operator", "RESHAPE"},
                   {"edition", edition},
                   {"arguments",
                    {{"input1", {{"dtype", "i8"}, {"shape", from}, {"data", {7}}}},
                     {"shape", to}}}})["conditions"];
  };
  for (const auto& [from, to] : {std::pair(Shape(), Shape{1}), {Shape{1}, Shape()}}) {
    EXPECT_EQ(reshaped(kRv, from, to), Json({"graph.rank"}));
    EXPECT_EQ(reshaped(kTosa, from, to), Json::array());
  }
  const Json scalar = {{"dtype", "i8"}, {"shape", Json::array()}, {"data", {7}}};
  EXPECT_EQ(Answer({{"operator", "TRANSPOSE"},
                    {"edition", kRv},
                    {"arguments", {{"input1", scalar}, {"perms", Json::array()}}},
                    {"output_types", {{"output", {{"shape", Json::array()}}}}}})["conditions"],
            Json({"graph.rank"}));
  EXPECT_EQ(
      Answer({{"operator", "RESCALE"},
              {"edition", kRv},
              {"arguments",
               {{"input", scalar},
                {"in_qpoint", 0},
                {"out_qpoint", 0},
                {"multiplier", {1 << 14}},
                {"shift", {14}},
                {"scale32", false},
                {"per_channel", false},
                {"in_unsigned", false},
                {"out_unsigned", false}}},
              {"output_types", {{"output", {{"dtype", "i8"}}}}}})["outputs"]["output"]["data"],
      Json({7}));
}

TEST(Rvtensor, KnowsNoOperatorOfAnotherEdition) {
  Json call = {{"operator", "ADD"}, {"edition", kRv}, {"arguments", Json::object()}};
  EXPECT_THAT(AnswerCall(call.dump()).line,
              HasSubstr("of which rvtensor knows nothing, an operator of tosa-1.0, tosa-0.100, "));
}

}  // namespace
}  // namespace cts
