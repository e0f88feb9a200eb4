#include "tools/program/sweep/sweep.h"

#include <filesystem>
#include <memory>
#include <optional>

#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"
#include "tools/program/run/engine_shard.h"
#include "tools/program/sweep/sweep_all.h"
#include "tools/program/sweep/sweep_host.h"

namespace cts {
namespace {

constexpr const char* kSweepFooter =
    "Asks a plugin about every input of a unary operator of up to 32 bits, or every pair of "
    "inputs\n"
    "of a binary operator of up to 16 bits. For example:\n\n"
    "  tensor-cts sweep --operator EXP --type fp32 --plugin ./libvendor.so --out exp.json\n\n"
    "A filter with proven error bounds decides nearly all results by the rules of check. The\n"
    "reference (MPFR) decides the rest. Only the report is stored. Each job runs the plugin in a\n"
    "process of its own. If an input crashes or hangs the plugin, halving finds that input.\n"
    "--shard or --inputs sweeps a part of the inputs; --merge adds up the reports of parts.\n"
    "--all sweeps every operator of the edition, or those with --type and --in-type, into a "
    "folder:\n"
    "a report and a page each, and index.html. With it, --shard takes every N-th question.\n\n"
    "Exit code: 0 nothing wrong, 1 not conformant, 2 usage or environment, 130 interrupted.";

struct SweepArguments {
  SweepOptions sweep;
  std::string shard, inputs, html, python;
  std::vector<std::string> attributes, merge;
  bool json = false, all = false;
};

StatusOr<SweepRange> ParseRange(const std::string& text) {
  const size_t dash = text.find('-');
  char *first_end = nullptr, *last_end = nullptr;
  SweepRange range;
  range.first = std::strtoull(text.c_str(), &first_end, 0);
  range.last = range.first;
  if (dash == std::string::npos) {
    last_end = first_end;
  } else {
    range.last = std::strtoull(text.c_str() + dash + 1, &last_end, 0);
    if (first_end != text.c_str() + dash) first_end = nullptr;
  }
  const bool digits =
      !text.empty() && '0' <= text[0] && text[0] <= '9' &&
      (dash == std::string::npos || ('0' <= text[dash + 1] && text[dash + 1] <= '9'));
  if (!digits || first_end == nullptr || *last_end != '\0') {
    return InvalidArgument("sweep: --inputs: found ", text,
                           ", expected the bits of an input or of two, such as "
                           "0x3f800000-0x3fffffff");
  }
  return range;
}

// The options that say what is asked, but for the operator.
Status Resolve(SweepArguments* options) {
  SweepOptions& sweep = options->sweep;
  if (!options->python.empty()) {
    CTS_ASSIGN_OR_RETURN(const std::string command, WorkerOf(options->python, sweep.code));
    sweep.worker = command + " --worker";
  }
  if (!options->shard.empty()) {
    CTS_ASSIGN_OR_RETURN(sweep.shard, ShardOfTask(options->shard));
  }
  if (!options->inputs.empty()) {
    CTS_ASSIGN_OR_RETURN(sweep.range, ParseRange(options->inputs));
  }
  for (const std::string& attribute : options->attributes) {
    const size_t equals = attribute.find('=');
    if (equals == std::string::npos || equals == 0) {
      return InvalidArgument("sweep: --attribute: found ", attribute, ", expected NAME=VALUE");
    }
    sweep.question.attributes[attribute.substr(0, equals)] = attribute.substr(equals + 1);
  }
  return absl::OkStatus();
}

int Code(const SweepReport& report) {
  switch (VerdictOf(report)) {
    case SweepVerdict::kConformant:
    case SweepVerdict::kPassed:
      return kDone;
    case SweepVerdict::kNonconforming:
      return kNotConformant;
    case SweepVerdict::kUnfinished:
      return kCannot;
  }
  return kCannot;
}

StatusOr<int> Print(const SweepReport& report, const SweepArguments& options) {
  if (!options.html.empty()) CTS_RETURN_IF_ERROR(Emit(options.html, FormatSweepPage(report)));
  const bool json = options.json;
  CTS_RETURN_IF_ERROR(Say(json ? FormatJson(SweepReportToJson(report)) : FormatSweep(report)));
  return Code(report);
}

Status ProbePage(const std::string& file) {
  return file.empty() ? absl::OkStatus() : Annotate(ProbePlace(file), "--html");
}

StatusOr<int> Merge(const SweepArguments& options) {
  CTS_RETURN_IF_ERROR(ProbePage(options.html));
  const std::filesystem::path& out = options.sweep.out;
  CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(out));
  if (taken) return InvalidArgument(out.string(), ": exists; name another file");
  CTS_ASSIGN_OR_RETURN(const SweepReport report,
                       MergeSweeps({options.merge.begin(), options.merge.end()}));
  if (!options.sweep.out.empty()) {
    CTS_RETURN_IF_ERROR(SaveJson(options.sweep.out, SweepReportToJson(report)));
  }
  return Print(report, options);
}

// Progress in blocks: 2^32 inputs are more than an int holds.
SweepProgress ShowOn(std::optional<ProgressBar>& bar) {
  return [&bar](uint64_t done, uint64_t total) {
    const auto block = static_cast<uint64_t>(kSweepBlock);
    bar->Update(static_cast<int>((done + block - 1) / block),
                static_cast<int>((total + block - 1) / block));
  };
}

int Code(SweepAllVerdict verdict) {
  switch (verdict) {
    case SweepAllVerdict::kNothingWrong:
      return kDone;
    case SweepAllVerdict::kNonconforming:
      return kNotConformant;
    case SweepAllVerdict::kIncomplete:
    case SweepAllVerdict::kNothingOffered:
      return kCannot;
  }
  return kCannot;
}

StatusOr<int> SweepAll(SweepArguments options) {
  SweepOptions& sweep = options.sweep;
  const std::filesystem::path folder = std::exchange(sweep.out, {});
  if ((sweep.plugin.empty() && options.python.empty()) || folder.empty()) {
    return InvalidArgument(
        "sweep --all: expected --plugin or --python, and a folder for the reports in --out");
  }
  if (!sweep.question.op.empty() || !options.attributes.empty() || !options.inputs.empty() ||
      !options.html.empty() || options.json) {
    return InvalidArgument(
        "sweep --all: found --operator, --attribute, --inputs, --html or --json, which are for one "
        "operator; expected --type and --in-type at most; the reports and pages are in --out");
  }
  CTS_RETURN_IF_ERROR(Resolve(&options));
  std::optional<ProgressBar> bar;
  const SweepBegins begins = [&bar](const SweepQuestion& question, size_t done, size_t total) {
    bar.emplace(StrCat("sweep ", done + 1, "/", total, " ", StemOf(question)));
  };
  CTS_ASSIGN_OR_RETURN(const SweepAllSummary summary,
                       RunAllSweeps(sweep, folder, begins, ShowOn(bar)));
  bar.reset();
  CTS_RETURN_IF_ERROR(Say(FormatAllSweeps(summary)));
  if (summary.interrupted) {
    return Unavailable("sweep: interrupted; go on with the same command and --resume");
  }
  CTS_RETURN_IF_ERROR(Say(StrCat("The page: ", (folder / "index.html").string(), "\n")));
  return Code(VerdictOf(summary));
}

StatusOr<int> Sweep(SweepArguments options) {
  const SweepQuestion& question = options.sweep.question;
  if (question.op.empty() || question.type.empty() ||
      (options.sweep.plugin.empty() && options.python.empty())) {
    return InvalidArgument(
        "sweep: expected --operator, --type and --plugin or --python, or --all and one of them, or "
        "--merge");
  }
  CTS_RETURN_IF_ERROR(Resolve(&options));
  if (!options.sweep.out.empty()) {
    CTS_RETURN_IF_ERROR(Annotate(ProbePlace(options.sweep.out.string()), "--out"));
  }
  CTS_RETURN_IF_ERROR(ProbePage(options.html));
  std::optional<ProgressBar> bar(std::in_place, "sweep " + options.sweep.question.op);
  CTS_ASSIGN_OR_RETURN(const SweepSummary summary, RunSweep(options.sweep, ShowOn(bar)));
  bar.reset();
  CTS_ASSIGN_OR_RETURN(const int code, Print(summary.report, options));
  if (summary.gave_up) {
    return Unavailable("sweep: gave up after ", kMaxFaults,
                       " blocks without results; mend the plugin, or sweep the inputs between "
                       "them with --inputs");
  }
  if (summary.interrupted) {
    return Unavailable("sweep: interrupted", options.sweep.out.empty()
                                                 ? "; with --out it could be resumed"
                                                 : "; go on with the same command and --resume");
  }
  return code;
}

}  // namespace

