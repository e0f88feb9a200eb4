#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "checker/judge/case_status.h"
#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "reference/base/npy.h"
#include "tools/program/exchange/memory.h"
#include "tools/program/run/announced_name.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

struct PlacedOutput {
  std::string name;
  DType dtype = DType::kI8;
  Shape shape;
  uint64_t offset = 0, bytes = 0;
};

// To one execution of a case.
struct PlacedAnswer {
  std::string id;
  int execution = 0;
  uint64_t address = 0;
  std::vector<PlacedOutput> outputs;
};

struct MemoryManifest {
  std::string digest;
  uint64_t result_bytes = 0;
  std::vector<PlacedAnswer> answers;
};

std::string At(uint64_t address) {
  std::ostringstream text;
  text << "address 0x" << std::hex << address;
  return text.str();
}

StatusOr<PlacedOutput> OutputFrom(const Json& json, const std::string& place) {
  PlacedOutput output{.name = json["name"].get<std::string>(),
                      .dtype = *ParseDType(json["dtype"].get<std::string>()),
                      .shape = json["shape"].get<Shape>(),
                      .offset = json["offset"].get<uint64_t>(),
                      .bytes = json["bytes"].get<uint64_t>()};
  const StatusOr<int64_t> count = CheckedElementCount(output.shape);
  if (!count.ok()) return Annotate(count.status(), place);
  if (static_cast<uint64_t>(*count) > kMaxElements ||
      output.bytes != static_cast<uint64_t>(*count * StorageBytes(output.dtype))) {
    return InvalidArgument(place, ": found ", output.bytes, " bytes of ", output.name,
                           ", expected those of its type and shape");
  }
  return output;
}

StatusOr<MemoryManifest> ReadManifest(const fs::path& path, const Suite& suite) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, path.string()));
  CTS_RETURN_IF_ERROR(ValidateJson(json, "memory", path.string()));
  if (const auto found = json["suite_digest"].get<std::string>(); found != suite.digest) {
    return InvalidArgument(path.string(), ": of a suite with digest ", found,
                           ", expected that of SUITE, ", suite.digest,
                           "; export the suite that you check");
  }
  MemoryManifest manifest{.digest = Sha256(text),
                          .result_bytes = json["result_bytes"].get<uint64_t>()};
  std::map<std::string, int> executions;
  // Answers stand in the order of their addresses, and outputs in that of their offsets.
  uint64_t next = kMemoryDigestBytes;
  for (const Json& entry : json["cases"]) {
    PlacedAnswer answer{.id = entry["id"].get<std::string>(),
                        .execution = entry["execution"].get<int>(),
                        .address = entry["result_address"].get<uint64_t>()};
    const std::string place = StrCat(path.string(), ": case ", Printable(answer.id));
    if (suite.Find(answer.id) == nullptr || answer.execution != executions[answer.id]++) {
      return InvalidArgument(place, ": execution ", answer.execution,
                             ": expected a case of the suite, and each execution once, in order");
    }
    const auto bytes = entry["answer_bytes"].get<uint64_t>();
    if (answer.address < next) {
      return InvalidArgument(place, ": found an answer at ", At(answer.address),
                             ", expected it at ", At(next), " or behind, where no other one lies");
    }
    next = answer.address + bytes;
    uint64_t end = kMemoryStatusBytes;
    for (const Json& listed : entry["outputs"]) {
      CTS_ASSIGN_OR_RETURN(PlacedOutput output, OutputFrom(listed, place));
      if (output.offset < end) {
        return InvalidArgument(place, ": output ", output.name, ": found it at offset ",
                               output.offset, ", expected ", end, " or more");
      }
      end = output.offset + output.bytes;
      answer.outputs.push_back(std::move(output));
    }
    if (end > bytes || answer.address + bytes > manifest.result_bytes) {
      return InvalidArgument(place, ": expected an answer within the results, which have ",
                             manifest.result_bytes, " bytes");
    }
    manifest.answers.push_back(std::move(answer));
  }
  return manifest;
}

// The results as the dumps have them, byte by byte.
class DumpedResults {
 public:
  explicit DumpedResults(uint64_t bytes) : bytes_(bytes), states_(bytes, kAbsent) {}

  Status Add(const fs::path& dump, const std::string& digest);

