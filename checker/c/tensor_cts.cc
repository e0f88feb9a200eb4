#include "checker/c/tensor_cts.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "checker/c/c_border.h"
#include "checker/judge/case_checker.h"
#include "reference/base/plain_arithmetic.h"

// The object behind a handle of C.
struct tensor_cts_suite {
  std::filesystem::path directory;
  cts::Suite suite;
};

struct tensor_cts_case {
  struct NamedTensor {
    std::string name;
    std::string_view type;
    const cts::Shape* shape;
    const cts::Tensor* values;  // null of an output
  };
  cts::CaseChecker checker;
  std::string directory;
  std::vector<NamedTensor> inputs, outputs;
};

namespace {

using cts::StrCat;
using cts::c_border::Fail;
using cts::c_border::Guarded;
using cts::c_border::LastMessage;

tensor_cts_verdict BadCall(const std::string& message) {
  LastMessage() = message;
  return TENSOR_CTS_BAD_CALL;
}

int Describe(const std::vector<tensor_cts_case::NamedTensor>& tensors, size_t index,
             tensor_cts_tensor* tensor) {
  if (index >= tensors.size()) {
    LastMessage() = StrCat("found the index ", index, ", expected one below ", tensors.size());
    return 0;
  }
  const tensor_cts_case::NamedTensor& named = tensors[index];
  const cts::DType dtype = *cts::ParseDType(named.type);
  tensor->name = named.name.c_str();
  tensor->type = named.type.data();  // of the table of types: it ends with a zero
  tensor->shape = named.shape->data();
  tensor->rank = named.shape->size();
  tensor->data = named.values == nullptr ? nullptr : named.values->bytes().data();
  tensor->bytes = static_cast<size_t>(cts::ElementCount(*named.shape)) * cts::StorageBytes(dtype);
  return 1;
}

}  // namespace

const char* tensor_cts_version() { return CTS_VERSION; }

const char* tensor_cts_message() { return LastMessage().c_str(); }

tensor_cts_suite* tensor_cts_open_suite(const char* directory) {
  return Guarded(static_cast<tensor_cts_suite*>(nullptr), [&]() -> tensor_cts_suite* {
    LastMessage().clear();
    if (directory == nullptr) return Fail<tensor_cts_suite>("found NULL, expected a directory");
    cts::StatusOr<cts::Suite> suite = cts::ReadSuite(directory);
    if (!suite.ok()) return Fail<tensor_cts_suite>(cts::Message(suite.status()));
    return new tensor_cts_suite{directory, *std::move(suite)};
  });
}

void tensor_cts_close_suite(tensor_cts_suite* suite) { delete suite; }

size_t tensor_cts_case_count(const tensor_cts_suite* suite) {
  return suite == nullptr ? 0 : suite->suite.cases.size();
}

const char* tensor_cts_case_id(const tensor_cts_suite* suite, size_t index) {
  return Guarded(static_cast<const char*>(nullptr), [&]() -> const char* {
    const size_t count = tensor_cts_case_count(suite);
    if (index < count) return suite->suite.cases[index].id.c_str();
    return Fail<const char>(StrCat("found the index ", index, ", expected one below ", count));
  });
}

tensor_cts_case* tensor_cts_open_case(const tensor_cts_suite* suite, const char* id) {
  return Guarded(static_cast<tensor_cts_case*>(nullptr), [&]() -> tensor_cts_case* {
    LastMessage().clear();
    if (suite == nullptr || id == nullptr) {
      return Fail<tensor_cts_case>("found NULL, expected an open suite and the id of a case");
    }
    cts::StatusOr<cts::CaseChecker> checker =
        cts::CaseChecker::Open(suite->directory, suite->suite, id);
    if (!checker.ok()) return Fail<tensor_cts_case>(cts::Message(checker.status()));
    std::unique_ptr<tensor_cts_case> opened(
        new tensor_cts_case{*std::move(checker), (suite->directory / id).string(), {}, {}});
    const cts::Case& c = opened->checker.expected();
    const auto executions = c.InputsOfExecutions();
    for (size_t k = 0; k < executions.size(); ++k) {
      for (const std::string& name : c.graph.main().inputs) {
        // If a case is an error, its inputs may differ from those that its graph declares.
        const auto found = executions[k]->find(name);
        if (found == executions[k]->end()) continue;
        const cts::Tensor& input = found->second;
        opened->inputs.push_back({cts::ResultName(name, static_cast<int>(k)),
                                  cts::Name(input.dtype()), &input.shape(), &input});
      }
    }
    for (const cts::ExpectedOutput& output : c.outputs) {
      opened->outputs.push_back(
          {cts::ResultName(output), cts::Name(output.dtype), &output.shape, nullptr});
    }
    return opened.release();
  });
}