void AddSweep(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand("sweep", "Ask a plugin about every input of an operator");
  SweepOptions& sweep = options->sweep;
  command->add_option("--operator", sweep.question.op, "Operator, such as EXP")->type_name("NAME");
  command->add_option("--type", sweep.question.type, "Type of the result: fp32, fp16, bf16, ...")
      ->type_name("TYPE");
  command->add_option("--in-type", sweep.question.in_type, "Type of the operands, if it differs")
      ->type_name("TYPE");
  command->add_option("--edition", sweep.question.edition, "Edition that judges")
      ->capture_default_str()
      ->type_name("EDITION");
  command->add_option("--attribute", options->attributes, "Argument by name, such as min_val=0")
      ->expected(1)
      ->type_name("NAME=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--plugin", sweep.plugin, "Shared library; to begin with: tensor-cts init c")
      ->type_name("LIB.so");
  command
      ->add_option("--python", options->python,
                   "Function in Python instead of a plugin; to begin with:\n"
                   "tensor-cts init python")
      ->excludes("--plugin")
      ->type_name("FILE.py:FUNCTION");
  command->add_option("--code", sweep.code, "With --python: as for run")->type_name("PATH");
  command->add_option("--jobs", sweep.jobs, "Processes (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--timeout", sweep.timeout_seconds,
                   "Seconds for a block of 65536 inputs (default: 10)")
      ->check(CLI::Range(0.001, 1e6))
      ->type_name("S");
  command
      ->add_option("--shard", options->shard,
                   "Only the I-th of N parts of the inputs; auto: as for run")
      ->type_name("I/N|auto[/N]");
  command->add_option("--inputs", options->inputs, "Only these inputs, by their bits")
      ->type_name("FIRST-LAST");
  command->add_flag("--all", options->all,
                    "Sweep every operator, one after another, into a folder");
  command
      ->add_option("--out", sweep.out,
                   "Report as JSON, written during the sweep; with --all a folder")
      ->type_name("FILE.json");
  command->add_flag("--resume", sweep.resume, "Continue from the report in --out");
  command
      ->add_flag("!--no-filter", sweep.filter,
                 "Let the reference judge everything: slow, same verdicts")
      ->type_name("");
  command->add_option("--html", options->html, "Write a page with the curve of errors to this file")
      ->type_name("FILE.html");
  command->add_flag("--json", options->json, "Print the report as JSON");
  command->add_option("--merge", options->merge, "Add up the reports of parts")
      ->type_name("FILE.json");
  command->footer(kSweepFooter);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (!options->merge.empty() && options->all) {
        return InvalidArgument("sweep: found --all and --merge, expected one of them");
      }
      if (!options->merge.empty()) return Merge(*options);
      return options->all ? SweepAll(*options) : Sweep(*options);
    };
  });
}

void AddSweepHost(CLI::App& app, Action& action) {
  struct HostOptions {
    std::string library, question;
    int memory = -1;
    bool worker = false;
  };
  auto options = std::make_shared<HostOptions>();
  CLI::App* command = app.add_subcommand("sweep-host", "Host a plugin, for sweep");
  command->add_option("LIBRARY", options->library)->required();
  command->add_option("QUESTION", options->question)->required();
  command->add_option("MEMORY", options->memory)->required();
  command->add_flag("--worker", options->worker, "LIBRARY is the command of a worker");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(options->question, "question"));
      CTS_RETURN_IF_ERROR(ValidateJson(json, "sweep/question", "question"));
      const SweepQuestion question = QuestionFromJson(json);
      CTS_RETURN_IF_ERROR(options->worker
                              ? ServeSweepOfWorker(options->library, question, options->memory)
                              : ServeSweep(options->library, question, options->memory));
      return kDone;
    };
  });
}

}  // namespace cts
