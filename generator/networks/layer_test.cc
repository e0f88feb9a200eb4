#include "generator/networks/layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <tuple>

#include "generator/generate.h"
#include "generator/plan/plan.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;

NetworkLayer Published(const std::string& name) {
  for (const NetworkLayer& layer : *PublishedLayers()) {
    if (layer.name == name) return layer;
  }
  ADD_FAILURE() << "no layer " << name;
  return {};
}

// The message for a file with one layer, which is `layer` but for `change`.
std::string Refused(const std::string& change) {
  Json json = *ParseJson(R"({
    "networks": {"resnet50": {"title": "ResNet-50", "source": "a paper"}},
    "layers": [{"name": "stem", "operator": "CONV2D", "input": [1, 224, 224, 3],
                "output": [1, 112, 112, 64], "kernel": [7, 7], "stride": [2, 2],
                "pad": [3, 2, 3, 2], "dilation": [1, 1],
                "of": [{"network": "resnet50", "where": "table 1"}]}]})",
                         "own.json");
  json["layers"][0].merge_patch(*ParseJson(change, "change"));
  const auto layers = LayersFromJson(json, "own.json");
  return layers.ok() ? "no error" : Message(layers.status());
}

TEST(PublishedLayers, AreReadAndNameTheNetworksThatShareThem) {
  ASSERT_TRUE(PublishedLayers().ok()) << PublishedLayers().status();
  EXPECT_EQ(Published("resnet50_stem").networks,
            "ResNet-34, ResNet-50, SE-ResNet-50, DenseNet-121");
}

// Small sizes make one geometry of several layers; blocks stay.
TEST(PublishedLayers, KeepTheBlocksThatAreBuiltAroundThem) {
  std::set<std::string> blocks;
  for (const NetworkLayer& layer : DistinctLayers(*PublishedLayers(), LayerSize::kSmall)) {
    blocks.insert(layer.block);
  }
  EXPECT_THAT(blocks, testing::UnorderedElementsAre("", "attention", "bottleneck", "gru-step",
                                                    "lstm-step", "squeeze-and-excite"));
}

TEST(PublishedLayers, AreAskedForTheirBlockAloneWhereTheGeometryWasThereBefore) {
  NetworkLayer first = Published("resnet50_conv2_reduce"), second = first;
  first.block.clear();
  second.name = "again";
  const auto layers = DistinctLayers({first, second, second}, LayerSize::kSmall);
  ASSERT_EQ(layers.size(), 2);
  EXPECT_EQ(layers[0].op, "CONV2D");
  EXPECT_EQ(layers[1].block, "bottleneck");
  EXPECT_EQ(layers[1].op, "");
}

// Worked out by hand from the publications, beside the check of every layer when it is read.
TEST(PublishedLayers, HaveThePublishedOutputs) {
  const std::tuple<const char*, Shape, Shape> expected[] = {
      {"alexnet_conv1", {1, 227, 227, 3}, {1, 55, 55, 96}},
      {"resnet50_stem", {1, 224, 224, 3}, {1, 112, 112, 64}},
      {"inception_v3_conv1", {1, 299, 299, 3}, {1, 149, 149, 32}},
      {"inception_v3_7x1", {1, 17, 17, 128}, {1, 17, 17, 192}},
      {"mobilenet_v1_dw2", {1, 112, 112, 64}, {1, 56, 56, 64}},
      {"mobilenet_v3_dw5_down", {1, 56, 56, 72}, {1, 28, 28, 72}},
      {"unet_up1", {1, 28, 28, 1024}, {1, 56, 56, 512}},
      {"deeplab_v3_rate18", {1, 33, 33, 2048}, {1, 33, 33, 256}},
      {"ssd300_conv9_2", {1, 10, 10, 128}, {1, 5, 5, 256}},
      {"yolo_v3_upsample", {1, 13, 13, 256}, {1, 26, 26, 256}},
      {"fsrcnn_deconv", {1, 48, 64, 56}, {1, 144, 192, 1}},
      {"vit_b16_patches", {1, 224, 224, 3}, {1, 14, 14, 768}},
      {"whisper_base_conv2", {1, 1, 3000, 512}, {1, 1, 1500, 512}},
      {"vgg16_fc6", {1, 25088}, {1, 4096}}};
  for (const auto& [name, input, output] : expected) {
    EXPECT_EQ(Published(name).input, input) << name;
    EXPECT_EQ(Published(name).output, output) << name;
  }
}

