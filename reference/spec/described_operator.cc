#include "reference/spec/described_operator.h"

#include <optional>

#include "reference/base/json.h"

namespace cts {

DescribedValue DescribedValueFromJson(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_array()) return json.get<std::vector<int64_t>>();
  return json.get<std::string>();
}

StatusOr<Definition> DefinitionFromJson(const Json& json) {
  Definition definition;
  definition.edition = json.at("edition");
  for (const Json& constant : json.value("constants", Json::array())) {
    const std::string place = StrCat("/constants/", definition.constants.size());
    const std::string type = constant.at("dtype");
    const std::optional<DType> dtype = ParseDType(type);
    if (!dtype) {
      std::string known;
      for (const DTypeInfo& info : kDTypes) known += StrCat(known.empty() ? "" : ", ", info.name);
      return InvalidArgument(place, "/dtype: found type ", type, ", expected one of: ", known);
    }
    DefinitionConstant& read = definition.constants.emplace_back();
    read = {constant.at("name"), *dtype, constant.at("shape").get<std::vector<int64_t>>(),
            constant.at("values").get<std::vector<double>>()};
    int64_t count = 1;
    for (const int64_t size : read.shape) count *= size;
    if (count != static_cast<int64_t>(read.values.size())) {
      return InvalidArgument(place, "/values: found ", read.values.size(), " values, expected ",
                             count, ", as many as the shape has elements");
    }
  }
  for (const Json& step : json.at("steps")) {
    DefinitionStep& read = definition.steps.emplace_back();
    read.op = step.at("operator");
    read.inputs = step.at("inputs").get<std::vector<std::string>>();
    read.output = step.at("output");
    read.type = step.at("type");
    const Json attributes = step.value("attributes", Json::object());
    for (const auto& [name, value] : attributes.items()) {
      read.attributes[name] = DescribedValueFromJson(value);
    }
  }
  return definition;
}

DescribedParameters DescribedParametersFromJson(const Json& json) {
  DescribedParameters domain;
  for (const Json& axis : json.at("axes")) {
    domain.axes.push_back(
        {axis.at("name"), axis.at("prefix"), axis.at("values").get<std::vector<std::string>>()});
  }
  domain.data_sets = json.at("data").get<std::vector<std::string>>();
  return domain;
}

}  // namespace cts
