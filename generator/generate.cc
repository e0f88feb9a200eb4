#include "generator/generate.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "generator/cover/covering_array.h"
#include "generator/mutate.h"
#include "generator/ops/domain.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/graph/evaluate.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

template <class Range, class NameOf>
std::string Names(const Range& range, NameOf name_of) {
  std::string names;
  for (const auto& element : range) {
    names += StrCat(names.empty() ? "" : ", ", name_of(element));
  }
  return names;
}

// One case to make.
struct Item {
  Choice choice;
  const Domain* domain = nullptr;
  const Breaker* breaker = nullptr;  // of an error case
  bool mutant = false;               // an error case made by a random change

  std::string_view condition() const { return breaker ? breaker->condition : std::string_view(); }
};

// What to make, and what it refers to.
struct Plan {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  Recipe recipe;  // with what the options replace
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<Item> items;  // sorted by id
};

// The types of a row as ids have them: the operands' in the order of the arguments, and the
// accumulator's where it is not the output's.
std::string TypesLabel(const Setting& setting) {
  std::string label;
  std::set<std::string> seen;
  std::optional<DType> output;
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) {
      output = setting.row->Type(argument.element_type);
    }
    const auto type = setting.row->Type(argument.element_type);
    if (!type || argument.category == ArgumentCategory::kAttribute) continue;
    if (seen.insert(argument.element_type).second) {
      label += StrCat(label.empty() ? "" : "-", Name(*type));
    }
  }
  const auto accumulator = setting.row->Type("acc_t");
  if (accumulator && accumulator != output) label += StrCat("-acc", Name(*accumulator));
  if (!label.empty()) return label;
  if (setting.spec->group == "control-flow") return "any";
  if (setting.spec->group == "variable") return setting.row->types.begin()->second;
  return "shape";
}

// The profiles of the type row, each alternative with the extensions that the case needs besides.
std::vector<std::vector<std::string>> ProfilesOf(const TypeRow& row,
                                                 const std::vector<std::string>& extensions) {
  auto profiles = row.profiles;
  for (std::vector<std::string>& alternative : profiles) {
    for (const std::string& extension : extensions) {
      if (std::find(alternative.begin(), alternative.end(), extension) == alternative.end()) {
        alternative.push_back(extension);
      }
    }
  }
  return profiles;
}

// Whether one of the alternatives lies within the chosen profiles. None chosen: all are.
bool IsWithin(const std::vector<std::vector<std::string>>& alternatives,
              const std::vector<std::string>& chosen) {
  if (chosen.empty()) return true;
  const auto is_chosen = [&](const std::string& name) {
    return std::find(chosen.begin(), chosen.end(), name) != chosen.end();
  };
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
    return std::all_of(alternative.begin(), alternative.end(), is_chosen);
  });
}

// Replaces what the options replace, and checks every name.
Status Resolve(const GenerateOptions& options, Plan& plan) {
  plan.recipe = options.recipe;
  Recipe& recipe = plan.recipe;
  if (!options.edition.empty()) recipe.edition = options.edition;
  if (!options.level.empty()) recipe.level = options.level;
  if (!options.operators.empty()) recipe.operators = options.operators;
  if (!options.profiles.empty()) recipe.profiles = options.profiles;
  if (options.seed) recipe.seed = *options.seed;

  CTS_ASSIGN_OR_RETURN(plan.edition, FindEdition(recipe.edition));
  if (MaskOf(recipe.edition) == 0) {
    return InvalidArgument("edition ", recipe.edition,
                           ": the reference does not have its operators yet; expected ",
                           "tosa-1.0 or tosa-0.100");
  }
  plan.level = plan.edition->FindLevel(recipe.level);
  if (plan.level == nullptr) {
    return InvalidArgument("edition ", recipe.edition, " has no level ", recipe.level,
                           "; expected one of ",
                           Names(plan.edition->levels, [](const Level& l) { return l.name; }));
  }
  for (std::string& profile : recipe.profiles) {
    const auto& known = plan.edition->profiles;
    const auto found = std::find_if(known.begin(), known.end(), [&](const ProfileSpec& spec) {
      return Lower(spec.name) == Lower(profile);
    });
    if (found == known.end()) {
      return InvalidArgument("edition ", recipe.edition, " has no profile or extension ", profile,
                             "; expected one of ",
                             Names(known, [](const ProfileSpec& s) { return s.name; }));
    }
    profile = found->name;
  }
  for (std::string& op : recipe.operators) {
    const auto& known = OperatorDomains();
    const auto found = std::find_if(known.begin(), known.end(), [&](const OperatorDomain& domain) {
      return Lower(domain.name) == Lower(op);
    });
    if (found == known.end()) {
      return InvalidArgument("found no operator ", op, "; expected one of ",
                             Names(known, [](const OperatorDomain& d) { return d.name; }));
    }
    op = found->name;
  }
  return absl::OkStatus();
}

