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
  std::string version;  // "1.0.0", with "draft" behind it if it says so: "1.1.0 draft"
  Graph graph;
  // The tensors whose names in the graph differ from those in the file. In a graph names are
  // identifiers, and unique in all blocks; in a file they need not be.
  std::map<std::string, std::string> renamed;  // of the main block: in the file -> in the graph
  // Notes on things that differ from the format and were read all the same, and how they were read.
  std::vector<std::string> notes;
  // Whether the numbers in the file may be those of a draft before 1.0, in which all types except
  // bool have other numbers: OldDraftHint.
  bool may_be_old_draft = false;
};

// Until January 2025 the drafts had two more types, UINT8 and UINT16, among the others, and so
// other numbers. Their files say 1.0.0 draft or 1.1.0 draft. Later files say the same, with the
// numbers of 1.0; only those that name their release (2026.2 and later) are certainly later.
struct OldDraftType {
  std::string_view name;  // "FP32"
  std::string_view npy;   // "<f4"
};
// The type that such a draft means by the number of `dtype`.
OldDraftType OldDraftTypeOf(DType dtype);
// The sentence about this for a message on a file of this version.
std::string OldDraftHint(std::string_view version);

// The longest file: a FlatBuffer's.
inline constexpr uint64_t kMaxTosaBytes = (1ull << 31) - 1;

// The version that a file says it has.
struct TosaVersion {
  int32_t major = 1, minor = 0;
  // 0, whatever the edition's patch level: readers refuse files that are newer than themselves, and
  // patch levels of 1.0 do not change the format.
  int32_t patch = 0;
  bool draft = false;
  // The file names its release of serialization (2026.8.0), and says that each reader of its
  // version can read it. Older files say neither.
  bool names_release = false;
};
// "1.0.2" or "1.1.0 draft", with the release named. Refuses texts that are no version of 1.x.
StatusOr<TosaVersion> ParseTosaVersion(const std::string& text);

// The bytes of a file. Illegal graphs are written, too: the implementation has to refuse them.
// Unimplemented if the edition or something in the graph has no place in the format. Invalid
// argument if the graph is not one, such as an operator whose tensor is not declared.
StatusOr<std::string> EncodeTosa(const Graph& graph, const Edition& edition,
                                 const TosaVersion& version = {});

// Reads an untrusted file as a graph of tosa-1.0. It is verified as a FlatBuffer first, then
// checked against what a graph may be. `origin` names it in messages. Unimplemented if it is of
// another major version, has something that 1.0 does not have, or says that it needs another
// reader.
StatusOr<TosaFile> DecodeTosa(std::string_view bytes, std::string_view origin);

}  // namespace cts
