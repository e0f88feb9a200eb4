#include "reference/spec/precision_table.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "cts_precision_tables.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// All of these read JSON that fits schemas/precision.schema.json.

using Strings = std::vector<std::string>;

template <class T>
struct Named {
  std::string_view name;
  T value;
};

template <class T, size_t n>
T Read(const Named<T> (&names)[n], const std::string& name) {
  for (const Named<T>& each : names) {
    if (each.name == name) return each.value;
  }
  return names[0].value;
}

constexpr Named<Magnitude> kMagnitudes[] = {{"one", Magnitude::kOne},
                                            {"reference", Magnitude::kReference},
                                            {"raised_reference", Magnitude::kRaisedReference},
                                            {"binade", Magnitude::kBinade}};

constexpr Named<IntervalEnds> kEnds[] = {
    {"toward_zero_or_nearest", IntervalEnds::kTowardZeroOrNearest},
    {"nearest_saturated", IntervalEnds::kNearestSaturated},
    {"inexact_rescale", IntervalEnds::kInexactRescale}};

constexpr Named<DotProductLength> kLengths[] = {
    {"kernel", DotProductLength::kKernel},
    {"weights_of_an_output", DotProductLength::kWeightsOfAnOutput},
    {"weights_of_a_channel", DotProductLength::kWeightsOfAChannel},
    {"columns_of_A", DotProductLength::kColumnsOfA},
    {"reduced_axis", DotProductLength::kReducedAxis},
    {"real_transform", DotProductLength::kRealTransform},
    {"complex_transform", DotProductLength::kComplexTransform}};

Precision ReadExact(const Json&) { return ExactPrecision(); }

Precision ReadUlp(const Json& row) { return UlpPrecision{.scale = row["scale"]}; }

ElementwisePrecision ReadBound(const Json& row) {
  ElementwisePrecision bound{.magnitude = Read(kMagnitudes, row["magnitude"]),
                             .half_of_the_fraction = row.value("unit", "") == "2^-(frac/2)",
                             .scale = row["scale"],
                             .slope = row.value("slope", 0.0),
                             .least = row.value("least", 0.0),
                             .least_normal_min = row.value("least_normal_min", 0.0),
                             .table = row.value("table", false)};
  if (const Json constant = row.value("constant", Json(1.0)); constant.is_object()) {
    for (const auto& [type, value] : constant.items()) bound.constants[*ParseDType(type)] = value;
  } else {
    bound.constant = constant;
  }
  return bound;
}

Precision ReadElementwise(const Json& row) { return ReadBound(row); }

Precision ReadRelativeAndAbsolute(const Json& row) {
  return RelativeAndAbsolutePrecision{.relative = row["relative"], .absolute = row["absolute"]};
}

Precision ReadPower(const Json& row) {
  PowerPrecision power{.bound = ReadBound(row)};
  if (row.contains("logarithm")) {
    power.logarithm_scale = row["logarithm"]["scale"];
    power.logarithm_least = row["logarithm"]["least"];
  }
  return power;
}

Precision ReadLargestInput(const Json& row) {
  return LargestInputPrecision{.relative = row["relative"], .scale = row.value("scale", 0.0)};
}

Precision ReadProduct(const Json& row) {
  return ProductPrecision{.magnitude = Read(kMagnitudes, row["magnitude"])};
}

Precision ReadInterval(const Json& row) {
  return IntervalPrecision{.ends = Read(kEnds, row["ends"])};
}

Precision ReadDotProduct(const Json& row) {
  return DotProductPrecision{.length = Read(kLengths, row["length"]),
                             .bound_is_local = row.value("bound_is_local", true),
                             .whole_inputs = row.value("whole_inputs", Strings{}),
                             .counted = row.value("counted", "")};
}

// The columns of a class besides those that every row may have. One with a '!' is required.
struct ClassColumns {
  std::string_view name;
  Precision (*read)(const Json& row);
  std::vector<std::string_view> columns;
};

