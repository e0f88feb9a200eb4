#include "checker/names.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <memory>
#include <new>

#include "checker/printable.h"
#include "reference/base/status.h"

namespace cts {
namespace {

constexpr std::string_view kOurs = "builtin:";

// ICU has its data with it: it only fails without memory.
void Check(UErrorCode error) {
  if (U_FAILURE(error)) throw std::bad_alloc();
}

icu::UnicodeString Decode(std::string_view text) {
  return icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
}

std::string Encode(const icu::UnicodeString& text) {
  std::string bytes;
  text.toUTF8String(bytes);
  return bytes;
}

// Nothing is drawn for a default ignorable code point.
bool HasIgnorable(const icu::UnicodeString& text) {
  for (int32_t at = 0; at < text.length(); at = text.moveIndex32(at, 1)) {
    if (u_hasBinaryProperty(text.char32At(at), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0) {
      return true;
    }
  }
  return false;
}

using Checker = std::unique_ptr<USpoofChecker, decltype(&uspoof_close)>;

Checker NewChecker() {
  UErrorCode error = U_ZERO_ERROR;
  Checker checker(uspoof_open(&error), uspoof_close);
  Check(error);
  uspoof_setRestrictionLevel(checker.get(), USPOOF_MODERATELY_RESTRICTIVE);
  uspoof_setChecks(checker.get(), USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE, &error);
  Check(error);
  return checker;
}

// Names that look the same have the same skeleton.
std::string Skeleton(const Checker& checker, std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString skeleton;
  uspoof_getSkeletonUnicodeString(checker.get(), 0, Decode(text).foldCase(), skeleton, &error);
  Check(error);
  return Encode(skeleton);
}

}  // namespace

std::string NormalName(std::string_view name) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* const nfkc = icu::Normalizer2::getNFKCInstance(error);
  Check(error);
  const std::string text = Encode(nfkc->normalize(Decode(name), error));
  Check(error);
  std::string normal;
  for (const char c : text) {
    const bool blank = c == ' ';
    if (blank && (normal.empty() || normal.back() == ' ')) continue;
    normal += c;
  }
  if (normal.ends_with(' ')) normal.pop_back();
  return normal;
}

std::string FaultOfName(std::string_view name) {
  if (Printable(name) != name) return "expected printable text";
  const std::string normal = NormalName(name);
  if (normal.empty()) return "expected text that is not blank";
  if (normal != name) {
    return StrCat("expected \"", Printable(normal), "\", its normal form (NFKC, single blanks)");
  }
  const Checker checker = NewChecker();
  UErrorCode error = U_ZERO_ERROR;
  const int32_t found = uspoof_checkUnicodeString(checker.get(), Decode(name), nullptr, &error);
  Check(error);
  if ((found & USPOOF_INVISIBLE) != 0 || HasIgnorable(Decode(name)))
    return "expected no character that nobody sees";
  if ((found & USPOOF_RESTRICTION_LEVEL) != 0) {
    return "expected letters of scripts that do not look alike";
  }
  if (Skeleton(checker, name).starts_with(Skeleton(checker, kOurs))) {
    return StrCat("expected no name that looks like \"", kOurs, "...\", those embedded here");
  }
  return "";
}

}  // namespace cts
