// The answers of the command line about itself: help, the version, and errors in its words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cts {

// The lines on standard error for wrong arguments: the words that were found, the expected ones,
// the nearest ones, and the place of the help.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error);

// The same where `--help` or `--version` stands beside a word that is no command; empty where no
// such word does.
std::string HelpOfNoCommand(const CLI::App& app);

// The commands that help lists.
std::vector<const CLI::App*> ListedCommands(const CLI::App& app);

}  // namespace cts
