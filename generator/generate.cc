#include "generator/generate.h"

#include <sys/stat.h>

#include <map>
#include <memory>
#include <mutex>
#include <system_error>

#include "generator/mutate.h"
#include "generator/ops/long_sums.h"
#include "generator/ops/size_cases.h"
#include "generator/partial_suite.h"
#include "generator/plan/plan.h"
#include "generator/plan/repeated.h"
#include "generator/recipe/profiles.h"
#include "generator/trivial_results.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/resolve.h"
#include "reference/graph/disputed.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// At random data until a case can show a fault.
constexpr int kAttempts = 200;

std::string Text(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& v : violations) {
    text += StrCat(text.empty() ? "" : ", ", v.condition, ": ", v.message);
  }
  return text.empty() ? "no violation" : text;
}

// Changes the graph at random until the reference rejects it.
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
    if (!evaluation->message.empty()) continue;  // behind what the reference cannot compute
    // An axis below zero has no condition in 0.100 (schemas/editions/notes.md).
    if (evaluation->violations.front().condition == "dim.axis_range") continue;
    return absl::OkStatus();
  }
  return absl::InternalError(StrCat("none of ", kTries, " random changes makes it an error"));
}

// The draft of an item, and its description.
CaseDraft DraftOf(const Item& item, const Choice& choice) {
  CaseDraft draft = item.domain->build(choice);
  draft.built_from = &choice;
  const Setting& setting = choice.setting;
  if (const auto* const p = item.As<purpose::Limit>()) p->limit->change(setting, draft);
  if (const auto* const p = item.As<purpose::Data>()) p->data->change(setting, draft);
  if (const auto* const p = item.As<purpose::Relation>()) p->relation->change(setting, draft);
  if (const auto* const p = item.As<purpose::Error>()) p->breaker->change(setting, draft);
  if (const auto* const p = item.As<purpose::Neighbour>(); p && p->breaker->legal) {
    p->breaker->legal(setting, draft);
  }
  if (const auto* const p = item.As<purpose::Size>()) {
    return BuildAtSize(*item.domain, *p->dimension, *p->rung, draft);
  }
  if (const auto* const p = item.As<purpose::LongSum>()) {
    return BuildLongSum(*item.domain, p->rung->up_to, draft);
  }
  if (item.layer() != nullptr) return item.domain->at_layer(draft, *item.layer());
  return draft;
}

// The reference's outcome must be the one that the item is for.
Status CheckOutcome(const Item& item, const Evaluation& evaluation) {
  const auto& found = evaluation.violations;
  if (item.Is<purpose::Mutant>()) return absl::OkStatus();
  if (!item.is_error()) {
    if (evaluation.outcome == Outcome::kValid) return absl::OkStatus();
    return absl::InternalError(StrCat(
        "the reference calls it ", Name(evaluation.outcome),
        ", expected valid: ", evaluation.message.empty() ? Text(found) : evaluation.message));
  }
  const bool alone = found.size() == 1 && found[0].condition == item.condition();
  const bool certain = evaluation.message.empty();
  if (evaluation.outcome == Outcome::kError && alone && certain) return absl::OkStatus();
  return absl::InternalError(StrCat("the reference calls it ", Name(evaluation.outcome), ": ",
                                    Text(found), certain ? "" : ", behind ", evaluation.message,
                                    "; expected error by ", item.condition(), " alone"));
}

// A symbolic program gives the same answers, bit for bit, as the static graph that it becomes, and
// as the graph that was built as static.
Status CheckResolved(const Case& c, const std::vector<Graph>& built, const Edition& edition,
                     const Level& level) {
  for (size_t k = 0; k < c.bindings.size(); ++k) {
    const std::map<std::string, Tensor>& inputs = *c.InputsOfExecutions()[k];
    CTS_ASSIGN_OR_RETURN(const Resolution resolution,
                         Resolve(c.graph, c.bindings[k], inputs, edition, level));
    if (!resolution.graph) {
      return absl::InternalError(StrCat("binding ", k, ": ", Text(resolution.violations)));
    }
    std::vector<const Graph*> graphs = {&*resolution.graph};
    if (k < built.size()) graphs.push_back(&built[k]);
    for (const Graph* graph : graphs) {
      CTS_ASSIGN_OR_RETURN(const Evaluation evaluation,
                           Evaluate(*graph, inputs, edition, level, DotProductSetNumber(c.data_set),
                                    Chains::kEnclosed));
      if (!SameAnswers(c.outputs, static_cast<int>(k), evaluation)) {
        return absl::InternalError(StrCat("binding ", k, ": ",
                                          graph == graphs[0] ? "the static graph that it becomes"
                                                             : "the static graph built beside it",
                                          " has other answers: ", Name(evaluation.outcome), " ",
                                          evaluation.message, " ", Text(evaluation.violations)));
      }
    }
  }
  return absl::OkStatus();
}

