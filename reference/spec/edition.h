// Editions: the facts of one version of one operator set, as data (schemas/editions/<id>.json).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/json_fwd.h"
#include "reference/base/permute.h"
#include "reference/base/status.h"
#include "reference/spec/described_operator.h"
#include "reference/spec/expression.h"
#include "reference/spec/features.h"
#include "reference/spec/shape_pattern.h"

namespace cts {

class PrecisionTable;

enum class ArgumentCategory { kInput, kAttribute, kOutput };

// A bound of a rank: a number, or a number plus the level's MAX_RANK ("MAX_RANK - 1").
struct RankBound {
  int64_t constant = 0;
  bool plus_max_rank = false;
};

// The meaning of a name in an expression: a quantity of a call. It is an element of a list, a
// scalar, the rank of a tensor, the length of a list, or a dimension. Dimensions are counted in the
// layout of OperatorSpec::view.
struct Quantity {
  enum class Kind { kElement, kDimension, kRank, kLength };
  Kind kind;
  size_t argument;   // its index in OperatorSpec::arguments
  size_t index = 0;  // of the element or the dimension
};

// A LEVEL_CHECK that belongs to an argument: value expression <= level maximum.
struct LevelLimit {
  std::string value;                 // as the specification writes it: "dilation_y * KH"
  std::string limit;                 // "MAX_KERNEL"
  std::string id;                    // of the condition: "conv2d.level_kernel_y"
  std::string paraphrase;            // "dilation_y * KH exceeds MAX_KERNEL"
  Expression expression;             // `value`, parsed
  std::vector<Quantity> quantities;  // of expression.names()
};

// A condition that the edition's own file states as a comparison.
struct DescribedCondition {
  std::string id;        // "softmax.axis_range"
  bool is_error = true;  // ERROR_IF; otherwise REQUIRE
  std::string paraphrase;
  Expression expression;                          // true if the condition is broken
  std::vector<Quantity> quantities;               // of expression.names()
  std::map<std::string, DescribedValue> example;  // attributes that break only this condition
};

struct ArgumentSpec {
  std::string name;
  ArgumentCategory category;
  std::string type;                // "tensor_t", "tensor_list_t", "shape_t", "i32_t", "bool_t", ...
  std::string shape;               // "[N,IH,IW,IC]", "shape1", "-"
  ShapePattern pattern;            // `shape`, parsed
  std::string element_type;        // "in_t", "i32_t", "-"
  std::string element_scale_type;  // of a block-scaled operand (1.1): "scale_t"; otherwise empty
  std::optional<RankBound> min_rank, max_rank;
  bool optional = false;  // also true for nan_mode, whose default value is only in its description
  // The names of a list's elements in expressions: "top" of pad is pad_top. Empty: elements without
  // names.
  std::vector<std::string> elements;
  std::vector<LevelLimit> level_limits;
  std::vector<std::string> ctc;         // profiles in which it must be a compile-time constant
  std::vector<std::string> ctc_remove;  // extensions that lift this requirement
  // Dimension j of OperatorSpec::view's argument is dimension view_axes[j] of this argument. Empty:
  // the order is the same.
  AxisOrder view_axes;
};

// The possible types of a type variable that a published row (OperatorSpec::published) does not
// bind to one type. Exactly one of the three members is set.
struct TypeBinding {
  std::vector<std::string> any_of;  // the possible types
  std::string same_as;              // another variable, with the same type
  // Another variable, whose access type this variable has. The access type of a variable is its
  // type, or fp32 if its type is block-scaled.
  std::string access_element_of;
};

// An entry among the profiles of a published row. It means that the types chosen for the row's
// bindings determine the extensions (introduction, Extension Data Type Mapping). No profile or
// extension has this name.
inline constexpr std::string_view kDeducedExtensions = "DEDUCE-EXT";

// One row of a Supported Data Types table.
struct TypeRow {
  std::string mode;                          // "signed 8x8 with int32 accumulate"
  std::map<std::string, std::string> types;  // "in_t" -> "i8"; also "TABLE_SIZE" -> "256"
  // Variables of a published row that are not in `types`. A row of OperatorSpec::type_rows has no
  // bindings, since ExpandTypeRows (regular.h) makes a row for each choice of types.
  std::map<std::string, TypeBinding> bindings;
  // Attributes with the value that the row needs: "mode" -> "BILINEAR" for a row of RESIZE.
  std::map<std::string, std::string> attributes;
  std::string version_added;  // "1.0"; empty if the edition does not say
  // The row needs all profiles and extensions of at least one of these lists.
  std::vector<std::vector<std::string>> profiles;

  // The type bound to a variable such as "in_t"; nullopt if the row has no such variable, or a type
  // that this program does not know.
  std::optional<ElementType> Type(std::string_view variable) const;
  // Like Type, for code that handles no scales: nullopt also for a block-scaled type.
  std::optional<DType> PlainType(std::string_view variable) const;
  // Like PlainType, for code that needs such a type: ends the program if PlainType would return
  // nullopt. `op` is the row's operator, for the message.
  DType BoundType(std::string_view op, std::string_view variable) const;
};

struct OperatorSpec {
  std::string name;   // "CONV2D"
  std::string group;  // "tensor"
  std::vector<ArgumentSpec> arguments;
  std::vector<TypeRow>
      type_rows;  // every variable has one type; no two rows have the same types and attributes
  // The operator as the edition publishes it, before regular.h changed arguments and rows.
  std::shared_ptr<const OperatorSpec> published;
  // The same arguments in the same order, but with the names, layouts and categories that the
  // operator's text (its code) expects. TOSA's editions have these names, layouts and categories.
  // Null: the text takes the edition's arguments unchanged.
  std::shared_ptr<const OperatorSpec> view;
  // For an operator without a text in the program: its definition and the domain of its cases. Both
  // are null for an operator with a text.
  std::shared_ptr<const Definition> definition;
  std::shared_ptr<const DescribedParameters> domain;

