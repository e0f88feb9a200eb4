// Every case of whole suites as text of MLIR and back, byte by byte; and the same once mlir-opt 22
// has read, verified and printed the text, where it is installed.
// CTS_MLIR_RECIPES=certify-pro-int,certify-pro-fp takes other recipes than smoke and graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "generator/generate.h"
#include "reference/base/file.h"
#include "reference/bundle/case.h"
#include "reference/formats/mlir/mlir_parse.h"
#include "reference/formats/mlir/mlir_text.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }

// ---- What the text does not carry --------------------------------------------------------------

// A graph that was read from text, in the form of the graph that it should equal. It gets the names
// of that graph, its order of regions, tensors and VARIABLEs, and its regions and tensors that no
// operator uses. Everything else is the text's.
class LaidBeside {
 public:
  // `was_printed`: the text was printed, and printing leaves out attributes that have the dialect's
  // default.
  explicit LaidBeside(bool was_printed) : was_printed_(was_printed) {}

  StatusOr<Graph> Lay(const Graph& text, const Graph& beside) {
    text_ = &text;
    beside_ = &beside;
    laid_.resize(beside.regions.size());
    CTS_RETURN_IF_ERROR(LayBlock(text.main(), beside.main(), laid_[0]));
    Graph graph;
    for (size_t r = 0; r < laid_.size(); ++r) {
      // No operator names it: no text has it.
      if (laid_[r].name.empty()) laid_[r] = beside.regions[r].blocks[0];
      graph.regions.push_back({beside.regions[r].name, {std::move(laid_[r])}});
    }
    return graph;
  }

 private:
  struct Names {
    std::map<std::string, std::string> of_text, of_beside;  // one to one

    Status Pair(const std::string& text, const std::string& beside) {
      const auto [a, is_new] = of_text.emplace(text, beside);
      const auto [b, also_new] = of_beside.emplace(beside, text);
      if (a->second == beside && b->second == text && is_new == also_new) return absl::OkStatus();
      return NotFound(text, " for ", beside);
    }
    Status Pair(const std::vector<std::string>& text, const std::vector<std::string>& beside) {
      if (text.size() != beside.size()) return NotFound("as many names as ", beside.size());
      for (size_t i = 0; i < text.size(); ++i) CTS_RETURN_IF_ERROR(Pair(text[i], beside[i]));
      return absl::OkStatus();
    }
    std::vector<std::string> Beside(const std::vector<std::string>& text) const {
      std::vector<std::string> names;
      for (const std::string& name : text) names.push_back(of_text.at(name));
      return names;
    }
  };

  static bool IsDefault(const std::string& name, const AttributeValue& value) {
    return (name == "nan_mode" && value == AttributeValue(std::string("PROPAGATE"))) ||
           (name == "local_bound" && value == AttributeValue(false));
  }

  Status LayOperator(const GraphOperator& text, const GraphOperator& beside, Names& names,
                     Block& laid) {
    CTS_RETURN_IF_ERROR(names.Pair(text.inputs, beside.inputs));
    CTS_RETURN_IF_ERROR(names.Pair(text.outputs, beside.outputs));
    GraphOperator op{text.op, names.Beside(text.inputs), names.Beside(text.outputs),
                     text.attributes};
    for (const auto& [name, value] : beside.attributes) {
      const auto found = op.attributes.find(name);
      if (found == op.attributes.end()) {
        if (was_printed_ && IsDefault(name, value)) op.attributes[name] = value;
        continue;
      }
      auto* given = std::get_if<std::string>(&found->second);
      const auto* wanted = std::get_if<std::string>(&value);
      if (given == nullptr || wanted == nullptr) continue;
      if (text.op == "VARIABLE" && name == "initial_value") {
        CTS_RETURN_IF_ERROR(names.Pair(*given, *wanted));
        *given = *wanted;
      } else if (name.ends_with("_graph")) {
        CTS_RETURN_IF_ERROR(LayRegion(*given, *wanted));
        *given = *wanted;
      }
    }
    laid.operators.push_back(std::move(op));
    return absl::OkStatus();
  }

  // A region that several operators name stands in the text several times.
  Status LayRegion(const std::string& text, const std::string& beside) {
    for (size_t r = 0; r < laid_.size(); ++r) {
      if (beside_->regions[r].name != beside) continue;
      Block again;
      CTS_RETURN_IF_ERROR(LayBlock(*text_->FindGraph(text), beside_->regions[r].blocks[0], again));
      if (!laid_[r].name.empty() && Describe(again) != Describe(laid_[r])) {
        return NotFound("the same region ", beside, " twice");
      }
      laid_[r] = std::move(again);
      return absl::OkStatus();
    }
    return NotFound("region ", beside);
  }

