// That the layers beside the combinations (PoolLayerGeometries) have together what a fault may need
// at once. The predicates came from outside: each is one that no case met before these were there.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// A layer that is a convolution or a pool with two spatial axes.
struct Layer {
  int64_t n = 0, ih = 0, iw = 0, ic = 0, oh = 0, ow = 0, oc = 0, kh = 0, kw = 0, biases = 0;
  std::vector<int64_t> stride, dilation, pad;

  bool Kernel(int64_t size) const { return kh == size && kw == size; }
  bool Stride(int64_t size) const { return stride[0] == size && stride[1] == size; }
  bool Dilation(int64_t size) const { return dilation[0] == size && dilation[1] == size; }
  bool Oblong() const { return ih != iw && oh != ow; }
  bool Pads(const std::vector<int64_t>& wanted) const { return pad == wanted; }
};

struct Need {
  const char* what;
  bool (*met)(const Layer&);
};

// Full vectors of 8 channels, and a rest.
bool HasRest(int64_t channels) { return channels > 8 && channels % 8 != 0; }

using NeedsOf = std::map<std::string, std::vector<Need>>;

const NeedsOf& Needs() {
  static const auto& needs = *new NeedsOf{
      {"CONV2D",
       {{"stride 2 of several images, oblong",
         [](const Layer& l) { return l.Stride(2) && l.n > 1 && l.Oblong(); }},
        {"3x3 by tiles, of several images",
         [](const Layer& l) {
           return l.Kernel(3) && l.Stride(1) && l.Dilation(1) && l.n > 1 && HasRest(l.ic) &&
                  HasRest(l.oc) && l.oh > 8 && l.ow > 8;
         }},
        {"3x3 of dilation 2",
         [](const Layer& l) { return l.Kernel(3) && l.Dilation(2) && l.n > 1 && HasRest(l.ic); }},
        {"stride and dilation 2",
         [](const Layer& l) { return l.Stride(2) && l.Dilation(2) && l.kh > 1; }},
        {"one bias, stride 2",
         [](const Layer& l) { return l.biases == 1 && l.oc > 1 && l.Stride(2); }},
        {"padding of even sizes",
         [](const Layer& l) {
           return l.Kernel(3) && l.Stride(2) && l.Pads({0, 1, 0, 1});
         }},
        {"one output channel of many",
         [](const Layer& l) { return l.oc == 1 && l.kh > 1 && l.ic > 8 && l.n > 1; }},
        {"1x1 of stride 2", [](const Layer& l) { return l.Kernel(1) && l.Stride(2) && l.n > 1; }},
        {"5x5 of stride 2", [](const Layer& l) { return l.Kernel(5) && l.Stride(2) && l.n > 1; }},
        {"7x7 of stride 2", [](const Layer& l) { return l.Kernel(7) && l.Stride(2) && l.n > 1; }},
        {"wide", [](const Layer& l) { return l.ow > 32 && l.n > 1 && l.oh * l.ow > 100; }},
        {"patches", [](const Layer& l) { return l.Kernel(4) && l.Stride(4) && l.n > 1; }},
        {"causal",
         [](const Layer& l) {
           return l.kh == 1 && l.Pads({0, 0, 4, 0}) && l.ic > 8;
         }},
        {"the whole input",
         [](const Layer& l) { return l.kh == l.ih && l.kw == l.iw && l.n > 1 && l.ic > 8; }}}},
      {"DEPTHWISE_CONV2D",
       {{"stride 2 of several images, oblong",
         [](const Layer& l) { return l.Stride(2) && l.n > 1 && l.Oblong() && HasRest(l.ic); }},
        {"3x3 by tiles",
         [](const Layer& l) {
           return l.Kernel(3) && l.Stride(1) && l.Dilation(1) && l.n > 1 && HasRest(l.ic) &&
                  l.oc == l.ic && l.oh > 8 && l.ow > 8;
         }},
        {"two of each channel, stride 2",
         [](const Layer& l) { return l.oc == 2 * l.ic && l.Stride(2); }},
        {"3x3 of dilation 2",
         [](const Layer& l) { return l.Kernel(3) && l.Dilation(2) && HasRest(l.ic); }},
        {"padding of even sizes",
         [](const Layer& l) {
           return l.Stride(2) && l.Pads({0, 1, 0, 1}) && HasRest(l.ic);
         }},
        {"wide", [](const Layer& l) { return l.ow > 32 && l.n > 1; }}}},
      {"TRANSPOSE_CONV2D",
       {{"4x4 of stride 2, of several images",
         [](const Layer& l) { return l.Kernel(4) && l.Stride(2) && l.n > 1 && HasRest(l.oc); }},
        {"cropped at one end",
         [](const Layer& l) {
           return l.Kernel(3) && l.Stride(2) && l.Pads({0, -1, 0, -1});
         }},
        {"5x5 of stride 2, oblong",
         [](const Layer& l) { return l.Kernel(5) && l.Stride(2) && l.Oblong(); }},
        {"one output channel", [](const Layer& l) { return l.oc == 1 && l.Stride(2) && l.kh > 2; }},
        {"many results", [](const Layer& l) { return l.Stride(2) && l.oh * l.ow > 100; }},
        {"one bias, stride 2",
         [](const Layer& l) { return l.biases == 1 && l.oc > 1 && l.Stride(2); }}}}};
  return needs;
}

