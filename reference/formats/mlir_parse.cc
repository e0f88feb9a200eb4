#include "reference/formats/mlir_parse.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "reference/formats/mlir_dialect.h"

namespace cts {
namespace {

constexpr std::string_view kParsedMlir = "22";  // the version whose text is read

// As many dimensions as a case may declare (schemas/case.schema.json).
constexpr size_t kMaxRank = 64;
constexpr size_t kMaxNameLength = 90;  // of a tensor; the schema's limit less what makes it unique

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsInName(char c) { return IsLetter(c) || IsDigit(c) || c == '$' || c == '.'; }

std::optional<unsigned> HexDigit(char c) {
  if (IsDigit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

struct Type {
  DType dtype;
  Shape shape;  // of a shape: its length

  friend bool operator==(const Type&, const Type&) = default;
};

std::string ToString(const Type& type) {
  return StrCat(Name(type.dtype), cts::ToString(type.shape));
}

// The value of an attribute: one of a graph's, constants, or the name of an element type.
using Literal =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, Tensor, DType>;
using Literals = std::vector<std::pair<std::string, Literal>>;

// The text and a place in it.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}

  size_t place() const { return at_; }
  void Return(size_t place) { at_ = place; }
  std::string_view rest() const { return text_.substr(at_); }
  // The next character as it stands; 0 at the end.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Advance(size_t count = 1) { at_ += count; }

  void SkipSpace() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (rest().starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  bool At(std::string_view mark) {
    SkipSpace();
    return rest().starts_with(mark);
  }
  bool Accept(std::string_view mark) {
    if (!At(mark)) return false;
    at_ += mark.size();
    return true;
  }
  Status Expect(std::string_view mark) {
    if (Accept(mark)) return absl::OkStatus();
    return Expected(StrCat("\"", mark, "\""));
  }
  // A word, such as the name of an operation: empty if there is none.
  std::string_view PeekWord() {
    SkipSpace();
    size_t end = at_;
    if (IsLetter(Peek())) {
      while (end < text_.size() && IsInName(text_[end])) ++end;
    }
    return text_.substr(at_, end - at_);
  }
  bool AcceptWord(std::string_view word) {
    if (PeekWord() != word) return false;
    at_ += word.size();
    return true;
  }
  StatusOr<std::string_view> Word(std::string_view what) {
    const std::string_view word = PeekWord();
    if (word.empty()) return Expected(what);
    at_ += word.size();
    return word;
  }
  // What stands after %, @ or ^: digits, or a name.
  StatusOr<std::string_view> Suffix(std::string_view what) {
    size_t end = at_;
    const bool digits = IsDigit(Peek());
    while (end < text_.size() &&
           (digits ? IsDigit(text_[end]) : IsInName(text_[end]) || text_[end] == '-')) {
      ++end;
    }
    if (end == at_) return Expected(what);
    const std::string_view suffix = text_.substr(at_, end - at_);
    at_ = end;
    return suffix;
  }
  StatusOr<int64_t> Size(std::string_view what) {
    int64_t value = 0;
    const std::string_view digits = rest();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || !IsDigit(Peek())) return Expected(what);
    at_ += static_cast<size_t>(end - digits.data());
    return value;
  }
  // The bytes of a string in quotes.
  StatusOr<std::string> String() {
    CTS_RETURN_IF_ERROR(Expect("\""));
    std::string value;
    for (; Peek() != '"'; Advance()) {
      if (at_ == text_.size() || Peek() == '\n') return Expected("the end of a string");
      if (Peek() != '\\') {
        value += Peek();
        continue;
      }
      Advance();
      const std::string_view escape = rest().substr(0, 2);
      if (escape.starts_with('"') || escape.starts_with('\\')) {
        value += escape[0];
      } else if (escape.starts_with('n') || escape.starts_with('t')) {
        value += escape[0] == 'n' ? '\n' : '\t';
      } else {
        const auto high = escape.size() == 2 ? HexDigit(escape[0]) : std::nullopt;
        const auto low = escape.size() == 2 ? HexDigit(escape[1]) : std::nullopt;
        if (!high || !low) return Expected("an escape such as \\\" or \\0A");
        value += static_cast<char>(*high * 16 + *low);
        Advance();
      }
    }
    Advance();
    return value;
  }
  // Skips to the counterpart of the brace that was accepted, and past it.
  Status SkipBraces() {
    for (int open = 1; open > 0;) {
      if (AtEnd()) return Expected("\"}\"");
      if (Peek() == '"') {
        CTS_RETURN_IF_ERROR(String().status());
        continue;
      }
      if (Peek() == '{') ++open;
      if (Peek() == '}') --open;
      Advance();
    }
    return absl::OkStatus();
  }

  template <class... Args>
  Status BadAt(size_t place, const Args&... args) const {
    const std::string_view before = text_.substr(0, place);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t column = place - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    std::string message = StrCat(args...);
    for (char& c : message) {  // quoted names may have any bytes
      if (c < ' ' || c > '~') c = '?';
    }
    return InvalidArgument(origin_, ":", line, ":", column, ": ", message);
  }
  Status Expected(std::string_view what) {
    SkipSpace();
    if (at_ == text_.size()) return BadAt(at_, "found the end, expected ", what);
    const std::string_view found = rest().substr(0, std::min<size_t>(rest().find('\n'), 24));
    return BadAt(at_, "found \"", found, "\", expected ", what);
  }

 private:
  const std::string_view text_;
  const std::string_view origin_;
  size_t at_ = 0;
};

// A block that is being read: its tensors, and their names in the text.
struct Scope {
  Block block;
  std::unordered_map<std::string, size_t> values;  // "%0", "%0#1" -> position in block.tensors
  std::vector<Type> output_types;
};

// A value that an operation uses.
struct Use {
  size_t tensor;
  size_t place;
};

struct Operation {
  size_t place;
  std::string name;  // "tosa.conv2d"
  bool generic;
  std::vector<std::pair<std::string, size_t>> results;  // "%0": how many, and where
};

class Parser {
 public:
  Parser(std::string_view text, const Edition& edition, std::string_view origin)
      : in_(text, origin), edition_(edition) {}

  StatusOr<Graph> Parse() {
    const bool module = in_.AcceptWord("module") || in_.AcceptWord("builtin.module");
    if (module) {
      if (in_.At("@")) CTS_RETURN_IF_ERROR(Symbol().status());
      if (in_.AcceptWord("attributes")) {
        CTS_RETURN_IF_ERROR(in_.Expect("{"));
        CTS_RETURN_IF_ERROR(in_.SkipBraces());
      }
      CTS_RETURN_IF_ERROR(in_.Expect("{"));
    }
    graph_ = EmptyGraph();
    regions_.insert("main");
    while (module ? !in_.Accept("}") : !in_.AtEnd()) {
      const size_t place = in_.place();
      if (in_.AcceptWord("func.func")) {
        if (!function_.empty()) {
          return in_.BadAt(place,
                           "found a second function, expected one; of several cases, separated by "
                           "\"// -----\", each is a text of its own");
        }
        CTS_RETURN_IF_ERROR(Function());
      } else {
        CTS_RETURN_IF_ERROR(Variable());
      }
    }
    if (!in_.AtEnd()) return in_.Expected("nothing after the module");
    if (function_.empty()) return in_.Expected("func.func");
    Block& main = graph_.main();
    main.tensors.insert(main.tensors.begin(), variables_.block.tensors.begin(),
                        variables_.block.tensors.end());
    main.operators.insert(main.operators.begin(), variables_.block.operators.begin(),
                          variables_.block.operators.end());
    ShortenVariables();
    return std::move(graph_);
  }
  const std::map<std::string, std::string>& renamed() const { return renamed_; }

 private:
  // --- Names -------------------------------------------------------------------------------------

  // A name for the graph that nothing else has.
  std::string UniqueName(std::string_view wanted, std::set<std::string>& taken) {
    std::string name;
    for (const char c : wanted.substr(0, kMaxNameLength)) {
      name += IsLetter(c) || IsDigit(c) ? c : '_';
    }
    if (name.empty() || IsDigit(name[0])) name = "v" + name;
    std::string unique = name;
    for (int& n = counts_[name]; !taken.insert(unique).second;) unique = StrCat(name, "_", ++n + 1);
    return unique;
  }

  StatusOr<std::string> Symbol() {
    CTS_RETURN_IF_ERROR(in_.Expect("@"));
    if (in_.Peek() == '"') return in_.String();
    CTS_ASSIGN_OR_RETURN(const std::string_view name, in_.Suffix("a name after @"));
    return std::string(name);
  }

  // "%x", "%0#1": a value's name in the text.
  StatusOr<std::string> ValueName() {
    CTS_RETURN_IF_ERROR(in_.Expect("%"));
    CTS_ASSIGN_OR_RETURN(const std::string_view suffix, in_.Suffix("a name after %"));
    std::string name = StrCat("%", suffix);
    if (in_.Peek() != '#') return name;
    in_.Advance();
    CTS_ASSIGN_OR_RETURN(const int64_t number, in_.Size("a number after #"));
    return number == 0 ? name : StrCat(name, "#", number);
  }

  Status Define(Scope& scope, const std::string& name, size_t place, const Type& type) {
    if (!scope.values.emplace(name, scope.block.tensors.size()).second) {
      return in_.BadAt(place, name, " is defined a second time");
    }
    scope.block.tensors.push_back(
        {UniqueName(name.substr(1), names_), type.dtype, type.shape, nullptr});
    return absl::OkStatus();
  }

  StatusOr<Use> ValueUse(const Scope& scope) {
    in_.SkipSpace();
    const size_t place = in_.place();
    CTS_ASSIGN_OR_RETURN(const std::string name, ValueName());
    const auto found = scope.values.find(name);
    if (found != scope.values.end()) return Use{found->second, place};
    return in_.BadAt(place, name,
                     " is not defined before it in this block; what a region uses "
                     "from outside has to be an operand of its operation");
  }

  // "%a, %b", or nothing.
  StatusOr<std::vector<Use>> ValueUses(const Scope& scope) {
    std::vector<Use> uses;
    if (!in_.At("%")) return uses;
    do {
      CTS_ASSIGN_OR_RETURN(uses.emplace_back(), ValueUse(scope));
    } while (in_.Accept(","));
    return uses;
  }

  // --- Types -------------------------------------------------------------------------------------

  StatusOr<DType> ElementType() {
    const size_t place = in_.place();
    CTS_ASSIGN_OR_RETURN(const std::string_view word, in_.Word("an element type"));
    if (const auto dtype = FindElementType(word)) return *dtype;
    return in_.BadAt(place, "found element type ", word, ", expected one of ", ElementTypes());
  }

  static std::optional<DType> FindElementType(std::string_view word) {
    if (word == "index") return DType::kShape;
    const auto name = FromMlir(kMlirElementTypes, word);
    return name ? ParseDType(*name) : std::nullopt;
  }

  static std::string ElementTypes() {
    std::string names;
    for (const MlirSpelling& row : kMlirElementTypes) {
      names += StrCat(names.empty() ? "" : ", ", row.mlir);
    }
    return names;
  }

  // "tensor<2x3xi8>"
  StatusOr<Type> TensorType() {
    if (!in_.AcceptWord("tensor")) return in_.Expected("a tensor type");
    CTS_RETURN_IF_ERROR(in_.Expect("<"));
    Type type{};
    while (in_.SkipSpace(), IsDigit(in_.Peek())) {
      if (type.shape.size() == kMaxRank) return in_.Expected("at most 64 dimensions");
      CTS_ASSIGN_OR_RETURN(type.shape.emplace_back(), in_.Size("a dimension below 2^63"));
      CTS_RETURN_IF_ERROR(in_.Expect("x"));
    }
    if (in_.At("?") || in_.At("*")) return in_.Expected("a shape without unknowns");
    CTS_ASSIGN_OR_RETURN(type.dtype, ElementType());
    CTS_RETURN_IF_ERROR(in_.Expect(">"));
    return type;
  }

  // Of a value: also "!tosa.shape<3>".
  StatusOr<Type> ValueType() {
    if (!in_.Accept("!tosa.shape<")) {
      const size_t place = in_.place();
      CTS_ASSIGN_OR_RETURN(Type type, TensorType());
      if (type.dtype == DType::kShape) return in_.BadAt(place, "no graph has tensors of index");
      return type;
    }
    in_.SkipSpace();
    CTS_ASSIGN_OR_RETURN(const int64_t length, in_.Size("the length of a shape"));
    CTS_RETURN_IF_ERROR(in_.Expect(">"));
    return Type{DType::kShape, {length}};
  }

  // "t, t", possibly none, up to `end`.
  StatusOr<std::vector<Type>> TypesUpTo(std::string_view end) {
    std::vector<Type> types;
    if (in_.Accept(end)) return types;
    do {
      CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType());
      // The attributes of a result of a function.
      if (in_.Accept("{")) CTS_RETURN_IF_ERROR(in_.SkipBraces());
    } while (in_.Accept(","));
    CTS_RETURN_IF_ERROR(in_.Expect(end));
    return types;
  }

  // "(t, t)" or "t".
  StatusOr<std::vector<Type>> ResultTypes() {
    if (in_.Accept("(")) return TypesUpTo(")");
    CTS_ASSIGN_OR_RETURN(Type type, ValueType());
    return std::vector<Type>{std::move(type)};
  }

  // --- Attributes --------------------------------------------------------------------------------

  // "-0x1F", "12", "-1.5e+3": the characters.
  std::string_view NumberText() {
    in_.SkipSpace();
    const std::string_view rest = in_.rest();
    size_t end = rest.starts_with('-') ? 1 : 0;
    if (rest.substr(end).starts_with("0x")) {
      end += 2;
      while (end < rest.size() && HexDigit(rest[end])) ++end;
    } else {
      while (end < rest.size() &&
             (IsDigit(rest[end]) || rest[end] == '.' ||
              (end > 0 && rest[end - 1] != '-' && (rest[end] == 'e' || rest[end] == 'E')) ||
              (end > 0 && (rest[end] == '+' || rest[end] == '-') &&
               (rest[end - 1] == 'e' || rest[end - 1] == 'E')))) {
        ++end;
      }
    }
    in_.Advance(end);
    return rest.substr(0, end);
  }

  // The number as stored in an element of the type.
  StatusOr<uint64_t> NumberAs(DType dtype) {
    in_.SkipSpace();
    const size_t place = in_.place();
    if (dtype == DType::kBool) {
      if (in_.AcceptWord("true")) return uint64_t{1};
      if (in_.AcceptWord("false")) return uint64_t{0};
      return in_.Expected("true or false");
    }
    const std::string_view text = NumberText();
    const auto wrong = [&](std::string_view what) {
      in_.Return(place);
      return in_.Expected(what);
    };
    if (!IsFloat(dtype)) {
      int64_t value = 0;
      const char* end = text.data() + text.size();
      const auto [last, error] = std::from_chars(text.data(), end, value);
      if (error != std::errc() || last != end || value < IntegerMin(dtype) ||
          value > IntegerMax(dtype)) {
        return wrong(StrCat("an integer between ", IntegerMin(dtype), " and ", IntegerMax(dtype)));
      }
      return static_cast<uint64_t>(value);
    }
    if (text.starts_with("0x")) {
      uint64_t bits = 0;
      const char* end = text.data() + text.size();
      const auto [last, error] = std::from_chars(text.data() + 2, end, bits, 16);
      const int width = 8 * StorageBytes(dtype);
      if (error != std::errc() || last != end || (width < 64 && bits >> width != 0)) {
        return wrong(StrCat("at most ", width, " bits"));
      }
      return bits;
    }
    // MLIR reads a double and rounds it, too.
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || last != end || text.find('.') == std::string_view::npos) {
      return wrong("a number such as 1.0 or its bits such as 0x3F80");
    }
    return EncodeFloat(dtype, value);
  }

