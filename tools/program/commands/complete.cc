// The words that may stand next on the command line. The completions of bash, zsh and fish call
// this and know nothing of their own.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "generator/recipe/recipe.h"
#include "reference/base/file_type.h"
#include "reference/bundle/suite.h"
#include "reference/faults/catalogue.h"
#include "reference/spec/edition.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/usage.h"

namespace cts {
namespace {

// The words of a shell's line as far as the cursor. The last one is what is being typed.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words(1);
  bool between = true;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (!between) words.emplace_back();
      between = true;
      continue;
    }
    between = false;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  return words;
}

struct Candidate {
  std::string word, about;
};

// An option of a command, or of those above it; nullptr if there is none.
const CLI::Option* OptionNamed(const CLI::App* app, const std::string& name) {
  for (; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->check_name(name)) return option;
    }
  }
  return nullptr;
}

bool TakesAWord(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// The command line before the word that is typed.
struct Typed {
  const CLI::App* command = nullptr;
  const CLI::Option* waits = nullptr;  // an option without its word
  std::vector<std::string> positionals;
  std::string suite;  // of --suite
};

Typed Read(const CLI::App& app, const std::vector<std::string>& words) {
  Typed typed{&app, nullptr, {}, ""};
  for (size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (typed.waits != nullptr) {
      if (typed.waits->check_name("--suite")) typed.suite = word;
      typed.waits = nullptr;
    } else if (word.size() > 1 && word.front() == '-') {
      const size_t end = word.find('=');
      const CLI::Option* const option = OptionNamed(typed.command, word.substr(0, end));
      if (option != nullptr && TakesAWord(*option) && end == std::string::npos) {
        typed.waits = option;
      } else if (option != nullptr && option->check_name("--suite")) {
        typed.suite = word.substr(end + 1);
      }
    } else if (typed.command == &app) {
      typed.command = nullptr;
      for (const CLI::App* each : ListedCommands(app)) {
        if (each->get_name() == word) typed.command = each;
      }
      if (typed.command == nullptr) return typed;
    } else {
      typed.positionals.push_back(word);
    }
  }
  return typed;
}

// The suite that the words speak of: SUITE, --suite, or that of RESULTS.
StatusOr<Suite> SuiteOf(const Typed& typed) {
  if (!typed.suite.empty()) return ReadSuite(typed.suite);
  if (typed.positionals.empty()) return NotFound("no suite");
  const std::filesystem::path first = typed.positionals.front();
  CTS_ASSIGN_OR_RETURN(const bool results, Exists(first / "run.json"));
  if (!results) return ReadSuite(first);
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(first));
  return ReadSuite(run.suite_path.value_or(""));
}

// Ids of cases, by their first part until that stands there: a suite has tens of thousands.
std::vector<Candidate> CaseIds(const Typed& typed, const std::string& prefix) {
  const StatusOr<Suite> suite = SuiteOf(typed);
  if (!suite.ok()) return {};
  std::set<std::string> ids;
  for (const SuiteEntry& entry : suite->cases) {
    if (!entry.id.starts_with(prefix)) continue;
    const size_t slash = entry.id.find('/', prefix.size());
    ids.insert(slash == std::string::npos ? entry.id : entry.id.substr(0, slash + 1));
  }
  std::vector<Candidate> candidates;
  candidates.reserve(ids.size());
  for (const std::string& id : ids) candidates.push_back({Printable(id), ""});
  return candidates;
}

std::vector<Candidate> Plain(const std::vector<std::string>& words) {
  std::vector<Candidate> candidates;
  candidates.reserve(words.size());
  for (const std::string& word : words) candidates.push_back({word, ""});
  return candidates;
}

std::vector<Candidate> Implementations() {
  std::vector<Candidate> candidates = {{"builtin:native", "the positive control"}};
  for (const Fault& fault : FaultsOf(**FindEdition(kDefaultEdition))) {
    candidates.push_back({StrCat("builtin:fault:", fault.id), fault.sentence});
  }
  return candidates;
}

