#include <qrencode.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/build_state.h"
#include "checker/report/page_parts.h"
#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "tools/program/certify/certificate.h"

namespace cts {
namespace {

constexpr std::string_view kControl =
    "the positive control, which is this program itself: no evidence about any other "
    "implementation";

// A QR code as a picture of `modules` by `modules` squares, black on white in every theme, with the
// quiet zone of four modules that ISO/IEC 18004 asks for.
StatusOr<std::string> QrPicture(const std::string& text) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
      QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_M), &QRcode_free);
  if (code == nullptr) {
    return absl::InternalError(
        StrCat("the QR code of ", text.size(), " bytes: libqrencode failed"));
  }
  constexpr int kQuiet = 4;
  const int size = code->width + 2 * kQuiet;
  std::string path;
  for (int row = 0; row < code->width; ++row) {
    for (int column = 0; column < code->width; ++column) {
      if ((code->data[row * code->width + column] & 1) == 0) continue;
      path += StrCat("M", column + kQuiet, " ", row + kQuiet, "h1v1h-1z");
    }
  }
  return StrCat("<svg viewBox=\"0 0 ", size, " ", size,
                "\" shape-rendering=\"crispEdges\" role=\"img\" "
                "aria-label=\"QR code of the digest\"><rect width=\"",
                size, "\" height=\"", size, "\" fill=\"#fff\"/><path fill=\"#000\" d=\"", path,
                "\"/></svg>");
}

struct Table {
  std::vector<std::string> types;
  std::map<std::string, std::map<std::string, Standings>> rows;  // by operator and type
};

Table TableOf(const Report& report) {
  Table table;
  for (const CaseReport& c : report.cases) {
    const std::string type = TypeOf(c);
    ++table.rows[c.op][type][static_cast<size_t>(StandingOf(c))];
    if (std::find(table.types.begin(), table.types.end(), type) == table.types.end()) {
      table.types.push_back(type);
    }
  }
  std::sort(table.types.begin(), table.types.end(), [](const auto& a, const auto& b) {
    return std::pair(OrderOfType(a), a) < std::pair(OrderOfType(b), b);
  });
  return table;
}

// The colour of a square: all right, wrong, or neither.
std::string_view ClassOf(const Standings& standings) {
  int all = 0;
  for (const int count : standings) all += count;
  const int right = Count(standings, Standing::kRight);
  if (right == all) return "d0";
  return Count(standings, Standing::kWrong) + Count(standings, Standing::kNotRun) > 0 ? "d5" : "d3";
}

// Operators by types in three columns: a square for each type of an operator that has cases.
std::string OperatorsPicture(const Report& report) {
  constexpr size_t kColumns = 3;
  constexpr int kLabel = 172, kSquare = 13, kRow = 14, kHead = 58, kGap = 24;
  const Table table = TableOf(report);
  const size_t rows = (table.rows.size() + kColumns - 1) / kColumns;
  const int width = kLabel + kSquare * static_cast<int>(table.types.size());
  std::string text;
  size_t i = 0;
  for (const auto& [op, cells] : table.rows) {
    const int left = static_cast<int>(i / rows) * (width + kGap);
    const int top = kHead + static_cast<int>(i % rows) * kRow;
    if (i % rows == 0) {
      for (size_t k = 0; k < table.types.size(); ++k) {
        const int x = left + kLabel + static_cast<int>(k) * kSquare + 10;
        text += StrCat("<text transform=\"translate(", x, " ", kHead - 6, ") rotate(-70)\">",
                       Markup(table.types[k]), "</text>");
      }
    }
    text +=
        StrCat("<text class=\"ink\" x=\"", left, "\" y=\"", top + 10, "\">", Markup(op), "</text>");
    for (size_t k = 0; k < table.types.size(); ++k) {
      const auto found = cells.find(table.types[k]);
      if (found == cells.end()) continue;
      int all = 0;
      for (const int count : found->second) all += count;
      text += StrCat("<rect class=\"", ClassOf(found->second), "\" x=\"",
                     left + kLabel + static_cast<int>(k) * kSquare, "\" y=\"", top, "\" width=\"",
                     kSquare - 2, "\" height=\"", kRow - 2, "\"><title>", Markup(op), ", ",
                     Markup(table.types[k]), ": ", Count(found->second, Standing::kRight), " of ",
                     all, " passed</title></rect>");
    }
    ++i;
  }
  return StrCat(PageScroll("Operators and types",
                           StrCat("<svg class=\"squares\" viewBox=\"0 0 ",
                                  static_cast<int>(kColumns) * (width + kGap), " ",
                                  kHead + static_cast<int>(rows) * kRow, "\">", text, "</svg>")),
                "<p class=\"soft\">A square for each type of an operator that the suite "
                "asks for: light, all cases passed; dark, some did not; grey, some decide "
                "nothing.</p>\n");
}