void tensor_cts_close_case(tensor_cts_case* c) { delete c; }

const char* tensor_cts_operator(const tensor_cts_case* c) {
  return c == nullptr ? nullptr : c->checker.expected().op.c_str();
}

const char* tensor_cts_directory(const tensor_cts_case* c) {
  return c == nullptr ? nullptr : c->directory.c_str();
}

int tensor_cts_expects_error(const tensor_cts_case* c) {
  return c != nullptr && c->checker.expected().outcome == cts::Outcome::kError;
}

size_t tensor_cts_input_count(const tensor_cts_case* c) {
  return c == nullptr ? 0 : c->inputs.size();
}

int tensor_cts_input(const tensor_cts_case* c, size_t index, tensor_cts_tensor* tensor) {
  return Guarded(0, [&]() -> int {
    if (c != nullptr && tensor != nullptr) return Describe(c->inputs, index, tensor);
    LastMessage() = "found NULL, expected an open case and a place for the tensor";
    return 0;
  });
}

size_t tensor_cts_output_count(const tensor_cts_case* c) {
  return c == nullptr ? 0 : c->outputs.size();
}

int tensor_cts_output(const tensor_cts_case* c, size_t index, tensor_cts_tensor* tensor) {
  return Guarded(0, [&]() -> int {
    if (c != nullptr && tensor != nullptr) return Describe(c->outputs, index, tensor);
    LastMessage() = "found NULL, expected an open case and a place for the tensor";
    return 0;
  });
}

int tensor_cts_output_is_unsigned(const tensor_cts_case* c, size_t index) {
  if (c == nullptr || index >= c->outputs.size()) return 0;
  return c->checker.expected().outputs[index].rule.is_unsigned ? 1 : 0;
}

size_t tensor_cts_output_judged(const tensor_cts_case* c, size_t index) {
  return Guarded(size_t{0}, [&]() -> size_t {
    if (c != nullptr && index < c->outputs.size()) {
      const cts::ExpectedOutput& output = c->checker.expected().outputs[index];
      if (output.answers.empty()) return 0;
      return static_cast<size_t>(cts::LimitsOf(output, output.answers.front()).limited);
    }
    LastMessage() = "found no such output, expected an open case and the index of one";
    return 0;
  });
}

tensor_cts_verdict tensor_cts_check(const tensor_cts_case* c, const tensor_cts_tensor* result) {
  return Guarded(TENSOR_CTS_BAD_CALL, [&]() -> tensor_cts_verdict {
    LastMessage().clear();
    if (c == nullptr || result == nullptr || result->name == nullptr || result->type == nullptr ||
        (result->rank > 0 && result->shape == nullptr) ||
        (result->bytes > 0 && result->data == nullptr)) {
      return BadCall("found NULL, expected a case, and a result with name, type, shape and data");
    }
    const auto& outputs = c->checker.expected().outputs;
    const auto output = std::find_if(outputs.begin(), outputs.end(), [&](const auto& each) {
      return cts::ResultName(each) == result->name;
    });
    const bool is_unsigned = output != outputs.end() && output->rule.is_unsigned;
    const auto tensor = cts::c_border::ResultTensorOf(*result, is_unsigned);
    if (!tensor.ok()) return BadCall(cts::Message(tensor.status()));
    const cts::StatusOr<cts::OutputReport> report = c->checker.Check(result->name, *tensor);
    if (!report.ok()) return BadCall(cts::Message(report.status()));
    LastMessage() = report->message;
    const bool stands =
        report->verdict == cts::Verdict::kPass || report->verdict == cts::Verdict::kDisputed;
    return stands ? TENSOR_CTS_ACCEPT : TENSOR_CTS_REJECT;
  });
}

using cts::PlainArithmetic;
static_assert(sizeof(PlainArithmetic) <= sizeof(tensor_cts_float_mode));
static_assert(alignof(PlainArithmetic) <= alignof(tensor_cts_float_mode));

void tensor_cts_begin_plain_arithmetic(tensor_cts_float_mode* before) {
  new (before) PlainArithmetic;
}

void tensor_cts_end_plain_arithmetic(tensor_cts_float_mode* before) {
  std::launder(reinterpret_cast<PlainArithmetic*>(before))->~PlainArithmetic();
}
