#include "tools/program/ask/judge.h"

#include <fstream>
#include <iostream>
#include <memory>

#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/judge_lines.h"
#include "tools/program/ask/question_words.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

constexpr const char* kJudgeFooter =
    "Give either - or --lines, or --operator, --type, --result and one --input for each operand.\n"
    "A value is a number (0.1, 0x1.8p3, -inf, nan), which is rounded to the type by way of fp64, "
    "or\n"
    "a bit pattern: 0x and all hexadecimal digits of the type (0x3f800000). For REDUCE_*,\n"
    "MAX_POOL2D and ARGMAX, --input lists the elements that are reduced; for CLAMP, x, min_val "
    "and\n"
    "max_val; for RESIZE, the largest absolute input. RESIZE needs --ref, too. Zero points are 0\n"
    "unless --attribute says otherwise.\n\n"
    "An example of a line (schemas/judge_line.schema.json):\n\n"
    "  {\"id\": 1, \"operator\": \"EXP\", \"type\": \"fp32\", \"in\": [\"3dcccccd\"],\n"
    "   \"results\": [\"3f8d763f\", \"3f800000\"]}\n\n"
    "(one line, shown in two). Values are bit patterns, or integers for integer types. Its answer\n"
    "(schemas/judge_answer.schema.json):\n\n"
    "  {\"id\": 1, \"verdicts\": [\"accept\", \"reject\"], \"lo\": \"3f8d763b\", \"hi\": "
    "\"3f8d7641\",\n"
    "   \"rule\": \"absolute_bound\", ...}\n\n"
    "The answer to a line that is no question is \"error\", and the run goes on. A whole tensor "
    "of\n"
    "dot products: {\"KS\": 9, \"S\": 3, \"bias\": true, \"types\": {\"out_t\": \"fp16\", "
    "\"acc_t\": "
    "\"fp32\"},\n"
    "\"ref\": \"ref.npy\", \"bnd\": \"bnd.npy\", \"imp\": \"imp.npy\"}; ref and bnd are fp64.\n\n"
    "Exit code: 0 accept or disputed, 1 reject (of a pipe, any line), 2 no question. With "
    "--lines:\n"
    "0 answered, 2 a line was no question. A result is disputed where the edition's clauses\n"
    "disagree: it is no fault.";

struct JudgeArguments {
  std::string words, lines, op, type, in_type, edition{kDefaultEdition}, result, ref;
  std::vector<std::string> inputs, attributes;
};

StatusOr<int> AnswerLineFile(const JudgeArguments& options) {
  StatusOr<bool> all_questions = true;
  if (options.lines == "-") {
    all_questions = JudgeLines(std::cin, std::cout, options.edition, "standard input");
  } else {
    std::ifstream file(options.lines, std::ios::binary);
    if (!file) return NotFound(options.lines, ": cannot be opened");
    all_questions = JudgeLines(file, std::cout, options.edition, options.lines);
  }
  if (!all_questions.ok()) return all_questions.status();
  return *all_questions ? kDone : kCannot;
}

// Lines as `ask` writes them, with an answer behind each.
StatusOr<int> JudgeAnsweredLines(const JudgeArguments& options) {
  const bool all = TheVolume() != Volume::kQuiet;
  StatusOr<JudgedLines> counts = JudgedLines();
  if (options.words == "-") {
    counts = JudgeWords(std::cin, std::cout, options.edition, "standard input", all);
  } else {
    std::ifstream file(options.words, std::ios::binary);
    if (!file) return NotFound(options.words, ": cannot be opened");
    counts = JudgeWords(file, std::cout, options.edition, options.words, all);
  }
  if (!counts.ok()) return counts.status();
  const int64_t lines =
      counts->accepted + counts->rejected + counts->disputed + counts->no_question;
  if (lines == 0) return InvalidArgument("judge: found no line, expected those of tensor-cts ask");
  // Standard output has the lines and nothing else.
  std::cerr << StrCat("judge: ", lines, " lines: ", counts->accepted, " accept, ", counts->rejected,
                      " reject, ",
                      counts->disputed > 0 ? StrCat(counts->disputed, " disputed, ") : "",
                      counts->no_question, " no question\n");
  return counts->no_question > 0 ? kCannot : counts->rejected > 0 ? kNotConformant : kDone;
}

StatusOr<int> JudgeOne(const JudgeArguments& options) {
  Json question = {{"edition", options.edition},
                   {"operator", options.op},
                   {"type", options.type},
                   {"in", options.inputs},
                   {"results", {options.result}}};
  if (!options.in_type.empty()) question["in_type"] = options.in_type;
  if (!options.ref.empty()) question["ref"] = options.ref;
  for (const std::string& attribute : options.attributes) {
    CTS_RETURN_IF_ERROR(Annotate(AddAttribute(attribute, &question), "judge: --attribute"));
  }
  const StatusOr<Judgement> judgement = Judge(question, Digits::kNumber);
  if (!judgement.ok()) return Annotate(judgement.status(), "judge");
  CTS_RETURN_IF_ERROR(Say(FormatJudgement(question, *judgement)));
  return judgement->accepted[0] || !judgement->disputed.empty() ? kDone : kNotConformant;
}

}  // namespace

void AddJudge(CLI::App& app, Action& action) {
  auto options = std::make_shared<JudgeArguments>();
  CLI::App* command =
      app.add_subcommand("judge", "One question, one answer: is this result acceptable?");
  const auto several = [&](const char* name, std::vector<std::string>& into, const char* help,
                           const char* type) {
    return command->add_option(name, into, help)
        ->expected(1)
        ->type_name(type)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  CLI::Option* const op =
      command->add_option("--operator", options->op, "Such as EXP")->type_name("NAME");
  CLI::Option* const type =
      command->add_option("--type", options->type, "Type of the result: fp32, i8, ...")
          ->type_name("TYPE");
  CLI::Option* const in_type =
      command->add_option("--in-type", options->in_type, "Type of the operands, if it differs")
          ->type_name("TYPE");
  CLI::Option* const input =
      several("--input", options->inputs, "Value of an operand; one for each", "VALUE");
  CLI::Option* const attribute = several("--attribute", options->attributes,
                                         "Argument by name, such as shift=3", "NAME=VALUE");
  CLI::Option* const result =
      command->add_option("--result", options->result, "Value to be judged")->type_name("VALUE");
  CLI::Option* const ref =
      command->add_option("--ref", options->ref, "Reference value instead of the computed one")
          ->type_name("NUMBER");
  command->add_option("--edition", options->edition, "For the question, and for lines without one")
      ->capture_default_str()
      ->type_name("EDITION");
  CLI::Option* const lines =
      command
          ->add_option("--lines", options->lines,
                       "File with one question a line; - reads standard input")
          ->type_name("FILE");
  CLI::Option* const words =
      command
          ->add_option("ANSWERED", options->words,
                       "Lines of tensor-cts ask with an answer behind each; - reads\n"
                       "standard input")
          ->type_name("FILE");
  lines->excludes(words);
  for (CLI::Option* const other : {op, type, in_type, input, attribute, result, ref}) {
    lines->excludes(other);
    words->excludes(other);
  }
  command->footer(kJudgeFooter);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (!options->lines.empty()) return AnswerLineFile(*options);
      if (!options->words.empty()) return JudgeAnsweredLines(*options);
      if (options->op.empty() || options->type.empty() || options->result.empty()) {
        return InvalidArgument(
            "judge: expected --operator, --type, --input and --result, or --lines, or - for "
            "answered "
            "lines of tensor-cts ask");
      }
      return JudgeOne(*options);
    };
  });
}

}  // namespace cts
