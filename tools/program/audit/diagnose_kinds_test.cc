// Kinds of mistakes that implementations have had, each written out here without the catalogue's
// code: `diagnose` names each of them, and calls the name a guess where passing cases contradict
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "checker/judge/suite_on_disk.h"
#include "generator/generate.h"
#include "generator/recipe/recipe.h"
#include "reference/base/npy.h"
#include "reference/base/shape.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "reference/evaluate/native.h"
#include "reference/faults/fault.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"
#include "tools/program/audit/diagnose.h"

namespace cts {
namespace {

using testing_suite::Directory;
using List = std::vector<int64_t>;

// What an implementation gets for one execution of a graph, and the right results that it spoils.
struct Execution {
  const Block& graph;
  const GraphOperator& op;  // the operator under test
  std::map<std::string, const Tensor*> tensors;
  std::map<std::string, Tensor> outputs;

  const Tensor& Operand(size_t k) const { return *tensors.at(op.inputs[k]); }
  int64_t Number(size_t k) const { return Operand(k).Integer(0); }
  const List& Attribute(const char* name) const { return std::get<List>(op.attributes.at(name)); }
  Tensor& out() { return outputs.at(op.outputs[0]); }
};
using Wrong = std::function<void(Execution&)>;

int64_t At(const Shape& shape, int64_t a, int64_t b, int64_t c, int64_t d) {
  return ((a * shape[1] + b) * shape[2] + c) * shape[3] + d;
}
Shape Place(const Shape& shape, int64_t i) {
  Shape place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) place[axis] = i % shape[axis];
  return place;
}
int64_t Saturate(int64_t x) { return std::clamp<int64_t>(x, -128, 127); }

// An image of [N, H, W, C] and a weight of [OC, KH, KW, IC], as an implementation finds elements of
// them.
struct Reading {
  int64_t top = 0, left = 0;
  // The element at n, y, x, c, less the zero point.
  std::function<int64_t(int64_t, int64_t, int64_t, int64_t)> input;
  // At oc, ky, kx, ic.
  std::function<int64_t(int64_t, int64_t, int64_t, int64_t)> weight;
};

Reading Rightly(const Execution& e) {
  const Tensor &input = e.Operand(0), &weight = e.Operand(1);
  const int64_t input_zp = e.Number(3), weight_zp = e.Number(4);
  return {.top = e.Attribute("pad")[0],
          .left = e.Attribute("pad")[2],
          .input =
              [&input, input_zp](int64_t n, int64_t y, int64_t x, int64_t c) {
                return input.Integer(At(input.shape(), n, y, x, c)) - input_zp;
              },
          .weight =
              [&weight, weight_zp](int64_t oc, int64_t ky, int64_t kx, int64_t ic) {
                return weight.Integer(At(weight.shape(), oc, ky, kx, ic)) - weight_zp;
              }};
}

void Convolve(Execution& e, const Reading& read) {
  const Shape &in = e.Operand(0).shape(), &kernel = e.Operand(1).shape(), out = e.out().shape();
  const List &stride = e.Attribute("stride"), &dilation = e.Attribute("dilation");
  const Tensor& bias = e.Operand(2);
  for (int64_t i = 0; i < e.out().size(); ++i) {
    const Shape p = Place(out, i);  // n, oy, ox, oc
    int64_t sum = 0;
    for (int64_t ky = 0; ky < kernel[1]; ++ky) {
      const int64_t y = p[1] * stride[0] - read.top + ky * dilation[0];
      for (int64_t kx = 0; kx < kernel[2]; ++kx) {
        const int64_t x = p[2] * stride[1] - read.left + kx * dilation[1];
        if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
        for (int64_t c = 0; c < in[3]; ++c) {
          sum += read.input(p[0], y, x, c) * read.weight(p[3], ky, kx, c);
        }
      }
    }
    e.out().SetInteger(i, sum + bias.Integer(p[3] % bias.size()));
  }
}

// The four pads are top, bottom, left, right. ONNX has top, left, bottom, right.
void PadsLikeOnnx(Execution& e) {
  Reading read = Rightly(e);
  read.top = e.Attribute("pad")[0];
  read.left = e.Attribute("pad")[1];
  Convolve(e, read);
}
void PadsEvenly(Execution& e) {
  Reading read = Rightly(e);
  const List& pad = e.Attribute("pad");
  read.top = (pad[0] + pad[1]) / 2;
  read.left = (pad[2] + pad[3]) / 2;
  Convolve(e, read);
}
void ReadsWeightAsHwoi(Execution& e) {
  Reading read = Rightly(e);
  const Tensor& weight = e.Operand(1);
  const Shape& shape = weight.shape();
  const int64_t zp = e.Number(4);
  read.weight = [&weight, &shape, zp](int64_t oc, int64_t ky, int64_t kx, int64_t ic) {
    return weight.Integer(((ky * shape[2] + kx) * shape[0] + oc) * shape[3] + ic) - zp;
  };
  Convolve(e, read);
}
void ReadsChannelsBackwards(Execution& e) {
  Reading read = Rightly(e);
  const int64_t last = e.Operand(0).shape()[3] - 1;
  read.input = [right = read.input, last](int64_t n, int64_t y, int64_t x, int64_t c) {
    return right(n, y, x, last - c);
  };
  Convolve(e, read);
}
void StepsByTheOutput(Execution& e) {
  Reading read = Rightly(e);
  const Tensor& input = e.Operand(0);
  const Shape &in = input.shape(), out = e.out().shape();
  const int64_t step = out[1] * out[2] * out[3], zp = e.Number(3);
  read.input = [&input, &in, step, zp](int64_t n, int64_t y, int64_t x, int64_t c) {
    const int64_t i = n * step + (y * in[2] + x) * in[3] + c;
    return (i < input.size() ? input.Integer(i) : 0) - zp;
  };
  Convolve(e, read);
}
void ForgetsTheZeroPointInTheTail(Execution& e) {
  Reading read = Rightly(e);
  const Tensor& input = e.Operand(0);
  const int64_t whole = input.shape()[3] / 4 * 4, zp = e.Number(3);
  read.input = [&input, whole, zp](int64_t n, int64_t y, int64_t x, int64_t c) {
    const int64_t value = input.Integer(At(input.shape(), n, y, x, c));
    return c < whole ? value - zp : value;
  };
  Convolve(e, read);
}
void StoresChannelsFirst(Execution& e) {
  const Tensor right = e.out();
  const Shape& s = right.shape();
  for (int64_t i = 0; i < right.size(); ++i) {
    const Shape p = Place(s, i);
    e.out().SetBits(((p[0] * s[3] + p[3]) * s[1] + p[1]) * s[2] + p[2], right.Bits(i));
  }
}

// DEPTHWISE_CONV2D with a weight of KH, KW, C, M that is read as M, KH, KW, C.
void ReadsWeightAsMhwc(Execution& e) {
  const Tensor &input = e.Operand(0), &weight = e.Operand(1), &bias = e.Operand(2);
  const Shape &in = input.shape(), &k = weight.shape(), out = e.out().shape();
  const List &stride = e.Attribute("stride"), &dilation = e.Attribute("dilation"),
             &pad = e.Attribute("pad");
  for (int64_t i = 0; i < e.out().size(); ++i) {
    const Shape p = Place(out, i);
    const int64_t c = p[3] / k[3], m = p[3] % k[3];
    int64_t sum = 0;
    for (int64_t ky = 0; ky < k[0]; ++ky) {
      for (int64_t kx = 0; kx < k[1]; ++kx) {
        const int64_t y = p[1] * stride[0] - pad[0] + ky * dilation[0];
        const int64_t x = p[2] * stride[1] - pad[2] + kx * dilation[1];
        if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
        const int64_t w = weight.Integer(((m * k[0] + ky) * k[1] + kx) * k[2] + c);
        sum += (input.Integer(At(in, p[0], y, x, c)) - e.Number(3)) * (w - e.Number(4));
      }
    }
    e.out().SetInteger(i, sum + bias.Integer(p[3] % bias.size()));
  }
}

// TRANSPOSE_CONV2D with a weight of OC, KH, KW, IC that is read as OC, IC, KH, KW.
void ReadsWeightAsOihw(Execution& e) {
  const Tensor &input = e.Operand(0), &weight = e.Operand(1), &bias = e.Operand(2);
  const Shape &in = input.shape(), &k = weight.shape(), out = e.out().shape();
  const List &stride = e.Attribute("stride"), &pad = e.Attribute("out_pad");
  for (int64_t i = 0; i < e.out().size(); ++i) {
    e.out().SetInteger(i, bias.Integer(i % out[3] % bias.size()));
  }
  for (int64_t i = 0; i < input.size(); ++i) {
    const Shape p = Place(in, i);
    for (int64_t oc = 0; oc < k[0]; ++oc) {
      for (int64_t tap = 0; tap < k[1] * k[2]; ++tap) {
        const int64_t y = p[1] * stride[0] + pad[0] + tap / k[2];
        const int64_t x = p[2] * stride[1] + pad[2] + tap % k[2];
        if (y < 0 || y >= out[1] || x < 0 || x >= out[2]) continue;
        const int64_t w = weight.Integer((oc * k[3] + p[3]) * k[1] * k[2] + tap) - e.Number(4);
        const int64_t to = At(out, p[0], y, x, oc);
        e.out().SetInteger(to, e.out().Integer(to) + (input.Integer(i) - e.Number(3)) * w);
      }
    }
  }
}

// MAX_POOL2D of integers, with the pads of ONNX.
void PoolsLikeOnnx(Execution& e) {
  const Tensor& input = e.Operand(0);
  const Shape &in = input.shape(), out = e.out().shape();
  const List &stride = e.Attribute("stride"), &pad = e.Attribute("pad"),
             &kernel = e.Attribute("kernel");
  for (int64_t i = 0; i < e.out().size(); ++i) {
    const Shape p = Place(out, i);
    int64_t most = input.dtype() == DType::kI8 ? -128 : -32768;
    for (int64_t tap = 0; tap < kernel[0] * kernel[1]; ++tap) {
      const int64_t y = p[1] * stride[0] - pad[0] + tap / kernel[1];
      const int64_t x = p[2] * stride[1] - pad[1] + tap % kernel[1];
      if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
      most = std::max(most, input.Integer(At(in, p[0], y, x, p[3])));
    }
    e.out().SetInteger(i, most);
  }
}

// The stride of A's batches is that of B's.
void StepsThroughAByB(Execution& e) {
  const Tensor &a = e.Operand(0), &b = e.Operand(1);
  const Shape &of_a = a.shape(), &of_b = b.shape(), out = e.out().shape();
  for (int64_t i = 0; i < e.out().size(); ++i) {
    const Shape p = Place(out, i);
    int64_t sum = 0;
    for (int64_t c = 0; c < of_a[2]; ++c) {
      const int64_t from = p[0] * of_b[1] * of_b[2] + p[1] * of_a[2] + c;
      const int64_t x = from < a.size() ? a.Integer(from) : 0;
      const int64_t y = b.Integer((p[0] * of_b[1] + c) * of_b[2] + p[2]);
      sum += (x - e.Number(2)) * (y - e.Number(3));
    }
    e.out().SetInteger(i, sum);
  }
}

// What is computed from the first batch of a single operand serves for all.
void RepeatsTheFirstBatch(Execution& e) {
  for (auto& [name, out] : e.outputs) {
    const int64_t batch = out.size() / out.shape()[0];
    for (int64_t i = batch; i < out.size(); ++i) out.SetBits(i, out.Bits(i % batch));
  }
}

void NegatesTheTailWithoutZeroPoint(Execution& e) {
  for (int64_t i = e.out().size() / 8 * 8; i < e.out().size(); ++i) {
    e.out().SetInteger(i, Saturate(-(e.Operand(0).Integer(i) - e.Number(1))));
  }
}

void LeavesTheTail(Execution& e) {
  if (e.Operand(0).shape() != e.out().shape()) return;
  for (int64_t i = e.out().size() / 8 * 8; i < e.out().size(); ++i) {
    e.out().SetBits(i, e.Operand(0).Bits(i));
  }
}
void LeavesTheSecondHalf(Execution& e) {
  for (int64_t i = (e.out().size() + 1) / 2; i < e.out().size(); ++i) {
    e.out().SetBits(i, e.Operand(0).Bits(i));
  }
}

// The lesser of the second operand and itself.
void TakesTheSecondForTheFirst(Execution& e) {
  if (e.Operand(0).shape() != e.Operand(1).shape()) return;
  e.out() = e.Operand(1);
}

void TransposesInPlace(Execution& e) {
  const List& perms = e.Attribute("perms");
  const Shape &in = e.Operand(0).shape(), out = e.out().shape();
  std::vector<uint64_t> memory;
  for (int64_t i = 0; i < e.out().size(); ++i) memory.push_back(e.Operand(0).Bits(i));
  for (int64_t i = 0; i < e.out().size(); ++i) {
    const Shape p = Place(out, i);
    Shape from(in.size());
    for (size_t k = 0; k < from.size(); ++k) from[static_cast<size_t>(perms[k])] = p[k];
    int64_t offset = 0;
    for (size_t k = 0; k < from.size(); ++k) offset = offset * in[k] + from[k];
    memory[static_cast<size_t>(i)] = memory[static_cast<size_t>(offset)];
    e.out().SetBits(i, memory[static_cast<size_t>(i)]);
  }
}

// fp32 to bf16 or fp16: the high bits of a NaN's fraction, which may be those of an infinity.
void CutsNan(Execution& e) {
  const DType type = e.out().dtype();
  const bool is_half = type == DType::kFp16;
  if (e.Operand(0).dtype() != DType::kFp32 || (!is_half && type != DType::kBf16)) return;
  for (int64_t i = 0; i < e.out().size(); ++i) {
    const uint64_t bits = e.Operand(0).Bits(i), sign = bits >> 31, fraction = bits & 0x7fffff;
    if ((bits & 0x7fffffff) <= 0x7f800000) continue;
    e.out().SetBits(
        i, is_half ? sign << 15 | 0x7c00 | fraction >> 13 : sign << 15 | 0x7f80 | fraction >> 16);
  }
}
void StoresInfinityForNan(Execution& e) {
  for (int64_t i = 0; i < e.out().size(); ++i) {
    if ((e.out().Bits(i) & 0x7fff) > 0x7f80) e.out().SetBits(i, 0x7f80);
  }
}

// The second of two CLAMPs: the greater of NaN and min_val is min_val, which max_val lets pass.
void PassesOverNan(Execution& e) {
  const double least = std::get<double>(e.op.attributes.at("min_val"));
  for (int64_t i = 0; i < e.out().size(); ++i) {
    if (std::isnan(e.out().Element(i))) e.out().SetElement(i, least);
  }
}

// A CLAMP behind others takes the lesser of x and min_val, then the greater of that and max_val.
void ClampsTheOtherWay(Execution& e) {
  const int64_t most = std::get<int64_t>(e.op.attributes.at("max_val"));
  for (int64_t i = 0; i < e.out().size(); ++i) e.out().SetInteger(i, most);
}

// The operator is computed in its operand's memory. A REVERSE that reads the operand reads that.
void WritesOverTheOperand(Execution& e) {
  const std::string& operand = e.op.inputs[0];
  const Tensor written = e.out();
  for (const GraphOperator& op : e.graph.operators) {
    if (op.op == "IDENTITY" && op.outputs[0] == operand) return;  // a copy of its own
    if (op.op != "REVERSE" || op.inputs[0] != operand) continue;
    Tensor& out = e.outputs.at(op.outputs[0]);
    const int64_t rows = out.shape()[0], row = out.size() / rows;
    for (int64_t i = 0; i < out.size(); ++i) {
      out.SetBits(i, written.Bits((rows - 1 - i / row) * row + i % row));
    }
  }
}

struct Kind {
  const char *name, *op, *fault;
  Wrong wrong;
  std::vector<std::string> types;
  const char* ids = "";     // of the recipe graphs
  const char* spoilt = "";  // the operator of the graph that is wrong; empty: `op`
  const char* recipe = "smoke";
  bool is_guess = true;  // where some cases pass: a guess, and not none
  // How many failing cases the fault does not give: a call with its mistake is not defined there.
  uint64_t undefined = 0;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

const std::vector<Kind>& Kinds() {
  static const auto& kinds = *new std::vector<Kind>{
      {"PadsLikeOnnx", "CONV2D", "conv2d.takes_starts_of_pad_first", PadsLikeOnnx, {"i8"}},
      {"PadsEvenly", "CONV2D", "conv2d.centers_pad", PadsEvenly, {"i8"}},
      {"PoolsLikeOnnx",
       "MAX_POOL2D",
       "max_pool2d.takes_starts_of_pad_first",
       PoolsLikeOnnx,
       {"i8", "i16"},
       "",
       "",
       "smoke",
       true,
       2 /* windows in the padding alone */},
      {"ReadsWeightAsHwoi", "CONV2D", "conv2d.reads_weight_as_hwoi", ReadsWeightAsHwoi, {"i8"}},
      {"ReadsWeightAsMhwc",
       "DEPTHWISE_CONV2D",
       "depthwise_conv2d.reads_weight_as_mhwc",
       ReadsWeightAsMhwc,
       {"i8"}},
      {"ReadsWeightAsOihw",
       "TRANSPOSE_CONV2D",
       "transpose_conv2d.reads_weight_as_oihw",
       ReadsWeightAsOihw,
       {"i8"}},
      {"ReadsChannelsBackwards",
       "CONV2D",
       "conv2d.reads_channels_backwards",
       ReadsChannelsBackwards,
       {"i8"}},
      {"StoresChannelsFirst", "CONV2D", "conv2d.stores_channels_first", StoresChannelsFirst, {}},
      {"StepsByTheOutput",
       "CONV2D",
       "conv2d.steps_through_batches_by_the_output",
       StepsByTheOutput,
       {"i8"}},
      {"StepsThroughAByB", "MATMUL", "matmul.steps_through_a_by_b", StepsThroughAByB, {"i8"}},
      {"PoolsTheFirstBatch",
       "AVG_POOL2D",
       "avg_pool2d.reads_the_first_batch_for_all",
       RepeatsTheFirstBatch,
       {}},
      {"ResizesTheFirstBatch",
       "RESIZE",
       "resize.reads_the_first_batch_for_all",
       RepeatsTheFirstBatch,
       {}},
      {"TransformsTheFirstBatch",
       "RFFT2D",
       "rfft2d.reads_the_first_batch_for_all",
       RepeatsTheFirstBatch,
       {}},
      {"ForgetsTheZeroPointInTheTail",
       "CONV2D",
       "conv2d.forgets_input_zp_beyond_vectors_of_4",
       ForgetsTheZeroPointInTheTail,
       {"i8"}},
      {"NegatesTheTailWithoutZeroPoint",
       "NEGATE",
       "negate.ignores_output_zp_in_the_tail",
       NegatesTheTailWithoutZeroPoint,
       {"i8"},
       "negate/*",
       "",
       "certify"},
      {"LeavesTheTail", "ADD", "add.hands_input1_through_in_the_tail", LeavesTheTail, {}},
      {"LeavesTheSecondHalf",
       "CLAMP",
       "clamp.hands_input_through_in_the_second_half",
       LeavesTheSecondHalf,
       {}},
      {"TakesTheSecondForTheFirst",
       "MINIMUM",
       "minimum.reads_input2_for_input1",
       TakesTheSecondForTheFirst,
       {"i32"}},
      {"TransposesInPlace", "TRANSPOSE", "transpose.transposes_in_place", TransposesInPlace, {}},
      {"CutsNan", "CAST", "cast.cuts_nan", CutsNan, {}, "cast/*fp32-*16-*", "", "certify"},
      {"StoresInfinityForNan",
       "ADD",
       "add.nan_is_infinity",
       StoresInfinityForNan,
       {"bf16"},
       "",
       "",
       "certify"},
      {"PassesOverNan",
       "CLAMP",
       "clamp.graph.passes_over_nan_behind_another",
       PassesOverNan,
       {},
       "graphs/clamp-clamp-*fp*",
       "",
       "graphs"},
      {"ClampsTheOtherWay",
       "CONV2D",
       "clamp.exchanged_bounds",
       ClampsTheOtherWay,
       {},
       "graphs/conv2d-rescale-clamp-i8*",
       "CLAMP",
       "graphs",
       false},
      {"WritesOverTheOperand",
       "NEGATE",
       "negate.graph.writes_over_its_operand",
       WritesOverTheOperand,
       {},
       "graphs/*negate-read-again-*",
       "",
       "graphs"},
  };
  return kinds;
}

class DiagnoseKinds : public ::testing::TestWithParam<Kind> {
 protected:
  // The results of an implementation that has the mistake in all cases, or in all but every
  // `spared`th of those that it would change.
  void Run(size_t spared) {
    const Kind& kind = GetParam();
    GenerateOptions generate{.recipe = *FindRecipe(kind.recipe), .out = suite()};
    generate.recipe.operators = {kind.op};
    generate.recipe.types = kind.types;
    if (*kind.ids != '\0') generate.recipe.ids = {kind.ids};
    const StatusOr<Suite> made = Generate(generate);
    ASSERT_TRUE(made.ok()) << made.status();
    testing_suite::WriteRun(results(), made->digest);
    for (const SuiteEntry& entry : made->cases) Execute(entry.id, spared);
    ASSERT_GT(changed_, 0U);
  }

