#include "reference/base/json_view.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "cts_schemas.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// As in json.cc.
constexpr size_t kMaxDepth = 100;
constexpr size_t kMaxMatched = 1024;

// A pattern that is a row of character classes, each repeated: "^[a-z_]+/[a-z0-9]*$".
class Pattern {
 public:
  // Nothing where the pattern is of another kind.
  static std::optional<Pattern> Parse(std::string_view text) {
    if (text.size() < 2 || text.front() != '^' || text.back() != '$') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    Pattern pattern;
    for (size_t at = 0; at < text.size();) {
      std::optional<Class> next = ParseClass(text, &at);
      if (!next || !ParseCount(text, &at, &*next)) return std::nullopt;
      pattern.classes_.push_back(*next);
    }
    return pattern;
  }

  bool Matches(std::string_view text) const { return Matches(text, 0); }

 private:
  struct Class {
    std::bitset<256> members;
    size_t least = 1, most = 1;
  };
  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

  static std::optional<Class> ParseClass(std::string_view text, size_t* at) {
    Class parsed;
    const auto code = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    if (text[*at] == '\\') {
      // Only what stands for itself.
      if (++*at == text.size() || text[*at] != '.') return std::nullopt;
      parsed.members.set(code((*at)++));
      return parsed;
    }
    if (text[*at] != '[') {
      if (std::string_view("(){}|?.*+^$]").find(text[*at]) != text.npos) return std::nullopt;
      parsed.members.set(code((*at)++));
      return parsed;
    }
    const size_t end = text.find(']', *at);
    if (end == text.npos || end == *at + 1 || text[*at + 1] == '^') return std::nullopt;
    for (size_t i = *at + 1; i < end; ++i) {
      if (text[i] == '\\' || text[i] == '[' || code(i) >= 128) return std::nullopt;
      const bool range = i + 2 < end && text[i + 1] == '-';
      for (unsigned c = code(i); c <= code(range ? i + 2 : i); ++c) parsed.members.set(c);
      if (range) i += 2;
    }
    *at = end + 1;
    return parsed;
  }

  static bool ParseCount(std::string_view text, size_t* at, Class* counted) {
    if (*at == text.size()) return true;
    if (text[*at] == '+' || text[*at] == '*' || text[*at] == '?') {
      counted->least = text[*at] == '+' ? 1 : 0;
      counted->most = text[*at] == '?' ? 1 : kUnlimited;
      ++*at;
      return *at == text.size() || text[*at] != '?';  // lazy ones are another kind
    }
    if (text[*at] != '{') return true;
    const size_t end = text.find('}', *at);
    if (end == text.npos) return false;
    size_t counts[2] = {0, 0}, k = 0;
    for (const char c : text.substr(*at + 1, end - *at - 1)) {
      if (c == ',' && k == 0) {
        ++k;
      } else if (c >= '0' && c <= '9' && counts[k] < 1000) {
        counts[k] = 10 * counts[k] + static_cast<size_t>(c - '0');
      } else {
        return false;
      }
    }
    counted->least = counts[0];
    counted->most = counts[k];
    *at = end + 1;
    return counted->least <= counted->most;
  }

  bool Matches(std::string_view text, size_t k) const {
    if (k == classes_.size()) return text.empty();
    const Class& now = classes_[k];
    size_t run = 0;
    while (run < std::min(text.size(), now.most) &&
           now.members[static_cast<unsigned char>(text[run])]) {
      ++run;
    }
    for (size_t taken = run + 1; taken-- > now.least;) {
      if (Matches(text.substr(taken), k + 1)) return true;
    }
    return false;
  }

  std::vector<Class> classes_;
};

enum Kind : unsigned {
  kObject = 1,
  kArray = 2,
  kString = 4,
  kInteger = 8,
  kNumber = 16,
  kBool = 32
};