std::string Words(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string ChallengeText(const std::optional<ChallengeFacts>& challenge) {
  if (!challenge) return "";
  return StrCat(
      challenge->number, ", opened ", challenge->opened, " by the key ", challenge->issuer_key,
      challenge->issuer_known ? "" : ", which no --key names", ", whose holder claims to be \"",
      challenge->issuer, "\"; answer received ", challenge->received, ", open until ",
      challenge->until, ", signed by the key ", challenge->vendor_key,
      challenge->issuer_key == challenge->vendor_key ? ": issuer and vendor are one key" : "");
}

std::string Facts(const Verification& verification) {
  const Claim& claim = verification.claim;
  const Report& report = verification.report;
  const RunInfo& run = report.run;
  const Standings standings = CountStandings(report);
  const int disputed = Count(standings, Standing::kDisputed);
  const RegisteredAs registered = verification.registered.value_or(RegisteredAs());
  return StrCat(
      FactRow("number", registered.number), FactRow("registered by", registered.issuer),
      FactRow("issued", registered.issued), FactRow("valid until", registered.valid_until),
      FactRow("product", StrCat(claim.name, " ", claim.version)), FactRow("vendor", claim.vendor),
      FactRow("hardware", claim.hardware), FactRow("edition", claim.edition),
      FactRow("profiles", Words(claim.profiles)), FactRow("extensions", Words(claim.extensions)),
      FactRow("level", claim.level), FactRow("ran", run.started), FactRow("on", run.host),
      FactRow("run", Words(CourseOf(run))),
      FactRow("cases",
              StrCat(Count(standings, Standing::kRight), " of ", report.cases.size(),
                     verification.by_this || !verification.answers ? " mandatory ones passed"
                                                                   : " passed",
                     disputed > 0 ? StrCat("; ", disputed, " decide nothing") : "")),
      FactRow("elements", ElementsText(report)),
      FactRow("blind", verification.answers ? "the implementation did not see the answers" : ""),
      FactRow("challenge", ChallengeText(verification.challenge)),
      FactRow("signed by", StrCat(verification.signers.size() == 1 ? "the key " : "the keys ",
                                  Words(verification.signers))),
      FactRow("time stamp", verification.timestamp ? StrCat(verification.timestamp->time, " by ",
                                                            verification.timestamp->authority)
                                                   : ""),
      FactRow("made by", StrCat("tensor-cts ", run.tensor_cts, ", commit ", run.commit)),
      FactRow("verified by",
              StrCat("tensor-cts ", ThisBuild().version, ", commit ", ThisBuild().commit)),
      FactRow("suite", report.suite.digest));
}

std::string FindingsSection(const Report& report) {
  std::string rows;
  for (const Finding& finding : report.findings) {
    rows += StrCat("<li>", finding.waived ? "<b>waived by the claim</b>: " : "",
                   Markup(finding.message), "</li>\n");
  }
  if (rows.empty()) return "";
  return PageSection("findings", "Findings", StrCat("<ul class=\"findings\">\n", rows, "</ul>\n"));
}

}  // namespace

StatusOr<std::string> CertificatePage(const VerifyOptions& options,
                                      const Verification& verification) {
  const std::string place = options.evidence.string();
  if (!verification.Holds()) {
    return absl::FailedPreconditionError(StrCat("--html: ", place,
                                                ": found evidence that does not hold: no page is "
                                                "written, and an earlier file is left as it was"));
  }
  if (!verification.Passed()) {
    return absl::FailedPreconditionError(
        StrCat("--html: ", place, ": found evidence of an implementation that is not conformant: ",
               "no page is written, and an earlier file is left as it was"));
  }
  const bool control = ResultOf(verification.report) == "WARNED";
  // The signer alone knows whether a blind suite of another version is the mandatory one.
  const bool by_word = !verification.by_this && verification.answers.has_value();
  const std::string verdict = VerdictLine(verification, place);
  const std::string reason =
      verdict.substr(std::string("HOLDS: ").size() + place.size() + 2);  // ": "
  CTS_ASSIGN_OR_RETURN(const std::string qr,
                       QrPicture(StrCat("sha256:", verification.statement_digest)));
  const Claim& claim = verification.claim;
  const std::string title = StrCat(claim.vendor, " ", claim.name, " ", claim.version);
  const std::string header =
      control   ? PageHeader(title, "part", "NO CERTIFICATE", kControl, Facts(verification))
      : by_word ? PageHeader(title, "part", "PASSED", reason, Facts(verification))
                : PageHeader(title, "good", "CONFORMANT", reason, Facts(verification));
  const std::string statement = StrCat(
      "<div class=\"digest\"><div><p><code>sha256:", verification.statement_digest,
      "</code> of <code>", Markup(verification.statement_file), "</code>. ",
      verification.release.empty()
          ? "The build that made it is no release, and that build alone can check it again:"
          : "Anyone who has the evidence and the signer's public key can check all of it:",
      "</p>\n",
      "<p><code>tensor-cts verify EVIDENCE --key KEY.pem</code></p>\n<p class=\"soft\">This page "
      "is ",
      "a summary, and the signed evidence decides. The evidence says that these cases passed on "
      "this ",
      "machine. It says nothing about inputs that the suite does not ask for.</p></div>\n", qr,
      "</div>\n");
  return PageOf(
      StrCat(title, ": ", control ? "positive control" : "certificate"),
      StrCat(header, "<main>\n", PageSection("statement", "The signed statement", statement),
             PageSection("operators", "Operators and types", OperatorsPicture(verification.report)),
             FindingsSection(verification.report), "</main>\n", PageFooter("verify")));
}

}  // namespace cts
