#include "generator/ops/convolution.h"

namespace cts {

std::string AccumulatorName(DType acc_t) {
  switch (acc_t) {
    case DType::kI32:
      return "INT32";
    case DType::kI48:
      return "INT48";
    case DType::kFp16:
      return "FP16";
    default:
      return "FP32";
  }
}

std::vector<std::string> DotProductDataSets(DType in_t) {
  if (IsFloat(in_t)) return {"S0", "S1", "S2", "S3", "S4", "S5"};
  return {"full-range", "special"};
}

void AddZeroPointAxis(DType in_t, std::vector<Axis>& axes) {
  if (in_t == DType::kI8) axes.push_back({"zero_point", "z", {"0", "lo", "hi"}});
}

int64_t ZeroPoint(const Choice& choice, DType type, bool first) {
  if (type != DType::kI8 || choice["zero_point"].empty() || choice["zero_point"] == "0") return 0;
  return (choice["zero_point"] == "lo") == first ? -128 : 127;
}

std::vector<int64_t>& List(Draft& draft, std::string_view name) {
  return std::get<std::vector<int64_t>>(
      std::get<AttributeValue>(draft.arguments.find(name)->second));
}

void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes) {
  axes.push_back({"bias", "b", {"oc", "1"}});
  axes.push_back({"weight", "w", {"run", "const"}});
  if (setting.Takes("local_bound")) axes.push_back({"local_bound", "lb", {"no", "yes"}});
  AddZeroPointAxis(setting.Type("in_t"), axes);
  axes.push_back({"data", "", DotProductDataSets(setting.Type("in_t"))});
}

void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, Draft& draft) {
  const DType in_t = choice.Type("in_t"), weight_t = choice.Type("weight_t");
  const DType out_t = choice.Type("out_t");
  const DType acc_t = choice.setting.row->Type("acc_t").value_or(out_t);
  const bool constant = choice["weight"] == "const";
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->id, s, shapes.kernel_size, in_t, out_t, acc_t);
    draft.Input("input", make_input(set, in_t, shapes.input, shapes.weight));
    draft.Input("weight", make_weight(set, weight_t, shapes.weight), constant);
    draft.Input("bias", Conv2dBias(set, out_t, shapes.bias), constant);
  } else {
    draft.Input("input", Filled(choice, "input", in_t, shapes.input));
    draft.Input("weight", Filled(choice, "weight", weight_t, shapes.weight), constant);
    // Half of the range leaves the sum of products the other half.
    const int64_t half = IntegerMax(out_t) / 2;
    draft.Input("bias", IntegersBetween(choice.Stream("bias"), out_t, shapes.bias, -half, half),
                constant);
  }
  draft.Set("input_zp", ZeroPoint(choice, in_t, true));
  draft.Set("weight_zp", ZeroPoint(choice, weight_t, false));
  if (choice.setting.Takes("acc_type")) draft.Set("acc_type", AccumulatorName(acc_t));
  if (choice["local_bound"] == "yes") draft.Set("local_bound", true);
  draft.output_type = out_t;
}

}  // namespace cts
