#include "reference/base/json_view.h"

#include <algorithm>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "reference/base/json.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/base/schema.h"

namespace cts {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// As in json.cc.
constexpr size_t kMaxNesting = 100;

unsigned KindOf(element value) {
  switch (value.type()) {
    case element_type::OBJECT:
      return kJsonObject;
    case element_type::ARRAY:
      return kJsonArray;
    case element_type::STRING:
      return kJsonString;
    case element_type::INT64:
      return kJsonInteger;
    case element_type::UINT64:
      return kJsonHuge;
    case element_type::DOUBLE:
      return kJsonDouble;
    case element_type::BOOL:
      return kJsonBoolean;
    case element_type::NULL_VALUE:
      return kJsonNull;
  }
  return 0;
}

template <class T>
T As(element value) {
  T result{};
  if (value.get(result) != simdjson::SUCCESS) result = T{};
  return result;
}

bool Fits(const Schema& schema, element value);

bool ObjectFits(const Schema& schema, simdjson::dom::object object) {
  // Rare, and not known to the fast way.
  if (schema.names != nullptr || !schema.dependencies.empty()) return false;
  size_t required = 0, members = 0;
  for (const auto& [name, value] : object) {
    if (const Schema* const member = schema.Member(name)) {
      if (!Fits(*member, value)) return false;
    } else if (schema.closed || (schema.others != nullptr && !Fits(*schema.others, value))) {
      return false;
    }
    required +=
        static_cast<size_t>(std::count(schema.required.begin(), schema.required.end(), name));
    ++members;
  }
  // No name occurs twice: IsPlain ensures that.
  return required == schema.required.size() && schema.min_members <= members &&
         members <= schema.max_members;
}

// Whether enum or const has the value; of strings and booleans alone.
bool HasValue(const Schema& schema, unsigned kind, element value) {
  return schema.values.empty() ||
         std::any_of(schema.values.begin(), schema.values.end(), [&](const Json& known) {
           return (kind == kJsonString && known.is_string() &&
                   known.get_ref<const std::string&>() == As<std::string_view>(value)) ||
                  (kind == kJsonBoolean && known.is_boolean() &&
                   known.get<bool>() == As<bool>(value));
         });
}

bool Fits(const Schema& schema, element value) {
  const unsigned kind = KindOf(value);
  if ((schema.kinds & kind) == 0 || !HasValue(schema, kind, value)) return false;
  if (!schema.any_of.empty() &&
      std::none_of(schema.any_of.begin(), schema.any_of.end(),
                   [&](const Schema* part) { return Fits(*part, value); })) {
    return false;
  }
  if (kind == kJsonObject) return ObjectFits(schema, As<simdjson::dom::object>(value));
  if (kind == kJsonArray) {
    size_t size = 0;
    for (const element item : As<simdjson::dom::array>(value)) {
      if (schema.items != nullptr && !Fits(*schema.items, item)) return false;
      ++size;
    }
    return schema.min_items <= size && size <= schema.max_items;
  }
  if (kind == kJsonString) {
    const std::string_view text = As<std::string_view>(value);
    return schema.HasLength(text) && schema.HasPattern(text);
  }
  if (kind == kJsonInteger || kind == kJsonDouble) {
    const double number = As<double>(value);
    return number >= schema.minimum.value_or(number) && number <= schema.maximum.value_or(number);
  }
  return true;
}

// Refuses what simdjson accepts and ParseJson does not: duplicate members, long names, deep
// nesting.
bool IsPlain(element value, size_t depth) {
  if (value.type() == element_type::ARRAY) {
    if (depth == kMaxNesting) return false;
    for (const element item : As<simdjson::dom::array>(value)) {
      if (!IsPlain(item, depth + 1)) return false;
    }
  } else if (value.type() == element_type::OBJECT) {
    if (depth == kMaxNesting) return false;
    constexpr size_t kFew = 16;
    std::string_view few[kFew];
    std::set<std::string_view> many;
    size_t count = 0;
    for (const auto& [key, member] : As<simdjson::dom::object>(value)) {
      if (key.size() > kMaxMatchedBytes || !IsPlain(member, depth + 1)) return false;
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

// False if the text is not JSON. std::bad_alloc if there is not enough memory for it.
bool Parse(simdjson::dom::parser& parser, std::string_view text, element* root) {
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(*root);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();
  return error == simdjson::SUCCESS;
}

bool Accepts(simdjson::dom::parser& parser, std::string_view text, std::string_view schema,
             element* root) {
  if (!Parse(parser, text, root)) return false;
  const StatusOr<const Schema*> found = FindSchema(schema);
  return found.ok() && IsPlain(*root, 0) && Fits(**found, *root);
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

// A thread's parser, kept between two texts for its buffers.
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
  const PlainArithmetic plain;
  return CatchBadAlloc(StrCat(origin, ": cannot be read"), [&]() -> StatusOr<JsonText> {
    JsonText result;
    element root;
    if (!Accepts(*result.parser_, text, schema, &root)) {
      CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, origin));
      CTS_RETURN_IF_ERROR(ValidateJson(json, schema, origin));
      // Unusual, but right: a byte order mark, say.
      const std::string usual = json.dump();
      if (!Parse(*result.parser_, usual, &root)) {
        return InvalidArgument(origin, ": found a number that cannot be read");
      }
    }
    result.root_ = JsonView(root);
    return result;
  });
}

bool FastAccepts(std::string_view text, std::string_view schema) {
  simdjson::dom::parser parser;
  element root;
  return Accepts(parser, text, schema, &root);
}

}  // namespace cts