// Where NaN is ignored, a signalling one decides nothing: all data but those that are about it have
// quiet NaNs instead.
void QuietIgnoredNans(Assembly& assembly) {
  if (!IgnoresNan(assembly.graph)) return;
  const auto quiet_constants = [](Graph& graph) {
    for (Region& region : graph.regions) {
      for (Block& block : region.blocks) {
        for (GraphTensor& tensor : block.tensors) {
          if (tensor.values == nullptr) continue;
          Tensor values = *tensor.values;
          if (QuietNans(values)) tensor.values = std::make_shared<const Tensor>(std::move(values));
        }
      }
    }
  };
  quiet_constants(assembly.graph);
  for (Graph& graph : assembly.resolved) quiet_constants(graph);
  for (auto& [name, value] : assembly.inputs) QuietNans(value);
  for (auto& inputs : assembly.later_inputs) {
    for (auto& [name, value] : inputs) QuietNans(value);
  }
}

// A case and what it would notice.
struct GeneratedCase {
  Case c;
  std::optional<NoticedShare> teeth;  // of a valid case
};

// Whether a case whose graph and inputs are there is to be made in full; null: it is.
using GoesOn = std::function<StatusOr<bool>(const Case&)>;

// Builds one case and asks the reference. Nothing if `goes_on` wants no more of it.
StatusOr<std::optional<GeneratedCase>> MakeCase(const Plan& plan, const Item& item,
                                                const Choice& choice, const GoesOn& goes_on) {
  const Setting& setting = choice.setting;
  const auto* const repeated = item.As<purpose::Repeated>();
  const auto* const sum = item.As<purpose::LongSum>();
  const purpose::Size* const size = sum != nullptr ? sum : item.As<purpose::Size>();
  const CaseDraft draft = DraftOf(item, choice);
  CTS_ASSIGN_OR_RETURN(Assembly assembly,
                       repeated ? AssembleRepeated(item, choice) : AssembleGraph(setting, draft));

  GeneratedCase made;
  Case& c = made.c;
  c.id = choice.id;
  c.edition = plan.edition->id;
  c.level = plan.level->name;
  c.op = setting.spec->name;
  c.mode = setting.row->mode;
  c.types = setting.row->types;
  c.profiles = ProfilesOf(*setting.row, assembly.extensions);
  c.data_set = item.is_error() ? "none" : item.data_set();
  if (repeated && !repeated->other_data.empty()) c.data_set += "+" + repeated->other_data;
  // After a change one of the parameters may not be true any more.
  const bool as_chosen = item.Is<purpose::Combination>() || item.Is<purpose::Sample>() ||
                         item.Is<purpose::Error>() || repeated;
  for (const auto& [axis, value] : choice.labels.all()) {
    if (axis != "data" && as_chosen) c.parameters[axis] = value;
  }
  if (const NetworkLayer* const layer = item.layer()) {
    c.parameters = {{"layer", layer->name}, {"networks", layer->networks}};
    if (!layer->published.empty()) c.parameters["published"] = layer->published;
  }
  if (!IsWithin(c.profiles, plan.recipe->profiles)) {
    return absl::InternalError("needs an extension that its domain does not speak of");
  }
  if (item.Is<purpose::Mutant>()) {
    CTS_RETURN_IF_ERROR(MutateUntilError(plan, item, assembly));
  }
  if (c.data_set != kSignalling) QuietIgnoredNans(assembly);
  c.graph = std::move(assembly.graph);
  c.inputs = std::move(assembly.inputs);
  if (size != nullptr) {
    CTS_RETURN_IF_ERROR(CheckSize(setting, *size->dimension, *size->rung, c.graph));
  }
  c.later_inputs = std::move(assembly.later_inputs);
  c.bindings = std::move(assembly.bindings);
  if (goes_on != nullptr && !repeated && !item.Is<purpose::Mutant>() && choice.attempt == 0) {
    c.outcome = item.is_error() ? Outcome::kError : Outcome::kValid;
    c.condition = std::string(item.condition());
    CTS_ASSIGN_OR_RETURN(const bool wanted, goes_on(c));
    if (!wanted) return std::optional<GeneratedCase>();
  }
  // Several operators may be computed in wider types than each alone.
  CTS_ASSIGN_OR_RETURN(std::vector<Evaluation> evaluations,
                       EvaluateSequence(c.graph, c.InputsOfExecutions(), *plan.edition, *plan.level,
                                        DotProductSetNumber(c.data_set), Chains::kEnclosed));
  const Evaluation& evaluation = evaluations.back();
  if (repeated && evaluation.outcome == Outcome::kUnpredictable) {
    made.teeth = NoticedShare{0, 0};  // the first data's constants do not go with the other data
    return std::optional(std::move(made));
  }
  CTS_RETURN_IF_ERROR(CheckOutcome(item, evaluation));
  if (item.is_error()) c.condition = evaluation.violations.front().condition;
  c.outcome = evaluation.outcome;
  for (Evaluation& each : evaluations) {
    for (ExpectedOutput& output : each.outputs) c.outputs.push_back(std::move(output));
  }
  FindDispute(c);
  if (c.outcome == Outcome::kValid) {
    CTS_RETURN_IF_ERROR(CheckResolved(c, assembly.resolved, *plan.edition, *plan.level));
    made.teeth = sum != nullptr ? NoticedShareOfSums(c)
                                : NoticedShareOf(c, draft.one_value || c.data_set == "S0");
    // The last lanes of some graphs hold padding alone.
    const bool is_last = choice.attempt + 1 == kAttempts;
    if (repeated && !NoticesTheLastAnswer(c, is_last)) made.teeth = NoticedShare{0, 0};
    // At least the last element lies beyond a block of the result.
    const bool of_output = item.Is<purpose::Size>() && size->dimension->IsOfResult();
    if (of_output && !NoticesZeroAtTheEnd(c)) made.teeth = NoticedShare{0, 0};
  }
  return std::optional(std::move(made));
}

