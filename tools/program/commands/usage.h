// What the command line says about itself: help, the version, and errors in its arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cts {

// The text for standard error about wrong arguments: the words that were found, the expected words,
// the most similar words, and where to find help.
std::string UsageError(const CLI::App& app, const CLI::ParseError& error);

// The same kind of text for a command line with `--help` or `--version` and a word that is not a
// command; empty if there is no such word.
std::string HelpOfNoCommand(const CLI::App& app);

// The commands that help lists.
std::vector<const CLI::App*> ListedCommands(const CLI::App& app);

}  // namespace cts