// What a part of a schema asks for, as far as it is understood here.
struct Shape {
  bool understood = true;                         // if not, nothing is accepted
  unsigned kinds = 0;                             // any of; 0: all
  std::optional<std::vector<std::string>> words;  // enum and const
  std::vector<std::pair<std::string, const Shape*>> members;
  std::vector<std::string> required;
  bool closed = false;
  const Shape* others = nullptr;  // additionalProperties
  const Shape* items = nullptr;
  size_t min_size = 0, max_size = std::numeric_limits<size_t>::max();  // of arrays
  std::optional<double> minimum, maximum;
  size_t max_length = std::numeric_limits<size_t>::max();
  std::optional<Pattern> pattern;
  std::vector<const Shape*> any_of;
};

// The shapes of one schema.
class Compiler {
 public:
  explicit Compiler(const Json& root) : root_(root) {}

  const Shape* Compile(const Json& schema) {
    if (schema.is_object() && schema.contains("$ref")) {
      const std::string name = schema["$ref"].get<std::string>();
      const auto [place, is_new] = references_.try_emplace(name, nullptr);
      if (is_new) {
        place->second = New();
        const Json::json_pointer pointer(name.substr(std::min<size_t>(1, name.size())));
        if (name.starts_with('#') && root_.contains(pointer)) {
          Fill(root_[pointer], place->second);
        } else {
          place->second->understood = false;
        }
      }
      return place->second;
    }
    Shape* const shape = New();
    Fill(schema, shape);
    return shape;
  }

 private:
  // Shapes refer to each other and live as long as the process. FindShape's lock is held.
  static Shape* New() {
    static auto& shapes = *new std::vector<std::unique_ptr<Shape>>;
    return shapes.emplace_back(std::make_unique<Shape>()).get();
  }

  void Fill(const Json& schema, Shape* shape) {
    if (!schema.is_object()) {
      shape->understood = false;
      return;
    }
    for (const auto& [keyword, value] : schema.items()) {
      if (!Add(keyword, value, shape)) shape->understood = false;
    }
  }

  bool Add(const std::string& keyword, const Json& value, Shape* shape) {
    static const std::set<std::string> kRemarks = {"$schema",     "$id",     "title",
                                                   "description", "default", "definitions"};
    if (kRemarks.count(keyword) > 0) return true;
    if (keyword == "type") return AddKind(value, shape);
    if (keyword == "const") return AddWords(Json::array({value}), shape);
    if (keyword == "enum") return AddWords(value, shape);
    if (keyword == "properties") {
      for (const auto& [name, part] : value.items()) {
        shape->members.emplace_back(name, Compile(part));
      }
      return true;
    }
    if (keyword == "required") {
      shape->required = value.get<std::vector<std::string>>();
      return true;
    }
    if (keyword == "additionalProperties") {
      shape->closed = value == Json(false);
      if (value.is_object()) shape->others = Compile(value);
      return true;
    }
    if (keyword == "items") {
      shape->items = Compile(value);
      return true;
    }
    if (keyword == "anyOf") {
      for (const Json& part : value) shape->any_of.push_back(Compile(part));
      return true;
    }
    if (keyword == "pattern") {
      shape->pattern = Pattern::Parse(value.get<std::string>());
      return shape->pattern.has_value();
    }
    if (!value.is_number()) return false;
    if (keyword == "minItems") shape->min_size = value.get<size_t>();
    if (keyword == "maxItems") shape->max_size = value.get<size_t>();
    if (keyword == "maxLength") shape->max_length = value.get<size_t>();
    if (keyword == "minimum") shape->minimum = value.get<double>();
    if (keyword == "maximum") shape->maximum = value.get<double>();
    return keyword == "minItems" || keyword == "maxItems" || keyword == "maxLength" ||
           keyword == "minimum" || keyword == "maximum";
  }

  static bool AddKind(const Json& value, Shape* shape) {
    if (value == "object") shape->kinds = kObject;
    if (value == "array") shape->kinds = kArray;
    if (value == "string") shape->kinds = kString;
    if (value == "integer") shape->kinds = kInteger;
    if (value == "number") shape->kinds = kInteger | kNumber;
    if (value == "boolean") shape->kinds = kBool;
    return shape->kinds != 0;
  }

