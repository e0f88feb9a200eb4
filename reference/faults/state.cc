#include "reference/faults/state.h"

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "reference/ops/facts.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

using Given = std::vector<std::shared_ptr<const Tensor>>;
// Whether one call is taken for another.
using Alike = bool (*)(const Tensor& a, const Tensor& b);

bool HaveOneShape(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape();
}

bool BeginAlike(const Tensor& a, const Tensor& b) {
  if (!HaveOneShape(a, b)) return false;
  constexpr int kBytes = 16;  // as much as fits a register
  const int64_t elements = kBytes / ((std::max(Info(a.dtype()).bits, 8) + 7) / 8);
  for (int64_t i = 0; i < std::min(elements, a.size()); ++i) {
    if (a.Bits(i) != b.Bits(i)) return false;
  }
  return true;
}

bool EndAlike(const Tensor& a, const Tensor& b) {
  if (!HaveOneShape(a, b)) return false;
  constexpr int kBytes = 16;
  const int64_t elements = kBytes / ((std::max(Info(a.dtype()).bits, 8) + 7) / 8);
  for (int64_t i = std::max<int64_t>(0, a.size() - elements); i < a.size(); ++i) {
    if (a.Bits(i) != b.Bits(i)) return false;
  }
  return true;
}

bool AreEqual(const Tensor& a, const Tensor& b) { return a == b; }

// The operands' values in the edition's layout, in which an implementation has them in memory.
Given GivenValues(const Call& call) {
  Given operands;
  for (const Argument& argument : call.arguments()) {
    for (const auto& values : argument.values) {
      if (values == nullptr) continue;
      operands.push_back(std::make_shared<const Tensor>(argument.Given(*values)));
    }
  }
  return operands;
}

bool SameOutputs(const OperatorOutputs& a, const OperatorOutputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && HaveOneShape(*one.second, *other.second);
  });
}

OperatorOutputs Copy(const OperatorOutputs& outputs) {
  OperatorOutputs copy;
  for (const auto& [name, tensor] : outputs) copy[name] = std::make_shared<Tensor>(*tensor);
  return copy;
}

// The calls so far, in order, and what was answered.
class Memory {
 public:
  struct Answered {
    Given operands;
    OperatorOutputs outputs;
  };

  // The latest call of such operands whose outputs have the shapes of these; null: there is none.
  Answered* Find(const Given& operands, const OperatorOutputs& outputs, Alike alike) {
    for (auto known = calls_.rbegin(); known != calls_.rend(); ++known) {
      const bool fits =
          std::equal(known->operands.begin(), known->operands.end(), operands.begin(),
                     operands.end(), [&](const auto& a, const auto& b) { return alike(*a, *b); });
      if (fits && SameOutputs(known->outputs, outputs)) return &*known;
    }
    return nullptr;
  }
  void Add(Given operands, const OperatorOutputs& outputs) {
    calls_.push_back({std::move(operands), Copy(outputs)});
  }

 private:
  std::vector<Answered> calls_;
};

// A fault that sees what the implementation remembers of earlier calls. `answer` changes the right
// outputs.
using Remember = void (*)(Memory& memory, const Given& operands, OperatorOutputs& outputs);
std::function<Wrong()> Remembering(Remember answer) {
  return [answer]() -> Wrong {
    return [answer, memory = std::make_shared<Memory>()](
               const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
      OperatorOutputs outputs = ComputeRight(op, call);
      answer(*memory, GivenValues(call), outputs);
      return outputs;
    };
  };
}

template <Alike alike>
void AnswerFromCache(Memory& memory, const Given& operands, OperatorOutputs& outputs) {
  if (const auto* const known = memory.Find(operands, outputs, alike)) {
    outputs = Copy(known->outputs);
  } else {
    memory.Add(operands, outputs);
  }
}

// Knows calls by one operand of two, `by`.
template <size_t by>
void AnswerFromCacheByOne(Memory& memory, const Given& operands, OperatorOutputs& outputs) {
  if (const auto* const known = memory.Find({operands[by]}, outputs, AreEqual)) {
    outputs = Copy(known->outputs);
  } else {
    memory.Add({operands[by]}, outputs);
  }
}

void AnswerOneLate(Memory& memory, const Given& operands, OperatorOutputs& outputs) {
  auto* const known = memory.Find(operands, outputs, HaveOneShape);
  if (known == nullptr) return memory.Add(operands, outputs);
  std::swap(known->outputs, outputs);
}

