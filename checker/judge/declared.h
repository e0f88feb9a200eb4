// The declaration by an implementation of what it supports (schemas/declared.schema.json). It
// changes no verdict. It separates cases that are owed and not answered from cases that are not
// offered.
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

// A missing member restricts nothing.
struct Declared {
  std::string edition;
  std::optional<std::vector<std::string>> profiles;
  std::vector<std::string> extensions;  // beside profiles
  std::optional<std::vector<std::string>> operators;
  std::optional<std::vector<std::string>> types;             // "i8", of any operator
  std::map<std::string, std::vector<std::string>> types_of;  // "fp32->i8", too; for `types`
  std::optional<int64_t> max_rank, max_dimension, max_elements;
  bool illegal_graphs = true;           // false: it owes no error for them
  std::vector<std::string> conformant;  // profiles and extensions that it calls conformant

  friend bool operator==(const Declared&, const Declared&) = default;
};

// Reads the form, but does not check names: run.json may name an edition that is unknown here.
// Errors name `origin` and the JSON pointer.
StatusOr<Declared> DeclaredFromJson(const Json& json, std::string_view origin);
// Refuses unknown names, with the nearest names of the edition, and an edition other than that of
// the suite or the claim.
Status CheckDeclared(const Declared& declared, std::string_view edition, std::string_view origin);

// Reads a file, and does both of these.
StatusOr<Declared> ReadDeclared(const std::filesystem::path& path, std::string_view edition);

// DeclaredFromJson reads the result back.
Json DeclaredToJson(const Declared& declared);

// Says which part of a case is beyond the declaration: "operator CONV2D", "fp16 in ADD", "rank 5 of
// x, above 4". Returns "" if everything that its graph holds is declared, even if the graph is
// illegal. The case must be of the declaration's edition.
std::string BeyondDeclared(const Declared& declared, const Case& c);

// Whether the declaration calls all of these profiles and extensions conformant.
bool IsCalledConformant(const Declared& declared, const std::vector<std::string>& all_of);

// Whether the declaration calls all profiles and extensions of one of the case's lists conformant.
// An error case counts where an error is owed. Nothing else in the declaration matters: an
// implementation that calls a profile conformant offers all of it.
bool CalledConformant(const Declared& declared, const Case& c);

}  // namespace cts