  // The first address of a byte that no dump has, or that is undefined: x or z.
  std::optional<uint64_t> FirstAbsent(uint64_t address, uint64_t count) const {
    return First(kAbsent, address, count);
  }
  std::optional<uint64_t> FirstUndefined(uint64_t address, uint64_t count) const {
    return First(kUndefined, address, count);
  }
  const uint8_t* At(uint64_t address) const { return bytes_.data() + address; }
  uint32_t Word(uint64_t address) const {
    const uint8_t* b = At(address);
    return static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 |
           static_cast<uint32_t>(b[2]) << 16 | static_cast<uint32_t>(b[3]) << 24;
  }

 private:
  enum State : uint8_t { kAbsent, kUndefined, kKnown };

  std::optional<uint64_t> First(State state, uint64_t address, uint64_t count) const {
    const auto begin = states_.begin() + static_cast<int64_t>(address);
    const auto found = std::find(begin, begin + static_cast<int64_t>(count), state);
    if (found == begin + static_cast<int64_t>(count)) return std::nullopt;
    return static_cast<uint64_t>(found - states_.begin());
  }
  Status AddText(const std::string& path, std::string_view text);
  Status AddBytes(const std::string& path, std::string_view bytes);
  // Puts one byte; nullopt is an undefined one. `place` names it.
  Status Put(uint64_t address, std::optional<uint8_t> byte, const std::string& place);

  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> states_;
};

std::optional<uint8_t> Digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<uint8_t>(c - 'A' + 10);
  return std::nullopt;
}