const std::vector<ClassColumns>& Classes() {
  static const auto& classes = *new std::vector<ClassColumns>{
      {"exact", ReadExact, {"text!", "zero_sign", "zero_choice"}},
      {"ulp", ReadUlp, {"text!", "scale!"}},
      {"elementwise",
       ReadElementwise,
       {"text!", "magnitude!", "scale!", "unit", "constant", "slope", "least", "least_normal_min",
        "table", "zero_sign"}},
      {"relative_and_absolute", ReadRelativeAndAbsolute, {"text!", "relative!", "absolute!"}},
      {"power",
       ReadPower,
       {"text!", "magnitude!", "scale!", "constant", "slope", "logarithm", "table"}},
      {"largest_input", ReadLargestInput, {"text!", "relative!", "scale"}},
      {"product", ReadProduct, {"text!", "magnitude!"}},
      {"interval", ReadInterval, {"text!", "ends!", "zero_sign"}},
      {"dot_product", ReadDotProduct, {"length!", "whole_inputs", "bound_is_local", "counted"}},
  };
  return classes;
}

// What a row says of results. Its columns must be those of its class.
StatusOr<Precision> ReadPrecision(const Json& json) {
  const std::string name = json.at("class");
  const auto found = std::find_if(Classes().begin(), Classes().end(),
                                  [&](const ClassColumns& c) { return c.name == name; });
  std::set<std::string, std::less<>> known = {"operator", "results",  "types",  "attributes",
                                              "class",    "document", "section"};
  for (std::string_view column : found->columns) {
    const bool required = column.ends_with('!');
    if (required) column.remove_suffix(1);
    known.emplace(column);
    if (required && !json.contains(column)) {
      return InvalidArgument("class ", name, ": expected the column ", column);
    }
  }
  for (const auto& [column, value] : json.items()) {
    if (!known.contains(column)) {
      return InvalidArgument("class ", name, ": found the column ", column, ", expected none");
    }
  }
  return found->read(json);
}

TypeCondition ReadTypeCondition(const Json& json) {
  TypeCondition condition;
  if (json.is_string()) {
    condition.floating_point = json == "floating-point";
    condition.integer = !condition.floating_point;
    return condition;
  }
  for (const Json& name : json) {
    condition.types.push_back(*ParseDType(name.get_ref<const std::string&>()));
  }
  return condition;
}

void ReadConditions(const Json& json, PrecisionRow& row) {
  const std::string results = json.value("results", "floating-point");
  row.to_floats = results != "integer";
  row.to_integers = results != "floating-point";
  const Json types = json.value("types", Json::object());
  for (const auto& [variable, condition] : types.items()) {
    row.types.emplace(variable, ReadTypeCondition(condition));
  }
  row.attributes = json.value("attributes", std::map<std::string, std::string>());
}

DotProductNumbers ReadDotProducts(const Json& json) {
  const Json& sum = json.at("error_sum");
  return {.clause = StrCat(json.at("document").get<std::string>(), ", ",
                           json.at("section").get<std::string>()),
          .half_of_the_bits = json.at("accumulator_bits") == "half",
          .bias_always_counts = json.at("bias") == "always",
          .raise_to_normal_min = json.at("raise_to_normal_min"),
          .absolute = json.at("absolute"),
          .variance = json.at("variance"),
          .variance_of_any_data = json.at("variance_of_any_data"),
          .error_sum_scale = sum.at("scale"),
          .error_sum_radicand = sum.at("radicand"),
          .error_sum_of_variance = sum.at("of") == "variance"};
}

// Whether the edition has the attribute of the operator, with that value.
Status CheckAttribute(const OperatorSpec& spec, const std::string& attribute,
                      const std::string& value, const Edition& edition) {
  const ArgumentSpec* const argument = spec.Seen().FindArgument(attribute);
  if (argument == nullptr) {
    return InvalidArgument("attributes: found ", attribute, ", expected an argument of ",
                           spec.name);
  }
  const EnumSpec* const enumeration = edition.FindEnum(argument->type);
  if (enumeration == nullptr) {
    return InvalidArgument("attributes: found ", attribute,
                           ", expected an attribute whose values have names");
  }
  std::string names;
  for (const EnumValue& known : enumeration->values) {
    if (known.name == value) return absl::OkStatus();
    names += StrCat(names.empty() ? "" : ", ", known.name);
  }
  return InvalidArgument("attributes: found ", attribute, " ", value, ", expected one of ", names);
}

