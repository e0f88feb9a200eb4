// The texts of the command line about itself: help, the version, and errors in its arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cts {

// Returns the text for standard error about wrong arguments: the words that were found, the
// expected words, the most similar words, and where to find help.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error);

// Returns such a text for a command line with `--help` or `--version` and a word that is not a
// command; returns an empty text if there is no such word.
std::string HelpOfNoCommand(const CLI::App& app);

// The commands that help lists.
std::vector<const CLI::App*> ListedCommands(const CLI::App& app);

}  // namespace cts