SuiteEntry EntryOf(const GeneratedCase& made, const std::vector<BundleFile>& files,
                   const Item& item) {
  const Case& c = made.c;
  SuiteEntry entry{c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}, {}, ""};
  if (made.teeth) entry.teeth = made.teeth->share;
  if (!c.condition.empty()) entry.conditions = {c.condition};
  if (const auto* const error = item.As<purpose::Error>()) entry.neighbour = error->neighbour;
  return entry;
}

// Draws other random data until the case can show a fault. Nothing if `goes_on` says so.
StatusOr<std::optional<GeneratedCase>> MakeCaseWithTeeth(const Plan& plan, const Item& item,
                                                         const GoesOn& goes_on) {
  // Sets S0 to S5 are the same however often they are drawn. Where cases are large that counts.
  const bool is_large = item.layer() != nullptr || item.Is<purpose::LongSum>();
  const bool is_drawn = !is_large || DotProductSetNumber(item.choice.data_set()) < 0;
  const int attempts = is_drawn ? kAttempts : 1;
  Choice choice = item.choice;
  while (true) {
    StatusOr<std::optional<GeneratedCase>> made = MakeCase(plan, item, choice, goes_on);
    if (!made.ok() || !*made || !(*made)->teeth || (*made)->teeth->Suffice()) return made;
    if (++choice.attempt == attempts) {
      return absl::InternalError(
          StrCat("shows no fault: of ", attempts, " draws of random data the last lets a trivial ",
                 "result pass but for ", 100 * (*made)->teeth->share, " % of the elements"));
    }
  }
}

PlannedCase Planned(const Item& item) {
  const Setting& setting = item.choice.setting;
  return {item.choice.id, setting.spec->name, setting.row->mode, std::string(item.condition())};
}

// Makes every case of a plan that the filter wants (null: all). A sink that fails ends it. An error
// names all cases that cannot be made, which is a bug of ours.
Status RunPlan(const Plan& plan, const GenerateOptions& options, const CaseFilter& filter,
               const std::function<Status(size_t, GeneratedCase)>& sink) {
  std::mutex mutex;
  std::map<size_t, Status> bugs;
  CTS_RETURN_IF_ERROR(ParallelFor(
      plan.items.size(), {.jobs = options.jobs, .stop = options.stop, .progress = options.progress},
      [&](size_t i) -> Status {
        const Item& item = plan.items[i];
        if (filter.begins != nullptr && !filter.begins(i, Planned(item))) return absl::OkStatus();
        GoesOn goes_on;
        if (filter.goes_on != nullptr)
          goes_on = [&](const Case& c) { return filter.goes_on(i, c); };
        StatusOr<std::optional<GeneratedCase>> made = MakeCaseWithTeeth(plan, item, goes_on);
        if (made.ok()) return *made ? sink(i, **std::move(made)) : absl::OkStatus();
        const std::string place = item.layer() == nullptr ? "" : item.layer()->place + ": ";
        const std::lock_guard<std::mutex> lock(mutex);
        bugs.emplace(i, Annotate(made.status(), place + item.choice.id));
        return absl::OkStatus();
      }));
  if (bugs.empty()) return absl::OkStatus();
  std::string message(bugs.begin()->second.message());
  constexpr size_t kShown = 50;
  for (auto bug = std::next(bugs.begin()); bug != bugs.end(); ++bug) {
    if (std::distance(bugs.begin(), bug) == kShown) {
      message += StrCat("\nand ", bugs.size() - kShown, " more");
      break;
    }
    message += StrCat("\n", bug->second.message());
  }
  return absl::InternalError(message);
}

