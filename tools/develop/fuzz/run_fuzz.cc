// Texts of other processes and of earlier ones: lines of adapters and of hosts of plugins, the
// journal of a suite, reports of sweeps.
#include <string>

#include "generator/partial_suite.h"
#include "reference/base/json.h"
#include "tools/develop/fuzz/fuzz.h"
#include "tools/program/run/plugin_process.h"
#include "tools/program/run/protocol.h"
#include "tools/program/sweep/sweep_host.h"
#include "tools/program/sweep/sweep_report.h"

namespace cts {

void FuzzWorker(std::string_view bytes) {
  const WorkerLine line = ParseWorkerLine(std::string(bytes));
  if (!line.fault.empty()) return;
  if (line.announcement) {
    Assert(1 <= line.batch && line.batch <= 4096, "a batch has a size");
    return;
  }
  Assert(line.status && IsAnswer(*line.status), "an answer is one of four");
  // Any id comes through a request and back.
  if (!line.id) return;
  const StatusOr<Json> request = ParseJson(WorkerRequest(*line.id, "case", "result", true), "line");
  Assert(request.ok() && (*request)["case"] == *line.id, "a request names the case");
}

// The first byte is the exit, the rest the last words, or a line of answers.
void FuzzHost(std::string_view bytes) {
  const int code = TakeByte(&bytes);
  const std::string text(bytes);
  const std::string did = WhatPluginDid({code, code > 128 ? code - 128 : 0}, text);
  for (const char c : did) Assert(c == '\n' || static_cast<unsigned char>(c) >= ' ', "printable");
  std::string joined;
  for (const std::string& word : SplitHostLine(text)) joined += '\t' + word;
  Assert(joined == '\t' + text, "the words are the line");
}

void FuzzJournal(std::string_view bytes) {
  const std::optional<FinishedCase> finished = ParseJournalLine(bytes);
  if (!finished) return;
  Assert(IsCaseId(finished->entry.id), "the id is one, and no path elsewhere");
  const std::string line = JournalLine(*finished);
  const std::optional<FinishedCase> again = ParseJournalLine(line);
  Assert(again && JournalLine(*again) == line, "it survives being written and read");
}

void FuzzSweep(std::string_view bytes) {
  StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  // The seeds are those of an earlier version; everything of that would be refused.
  if (json->is_object() && json->contains("generator")) (*json)["generator"] = CTS_VERSION;
  const StatusOr<SweepReport> report = SweepReportFromJson(*json, "text");
  if (!report.ok()) {
    Assert(Message(report.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  Assert(!FormatSweep(*report).empty(), "there is a text for people");
  const Json written = SweepReportToJson(*report);
  const StatusOr<SweepReport> again = SweepReportFromJson(written, "again");
  Assert(again.ok() && SweepReportToJson(*again) == written, "it survives being written and read");
}

}  // namespace cts
