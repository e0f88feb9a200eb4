#include "checker/text/unicode.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uset.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>

#include <memory>
#include <vector>

#include "reference/base/out_of_memory.h"
#include "reference/base/shared_library.h"
#include "reference/base/system_package.h"

namespace cts {
namespace {

// Each name ends with the version of the library that has it: u_strFromUTF8_72.
struct Icu {
#define CTS_ICU_FUNCTIONS(F)  \
  F(u_charType)               \
  F(u_hasBinaryProperty)      \
  F(u_strFoldCase)            \
  F(u_strFromUTF8)            \
  F(u_strToUTF8)              \
  F(unorm2_getNFKCInstance)   \
  F(unorm2_normalize)         \
  F(uscript_getScript)        \
  F(uscript_hasScript)        \
  F(uset_contains)            \
  F(uspoof_check)             \
  F(uspoof_close)             \
  F(uspoof_getRecommendedSet) \
  F(uspoof_getSkeleton)       \
  F(uspoof_open)              \
  F(uspoof_setChecks)         \
  F(uspoof_setRestrictionLevel)
#define CTS_ICU_MEMBER(name) decltype(&::name) name##_ = nullptr;
  CTS_ICU_FUNCTIONS(CTS_ICU_MEMBER)
#undef CTS_ICU_MEMBER
};

constexpr std::string_view kLibrary = "libicui18n.so.";
// The oldest with the restriction levels of UTS #39, and what may be there one day.
constexpr int kOldest = 58, kNewest = 99;

StatusOr<Icu> OpenIcu() {
  std::vector<std::string> names = {StrCat(kLibrary, U_ICU_VERSION_MAJOR_NUM)};
  for (int version = kNewest; version >= kOldest; --version) {
    names.push_back(StrCat(kLibrary, version));
  }
  const auto remedy = [] {
    // A system has one version, which its package is named after. On a system newer than this list,
    // the package for development installs it.
    return StrCat("names beyond ASCII need ICU: ",
                  InstallIt({{"debian", {12, 0}, "libicu72"},
                             {"debian", {13, 0}, "libicu76"},
                             {"debian", {14, 0}, "libicu-dev"},
                             {"ubuntu", {22, 4}, "libicu70"},
                             {"ubuntu", {22, 10}, "libicu-dev"},
                             {"ubuntu", {24, 4}, "libicu74"},
                             {"ubuntu", {24, 10}, "libicu-dev"}}),
                  ", or write the name in ASCII");
  };
  CTS_ASSIGN_OR_RETURN(const SharedLibrary library, SharedLibrary::Open(names, remedy));
  const std::string version = library.name().substr(kLibrary.size());
  Icu icu;
  // The headers are of one version: what they make of a name behind # stays as it is written here.
#define CTS_ICU_FIND(name) \
  CTS_RETURN_IF_ERROR(library.Find(StrCat(#name, "_", version), icu.name##_));
  CTS_ICU_FUNCTIONS(CTS_ICU_FIND)
#undef CTS_ICU_FIND
  return icu;
}

const StatusOr<Icu>& TheIcu() {
  static const StatusOr<Icu> icu = OpenIcu();
  return icu;
}

// ICU has its data with it: it only fails without memory.
Status Checked(UErrorCode error) {
  return U_FAILURE(error) ? OutOfMemory("a name beyond ASCII") : absl::OkStatus();
}

// Returns what `write` puts into a buffer. `write` says how much there is, and is called again with
// as much space.
template <class Text, class Write>
StatusOr<Text> Written(size_t guess, Write write) {
  Text text(guess, {});
  for (int turn = 0; turn < 2; ++turn) {
    UErrorCode error = U_ZERO_ERROR;
    const int32_t size = write(text.data(), static_cast<int32_t>(text.size()), &error);
    const bool again = error == U_BUFFER_OVERFLOW_ERROR && turn == 0;
    if (!again) CTS_RETURN_IF_ERROR(Checked(error));
    text.resize(static_cast<size_t>(size));
    if (!again) break;
  }
  return text;
}

StatusOr<std::u16string> Decode(const Icu& icu, std::string_view text) {
  return Written<std::u16string>(text.size() + 1, [&](UChar* to, int32_t room, UErrorCode* error) {
    int32_t size = 0;
    icu.u_strFromUTF8_(to, room, &size, text.data(), static_cast<int32_t>(text.size()), error);
    return size;
  });
}

StatusOr<std::string> Encode(const Icu& icu, const std::u16string& text) {
  return Written<std::string>(3 * text.size() + 1, [&](char* to, int32_t room, UErrorCode* error) {
    int32_t size = 0;
    icu.u_strToUTF8_(to, room, &size, text.data(), static_cast<int32_t>(text.size()), error);
    return size;
  });
}

// Digits of several systems look alike, too.
constexpr int32_t kChecks = USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE | USPOOF_MIXED_NUMBERS;

using Checker = std::unique_ptr<USpoofChecker, decltype(&::uspoof_close)>;

StatusOr<Checker> NewChecker(const Icu& icu) {
  UErrorCode error = U_ZERO_ERROR;
  Checker checker(icu.uspoof_open_(&error), icu.uspoof_close_);
  CTS_RETURN_IF_ERROR(Checked(error));
  icu.uspoof_setRestrictionLevel_(checker.get(), USPOOF_HIGHLY_RESTRICTIVE);
  icu.uspoof_setChecks_(checker.get(), kChecks, &error);
  CTS_RETURN_IF_ERROR(Checked(error));
  return checker;
}

// A mark in the shape of a letter, which looks like a quote or a tone, such as U+02BC; not
// Japanese's mark of a long vowel.
bool IsModifier(const Icu& icu, UChar32 c, UErrorCode* error) {
  return icu.u_charType_(c) == U_MODIFIER_LETTER &&
         icu.uscript_getScript_(c, error) == USCRIPT_COMMON &&
         icu.uscript_hasScript_(c, USCRIPT_KATAKANA) == 0;
}

char32_t CodePointAt(const std::u16string& text, size_t at) {
  const char16_t unit = text[at];
  if (!U16_IS_LEAD(unit) || at + 1 == text.size()) return unit;
  return static_cast<char32_t>(U16_GET_SUPPLEMENTARY(unit, text[at + 1]));
}

}  // namespace

StatusOr<const Unicode*> Unicode::Get() {
  static const Unicode unicode;
  if (!TheIcu().ok()) return TheIcu().status();
  return &unicode;
}

StatusOr<std::string> Unicode::Nfkc(std::string_view text) const {
  const Icu& icu = *TheIcu();
  CTS_ASSIGN_OR_RETURN(const std::u16string from, Decode(icu, text));
  UErrorCode opened = U_ZERO_ERROR;
  const UNormalizer2* const nfkc = icu.unorm2_getNFKCInstance_(&opened);
  CTS_RETURN_IF_ERROR(Checked(opened));
  CTS_ASSIGN_OR_RETURN(
      const std::u16string normal,
      Written<std::u16string>(from.size() + 1, [&](UChar* to, int32_t room, UErrorCode* error) {
        return icu.unorm2_normalize_(nfkc, from.data(), static_cast<int32_t>(from.size()), to, room,
                                     error);
      }));
  return Encode(icu, normal);
}

StatusOr<std::string> Unicode::Skeleton(std::string_view text, Case letters) const {
  const Icu& icu = *TheIcu();
  CTS_ASSIGN_OR_RETURN(const Checker checker, NewChecker(icu));
  CTS_ASSIGN_OR_RETURN(std::u16string from, Decode(icu, text));
  if (letters == Case::kFolded) {
    CTS_ASSIGN_OR_RETURN(
        from,
        Written<std::u16string>(from.size() + 1, [&](UChar* to, int32_t room, UErrorCode* error) {
          return icu.u_strFoldCase_(to, room, from.data(), static_cast<int32_t>(from.size()),
                                    U_FOLD_CASE_DEFAULT, error);
        }));
  }
  CTS_ASSIGN_OR_RETURN(
      const std::u16string skeleton,
      Written<std::u16string>(from.size() + 1, [&](UChar* to, int32_t room, UErrorCode* error) {
        return icu.uspoof_getSkeleton_(checker.get(), 0, from.data(),
                                       static_cast<int32_t>(from.size()), to, room, error);
      }));
  return Encode(icu, skeleton);
}

StatusOr<Unicode::Looks> Unicode::LooksOf(std::string_view text) const {
  const Icu& icu = *TheIcu();
  CTS_ASSIGN_OR_RETURN(const Checker checker, NewChecker(icu));
  CTS_ASSIGN_OR_RETURN(const std::u16string units, Decode(icu, text));
  UErrorCode error = U_ZERO_ERROR;
  const int32_t found = icu.uspoof_check_(checker.get(), units.data(),
                                          static_cast<int32_t>(units.size()), nullptr, &error);
  CTS_RETURN_IF_ERROR(Checked(error));
  const USet* const recommended = icu.uspoof_getRecommendedSet_(&error);
  CTS_RETURN_IF_ERROR(Checked(error));
  Looks looks;
  looks.invisible = (found & USPOOF_INVISIBLE) != 0;
  looks.mixed = (found & (USPOOF_RESTRICTION_LEVEL | USPOOF_MIXED_NUMBERS)) != 0;
  for (size_t at = 0; at < units.size(); ++at) {
    const auto c = static_cast<UChar32>(CodePointAt(units, at));
    if (c > 0xFFFF) ++at;
    if (c < 0x80) {
      looks.latin = looks.latin || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      continue;
    }
    // Nothing is drawn for a default ignorable code point.
    looks.invisible =
        looks.invisible || icu.u_hasBinaryProperty_(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
    looks.latin = looks.latin || icu.uscript_getScript_(c, &error) == USCRIPT_LATIN;
    const bool usual = icu.uset_contains_(recommended, c) != 0 && !IsModifier(icu, c, &error);
    if (looks.unusual.empty() && !usual) {
      CTS_ASSIGN_OR_RETURN(looks.unusual,
                           Encode(icu, units.substr(c > 0xFFFF ? at - 1 : at, c > 0xFFFF ? 2 : 1)));
    }
  }
  CTS_RETURN_IF_ERROR(Checked(error));
  return looks;
}

}  // namespace cts
