#include "tools/program/commands/report_options.h"

#include <utility>
#include <vector>

#include "checker/report/html.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"

namespace cts {

void ReportOptions::Add(CLI::App& command) {
  const auto add = [&](const char* option, std::string& place, const std::string& what) {
    command.add_option(option, place, what + "; - prints only that")
        ->type_name("FILE")
        ->check([](const std::string& file) {
          return std::string(file.empty() ? "expected a file, or -" : "");
        });
  };
  add("--json", json, "Write a JSON report");
  add("--junit", junit, "Write JUnit XML");
  command
      .add_option("--junit-unsupported", junit_unsupported,
                  "What JUnit XML calls a case that is not supported: skipped\n"
                  "(the default) or failure")
      ->check(OneOf({"skipped", "failure"}))
      ->needs("--junit")
      ->type_name("HOW");
  add("--html", html, "Write one self-contained HTML page");
}

Status ReportOptions::Probe(const Places& more) const {
  Places places = {{"--json", json}, {"--junit", junit}, {"--html", html}};
  places.insert(places.end(), more.begin(), more.end());
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [option, place] = places[i];
    if (place.empty()) continue;
    for (size_t k = i + 1; k < places.size(); ++k) {
      if (place != places[k].second) continue;
      return InvalidArgument(option, " and ", places[k].first, ": found ", place,
                             " for both, expected a place of its own for each");
    }
    CTS_RETURN_IF_ERROR(Annotate(ProbePlace(place), option));
  }
  return absl::OkStatus();
}

Status ReportOptions::Emit(const Report& report, const std::string& text, const Files& more) const {
  // Everything is made before anything is written.
  Files files = more;
  const JUnitUnsupported unsupported =
      junit_unsupported == "failure" ? JUnitUnsupported::kFailure : JUnitUnsupported::kSkipped;
  if (!junit.empty()) files.emplace_back(junit, FormatJUnit(report, unsupported));
  if (!json.empty()) files.emplace_back(json, FormatJson(ReportToJson(report)));
  if (!html.empty()) files.emplace_back(html, FormatHtml(report));
  bool printed = false;
  for (const auto& [place, contents] : files) {
    CTS_RETURN_IF_ERROR(cts::Emit(place, contents));
    printed = printed || place == "-";
  }
  if (printed) return absl::OkStatus();
  return Say(TheVolume() == Volume::kQuiet ? LastLine(text) + "\n" : text);
}

void AddDeclaredOption(CLI::App& command, std::filesystem::path& file) {
  command
      .add_option("--declared", file,
                  "Declares what the implementation supports, beside its own words:\n"
                  "schemas/declared.schema.json")
      ->type_name("FILE");
}

StatusOr<std::optional<DeclaredBy>> ReadDeclaredOption(const std::filesystem::path& file,
                                                       const std::filesystem::path& suite) {
  if (file.empty()) return std::optional<DeclaredBy>();
  CTS_ASSIGN_OR_RETURN(const Suite of, ReadSuiteToRun(suite));
  StatusOr<Declared> declared = ReadDeclared(file, of.edition);
  if (declared.ok()) return std::optional(DeclaredBy{file.string(), *std::move(declared)});
  if (!absl::IsNotFound(declared.status())) return Annotate(declared.status(), "--declared");
  return NotFound("--declared: ", Message(declared.status()),
                  ", expected what the implementation supports, as schemas/declared.schema.json "
                  "describes it");
}

}  // namespace cts
