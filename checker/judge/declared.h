// The declaration of what an implementation supports (schemas/declared.schema.json). The
// declaration changes no verdict. The declaration separates two kinds of cases that the
// implementation does not answer: cases that it declares as supported, and cases that it does not
// offer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// An optional member that is nullopt restricts nothing.
struct Declared {
  std::string edition;
  std::optional<std::vector<std::string>> profiles;
  std::vector<std::string> extensions;  // in addition to `profiles`
  std::optional<std::vector<std::string>> operators;
  std::optional<std::vector<std::string>> types;  // "i8", for all operators
  std::map<std::string, std::vector<std::string>>
      types_of;  // operator -> a list that replaces `types`. An entry is a type, "i8", or the types
                 // of one row together: "i8 i4 i32", "fp32->i8"
  std::optional<int64_t> max_rank, max_dimension, max_elements;
  bool illegal_graphs = true;  // false: the implementation need not refuse illegal graphs
  // Profiles and extensions that the declaration calls conformant.
  std::vector<std::string> conformant;

  friend bool operator==(const Declared&, const Declared&) = default;
};

// Checks the form but not the names, because run.json may name an edition that this program does
// not know. Errors name `origin` and the JSON pointer.
StatusOr<Declared> DeclaredFromJson(const Json& json, std::string_view origin);
// Refuses unknown names, and names that contradict other members. The error for an unknown name
// lists the nearest names of the edition. Also refuses an edition other than `edition`, the edition
// of the suite or of the claim.
Status CheckDeclared(const Declared& declared, std::string_view edition, std::string_view origin);

// Reads a file, parses it with DeclaredFromJson, and checks the result with CheckDeclared.
StatusOr<Declared> ReadDeclared(const std::filesystem::path& path, std::string_view edition);

// DeclaredFromJson can read the result back.
Json DeclaredToJson(const Declared& declared);

// Says which part of a case is beyond the declaration: "operator CONV2D", "fp16 in ADD", "rank 5 of
// x, above 4". Returns "" if everything in the case's graph is declared. If
// Declared::illegal_graphs is false, every illegal graph is beyond the declaration; otherwise an
// illegal graph is treated like a legal one. The case must be of the declaration's edition.
std::string BeyondDeclared(const Declared& declared, const Case& c);

// Whether the declaration calls all of these profiles and extensions conformant; false if the list
// is empty.
bool IsCalledConformant(const Declared& declared, const std::vector<std::string>& all_of);

// Whether the declaration calls all profiles and extensions of one of the case's lists conformant.
// For an error case, the result is true only if Declared::illegal_graphs is also true. The other
// members of the declaration do not matter: an implementation that calls a profile conformant
// offers all of it.
bool CalledConformant(const Declared& declared, const Case& c);

}  // namespace cts
