#include "tools/program/commands/command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/str_join.h"
#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/nearest.h"
#include "reference/base/new_file.h"
#include "tools/program/run/signals.h"

namespace cts {

void AddJobsOption(CLI::App& command, int& jobs, const std::string& what) {
  command.add_option("--jobs", jobs, "Threads (default: one per core)" + what)
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

void AddFilterOption(CLI::App& command, std::vector<std::string>& patterns) {
  command
      .add_option("--filter,--id", patterns,
                  "Only cases whose id matches: 'conv2d/*-k3x3*'; may be repeated")
      ->expected(1)
      ->type_name("PATTERN")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddJsonOption(CLI::App& command, std::string& place) {
  command.add_option("--json", place, "Write JSON to this file; with - or no file print only that")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
}

CLI::Option* AddJsonFlag(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Print the outcome as a JSON object, instead of text");
}

CLI::Option* AddPassphraseOption(CLI::App& command, std::filesystem::path& passphrase) {
  return command
      .add_option("--passphrase", passphrase,
                  "File whose first line unlocks an encrypted private key, or is a\n"
                  "token's PIN")
      ->type_name("FILE");
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  const auto find = [words](const std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return "";
    return StrCat("found ", word, ", expected one of ", absl::StrJoin(words, ", "),
                  DidYouMean(words, word));
  };
  return CLI::Validator(find, CLI::IsMember(words).get_description());
}

const std::atomic<bool>* CatchInterrupts() {
  static std::atomic<bool> interrupted{false};
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup wants to be obeyed.
    if (std::signal(number, SIG_IGN) == SIG_IGN && number == SIGHUP) continue;
    std::signal(number, [](int caught) {
      RememberSignal(caught);
      interrupted = true;
    });
  }
  return &interrupted;
}

Status Say(const std::string& text) {
  return Emit("-", Painted(Printable(text, Lines::kKeep), STDOUT_FILENO));
}

Status SayNews(const std::string& text) {
  return TheVolume() == Volume::kQuiet ? absl::OkStatus() : Say(text);
}

void Complain(std::string_view message) {
  std::cerr << Painted(StrCat("tensor-cts: ", Printable(message, Lines::kKeep), "\n"),
                       STDERR_FILENO);
}

Status Emit(const std::string& place, const std::string& text) {
  if (place != "-") {
    std::error_code error;
    const auto type = std::filesystem::symlink_status(place, error).type();
    if (type == std::filesystem::file_type::regular ||
        type == std::filesystem::file_type::not_found ||
        type == std::filesystem::file_type::directory) {
      return WriteFile(place, text);
    }
    std::ofstream file(place);
    file << text << std::flush;
    if (!file) return Unavailable(place, ": cannot be written");
    return absl::OkStatus();
  }
  std::cout << text << std::flush;
  if (!std::cout) return Unavailable("standard output: cannot be written");
  return absl::OkStatus();
}

Status ProbePlace(const std::string& place) {
  namespace fs = std::filesystem;
  if (place == "-") return absl::OkStatus();
  std::error_code error;
  const fs::file_type type = fs::status(place, error).type();
  if (type == fs::file_type::directory) {
    return InvalidArgument(place, ": is a directory, expected a file to write");
  }
  if (type != fs::file_type::regular && type != fs::file_type::not_found) {
    if (access(place.c_str(), W_OK) == 0) return absl::OkStatus();
    return Unavailable(place, ": cannot be written: ", std::strerror(errno));
  }
  // A file is written beside its place and renamed; missing directories are made.
  fs::path directory = fs::absolute(place, error).lexically_normal().parent_path();
  while (!fs::exists(directory, error) && directory.has_relative_path()) {
    directory = directory.parent_path();
  }
  if (!fs::is_directory(directory, error)) {
    return Unavailable(place, ": cannot be written: ", directory.string(), " is no directory");
  }
  // The answer of access() for root means nothing where writing is impossible, as in /proc.
  const Status probe = NewFile::Beside(directory / fs::path(place).filename()).status();
  if (!probe.ok()) return Unavailable(place, ": cannot be written: ", Message(probe));
  return absl::OkStatus();
}

}  // namespace cts
