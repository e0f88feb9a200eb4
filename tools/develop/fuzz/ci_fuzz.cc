// Files that a vendor keeps in a repository for `gate`, `generate` and `compare`: waivers,
// baselines, accuracies, declarations, recipes, reports.
#include "checker/gate/gate.h"
#include "checker/judge/declared.h"
#include "checker/report/accuracy.h"
#include "checker/report/html.h"
#include "checker/report/report.h"
#include "generator/recipe/recipe.h"
#include "reference/base/json.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {

void FuzzWaivers(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<std::vector<Waiver>> waivers = WaiversFromJson(*json, "text");
  if (!waivers.ok()) {
    Assert(Message(waivers.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  Assert(waivers->size() == json->size(), "every waiver is read");
  Report report;
  report.cases.resize(2);
  report.cases[0].id = "add/a";
  report.cases[0].verdict = Verdict::kPass;
  report.cases[1].id = "add/b";
  report.cases[1].verdict = Verdict::kFail;
  GateOptions options;
  options.waivers = *waivers;
  options.today = "2026-01-01";
  const StatusOr<GateResult> result = ApplyGate(report, options);
  Assert(result.ok(), "waivers without a baseline can be applied");
  Assert(result->fresh.size() + result->waived.size() == 1, "a failure is new or waived");
  Assert(!FormatGate(report, options, *result).empty(), "there is a verdict");
  const std::string markdown = FormatGateMarkdown(report, options, *result);
  Assert(markdown.find("](") == std::string::npos, "no text from outside is a link");
  const std::string lines = GateAnnotations(report, *result);
  Assert(lines.empty() || lines.find("\n::", 2) == std::string::npos, "one failure is one command");
  Assert(GateSarif(report, options, *result)["runs"][0]["results"].size() == result->fresh.size(),
         "SARIF has the new failures");
}

void FuzzAccuracy(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<Accuracy> accuracy = AccuracyFromJson(*json, "text");
  if (!accuracy.ok()) {
    Assert(Message(accuracy.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  const Json written = AccuracyToJson(*accuracy);
  const StatusOr<Accuracy> again = AccuracyFromJson(written, "again");
  Assert(again.ok() && AccuracyToJson(*again) == written, "it survives being written and read");
}

void FuzzReport(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<Report> report = ReportFromJson(*json, "text");
  if (!report.ok()) {
    Assert(Message(report.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  const StatusOr<Report> again = ReportFromJson(ReportToJson(*report), "again");
  Assert(again.ok(), "what was read can be written");
  Assert(!FormatText(*report).empty() && !FormatHtml(*report).empty(), "people can read it");
}

void FuzzBaseline(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<Baseline> baseline = BaselineFromJson(*json, "text");
  if (!baseline.ok()) {
    Assert(Message(baseline.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  const Json written = BaselineToJson(*baseline);
  const StatusOr<Baseline> again = BaselineFromJson(written, "again");
  Assert(again.ok() && BaselineToJson(*again) == written, "it survives being written and read");
}

void FuzzDeclared(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<Declared> declared = DeclaredFromJson(*json, "text");
  if (!declared.ok()) {
    Assert(Message(declared.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  const Json written = DeclaredToJson(*declared);
  const StatusOr<Declared> again = DeclaredFromJson(written, "again");
  Assert(again.ok() && *again == *declared, "it survives being written and read");
  const Status status = CheckDeclared(*declared, "tosa-1.0", "text");
  Assert(status.ok() || Message(status).starts_with("text: "), "a refusal names the file");
  if (!status.ok()) return;
  Case c;
  c.op = "ADD";
  c.graph = EmptyGraph();
  c.graph.main().tensors = {{"x", DType::kI8, {2, 3}, nullptr}};
  c.graph.main().operators = {{"ADD", {"x", "x"}, {"x"}, {}}};
  const std::string beyond = BeyondDeclared(*declared, c);
  Assert(declared->operators || declared->types || !declared->types_of.empty() ||
             declared->max_rank || declared->max_dimension || declared->max_elements ||
             beyond.empty(),
         "what restricts nothing declares everything");
}

void FuzzRecipe(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<Recipe> recipe = RecipeFromJson(*json, "text");
  if (!recipe.ok()) {
    Assert(Message(recipe.status()).starts_with("text"), "a refusal names the file");
    return;
  }
  const Json written = RecipeToJson(*recipe);
  const StatusOr<Recipe> again = RecipeFromJson(written, "again");
  Assert(again.ok() && RecipeToJson(*again) == written, "it survives being written and read");
}

}  // namespace cts
