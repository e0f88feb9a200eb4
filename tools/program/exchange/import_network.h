// Reads a user's network, and writes it as a suite of one case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "reference/spec/edition.h"

namespace cts {

struct NetworkOptions {
  // .tosa, text of MLIR, a module of SPIR-V; or a file that a tool converts: bytecode of MLIR, a
  // .tflite model.
  std::filesystem::path file;
  // "NAME=FILE.npy" for every input of the network. NAME is the name in the file or in the case; it
  // may contain "=". A number that is not a name is the input's position, from 0.
  std::vector<std::string> inputs;
  // Inputs without a file get values that follow from this seed, the case's id and their names:
  // i4, i8, i16 and bool over the whole type, wider integers -128 to 127, floats -1 to 1.
  std::optional<uint64_t> random = {};
  // For a module of SPIR-V: "ID=FILE.npy" for a constant of its graph. A constant that is not given
  // is read from constant_ID.npy beside the module.
  std::vector<std::string> constants = {};
  std::string format = {};    // "spirv": refuses everything else; empty: the file decides
  std::string id;             // of the case; empty: named after the file
  std::filesystem::path out;  // the suite: must not exist, or be an empty directory
  std::string edition = std::string(kDefaultEdition);
  std::string level;  // empty: the edition's narrowest
};

struct ImportedNetwork {
  Suite suite;
  std::vector<std::string> notes;  // notes on things that differ from the format and were read all
                                   // the same
};

// Writes a suite of that one case, as a whole or nothing.
StatusOr<ImportedNetwork> ImportNetwork(const NetworkOptions& options);

}  // namespace cts
