// What `verify` found, as JSON and as a page for people.
#pragma once

#include <string>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "tools/program/certify/verify.h"

namespace cts {

// As schemas/verification.schema.json has it. Evidence that does not hold has its faults, and
// nothing else: none of its words is to be trusted.
Json VerificationToJson(const VerifyOptions& options, const Verification& verification);

// One page of A4, complete in itself: what was claimed, by whom it was signed, what passed, and the
// digest of the signed statement, as text and as a QR code.
//
// Errors: evidence that does not hold, or that says FAILED, has no certificate.
StatusOr<std::string> CertificatePage(const VerifyOptions& options,
                                      const Verification& verification);

}  // namespace cts