// The values of a row of the covering array.
Labels LabelsOf(const std::vector<Axis>& axes, const Row& row) {
  Labels labels;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (row[i] != kUndecided) labels.Set(axes[i].name, axes[i].values[row[i]]);
  }
  return labels;
}

// The axes of a type row with the constraint on their values.
struct Space {
  std::vector<Axis> axes;
  std::vector<int> sizes;
  AllowedRow allowed;

  Space(const Domain& domain, const Setting& setting) : axes(domain.axes(setting)) {
    for (const Axis& axis : axes) sizes.push_back(static_cast<int>(axis.values.size()));
    allowed = [this, &domain, setting](const Row& row) {
      return domain.allowed == nullptr || domain.allowed(setting, LabelsOf(axes, row));
    };
  }
  Space(const Space&) = delete;
};

// A row drawn at random from those that are allowed.
Row AnyRow(const Space& space, Random& random) {
  Row row(space.axes.size());
  do {
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<int>(random.Below(static_cast<uint64_t>(space.sizes[i])));
    }
  } while (!space.allowed(row));
  return row;
}

void PlanValidCases(const Domain& domain, const Setting& setting, Plan& plan) {
  const Space space(domain, setting);
  const std::string prefix = Lower(setting.spec->name) + "/" + TypesLabel(setting);
  const auto add = [&](const Row& row, const std::string& suffix) {
    Choice choice{setting, prefix, plan.recipe.seed, LabelsOf(space.axes, row)};
    for (const Axis& axis : space.axes) {
      choice.id += "-" + axis.prefix + Lower(choice[axis.name]);
    }
    choice.id += suffix;
    plan.items.push_back({std::move(choice), &domain});
  };
  // Every type row combines the values in its own way: together they cover more.
  const uint64_t seed = Random(plan.recipe.seed, prefix, "").Next64();
  for (const Row& row : CoveringArray(space.sizes, plan.recipe.strength, space.allowed, seed)) {
    add(row, "");
  }
  Random random(plan.recipe.seed, prefix, "samples");
  for (int k = 0; k < plan.recipe.samples; ++k) add(AnyRow(space, random), StrCat("-n", k));
}

bool HasInputs(const OperatorSpec& spec) {
  return std::any_of(spec.arguments.begin(), spec.arguments.end(),
                     [](const ArgumentSpec& a) { return a.category == ArgumentCategory::kInput; });
}

void PlanMutants(const Domain& domain, const Setting& setting, Plan& plan) {
  if (!HasInputs(*setting.spec)) return;  // nothing about a constant can be wrong
  const Space space(domain, setting);
  const std::string prefix =
      StrCat(Lower(setting.spec->name), "/error-mutant-", TypesLabel(setting));
  Random random(plan.recipe.seed, prefix, "mutants");
  for (int k = 0; k < plan.recipe.mutants; ++k) {
    Choice choice{setting, StrCat(prefix, "-", k), plan.recipe.seed,
                  LabelsOf(space.axes, AnyRow(space, random))};
    plan.items.push_back({.choice = std::move(choice), .domain = &domain, .mutant = true});
  }
}

// The valid choice that a breaker starts from: its labels, and for the rest the first that fit.
std::optional<Labels> StartOf(const Domain& domain, const Setting& setting,
                              const Breaker& breaker) {
  if (breaker.applies != nullptr && !breaker.applies(setting)) return std::nullopt;
  const Space space(domain, setting);
  Row row(space.axes.size(), kUndecided);
  for (size_t i = 0; i < space.axes.size(); ++i) {
    const std::string& wanted = breaker.labels[space.axes[i].name];
    if (wanted.empty()) continue;
    const auto& values = space.axes[i].values;
    const auto found = std::find(values.begin(), values.end(), wanted);
    if (found == values.end()) return std::nullopt;
    row[i] = static_cast<int>(found - values.begin());
  }
  if (!Complete(space.sizes, space.allowed, row)) return std::nullopt;
  return LabelsOf(space.axes, row);
}

// Whether the first operand of a type row is floating point: an implementation may support only
// integers or only floats.
bool IsFloatRow(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    const auto type = setting.row->Type(argument.element_type);
    if (type && argument.category == ArgumentCategory::kInput) return IsFloat(*type);
  }
  return false;
}

// Whether the condition stands in this edition, for this operator or for every graph.
bool StandsInEdition(std::string_view condition, const Edition& edition, std::string_view op) {
  if (condition.starts_with("graph.")) return true;
  for (const Condition& known : FindOperator(op)->conditions()) {
    if (known.id == condition) return (known.editions & MaskOf(edition.id)) != 0;
  }
  return false;
}