const std::vector<Need>& NeedsOfPools() {
  static const auto& needs = *new std::vector<Need>{
      {"2x2 of stride 2, of several images",
       [](const Layer& l) { return l.Kernel(2) && l.Stride(2) && l.n > 1 && HasRest(l.ic); }},
      {"3x3 of stride 2, padding of even sizes",
       [](const Layer& l) {
         return l.Kernel(3) && l.Stride(2) && l.Pads({0, 1, 0, 1});
       }},
      {"5x5, padded",
       [](const Layer& l) {
         return l.Kernel(5) && l.Pads({2, 2, 2, 2});
       }},
      {"wide, of vectors and a rest",
       [](const Layer& l) { return l.ow > 8 && l.kh > 1 && HasRest(l.ic) && l.n > 1; }}};
  return needs;
}

std::vector<int64_t> Numbers(const GraphOperator& op, const char* name) {
  const auto found = op.attributes.find(name);
  if (found == op.attributes.end()) return {1, 1};
  return std::get<std::vector<int64_t>>(found->second);
}

Layer LayerOf(const Case& c) {
  const Block& block = c.graph.main();
  Layer layer;
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    const Shape& in = block.Find(op.inputs[0])->shape;
    const Shape& out = block.Find(op.outputs[0])->shape;
    layer.n = in[0], layer.ih = in[1], layer.iw = in[2], layer.ic = in[3];
    layer.oh = out[1], layer.ow = out[2], layer.oc = out[3];
    layer.stride = Numbers(op, "stride"), layer.dilation = Numbers(op, "dilation");
    const bool pool = op.attributes.contains("kernel");
    layer.pad = Numbers(op, op.op == "TRANSPOSE_CONV2D" ? "out_pad" : "pad");
    if (pool) {
      layer.kh = Numbers(op, "kernel")[0], layer.kw = Numbers(op, "kernel")[1];
      continue;
    }
    const Shape& weight = block.Find(op.inputs[1])->shape;
    const size_t y = op.op == "DEPTHWISE_CONV2D" ? 0 : 1;
    layer.kh = weight[y], layer.kw = weight[y + 1];
    layer.biases = block.Find(op.inputs[2])->shape[0];
  }
  return layer;
}

class LayersTest : public testing::TestWithParam<const char*> {};

// Every type row: its kernel is another.
TEST_P(LayersTest, HaveWhatAFaultMayNeedAtOnce) {
  Recipe recipe = *FindRecipe("certify");
  recipe.operators = {GetParam()};
  recipe.ids = {"*/relation-layer*"};
  std::mutex mutex;
  std::map<std::string, std::vector<Layer>> rows;
  const Status made = ForEachCase({.recipe = recipe}, [&](size_t, const Case& c) {
    const std::lock_guard lock(mutex);
    const size_t name = c.id.find("relation-layer");
    rows[c.id.substr(c.id.find('-', name + 9) + 1)].push_back(LayerOf(c));
    return absl::OkStatus();
  });
  ASSERT_TRUE(made.ok()) << made;
  const Edition& edition = **FindEdition(recipe.edition);
  EXPECT_EQ(rows.size(), edition.FindOperator(GetParam())->type_rows.size());
  const auto own = Needs().find(GetParam());
  for (const auto& [row, layers] : rows) {
    for (const Need& need : own == Needs().end() ? NeedsOfPools() : own->second) {
      EXPECT_TRUE(std::any_of(layers.begin(), layers.end(), need.met)) << row << ": " << need.what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, LayersTest,
                         testing::Values("CONV2D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D",
                                         "AVG_POOL2D", "MAX_POOL2D"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace cts
