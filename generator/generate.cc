#include "generator/generate.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "generator/mutate.h"
#include "generator/plan.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/graph/evaluate.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

std::string Text(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& v : violations) {
    text += StrCat(text.empty() ? "" : ", ", v.condition, ": ", v.message);
  }
  return text.empty() ? "no violation" : text;
}

// Changes the graph at random until the reference says that it is an error.
Status MutateUntilError(const Plan& plan, const Item& item, Assembly& assembly) {
  constexpr int kTries = 1000;
  assembly.later_inputs.clear();
  const Assembly original = assembly;
  Random random(plan.recipe->seed, item.choice.id, "mutation");
  for (int k = 0; k < kTries; ++k) {
    assembly = original;
    Mutate(random, *plan.edition, assembly);
    const StatusOr<Evaluation> evaluation =
        Evaluate(assembly.graph, assembly.inputs, *plan.edition, *plan.level);
    if (!evaluation.ok() || evaluation->outcome != Outcome::kError) continue;
    // An axis below zero has no condition in 0.100 (schemas/editions/notes.md).
    if (evaluation->violations.front().condition == "dim.axis_range") continue;
    return absl::OkStatus();
  }
  return absl::InternalError(StrCat("none of ", kTries, " random changes makes it an error"));
}

// Whether an output of the case binds an implementation to nothing: its bounds are all infinite.
bool AcceptsAnything(const std::vector<ExpectedOutput>& outputs) {
  const auto is_infinite = [](double bound) { return std::isinf(bound); };
  return std::any_of(outputs.begin(), outputs.end(), [&](const ExpectedOutput& output) {
    if (output.rule.kind != RuleKind::kAbsoluteBound) return false;
    return std::any_of(output.answers.begin(), output.answers.end(), [&](const Answer& answer) {
      const std::vector<double> bounds = answer.bound->Floats();
      return std::all_of(bounds.begin(), bounds.end(), is_infinite);
    });
  });
}

// The draft of an item, and what is said of it.
Draft DraftOf(const Item& item, const Choice& choice) {
  Draft draft = item.domain->build(choice);
  const Setting& setting = choice.setting;
  if (item.kind == ItemKind::kLimit) item.limit->change(setting, draft);
  if (item.kind == ItemKind::kError) item.breaker->change(setting, draft);
  if (item.kind == ItemKind::kNeighbour && item.breaker->legal != nullptr) {
    item.breaker->legal(setting, draft);
  }
  return draft;
}

// What the reference says must be what the item is for.
Status CheckOutcome(const Item& item, const Evaluation& evaluation) {
  const auto& found = evaluation.violations;
  if (item.kind == ItemKind::kMutant) return absl::OkStatus();
  if (!item.is_error()) {
    if (evaluation.outcome == Outcome::kValid) return absl::OkStatus();
    return absl::InternalError(StrCat(
        "the reference calls it ", Name(evaluation.outcome),
        ", expected valid: ", evaluation.message.empty() ? Text(found) : evaluation.message));
  }
  const bool alone = found.size() == 1 && found[0].condition == item.condition();
  if (evaluation.outcome == Outcome::kError && alone) return absl::OkStatus();
  return absl::InternalError(StrCat("the reference calls it ", Name(evaluation.outcome), ": ",
                                    Text(found), "; expected error by ", item.condition(),
                                    " alone"));
}

// Builds one case and asks the reference.
StatusOr<Case> MakeCase(const Plan& plan, const Item& item, const Choice& choice) {
  const Setting& setting = choice.setting;
  CTS_ASSIGN_OR_RETURN(Assembly assembly, AssembleGraph(setting, DraftOf(item, choice)));

  Case c;
  c.id = choice.id;
  c.edition = plan.edition->id;
  c.level = plan.level->name;
  c.op = setting.spec->name;
  c.mode = setting.row->mode;
  c.types = setting.row->types;
  c.profiles = ProfilesOf(*setting.row, assembly.extensions);
  c.data_set = item.is_error() ? "none" : choice.data_set();
  // Where something was changed, one of them may not be true any more.
  const bool as_chosen = item.kind == ItemKind::kValid || item.kind == ItemKind::kSample ||
                         item.kind == ItemKind::kError;
  for (const auto& [axis, value] : choice.labels.all()) {
    if (axis != "data" && as_chosen) c.parameters[axis] = value;
  }
  if (!IsWithin(c.profiles, plan.recipe->profiles)) {
    return absl::InternalError("needs an extension that its domain does not speak of");
  }
  if (item.kind == ItemKind::kMutant) {
    CTS_RETURN_IF_ERROR(MutateUntilError(plan, item, assembly));
  }
  c.graph = std::move(assembly.graph);
  c.inputs = std::move(assembly.inputs);
  c.later_inputs = std::move(assembly.later_inputs);
  CTS_ASSIGN_OR_RETURN(std::vector<Evaluation> evaluations,
                       EvaluateSequence(c.graph, c.InputsOfExecutions(), *plan.edition, *plan.level,
                                        DotProductSetNumber(c.data_set)));
  const Evaluation& evaluation = evaluations.back();
  CTS_RETURN_IF_ERROR(CheckOutcome(item, evaluation));
  if (item.is_error()) c.condition = evaluation.violations.front().condition;
  c.outcome = evaluation.outcome;
  for (Evaluation& each : evaluations) {
    for (ExpectedOutput& output : each.outputs) c.outputs.push_back(std::move(output));
  }
  return c;
}

