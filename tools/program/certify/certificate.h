// The outcome of `verify`, as JSON and as a page for people.
#pragma once

#include <string>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "tools/program/certify/verify.h"

namespace cts {

// The outcome in the form of schemas/verification.schema.json. For evidence that does not hold, it
// contains only the faults, because the other contents of the evidence cannot be trusted.
Json VerificationToJson(const VerifyOptions& options, const Verification& verification);

// One self-contained page of size A4: the claim, the signer, the passed cases, and the digest of
// the signed statement, as text and as a QR code.
//
// Errors: evidence that does not hold, and evidence whose verdict is FAILED. Such evidence has no
// certificate.
StatusOr<std::string> CertificatePage(const VerifyOptions& options,
                                      const Verification& verification);

}  // namespace cts