// Operands that it knows are not computed again; but the buffer holds the latest answer, not
// theirs.
void AnswerKnownWithLatest(Memory& memory, const Given& operands, OperatorOutputs& outputs) {
  if (memory.Find(operands, outputs, AreEqual) == nullptr) return memory.Add(operands, outputs);
  outputs = Copy(memory.Find(operands, outputs, HaveOneShape)->outputs);
}

void AddTo(const Tensor& before, Tensor& sum) {
  for (int64_t i = 0; i < sum.size(); ++i) {
    if (IsFloat(sum.dtype())) {
      sum.SetElement(i, sum.Element(i) + before.Element(i));
    } else {
      sum.SetBits(i, sum.Bits(i) + before.Bits(i));
    }
  }
}

void GoOnFromLastSums(Memory& memory, const Given& operands, OperatorOutputs& outputs) {
  auto* const known = memory.Find(operands, outputs, HaveOneShape);
  if (known == nullptr) return memory.Add(operands, outputs);
  for (auto& [name, tensor] : outputs) AddTo(*known->outputs.at(name), *tensor);
  known->outputs = Copy(outputs);
}

// The last lane of vectors of eight.
bool IsLeft(int64_t i, int64_t size) { return i % 8 == 7 || i + 1 == size; }

void LeaveALane(Memory& memory, const Given& operands, OperatorOutputs& outputs) {
  auto* const known = memory.Find(operands, outputs, HaveOneShape);
  if (known == nullptr) return memory.Add(operands, outputs);
  for (auto& [name, tensor] : outputs) {
    const Tensor& before = *known->outputs.at(name);
    const int64_t size = tensor->size();
    for (int64_t i = 0; i < size; ++i) {
      if (IsLeft(i, size)) tensor->SetBits(i, before.Bits(i));
    }
  }
}

// Whether the operator has two operands whose values come at run time.
bool HasTwoOperands(const OperatorSpec& spec) {
  const auto has = [&](std::string_view name) {
    return std::any_of(spec.arguments.begin(), spec.arguments.end(),
                       [&](const auto& argument) { return argument.name == name; });
  };
  return (has("input1") && has("input2")) || (has("A") && has("B"));
}

// A truth value has no more than two answers: halves of known data often have the same.
bool AnswersWithNumbers(const TypeRow& row) {
  return row.PlainType("out_t").value_or(row.PlainType("in_out_t").value_or(DType::kI8)) !=
         DType::kBool;
}

bool IsComputedFromData(const OperatorSpec& spec) {
  const OperatorFacts& facts = FactsOf(spec.name);
  return facts.role == GraphRole::kComputes && facts.reads_values;
}

}  // namespace

Faults StateFaults(const Edition& edition, const OperatorSpec& given) {
  const OperatorSpec& spec = given.Seen();
  Faults faults;
  if (!IsComputedFromData(spec)) return faults;
  const auto add = [&](const char* name, const char* sentence, Remember answer) {
    faults.push_back({.id = StrCat(absl::AsciiStrToLower(spec.name), ".", name),
                      .op = spec.name,
                      .source = FaultSource::kState,
                      .sentence = sentence,
                      .clause = spec.name,
                      .does = Remembering(answer)});
  };
  add("cached_by_shape", "answers every execution of the same shapes as the first",
      AnswerFromCache<HaveOneShape>);
  add("cached_by_first_bytes",
      "answers as before where the first 16 bytes of every operand are those of before",
      AnswerFromCache<BeginAlike>);
  const auto add_of_numbers = [&](const char* name, const char* sentence, Remember answer) {
    add(name, sentence, answer);
    faults.back().touches = AnswersWithNumbers;
  };
  add_of_numbers("cached_by_last_bytes",
                 "answers as before where the last 16 bytes of every operand are those of before",
                 AnswerFromCache<EndAlike>);
  if (HasTwoOperands(spec)) {
    add_of_numbers("cached_by_first_operand",
                   "answers as before where the first operand is that of before",
                   AnswerFromCacheByOne<0>);
    add_of_numbers("cached_by_second_operand",
                   "answers as before where the second operand is that of before",
                   AnswerFromCacheByOne<1>);
  }
  add("one_execution_late", "answers what the execution before should have been answered",
      AnswerOneLate);
  add("known_data_get_the_latest_answer",
      "answers operands that it has seen before with the answer that it computed last",
      AnswerKnownWithLatest);
  add("leaves_a_lane_of_the_last_result",
      "in later executions leaves every eighth element of the result as it was, and the last",
      LeaveALane);
  if (edition.precision != nullptr && edition.precision->IsDotProduct(given.name)) {
    add("goes_on_from_the_last_sums", "does not clear its sums before later executions",
        GoOnFromLastSums);
  }
  return faults;
}

}  // namespace cts
