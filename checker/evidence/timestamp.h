// Time stamps by RFC 3161: an authority signs that a digest existed at a time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

struct TimeStamp {
  std::string time;       // "2026-11-30T13:20:05Z"
  std::string authority;  // the subject of the authority's certificate, printable
};

// Returns the time stamp of a reply (TimeStampResp in DER, as an authority sends it) if its
// signature is valid by the certificates in the PEM file `authorities` and it covers this SHA-256.
// The certificates must have been valid at the time of the stamp. Errors: kInvalidArgument for a
// wrong reply, with `origin`; other codes for a file of certificates that cannot be used.
StatusOr<TimeStamp> CheckTimeStamp(std::string_view reply, const std::filesystem::path& authorities,
                                   std::string_view sha256, std::string_view origin);

}  // namespace cts
