#include "checker/evidence/timestamp.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ts.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>
#include <new>

#include "absl/strings/escaping.h"
#include "checker/text/printable.h"
#include "reference/base/file.h"

namespace cts {
namespace {

template <class T, void (*kFree)(T*)>
struct Freed {
  void operator()(T* what) const { kFree(what); }
};
using Reply = std::unique_ptr<TS_RESP, Freed<TS_RESP, TS_RESP_free>>;
using Store = std::unique_ptr<X509_STORE, Freed<X509_STORE, X509_STORE_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
using VerifyContext = std::unique_ptr<TS_VERIFY_CTX, Freed<TS_VERIFY_CTX, TS_VERIFY_CTX_free>>;
using Source = std::unique_ptr<BIO, Freed<BIO, BIO_free_all>>;

// Never asks the terminal for the passphrase of an encrypted file.
int NeverAsk(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return -1; }

// The reason of the most recent error of OpenSSL, and no further errors.
std::string Reason() {
  const unsigned long code = ERR_peek_last_error();
  const char* const reason = ERR_reason_error_string(code);
  std::string text = reason == nullptr ? "no reason given" : reason;
  const char* data = nullptr;
  int flags = 0;
  ERR_peek_last_error_data(&data, &flags);
  if (data != nullptr && (flags & ERR_TXT_STRING) != 0 && *data != '\0') {
    text += StrCat(": ", data);
  }
  ERR_clear_error();
  return Printable(text);
}

StatusOr<Store> ReadAuthorities(const std::filesystem::path& path, std::time_t time) {
  constexpr uint64_t kMost = 1 << 20;
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMost));
  const Source source(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  Store store(X509_STORE_new());
  if (source == nullptr || store == nullptr) throw std::bad_alloc();
  int count = 0;
  while (true) {
    const Certificate certificate(PEM_read_bio_X509(source.get(), nullptr, NeverAsk, nullptr));
    if (certificate == nullptr) break;
    X509_STORE_add_cert(store.get(), certificate.get());
    ++count;
  }
  // The reader stops at the end of the text, and at a certificate that it cannot read.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return absl::FailedPreconditionError(
        StrCat(path.string(), ": found a certificate that cannot be read: ", Reason()));
  }
  ERR_clear_error();
  if (count == 0) {
    return absl::FailedPreconditionError(
        StrCat(path.string(), ": found no certificate, expected those of time stamping ",
               "authorities in PEM"));
  }
  X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store.get()), time);
  return store;
}

std::string SubjectOf(const X509* certificate) {
  const Source text(BIO_new(BIO_s_mem()));
  if (text == nullptr) throw std::bad_alloc();
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return Printable(std::string_view(bytes, static_cast<size_t>(size)));
}

}  // namespace

StatusOr<TimeStamp> CheckTimeStamp(std::string_view reply, const std::filesystem::path& authorities,
                                   std::string_view sha256, std::string_view origin) {
  ERR_clear_error();
  const auto* bytes = reinterpret_cast<const unsigned char*>(reply.data());
  const Reply response(d2i_TS_RESP(nullptr, &bytes, static_cast<long>(reply.size())));
  TS_TST_INFO* const info = response ? TS_RESP_get_tst_info(response.get()) : nullptr;
  if (info == nullptr ||
      bytes != reinterpret_cast<const unsigned char*>(reply.data()) + reply.size()) {
    ERR_clear_error();
    return InvalidArgument(origin, ": found no time stamp, expected the reply of a time stamping ",
                           "authority (TimeStampResp of RFC 3161 in DER)");
  }
  TS_MSG_IMPRINT* const imprint = TS_TST_INFO_get_msg_imprint(info);
  const ASN1_OBJECT* algorithm = nullptr;
  X509_ALGOR_get0(&algorithm, nullptr, nullptr, TS_MSG_IMPRINT_get_algo(imprint));
  const ASN1_OCTET_STRING* const found = TS_MSG_IMPRINT_get_msg(imprint);
  const std::string stamped =
      absl::BytesToHexString({reinterpret_cast<const char*>(ASN1_STRING_get0_data(found)),
                              static_cast<size_t>(ASN1_STRING_length(found))});
  if (OBJ_obj2nid(algorithm) != NID_sha256 || stamped != sha256) {
    return InvalidArgument(origin, ": found a time stamp of the digest ", stamped,
                           ", expected the ", "SHA-256 ", sha256);
  }
  std::tm time = {};
  if (ASN1_TIME_to_tm(TS_TST_INFO_get_time(info), &time) != 1) {
    return InvalidArgument(origin, ": found a time stamp without a valid time");
  }
  CTS_ASSIGN_OR_RETURN(Store store, ReadAuthorities(authorities, timegm(&time)));
  const VerifyContext context(TS_VERIFY_CTX_new());
  if (context == nullptr) throw std::bad_alloc();
  TS_VERIFY_CTX_set_flags(context.get(), TS_VFY_VERSION | TS_VFY_SIGNATURE);
  TS_VERIFY_CTX_set_store(context.get(), store.release());
  if (TS_RESP_verify_response(context.get(), response.get()) != 1) {
    return InvalidArgument(origin, ": found a time stamp that the authorities in ",
                           authorities.string(), " did not sign: ", Reason());
  }
  const std::unique_ptr<STACK_OF(X509), void (*)(STACK_OF(X509)*)> signers(
      PKCS7_get0_signers(TS_RESP_get_token(response.get()), nullptr, 0),
      [](STACK_OF(X509) * stack) { sk_X509_free(stack); });
  TimeStamp stamp;
  if (signers != nullptr && sk_X509_num(signers.get()) > 0) {
    stamp.authority = SubjectOf(sk_X509_value(signers.get(), 0));
  }
  char text[32];
  stamp.time.assign(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &time));
  return stamp;
}

}  // namespace cts