TEST(PublishedLayers, CountProducts) {
  // 112 * 112 * 64 sums of 7 * 7 * 3 products.
  EXPECT_EQ(Published("resnet50_stem").Products(), int64_t{112} * 112 * 64 * 147);
  EXPECT_EQ(Published("mobilenet_v1_dw2").Products(), int64_t{56} * 56 * 64 * 9);
  EXPECT_EQ(Published("unet_up1").Products(), int64_t{28} * 28 * 1024 * 2 * 2 * 512);
  EXPECT_EQ(Published("bert_scores").Products(), int64_t{12} * 128 * 128 * 64);
  EXPECT_EQ(Published("resnet50_conv5_3x3").SumLength(), 512 * 9);
}

TEST(Resized, KeepsWhatMakesALayerWhatItIs) {
  for (const LayerSize size : {LayerSize::kSmall, LayerSize::kPublished}) {
    for (const NetworkLayer& layer : *PublishedLayers()) {
      SCOPED_TRACE(layer.name);
      const NetworkLayer resized = Resized(layer, size);
      EXPECT_EQ(resized.kernel, layer.kernel);
      EXPECT_EQ(resized.stride, layer.stride);
      EXPECT_EQ(resized.dilation, layer.dilation);
      EXPECT_EQ(resized.pad, layer.pad);
      EXPECT_EQ(resized.scale, layer.scale);
      ASSERT_EQ(resized.input.size(), layer.input.size());
      for (size_t i = 0; i < layer.input.size(); ++i) {
        EXPECT_LE(resized.input[i], layer.input[i]);
        EXPECT_EQ(resized.input[i] % 2, layer.input[i] % 2);
        EXPECT_EQ(resized.output[i] % 2, layer.output[i] % 2);
        EXPECT_EQ(resized.input[i] == 1, layer.input[i] == 1);
      }
      EXPECT_EQ(resized.input.back() % 16, layer.input.back() % 16);
      EXPECT_EQ(resized.output.back() % 16, layer.output.back() % 16);
      EXPECT_EQ(resized.input.back() < resized.output.back(),
                layer.input.back() < layer.output.back());
      EXPECT_EQ(resized.input.back() == resized.output.back(),
                layer.input.back() == layer.output.back());
      EXPECT_LE(resized.Products(), size == LayerSize::kSmall ? 3'000'000 : 200'000'000);
    }
  }
}

TEST(Resized, LeavesALayerThatIsSmallEnough) {
  const NetworkLayer layer = Published("mobilenet_v1_dw7");
  EXPECT_EQ(Resized(layer, LayerSize::kPublished).input, layer.input);
}

TEST(Resized, ShortensSums) {
  const NetworkLayer layer = Published("resnet50_conv5_3x3");
  EXPECT_LE(Resized(layer, LayerSize::kPublished, {.products_of_a_sum = 300}).SumLength(), 300);
  for (const NetworkLayer& each :
       DistinctLayers(*PublishedLayers(), LayerSize::kSmall, {.products_of_a_sum = 400})) {
    EXPECT_LE(each.SumLength(), 400) << each.name;
  }
}

TEST(Resized, KeepsFewSums) {
  const LayerLimits limits{.sums = 4096};
  EXPECT_GT(ElementCount(Published("bert_scores").output), limits.sums);
  std::vector<std::string> larger;
  for (const NetworkLayer& layer : *PublishedLayers()) {
    const NetworkLayer resized = Resized(layer, LayerSize::kPublished, limits);
    if (layer.SumLength() == 1) {  // RESIZE and MAX_POOL2D do not add
      EXPECT_EQ(resized.output, Resized(layer, LayerSize::kPublished).output) << layer.name;
    } else if (ElementCount(resized.output) > limits.sums) {
      larger.push_back(layer.name);
    }
  }
  // Its kernel spans 37 positions.
  EXPECT_EQ(larger, std::vector<std::string>{"deeplab_v3_rate18"});
}

