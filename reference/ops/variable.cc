// VARIABLE, VARIABLE_WRITE and VARIABLE_READ (section Variable Operators). The variables themselves
// live where graphs are executed: reference/evaluate/evaluate.cc.
#include <cassert>

#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

constexpr ConditionKind kRequire = ConditionKind::kRequire;

Shape DeclaredShape(const Call& c) {
  Shape shape;
  for (int64_t i = 0; i < c.Length("var_shape"); ++i) shape.push_back(c.Integer("var_shape", i));
  return shape;
}

// Each row of READ and WRITE presupposes the others: an undeclared variable has no shape.
bool IsDeclared(const Call& c) { return c.FindVariable() != nullptr; }

Breach ShapeDiffers(const Call& c, std::string_view argument) {
  if (!IsDeclared(c) || c.FindVariable()->shape == c.shape(argument)) return false;
  return Breach::Showing(ToString(c.shape(argument)), " and ", ToString(c.FindVariable()->shape));
}
Breach TypeDiffers(const Call& c, std::string_view argument) {
  if (!IsDeclared(c) || c.FindVariable()->dtype == c.dtype(argument)) return false;
  return Breach::Showing(Name(c.dtype(argument)), " and ", Name(c.FindVariable()->dtype));
}

StatusOr<Shapes> InferVariable(const Call&) { return Shapes{}; }

StatusOr<Shapes> InferVariableRead(const Call& c) {
  if (c.FindVariable() == nullptr) return Undetermined(c, "there is no such variable");
  return Shapes{c.FindVariable()->shape};
}

}  // namespace

OperatorFacts VariableFacts() {
  return {.infer = InferVariable, .keeping = Keeping::kSilent, .role = GraphRole::kVariable};
}

Conditions VariableConditions() {
  return {
      // The pseudocode looks at the initial value only when the variable is declared for the first
      // time. The value is the same every time.
      {"variable.initial_type", kRequire, "the initial value has another type than the variable",
       [](const Call& c) -> Breach {
         const GraphTensor* initial = c.InitialValue();
         if (initial == nullptr || initial->dtype == c.VariableType()) return false;
         return Breach::Showing(Name(initial->dtype), " for a variable of ",
                                Name(c.VariableType()));
       }},
      {"variable.initial_shape", kRequire, "the initial value has another shape than the variable",
       [](const Call& c) -> Breach {
         const GraphTensor* initial = c.InitialValue();
         if (initial == nullptr || initial->shape == DeclaredShape(c)) return false;
         return Breach::Showing(ToString(initial->shape), " for a variable of ",
                                ToString(DeclaredShape(c)));
       }},
      {"variable.declared_twice", kRequire,
       "a variable of this name has been declared in the same execution",
       [](const Call& c) { return IsDeclared(c) && c.FindVariable()->declared; }},
  };
}

OperatorFacts VariableWriteFacts() {
  return {.infer = InferVariable,
          .keeping = Keeping::kSilent,
          .role = GraphRole::kVariable,
          .reads_values = false};
}

Conditions VariableWriteConditions() {
  return {
      {"variable_write.undeclared", kRequire, "there is no variable of this name",
       [](const Call& c) { return !IsDeclared(c); }},
      {"variable_write.unseen", kRequire, "the variable has not been declared in this execution",
       [](const Call& c) { return IsDeclared(c) && !c.FindVariable()->declared; }},
      {"variable_write.shape", kRequire, "input1 and the variable differ in shape",
       [](const Call& c) { return ShapeDiffers(c, "input1"); }},
      {"variable_write.type", kRequire, "input1 and the variable differ in type",
       [](const Call& c) { return TypeDiffers(c, "input1"); }},
  };
}

OperatorFacts VariableReadFacts() {
  return {.infer = InferVariableRead, .keeping = Keeping::kSilent, .role = GraphRole::kVariable};
}

Conditions VariableReadConditions() {
  return {
      {"variable_read.undeclared", kRequire, "there is no variable of this name",
       [](const Call& c) { return !IsDeclared(c); }},
      {"variable_read.unwritten", kRequire, "the variable has no value yet",
       [](const Call& c) { return IsDeclared(c) && !c.FindVariable()->written; }},
      {"variable_read.shape", kRequire, "output1 and the variable differ in shape",
       [](const Call& c) { return ShapeDiffers(c, "output1"); }},
      {"variable_read.type", kRequire, "output1 and the variable differ in type",
       [](const Call& c) { return TypeDiffers(c, "output1"); }},
  };
}

void ComputeVariable(const Call&, Computation&) { assert(false && "nothing is computed"); }
void ComputeVariableWrite(const Call&, Computation&) { assert(false && "nothing is computed"); }
void ComputeVariableRead(const Call&, Computation&) { assert(false && "nothing is computed"); }

}  // namespace cts