  // The conditions that the edition's own file states, in addition to the conditions of the text.
  std::vector<DescribedCondition> conditions;

  // The operator in the form that its text expects. Arguments have the names and layouts that the
  // text uses. `name` is the text's name (CONV2D), even if the edition calls the operator by
  // another name.
  const OperatorSpec& Seen() const { return view == nullptr ? *this : *view; }
  const OperatorSpec& Published() const { return published == nullptr ? *this : *published; }
  const ArgumentSpec* FindArgument(std::string_view argument) const;
  // The quantity to which a name in an expression refers; an error if this operator has no such
  // quantity.
  StatusOr<Quantity> Resolve(const NamedValue& value) const;
};

struct Level {
  std::string name;                       // "8K"
  std::map<std::string, int64_t> maxima;  // "MAX_RANK" -> 6

  // The maximum, or INT64_MAX if this edition's levels have no maximum of that name.
  int64_t Max(std::string_view maximum) const;
};

enum class NumberKind { kIntegers, kFloats };

struct ProfileSpec {
  std::string name;    // "PRO-INT", "EXT-INT16"
  std::string status;  // "Complete", "Experimental"
  bool extension = false;
  std::vector<std::string> base;      // for an extension: the profiles that it extends
  std::vector<std::string> includes;  // profiles that every implementation of this one also has
  std::optional<NumberKind> numbers;  // the numbers whose arithmetic the profile provides
};

struct EnumValue {
  std::string name;
  int64_t value;
  std::string extension;  // the extension that it needs; empty if always available
};

struct EnumSpec {
  std::string name;  // "rounding_mode_t"
  std::vector<EnumValue> values;
};

// A choice that the specification leaves to an implementation, or decides in two ways that
// contradict each other (schemas/editions/notes.md).
struct NamedChoice {
  std::string id;        // "negate_of_zero"
  std::string sentence;  // the subject of the choice: "NEGATE of +0"
  // Whether an implementation must take the same option for all values of a type. Otherwise each
  // value may have its own option, and no result contradicts another.
  bool by_type = false;
  struct Option {
    std::string name;   // "+0", as results show it
    std::string means;  // the rule of the specification for it: "its pseudocode"; or empty
  };
  std::vector<Option> options;
  std::string clause;  // the clause that leaves the choice
};

struct Edition {
  std::string id;       // "tosa-1.0"
  std::string version;  // "1.0.2"
  std::string follows;  // the edition whose rules apply where this edition has no rule; or empty
  std::string mlir;     // the version of MLIR with the fitting tosa dialect: "22"; or empty
  std::string certify;  // the recipe whose cases a claim must pass: "certify-0.100"
  std::filesystem::path file;  // the absolute path from which it was added; empty: embedded
  Features features;
  std::vector<ProfileSpec> profiles;
  std::vector<Level> levels;
  std::vector<EnumSpec> enums;
  std::vector<OperatorSpec> operators;
  std::vector<NamedChoice> choices;
  std::shared_ptr<const PrecisionTable> precision;  // null: no result can be judged

  bool Has(Feature feature) const { return features.Has(feature); }
  // The name of the profile for integers or for floating-point numbers; empty if there is no such
  // profile.
  std::string ProfileOf(NumberKind numbers) const;

  const OperatorSpec* FindOperator(std::string_view name) const;
  const Level* FindLevel(std::string_view name) const;
  // The widest level, TOSA's "none": no other level is wider. A level is wider than another level
  // if it admits everything that the other level admits, and more.
  const Level& WidestLevel() const;
  // The narrowest level, TOSA's "8K": it is not wider than any other level. A graph or a call
  // without a level is judged by the narrowest level.
  const Level& NarrowestLevel() const;
  const EnumSpec* FindEnum(std::string_view name) const;
  const NamedChoice* FindChoice(std::string_view name) const;
};

inline constexpr std::string_view kDefaultEdition = "tosa-1.0";

// The ids of the embedded editions, the default first, and then the ids of the added editions.
std::vector<std::string> EditionIds();

// Reads an edition from a file and adds it to the known editions. The edition's id must be new. Its
// precision table must be the file precision/<id>.json beside `file`. Call this before other code
// asks for the edition.
Status AddEdition(const std::filesystem::path& file);

// Finds an embedded or added edition by its id. If no edition has the id, returns an error that
// lists the known ids. The pointer stays valid until the program ends.
StatusOr<const Edition*> FindEdition(std::string_view id);

// The ids of the embedded editions that have a feature: "tosa-1.0, rvtensor".
std::string EditionsThatHave(Feature feature);

// Reads the JSON of a file like schemas/editions/<id>.json, and validates the JSON against
// schemas/edition.schema.json. `origin` names the file in errors.
StatusOr<Edition> EditionFromJson(const Json& json, std::string_view origin = "edition");

}  // namespace cts
