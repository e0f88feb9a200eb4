// The answers of the command line about itself: help, the version, and errors in its words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cts {

// The lines of standard error for words that are no call: the words that were found, those that
// were expected, the nearest ones, and the place of the help.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error);

// The same where `--help` or `--version` stands beside a word that is no command; empty where no
// such word does.
std::string HelpOfNoCommand(const CLI::App& app);

// The commands that help lists.
std::vector<const CLI::App*> ListedCommands(const CLI::App& app);

}  // namespace cts
