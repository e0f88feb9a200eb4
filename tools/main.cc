#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "tools/commands/command.h"

namespace {

int Main(int argc, char** argv) {
  CLI::App app{
      "Generates conformance suites for tensor operator sets (TOSA), runs implementations over "
      "them\n"
      "and judges the results. A first walk:\n\n"
      "  tensor-cts generate --recipe smoke --out smoke\n"
      "  tensor-cts run smoke --implementation builtin:native --out results\n"
      "  tensor-cts check smoke results\n\n"
      "Exit codes: 0 conformant or done, 1 not conformant, 2 usage or environment."};
  app.name("tensor-cts");
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  cts::Action action;
  cts::AddGenerate(app, action);
  cts::AddRun(app, action);
  cts::AddCheck(app, action);
  cts::AddExplain(app, action);
  cts::AddList(app, action);
  cts::AddRender(app, action);
  cts::AddVersion(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? cts::kDone : cts::kCannot;
  }
  const cts::StatusOr<int> code = action();
  if (!code.ok()) {
    std::cerr << "tensor-cts: " << cts::Message(code.status()) << "\n";
    return cts::kCannot;
  }
  return *code;
}

}  // namespace

// One of the two places where exceptions end: the standard library's (no memory, a file system that
// changes under us) become an exit code.
int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tensor-cts: " << error.what() << "\n";
    return cts::kCannot;
  }
}
