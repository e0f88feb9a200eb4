#include "tools/program/which/which.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checker/judge/check.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "generator/partial_suite.h"
#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/graph/symbols.h"
#include "tools/program/exchange/graph_parts.h"
#include "tools/program/exchange/network.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

using Kind = OperatorAlone::Kind;

StatusOr<Case> ReadNetworkCase(const WhichOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(options.suite));
  if (options.id.empty() && suite.cases.size() != 1) {
    return InvalidArgument(options.suite.string(), ": found ", suite.cases.size(),
                           " cases, expected one network, or --id CASE");
  }
  std::string id = options.id;
  if (id.empty()) {
    id = suite.cases.front().id;
  } else {
    CTS_RETURN_IF_ERROR(FindCase(suite, id, options.suite).status());
  }
  CTS_ASSIGN_OR_RETURN(Case c, ReadCase(options.suite / id));
  const std::string place = (options.suite / id).string();
  const auto refuse = [&](std::string_view what) {
    return InvalidArgument(place, ": found ", what,
                           ", expected a network whose operators stand alone");
  };
  if (c.outcome == Outcome::kError) return refuse("an illegal graph");
  if (IsSymbolic(c.graph)) return refuse("a symbolic program");
  if (c.executions() > 1) return refuse("several executions");
  for (const GraphOperator& op : c.graph.main().operators) {
    if (IsVariableOperator(op)) return refuse("variables");
  }
  return c;
}

std::string InSmallLetters(std::string_view name) {
  std::string small;
  for (const char c : name) small += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 0x20 : c);
  return small;
}

// Returns the reference's result, in the output's own type.
Tensor Rounded(const ExpectedOutput& output) {
  const Tensor& expected = output.answers.front().expected;
  if (expected.dtype() == output.dtype) return expected;
  return Tensor::OfFloats(output.dtype, output.shape, expected.Elements());
}

class Search {
 public:
  Search(const WhichOptions& options, const Case& network)
      : options_(options), network_(network), values_(network.inputs) {}

  // Runs one operator and takes what it made. Errors: a machine that is broken, an implementation
  // that does not start.
  StatusOr<OperatorAlone> Try(size_t position) {
    const GraphOperator& op = network_.graph.main().operators[position];
    OperatorAlone found;
    found.position = position;
    found.op = op.op;
    if (!op.outputs.empty()) found.makes = op.outputs.front();
    const auto say = [&found](Kind kind, std::string message) {
      found.kind = kind;
      found.message = std::move(message);
      return found;
    };
    const std::string number = std::to_string(position);
    const std::string name = std::string(3 - std::min<size_t>(3, number.size()), '0') + number +
                             "-" + InSmallLetters(op.op);
    found.id = "which/" + name;
    Network alone{found.id, TakeOut(network_.graph, op), {}, network_.edition, network_.level};
    for (const std::string& input : alone.graph.main().inputs) {
      const auto value = values_.find(input);
      if (value == values_.end()) {
        return say(Kind::kNotJudged, StrCat("its input ", Printable(input), " was not made"));
      }
      alone.inputs.emplace(input, value->second);
    }
    const StatusOr<Case> asked = CaseOfNetwork(alone);
    if (!asked.ok()) return say(Kind::kNotJudged, Message(asked.status()));
    CTS_ASSIGN_OR_RETURN(const Suite suite,
                         WriteSuiteOf(*asked, "which", options_.out / name / "suite"));
    found.results = options_.out / name / "results";
    RunOptions run = options_.run;
    run.suite = options_.out / name / "suite";
    run.out = found.results;
    run.jobs = 1;
    CTS_ASSIGN_OR_RETURN(const RunSummary summary, RunSuite(run, nullptr));
    if (summary.interrupted) return Unavailable("which: interrupted");
    if (!summary.IsOfImplementation()) {
      return Unavailable("which: ", found.op, " got no answer: ", Printable(summary.first_message),
                         ". Mend the adapter");
    }
    CTS_ASSIGN_OR_RETURN(CheckedCase checked, CheckCase(run.suite, suite.cases.front(),
                                                        network_.edition, found.results));
    TakeResults(op, *asked, checked);
    const CaseReport& report = checked.report;
    if (report.verdict == Verdict::kUnsupported) {
      return say(Kind::kNotSupported, StrCat(report.message, report.message.empty() ? "" : "; ",
                                             "later operators go on from the reference's result"));
    }
    if (report.verdict == Verdict::kAccepted) {
      return say(Kind::kNotJudged, "it was accepted, values not shown");
    }
    if (report.verdict == Verdict::kDisputed) return say(Kind::kNotJudged, report.message);
    if (report.verdict == Verdict::kPass) {
      return report.unchecked ? say(Kind::kNotJudged, "unchecked: " + report.message)
                              : say(Kind::kRight, FarthestOff(report));
    }
    return say(Kind::kWrong, StrCat(Words(Name(report.verdict)), ": ", report.message));
  }

 private:
  // Takes the implementation's results, right or wrong; where there is none, the reference's.
  void TakeResults(const GraphOperator& op, const Case& asked, CheckedCase& checked) {
    for (const std::string& name : op.outputs) {
      for (size_t k = 0; k < asked.outputs.size(); ++k) {
        const ExpectedOutput& output = asked.outputs[k];
        if (output.name != name) continue;
        const bool made = k < checked.outputs.size() && checked.outputs[k].result.has_value();
        if (made) {
          values_.insert_or_assign(name, *std::move(checked.outputs[k].result));
        } else if (!output.answers.empty()) {
          values_.insert_or_assign(name, Rounded(output));
        }
      }
    }
  }

  static std::string FarthestOff(const CaseReport& report) {
    const OutputReport* worst = nullptr;
    for (const OutputReport& output : report.outputs) {
      if (HasFigures(output) && (worst == nullptr || output.worst_ulp > worst->worst_ulp)) {
        worst = &output;
      }
    }
    if (worst == nullptr || worst->worst_ulp == 0) return "";
    return "at most off by " +
           FormatDistance(worst->worst_ulp, worst->worst_of_bound, worst->dtype);
  }

  const WhichOptions& options_;
  const Case& network_;
  std::map<std::string, Tensor> values_;  // of every tensor that is known so far
};

}  // namespace

const OperatorAlone* Which::FirstWrong() const {
  const auto found =
      std::find_if(operators.begin(), operators.end(),
                   [](const OperatorAlone& each) { return each.kind == Kind::kWrong; });
  return found == operators.end() ? nullptr : &*found;
}

size_t Which::Count(OperatorAlone::Kind kind) const {
  return static_cast<size_t>(
      std::count_if(operators.begin(), operators.end(),
                    [&](const OperatorAlone& each) { return each.kind == kind; }));
}

StatusOr<Which> FindWrongOperator(const WhichOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Case network, ReadNetworkCase(options));
  CTS_RETURN_IF_ERROR(CheckFree(options.out));
  Search search(options, network);
  Which which;
  const std::vector<GraphOperator>& operators = network.graph.main().operators;
  for (const GraphOperator& op : operators) which.total += IsConstant(op) ? 0 : 1;
  for (size_t i = 0; i < operators.size(); ++i) {
    if (IsConstant(operators[i])) continue;
    if (options.stop != nullptr && *options.stop) return Unavailable("which: interrupted");
    if (options.progress) options.progress(which.operators.size(), which.total);
    CTS_ASSIGN_OR_RETURN(OperatorAlone found, search.Try(i));
    const bool wrong = found.kind == Kind::kWrong;
    which.operators.push_back(std::move(found));
    if (wrong && !options.all) break;
  }
  return which;
}

}  // namespace cts