  // "12", "0 : i32", "1.5 : bf16"
  StatusOr<Literal> Number() {
    const size_t place = in_.place();
    const std::string_view text = NumberText();
    DType dtype = text.find('.') == std::string_view::npos ? DType::kI64 : DType::kFp64;
    if (in_.Accept(":")) {
      in_.SkipSpace();
      CTS_ASSIGN_OR_RETURN(dtype, ElementType());
    }
    const size_t end = in_.place();
    in_.Return(place);
    CTS_ASSIGN_OR_RETURN(const uint64_t bits, NumberAs(dtype));
    in_.Return(end);
    if (IsFloat(dtype)) return Literal(DecodeFloat(dtype, bits));
    return Literal(static_cast<int64_t>(bits));
  }

  StatusOr<std::vector<int64_t>> IntegersUpTo(std::string_view end) {
    std::vector<int64_t> list;
    if (in_.Accept(end)) return list;
    do {
      CTS_ASSIGN_OR_RETURN(const uint64_t value, NumberAs(DType::kI64));
      list.push_back(static_cast<int64_t>(value));
    } while (in_.Accept(","));
    CTS_RETURN_IF_ERROR(in_.Expect(end));
    return list;
  }

  // "[[1, 2], [3, 4]]", from element `*next` on.
  Status NestedList(Tensor& tensor, size_t axis, int64_t* next) {
    if (axis == tensor.shape().size()) {
      CTS_ASSIGN_OR_RETURN(const uint64_t bits, NumberAs(tensor.dtype()));
      tensor.SetBits((*next)++, bits);
      return absl::OkStatus();
    }
    CTS_RETURN_IF_ERROR(in_.Expect("["));
    for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
      if (i > 0) CTS_RETURN_IF_ERROR(in_.Expect(","));
      CTS_RETURN_IF_ERROR(NestedList(tensor, axis + 1, next));
    }
    return in_.Expect("]");
  }