bool IsMountPoint(const fs::path& directory) {
  struct stat inside {
  }, outside{};
  return stat(directory.c_str(), &inside) == 0 && stat((directory / "..").c_str(), &outside) == 0 &&
         inside.st_dev != outside.st_dev;
}

enum class Destination { kFree, kComplete };

// Whether the suite can be written there, or is there already.
StatusOr<Destination> CheckDestination(const fs::path& out, const Suite& suite, bool resume) {
  if (out.empty()) return InvalidArgument("found no directory to write the suite to");
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(out));
  if (type == fs::file_type::not_found) return Destination::kFree;
  bool empty_directory = false;
  if (type == fs::file_type::directory) {
    CTS_ASSIGN_OR_RETURN(empty_directory, IsEmptyDirectory(out));
  }
  if (empty_directory && IsMountPoint(out)) {
    return InvalidArgument(out.string(), ": is a mount point, which nothing can be moved to; ",
                           "expected a folder inside it");
  }
  if (empty_directory) return Destination::kFree;
  if (resume) {
    const StatusOr<Suite> there = ReadSuite(out);
    if (absl::IsUnavailable(there.status())) return there.status();
    if (there.ok() && there->recipe == suite.recipe && there->generator == suite.generator) {
      return Destination::kComplete;
    }
  }
  return InvalidArgument(out.string(),
                         ": exists already; expected a path that does not exist, or an empty "
                         "directory. Remove it or choose another");
}

}  // namespace

StatusOr<std::vector<PlannedCase>> PlanCases(const Recipe& recipe) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(recipe));
  std::vector<PlannedCase> cases;
  for (const Item& item : plan.items) cases.push_back(Planned(item));
  return cases;
}

Status ForEachCase(const GenerateOptions& options,
                   const std::function<Status(size_t, const Case&)>& sink) {
  return ForEachWantedCase(options, {}, sink);
}

Status ForEachWantedCase(const GenerateOptions& options, const CaseFilter& filter,
                         const std::function<Status(size_t, const Case&)>& sink) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(options.recipe));
  return RunPlan(plan, options, filter,
                 [&](size_t i, const GeneratedCase& made) { return sink(i, made.c); });
}

Status ForEachEntry(const GenerateOptions& options,
                    const std::function<Status(const SuiteEntry&)>& sink) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(options.recipe));
  return RunPlan(plan, options, {}, [&](size_t i, const GeneratedCase& made) {
    return sink(EntryOf(made, EncodeCase(made.c), plan.items[i]));
  });
}

StatusOr<Suite> Generate(const GenerateOptions& options) {
  std::error_code error;
  fs::path out = fs::absolute(options.out, error).lexically_normal();
  if (options.out.empty() || error) out = options.out;
  if (!out.has_filename()) out = out.parent_path();
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakePlan(options.recipe));
  Suite suite;
  suite.name = plan.recipe->name;
  suite.edition = plan.edition->id;
  suite.level = plan.level->name;
  suite.generator = kSuiteGenerator;
  suite.seed = plan.recipe->seed;
  suite.recipe = RecipeToJson(*plan.recipe).dump();
  CTS_ASSIGN_OR_RETURN(const Destination destination, CheckDestination(out, suite, options.resume));
  if (destination == Destination::kComplete) return ReadSuite(out);

  PartialSuite partial;
  CTS_RETURN_IF_ERROR(partial.Open(out, suite, options.resume, options.pack));
  suite.cases.resize(plan.items.size());
  std::vector<bool> complete(plan.items.size());
  const auto before = partial.Complete();
  for (size_t i = 0; i < plan.items.size(); ++i) {
    const auto found = before.find(plan.items[i].choice.id);
    if (found == before.end()) continue;
    suite.cases[i] = found->second;
    complete[i] = true;
  }
  const auto write = [&](size_t i, const GeneratedCase& made) {
    const std::vector<BundleFile> files = EncodeCase(made.c);
    suite.cases[i] = EntryOf(made, files, plan.items[i]);
    return partial.Write(suite.cases[i], files);
  };
  const CaseFilter missing{.begins = [&](size_t i, const PlannedCase&) { return !complete[i]; }};
  if (const Status status = RunPlan(plan, options, missing, write); !status.ok()) {
    if (!absl::IsCancelled(status)) return status;
    partial.Keep();
    return Unavailable("interrupted: ", PartialSuite::PathFor(out).string(),
                       " holds what is complete; the same command with --resume goes on, without "
                       "it begins anew");
  }
  suite.digest = SuiteDigest(suite.cases);
  CTS_RETURN_IF_ERROR(partial.MoveTo(out, suite));
  return suite;
}

}  // namespace cts