// Whether the choice of a row is one of the edition's.
Status CheckChoice(const PrecisionRow& row, const Edition& edition) {
  if (row.zero_choice.empty()) return absl::OkStatus();
  if (!row.zero_sign) {
    return InvalidArgument("zero_choice: found ", row.zero_choice,
                           " without zero_sign, expected both: it is about the sign of a zero");
  }
  if (edition.FindChoice(row.zero_choice) != nullptr) return absl::OkStatus();
  std::string names;
  for (const NamedChoice& choice : edition.choices) {
    names += StrCat(names.empty() ? "" : ", ", choice.id);
  }
  return InvalidArgument("zero_choice: found ", row.zero_choice,
                         ", expected one of the choices of ", edition.id, ": ",
                         names.empty() ? "it has none" : names);
}

// The bound for each element that is made of numbers; null if the row's class has none.
const ElementwisePrecision* BoundOf(const PrecisionRow& row) {
  const auto* const power = row.As<PowerPrecision>();
  return power != nullptr ? &power->bound : row.As<ElementwisePrecision>();
}

// Checks that the operator, types, attributes and choice of a row are in the edition.
Status CheckNames(const PrecisionRow& row, const Edition& edition) {
  const OperatorSpec* const spec = edition.FindOperator(row.op);
  if (spec == nullptr) {
    return InvalidArgument("operator: found ", row.op, ", expected an operator of ", edition.id);
  }
  for (const auto& [variable, condition] : row.types) {
    const std::string& name = variable;
    if (!std::any_of(spec->type_rows.begin(), spec->type_rows.end(),
                     [&](const TypeRow& types) { return types.types.contains(name); })) {
      return InvalidArgument("types: found ", name, ", expected a type variable of ", row.op);
    }
  }
  for (const auto& [attribute, value] : row.attributes) {
    CTS_RETURN_IF_ERROR(CheckAttribute(*spec, attribute, value, edition));
  }
  CTS_RETURN_IF_ERROR(CheckChoice(row, edition));
  const ElementwisePrecision* const bound = BoundOf(row);
  if (bound == nullptr || bound->magnitude != Magnitude::kRaisedReference) return absl::OkStatus();
  // The helper of the edition has one unit.
  if (bound->half_of_the_fraction) {
    return InvalidArgument("unit: expected 2^-frac with the magnitude raised_reference");
  }
  // The helper of the edition raises the reference itself, and has no other least bound than
  // `least`.
  if (bound->least_normal_min > 0) {
    return InvalidArgument("least_normal_min: found ", bound->least_normal_min,
                           " with the magnitude raised_reference, expected none: the reference is ",
                           "raised to normal_min already; take the column out, or choose another ",
                           "magnitude");
  }
  return absl::OkStatus();
}

}  // namespace

bool TypeCondition::Holds(DType dtype) const {
  if (floating_point || integer) return IsFloat(dtype) == floating_point;
  return Contains(types, dtype);
}

double ElementwisePrecision::Constant(DType dtype) const {
  const auto found = constants.find(dtype);
  return found == constants.end() ? constant : found->second;
}

