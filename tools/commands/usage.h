// The answers of the command line about itself: help, the version, and what is wrong with its
// words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cts {

// The lines of standard error for words that are no call: what was found, what was expected, what
// lies nearest, and where the help is.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error);

// The same where `--help` or `--version` stands beside a word that is no command; empty where no
// such word does.
std::string HelpOfNoCommand(const CLI::App& app);

// The commands that help lists.
std::vector<const CLI::App*> ListedCommands(const CLI::App& app);

}  // namespace cts