  static bool AddWords(const Json& values, Shape* shape) {
    shape->words.emplace();
    for (const Json& value : values) {
      if (!value.is_string()) return false;
      shape->words->push_back(value.get<std::string>());
    }
    return true;
  }

  const Json& root_;
  std::map<std::string, Shape*> references_;
};

// The compiled schema of that name; never freed. Nothing where there is none.
const Shape* FindShape(std::string_view name) {
  static std::mutex mutex;
  static auto& shapes = *new std::map<std::string, const Shape*, std::less<>>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = shapes.find(name); found != shapes.end()) return found->second;
  const size_t slash = std::min(name.find('/'), name.size());
  const std::string file_name = StrCat(name.substr(0, slash), ".schema.json");
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    if (file.name != file_name) continue;
    const StatusOr<Json> schema = ParseJson(file.text, file_name);
    if (!schema.ok()) break;
    const Json::json_pointer part(slash < name.size() ? StrCat("/properties", name.substr(slash))
                                                      : "");
    if (!schema->contains(part)) break;
    return shapes[std::string(name)] = Compiler(*schema).Compile((*schema)[part]);
  }
  return nullptr;
}

unsigned KindOf(element value) {
  switch (value.type()) {
    case element_type::OBJECT:
      return kObject;
    case element_type::ARRAY:
      return kArray;
    case element_type::STRING:
      return kString;
    case element_type::INT64:  // what exceeds it, valijson takes for no number
      return kInteger;
    case element_type::DOUBLE:
      return kNumber;
    case element_type::BOOL:
      return kBool;
    default:
      return 0;
  }
}

template <class T>
T As(element value) {
  T result{};
  if (value.get(result) != simdjson::SUCCESS) result = T{};
  return result;
}

bool Fits(const Shape& shape, element value);

bool ObjectFits(const Shape& shape, simdjson::dom::object object) {
  size_t required = 0;
  for (const auto& [key, value] : object) {
    // A lambda cannot capture a structured binding.
    const std::string_view name = key;
    const auto member = std::find_if(shape.members.begin(), shape.members.end(),
                                     [&](const auto& known) { return known.first == name; });
    if (member != shape.members.end()) {
      if (!Fits(*member->second, value)) return false;
    } else if (shape.closed || (shape.others != nullptr && !Fits(*shape.others, value))) {
      return false;
    }
    required += static_cast<size_t>(std::count(shape.required.begin(), shape.required.end(), name));
  }
  // No name stands there twice: IsPlain has seen to that.
  return required == shape.required.size();
}

bool Fits(const Shape& shape, element value) {
  const unsigned kind = KindOf(value);
  if (!shape.understood || kind == 0 || (shape.kinds != 0 && (shape.kinds & kind) == 0)) {
    return false;
  }
  if (shape.words &&
      (kind != kString || std::find(shape.words->begin(), shape.words->end(),
                                    As<std::string_view>(value)) == shape.words->end())) {
    return false;
  }
  if (!shape.any_of.empty() &&
      std::none_of(shape.any_of.begin(), shape.any_of.end(),
                   [&](const Shape* part) { return Fits(*part, value); })) {
    return false;
  }
  if (kind == kObject) return ObjectFits(shape, As<simdjson::dom::object>(value));
  if (kind == kArray) {
    size_t size = 0;
    for (const element item : As<simdjson::dom::array>(value)) {
      if (shape.items != nullptr && !Fits(*shape.items, item)) return false;
      ++size;
    }
    return shape.min_size <= size && size <= shape.max_size;
  }
  if (kind == kString) {
    const std::string_view text = As<std::string_view>(value);
    // Bytes, of which there are no fewer than characters.
    return text.size() <= std::min(shape.max_length, kMaxMatched) &&
           (!shape.pattern || shape.pattern->Matches(text));
  }
  if (kind == kInteger || kind == kNumber) {
    const double number = As<double>(value);
    return number >= shape.minimum.value_or(number) && number <= shape.maximum.value_or(number);
  }
  return true;
}