StatusOr<PrecisionTable> PrecisionTable::FromJson(const Json& json, const Edition& edition,
                                                  const std::string& origin) {
  const std::string embedded = StrCat("precision/", edition.id, ".json");
  const std::string& file = origin.empty() ? embedded : origin;
  CTS_RETURN_IF_ERROR(ValidateJson(json, "precision", file));
  PrecisionTable table;
  table.edition_ = edition.id;
  table.file_ = origin.empty() ? "schemas/editions/" + embedded : origin;
  table.form_ = json.at("form");
  if (json.at("edition") != edition.id) {
    return InvalidArgument(file, ": /edition: found ", json.at("edition").get<std::string>(),
                           ", expected ", edition.id);
  }
  const Json& documents = json.at("documents");
  const auto document_of = [&](const Json& stated) { return stated.value("document", edition.id); };
  const auto check_document = [&](const Json& stated, const std::string& place) -> Status {
    const std::string document = document_of(stated);
    if (documents.contains(document)) return absl::OkStatus();
    return InvalidArgument(file, ": ", place, ": the document ", document,
                           " is cited: expected it among /documents");
  };
  if (json.contains("dot_products")) {
    CTS_RETURN_IF_ERROR(check_document(json["dot_products"], "/dot_products"));
    table.dot_products_ = ReadDotProducts(json["dot_products"]);
  }
  if (json.contains("integers")) {
    const Json& integers = json["integers"];
    CTS_RETURN_IF_ERROR(check_document(integers, "/integers"));
    for (const OperatorSpec& spec : edition.operators) {
      PrecisionRow& row = table.integers_[spec.name];
      row.op = spec.name;
      row.to_floats = false;
      row.to_integers = true;
      row.form = table.form_;
      row.clause = StrCat(document_of(integers), ", ", spec.name, ": ",
                          integers.at("text").get<std::string>());
    }
  }
  for (const Json& stated : json.at("rows")) {
    const std::string place = StrCat("/rows/", table.rows_.size());
    PrecisionRow& row = table.rows_.emplace_back();
    row.op = stated.at("operator");
    row.form = table.form_;
    StatusOr<Precision> precision = ReadPrecision(stated);
    if (!precision.ok())
      return Annotate(precision.status(), StrCat(file, ": ", place, ": ", row.op));
    row.precision = *std::move(precision);
    row.zero_sign = stated.value("zero_sign", false);
    row.zero_choice = stated.value("zero_choice", "");
    ReadConditions(stated, row);
    CTS_RETURN_IF_ERROR(Annotate(CheckNames(row, edition), StrCat(file, ": ", place)));
    CTS_RETURN_IF_ERROR(check_document(stated, place));
    if (row.Is<DotProductPrecision>()) {
      if (!table.dot_products_) {
        return InvalidArgument(file, ": ", place, ": class dot_product: expected /dot_products");
      }
      row.clause = table.dot_products_->clause;
      continue;
    }
    row.clause = StrCat(document_of(stated), ", ", stated.value("section", row.op), ": ",
                        stated.at("text").get<std::string>());
  }
  return table;
}

StatusOr<const PrecisionRow*> PrecisionTable::Find(std::string_view op, const TypeRow& types,
                                                   DType result,
                                                   const AttributeOf& attribute) const {
  const bool floating = IsFloat(result);
  const auto applies = [&](const PrecisionRow& row) {
    if (row.op != op || !(floating ? row.to_floats : row.to_integers)) return false;
    for (const auto& [variable, condition] : row.types) {
      const std::optional<DType> type = types.PlainType(variable);
      if (!type || !condition.Holds(*type)) return false;
    }
    return std::all_of(row.attributes.begin(), row.attributes.end(), [&](const auto& wanted) {
      return attribute(wanted.first) == wanted.second;
    });
  };
  const auto refuse = [&](const auto&... why) {
    return InvalidArgument(edition_, ", ", op, ", type row \"", types.mode, "\", result of ",
                           Name(result), ": ", why..., " in ", file_);
  };
  const PrecisionRow* found = nullptr;
  for (const PrecisionRow& row : rows_) {
    if (!applies(row)) continue;
    if (found != nullptr)
      return refuse("no rule of precision is known: found two rows, expected one");
    found = &row;
  }
  if (found != nullptr) {
    const ElementwisePrecision* const bound = BoundOf(*found);
    if (bound != nullptr && !bound->constants.empty() && !bound->constants.contains(result)) {
      return refuse("the row has no constant for the type: expected one");
    }
    return found;
  }
  const auto fallback = integers_.find(op);
  if (!floating && fallback != integers_.end()) return &fallback->second;
  return refuse("no rule of precision is known: expected a row");
}

const DotProductPrecision* PrecisionTable::FindDotProduct(std::string_view op) const {
  for (const PrecisionRow& row : rows_) {
    if (row.op == op && row.Is<DotProductPrecision>()) return row.As<DotProductPrecision>();
  }
  return nullptr;
}

StatusOr<const PrecisionTable*> PrecisionOf(const Edition& edition) {
  if (edition.precision != nullptr) return edition.precision.get();
  return InvalidArgument("edition ", edition.id, " has no table of precision: expected ",
                         "schemas/editions/precision/", edition.id, ".json");
}

StatusOr<std::shared_ptr<const PrecisionTable>> EmbeddedPrecision(const Edition& edition) {
  for (const EmbeddedFile& file : EmbeddedPrecisionTables()) {
    if (file.name != StrCat(edition.id, ".json")) continue;
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, StrCat("precision/", file.name)));
    CTS_ASSIGN_OR_RETURN(PrecisionTable table, PrecisionTable::FromJson(json, edition));
    return std::make_shared<const PrecisionTable>(std::move(table));
  }
  return std::shared_ptr<const PrecisionTable>();
}

}  // namespace cts