  std::filesystem::path suite() const { return root_ / "suite"; }
  std::filesystem::path results() const { return root_ / "results"; }
  std::vector<OperatorDiagnosis> Diagnosed() const {
    const auto diagnoses = Diagnose({.suite = suite(), .results = results(), .jobs = 2});
    EXPECT_TRUE(diagnoses.ok()) << diagnoses.status();
    return diagnoses.ok() ? *diagnoses : std::vector<OperatorDiagnosis>();
  }

 private:
  void Execute(const std::string& id, size_t spared) {
    const Case c = *ReadCase(suite() / id);
    const Edition& edition = **FindEdition(c.edition);
    auto right = ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition,
                                       *edition.FindLevel(c.level));
    ASSERT_TRUE(right.ok()) << right.status();
    const bool valid = c.outcome == Outcome::kValid;
    testing_suite::WriteResult(results(), id, {{"status", valid ? "ok" : "error"}});
    if (!valid) return;
    std::vector<std::map<std::string, Tensor>> wrong;
    bool differs = false;
    for (size_t k = 0; k < right->size(); ++k) {
      wrong.push_back(Spoil(c, k, (*right)[k]));
      differs = differs || wrong[k] != (*right)[k].outputs;
    }
    changed_ += differs ? 1 : 0;
    const bool is_spared = differs && spared > 0 && changed_ % spared == 0;
    for (size_t k = 0; k < wrong.size(); ++k) {
      for (const auto& [name, tensor] : is_spared ? (*right)[k].outputs : wrong[k]) {
        const std::string file = ResultName(name, static_cast<int>(k)) + ".npy";
        ASSERT_TRUE(WriteNpy(results() / id / file, tensor).ok());
      }
    }
  }

