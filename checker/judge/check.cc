#include "checker/judge/check.h"

#include <sys/stat.h>

#include <algorithm>

#include "checker/judge/across_cases.h"
#include "checker/judge/check_notes.h"
#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "checker/text/selection.h"
#include "reference/base/file.h"
#include "reference/base/nearest.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/parallel_for.h"
#include "reference/base/plain_arithmetic.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

std::vector<RunPart> PartsOf(const RunRecord& record) {
  std::vector<RunPart> parts;
  const auto add = [&](const RunPlace& place) {
    const auto text = [](const std::optional<std::string>& words) {
      return Printable(words.value_or(""));
    };
    parts.push_back(
        {text(place.host), text(place.started), text(place.ended), text(place.last_result)});
  };
  add(record.place);
  for (const RunPlace& place : record.resumed) add(place);
  return parts;
}

std::string EndOfShards(const std::vector<MergedShard>& shards) {
  std::string end;
  for (const MergedShard& shard : shards) {
    const RunPlace& last = shard.resumed.empty() ? shard.place : shard.resumed.back();
    if (!last.ended) return "";
    end = std::max(end, Printable(*last.ended));
  }
  return end;
}

}  // namespace

StatusOr<RunInfo> ReadRun(const fs::path& results, const Suite& suite, const fs::path& suite_path) {
  const fs::path path = results / "run.json";
  const StatusOr<RunRecord> record = ReadRunRecord(results);
  if (!record.ok()) {
    return Annotate(record.status(),
                    StrCat(results.string(), ": expected results as tensor-cts run writes them"));
  }
  RunInfo run;
  run.suite = Printable(record->suite);
  run.suite_digest = record->suite_digest;
  run.name = Printable(record->implementation.name);
  run.version = Printable(record->implementation.version);
  run.command = Printable(record->command);
  run.edition_file = Printable(record->edition_file.value_or(""));
  run.host = Printable(record->place.host.value_or(""));
  run.started = Printable(record->place.started.value_or(""));
  run.seconds = record->seconds.value_or(0);
  run.packed = record->packs && !record->packs->empty();
  run.complete = record->complete.value_or(true);
  if (record->options) {
    run.timeout_seconds = record->options->timeout_seconds.value_or(0);
    run.memory_mb = record->options->memory_mb;
    run.symbolic = record->options->symbolic;
  }
  if (record->unexplained) {
    run.unexplained = record->unexplained->count;
    run.first_unexplained = Printable(record->unexplained->first);
  }
  if (record->changed) {
    return InvalidArgument(
        path.string(), ": /changed: found \"", Printable(*record->changed),
        "\", a file of the adapter that changed while it ran: the results are of ",
        "no one implementation; run again into a new folder");
  }
  run.declared = record->implementation.declared;
  run.shard = record->shard;
  if (run.shard && run.shard->index > run.shard->of) {
    return InvalidArgument(path.string(), ": /shard: found ", run.shard->index, " of ",
                           run.shard->of, ", expected an index from 1 to that");
  }
  if (run.shard && !run.shard->positions.empty() &&
      (!std::is_sorted(run.shard->positions.begin(), run.shard->positions.end()) ||
       run.shard->positions.back() >= suite.cases.size())) {
    return InvalidArgument(path.string(), ": /shard/positions: expected ascending positions in a ",
                           "suite of ", suite.cases.size(), " cases; run this shard again");
  }
  for (const std::string& pattern : record->filter.value_or(std::vector<std::string>())) {
    run.filter.push_back(Printable(pattern));
  }
  run.again = record->again.has_value();
  for (const std::string& named : record->code.value_or(std::vector<std::string>())) {
    run.code.push_back(Printable(named));
  }
  if (record->announced_code)
    run.announced_code = static_cast<int64_t>(record->announced_code->size());
  run.repeats = record->repeats.value_or(1);
  // certify did not see a blind run, or a run before it, so the load is not witnessed.
  run.under_load = record->under_load && !record->blind && !record->given;
  run.parts = PartsOf(*record);
  run.shards = record->shards.size();
  for (const MergedShard& shard : record->shards) run.shards_resumed += shard.resumed.size();
  run.shards_ended = EndOfShards(record->shards);
  if (record->given) run.taken = Printable(record->given->taken);
  run.tensor_cts = Printable(record->tensor_cts.value_or(""));
  run.commit = Printable(record->commit.value_or(""));
  if (run.suite_digest != suite.digest) {
    return InvalidArgument(path.string(), ": /suite_digest: found ", run.suite_digest,
                           " (results of the suite '", run.suite, "'), expected ", suite.digest,
                           " of ", suite_path.string(),
                           ": check against the suite that ran, or run this one");
  }
  return run;
}

std::vector<DeclaredBy> WhoDeclares(const std::optional<DeclaredBy>& file, const RunInfo& run,
                                    std::string_view edition) {
  std::vector<DeclaredBy> declared;
  if (file) declared.push_back(*file);
  if (run.declared && run.declared->edition == edition) {
    declared.push_back({"the implementation", *run.declared});
  }
  return declared;
}

