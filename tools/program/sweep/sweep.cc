#include "tools/program/sweep/sweep.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>

#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "tools/program/run/signals.h"
#include "tools/program/run/surroundings.h"
#include "tools/program/sweep/sweep_host.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// The seconds between two writes of the state.
constexpr double kSaveSeconds = 5;

// The number of blocks, and the seconds, that a host adds up before the other hosts and the state
// get them.
constexpr size_t kOwnBlocks = 8;
constexpr double kOwnSeconds = 0.1;

// Blocks are asked several at once, up to this time: to hand a request over and to wait for it
// takes some 20 us.
constexpr double kHandOverSeconds = 4e-3;

Clock::time_point Later(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

uint64_t Size(const SweepRange& inputs) { return inputs.last - inputs.first + 1; }

// nullopt for an event that is no fault.
std::optional<SweepFault::Kind> FaultKind(SweepHost::Event event) {
  switch (event) {
    case SweepHost::Event::kCrash:
      return SweepFault::Kind::kCrash;
    case SweepHost::Event::kTimeout:
      return SweepFault::Kind::kTimeout;
    case SweepHost::Event::kRefused:
      return SweepFault::Kind::kRefused;
    default:
      return std::nullopt;
  }
}

// One sweep: what its threads share.
class Sweep {
 public:
  Sweep(const SweepOptions& options, const SweepDomain& domain, SweepReport report,
        SignalScope& signals, const SweepProgress& progress)
      : options_(options),
        domain_(domain),
        signals_(signals),
        progress_(progress),
        report_(std::move(report)) {
    const uint64_t block = static_cast<uint64_t>(kSweepBlock);
    first_block_ = report_.assigned.first / block;
    blocks_ = report_.assigned.last / block - first_block_ + 1;
    for (const SweepRange& range : report_.done) done_ += Size(range);
    total_ = report_.assigned.last - report_.assigned.first + 1;
    before_ = report_.done;
  }

  // Starts a host for the first job, so that an unusable plugin is found at once.
  Status Run() {
    std::unique_ptr<SweepHost> host;
    CTS_RETURN_IF_ERROR(Start(&host));
    if (interrupted_) return Complete(&report_);
    const SweepReport::Implementation found = {host->name(), host->version(), host->about(),
                                               report_.implementation.digest};
    if (!before_.empty() && !(found == report_.implementation)) {
      return InvalidArgument(options_.out.string(), ": holds a sweep of ",
                             report_.implementation.name, " ", report_.implementation.version,
                             " as it was then; sweep ", found.name, " ", found.version,
                             " into another file");
    }
    report_.implementation = found;
    // Each of these items is a host that takes blocks until there are none left.
    const int jobs = static_cast<int>(
        std::clamp<uint64_t>(static_cast<uint64_t>(JobsOrCores(options_.jobs)), 1, blocks_));
    CTS_RETURN_IF_ERROR(
        ParallelFor(static_cast<size_t>(jobs), {.jobs = jobs}, [this, &host](size_t job) {
          std::unique_ptr<SweepHost> own;
          Status status;
          if (job == 0) {
            own = std::move(host);
          } else {
            status = Start(&own);
          }
          if (status.ok()) status = Work(*own);
          if (!status.ok()) signals_.Wake();
          return status;
        }));
    CTS_RETURN_IF_ERROR(Complete(&report_));
    return options_.out.empty() ? absl::OkStatus()
                                : SaveJson(options_.out, SweepReportToJson(report_));
  }

  SweepSummary Summary() && { return {std::move(report_), interrupted_, gave_up_}; }

 private:
  Status Start(std::unique_ptr<SweepHost>* host) {
    // A link such as /proc/self/exe would be another file to another process.
    std::error_code error;
    const fs::path executable = fs::canonical(options_.executable, error);
    if (error) return InvalidArgument(options_.executable.string(), ": ", error.message());
    CTS_ASSIGN_OR_RETURN(
        *host,
        SweepHost::Create(
            {executable, options_.plugin.empty() ? fs::path() : fs::absolute(options_.plugin),
             options_.worker, options_.question, domain_.type(), domain_.edition().file,
             options_.timeout_seconds},
            signals_.wake_fd()));
    const SweepHost::Answer answer = (*host)->Start();
    if (answer.event == SweepHost::Event::kInterrupted) interrupted_ = true;
    return answer.event == SweepHost::Event::kUnusable ? InvalidArgument(answer.message)
                                                       : absl::OkStatus();
  }

  // Blocks of one host, and what came of them.
  struct Own {
    SweepTotals totals;
    std::vector<SweepRange> blocks;
    Clock::time_point due = Clock::time_point::max();
  };

  // Takes blocks until there are none left. Blocks that an error leaves half judged are not added.
  Status Work(SweepHost& host) {
    Own own;
    CTS_RETURN_IF_ERROR(WorkOn(host, own));
    return Add(own);
  }

  Status WorkOn(SweepHost& host, Own& own) {
    SweepJudge judge(domain_);
    if (!options_.filter) judge.DropFilter();
    std::vector<SweepRange> blocks;  // to be asked
    size_t most = 1;                 // at once
    bool faulty = false;             // one at a time then: that tells which it is
    while (!interrupted_ && !gave_up_) {
      while (blocks.size() < most) {
        const std::optional<SweepRange> block = TakeBlock();
        if (!block) break;
        blocks.push_back(*block);
      }
      if (blocks.empty()) return absl::OkStatus();
      size_t asked = 1;
      while (asked < std::min(most, blocks.size()) && Size(blocks[asked]) == Size(blocks[0])) {
        ++asked;
      }
      const Clock::time_point start = Clock::now();
      CTS_RETURN_IF_ERROR(SweepBlocks(host, judge, asked, blocks, own));
      faulty = faulty || !own.totals.faults.empty();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (seconds > kHandOverSeconds || faulty) {
        most = 1;
      } else if (2 * seconds < kHandOverSeconds) {
        most = std::min<size_t>(2 * most, SweepMemory::kPlaces);
      }
      if (own.blocks.size() >= kOwnBlocks || Clock::now() >= own.due) CTS_RETURN_IF_ERROR(Add(own));
    }
    return absl::OkStatus();
  }

  // A block that no host has taken and no earlier run has done; nothing when there are none left.
  std::optional<SweepRange> TakeBlock() {
    while (true) {
      const uint64_t number = next_.fetch_add(1);
      if (number >= blocks_) return std::nullopt;
      const uint64_t start = (first_block_ + number) * static_cast<uint64_t>(kSweepBlock);
      const SweepRange block = {
          std::max(start, report_.assigned.first),
          std::min(start + static_cast<uint64_t>(kSweepBlock) - 1, report_.assigned.last)};
      // A resumed sweep has the same blocks.
      if (std::none_of(before_.begin(), before_.end(), [&](const SweepRange& range) {
            return range.first <= block.first && block.last <= range.last;
          })) {
        return block;
      }
    }
  }

  // Asks the first of these blocks, and takes away those that are judged then, or have a fault. An
  // interruption leaves them undone.
  Status SweepBlocks(SweepHost& host, SweepJudge& judge, size_t asked,
                     std::vector<SweepRange>& blocks, Own& own) {
    const SweepHost::Answer answer = host.Run(std::span(blocks).first(asked));
    const auto message = [&] { return StrCat(options_.plugin.string(), ": ", answer.message); };
    if (answer.event == SweepHost::Event::kUnusable) return InvalidArgument(message());
    if (answer.event == SweepHost::Event::kFails) return absl::FailedPreconditionError(message());
    if (answer.event == SweepHost::Event::kNotOffered) return absl::UnimplementedError(message());
    if (answer.event == SweepHost::Event::kInterrupted) {
      interrupted_ = true;
      return absl::OkStatus();
    }
    if (own.blocks.empty()) own.due = Later(kOwnSeconds);
    if (answer.event == SweepHost::Event::kUnclear) {
      return AskAlone(host, judge, asked, answer.message, blocks, own);
    }
    for (size_t k = 0; k < host.answered(); ++k) {
      const SweepRange& block = blocks[k];
      CTS_RETURN_IF_ERROR(judge.Judge(block.first, host.results(k), Known(block), &own.totals));
      own.blocks.push_back(block);
    }
    blocks.erase(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(host.answered()));
    const std::optional<SweepFault::Kind> kind = FaultKind(answer.event);
    if (!kind) return absl::OkStatus();
    const SweepRange block = blocks.front();
    SweepFault fault{block.first, block.last, block.first, block.last, *kind, answer.message};
    if (!FindGuilty(host, &fault)) {
      interrupted_ = true;
      return absl::OkStatus();
    }
    AddFault(std::move(fault), blocks, own);
    return absl::OkStatus();
  }

  // Asks the first of these blocks once more, one at a time, as one of them has a fault. If none
  // has it alone, or if there is no time to find it, the first gets it.
  Status AskAlone(SweepHost& host, SweepJudge& judge, size_t asked, const std::string& message,
                  std::vector<SweepRange>& blocks, Own& own) {
    const Own own_before = own;
    const std::vector<SweepRange> blocks_before = blocks;
    for (size_t k = 0; k < asked && !interrupted_; ++k) {
      CTS_RETURN_IF_ERROR(SweepBlocks(host, judge, 1, blocks, own));
    }
    if (own.totals.faults.size() > own_before.totals.faults.size()) return absl::OkStatus();
    own = own_before, blocks = blocks_before;
    const SweepRange first = blocks.front();
    AddFault(
        {first.first, first.last, first.first, first.last, SweepFault::Kind::kCrash,
         StrCat(message, ", in one of ", asked, " blocks that were asked at once from this one on",
                interrupted_ ? "" : ", and in none that was asked alone")},
        blocks, own);
    return absl::OkStatus();
  }

  // Adds a fault of the first block, which is then done.
  static void AddFault(SweepFault fault, std::vector<SweepRange>& blocks, Own& own) {
    const uint64_t count = Size(blocks.front());
    own.totals.inputs += count, own.totals.unanswered += count;
    own.totals.faults.push_back(std::move(fault));
    own.blocks.push_back(blocks.front());
    own.due = Clock::now();  // whether there are too many is seen there
    blocks.erase(blocks.begin());
  }

  // Halves the inputs as long as a half shows a fault by itself. False on interruption.
  bool FindGuilty(SweepHost& host, SweepFault* fault) const {
    SweepRange guilty = {fault->first, fault->last};
    while (guilty.first < guilty.last) {
      const uint64_t middle = guilty.first + (guilty.last - guilty.first) / 2;
      bool found = false;
      for (const SweepRange half :
           {SweepRange{guilty.first, middle}, SweepRange{middle + 1, guilty.last}}) {
        const SweepHost::Answer answer = host.Run(std::span(&half, 1));
        if (answer.event == SweepHost::Event::kInterrupted) return false;
        const std::optional<SweepFault::Kind> kind = FaultKind(answer.event);
        if (!kind) continue;
        guilty = half;
        fault->kind = *kind;
        fault->message = answer.message;
        found = true;
        break;
      }
      if (!found) break;
    }
    fault->guilty_first = guilty.first, fault->guilty_last = guilty.last;
    return true;
  }

  // What the totals know already.
  SweepKnown Known(const SweepRange& block) {
    const std::lock_guard lock(mutex_);
    SweepKnown known;
    const SweepTotals& totals = report_.totals;
    if (totals.worst.size() == SweepTotals::kExamples) {
      // The first inputs of equal errors count.
      const SweepElement& least = totals.worst.back();
      known.least_worst = block.first > least.input ? least.ulp : std::nextafter(least.ulp, 0);
    }
    const uint64_t inputs = SweepCurve::Inputs(domain_.size());
    if (!totals.curve.empty() && block.first / inputs == block.last / inputs) {
      known.greatest = totals.curve.greatest[block.first / inputs];
    }
    return known;
  }

  // Adds what a host has to the report.
  Status Add(Own& own) {
    if (own.blocks.empty()) return absl::OkStatus();
    const std::lock_guard lock(mutex_);
    report_.totals.Add(own.totals);
    for (const SweepRange& block : own.blocks) {
      AddRange(block, &report_.done);
      done_ += Size(block);
    }
    own = {};
    progress_(done_, total_);
    if (report_.totals.faults.size() >= kMaxFaults && done_ < total_) {
      gave_up_ = true;
      signals_.Wake();
      return absl::OkStatus();
    }
    if (options_.out.empty() || Clock::now() < next_save_) return absl::OkStatus();
    CTS_RETURN_IF_ERROR(Complete(&report_));
    CTS_RETURN_IF_ERROR(SaveJson(options_.out, SweepReportToJson(report_)));
    next_save_ = Later(kSaveSeconds);
    return absl::OkStatus();
  }

  const SweepOptions& options_;
  const SweepDomain& domain_;
  SignalScope& signals_;
  const SweepProgress& progress_;
  uint64_t first_block_ = 0, blocks_ = 0, total_ = 0;
  std::vector<SweepRange> before_;  // done by an earlier run
  std::atomic<uint64_t> next_{0};
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> gave_up_{false};

  std::mutex mutex_;  // of what follows
  SweepReport report_;
  uint64_t done_ = 0;
  Clock::time_point next_save_ = Later(1);
};

// The digest covers the plugin's library, or the worker's command and code.
StatusOr<std::string> DigestOfImplementation(const SweepOptions& options) {
  if (!options.worker.empty()) {
    CTS_ASSIGN_OR_RETURN(const std::vector<AdapterFile> files,
                         AdapterFiles(options.worker, options.code));
    std::string text = options.worker;
    for (const AdapterFile& file : files) text += "\n" + file.sha256;
    return Sha256(text);
  }
  const StatusOr<std::string> library = ReadFile(options.plugin);
  if (absl::IsNotFound(library.status())) {
    return InvalidArgument(options.plugin.string(),
                           ": found no such file, expected the shared library of the plugin; ",
                           "build or install it, or give another path to --plugin");
  }
  if (!library.ok()) return Annotate(library.status(), "--plugin");
  return Sha256(*library);
}

StatusOr<SweepReport> Begin(const SweepOptions& options, const SweepDomain& domain) {
  SweepReport report;
  report.question = options.question;
  report.size = domain.size();
  report.assigned = {0, report.size - 1};
  if (options.range) {
    report.assigned = *options.range;
    if (report.assigned.first > report.assigned.last || report.assigned.last >= report.size) {
      return InvalidArgument("sweep: found the inputs ", report.assigned.first, " to ",
                             report.assigned.last, ", expected some of 0 to ", report.size - 1);
    }
  }
  if (options.shard) {
    // Whole blocks, so that shards have the same blocks.
    const uint64_t block = static_cast<uint64_t>(kSweepBlock);
    const uint64_t first = report.assigned.first / block, last = report.assigned.last / block;
    const uint64_t blocks = last - first + 1, of = static_cast<uint64_t>(options.shard->of);
    const auto start = [&](uint64_t index) { return (first + blocks * index / of) * block; };
    const uint64_t index = static_cast<uint64_t>(options.shard->index);
    if (start(index - 1) == start(index)) {
      return InvalidArgument("sweep: found ", of, " shards, expected at most ", blocks, " for ",
                             report.assigned.last - report.assigned.first + 1, " inputs");
    }
    report.assigned = {std::max(report.assigned.first, start(index - 1)),
                       std::min(report.assigned.last, start(index) - 1)};
  }
  CTS_ASSIGN_OR_RETURN(report.implementation.digest, DigestOfImplementation(options));
  if (options.out.empty()) {
    if (options.resume) return InvalidArgument("sweep: --resume needs --out");
    return report;
  }
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(options.out));
  if (!there) return report;
  if (!options.resume) {
    return InvalidArgument(options.out.string(),
                           ": exists; go on with it by --resume, or name another file");
  }
  CTS_ASSIGN_OR_RETURN(SweepReport before, ReadSweepReport(options.out));
  if (!(before.question == report.question) || !(before.assigned == report.assigned)) {
    return InvalidArgument(options.out.string(),
                           ": holds another sweep (operator, types, edition, attributes, inputs "
                           "or shard differ); name another file");
  }
  if (before.implementation.digest != report.implementation.digest) {
    return InvalidArgument(options.out.string(), ": holds a sweep of another library than ",
                           options.worker.empty() ? options.plugin.string() : options.worker,
                           " is now; name another file");
  }
  for (const SweepRange& range : before.done) {
    constexpr auto kBlock = static_cast<uint64_t>(kSweepBlock);
    if ((range.first != before.assigned.first && range.first % kBlock != 0) ||
        (range.last != before.assigned.last && (range.last + 1) % kBlock != 0)) {
      return InvalidArgument(options.out.string(), ": found the inputs ", range.first, " to ",
                             range.last, " done, expected whole blocks of ", kBlock,
                             "; a merged report cannot be gone on with, sweep what it lacks with "
                             "--inputs and merge that");
    }
  }
  return before;
}

}  // namespace

StatusOr<SweepSummary> RunSweep(const SweepOptions& options, const SweepProgress& progress) {
  CTS_ASSIGN_OR_RETURN(const SweepDomain domain, SweepDomain::Of(options.question));
  CTS_ASSIGN_OR_RETURN(SweepReport report, Begin(options, domain));
  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  const Adoption adoption;  // a worker does not end with the host that started it
  Sweep sweep(options, domain, std::move(report), signals, progress);
  CTS_RETURN_IF_ERROR(sweep.Run());
  return std::move(sweep).Summary();
}

}  // namespace cts
