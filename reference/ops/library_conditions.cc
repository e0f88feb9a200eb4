// REQUIREs in the specification's helper functions or in the text of a section, which are no row of
// any operator's pseudocode. schemas/editions/notes.md gives the reasons for those that are our
// choice.
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"

namespace cts {

const Conditions& LibraryConditions() {
  constexpr ConditionKind kRequire = ConditionKind::kRequire;
  constexpr Where kScales32 = WithOperator("AVG_POOL2D", "RESCALE");
  constexpr Where kScales16 = WithOperator("RESCALE");
  static const Conditions conditions = {
      {kIntegerOverflow, kRequire, "an integer result does not fit its type", nullptr},
      {"tensor_index_to_offset.index_range", kRequire,
       "an element outside of a tensor's shape is read or written", nullptr},
      {"apply_clip_s.bounds", kRequire, "the lower bound is not at most the upper one", nullptr,
       WithOperator("CLAMP")},
      {"apply_lookup_s.slope_range", kRequire,
       "two neighbouring entries of the table differ by more than an int16_t holds", nullptr,
       WithOperator("TABLE")},
      {"apply_scale_32.multiplier_negative", kRequire, "multiplier is negative", nullptr, kScales32,
       "multiplier"},
      {"apply_scale_32.shift_range", kRequire, "shift is outside 2 to 62", nullptr, kScales32,
       "shift"},
      {"apply_scale_32.value_range", kRequire,
       "the value to scale is outside -2^(shift-1) to 2^(shift-1) - 1, or no int32_t", nullptr,
       kScales32},
      {"apply_scale_16.multiplier_negative", kRequire, "multiplier is negative", nullptr, kScales16,
       "multiplier"},
      {"apply_scale_16.shift_range", kRequire, "shift is outside 2 to 62", nullptr, kScales16,
       "shift"},
      {"apply_scale_16.result_range", kRequire, "the scaled value does not fit int32_t", nullptr,
       kScales16},
      {"cast.nan_to_integer", kRequire, "a NaN is converted to an integer", nullptr,
       WithOperator("CAST")},
      {"argmax.nan_order", kRequire,
       "text and pseudocode disagree about which of an axis with NaN is the greatest", nullptr,
       With(Feature::kArgmaxNanOrderUnclear)},
      {"pad.padding_length", kRequire, "padding does not have two elements for each dimension",
       nullptr, With(Feature::kPadLengthUnchecked)},
      {"div_shape.zero_divisor", kRequire, "an element of input2 is 0", nullptr,
       WithOperator("DIV_SHAPE")},
      {"definition.step", kRequire,
       "an operator that this one is made of is given what it does not take", StepRefuses},
      {"rescale.unsigned_type",
       kRequire,
       "values of more than 16 bits are taken as unsigned",
       nullptr,
       {.feature = Feature::kRescaleRefusesWideUnsigned, .has = false, .op = "RESCALE"}},
  };
  return conditions;
}

const Conditions& SymbolConditions() {
  constexpr Where kSymbolic = With(Feature::kSymbolicPrograms);
  static const Conditions conditions = {
      {"symbol.unbound", ConditionKind::kErrorIf, "a symbol of an input has no value", nullptr,
       kSymbolic},
      {"symbol.not_positive", ConditionKind::kErrorIf, "a symbol has a value below 1", nullptr,
       kSymbolic},
      {"symbol.contradiction", ConditionKind::kErrorIf,
       "a symbol has one value, and a tensor that has it has another size there", nullptr,
       kSymbolic},
      {"symbol.broadcast", ConditionKind::kErrorIf,
       "a dimension that is a symbol has the value 1 where a larger one is wanted: only a literal "
       "1 broadcasts",
       nullptr, kSymbolic},
      {"symbol.index_count", ConditionKind::kErrorIf,
       "there are more or fewer index values than the parameters take", nullptr, kSymbolic},
      {"symbol.value_range", ConditionKind::kErrorIf,
       "an index value is beyond the type that it is stored in", nullptr, kSymbolic},
      {"get_dim.dim_index", ConditionKind::kErrorIf, "dim_index is no dimension of the input",
       nullptr, kSymbolic},
      {"extract_dim.dim_index", ConditionKind::kErrorIf, "dim_index is no element of the input",
       nullptr, kSymbolic},
      {"expand_dims.indices", ConditionKind::kErrorIf,
       "indices do not increase, or lie outside of 0 to the input's rank", nullptr, kSymbolic},
      {"collapse_dims.indices", ConditionKind::kErrorIf,
       "indices do not increase, or lie outside of 0 to the input's rank - 1", nullptr, kSymbolic},
      {"collapse_dims.not_one", ConditionKind::kErrorIf,
       "a dimension that is to be removed is no literal 1", nullptr, kSymbolic},
      {"iota.range", ConditionKind::kErrorIf,
       "the range has no element, or one that the type does not have", nullptr, kSymbolic},
  };
  return conditions;
}

const Conditions& GraphConditions() {
  static const Conditions conditions = {
      {"graph.operand_count", ConditionKind::kErrorIf,
       "an operator has another number of inputs or outputs than its argument table", nullptr},
      {"graph.attribute", ConditionKind::kErrorIf,
       "an attribute is missing, unknown, or of another type than in the argument table", nullptr},
      {"graph.type_row", ConditionKind::kErrorIf,
       "the tensors' types are in no row of the table of supported types", nullptr},
      {"graph.rank", ConditionKind::kErrorIf, "a tensor's rank is outside its argument's range",
       nullptr},
      {"graph.shape", ConditionKind::kErrorIf,
       "a tensor's shape contradicts its argument's, or another tensor's with the same dimension",
       nullptr},
      {"graph.output_shape", ConditionKind::kErrorIf,
       "an output's shape is not the one that the inputs determine", nullptr},
      {"graph.shape_interface", ConditionKind::kErrorIf,
       "an input or output of the graph is a shape", nullptr, With(Feature::kShapesStayInside)},
      {"graph.dimension", ConditionKind::kRequire, "a dimension is below 1", nullptr},
      {"graph.tensor_size", ConditionKind::kRequire,
       "a tensor takes more bytes than the level's MAX_LOG2_SIZE can count", nullptr},
      {"graph.subgraph_types", ConditionKind::kRequire,
       "the tensors of a control flow operator and those of its graph differ in type", nullptr,
       WithOperator("COND_IF")},
      {"graph.variable_order", ConditionKind::kRequire,
       "no tensor decides the order of two operators of which one writes a variable that the other "
       "reads or writes",
       nullptr, WithOperator("VARIABLE")},
      {"graph.level_rank", ConditionKind::kLevel, "a tensor's rank exceeds the level's MAX_RANK",
       nullptr},
  };
  return conditions;
}

}  // namespace cts
