#include "checker/text/names.h"

#include <algorithm>

#include "checker/text/printable.h"
#include "checker/text/unicode.h"
#include "reference/base/utf8.h"

namespace cts {
namespace {

constexpr std::string_view kOurs = "builtin:";

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// Unicode's skeleton of a text in ASCII, as far as it matters for kOurs: a one and a bar look like
// an l. names_test.cc compares them.
std::string AsciiSkeleton(std::string_view text) {
  std::string skeleton;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      skeleton += static_cast<char>(c - 'A' + 'a');
    } else {
      skeleton += c == '1' || c == '|' ? 'l' : c;
    }
  }
  return skeleton;
}

// "U+2800" for a character in UTF-8.
std::string CodePoint(std::string_view character) {
  uint32_t code = 0;
  DecodeUtf8(character, &code);
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string digits;
  for (; code > 0 || digits.size() < 4; code >>= 4) digits.insert(0, 1, kHex[code & 15]);
  return "U+" + digits;
}

// Finds a fault in the looks of a text that is printable and in its normal form.
StatusOr<std::string> FaultOfLooks(std::string_view name) {
  // A page that forgets to escape a name must not become another page.
  if (name.find_first_of("<>") != std::string_view::npos) {
    return std::string("expected no \"<\" and no \">\", which begin and end markup");
  }
  bool looks_like_ours = false;
  if (IsAscii(name)) {
    looks_like_ours = AsciiSkeleton(name).starts_with(kOurs);
  } else {
    CTS_ASSIGN_OR_RETURN(const Unicode* const unicode, Unicode::Get());
    CTS_ASSIGN_OR_RETURN(const Unicode::Looks looks, unicode->LooksOf(name));
    if (looks.invisible) return std::string("expected no invisible character");
    if (!looks.unusual.empty()) {
      return StrCat("expected no ", CodePoint(looks.unusual), ", but ASCII and what Unicode (UTS ",
                    "#39) recommends for names");
    }
    if (looks.mixed) return std::string("expected letters of scripts that do not look alike");
    CTS_ASSIGN_OR_RETURN(const std::string skeleton, unicode->Skeleton(name));
    for (const Unicode::Case letters : {Unicode::Case::kKept, Unicode::Case::kFolded}) {
      CTS_ASSIGN_OR_RETURN(const std::string latin, unicode->Skeleton(name, letters));
      if (looks.latin || !IsAscii(latin)) continue;
      return StrCat("which looks like \"", Printable(latin), "\": expected a name that does not ",
                    "look like one of Latin letters");
    }
    CTS_ASSIGN_OR_RETURN(const std::string ours, unicode->Skeleton(kOurs));
    looks_like_ours = skeleton.starts_with(ours);
  }
  if (!looks_like_ours) return std::string();
  return StrCat("expected no name that looks like \"", kOurs, "...\", those embedded here");
}

}  // namespace

StatusOr<std::string> NormalName(std::string_view name) {
  std::string text(name);
  if (!IsAscii(name)) {
    CTS_ASSIGN_OR_RETURN(const Unicode* const unicode, Unicode::Get());
    CTS_ASSIGN_OR_RETURN(text, unicode->Nfkc(name));
  }
  std::string normal;
  for (const char c : text) {
    const bool blank = c == ' ';
    if (blank && (normal.empty() || normal.back() == ' ')) continue;
    normal += c;
  }
  if (normal.ends_with(' ')) normal.pop_back();
  return normal;
}

StatusOr<std::string> FaultOfName(std::string_view name) {
  if (Printable(name) != name) return std::string("expected printable text");
  CTS_ASSIGN_OR_RETURN(const std::string normal, NormalName(name));
  if (normal.empty()) return std::string("expected text that is not blank");
  if (normal == name) return FaultOfLooks(name);
  return StrCat("expected \"", Printable(normal), "\", its normal form (NFKC, single blanks)");
}

}  // namespace cts
