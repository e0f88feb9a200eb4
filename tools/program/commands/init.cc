// Files to begin with: the examples of this project, written where a user wants them.
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "checker/text/printable.h"
#include "cts_cpp_starter.h"
#include "cts_starters.h"
#include "reference/base/file_type.h"
#include "tools/program/commands/command.h"
#include "tools/program/run/results_folder.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

struct StarterFile {
  std::string_view from;  // among the embedded files
  std::string_view to;
};

struct Starter {
  std::string_view kind, about;
  std::vector<StarterFile> files;
  std::string_view next;  // what to call, a line each
};

constexpr std::string_view kPluginNext =
    "cmake -S . -B build && cmake --build build\n"
    "tensor-cts generate --recipe smoke --out smoke\n"
    "tensor-cts run smoke --plugin build/libplugin.so --out results\n"
    "tensor-cts check smoke results\n";
constexpr std::string_view kCiNext =
    "name the release and your implementation in the file\n"
    "tensor-cts generate --recipe smoke --profile pro-int --out suite\n"
    "tensor-cts gate --suite suite --adapter ./my-adapter --worker "
    "--write-baseline conformance/baseline.json\n";

const std::vector<Starter>& Starters() {
  static const std::vector<Starter> starters = {
      {"python",
       "an implementation that is a function, and a test for pytest",
       {{"my_npu.py", "my_npu.py"}, {"test_my_npu.py", "test_my_npu.py"}},
       "tensor-cts generate --recipe smoke --out smoke\n"
       "tensor-cts run smoke --python my_npu.py:execute --out results\n"
       "tensor-cts check smoke results\n"
       "pytest test_my_npu.py --tensor-cts-suite smoke\n"},
      {"c",
       "a plugin in C",
       {{"plugin.c", "plugin.c"},
        {"CMakeLists.txt", "CMakeLists.txt"},
        {"plugin.h", "tensor-cts/plugin.h"}},
       kPluginNext},
      {"cpp",
       "a plugin in C++",
       {{"plugin.cc", "plugin.cc"},
        {"CMakeLists.txt", "CMakeLists.txt"},
        {"plugin.h", "tensor-cts/plugin.h"}},
       kPluginNext},
      {"claim",
       "what a certificate would say",
       {{"claim.json", "claim.json"}},
       "openssl genpkey -algorithm ed25519 -out key.pem\n"
       "tensor-cts certify --claim claim.json --key key.pem --adapter ./my-adapter --worker "
       "--out evidence\n"},
      {"github",
       "the gate in GitHub Actions",
       {{"github-actions.yml", ".github/workflows/conformance.yml"},
        {"waivers.json", "conformance/waivers.json"}},
       kCiNext},
      {"gitlab",
       "the gate in GitLab CI",
       {{"gitlab-ci.yml", ".gitlab-ci.yml"}, {"waivers.json", "conformance/waivers.json"}},
       kCiNext},
      {"jenkins",
       "the gate in Jenkins",
       {{"Jenkinsfile", "Jenkinsfile"}, {"waivers.json", "conformance/waivers.json"}},
       kCiNext}};
  return starters;
}

std::string_view TextOf(const Starter& starter, std::string_view name) {
  const auto find = [&](const std::vector<EmbeddedFile>& files) {
    for (const EmbeddedFile& file : files) {
      if (file.name == name) return file.text;
    }
    return std::string_view();
  };
  const std::string_view of_cpp =
      starter.kind == "cpp" ? find(EmbeddedCppStarter()) : std::string_view();
  return of_cpp.empty() ? find(EmbeddedStarters()) : of_cpp;
}

// All of the files, or none where one of them is there already.
Status WriteStarter(const Starter& starter, const fs::path& folder) {
  for (const StarterFile& file : starter.files) {
    CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(folder / file.to));
    if (!taken) continue;
    return InvalidArgument("init: ", (folder / file.to).string(),
                           ": exists, and init replaces nothing; name another folder");
  }
  for (const StarterFile& file : starter.files) {
    const fs::path path = folder / file.to;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
      return Unavailable("init: ", path.parent_path().string(),
                         ": cannot be created: ", error.message());
    }
    CTS_RETURN_IF_ERROR(WriteNew(path, std::string(TextOf(starter, file.from))));
    CTS_RETURN_IF_ERROR(SayNews(StrCat("wrote ", Printable(path.string()), "\n")));
  }
  return absl::OkStatus();
}

}  // namespace

void AddInit(CLI::App& app, Action& action) {
  struct Options {
    std::string kind;
    fs::path folder = ".";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("init", "Write files to begin with: an adapter, a claim, a CI's job");
  std::vector<std::string> kinds;
  std::string footer;
  for (const Starter& starter : Starters()) {
    kinds.emplace_back(starter.kind);
    footer +=
        StrCat("  ", starter.kind, std::string(12 - starter.kind.size(), ' '), starter.about, "\n");
  }
  command->add_option("KIND", options->kind, "What to begin")->required()->check(OneOf(kinds));
  command->add_option("DIR", options->folder, "The folder for them")
      ->capture_default_str()
      ->type_name("DIR");
  command->footer("Each kind is an example that works as it is. No file is replaced.\n\n" + footer +
                  "\nA suite on many machines needs no file: tensor-cts launch.\n\n" +
                  kDoneOrCannot);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      for (const Starter& starter : Starters()) {
        if (starter.kind != options->kind) continue;
        CTS_RETURN_IF_ERROR(WriteStarter(starter, options->folder));
        std::string next = options->folder == "."
                               ? ""
                               : StrCat("  cd ", ShellQuoted(options->folder.string()), "\n");
        for (size_t at = 0; at < starter.next.size();) {
          const size_t end = starter.next.find('\n', at) + 1;
          next += StrCat("  ", starter.next.substr(at, end - at));
          at = end;
        }
        CTS_RETURN_IF_ERROR(SayNews("next:\n" + next));
      }
      return kDone;
    };
  });
}

}  // namespace cts