  static std::vector<std::string> Describe(const Block& block) {
    Case c;
    c.graph.regions.push_back({"", {block}});
    c.outcome = Outcome::kError;
    std::vector<std::string> parts;
    for (BundleFile& file : EncodeCase(c)) {
      parts.push_back(std::move(file.path));
      parts.push_back(std::move(file.bytes));
    }
    return parts;
  }

  Status LayBlock(const Block& text, const Block& beside, Block& laid) {
    laid.name = beside.name;
    Names names;
    CTS_RETURN_IF_ERROR(names.Pair(text.inputs, beside.inputs));
    std::vector<const GraphOperator*> variables, others;
    for (const GraphOperator& op : text.operators) {
      (op.op == "VARIABLE" ? variables : others).push_back(&op);
    }
    auto variable = variables.begin();
    auto other = others.begin();
    for (const GraphOperator& op : beside.operators) {
      auto& next = op.op == "VARIABLE" ? variable : other;
      if (next == (op.op == "VARIABLE" ? variables : others).end()) return NotFound(op.op);
      CTS_RETURN_IF_ERROR(LayOperator(**next++, op, names, laid));
    }
    if (laid.operators.size() != text.operators.size()) return NotFound("no further operators");
    CTS_RETURN_IF_ERROR(names.Pair(text.outputs, beside.outputs));
    laid.inputs = names.Beside(text.inputs);
    laid.outputs = names.Beside(text.outputs);
    std::map<std::string, const GraphTensor*> tensors;
    for (const GraphTensor& tensor : text.tensors) tensors[tensor.name] = &tensor;
    for (const GraphTensor& tensor : beside.tensors) {
      const auto name = names.of_beside.find(tensor.name);
      if (name == names.of_beside.end()) {
        laid.tensors.push_back(tensor);  // nothing uses it: no text has it
        continue;
      }
      laid.tensors.push_back(*tensors.at(name->second));
      laid.tensors.back().name = tensor.name;
    }
    for (const GraphTensor& tensor : text.tensors) {
      if (!names.of_text.contains(tensor.name)) return NotFound("no tensor ", tensor.name);
    }
    return absl::OkStatus();
  }

  const bool was_printed_;
  const Graph* text_ = nullptr;
  const Graph* beside_ = nullptr;
  std::vector<Block> laid_;
};

// Empty if the case with this graph has the files that it has with its own.
std::string Difference(const Case& c, Graph graph) {
  Case again = c;
  again.graph = std::move(graph);
  const std::vector<BundleFile> expected = EncodeCase(c), found = EncodeCase(again);
  if (expected.size() != found.size()) return "other files";
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].path != found[i].path) return "no " + expected[i].path;
    if (expected[i].bytes != found[i].bytes) return "other bytes in " + expected[i].path;
  }
  return "";
}

// Empty if the text is the case, with what it does not carry from the case.
std::string Difference(const Case& c, std::string_view text, bool was_printed) {
  const StatusOr<Graph> parsed = ParseMlir(text, Tosa10(), c.id);
  if (!parsed.ok()) return Message(parsed.status());
  StatusOr<Graph> graph = LaidBeside(was_printed).Lay(*parsed, c.graph);
  if (!graph.ok()) return Message(graph.status());
  return Difference(c, *std::move(graph));
}

// ---- The suites --------------------------------------------------------------------------------

std::vector<std::string> Recipes() {
  const char* given = std::getenv("CTS_MLIR_RECIPES");
  std::istringstream in(given == nullptr ? "smoke,graphs" : given);
  std::vector<std::string> names;
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  return names;
}

std::string FunctionOf(size_t i) { return "case_" + std::to_string(i); }

Status ForEachCaseOf(const std::string& recipe,
                     const std::function<Status(size_t, const Case&)>& sink) {
  GenerateOptions options;
  CTS_ASSIGN_OR_RETURN(options.recipe, FindRecipe(recipe));
  options.jobs = 2;
  return ForEachCase(options, sink);
}

class MlirRoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(MlirRoundTrip, GivesEveryCaseBack) {
  std::mutex mutex;
  size_t cases = 0, as_it_stands = 0;
  std::map<std::string, int> without;  // a rendering: why, and how many
  const Status done = ForEachCaseOf(GetParam(), [&](size_t i, const Case& c) -> Status {
    const StatusOr<std::string> text = RenderMlir(c.graph, Tosa10(), FunctionOf(i));
    std::string difference;
    bool same = false;
    if (text.ok()) {
      difference = Difference(c, *text, false);
      StatusOr<Graph> graph = ParseMlir(*text, Tosa10(), c.id);
      same = graph.ok() && Difference(c, *std::move(graph)).empty();
    }
    const std::lock_guard lock(mutex);
    ++cases;
    as_it_stands += same ? 1 : 0;
    EXPECT_EQ(difference, "") << c.id << "\n" << text.value_or("");
    if (!text.ok()) {
      EXPECT_TRUE(absl::IsUnimplemented(text.status())) << c.id << ": " << text.status();
      EXPECT_EQ(c.outcome, Outcome::kError) << c.id << ": " << text.status();
      ++without[std::regex_replace(Message(text.status()), std::regex(" \\(tensor .*|-?\\d+"), "")];
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(done.ok()) << done;
  int count = 0;
  for (const auto& [why, number] : without) count += number;
  std::cout << GetParam() << ": " << cases << " cases, " << cases - static_cast<size_t>(count)
            << " there and back, of which " << as_it_stands
            << " needed nothing from the case; no rendering: " << count << "\n";
  for (const auto& [why, number] : without) std::cout << "  " << number << " " << why << "\n";
  EXPECT_GT(cases, 0U);
}

// ---- mlir-opt ----------------------------------------------------------------------------------

// As tools/adapters/mlir checks legality.
constexpr std::string_view kValidate =
    "--pass-pipeline='builtin.module(tosa-attach-target{specification_version=1.0 "
    "profiles=pro_int,pro_fp extensions=int4,int16,bf16,fp8e4m3,fp8e5m2,fft,variable,controlflow,"
    "doubleround,inexactround,dynamic level=8k},tosa-validate{strict-op-spec-alignment})'";
constexpr std::string_view kSeparator = "// -----\n";
constexpr size_t kBatch = 500;

// Valid cases that MLIR 22 refuses: what its message contains, and what it is against.
// tools/adapters/mlir/README.md has the same list.
struct Deviation {
  std::string_view message, clause;
};
constexpr Deviation kDeviations[] = {
    {"'tosa.pad' op failed shape type level check",
     "PAD: MAX_RANK limits rank(shape1) and rank(shape); padding has 2 * rank(shape1) elements"},
    {"op failed level check: 6 >= MAX_NESTING",
     "COND_IF, WHILE_LOOP: the depth before the operator is what must be below MAX_NESTING"},
};

struct MlirOpt {
  std::map<std::string, std::string> printed;  // function -> module
  std::map<std::string, std::string> refused;  // function -> the first diagnostic
};

// mlir-opt prints a VARIABLE whose initial value is no tensor without shape and type, so it could
// not read it again.
bool IsLostInPrinting(const Case& c) {
  const auto& operators = c.graph.main().operators;
  return std::any_of(operators.begin(), operators.end(), [](const GraphOperator& op) {
    const auto found = op.attributes.find("initial_value");
    return op.op == "VARIABLE" && found != op.attributes.end() &&
           !std::holds_alternative<std::string>(found->second);
  });
}

// One batch of modules, each with one function.
MlirOpt RunMlirOpt(const fs::path& directory, const std::vector<std::string>& functions,
                   const std::vector<std::string>& modules, std::string_view options) {
  std::string text;
  std::vector<size_t> lines;  // the last of each module
  size_t line = 0;
  for (const std::string& module : modules) {
    text.append(module).append(kSeparator);
    line += static_cast<size_t>(std::count(module.begin(), module.end(), '\n')) + 1;
    lines.push_back(line);
  }
  const fs::path in = directory / "in.mlir", out = directory / "out.mlir", err = directory / "err";
  EXPECT_TRUE(WriteFile(in, text).ok());
  fs::remove(out);
  const std::string command = StrCat("mlir-opt-22 --split-input-file ", options, " '", in.string(),
                                     "' > '", out.string(), "' 2> '", err.string(), "'");
  const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1) << status;
  MlirOpt result;
  std::istringstream printed(ReadFile(out, uint64_t{1} << 32).value_or(""));
  std::string module, function;
  const std::regex name("func\\.func @(case_\\d+)\\(");
  const auto flush = [&] {
    if (!function.empty()) result.printed[function] = module;
    module.clear();
    function.clear();
  };
  for (std::string one; std::getline(printed, one);) {
    std::smatch match;
    if (one + "\n" == kSeparator) {
      flush();
      continue;
    }
    if (one.size() < 4096 && one.find("func.func") != std::string::npos &&
        std::regex_search(one, match, name)) {
      function = match[1];
    } else if (const size_t at = one.find("func.func @"); at != std::string::npos) {
      function = one.substr(at + 11, one.find('(', at) - at - 11);
    }
    module += one + "\n";
  }
  flush();
  std::istringstream messages(ReadFile(err, uint64_t{1} << 32).value_or(""));
  for (std::string one; std::getline(messages, one);) {
    const size_t at = one.find(": error: ");
    if (at == std::string::npos || !one.starts_with(in.string() + ":")) continue;
    const size_t where = std::stoull(one.substr(in.string().size() + 1));
    const auto found = std::lower_bound(lines.begin(), lines.end(), where) - lines.begin();
    result.refused.emplace(functions[static_cast<size_t>(found)], one.substr(at + 9));
  }
  return result;
}

TEST_P(MlirRoundTrip, SurvivesMlirOptAndItsValidation) {
  if (std::system("mlir-opt-22 --version > /dev/null 2>&1") != 0) {  // NOLINT
    GTEST_SKIP() << "mlir-opt-22: not found; install mlir-22-tools";
  }
  std::string pattern = testing::TempDir() + "/mlir_round_trip-XXXXXX";
  const fs::path directory = mkdtemp(pattern.data());
  std::mutex mutex;
  std::vector<Case> batch;
  size_t next = 0, cases = 0, printed = 0, valid = 0, accepted = 0, wrong_accepted = 0;
  size_t lost = 0;
  std::map<std::string, std::pair<int, std::string>> deviations;
  const auto run = [&] {
    std::vector<std::string> functions, modules, valid_functions, valid_modules;
    std::map<std::string, const Case*> by_function;
    for (const Case& c : batch) {
      const std::string function = FunctionOf(next++);
      StatusOr<std::string> text = RenderMlir(c.graph, Tosa10(), function);
      if (!text.ok()) continue;
      by_function[function] = &c;
      functions.push_back(function);
      modules.push_back(*text);
      EXPECT_EQ(c.level, "8K");
    }
    // Blobs in hexadecimal begin at 8 elements.
    const MlirOpt again = RunMlirOpt(directory, functions, modules,
                                     "--mlir-print-elementsattrs-with-hex-if-larger=8");
    const MlirOpt checked = RunMlirOpt(directory, functions, modules, kValidate);
    for (const auto& [function, module] : again.printed) {
      const Case& c = *by_function.at(function);
      if (IsLostInPrinting(c)) {
        EXPECT_EQ(c.outcome, Outcome::kError) << c.id;
        ++lost;
        continue;
      }
      EXPECT_EQ(Difference(c, module, true), "") << c.id << "\n" << module.substr(0, 5000);
    }
    for (const std::string& function : functions) {
      const Case& c = *by_function.at(function);
      const auto refusal = checked.refused.find(function);
      EXPECT_NE(again.printed.contains(function), again.refused.contains(function)) << c.id;
      EXPECT_NE(checked.printed.contains(function), checked.refused.contains(function)) << c.id;
      if (c.outcome == Outcome::kError) {
        wrong_accepted += refusal == checked.refused.end() ? 1 : 0;
        continue;
      }
      ++valid;
      if (refusal == checked.refused.end()) {
        ++accepted;
        continue;
      }
      const auto known = std::find_if(
          std::begin(kDeviations), std::end(kDeviations), [&](const Deviation& deviation) {
            return refusal->second.find(deviation.message) != std::string::npos;
          });
      EXPECT_TRUE(known != std::end(kDeviations)) << c.id << ": " << refusal->second;
      auto& [count, example] = deviations[known == std::end(kDeviations)
                                              ? refusal->second
                                              : StrCat(known->message, " (", known->clause, ")")];
      ++count;
      example = c.id;
    }
    cases += functions.size();
    printed += again.printed.size();
    batch.clear();
  };
  // Every second case; with TENSOR_CTS_WHOLE in the environment all of them.
  const size_t step = std::getenv("TENSOR_CTS_WHOLE") == nullptr ? 2 : 1;
  const Status done = ForEachCaseOf(GetParam(), [&](size_t index, const Case& c) -> Status {
    if (index % step != 0) return absl::OkStatus();
    const std::lock_guard lock(mutex);
    batch.push_back(c);
    if (batch.size() == kBatch) run();
    return absl::OkStatus();
  });
  ASSERT_TRUE(done.ok()) << done;
  run();
  fs::remove_all(directory);
  std::cout << GetParam() << ": " << cases << " modules, " << printed << " printed by mlir-opt, "
            << printed - lost << " of them read back; " << accepted << " of " << valid
            << " valid cases accepted by tosa-validate; of " << cases - valid
            << " error cases, accepted: " << wrong_accepted << "\n";
  for (const auto& [message, cause] : deviations) {
    std::cout << "  " << cause.first << " refused: " << message << ", such as " << cause.second
              << "\n";
  }
  EXPECT_GT(valid, 0U);
}

INSTANTIATE_TEST_SUITE_P(Recipes, MlirRoundTrip, testing::ValuesIn(Recipes()),
                         [](const testing::TestParamInfo<std::string>& recipe) {
                           std::string name = recipe.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cts
