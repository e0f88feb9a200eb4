#include "checker/report/page_parts.h"

#include <openssl/evp.h>

#include <numeric>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "cts_checker_texts.h"
#include "reference/base/digest.h"

namespace cts {
namespace {

std::string SourceDigest(std::string_view text) {
  const std::string hex = Sha256(text);
  unsigned char bytes[32], base64[48];
  for (size_t i = 0; i < sizeof bytes; ++i) {
    bytes[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
  const int length = EVP_EncodeBlock(base64, bytes, sizeof bytes);
  return StrCat("'sha256-", std::string(base64, base64 + length), "'");
}

int CountOfAll(const Standings& standings) {
  return std::accumulate(standings.begin(), standings.end(), 0);
}

// Cases that are neither right nor wrong: not supported, accepted without values, not checked,
// disputed.
int CountApart(const Standings& standings) {
  return Count(standings, Standing::kNotSupported) + Count(standings, Standing::kNotShown) +
         Count(standings, Standing::kNotChecked) + Count(standings, Standing::kDisputed);
}

// The colour says how much of what was judged is right; what stands apart has none.
std::string_view HeatClass(const Standings& standings) {
  const int offered = CountOfAll(standings) - CountApart(standings);
  return ShareClass(static_cast<uint64_t>(Count(standings, Standing::kRight)),
                    static_cast<uint64_t>(offered));
}

}  // namespace

std::string Markup(std::string_view text) { return EscapeMarkup(Printable(text)); }

std::string MarkupOfLines(std::string_view text) {
  return EscapeMarkup(Printable(text, Lines::kKeep));
}

std::string ForFragment(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_';
    if (plain) {
      result += c;
    } else {
      result += {'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
    }
  }
  return result;
}

std::string_view ShareClass(uint64_t part, uint64_t whole) {
  if (whole == 0) return "apart";
  if (part == whole) return "h5";
  if (part == 0) return "h0";
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return share >= 0.99 ? "h4" : share >= 0.9 ? "h3" : share >= 0.5 ? "h2" : "h1";
}

std::string HeatCell(const Standings& standings, const std::string& link,
                     const std::string& label) {
  const int total = CountOfAll(standings);
  if (total == 0) return "<td></td>";
  const int passed = Count(standings, Standing::kRight);
  const int apart = CountApart(standings);
  const int offered = total - apart, failed = offered - passed;
  const std::string words =
      passed == total ? StrCat("all ", total, " passed") : StandingsText(standings);
  std::string text =
      failed > 0 ? StrCat("<b>", failed, "</b> / ", offered) : std::to_string(offered);
  if (apart > 0) {
    text = StrCat(offered > 0 ? text + " " : "", "<i>", offered > 0 ? "+" : "", apart, "</i>");
  }
  return StrCat("<td class=\"", HeatClass(standings), "\"><a href=\"", link, "\" title=\"", label,
                ": ", words, "\">", text, "</a></td>");
}

std::string_view HeatLegend() {
  return "<p class=\"legend\"><span class=\"h5\">all passed</span><span class=\"h4\">99 % or "
         "more</span><span class=\"h3\">90 %</span><span class=\"h2\">50 %</span><span "
         "class=\"h1\">less</span><span class=\"h0\">none passed</span><span "
         "class=\"apart\"><i>+9</i> not supported, accepted without values, not checked, or "
         "disputed</span></p>";
}

size_t OrderOfType(const std::string& name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return static_cast<size_t>(info.dtype);
  }
  return kDTypeCount;
}

std::string FactRow(std::string_view name, std::string_view text) {
  return text.empty()
             ? ""
             : StrCat("<div><dt>", Markup(name), "</dt><dd>", Markup(text), "</dd></div>\n");
}

std::string PageHeader(std::string_view what, std::string_view came_out, std::string_view words,
                       std::string_view reason, const std::string& facts) {
  const std::string_view mark = came_out == "good"  ? "&#10003; "
                                : came_out == "bad" ? "&#10007; "
                                                    : "";
  return StrCat("<header><div>\n<h1>", Markup(what), "</h1>\n<p class=\"verdict ", came_out,
                "\" role=\"status\"><strong>", mark, Markup(words), "</strong> <span>",
                Markup(reason), "</span></p>\n<dl class=\"facts\">\n", facts,
                "</dl>\n</div></header>\n");
}

std::string PageSection(std::string_view anchor, std::string_view heading,
                        const std::string& body) {
  return StrCat("<section aria-labelledby=\"", anchor, "\"><h2 id=\"", anchor, "\">",
                Markup(heading), "</h2>\n", body, "</section>\n");
}

std::string PageScroll(std::string_view label, const std::string& body) {
  return StrCat("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", Markup(label),
                "\">", body, "</div>\n");
}

std::string PageTable(std::string_view label, const std::vector<std::string_view>& heads,
                      const std::string& rows) {
  std::string columns;
  for (const std::string_view head : heads) {
    const bool of_texts = head.starts_with("<");
    columns += StrCat("<th scope=\"col\"", of_texts ? " class=\"text\"" : "", ">",
                      Markup(head.substr(of_texts ? 1 : 0)), "</th>");
  }
  return PageScroll(label, StrCat("<table><thead><tr>", columns, "</tr></thead><tbody>\n", rows,
                                  "</tbody></table>"));
}

std::string PageFooter(std::string_view command) {
  return StrCat("<footer>Written by tensor-cts ", command,
                ". This page is complete in itself: it loads nothing and runs nothing.</footer>\n");
}

std::string_view PageStyle() {
  return Between(EmbeddedCheckerTexts().at(0).text, "<style>", "</style>");
}

std::string PagePolicy(std::string_view script) {
  return StrCat("default-src 'none'; style-src ", SourceDigest(PageStyle()),
                script.empty() ? "" : "; script-src " + SourceDigest(script),
                "; base-uri 'none'; form-action 'none'");
}

std::string PageOf(std::string_view title, const std::string& body, std::string_view script) {
  return StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"",
      PagePolicy(script),
      "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
      Markup(title), "</title>\n<style>", PageStyle(), "</style>\n</head>\n<body>\n", body,
      script.empty() ? "" : StrCat("<script>", script, "</script>\n"), "</body>\n</html>\n");
}

std::string BarOf(int64_t count, int64_t most) {
  constexpr int kHeight = 34;
  const double share = std::log2(1.0 + static_cast<double>(count)) /
                       std::log2(1.0 + static_cast<double>(std::max(most, int64_t{1})));
  const int height = count == 0 ? 0 : std::max(2, static_cast<int>(std::lround(kHeight * share)));
  return StrCat(
      "<svg viewBox=\"0 0 10 34\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect x=\"0\" "
      "y=\"",
      kHeight - height, "\" width=\"10\" height=\"", height, "\"/></svg>",
      count == 0 ? "&#8239;" : std::to_string(count));
}

}  // namespace cts