// Lists the words that may stand for an option or at a positional's place. None: a file, or
// anything.
std::vector<Candidate> ValuesOf(const CLI::Option& option, const Typed& typed,
                                const std::string& prefix) {
  const std::string type = option.get_type_name();
  if (const size_t begin = type.find(":{"); begin != std::string::npos) {
    std::vector<std::string> words(1);
    for (const char c : type.substr(begin + 2, type.find('}', begin) - begin - 2)) {
      if (c == ',') {
        words.emplace_back();
      } else {
        words.back() += c;
      }
    }
    return Plain(words);
  }
  const std::string& name = option.get_single_name();
  const Edition& edition = **FindEdition(kDefaultEdition);
  std::vector<Candidate> candidates;
  if (name == "recipe") return Plain(RecipeNames());
  if (type == "EDITION") return Plain(EditionIds());
  if (name == "implementation") return Implementations();
  if (name == "operator" || type == "OPERATOR") {
    for (const OperatorSpec& spec : edition.operators) candidates.push_back({spec.name, ""});
  } else if (type == "PROFILE") {
    for (const ProfileSpec& profile : edition.profiles) candidates.push_back({profile.name, ""});
  } else if (name == "COMMAND" && typed.command->get_name() == "help") {
    for (const CLI::App* each : ListedCommands(*typed.command->get_parent())) {
      candidates.push_back({each->get_name(), ""});
    }
  } else if (type == "ID" || type == "PATTERN") {
    return CaseIds(typed, prefix);
  }
  return candidates;
}

std::vector<Candidate> CommandsOf(const CLI::App& app) {
  std::vector<Candidate> candidates;
  for (const CLI::App* each : ListedCommands(app)) {
    candidates.push_back({each->get_name(), FirstLine(each->get_description())});
  }
  return candidates;
}

std::vector<Candidate> OptionsOf(const CLI::App* app) {
  std::vector<Candidate> candidates;
  for (; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        const std::string word = "--" + name;
        const bool known = std::any_of(candidates.begin(), candidates.end(),
                                       [&](const Candidate& c) { return c.word == word; });
        if (!known) candidates.push_back({word, FirstLine(option->get_description())});
      }
    }
  }
  return candidates;
}

std::vector<Candidate> CandidatesFor(const CLI::App& app, const std::vector<std::string>& words) {
  const Typed typed = Read(app, words);
  const std::string& word = words.back();
  if (typed.command == nullptr) return {};
  if (typed.waits != nullptr) return ValuesOf(*typed.waits, typed, word);
  if (word.starts_with("-")) {
    const size_t end = word.find('=');
    if (end == std::string::npos) return OptionsOf(typed.command);
    const CLI::Option* const option = OptionNamed(typed.command, word.substr(0, end));
    if (option == nullptr) return {};
    std::vector<Candidate> candidates = ValuesOf(*option, typed, word.substr(end + 1));
    for (Candidate& candidate : candidates) {
      candidate.word = word.substr(0, end + 1) + candidate.word;
    }
    return candidates;
  }
  if (typed.command == &app) return CommandsOf(app);
  std::vector<const CLI::Option*> places = typed.command->get_options(
      [](const CLI::Option* option) { return option->get_positional(); });
  if (places.empty()) return {};
  const size_t place = std::min(typed.positionals.size(), places.size() - 1);
  if (place < typed.positionals.size() && places[place]->get_items_expected_max() < 2) return {};
  return ValuesOf(*places[place], typed, word);
}

}  // namespace

void AddComplete(CLI::App& app, Action& action) {
  auto line = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("complete", "Print what may stand next on a line");
  command->add_option("--line", *line, "The command line as far as the cursor")
      ->required()
      ->type_name("TEXT");
  command->callback([&app, &action, line] {
    action = [&app, line]() -> StatusOr<int> {
      const std::vector<std::string> words = WordsOf(*line);
      std::string text;
      for (const Candidate& candidate : CandidatesFor(app, words)) {
        if (!candidate.word.starts_with(words.back())) continue;
        text += StrCat(candidate.word, candidate.about.empty() ? "" : "\t", candidate.about, "\n");
      }
      CTS_RETURN_IF_ERROR(Emit("-", text));
      return kDone;
    };
  });
}

}  // namespace cts