// Most implementations have the base profiles.
std::vector<const TypeRow*> RowsWithoutExtensionsFirst(const Edition& edition,
                                                       const OperatorSpec& spec) {
  const auto needs_extension = [&](const TypeRow* row) {
    return std::none_of(row->profiles.begin(), row->profiles.end(), [&](const auto& alternative) {
      return std::none_of(
          edition.profiles.begin(), edition.profiles.end(), [&](const ProfileSpec& p) {
            return p.extension &&
                   std::find(alternative.begin(), alternative.end(), p.name) != alternative.end();
          });
    });
  };
  std::vector<const TypeRow*> rows;
  for (const TypeRow& row : spec.type_rows) rows.push_back(&row);
  std::stable_partition(rows.begin(), rows.end(),
                        [&](const TypeRow* row) { return !needs_extension(row); });
  return rows;
}

// One case with integers and one with floats, where the type rows have both.
void PlanErrorCases(const Domain& domain, const OperatorSpec& spec, Plan& plan) {
  const size_t first = plan.items.size();
  for (const Breaker& breaker : domain.breakers) {
    if (!StandsInEdition(breaker.condition, *plan.edition, spec.name)) continue;
    bool done[2] = {false, false};
    for (const TypeRow* row : RowsWithoutExtensionsFirst(*plan.edition, spec)) {
      const Setting setting{plan.edition, plan.level, &spec, row};
      bool& covered = done[IsFloatRow(setting)];
      if (covered || !IsWithin(row->profiles, plan.recipe.profiles)) continue;
      const std::optional<Labels> labels = StartOf(domain, setting, breaker);
      if (!labels) continue;
      covered = true;
      const std::string_view words = breaker.condition.substr(breaker.condition.find('.') + 1);
      const std::string id = StrCat(Lower(spec.name), "/error-", words, "-", TypesLabel(setting));
      // Several ways to break one condition are numbered.
      int ways = 1;
      for (size_t i = first; i < plan.items.size(); ++i) {
        ways += plan.items[i].breaker->condition == breaker.condition &&
                plan.items[i].choice.setting.row == row;
      }
      Choice choice{setting, ways == 1 ? id : StrCat(id, "-", ways), plan.recipe.seed, *labels};
      plan.items.push_back({std::move(choice), &domain, &breaker});
    }
  }
}

StatusOr<Plan> MakePlan(const GenerateOptions& options) {
  Plan plan;
  CTS_RETURN_IF_ERROR(Resolve(options, plan));
  const std::vector<std::string>& operators = plan.recipe.operators;
  for (const OperatorDomain& op : OperatorDomains()) {
    if (!operators.empty() &&
        std::find(operators.begin(), operators.end(), op.name) == operators.end()) {
      continue;
    }
    const OperatorSpec* spec = plan.edition->FindOperator(op.name);
    if (spec == nullptr) continue;  // another edition's
    plan.domains.push_back(std::make_unique<Domain>(op.domain()));
    Domain& domain = *plan.domains.back();
    if (domain.build == nullptr) continue;  // CUSTOM: nothing can be asked
    for (const Breaker& breaker : GraphBreakers()) domain.breakers.push_back(breaker);
    for (const TypeRow& row : spec->type_rows) {
      if (!IsWithin(row.profiles, plan.recipe.profiles)) continue;
      PlanValidCases(domain, {plan.edition, plan.level, spec, &row}, plan);
      PlanMutants(domain, {plan.edition, plan.level, spec, &row}, plan);
    }
    if (plan.recipe.error_cases) PlanErrorCases(domain, *spec, plan);
  }
  std::sort(plan.items.begin(), plan.items.end(),
            [](const Item& a, const Item& b) { return a.choice.id < b.choice.id; });
  for (size_t i = 1; i < plan.items.size(); ++i) {
    if (plan.items[i].choice.id != plan.items[i - 1].choice.id) continue;
    return absl::InternalError(StrCat("two cases have the id ", plan.items[i].choice.id));
  }
  return plan;
}

std::string Text(const std::vector<Violation>& violations) {
  return violations.empty()
             ? "no violation"
             : Names(violations, [](const Violation& v) { return v.condition + ": " + v.message; });
}

