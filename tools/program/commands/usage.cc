#include "tools/program/commands/usage.h"

#include <memory>
#include <vector>

#include "checker/text/printable.h"
#include "reference/base/nearest.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : ListedCommands(app)) names.push_back(each->get_name());
  return names;
}

std::string UnknownCommand(const CLI::App& app, const std::string& found) {
  const std::vector<std::string> names = CommandNames(app);
  std::string text = found.empty() ? std::string("expected a command")
                                   : StrCat("found \"", found, "\", expected a command");
  text += found.empty() ? "" : DidYouMean(names, found);
  text += text.back() == '?' ? " The commands are:" : ":";
  for (const std::string& name : names) text += " " + name;
  return text;
}

// "--filter", "--id", "-V": of a command and of those above it.
std::vector<std::string> OptionNames(const CLI::App* app) {
  std::vector<std::string> names;
  for (; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
  }
  return names;
}

// A word that nothing takes.
std::string UnknownWord(const CLI::App& command, const std::string& found) {
  const std::string option = found.substr(0, found.find('='));
  if (option.size() < 2 || option.front() != '-') {
    return StrCat("found \"", found, "\", expected no more words than help names");
  }
  return StrCat("found ", option, ", which is no option",
                DidYouMean(OptionNames(&command), option));
}

}  // namespace

std::vector<const CLI::App*> ListedCommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::string UsageError(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  const std::vector<std::string> rest = app.remaining(true);
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string what = error.what();
  if (!rest.empty() && (chosen.empty() || dynamic_cast<const CLI::ExtrasError*>(&error))) {
    what = chosen.empty() && rest.front().front() != '-' ? UnknownCommand(app, rest.front())
                                                         : UnknownWord(command, rest.front());
  } else if (chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error)) {
    what = UnknownCommand(app, "");
  }
  const std::string name = chosen.empty() ? "" : " " + command.get_name();
  return StrCat("tensor-cts", name, ": ", Printable(what, Lines::kKeep), "\nSee tensor-cts", name,
                " --help\n");
}

std::string HelpOfNoCommand(const CLI::App& app) {
  std::vector<std::string> words = app.remaining(true);
  if (const auto chosen = app.get_subcommands(); !chosen.empty()) {
    const CLI::Option* const named = chosen.front()->get_option_no_throw("COMMAND");
    words = named == nullptr ? std::vector<std::string>() : named->results();
  }
  std::erase_if(words, [](const std::string& word) { return word.starts_with('-'); });
  if (words.empty()) return "";
  const auto is_meant = [&](const CLI::App* each) { return each->get_name() == words.front(); };
  if (!app.get_subcommands(is_meant).empty()) return "";
  return StrCat("tensor-cts: ", Printable(UnknownCommand(app, words.front()), Lines::kKeep),
                "\nSee tensor-cts --help\n");
}

void AddHelp(CLI::App& app, Action& action) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("help", "Print the help of a command");
  command->add_option("COMMAND", *name, "Without one: the list of all commands");
  command->footer(kDoneOrCannot);
  command->callback([&app, &action, name] {
    action = [&app, name]() -> StatusOr<int> {
      const CLI::App* of = name->empty() ? &app : nullptr;
      for (const CLI::App* each : app.get_subcommands([](auto*) { return true; })) {
        if (each->get_name() == *name) of = each;
      }
      if (of == nullptr) return InvalidArgument("help: ", UnknownCommand(app, *name));
      // For the program itself help() would print the help of the command that was called: this
      // one.
      CTS_RETURN_IF_ERROR(Say(of == &app ? app.get_formatter()->make_help(
                                               &app, app.get_name(), CLI::AppFormatMode::Normal)
                                         : of->help(app.get_name())));
      return kDone;
    };
  });
}

}  // namespace cts