bool IsUndefined(char c) { return c == 'x' || c == 'X' || c == 'z' || c == 'Z'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Reads words of $readmemh's form: no space, no comment.
class DumpWords {
 public:
  DumpWords(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  // The next word; empty at the end.
  StatusOr<std::string_view> Next() {
    CTS_RETURN_IF_ERROR(SkipSpace());
    const size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != '/') ++at_;
    if (at_ > begin || at_ == text_.size()) return text_.substr(begin, at_ - begin);
    return InvalidArgument(Place(), ": found '/', expected a byte, an address or a comment");
  }
  std::string Place() const { return StrCat(path_, ":", line_); }

 private:
  bool StartsWith(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }
  void Skip(size_t end) {
    line_ += std::count(text_.begin() + static_cast<int64_t>(at_),
                        text_.begin() + static_cast<int64_t>(end), '\n');
    at_ = end;
  }
  Status SkipSpace() {
    while (at_ < text_.size()) {
      if (IsSpace(text_[at_])) {
        Skip(at_ + 1);
      } else if (StartsWith("//")) {
        Skip(std::min(text_.find('\n', at_), text_.size()));
      } else if (StartsWith("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) return InvalidArgument(Place(), ": found no end of a comment");
        Skip(end + 2);
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  const std::string& path_;
  const std::string_view text_;
  size_t at_ = 0;
  int64_t line_ = 1;
};

Status DumpedResults::Put(uint64_t address, std::optional<uint8_t> byte, const std::string& place) {
  if (address >= bytes_.size()) {
    return InvalidArgument(place, ": too long: found a byte at ", cts::At(address),
                           ", expected at most ", bytes_.size(), " bytes, as the manifest says");
  }
  const State state = byte ? kKnown : kUndefined;
  const bool is_digest = address < kMemoryDigestBytes;
  const bool again = states_[address] != kAbsent;
  if (again && !(is_digest && states_[address] == state && bytes_[address] == byte.value_or(0))) {
    return InvalidArgument(place, ": ", cts::At(address),
                           ": found a second byte, expected each address once");
  }
  bytes_[address] = byte.value_or(0);
  states_[address] = state;
  return absl::OkStatus();
}

Status DumpedResults::AddText(const std::string& path, std::string_view text) {
  DumpWords words(path, text);
  uint64_t address = 0;
  while (true) {
    CTS_ASSIGN_OR_RETURN(const std::string_view word, words.Next());
    if (word.empty()) return absl::OkStatus();
    const bool is_address = word[0] == '@';
    const std::string_view digits = is_address ? word.substr(1) : word;
    const auto is_digit = [&](char c) { return Digit(c) || (!is_address && IsUndefined(c)); };
    const bool right_size =
        is_address ? !digits.empty() && digits.size() <= 16 : digits.size() == 2;
    if (!right_size || !std::all_of(digits.begin(), digits.end(), is_digit)) {
      return InvalidArgument(words.Place(), ": ", cts::At(address), ": found '",
                             Shortened(Printable(std::string(word)), 40),
                             "', expected two hexadecimal digits of a byte, or @ADDRESS");
    }
    if (is_address) {
      address = 0;
      for (const char c : digits) address = address << 4 | *Digit(c);
      continue;
    }
    std::optional<uint8_t> byte;
    if (!IsUndefined(digits[0]) && !IsUndefined(digits[1])) {
      byte = static_cast<uint8_t>(*Digit(digits[0]) << 4 | *Digit(digits[1]));
    }
    CTS_RETURN_IF_ERROR(Put(address++, byte, words.Place()));
  }
}

Status DumpedResults::AddBytes(const std::string& path, std::string_view bytes) {
  if (bytes.size() != bytes_.size()) {
    return InvalidArgument(path, bytes.size() < bytes_.size() ? ": too short" : ": too long",
                           ": ends at ", cts::At(bytes.size()), ", expected ", bytes_.size(),
                           " bytes, as the manifest says");
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    CTS_RETURN_IF_ERROR(Put(i, static_cast<uint8_t>(bytes[i]), path));
  }
  return absl::OkStatus();
}

Status DumpedResults::Add(const fs::path& dump, const std::string& digest) {
  // Five characters a byte, with its line's end and a comment now and then.
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(dump, uint64_t{8} << 30));
  std::fill_n(states_.begin(), kMemoryDigestBytes, kAbsent);
  CTS_RETURN_IF_ERROR(dump.extension() == ".bin" ? AddBytes(dump.string(), text)
                                                 : AddText(dump.string(), text));
  std::string found;
  for (uint64_t i = 0; i < kMemoryDigestBytes; ++i) {
    if (states_[i] != kKnown) {
      return InvalidArgument(dump.string(), ": ", cts::At(i), ": found no byte, expected the ",
                             "digest of the manifest in the first ", kMemoryDigestBytes, " bytes");
    }
    for (const int digit : {bytes_[i] >> 4, bytes_[i] & 15}) found += "0123456789abcdef"[digit];
  }
  if (found == digest) return absl::OkStatus();
  return InvalidArgument(dump.string(), ": ", cts::At(0), ": found the digest ", found,
                         ", expected ", digest, ", the SHA-256 of the manifest: the dump is of ",
                         "another suite or export");
}

// What became of a case, and the files of its outputs.
struct TakenAnswer {
  std::optional<CaseStatus> status;  // nullopt: no answer
  std::string message;
  std::vector<BundleFile> outputs;
};

TakenAnswer MalformedAnswer(const std::string& message) { return {CaseStatus::kProtocol, message}; }

Status TooShort(const PlacedAnswer& answer, uint64_t address) {
  return InvalidArgument("case ", answer.id, ": too short: no dump has a byte at ", At(address),
                         ", expected its whole answer from ", At(answer.address));
}

StatusOr<TakenAnswer> TakeOutputs(const DumpedResults& results, const PlacedAnswer& answer) {
  TakenAnswer taken{.status = CaseStatus::kOk};
  for (const PlacedOutput& output : answer.outputs) {
    const uint64_t address = answer.address + output.offset;
    if (const auto first = results.FirstAbsent(address, output.bytes)) {
      return TooShort(answer, *first);
    }
    const std::string name = ResultName(output.name, answer.execution);
    if (const auto first = results.FirstUndefined(address, output.bytes)) {
      return MalformedAnswer(
          StrCat("output ", name, ": ", At(*first), ": found x or z, expected a number"));
    }
    Tensor values(output.dtype, output.shape);
    std::copy_n(results.At(address), output.bytes, values.bytes().begin());
    taken.outputs.push_back({name + ".npy", EncodeNpy(values)});
  }
  return taken;
}

StatusOr<TakenAnswer> TakeOne(const DumpedResults& results, const PlacedAnswer& answer) {
  if (const auto first = results.FirstAbsent(answer.address, sizeof(uint32_t))) {
    if (*first == answer.address) return TakenAnswer();
    return TooShort(answer, *first);
  }
  if (const auto first = results.FirstUndefined(answer.address, sizeof(uint32_t))) {
    return MalformedAnswer(StrCat("status: ", At(*first), ": found x or z, expected a number"));
  }
  const uint32_t status = results.Word(answer.address);
  switch (static_cast<MemoryStatus>(status)) {
    case MemoryStatus::kNone:
      return TakenAnswer();
    case MemoryStatus::kComputed:
      return TakeOutputs(results, answer);
    case MemoryStatus::kRefused:
      return TakenAnswer{.status = CaseStatus::kError};
    case MemoryStatus::kUnsupported:
      return TakenAnswer{.status = CaseStatus::kUnsupported};
  }
  return MalformedAnswer(StrCat("status: ", At(answer.address), ": found ", status,
                                ", expected 0 (none), 1 (computed), 2 (refused) or ",
                                "3 (unsupported)"));
}

// Adds the answer to a further execution of the same case.
void AddExecution(TakenAnswer next, TakenAnswer* all) {
  if (all->status == CaseStatus::kProtocol) return;
  if (!all->status || !next.status || next.status == CaseStatus::kProtocol) {
    // Without one of its executions a case has no answer.
    if (all->status && !next.status) *all = TakenAnswer();
    if (next.status == CaseStatus::kProtocol) *all = std::move(next);
    return;
  }
  if (all->status != next.status) {
    *all = MalformedAnswer(StrCat("status: found ", Name(*all->status), " in one execution and ",
                                  Name(*next.status), " in another, expected the same in all"));
    return;
  }
  std::move(next.outputs.begin(), next.outputs.end(), std::back_inserter(all->outputs));
}

Status WriteAnswer(const fs::path& folder, const TakenAnswer& taken) {
  if (!taken.status) return absl::OkStatus();
  Json json = {{"status", Name(*taken.status)}};
  if (!taken.message.empty()) json["message"] = taken.message;
  CTS_RETURN_IF_ERROR(SaveJson(folder / "result.json", json));
  for (const BundleFile& file : taken.outputs) {
    CTS_RETURN_IF_ERROR(WriteFile(folder / file.path, file.bytes));
  }
  return absl::OkStatus();
}

RunRecord RecordOf(const ImportResultsOptions& options, const Suite& suite) {
  RunRecord run;
  run.suite = suite.name;
  run.suite_digest = suite.digest;
  run.suite_path = options.suite.string();
  run.suite_cases = static_cast<int64_t>(suite.cases.size());
  run.implementation = {options.name, kUnknownVersion, ""};
  run.command = "tensor-cts import-results";
  run.tensor_cts = CTS_VERSION;
  return run;
}

}  // namespace

StatusOr<ImportedResults> ImportResults(const ImportResultsOptions& options) {
  CTS_RETURN_IF_ERROR(
      CheckAnnouncedName({options.name, kUnknownVersion, ""}, std::nullopt, "--name: "));
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(options.suite));
  CTS_ASSIGN_OR_RETURN(const MemoryManifest manifest, ReadManifest(options.manifest, suite));
  DumpedResults results(manifest.result_bytes);
  for (const fs::path& dump : options.dumps) {
    CTS_RETURN_IF_ERROR(results.Add(dump, manifest.digest));
  }
  std::map<std::string, TakenAnswer> cases;
  for (const PlacedAnswer& answer : manifest.answers) {
    StatusOr<TakenAnswer> taken = TakeOne(results, answer);
    if (!taken.ok()) {
      // Any of several dumps may lack the byte.
      return options.dumps.size() > 1 ? taken.status()
                                      : Annotate(taken.status(), options.dumps[0].string());
    }
    if (answer.execution == 0) {
      cases[answer.id] = *std::move(taken);
    } else {
      AddExecution(*std::move(taken), &cases[answer.id]);
    }
  }
  CTS_ASSIGN_OR_RETURN(NewFolder out, NewFolder::Beside(options.out));
  ImportedResults imported{.left_out = suite.cases.size() - cases.size()};
  for (const auto& [id, taken] : cases) {
    const bool malformed = taken.status == CaseStatus::kProtocol;
    imported.missing += taken.status ? 0 : 1;
    imported.malformed += malformed ? 1 : 0;
    imported.answers += taken.status && !malformed ? 1 : 0;
    CTS_RETURN_IF_ERROR(WriteAnswer(out.path() / id, taken));
  }
  CTS_RETURN_IF_ERROR(WriteRunRecord(out.path(), RecordOf(options, suite)));
  CTS_RETURN_IF_ERROR(out.PutWithPermissionsOf(options.suite));
  return imported;
}

}  // namespace cts
