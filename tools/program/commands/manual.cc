// Manual pages, one for the program and one for each command, from what help says.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "checker/judge/build_state.h"
#include "reference/base/file.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/usage.h"

namespace cts {
namespace {

// Text as roff shows it: no character of it is a request.
std::string Roff(std::string_view text) {
  std::string result;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) result += "\\&";
    at_begin = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

// Paragraphs between empty lines. Lines that begin with spaces stand as they are, others are
// filled.
std::string Paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string line, result;
  bool filled = false, verbatim = false;
  const auto end = [&] {
    if (verbatim) result += ".fi\n.RE\n";
    verbatim = filled = false;
  };
  while (std::getline(lines, line)) {
    const bool indented = line.starts_with(' ');
    if (line.empty()) {
      end();
    } else if (indented) {
      if (!verbatim) {
        end();
        result += ".PP\n.RS 4\n.nf\n";
        verbatim = true;
      }
      result += Roff(line.substr(line.find_first_not_of(' '))) + "\n";
    } else {
      if (verbatim) end();
      if (!filled) result += ".PP\n";
      filled = true;
      result += Roff(line) + "\n";
    }
  }
  end();
  return result;
}

// "a, b" of "{a,b}".
std::string SpacedWords(std::string_view words) {
  std::string spaced;
  for (const char c : words.substr(1, words.size() - 2)) {
    spaced += c == ',' ? ", " : std::string(1, c);
  }
  return spaced;
}

std::string OptionText(const CLI::Option& option) {
  const bool positional = option.get_positional();
  std::string head = positional ? StrCat("\\fI", Roff(option.get_single_name()), "\\fR") : "";
  for (const std::string& name : option.get_snames()) {
    head += StrCat(head.empty() ? "" : ", ", "\\fB", Roff("-" + name), "\\fR");
  }
  for (const std::string& name : option.get_lnames()) {
    head += StrCat(head.empty() ? "" : ", ", "\\fB", Roff("--" + name), "\\fR");
  }
  const std::string type = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  const size_t colon = std::min(type.find(':'), type.size());
  const std::string words = type.substr(std::min(colon + 1, type.size()));
  if (colon > 0 && !positional) head += StrCat(" \\fI", Roff(type.substr(0, colon)), "\\fR");
  std::string text = Roff(option.get_description());
  const bool choice = words.starts_with('{');
  if (!words.empty() && !choice) text += StrCat(" (", Roff(words), ")");
  text += ".";
  if (choice) text += StrCat("\nOne of: ", Roff(SpacedWords(words)), ".");
  if (const std::string given = option.get_default_str(); !given.empty()) {
    text += StrCat("\nDefault: ", Roff(given), ".");
  }
  for (const CLI::Option* other : option.get_excludes()) {
    text += StrCat("\nNot together with \\fB", Roff(other->get_name()), "\\fR.");
  }
  for (const CLI::Option* other : option.get_needs()) {
    text += StrCat("\nOnly together with \\fB", Roff(other->get_name()), "\\fR.");
  }
  if (option.get_required() && !positional) text += "\nRequired.";
  return StrCat(".TP\n", head, "\n", text, "\n");
}

std::string OptionsText(const CLI::App& app, bool positionals) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty() || option->get_positional() != positionals) continue;
    text += OptionText(*option);
  }
  return text;
}

// The contents of the folders that arguments name.
constexpr std::pair<std::string_view, std::string_view> kFolders[] = {
    {"SUITE",
     ".TP\n\\fISUITE\\fR/suite.json\nthe cases with their digests, and the recipe that they were "
     "made from\n.TP\n\\fISUITE\\fR/\\fICASE\\fR/case.json\na case: its graph, its outcome, the "
     "rules "
     "of its outputs; its tensors lie beside it as .npy files\n.TP\n"
     "\\fISUITE\\fR/\\fIOPERATOR\\fR.tar\nthe cases of an operator in one file, of a suite that\n"
     "\\fBgenerate \\-\\-pack\\fR made\n"},
    {"RESULTS",
     ".TP\n\\fIRESULTS\\fR/run.json\nwhat ran, where, and how far it came\n.TP\n"
     "\\fIRESULTS\\fR/\\fICASE\\fR/result.json\nthe outcome of a case; its outputs lie beside it "
     "as "
     ".npy files\n.TP\n\\fIRESULTS\\fR/\\fIOPERATOR\\fR.tar\nthe results of an operator in one "
     "file, "
     "of\n\\fBrun \\-\\-pack\\fR\n"},
    {"EVIDENCE",
     ".TP\n\\fIEVIDENCE\\fR/certificate.intoto.json\nthe signed statement; after a failure "
     "failure.intoto.json\n.TP\n\\fIEVIDENCE\\fR/SHA256SUMS\nthe digests of all other files\n"}};

