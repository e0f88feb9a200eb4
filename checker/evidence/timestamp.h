// Time stamps by RFC 3161: an authority signs that a digest existed at a certain time.
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

// Checks a reply (TimeStampResp in DER, as an authority sends it), and returns the time stamp in
// the reply. The signature must be valid by the certificates in the PEM file `authorities`, and the
// time stamp must be for the digest `sha256`. The certificates must have been valid at the time of
// the stamp. Errors: kInvalidArgument for a wrong reply, with `origin` in the message; other codes
// for a file of certificates that cannot be used.
StatusOr<TimeStamp> CheckTimeStamp(std::string_view reply, const std::filesystem::path& authorities,
                                   std::string_view sha256, std::string_view origin);

}  // namespace cts
