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
  // A .tosa file, MLIR text, a SPIR-V module or a VGF file; or a file that another tool converts:
  // MLIR bytecode, a .tflite model or a .pt2 program.
  std::filesystem::path file;
  // "NAME=FILE.npy" for every input of the network. NAME is the input's name in the file or in the
  // case, and may contain "=". If NAME is a number and no input has that name, it is the input's
  // position, from 0.
  std::vector<std::string> inputs;
  // Inputs without a file get values that follow from this seed, the case's id and their names.
  // Values of i4, i8, i16 and bool are in the whole range of the type. Values of wider integers are
  // in the range -128 to 127, and floating-point values in the range -1 to 1. An input without a
  // file is an error if there is no seed, or if the input's shape has symbols.
  std::optional<uint64_t> random = {};
  // For a SPIR-V module: "ID=FILE.npy" for a constant of its graph. A constant that is not listed
  // is read from constant_ID.npy beside the module.
  std::vector<std::string> constants = {};
  // "spirv" or "vgf": refuse every other format. Empty: determine the format from the file.
  std::string format = {};
  std::string id;             // of the case; empty: named after the file
  std::filesystem::path out;  // the suite: a new folder, or an empty one
  std::string edition = std::string(kDefaultEdition);
  std::string level;  // empty: the edition's narrowest
};

struct ImportedNetwork {
  Suite suite;
  // Notes on accepted deviations from the format.
  std::vector<std::string> notes;
};

// Writes a suite of one case; after an error, writes nothing.
StatusOr<ImportedNetwork> ImportNetwork(const NetworkOptions& options);

}  // namespace cts