// Whether the command has an argument of this name, or an option of it in small letters.
bool SpeaksOf(const CLI::App& command, std::string_view folder) {
  std::string small;
  for (const char c : folder) small += static_cast<char>(c | 0x20);
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    if (name == folder || name == small) return true;
  }
  return false;
}

std::string FilesText(const CLI::App& command) {
  std::string text;
  for (const auto& [folder, lines] : kFolders) {
    if (SpeaksOf(command, folder)) text += lines;
  }
  return text.empty() ? "" : ".SH FILES\n" + text;
}

std::string Head(const std::string& page, const std::string& about) {
  std::string title = page;
  for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 0x20 : c);
  return StrCat(".TH ", Roff(title), " 1 \"\" \"tensor-cts ", ThisBuild().version,
                "\" \"Tensor CTS\"\n.nh\n.ad l\n.SH NAME\n", Roff(page), " \\- ", Roff(about),
                "\n");
}

std::string CommandPage(const CLI::App& app, const CLI::App& command) {
  const std::string page = "tensor-cts-" + command.get_name();
  std::string text = Head(page, command.get_description());
  text +=
      StrCat(".SH SYNOPSIS\n\\fBtensor\\-cts ", Roff(command.get_name()), "\\fR [\\fIOPTIONS\\fR]");
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + Roff(option->get_single_name()) + "\\fR";
    const std::string many = option->get_items_expected_max() > 1 ? "..." : "";
    text += option->get_required() ? StrCat(" ", name, many) : StrCat(" [", name, many, "]");
  }
  text += "\n";
  if (const std::string places = OptionsText(command, true); !places.empty()) {
    text += ".SH ARGUMENTS\n" + places;
  }
  text += ".SH OPTIONS\n" + OptionsText(command, false);
  text += ".PP\nThe options of tensor\\-cts(1) may stand before or behind the command.\n";
  // The footer's last words are the exit code.
  const std::string footer = command.get_footer();
  const size_t exit = std::min(footer.find("Exit code: "), footer.size());
  if (exit > 0) text += ".SH DESCRIPTION\n" + Paragraphs(footer.substr(0, exit));
  text += ".SH EXIT STATUS\n";
  text += exit < footer.size() ? Paragraphs(footer.substr(exit + sizeof("Exit code: ") - 1))
                               : "0 done, 2 usage or environment.\n";
  text += FilesText(command);
  text += ".SH SEE ALSO\n.BR tensor\\-cts (1)";
  for (const CLI::App* each : ListedCommands(app)) {
    if (each != &command) text += StrCat(",\n.BR ", Roff("tensor-cts-" + each->get_name()), " (1)");
  }
  return text + "\n";
}

std::string ProgramPage(const CLI::App& app) {
  std::string text = Head("tensor-cts", "conformance suites for tensor operator sets");
  text +=
      ".SH SYNOPSIS\n\\fBtensor\\-cts\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n"
      ".SH DESCRIPTION\n";
  text += Paragraphs(app.get_description());
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : ListedCommands(app)) {
    text += StrCat(".TP\n.BR ", Roff("tensor-cts-" + command->get_name()), " (1)\n",
                   Roff(command->get_description()), "\n");
  }
  text += ".SH OPTIONS\n" + OptionsText(app, false);
  return text +
         ".SH EXIT STATUS\n0 conformant or done; 1 not conformant; 2 usage or environment; 130 "
         "interrupted by Ctrl\\-C (128 and the signal).\n"
         ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR\nno colour, or colour "
         "also where the output is no terminal\n.TP\n\\fBCOLUMNS\\fR\nthe width of tables\n.TP\n"
         "\\fBTMPDIR\\fR\nfor temporary folders\n"
         ".SH SEE ALSO\nThe page of a command: \\fBman tensor\\-cts\\-\\fICOMMAND\\fR.\n";
}

}  // namespace

void AddManual(CLI::App& app, Action& action) {
  auto out = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("manual", "Write the manual pages");
  command->add_option("--out", *out, "Folder for the pages")->required()->type_name("DIR");
  command->callback([&app, &action, out] {
    action = [&app, out]() -> StatusOr<int> {
      const std::filesystem::path folder = *out;
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      if (error) return Unavailable(folder.string(), ": cannot be created: ", error.message());
      CTS_RETURN_IF_ERROR(WriteFile(folder / "tensor-cts.1", ProgramPage(app)));
      for (const CLI::App* each : ListedCommands(app)) {
        CTS_RETURN_IF_ERROR(WriteFile(folder / StrCat("tensor-cts-", each->get_name(), ".1"),
                                      CommandPage(app, *each)));
      }
      return kDone;
    };
  });
}

}  // namespace cts