// What simdjson lets pass and ParseJson does not: members twice, long names, deep nesting.
bool IsPlain(element value, size_t depth) {
  if (value.type() == element_type::ARRAY) {
    if (depth == kMaxDepth) return false;
    for (const element item : As<simdjson::dom::array>(value)) {
      if (!IsPlain(item, depth + 1)) return false;
    }
  } else if (value.type() == element_type::OBJECT) {
    if (depth == kMaxDepth) return false;
    constexpr size_t kFew = 16;
    std::string_view few[kFew];
    std::set<std::string_view> many;
    size_t count = 0;
    for (const auto& [key, member] : As<simdjson::dom::object>(value)) {
      if (key.size() > kMaxMatched || !IsPlain(member, depth + 1)) return false;
      if (count < kFew) {
        for (size_t i = 0; i < count; ++i) {
          if (few[i] == key) return false;
        }
        few[count] = key;
      } else {
        if (count == kFew) many.insert(std::begin(few), std::end(few));
        if (!many.insert(key).second) return false;
      }
      ++count;
    }
  }
  return true;
}

bool Accepts(simdjson::dom::parser& parser, std::string_view text, std::string_view schema,
             element* root) {
  if (parser.parse(text.data(), text.size()).get(*root) != simdjson::SUCCESS) return false;
  const Shape* const shape = FindShape(schema);
  return shape != nullptr && IsPlain(*root, 0) && Fits(*shape, *root);
}

// simdjson's own empty array and object cannot be iterated over.
template <class T>
T Empty(std::string_view text) {
  static auto& parser = *new simdjson::dom::parser;
  static const element empty = parser.parse(text.data(), text.size());
  return As<T>(empty);
}

}  // namespace

simdjson::dom::array JsonView::Items() const {
  return is_array() ? Get<simdjson::dom::array>() : Empty<simdjson::dom::array>("[]");
}

simdjson::dom::object JsonView::Members() const {
  return is_object() ? Get<simdjson::dom::object>() : Empty<simdjson::dom::object>("{}");
}

std::vector<std::string> JsonView::Texts() const {
  std::vector<std::string> texts;
  for (const element item : Items()) texts.push_back(JsonView(item).Text());
  return texts;
}

std::map<std::string, std::string> JsonView::TextMap() const {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : Members()) {
    texts.emplace(std::string(name), JsonView(value).Text());
  }
  return texts;
}

namespace {

// A thread's parser between two texts: its buffers are worth keeping.
thread_local std::unique_ptr<simdjson::dom::parser> idle_parser;

}  // namespace

JsonText::JsonText()
    : parser_(idle_parser != nullptr ? std::move(idle_parser)
                                     : std::make_unique<simdjson::dom::parser>()) {}

JsonText::~JsonText() {
  constexpr size_t kWorthKeeping = 1 << 20;
  if (parser_ != nullptr && parser_->capacity() <= kWorthKeeping) idle_parser = std::move(parser_);
}

StatusOr<JsonText> JsonText::Read(std::string_view text, std::string_view schema,
                                  std::string_view origin) {
  JsonText result;
  element root;
  if (!Accepts(*result.parser_, text, schema, &root)) {
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, origin));
    CTS_RETURN_IF_ERROR(ValidateJson(json, schema, origin));
    // Unusual, but right: a byte order mark, say.
    const std::string usual = json.dump();
    if (result.parser_->parse(usual.data(), usual.size()).get(root) != simdjson::SUCCESS) {
      return InvalidArgument(origin, ": found a number that cannot be read");
    }
  }
  result.root_ = JsonView(root);
  return result;
}

bool FastAccepts(std::string_view text, std::string_view schema) {
  simdjson::dom::parser parser;
  element root;
  return Accepts(parser, text, schema, &root);
}

}  // namespace cts