// The same with other random data until every output binds.
StatusOr<Case> MakeCaseWithTeeth(const Plan& plan, const Item& item) {
  constexpr int kAttempts = 100;
  Choice choice = item.choice;
  while (true) {
    StatusOr<Case> made = MakeCase(plan, item, choice);
    if (!made.ok() || !AcceptsAnything(made->outputs)) return made;
    if (++choice.attempt == kAttempts) {
      return absl::InternalError(StrCat("anything is accepted of ", kAttempts, " random inputs"));
    }
  }
}

// Makes every case of a plan in `jobs` threads. The error of the first case, in their order, that
// has one.
Status RunPlan(const Plan& plan, const GenerateOptions& options,
               const std::function<Status(size_t, const Case&)>& sink) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t done = 0, failed = plan.items.size();
  Status status;
  const auto work = [&] {
    while (true) {
      const size_t i = next.fetch_add(1);
      if (i >= plan.items.size()) return;
      if (options.stop != nullptr && *options.stop) {
        const std::lock_guard<std::mutex> lock(mutex);
        next.store(plan.items.size());
        failed = 0, status = Unavailable("interrupted; nothing was written");
        return;
      }
      StatusOr<Case> made = MakeCaseWithTeeth(plan, plan.items[i]);
      const Status written =
          made.ok() ? sink(i, *made) : Annotate(made.status(), plan.items[i].choice.id);
      const std::lock_guard<std::mutex> lock(mutex);
      if (!written.ok()) {
        next.store(plan.items.size());
        if (i < failed) failed = i, status = written;
      }
      ++done;
      if (options.progress) options.progress(done, plan.items.size());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return status;
}

// A directory beside its destination, locked while we live, and removed unless it was moved there.
class PartialDirectory {
 public:
  explicit PartialDirectory(const fs::path& out) : path_(Prefix(out) + std::to_string(getpid())) {}
  PartialDirectory(const PartialDirectory&) = delete;
  ~PartialDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (fd_ >= 0) close(fd_);
  }
  const fs::path& path() const { return path_; }

  Status Create(const fs::path& out) {
    RemoveRemains(out);
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
    fd_ = Lock(path_);
    return absl::OkStatus();
  }

  Status MoveTo(const fs::path& out) {
    std::error_code error;
    fs::rename(path_, out, error);  // replaces an empty directory
    if (error) {
      return Unavailable(out.string(), ": cannot be created: ", error.message());
    }
    path_.clear();
    return absl::OkStatus();
  }

 private:
  static std::string Prefix(const fs::path& out) { return out.string() + ".partial-"; }

  // -1 if somebody else has it.
  static int Lock(const fs::path& directory) {
    const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    close(fd);
    return -1;
  }

  // What a generator that was killed has left: nobody holds its lock.
  static void RemoveRemains(const fs::path& out) {
    const std::string prefix = fs::path(Prefix(out)).filename();
    const fs::path parent = out.has_parent_path() ? out.parent_path() : fs::path(".");
    std::error_code error;
    std::vector<fs::path> remains;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with(prefix)) remains.push_back(it->path());
    }
    for (const fs::path& path : remains) {
      const int fd = Lock(path);
      if (fd < 0) continue;
      fs::remove_all(path, error);
      close(fd);
    }
  }

  fs::path path_;
  int fd_ = -1;
};

Status CheckDestination(const fs::path& out) {
  std::error_code error;
  if (out.empty()) return InvalidArgument("found no directory to write the suite to");
  const fs::file_status status = fs::symlink_status(out, error);
  if (status.type() == fs::file_type::not_found) return absl::OkStatus();
  const bool empty_directory =
      status.type() == fs::file_type::directory && fs::is_empty(out, error) && !error;
  if (empty_directory) return absl::OkStatus();
  return InvalidArgument(out.string(),
                         ": exists already; expected a path that does not exist, or an empty "
                         "directory. Remove it or choose another");
}

}  // namespace

StatusOr<std::vector<PlannedCase>> PlanCases(const Recipe& recipe) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(recipe));
  std::vector<PlannedCase> cases;
  for (const Item& item : plan.items) {
    cases.push_back(
        {item.choice.id, item.choice.setting.spec->name, std::string(item.condition())});
  }
  return cases;
}

Status ForEachCase(const GenerateOptions& options,
                   const std::function<Status(size_t, const Case&)>& sink) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(options.recipe));
  return RunPlan(plan, options, sink);
}

StatusOr<Suite> Generate(const GenerateOptions& options) {
  fs::path out = options.out.lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  CTS_RETURN_IF_ERROR(CheckDestination(out));
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(options.recipe));

  PartialDirectory partial(out);
  CTS_RETURN_IF_ERROR(partial.Create(out));
  Suite suite;
  suite.name = plan.recipe->name;
  suite.edition = plan.edition->id;
  suite.level = plan.level->name;
  suite.generator = "tensor-cts " CTS_VERSION;
  suite.seed = plan.recipe->seed;
  suite.recipe = RecipeToJson(*plan.recipe).dump();
  suite.cases.resize(plan.items.size());
  const auto write = [&](size_t i, const Case& c) -> Status {
    const std::vector<BundleFile> files = EncodeCase(c);
    for (const BundleFile& file : files) {
      CTS_RETURN_IF_ERROR(WriteFile(partial.path() / c.id / file.path, file.bytes));
    }
    SuiteEntry& entry = suite.cases[i];
    entry = {c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}, std::nullopt};
    if (!c.condition.empty()) entry.conditions = {c.condition};
    return absl::OkStatus();
  };
  CTS_RETURN_IF_ERROR(RunPlan(plan, options, write));
  suite.digest = SuiteDigest(suite.cases);
  CTS_RETURN_IF_ERROR(SaveJson(partial.path() / "suite.json", SuiteToJson(suite)));
  CTS_RETURN_IF_ERROR(partial.MoveTo(out));
  return suite;
}

}  // namespace cts
