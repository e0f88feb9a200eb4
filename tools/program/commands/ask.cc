#include <iostream>
#include <memory>

#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/question_words.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

constexpr const char* kAskFooter =
    "Each line is the operator, the type, and the operands as bit patterns: \"EXP fp32 "
    "3dcccccd\".\n"
    "A program that puts its answer, a bit pattern, behind each line is an adapter:\n\n"
    "  tensor-cts ask --operator EXP --type fp32 | yours | tensor-cts judge -\n\n"
    "judge puts accept or reject before each line. The values are special ones, any, and some "
    "near\n"
    "1, drawn from the seed; the reference has an answer to each. Only operators with one result\n"
    "for a few operands are asked. Use a suite for whole tensors.\n\n"
    "Exit code: 0 done, 2 usage or environment.";

}  // namespace

void AddAsk(CLI::App& app, Action& action) {
  struct Options {
    AskOptions ask;
    std::vector<std::string> attributes;
  };
  auto options = std::make_shared<Options>();
  AskOptions& ask = options->ask;
  ask.edition = kDefaultEdition;
  ask.count = 1000;
  CLI::App* command =
      app.add_subcommand("ask", "Print inputs as lines: answer them in a pipe to judge");
  command->add_option("--operator", ask.op, "Such as EXP")->required()->type_name("NAME");
  command->add_option("--type", ask.type, "Type of the result: fp32, i8, ...")
      ->required()
      ->type_name("TYPE");
  command->add_option("--in-type", ask.in_type, "Type of the operands, if it differs")
      ->type_name("TYPE");
  command->add_option("--attribute", options->attributes, "Argument by name, such as shift=3")
      ->expected(1)
      ->type_name("NAME=VALUE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--count", ask.count, "So many lines")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->type_name("N");
  command->add_option("--seed", ask.seed, "Another seed asks other values")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--edition", ask.edition, "The edition that answers")
      ->capture_default_str()
      ->type_name("EDITION");
  command->footer(kAskFooter);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      Json question = {{"attributes", Json::object()}};
      for (const std::string& attribute : options->attributes) {
        CTS_RETURN_IF_ERROR(Annotate(AddAttribute(attribute, &question), "ask: --attribute"));
      }
      options->ask.attributes = question["attributes"];
      CTS_RETURN_IF_ERROR(Annotate(Ask(options->ask, std::cout), "ask"));
      return kDone;
    };
  });
}

}  // namespace cts