TEST(DistinctLayers, MakeOneOfThoseThatAreTheSameWhenSmall) {
  const std::vector<NetworkLayer> all = *PublishedLayers();
  const std::vector<NetworkLayer> small = DistinctLayers(all, LayerSize::kSmall);
  EXPECT_LT(small.size(), all.size());
  const auto has = [&](std::string_view name) {
    return std::any_of(small.begin(), small.end(),
                       [&](const NetworkLayer& layer) { return layer.name == name; });
  };
  EXPECT_TRUE(has("vgg16_conv1_2"));
  EXPECT_FALSE(has("vgg16_conv5"));  // the same 3x3 of equal channels
}

TEST(LayersFromJson, RefusesBadInputWithPlaceFoundAndExpected) {
  EXPECT_EQ(Refused("{}"), "no error");
  EXPECT_THAT(Refused(R"({"operator": "SOFTMAX"})"),
              AllOf(HasSubstr("own.json"), HasSubstr("/layers/0/operator"), HasSubstr("SOFTMAX")));
  EXPECT_EQ(Refused(R"({"stride": null})"),
            "own.json: /layers/0: found no \"stride\"; expected the one of CONV2D");
  EXPECT_EQ(Refused(R"({"scale": [2, 1, 2, 1]})"),
            "own.json: /layers/0/scale: found [2,1,2,1], expected none: CONV2D has no such "
            "parameter");
  EXPECT_EQ(Refused(R"({"input": [224, 3]})"),
            "own.json: /layers/0/input: found 2 dimensions, but CONV2D has 4");
  EXPECT_EQ(Refused(R"({"output": [1, 112, 111, 64]})"),
            "own.json: /layers/0/output: found 1x112x111x64, but CONV2D makes 1x112x112x64 of the "
            "input and the parameters");
  EXPECT_EQ(Refused(R"({"pad": [3, 3, 3, 3]})"),
            "own.json: /layers/0/input: found 1x224x224x3, of which the last window of CONV2D "
            "leaves a rest; expected sizes and pads with which it ends exactly where input and "
            "padding end");
  EXPECT_EQ(Refused(R"({"of": [{"network": "resnet", "where": "table 1"}]})"),
            "own.json: /layers/0/of/0/network: found resnet, expected one of /networks");
}

Recipe OfNetworks(const std::string& edition, LayerSize size) {
  Recipe recipe;
  recipe.name = "own";
  recipe.edition = edition;
  recipe.level = "8K";
  recipe.valid_cases = recipe.error_cases = false;
  recipe.networks = size;
  return recipe;
}

std::vector<std::string> IdsOf(const Recipe& recipe) {
  const auto cases = PlanCases(recipe);
  EXPECT_TRUE(cases.ok()) << cases.status();
  std::vector<std::string> ids;
  if (cases.ok()) {
    for (const PlannedCase& each : *cases) ids.push_back(each.id);
  }
  return ids;
}

TEST(Networks, AskEachLayerByItselfAndAsAQuantizedChain) {
  const std::vector<std::string> ids = IdsOf(OfNetworks("tosa-1.0", LayerSize::kPublished));
  for (const char* const id : {"conv2d/network-resnet50_stem-i8-i8-i32",
                               "conv2d/network-resnet50_stem-bf16-bf16-bf16-accfp32",
                               "conv2d/network-resnet50_stem-fp32-fp32-fp32",
                               "graphs/network-resnet50_stem-conv2d-rescale-clamp-i8-i8-i32",
                               "resize/network-yolo_v3_upsample-i8-i8"}) {
    EXPECT_THAT(ids, testing::Contains(id));
  }
}

TEST(Networks, HaveDenseLayersAsTheEditionHasThem) {
  EXPECT_THAT(IdsOf(OfNetworks("tosa-1.0", LayerSize::kSmall)),
              testing::Contains("conv2d/network-vgg16_fc6-i8-i8-i32"));
  EXPECT_THAT(IdsOf(OfNetworks("tosa-0.100", LayerSize::kSmall)),
              testing::Contains("fully_connected/network-vgg16_fc6-i8-i8-i32"));
}

TEST(Networks, AreMadeAndHaveTeeth) {
  Recipe recipe = OfNetworks("tosa-1.0", LayerSize::kSmall);
  recipe.types = {"i8"};
  std::atomic<size_t> made = 0;
  const Status status = ForEachCase({.recipe = recipe}, [&](size_t, const Case& c) {
    ++made;
    return c.parameters.contains("networks")
               ? absl::OkStatus()
               : absl::InternalError("does not say which networks have it");
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(made, 50);
}

}  // namespace
}  // namespace cts