  static std::map<std::string, Tensor> Spoil(const Case& c, size_t execution,
                                             const NativeResult& right) {
    const Kind& kind = GetParam();
    const std::string name = *kind.spoilt == '\0' ? kind.op : kind.spoilt;
    std::map<std::string, const Tensor*> tensors;
    for (const GraphTensor& tensor : c.graph.main().tensors) {
      if (tensor.values != nullptr) tensors[tensor.name] = tensor.values.get();
    }
    const auto& inputs = execution == 0 ? c.inputs : c.later_inputs[execution - 1];
    for (const auto& [input, tensor] : inputs) tensors[input] = &tensor;
    std::map<std::string, Tensor> outputs = right.outputs;
    for (const GraphOperator& op : c.graph.main().operators) {
      if (op.op != name || !outputs.contains(op.outputs[0])) continue;
      Execution e{.graph = c.graph.main(), .op = op, .tensors = tensors, .outputs = outputs};
      kind.wrong(e);
      outputs = std::move(e.outputs);
    }
    return outputs;
  }

  Directory root_;
  size_t changed_ = 0;
};

const Diagnosis* Named(const std::vector<OperatorDiagnosis>& diagnoses, const std::string& fault) {
  for (const OperatorDiagnosis& of : diagnoses) {
    for (const Diagnosis& one : of.faults) {
      if (one.fault->id == fault) return &one;
    }
  }
  return nullptr;
}

TEST_P(DiagnoseKinds, AreNamed) {
  Run(0);
  const std::vector<OperatorDiagnosis> diagnoses = Diagnosed();
  ASSERT_EQ(diagnoses.size(), 1U);
  const uint64_t expected = diagnoses[0].tried - GetParam().undefined;
  EXPECT_EQ(diagnoses[0].explained, expected) << FormatDiagnosis(diagnoses);
  const Diagnosis* const named = Named(diagnoses, GetParam().fault);
  ASSERT_NE(named, nullptr) << FormatDiagnosis(diagnoses);
  EXPECT_EQ(named->cases, expected) << FormatDiagnosis(diagnoses);
  EXPECT_EQ(named->contradicted, 0U) << FormatDiagnosis(diagnoses);
  // No other fault is named before it, but for those that explain as many cases.
  EXPECT_EQ(diagnoses[0].faults.front().cases, named->cases) << FormatDiagnosis(diagnoses);
}

// Every third case that should fail passes. A fault is not named if all passing cases contradict
// it.
TEST_P(DiagnoseKinds, AreGuessesWherePassingCasesContradict) {
  Run(3);
  const std::vector<OperatorDiagnosis> diagnoses = Diagnosed();
  ASSERT_EQ(diagnoses.size(), 1U);
  const Diagnosis* const named = Named(diagnoses, GetParam().fault);
  if (!GetParam().is_guess) {
    EXPECT_EQ(named, nullptr) << FormatDiagnosis(diagnoses);
    return;
  }
  ASSERT_NE(named, nullptr) << FormatDiagnosis(diagnoses);
  EXPECT_GT(named->contradicted, 0U) << FormatDiagnosis(diagnoses);
  EXPECT_TRUE(named->IsGuess());
  const std::string line = StrCat("a guess, which passing cases contradict: ", GetParam().fault);
  EXPECT_NE(FormatDiagnosis(diagnoses).find(line), std::string::npos) << FormatDiagnosis(diagnoses);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DiagnoseKinds, testing::ValuesIn(Kinds()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace cts
