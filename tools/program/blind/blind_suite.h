// A blind suite: the cases of a suite without their answers, under neutral names and in random
// order. A small file, the sealed answers, determines the parts that are left out. The manifest of
// the blind suite contains the digest of that file, so the file cannot be changed later.
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
  std::string generator;
  std::string salt;  // 64 hexadecimal digits
  Recipe recipe;
  std::string suite, blind;  // digests of the suite and of its blind suite
};

Json AnswersToJson(const SealedAnswers& answers);
// Errors name `origin`, the path of the file.
StatusOr<SealedAnswers> AnswersFromJson(const Json& json, std::string_view origin);
StatusOr<SealedAnswers> ReadAnswers(const std::filesystem::path& file);

// DrawSalt returns 32 random bytes of the system, in hexadecimal. DrawSeed returns a random seed
// for a recipe.
StatusOr<std::string> DrawSalt();
StatusOr<uint64_t> DrawSeed();

// Returns the neutral id of each case, such as "case/0000001", by the real id of the case. The
// numbers follow the order of the SHA-256 digests over the salt and the real id.
std::map<std::string, std::string> NeutralIds(const std::vector<std::string>& ids,
                                              const std::string& salt);

// The case in the form of a blind suite: graph, inputs and operator, but nothing about the expected
// results.
Case Sealed(const Case& c, const std::string& neutral_id);

struct BlindSuite {
  size_t cases = 0;
  SealedAnswers answers;
  std::string answers_digest;
};

// Generates the suite of `options`. Writes the blind suite to options.out, and the answers to
// `file`, which only its owner may read. Neither options.out nor `file` may exist before. Errors
// are those of Generate; after an error, neither of them exists.
StatusOr<BlindSuite> GenerateBlind(const GenerateOptions& options, const std::string& salt,
                                   const std::filesystem::path& file);

// The digest of the blind suite that belongs to a suite on disk.
StatusOr<std::string> BlindDigest(const std::filesystem::path& directory, const Suite& suite,
                                  const std::string& salt, int jobs, const std::atomic<bool>* stop);

}  // namespace cts