// Changes the graph at random until the reference says that it is an error.
Status MutateUntilError(const Plan& plan, const Item& item, Assembly& assembly) {
  constexpr int kTries = 1000;
  assembly.later_inputs.clear();
  const Assembly original = assembly;
  Random random(plan.recipe.seed, item.choice.id, "mutation");
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

// Builds one case and asks the reference.
StatusOr<Case> MakeCase(const Plan& plan, const Item& item, const Choice& choice) {
  const Setting& setting = choice.setting;
  Draft draft = item.domain->build(choice);
  if (item.breaker != nullptr) item.breaker->change(setting, draft);
  CTS_ASSIGN_OR_RETURN(Assembly assembly, AssembleGraph(setting, draft));

  Case c;
  c.id = choice.id;
  c.edition = plan.edition->id;
  c.level = plan.level->name;
  c.op = setting.spec->name;
  c.mode = setting.row->mode;
  c.types = setting.row->types;
  c.profiles = ProfilesOf(*setting.row, assembly.extensions);
  c.data_set = item.breaker != nullptr || item.mutant ? "none" : choice.data_set();
  for (const auto& [axis, value] : choice.labels.all()) {
    if (axis != "data") c.parameters[axis] = value;
  }
  const int dot_product_set = DotProductSetNumber(c.data_set);
  if (item.mutant) {
    c.parameters.clear();  // one of them may not be true any more
    CTS_RETURN_IF_ERROR(MutateUntilError(plan, item, assembly));
  }
  c.graph = std::move(assembly.graph);
  c.inputs = std::move(assembly.inputs);
  c.later_inputs = std::move(assembly.later_inputs);
  CTS_ASSIGN_OR_RETURN(std::vector<Evaluation> evaluations,
                       EvaluateSequence(c.graph, c.InputsOfExecutions(), *plan.edition, *plan.level,
                                        dot_product_set));
  const Evaluation& evaluation = evaluations.back();
  const auto& found = evaluation.violations;
  if (item.mutant) {
    c.condition = found.front().condition;
  } else if (item.breaker == nullptr) {
    if (evaluation.outcome != Outcome::kValid) {
      return absl::InternalError(StrCat("the reference calls it ", Name(evaluation.outcome),
                                        ", expected valid: ", Text(found)));
    }
  } else {
    const bool alone = found.size() == 1 && found[0].condition == item.condition();
    if (evaluation.outcome != Outcome::kError || !alone) {
      return absl::InternalError(StrCat("the reference calls it ", Name(evaluation.outcome), ": ",
                                        Text(found), "; expected error by ", item.condition(),
                                        " alone"));
    }
    c.condition = item.condition();
  }
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

// Whether the chosen profiles have what the values chosen need: DOUBLE_ROUND wants an extension.
StatusOr<bool> IsSelected(const Plan& plan, const Item& item) {
  if (plan.recipe.profiles.empty()) return true;
  Draft draft = item.domain->build(item.choice);
  if (item.breaker != nullptr) item.breaker->change(item.choice.setting, draft);
  CTS_ASSIGN_OR_RETURN(const Assembly assembly, AssembleGraph(item.choice.setting, draft));
  return IsWithin(ProfilesOf(*item.choice.setting.row, assembly.extensions), plan.recipe.profiles);
}

StatusOr<Plan> MakeSelectedPlan(const GenerateOptions& options) {
  CTS_ASSIGN_OR_RETURN(Plan plan, MakePlan(options));
  std::vector<Item> selected;
  for (Item& item : plan.items) {
    StatusOr<bool> is_selected = IsSelected(plan, item);
    if (!is_selected.ok()) return Annotate(is_selected.status(), item.choice.id);
    if (*is_selected) selected.push_back(std::move(item));
  }
  plan.items = std::move(selected);
  return plan;
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

StatusOr<std::vector<PlannedCase>> PlanCases(const GenerateOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakeSelectedPlan(options));
  std::vector<PlannedCase> cases;
  for (const Item& item : plan.items) {
    cases.push_back(
        {item.choice.id, item.choice.setting.spec->name, std::string(item.condition())});
  }
  return cases;
}

Status ForEachCase(const GenerateOptions& options,
                   const std::function<Status(size_t, const Case&)>& sink) {
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakeSelectedPlan(options));
  return RunPlan(plan, options, sink);
}

StatusOr<Suite> Generate(const GenerateOptions& options) {
  fs::path out = options.out.lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  CTS_RETURN_IF_ERROR(CheckDestination(out));
  CTS_ASSIGN_OR_RETURN(const Plan plan, MakeSelectedPlan(options));
  if (plan.items.empty()) {
    return InvalidArgument("recipe ", plan.recipe.name,
                           ": no case is left with these operators and profiles");
  }

  PartialDirectory partial(out);
  CTS_RETURN_IF_ERROR(partial.Create(out));
  Suite suite{plan.recipe.name,
              plan.edition->id,
              plan.level->name,
              "tensor-cts " CTS_VERSION,
              plan.recipe.seed,
              {},
              ""};
  suite.cases.resize(plan.items.size());
  const auto write = [&](size_t i, const Case& c) -> Status {
    const std::vector<BundleFile> files = EncodeCase(c);
    for (const BundleFile& file : files) {
      CTS_RETURN_IF_ERROR(WriteFile(partial.path() / c.id / file.path, file.bytes));
    }
    SuiteEntry& entry = suite.cases[i];
    entry = {c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}};
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
