// A graph as a `.tosa` file: a FlatBuffer in the wire format of TOSA serialization 1.0
// (schemas/tosa.fbs).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

struct TosaFile {
  std::string version;  // "1.0.0", or "1.1.0 draft" if the file says that it is a draft
  Graph graph;
  // The tensors whose names in the graph differ from those in the file. In a graph, names are
  // identifiers and unique in all blocks; in a file they need not be.
  std::map<std::string, std::string> renamed;  // main block: name in the file -> name in the graph
  // Notes on accepted differences from the format, and on how the reader understood them.
  std::vector<std::string> notes;
  // Whether the type numbers in the file may be those of a draft before 1.0, in which all types
  // except bool have other numbers. See OldDraftHint.
  bool may_be_old_draft = false;
};

// Until January 2025 the drafts had two more types, UINT8 and UINT16, so that all types except bool
// had other numbers. Their files have the version 1.0.0 draft or 1.1.0 draft. Later files may have
// the same version with the numbers of 1.0. Only a file that names its release (2026.2 or later) is
// certainly later than these drafts.
struct OldDraftType {
  std::string_view name;  // "FP32"
  std::string_view npy;   // "<f4"
};
// The type whose number in these drafts is the number that `dtype` has in 1.0.
OldDraftType OldDraftTypeOf(DType dtype);
// The sentence about old drafts for a message about a file of this version.
std::string OldDraftHint(std::string_view version);

// The greatest size of a file, in bytes: no FlatBuffer may be larger.
inline constexpr uint64_t kMaxTosaBytes = (1ull << 31) - 1;

// The version that a file declares.
struct TosaVersion {
  int32_t major = 1, minor = 0;
  // 0 for every patch level of an edition: the patch levels of 1.0 have the same format, and a
  // reader refuses a file whose version is newer than the reader's.
  int32_t patch = 0;
  bool draft = false;
  // Whether the file names its release of serialization (2026.8.0), and declares that every reader
  // of the file's version can read the file. Older files do neither.
  bool names_release = false;
};
// Parses "1.0.2" or "1.1.0 draft". In the result `names_release` is true. Refuses a text that is
// not a version of 1.x.
StatusOr<TosaVersion> ParseTosaVersion(const std::string& text);

// Writes a graph as the bytes of a file. Illegal graphs are written, too, since the implementation
// has to refuse them. Unimplemented if the format cannot express the edition or a part of the
// graph. Invalid argument if the graph is malformed, for example if an operator's tensor is not
// declared.
StatusOr<std::string> EncodeTosa(const Graph& graph, const Edition& edition,
                                 const TosaVersion& version = {});

// Reads an untrusted file as a graph of tosa-1.0. The file is first verified as a FlatBuffer, then
// checked against the rules for graphs. `origin` names the file in messages. Unimplemented if the
// file has another major version, if it has a part that 1.0 does not have, or if it says that it
// needs a special feature or a newer reader.
StatusOr<TosaFile> DecodeTosa(std::string_view bytes, std::string_view origin);

}  // namespace cts
