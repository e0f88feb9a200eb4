// A blind suite: the cases of a suite without their answers, under neutral names and in random
// order. A small file, the sealed answers, contains the recipe and the salt. From these two, the
// program makes the answers and the real ids again. The manifest of the blind suite contains the
// digest of that file, so a later change of the file is detected.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/generate.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// The sealed answers (schemas/answers.schema.json).
struct SealedAnswers {
  std::string generator;  // name and version of the program that made the suite
  std::string salt;       // 64 hexadecimal digits
  Recipe recipe;
  std::string suite, blind;  // the digests of the suite with answers and of the blind suite
};

Json AnswersToJson(const SealedAnswers& answers);
// Errors name `origin`, the path of the file.
StatusOr<SealedAnswers> AnswersFromJson(const Json& json, std::string_view origin);
StatusOr<SealedAnswers> ReadAnswers(const std::filesystem::path& file);

// DrawSalt returns 32 random bytes from the operating system, in hexadecimal. DrawSeed returns a
// random seed for a recipe.
StatusOr<std::string> DrawSalt();
StatusOr<uint64_t> DrawSeed();

// Returns a map from the real id of each case to its neutral id, such as "case/0000001". The
// numbers follow the order of the SHA-256 digests over the salt and the real id.
std::map<std::string, std::string> NeutralIds(const std::vector<std::string>& ids,
                                              const std::string& salt);

// Returns the case in the form that it has in a blind suite: with graph, inputs and operator, but
// without any information about the expected results.
Case Sealed(const Case& c, const std::string& neutral_id);

struct BlindSuite {
  size_t cases = 0;
  SealedAnswers answers;
  std::string answers_digest;
};

// Generates the suite of `options`. Writes the blind suite to options.out, and the answers to
// `file`, which only its owner may read. With options.pack all cases are in one pack
// (reference/base/pack.h). Neither options.out nor `file` may exist before. The other
// errors are those of Generate. An error leaves nothing behind.
StatusOr<BlindSuite> GenerateBlind(const GenerateOptions& options, const std::string& salt,
                                   const std::filesystem::path& file);

// Returns the digest of the blind suite that is made from `suite` with this salt. `directory` is
// the folder of `suite`.
StatusOr<std::string> BlindDigest(const std::filesystem::path& directory, const Suite& suite,
                                  const std::string& salt, int jobs, const std::atomic<bool>* stop);

}  // namespace cts