void CompareWithDeclared(const std::vector<DeclaredBy>& declared, bool symbolic, const Case& c,
                         CaseReport* known) {
  if (declared.empty()) return;
  known->declared = false;
  const bool not_accepted = !c.bindings.empty() && !symbolic;
  for (size_t i = 0; i < declared.size() && !not_accepted; ++i) {
    if (CalledConformant(declared[i].declared, c)) known->called_conformant_by.push_back(i);
  }
  for (const DeclaredBy& each : declared) {
    std::string beyond = not_accepted ? std::string("symbolic programs (--symbolic)")
                                      : BeyondDeclared(each.declared, c);
    if (beyond.empty()) {
      known->declared = true;
      known->beyond.clear();
      if (known->verdict == Verdict::kUnsupported) {
        known->message =
            StrCat("declared by ", Printable(each.by), ", not answered: ", known->message);
      }
      return;
    }
    if (known->beyond.empty()) known->beyond = std::move(beyond);
  }
}

StatusOr<const SuiteEntry*> FindCase(const Suite& suite, std::string_view id,
                                     const fs::path& suite_path) {
  if (const SuiteEntry* const entry = suite.Find(id); entry != nullptr) return entry;
  std::vector<std::string> ids;
  ids.reserve(suite.cases.size());
  for (const SuiteEntry& other : suite.cases) ids.push_back(other.id);
  std::string nearest;
  for (const std::string& other : NearestNames(ids, id, 5)) nearest += StrCat("\n  ", other);
  return NotFound("case '", Shortened(Printable(id), 240), "': not in ", suite_path.string(),
                  ", which has ", ids.size(), " cases",
                  nearest.empty() ? "" : "; nearest:", nearest);
}

namespace {

// Which run.json is there: every run that begins or goes on puts another one in its place.
std::tuple<uint64_t, int64_t, int64_t> StampOf(const fs::path& results) {
  struct stat info {};
  if (stat((results / "run.json").c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

void CollectDeclared(const CheckOptions& options, Report* report) {
  report->declared = WhoDeclares(options.declared, report->run, report->suite.edition);
  if (report->run.declared && report->run.declared->edition != report->suite.edition) {
    report->notes.push_back(StrCat("the implementation declares what it supports of ",
                                   Printable(report->run.declared->edition), ", and nothing of ",
                                   report->suite.edition));
  }
}

void LeaveOutMissing(Report* report) {
  const size_t left_out = std::erase_if(report->cases, [](const CaseReport& c) {
    return c.verdict == Verdict::kMissing && !c.answered;
  });
  if (left_out > 0) report->missing = left_out;
}

}  // namespace

StatusOr<Report> CheckSuite(const CheckOptions& options) {
  const PlainArithmetic plain;
  Report report;
  report.suite_path = options.suite;
  report.results_path = options.results;
  CTS_ASSIGN_OR_RETURN(report.suite, ReadSuite(options.suite));
  const auto begun = StampOf(options.results);
  CTS_ASSIGN_OR_RETURN(report.run, ReadRun(options.results, report.suite, options.suite));

  report.filter = options.filter;
  CollectDeclared(options, &report);
  CTS_ASSIGN_OR_RETURN(const std::vector<const SuiteEntry*> entries,
                       SelectCases(report.suite, report.run.shard, report.filter, options.suite));
  CTS_ASSIGN_OR_RETURN(const Folder suite, Folder::Open(options.suite));
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(options.results));
  report.cases.resize(entries.size());
  CTS_RETURN_IF_ERROR(ParallelFor(
      entries.size(), {.jobs = options.jobs, .stop = options.stop, .progress = options.progress},
      [&](size_t i) -> Status {
        CTS_ASSIGN_OR_RETURN(
            CheckedCase checked, CatchBadAlloc(StrCat("case ", entries[i]->id), [&] {
              return CheckCaseIn(suite, *entries[i], report.suite.edition, results);
            }));
        CaseReport& known = report.cases[i] = std::move(checked.report);
        CompareWithDeclared(report.declared, report.run.symbolic, checked.expected, &known);
        if (options.meaning && known.outcome == Outcome::kError &&
            known.verdict != Verdict::kPass) {
          known.meaning = Printable(options.meaning(checked.expected));
          if (known.verdict == Verdict::kWrongOutcome) known.message = WrongResult(known);
        }
        return absl::OkStatus();
      }));

  // A run that goes on takes its packs away for a while: what was not there may be there again.
  if (report.run.packed && StampOf(options.results) != begun) {
    return Unavailable(options.results.string(), ": a run went on there while its results were ",
                       "checked; wait for its end and check again");
  }
  if (options.partial) LeaveOutMissing(&report);
  FindChoices(&report);
  FindNondeterminism(&report);
  if (report.run.unexplained > 0) {
    report.findings.push_back(
        {"unexplained_fault",
         StrCat(report.run.unexplained, " times a worker did something wrong, and no case that it ",
                "had in hand did so again when it ran alone; first, ",
                report.run.first_unexplained),
         {}});
  }
  if (!report.run.complete && !report.missing) {
    report.notes.push_back(StrCat("the run was interrupted: cases without a result count as ",
                                  "missing; go on with the same command and --resume"));
  }
  if (report.run.again) {
    if (report.filter.empty() && !report.missing) {
      report.notes.push_back(StrCat("only cases that failed in a report ran, the others have no ",
                                    "result; check those that ran by --partial"));
    }
  } else if (!report.run.filter.empty() && report.filter.empty()) {
    std::string patterns;
    for (const std::string& pattern : report.run.filter) {
      patterns += StrCat(" --filter ", ShellQuoted(pattern));
    }
    report.notes.push_back(StrCat("only a part of the suite ran, the other cases have no result; ",
                                  "check that part alone by", patterns));
  }
  CTS_RETURN_IF_ERROR(AddNotes(results, &report));
  return report;
}

}  // namespace cts