  // The elements as MLIR keeps them, "0x0102": whole bytes, little-endian, but bits of i1.
  Status Blob(Tensor& tensor) {
    const size_t place = in_.place();
    CTS_RETURN_IF_ERROR(in_.Expect("\"0x"));
    const std::string_view text = in_.rest().substr(0, in_.rest().find('"'));
    const bool packed = tensor.dtype() == DType::kBool;
    const auto width = static_cast<uint64_t>(packed ? 1 : (Info(tensor.dtype()).bits + 7) / 8);
    const auto count = static_cast<uint64_t>(tensor.size());
    const uint64_t bytes = packed ? (count + 7) / 8 : count * width;
    if (text.size() != 2 * bytes || !std::all_of(text.begin(), text.end(), HexDigit)) {
      return in_.BadAt(place, "expected ", 2 * bytes, " hexadecimal digits");
    }
    const auto byte = [&](uint64_t i) {
      return uint64_t{*HexDigit(text[2 * i]) * 16 + *HexDigit(text[2 * i + 1])};
    };
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t bits = packed ? byte(i / 8) >> (i % 8) & 1 : 0;
      for (uint64_t k = 0; !packed && k < width; ++k) bits |= byte(i * width + k) << (8 * k);
      if (IsInteger(tensor.dtype())) {
        const int unused = 64 - Info(tensor.dtype()).bits;
        const int64_t value = static_cast<int64_t>(bits << unused) >> unused;
        if (value < IntegerMin(tensor.dtype())) {
          return in_.BadAt(place, "element ", i, ": found ", value, ", expected at least ",
                           IntegerMin(tensor.dtype()));
        }
        bits = static_cast<uint64_t>(value);
      }
      tensor.SetBits(static_cast<int64_t>(i), bits);
    }
    in_.Advance(text.size() + 1);
    return absl::OkStatus();
  }

  // "<[1, 2]> : tensor<2xi8>"; the type, which comes last, is read first.
  StatusOr<Tensor> Dense() {
    in_.SkipSpace();
    const size_t place = in_.place();
    CTS_RETURN_IF_ERROR(in_.Expect("<"));
    const size_t begin = in_.place();
    const size_t length = in_.rest().find('>');
    if (length == std::string_view::npos) return in_.BadAt(place, "found no \">\" for it");
    in_.Advance(length + 1);
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_ASSIGN_OR_RETURN(const Type type, TensorType());
    const size_t end = in_.place();
    in_.Return(begin);

    // CONST_SHAPE of nothing yields the one tensor without an element.
    const bool empty = type.dtype == DType::kShape && type.shape == Shape{0};
    const StatusOr<int64_t> count = empty ? 0 : CheckedElementCount(type.shape);
    if (!count.ok()) return in_.BadAt(place, Message(count.status()));
    const bool splat = !empty && !in_.At("[") && !in_.At("\"");
    if (!splat && static_cast<uint64_t>(*count) > 8 * length) {
      return in_.BadAt(place, "found fewer values than ", *count);
    }
    const auto width = static_cast<uint64_t>(StorageBytes(type.dtype));
    if (static_cast<uint64_t>(*count) > (kMaxMlirConstants - constants_) / width) {
      return in_.BadAt(place, "expected at most ", kMaxMlirConstants, " bytes of constants");
    }
    constants_ += static_cast<uint64_t>(*count) * width;
    Tensor tensor(type.dtype, type.shape);
    if (splat) {
      CTS_ASSIGN_OR_RETURN(const uint64_t bits, NumberAs(type.dtype));
      tensor.SetBits(0, bits);
      std::vector<uint8_t>& bytes = tensor.bytes();
      for (size_t i = width; i < bytes.size(); ++i) bytes[i] = bytes[i - width];
    } else if (in_.At("\"")) {
      CTS_RETURN_IF_ERROR(Blob(tensor));
    } else if (!empty) {
      int64_t next = 0;
      CTS_RETURN_IF_ERROR(NestedList(tensor, 0, &next));
    }
    CTS_RETURN_IF_ERROR(in_.Expect(">"));
    in_.Return(end);
    return tensor;
  }

  StatusOr<Literal> Value() {
    in_.SkipSpace();
    const size_t place = in_.place();
    const auto literal = [](auto value) -> StatusOr<Literal> {
      if (!value.ok()) return value.status();
      return Literal(*std::move(value));
    };
    if (in_.Peek() == '"') return literal(in_.String());
    if (in_.Peek() == '-' || IsDigit(in_.Peek())) return Number();
    if (in_.Accept("[")) return literal(IntegersUpTo("]"));
    if (in_.Accept("#")) {  // "#tosa.nan_mode<IGNORE>"
      CTS_ASSIGN_OR_RETURN(const std::string_view word, in_.Word("the name of an attribute"));
      if (!FromMlir(kMlirEnumerations, StrCat("#", word))) {
        in_.Return(place);
        return in_.Expected("an attribute of the tosa dialect");
      }
      CTS_RETURN_IF_ERROR(in_.Expect("<"));
      CTS_ASSIGN_OR_RETURN(const std::string_view value, in_.Word("the name of a value"));
      CTS_RETURN_IF_ERROR(in_.Expect(">"));
      return Literal(std::string(value));
    }
    CTS_ASSIGN_OR_RETURN(const std::string_view word, in_.Word("the value of an attribute"));
    if (word == "true" || word == "false") return Literal(word == "true");
    if (word == "dense") return literal(Dense());
    if (word == "array") {
      CTS_RETURN_IF_ERROR(in_.Expect("<"));
      CTS_ASSIGN_OR_RETURN(const DType dtype, ElementType());
      if (!IsInteger(dtype)) return in_.Expected("an array of integers");
      if (!in_.Accept(":")) {
        CTS_RETURN_IF_ERROR(in_.Expect(">"));
        return Literal(std::vector<int64_t>());
      }
      return literal(IntegersUpTo(">"));
    }
    if (const auto dtype = FindElementType(word)) return Literal(*dtype);
    return Literal(std::string(word));  // an enumerator, in the dialect's own syntax
  }

  // "axis = 0 : i32, ..." up to the closing brace, which is accepted. Attributes of other dialects,
  // which have a dot in their names, mean nothing to TOSA.
  Status Attributes(Literals& attributes) {
    std::set<std::string> seen;
    for (const auto& [name, value] : attributes) seen.insert(name);
    if (in_.Accept("}")) return absl::OkStatus();
    do {
      in_.SkipSpace();
      const size_t place = in_.place();
      std::string name;
      if (in_.Peek() == '"') {
        CTS_ASSIGN_OR_RETURN(name, in_.String());
      } else {
        CTS_ASSIGN_OR_RETURN(name, in_.Word("the name of an attribute"));
      }
      if (!seen.insert(name).second) return in_.BadAt(place, name, " stands there twice");
      const bool foreign = name.find('.') != std::string::npos;
      if (foreign && !in_.At("=")) continue;
      CTS_RETURN_IF_ERROR(in_.Expect("="));
      CTS_ASSIGN_OR_RETURN(Literal value, Value());
      if (!foreign) attributes.emplace_back(std::move(name), std::move(value));
    } while (in_.Accept(","));
    return in_.Expect("}");
  }

  // --- Operations --------------------------------------------------------------------------------

  // Takes the attributes to the graph. Dense values become those of the operator's tensors.
  Status TakeAttributes(Scope& scope, const Operation& operation, Literals& attributes,
                        GraphOperator& op, const OperatorSpec& spec) {
    for (auto& [name, literal] : attributes) {
      const auto bad = [&, &key = name](const auto&... args) {
        return in_.BadAt(operation.place, operation.name, ": ", key, ": ", args...);
      };
      if (op.op == "VARIABLE" && name == "sym_name") name = "name";
      const ArgumentSpec* argument = spec.FindArgument(name);
      if (auto* tensor = std::get_if<Tensor>(&literal)) {
        if ((op.op == "CONST" || op.op == "CONST_SHAPE") && name == "values" &&
            !op.outputs.empty()) {
          GraphTensor& output = scope.block.tensors[scope.values.at(operation.results[0].first)];
          const Type type{tensor->dtype(), tensor->shape()};
          if (type != Type{output.dtype, output.shape}) {
            return bad("found ", ToString(type), ", expected ",
                       ToString(Type{output.dtype, output.shape}), " as of the result");
          }
          output.values = std::make_shared<const Tensor>(std::move(*tensor));
        } else if (op.op == "VARIABLE" && name == "var_shape" && tensor->shape().size() == 1) {
          op.attributes[name] = tensor->Integers();
        } else if (op.op == "VARIABLE" && name == "initial_value") {
          const std::string values = UniqueName("initial_value", names_);
          op.attributes[name] = values;
          const Type type{tensor->dtype(), tensor->shape()};
          scope.block.tensors.push_back(
              {values, type.dtype, type.shape, std::make_shared<const Tensor>(std::move(*tensor))});
        } else {
          return bad("found a constant, expected none");
        }
      } else if (const auto* dtype = std::get_if<DType>(&literal)) {
        const bool wanted =
            argument != nullptr && (argument->type == "acc_type_t" || argument->type == "var_t");
        const auto mlir = ToMlir(kMlirElementTypes, Name(*dtype));
        const auto value = mlir ? FromMlir(kMlirTypeNames, *mlir) : std::nullopt;
        if (!wanted || !value) return bad("no graph has the type ", Name(*dtype), " there");
        op.attributes[name] = std::string(*value);
      } else {
        std::visit(
            [&, &key = name](auto& value) {
              if constexpr (std::is_constructible_v<AttributeValue, decltype(value)>) {
                op.attributes[key] = std::move(value);
              }
            },
            literal);
      }
    }
    return absl::OkStatus();
  }

  Status CheckTypes(const Scope& scope, const std::vector<Use>& uses,
                    const std::vector<Type>& types, size_t place) const {
    if (uses.size() != types.size()) {
      return in_.BadAt(place, "found ", uses.size(), " values and ", types.size(),
                       " types for them");
    }
    for (size_t i = 0; i < uses.size(); ++i) {
      const GraphTensor& tensor = scope.block.tensors[uses[i].tensor];
      const Type type{tensor.dtype, tensor.shape};
      if (type != types[i]) {
        return in_.BadAt(uses[i].place, "found a value of type ", ToString(type), ", expected ",
                         ToString(types[i]), " as the operation says");
      }
    }
    return absl::OkStatus();
  }

  // Everything of the operation has been read.
  Status Finish(Scope& scope, const Operation& operation, const std::vector<Use>& operands,
                const std::vector<Type>& operand_types, const std::vector<Type>& result_types,
                Literals attributes, const std::vector<std::string>& regions) {
    GraphOperator op;
    const std::string_view mnemonic = std::string_view(operation.name).substr(5);
    op.op = OperatorOf(*FindMlirDialect(edition_.mlir), mnemonic);
    const OperatorSpec* spec = edition_.FindOperator(op.op);
    if (spec == nullptr) {
      return in_.BadAt(operation.place, edition_.id, " has no operator ", op.op);
    }
    CTS_RETURN_IF_ERROR(CheckTypes(scope, operands, operand_types, operation.place));
    for (const Use& use : operands) op.inputs.push_back(scope.block.tensors[use.tensor].name);
    if (operation.results.size() != result_types.size()) {
      return in_.BadAt(operation.place, "found ", operation.results.size(), " results and ",
                       result_types.size(), " types for them");
    }
    for (size_t i = 0; i < result_types.size(); ++i) {
      const auto& [name, place] = operation.results[i];
      CTS_RETURN_IF_ERROR(Define(scope, name, place, result_types[i]));
      op.outputs.push_back(scope.block.tensors.back().name);
    }
    CTS_RETURN_IF_ERROR(TakeAttributes(scope, operation, attributes, op, *spec));
    auto region = regions.begin();
    for (const ArgumentSpec& argument : spec->arguments) {
      if (argument.type != "tosa_graph_t" || region == regions.end()) continue;
      if (!region->empty()) op.attributes[argument.name] = *region;
      ++region;
    }
    if (region != regions.end()) {
      return in_.BadAt(operation.place, operation.name, ": found more regions than it has");
    }
    scope.block.operators.push_back(std::move(op));
    return absl::OkStatus();
  }

  // "%0:2 = ", "%a, %b = ", or nothing; then the name.
  StatusOr<Operation> Start() {
    Operation operation{};
    in_.SkipSpace();
    operation.place = in_.place();
    if (in_.At("%")) {
      do {
        in_.SkipSpace();
        const size_t place = in_.place();
        CTS_ASSIGN_OR_RETURN(const std::string name, ValueName());
        int64_t count = 1;
        if (in_.Accept(":")) {
          CTS_ASSIGN_OR_RETURN(count, in_.Size("a number of results"));
        }
        const auto had = static_cast<int64_t>(operation.results.size());
        if (count < 1 || count > kMaxMlirOperators - had) {
          return in_.BadAt(place, "expected 1 to ", kMaxMlirOperators, " results");
        }
        for (int64_t i = 0; i < count; ++i) {
          operation.results.emplace_back(i == 0 ? name : StrCat(name, "#", i), place);
        }
      } while (in_.Accept(","));
      CTS_RETURN_IF_ERROR(in_.Expect("="));
    }
    operation.generic = in_.At("\"");
    if (operation.generic) {
      CTS_ASSIGN_OR_RETURN(operation.name, in_.String());
    } else {
      CTS_ASSIGN_OR_RETURN(operation.name, in_.Word("an operation of the tosa dialect"));
    }
    if (++operators_ > kMaxMlirOperators) {
      return in_.BadAt(operation.place, "expected at most ", kMaxMlirOperators, " operations");
    }
    const bool ends = operation.name == "return" || operation.name == "func.return";
    if (!ends && !operation.name.starts_with("tosa.")) {
      in_.Return(operation.place);
      return in_.Expected("an operation of the tosa dialect");
    }
    return operation;
  }

  // "(%a, %b) <{...}> ({...}, {...}) {...} : (t, t) -> t"
  Status Generic(Scope& scope, const Operation& operation, int nesting) {
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Use> operands, ValueUses(scope));
    CTS_RETURN_IF_ERROR(in_.Expect(")"));
    Literals attributes;
    if (in_.Accept("<{")) {
      CTS_RETURN_IF_ERROR(Attributes(attributes));
      CTS_RETURN_IF_ERROR(in_.Expect(">"));
    }
    std::vector<std::string> regions;
    if (in_.Accept("(")) {
      do {
        CTS_ASSIGN_OR_RETURN(regions.emplace_back(),
                             Region(operation, regions.size(), {}, nesting + 1));
      } while (in_.Accept(","));
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
    }
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(Attributes(attributes));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> operand_types, TypesUpTo(")"));
    CTS_RETURN_IF_ERROR(in_.Expect("->"));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> result_types, ResultTypes());
    return Finish(scope, operation, operands, operand_types, result_types, std::move(attributes),
                  regions);
  }

  // "%a, %b {...} : (t, t) -> t": most operations in the dialect's own syntax.
  Status Plain(Scope& scope, const Operation& operation) {
    CTS_ASSIGN_OR_RETURN(const std::vector<Use> operands, ValueUses(scope));
    Literals attributes;
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(Attributes(attributes));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> operand_types, TypesUpTo(")"));
    CTS_RETURN_IF_ERROR(in_.Expect("->"));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> result_types, ResultTypes());
    return Finish(scope, operation, operands, operand_types, result_types, std::move(attributes),
                  {});
  }

  // "@v : t", "@v, %a : t"
  Status VariableAccess(Scope& scope, const Operation& operation) {
    CTS_ASSIGN_OR_RETURN(std::string variable, Symbol());
    std::vector<Use> operands;
    if (in_.Accept(",")) {
      CTS_ASSIGN_OR_RETURN(operands, ValueUses(scope));
    }
    Literals attributes;
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(Attributes(attributes));
    attributes.emplace_back("name", std::move(variable));
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    CTS_ASSIGN_OR_RETURN(Type type, ValueType());
    const bool read = operation.name == "tosa.variable_read";
    const std::vector<Type> types = {std::move(type)};
    return Finish(scope, operation, operands, read ? std::vector<Type>() : types,
                  read ? types : std::vector<Type>(), std::move(attributes), {});
  }

  // "%c (%a1 = %a, %b1 = %b) : t (t, t) -> t {...} else {...}"; a loop has no condition, "do" for
  // "else", and its arguments' types are not in parentheses of their own.
  Status ControlFlow(Scope& scope, const Operation& operation, int nesting) {
    const bool loop = operation.name == "tosa.while_loop";
    std::vector<Use> operands;
    if (!loop) {
      CTS_ASSIGN_OR_RETURN(operands.emplace_back(), ValueUse(scope));
    }
    std::vector<std::pair<std::string, size_t>> names;
    if (in_.Accept("(") && !in_.Accept(")")) {
      do {
        in_.SkipSpace();
        const size_t place = in_.place();
        CTS_ASSIGN_OR_RETURN(std::string name, ValueName());
        names.emplace_back(std::move(name), place);
        CTS_RETURN_IF_ERROR(in_.Expect("="));
        CTS_ASSIGN_OR_RETURN(operands.emplace_back(), ValueUse(scope));
      } while (in_.Accept(","));
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
    }
    CTS_RETURN_IF_ERROR(in_.Expect(":"));
    std::vector<Type> types;
    if (!loop) {
      CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType());
    }
    if (in_.Accept("(")) {
      CTS_ASSIGN_OR_RETURN(const std::vector<Type> listed, TypesUpTo(")"));
      types.insert(types.end(), listed.begin(), listed.end());
    }
    CTS_RETURN_IF_ERROR(in_.Expect("->"));
    CTS_ASSIGN_OR_RETURN(const std::vector<Type> result_types, ResultTypes());
    CTS_RETURN_IF_ERROR(CheckTypes(scope, operands, types, operation.place));
    std::vector<Argument> arguments;
    for (size_t i = 0; i < names.size(); ++i) {
      arguments.push_back(
          {names[i].first, names[i].second, types[types.size() - names.size() + i]});
    }
    std::vector<std::string> regions;
    CTS_ASSIGN_OR_RETURN(regions.emplace_back(), Region(operation, 0, arguments, nesting + 1));
    if (in_.AcceptWord(loop ? "do" : "else")) {
      CTS_ASSIGN_OR_RETURN(regions.emplace_back(), Region(operation, 1, arguments, nesting + 1));
    }
    return Finish(scope, operation, operands, types, result_types, {}, regions);
  }

  // --- Blocks ------------------------------------------------------------------------------------

  struct Argument {
    std::string name;
    size_t place;
    Type type;
  };

  // "%a: t, ..." up to the closing parenthesis, which is accepted.
  StatusOr<std::vector<Argument>> Arguments() {
    std::vector<Argument> arguments;
    if (in_.Accept(")")) return arguments;
    do {
      in_.SkipSpace();
      Argument& argument = arguments.emplace_back();
      argument.place = in_.place();
      CTS_ASSIGN_OR_RETURN(argument.name, ValueName());
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      CTS_ASSIGN_OR_RETURN(argument.type, ValueType());
      if (in_.Accept("{")) CTS_RETURN_IF_ERROR(in_.SkipBraces());
    } while (in_.Accept(","));
    CTS_RETURN_IF_ERROR(in_.Expect(")"));
    return arguments;
  }

  // The operations of a block up to its end, "}" included. `end` is the operation that hands out
  // its outputs.
  Status Body(Scope& scope, const std::vector<Argument>& arguments, std::string_view end,
              int nesting) {
    for (const Argument& argument : arguments) {
      CTS_RETURN_IF_ERROR(Define(scope, argument.name, argument.place, argument.type));
      scope.block.inputs.push_back(scope.block.tensors.back().name);
    }
    while (true) {
      CTS_ASSIGN_OR_RETURN(const Operation operation, Start());
      const std::string_view name = operation.name;
      if (name == end || (name == "func.return" && end == "return")) {
        CTS_RETURN_IF_ERROR(End(scope, operation));
        return in_.Expect("}");
      }
      if (name == "return" || name == "func.return" || name == "tosa.yield") {
        return in_.BadAt(operation.place, "found ", name, ", expected ", end);
      }
      if (name == "tosa.variable") {
        return in_.BadAt(operation.place, "found tosa.variable in a function, expected it beside");
      }
      if (operation.generic) {
        CTS_RETURN_IF_ERROR(Generic(scope, operation, nesting));
      } else if (name == "tosa.cond_if" || name == "tosa.while_loop") {
        CTS_RETURN_IF_ERROR(ControlFlow(scope, operation, nesting));
      } else if (name == "tosa.variable_read" || name == "tosa.variable_write") {
        CTS_RETURN_IF_ERROR(VariableAccess(scope, operation));
      } else {
        CTS_RETURN_IF_ERROR(Plain(scope, operation));
      }
    }
  }

  // "return %a, %b : t, t" or "tosa.yield"(%a, %b) : (t, t) -> ()
  Status End(Scope& scope, const Operation& operation) {
    if (operation.generic) CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Use> outputs, ValueUses(scope));
    std::vector<Type> types;
    if (operation.generic) {
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      CTS_RETURN_IF_ERROR(in_.Expect("("));
      CTS_ASSIGN_OR_RETURN(types, TypesUpTo(")"));
      CTS_RETURN_IF_ERROR(in_.Expect("->"));
      CTS_RETURN_IF_ERROR(in_.Expect("("));
      CTS_RETURN_IF_ERROR(in_.Expect(")"));
    } else if (!outputs.empty()) {
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      do {
        CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType());
      } while (in_.Accept(","));
    }
    CTS_RETURN_IF_ERROR(CheckTypes(scope, outputs, types, operation.place));
    for (const Use& use : outputs) {
      scope.block.outputs.push_back(scope.block.tensors[use.tensor].name);
    }
    scope.output_types = std::move(types);
    return absl::OkStatus();
  }

  // "{ ^label(%a: t): ... }": its name, none if it has no block. Without a label it has the
  // arguments of its operation.
  StatusOr<std::string> Region(const Operation& operation, size_t number,
                               std::vector<Argument> arguments, int nesting) {
    in_.SkipSpace();
    if (nesting > kMaxMlirNesting) {
      return in_.BadAt(in_.place(), "nested more than ", kMaxMlirNesting, " deep");
    }
    CTS_RETURN_IF_ERROR(in_.Expect("{"));
    if (in_.Accept("}")) return std::string();
    constexpr std::string_view kNames[2][2] = {{"then", "else"}, {"cond", "body"}};
    std::string_view label =
        kNames[operation.name == "tosa.while_loop"][std::min<size_t>(number, 1)];
    if (in_.Accept("^")) {
      CTS_ASSIGN_OR_RETURN(const std::string_view given, in_.Suffix("a label"));
      const bool made_up = given.starts_with("bb") && given.size() > 2 &&
                           std::all_of(given.begin() + 2, given.end(), IsDigit);
      if (!made_up) label = given;
      arguments.clear();
      if (in_.Accept("(")) {
        CTS_ASSIGN_OR_RETURN(arguments, Arguments());
      }
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
    }
    const std::string name = UniqueName(label, regions_);
    // Before those within, as they stand in the text.
    const size_t position = graph_.regions.size();
    graph_.regions.push_back({name, {}});
    Scope scope;
    scope.block.name = name;
    CTS_RETURN_IF_ERROR(Body(scope, arguments, "tosa.yield", nesting));
    graph_.regions[position].blocks.push_back(std::move(scope.block));
    return name;
  }

  // "@f(%a: t) -> (t) attributes {...} {...}"
  Status Function() {
    for (const char* visibility : {"public", "private", "nested"}) {
      if (in_.AcceptWord(visibility)) break;
    }
    const size_t place = in_.place();
    CTS_ASSIGN_OR_RETURN(function_, Symbol());
    if (function_.empty()) return in_.BadAt(place, "expected the name of the function");
    CTS_RETURN_IF_ERROR(in_.Expect("("));
    CTS_ASSIGN_OR_RETURN(const std::vector<Argument> arguments, Arguments());
    std::vector<Type> result_types;
    if (in_.Accept("->")) {
      CTS_ASSIGN_OR_RETURN(result_types, ResultTypes());
    }
    if (in_.AcceptWord("attributes")) {
      CTS_RETURN_IF_ERROR(in_.Expect("{"));
      CTS_RETURN_IF_ERROR(in_.SkipBraces());
    }
    CTS_RETURN_IF_ERROR(in_.Expect("{"));
    Scope scope;
    scope.block.name = "main";
    CTS_RETURN_IF_ERROR(Body(scope, arguments, "return", 0));
    if (scope.output_types != result_types) {
      return in_.BadAt(place, "the function does not return what it says");
    }
    for (const auto& [name, position] : scope.values) {
      const std::string& in_graph = scope.block.tensors[position].name;
      if (in_graph != name.substr(1)) renamed_.emplace(name.substr(1), in_graph);
    }
    graph_.main() = std::move(scope.block);
    return absl::OkStatus();
  }

  // "tosa.variable @v = dense<...> : t", "tosa.variable @v : t", or the generic form.
  Status Variable() {
    CTS_ASSIGN_OR_RETURN(const Operation operation, Start());
    if (operation.name != "tosa.variable") {
      in_.Return(operation.place);
      return in_.Expected("func.func or tosa.variable");
    }
    if (operation.generic) return Generic(variables_, operation, 0);
    Literals attributes;
    CTS_ASSIGN_OR_RETURN(std::string name, Symbol());
    if (in_.Accept("{")) CTS_RETURN_IF_ERROR(Attributes(attributes));
    attributes.emplace_back("sym_name", std::move(name));
    Type type;
    if (in_.Accept("=")) {
      if (!in_.AcceptWord("dense")) return in_.Expected("dense");
      CTS_ASSIGN_OR_RETURN(Tensor values, Dense());
      type = {values.dtype(), values.shape()};
      attributes.emplace_back("initial_value", std::move(values));
    } else {
      CTS_RETURN_IF_ERROR(in_.Expect(":"));
      CTS_ASSIGN_OR_RETURN(type, ValueType());
    }
    attributes.emplace_back("type", type.dtype);
    attributes.emplace_back("var_shape", type.shape);
    return Finish(variables_, operation, {}, {}, {}, std::move(attributes), {});
  }

  // RenderMlir puts the name of the function before those of the variables.
  void ShortenVariables() {
    const std::string prefix = function_ + ".";
    std::vector<std::string*> names;
    for (auto& region : graph_.regions) {
      for (Block& block : region.blocks) {
        for (GraphOperator& op : block.operators) {
          if (!op.op.starts_with("VARIABLE")) continue;
          const auto found = op.attributes.find("name");
          if (found == op.attributes.end()) continue;
          auto* name = std::get_if<std::string>(&found->second);
          if (name == nullptr) continue;
          if (!name->starts_with(prefix)) return;
          names.push_back(name);
        }
      }
    }
    for (std::string* name : names) name->erase(0, prefix.size());
  }

  Cursor in_;
  const Edition& edition_;
  Graph graph_;
  Scope variables_;                              // what stands beside the function
  std::string function_;                         // its name
  std::set<std::string> names_, regions_;        // of tensors, of regions
  std::unordered_map<std::string, int> counts_;  // how often a name was wanted
  std::map<std::string, std::string> renamed_;   // of the function, as ParseMlir returns it
  int operators_ = 0;
  uint64_t constants_ = 0;  // their bytes so far
};

}  // namespace

StatusOr<Graph> ParseMlir(std::string_view text, const Edition& edition, std::string_view origin,
                          std::map<std::string, std::string>* renamed) {
  if (edition.mlir != kParsedMlir) {
    std::string known;
    for (const std::string& id : EditionIds()) {
      CTS_ASSIGN_OR_RETURN(const Edition* other, FindEdition(id));
      if (other->mlir == kParsedMlir) known += StrCat(", ", id);
    }
    return InvalidArgument(origin, ": edition ", edition.id,
                           ": text is read in the dialect of MLIR ", kParsedMlir, known);
  }
  if (text.size() > kMaxMlirText) {
    return InvalidArgument(origin, ": found ", text.size(), " bytes, expected at most ",
                           kMaxMlirText);
  }
  Parser parser(text, edition, origin);
  StatusOr<Graph> graph = parser.Parse();
  if (graph.ok() && renamed != nullptr) *renamed = parser.renamed();
  return graph;
}

}  // namespace cts
