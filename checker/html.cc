#include "checker/html.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "checker/printable.h"
#include "checker/report.h"
#include "checker/summary.h"
#include "cts_checker_texts.h"
#include "reference/base/digest.h"
#include "reference/base/json.h"

namespace cts {
namespace {

constexpr size_t kMaxPageMessage = 2000;
constexpr size_t kMaxPageLog = 4000;  // its end
constexpr size_t kWithoutScript = 20;

// Text that nobody vouches for, as markup.
std::string Text(std::string_view text) { return EscapeMarkup(Printable(text)); }

// Escapes for the fragment of an address: everything but letters, digits and "-._" becomes %XX.
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

// #operator=CONV2D&amp;type=i8
std::string Link(const std::vector<std::pair<std::string_view, std::string>>& filters) {
  std::string text = "#";
  for (const auto& [field, value] : filters) {
    text += StrCat(text.size() == 1 ? "" : "&amp;", field, "=", ForFragment(value));
  }
  return text;
}

std::string SourceDigest(std::string_view text) {
  const std::string hex = Sha256(text);
  unsigned char bytes[32], base64[48];
  for (size_t i = 0; i < sizeof bytes; ++i) {
    bytes[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
  const int length = EVP_EncodeBlock(base64, bytes, sizeof bytes);
  return StrCat("'sha256-", std::string(base64, base64 + length), "'");
}

std::string_view Between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

std::string Share(int part, int whole) {
  if (whole == 0) return "";
  // Never "100 %" for less than all.
  const double percent = std::floor(1000.0 * part / whole) / 10;
  return FormatFigure(percent) + " %";
}

// --- What stands in the page itself.

std::string Fact(std::string_view name, const std::string& markup, bool wide = false) {
  return StrCat("<div", wide ? " class=\"wide\"" : "", "><dt>", name, "</dt><dd>", markup,
                "</dd></div>\n");
}

std::string Header(const Report& report) {
  const RunInfo& run = report.run;
  const Suite& suite = report.suite;
  const bool good = Conformant(report);
  // A shard that passed is neither.
  const char* const style = good ? "good" : AllPassed(report) ? "part" : "bad";
  std::string text =
      StrCat("<header><div>\n<h1>Tensor CTS conformance report</h1>\n<p class=\"verdict ", style,
             "\" role=\"status\"><strong id=\"verdict-words\">",
             good                ? "&#10003; "
             : AllPassed(report) ? ""
                                 : "&#10007; ",
             VerdictWords(report), "</strong> <span>", Text(VerdictReason(report)),
             good ? " on this suite" : "", "</span></p>\n<dl class=\"facts\">\n");
  text += Fact("implementation", StrCat("<b>", Text(run.name), "</b> ", Text(run.version)));
  text += Fact("suite", StrCat("<b>", Text(suite.name), "</b>, ", Text(suite.edition), ", level ",
                               Text(suite.level), ", ", suite.cases.size(), " cases"));
  if (run.shard) {
    text += Fact("shard", StrCat("<b>", run.shard->index, " of ", run.shard->of,
                                 "</b>: ", report.cases.size(), " of the cases"));
  }
  if (!report.filter.empty()) {
    text += Fact("filter", StrCat("<code>", Text(FilterText(report)),
                                  "</code>: ", report.cases.size(), " of the cases"));
  }
  for (const DeclaredBy& each : report.declared) {
    text += Fact("declared by", StrCat("<code>", Text(each.by), "</code>"));
  }
  if (!run.started.empty()) {
    text +=
        Fact("ran", StrCat(Text(run.started),
                           run.seconds > 0 ? StrCat(", ", FormatFigure(run.seconds), " s") : ""));
  }
  if (!run.host.empty()) text += Fact("on", Text(run.host));
  if (run.under_load) {
    text += Fact("under load", "a sample ran three times more, twice as many at a time");
  }
  text += Fact("generator", StrCat(Text(suite.generator), ", seed ", suite.seed));
  text += Fact("command", StrCat("<code>", Text(run.command), "</code>"), true);
  text += Fact("suite digest", StrCat("<code>", Text(suite.digest), "</code>"), true);
  return text + "</dl>\n</div></header>\n";
}

std::string Tiles(const Report& report) {
  const VerdictCounts counts = CountVerdicts(report);
  std::string text =
      "<section aria-labelledby=\"outcome\"><h2 id=\"outcome\">Cases by verdict</h2>\n"
      "<ul class=\"tiles\">\n";
  const auto tile = [&](const std::string& style, const std::string& link, int count,
                        const std::string& words) {
    text += StrCat("<li><a class=\"", style, "\" href=\"", link, "\"><b>", count, "</b>", words,
                   "</a></li>\n");
  };
  tile("", "#q=", Total(counts), "cases");
  for (int i = 0; i < kVerdictCount; ++i) {
    const std::string name(Name(static_cast<Verdict>(i)));
    const bool apart = static_cast<Verdict>(i) == Verdict::kUnsupported;
    tile(i == 0           ? "pass"
         : counts[i] == 0 ? "none"
         : apart          ? "apart"
                          : "some",
         Link({{"verdict", name}}), counts[i], Words(name));
  }
  if (const int owed = CountDeclaredNotAnswered(report); owed > 0) {
    tile("some", Link({{"verdict", "declared"}}), owed, "declared, not answered");
  }
  return text + "</ul></section>\n";
}

std::string ChoicesSection(const Report& report) {
  const std::vector<std::string> lines = ChoiceLines(report);
  if (lines.empty()) return "";
  std::string text =
      "<section aria-labelledby=\"choices\"><h2 id=\"choices\">Choices that explain the "
      "results</h2>\n<ul>\n";
  for (const std::string& line : lines) text += StrCat("<li>", Text(line), "</li>\n");
  return text + "</ul></section>\n";
}

std::string FindingsSection(const Report& report) {
  constexpr size_t kShownCases = 10;
  if (report.findings.empty()) return "";
  std::string text = StrCat(
      "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings over several cases</h2>\n"
      "<p class=\"soft\">Each of them makes the implementation nonconforming, unless its claim "
      "waives it, whatever the cases say one by one.</p>\n<ul class=\"findings\">\n");
  for (const Finding& finding : report.findings) {
    text += StrCat("<li><b>", Text(Words(finding.kind)), finding.waived ? ", waived" : "",
                   "</b>: ", Text(finding.message));
    for (size_t i = 0; i < std::min(kShownCases, finding.cases.size()); ++i) {
      text += StrCat("<br><a class=\"id\" href=\"", Link({{"q", finding.cases[i]}}), "\">",
                     Text(finding.cases[i]), "</a>");
    }
    if (finding.cases.size() > kShownCases) {
      text += StrCat("<br>and ", finding.cases.size() - kShownCases, " more");
    }
    text += "</li>\n";
  }
  return text + "</ul></section>\n";
}

int CountOfAll(const Standings& standings) {
  return std::accumulate(standings.begin(), standings.end(), 0);
}

// The colour says how much of what is offered is right; what is not offered has none.
std::string HeatClass(const Standings& standings) {
  const int passed = Count(standings, Standing::kRight);
  const int offered = CountOfAll(standings) - Count(standings, Standing::kNotSupported);
  if (offered == 0) return "apart";
  if (passed == offered) return "h5";
  if (passed == 0) return "h0";
  const double share = static_cast<double>(passed) / offered;
  return share >= 0.99 ? "h4" : share >= 0.9 ? "h3" : share >= 0.5 ? "h2" : "h1";
}

// "29" where all passed, "3 / 29" where 3 failed, "3 / 20 +9" where 9 more are not supported.
std::string HeatCell(const Standings& standings, const std::string& link,
                     const std::string& label) {
  const int total = CountOfAll(standings);
  if (total == 0) return "<td></td>";
  const int passed = Count(standings, Standing::kRight);
  const int apart = Count(standings, Standing::kNotSupported);
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

// Types in the order of the type list, not of the alphabet: i8 before i16.
size_t OrderOfType(const std::string& name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return static_cast<size_t>(info.dtype);
  }
  return kDTypeCount;
}

std::string HeatMap(const Report& report) {
  std::map<std::string, std::map<std::string, Standings>> cells;
  std::map<std::string, Standings> of_operator, of_type;
  for (const CaseReport& c : report.cases) {
    const std::string type = TypeOf(c);
    const auto standing = static_cast<size_t>(StandingOf(c));
    ++cells[c.op][type][standing];
    ++of_operator[c.op][standing];
    ++of_type[type][standing];
  }
  std::vector<std::string> types;
  types.reserve(of_type.size());
  for (const auto& [type, standings] : of_type) types.push_back(type);
  std::stable_sort(types.begin(), types.end(), [](const std::string& a, const std::string& b) {
    return OrderOfType(a) < OrderOfType(b);
  });
  std::string text =
      "<section aria-labelledby=\"heat\"><h2 id=\"heat\">Operators and types</h2>\n"
      "<p class=\"soft\">Failed / all cases, by the type that goes in; a single number where all "
      "passed. Cases that the implementation does not support stand apart, hatched: they are in "
      "neither number. Choose a cell to see its cases.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Operators and types\">"
      "<table class=\"heat\" id=\"heat-map\"><thead><tr><th scope=\"col\">operator</th>";
  for (const std::string& type : types) text += StrCat("<th scope=\"col\">", Text(type), "</th>");
  text += "<th scope=\"col\">all</th></tr></thead>\n<tbody>\n";
  for (auto& [op, row] : cells) {
    text += StrCat("<tr><th scope=\"row\">", Text(op), "</th>");
    for (const std::string& type : types) {
      text += HeatCell(row[type], Link({{"operator", op}, {"type", type}}),
                       StrCat(Text(op), ", ", Text(type)));
    }
    text += HeatCell(of_operator[op], Link({{"operator", op}}), Text(op)) + "</tr>\n";
  }
  text += "</tbody>\n<tfoot><tr><th scope=\"row\">all</th>";
  for (const std::string& type : types) {
    text += HeatCell(of_type[type], Link({{"type", type}}), Text(type));
  }
  text += HeatCell(CountStandings(report), "#q=", "all") + "</tr></tfoot></table></div>\n";
  return text +
         "<p class=\"legend\"><span class=\"h5\">all passed</span><span class=\"h4\">99 % or "
         "more</span><span class=\"h3\">90 %</span><span class=\"h2\">50 %</span><span "
         "class=\"h1\">less</span><span class=\"h0\">none passed</span><span "
         "class=\"apart\"><i>+9</i> not supported</span></p></section>\n";
}

std::string GroupTable(const Report& report, GroupBy by) {
  const Summary summary = Summarize(report, by);
  const std::string name(Name(by));
  std::string text =
      StrCat("<section aria-labelledby=\"by-", name, "\"><h2 id=\"by-", name, "\">By ", name,
             "</h2>\n<div class=\"scroll\"><table class=\"heat\"><thead><tr>"
             "<th scope=\"col\">",
             name,
             "</th><th scope=\"col\">failed / cases</th><th scope=\"col\">passed of all</th>"
             "</tr></thead><tbody>\n");
  for (const Group& group : summary.groups) {
    text += StrCat("<tr><th scope=\"row\">", Text(Words(group.name)), "</th>",
                   HeatCell(group.standings, Link({{name, group.name}}), Text(group.name)),
                   "<td><span>", Share(Passed(group.counts), group.cases), "</span></td></tr>\n");
  }
  text += "</tbody></table></div>\n";
  if (!summary.partition) {
    text += StrCat("<p class=\"soft\">A case counts for every ", name,
                   " that it belongs to, so that the lines add up to more than all cases.</p>\n");
  }
  return text + "</section>\n";
}

std::string HistogramSection(const Report& report) {
  const std::vector<RuleHistogram> histograms = Histograms(report);
  if (histograms.empty()) return "";
  std::string text =
      "<section aria-labelledby=\"errors\"><h2 id=\"errors\">Errors</h2>\n"
      "<p class=\"soft\">Elements of all outputs that could be read, by how far they are from the "
      "reference: in units in the last place, integers in ones. The height of a bar is the "
      "logarithm of the count.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"Errors\"><table class=\"bars\" id=\"histograms\"><thead><tr><th "
      "scope=\"col\">rule, type</th><th scope=\"col\">elements</th>";
  for (size_t slot = 0; slot <= UlpHistogram::kEnds.size(); ++slot) {
    text += StrCat("<th scope=\"col\">", UlpSlotName(slot), "</th>");
  }
  text += "</tr></thead><tbody>\n";
  for (const RuleHistogram& histogram : histograms) {
    int64_t total = 0;
    for (const int64_t count : histogram.ulps.counts) total += count;
    text += StrCat("<tr><th scope=\"row\">", Words(Name(histogram.rule)), ", ",
                   Name(histogram.dtype), "</th><td class=\"n\">", total, "</td>");
    for (const int64_t count : histogram.ulps.counts) {
      const int height = count == 0
                             ? 0
                             : std::max(2, static_cast<int>(std::lround(
                                               34 * std::log2(1.0 + static_cast<double>(count)) /
                                               std::log2(1.0 + static_cast<double>(total)))));
      text += StrCat(
          "<td><svg viewBox=\"0 0 10 34\" preserveAspectRatio=\"none\" "
          "aria-hidden=\"true\"><rect x=\"0\" y=\"",
          34 - height, "\" width=\"10\" height=\"", height, "\"/></svg>",
          count == 0 ? "&#8239;" : std::to_string(count), "</td>");
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div></section>\n";
}

std::string CasesSection(const Report& report) {
  const auto choice = [](std::string_view name, const std::string& more) {
    return StrCat("<label for=\"", name, "\">", name, "<select id=\"", name,
                  "\"><option value=\"\">any</option>", more, "</select></label>\n");
  };
  const std::string pager =
      "<div class=\"pager script\"><button type=\"button\" class=\"previous\">&#8249; "
      "previous</button> <span class=\"page\"></span> <button type=\"button\" "
      "class=\"next\">next &#8250;</button></div>\n";
  std::string text = StrCat(
      "<section id=\"cases\" aria-labelledby=\"cases-title\"><h2 id=\"cases-title\" "
      "tabindex=\"-1\">Cases</h2>\n<form id=\"filter\" class=\"script\"><div class=\"controls\">\n"
      "<label class=\"grow\" for=\"q\">search<input type=\"search\" id=\"q\" autocomplete=\"off\" "
      "placeholder=\"words of an id, a message, a rule ...\"></label>\n",
      choice("verdict",
             "<option value=\"failed\">failed: all but pass and unsupported</option>"
             "<option value=\"not-passed\">not passed</option>"
             "<option value=\"declared\">declared, not answered</option>"),
      choice("operator", ""), choice("type", ""), choice("profile", ""), choice("rule", ""),
      "<button type=\"button\" id=\"reset\">show all</button>\n</div></form>\n",
      "<p id=\"count\" class=\"script\" role=\"status\"></p>\n", pager,
      "<table id=\"list\" class=\"script\"><colgroup><col class=\"c1\"><col><col class=\"c3\"><col "
      "class=\"c4\"><col class=\"c5\"></colgroup><thead><tr><th scope=\"col\">verdict</th><th "
      "scope=\"col\">case</th><th scope=\"col\">operator</th><th scope=\"col\">type</th><th "
      "scope=\"col\">rule</th></tr></thead><tbody id=\"rows\"></tbody></table>\n",
      pager);
  const std::vector<const CaseReport*> failures = Failures(report);
  text += "<noscript><p>The list of all cases needs JavaScript. ";
  text += failures.empty() ? std::string("Every case passed.") : "What failed first:";
  text += "</p><ul>\n";
  for (size_t i = 0; i < std::min(kWithoutScript, failures.size()); ++i) {
    text +=
        StrCat("<li><code>", Text(failures[i]->id), "</code>: ", Words(Name(failures[i]->verdict)),
               ": ", Text(Shortened(failures[i]->message, kMaxPageMessage)), "</li>\n");
  }
  return text + "</ul></noscript>\n</section>\n";
}

std::string NotesSection(const Report& report) {
  std::vector<std::string> notes = report.notes;
  if (IsPositiveControl(report)) notes.push_back(PositiveControlNote(report));
  if (notes.empty()) return "";
  std::string text = "<section aria-labelledby=\"notes\"><h2 id=\"notes\">Notes</h2>\n<ul>\n";
  for (const std::string& note : notes) text += StrCat("<li>", Text(note), "</li>\n");
  return text + "</ul></section>\n";
}

std::string Static(const Report& report) {
  return StrCat(Header(report), "<main>\n", FindingsSection(report), ChoicesSection(report),
                Tiles(report), NotesSection(report), HeatMap(report), "<div class=\"columns\">",
                GroupTable(report, GroupBy::kProfile), GroupTable(report, GroupBy::kRule),
                "</div>\n", CasesSection(report), HistogramSection(report),
                "</main>\n<footer>Written by tensor-cts check. This page is complete in itself: it "
                "loads nothing and sends nothing.</footer>\n");
}

// --- What its script lists.

// Values by their place in a table.
class Table {
 public:
  size_t operator()(const Json& value) {
    const auto [found, is_new] = places_.emplace(value.dump(), places_.size());
    if (is_new) rows_.push_back(value);
    return found->second;
  }
  Json rows() const { return rows_; }

 private:
  std::map<std::string, size_t> places_;
  Json rows_ = Json::array();
};

std::string Joined(const std::map<std::string, std::string>& texts) {
  std::string joined;
  for (const auto& [name, text] : texts) {
    joined += StrCat(joined.empty() ? "" : ", ", Printable(name), "=", Printable(text));
  }
  return joined;
}

std::string Off(const OutputReport& output) {
  return FormatDistance(output.worst_ulp, output.worst_of_bound, output.dtype);
}

Json PageFigures(const DotProductFigures& figures, const Rule& rule) {
  const auto limited = [](double value, const std::optional<double>& limit, bool met) {
    if (!limit) return StrCat(FormatFigure(value), ", no limit");
    return StrCat(FormatFigure(value), " of ", FormatFigure(*limit), ": ",
                  met ? "met" : "EXCEEDED");
  };
  // Pairs in order: an initializer list of them would become an object.
  Json rows = Json::array();
  const auto row = [&](const char* name, std::string text) {
    rows.push_back(Json::array({name, std::move(text)}));
  };
  row("worst error", limited(figures.worst_error, rule.absolute_limit,
                             figures.worst_error <= rule.absolute_limit));
  row("bias", limited(figures.error_sum, rule.bias_limit, figures.BiasAccepted(rule)));
  row("variance",
      limited(figures.squared_error_sum, rule.variance_limit, figures.VarianceAccepted(rule)));
  return rows;
}

Json Detail(const OutputReport& output) {
  Json json = {{"name", Printable(output.name)},          {"dtype", Name(output.dtype)},
               {"verdict", Name(output.verdict)},         {"rule", Name(output.rule.kind)},
               {"clause", Printable(output.rule.clause)}, {"elements", output.elements}};
  if (!output.message.empty()) json["message"] = Shortened(output.message, kMaxPageMessage);
  if (!HasFigures(output)) return json;
  json["mismatches"] = output.mismatches;
  json["worst"] = Off(output);
  json["ulps"] = output.ulps.counts;
  json["unit"] = IsFloat(output.dtype) ? "errors in ulp" : "errors";
  if (output.first >= 0) {
    json["first"] = Json::array({output.first_index, output.first_expected, output.first_got});
  }
  if (output.figures) json["figures"] = PageFigures(*output.figures, output.rule);
  return json;
}

Json Detail(const CaseReport& c) {
  Json json = {{"message", Shortened(c.message, kMaxPageMessage)},
               {"expected", c.outcome == Outcome::kError
                                ? StrCat("error, because of the condition ", Printable(c.condition),
                                         c.meaning.empty() ? "" : ": ", c.meaning)
                                : std::string("a result")},
               {"parameters", Joined(c.parameters)},
               {"data_set", Printable(c.data_set)},
               {"seconds", FormatFigure(c.seconds)}};
  if (c.declared) json["declared"] = *c.declared ? "yes" : StrCat("no: ", Printable(c.beyond));
  if (c.exit_code) json["exit_code"] = *c.exit_code;
  if (c.signal) json["signal"] = *c.signal;
  if (!c.log.empty()) json["log"] = LastPart(c.log, kMaxPageLog);
  if (!c.outputs.empty()) {
    json["outputs"] = Json::array();
    for (const OutputReport& output : c.outputs) json["outputs"].push_back(Detail(output));
  }
  return json;
}

std::string Note(const CaseReport& c) {
  if (c.verdict != Verdict::kPass) return "";
  if (c.outcome == Outcome::kError) return "refused, as it must be";
  if (c.unchecked) return "only type and shape of some output were checked";
  const OutputReport* worst = nullptr;
  for (const OutputReport& output : c.outputs) {
    if (worst == nullptr || output.worst_ulp > worst->worst_ulp) worst = &output;
  }
  return worst == nullptr || worst->worst_ulp == 0 ? "" : "at most off by " + Off(*worst);
}

Json Data(const Report& report) {
  Table operators, types, modes, profiles, profile_sets, rules, rule_sets;
  const auto set = [](const CaseReport& c, GroupBy by, Table& names, Table& sets) {
    Json places = Json::array();
    for (const std::string& name : GroupsOf(c, by)) places.push_back(names(Printable(name)));
    return sets(places);
  };
  Json cases = Json::array(), details = Json::object(), verdicts = Json::array();
  Json owed = Json::array();
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const CaseReport& c = report.cases[i];
    cases.push_back(Json::array(
        {Printable(c.id), operators(Printable(c.op)), types(Printable(TypeOf(c))),
         modes(Printable(c.mode)), set(c, GroupBy::kProfile, profiles, profile_sets),
         set(c, GroupBy::kRule, rules, rule_sets), static_cast<int>(c.verdict), Note(c)}));
    if (c.verdict == Verdict::kUnsupported && StandingOf(c) == Standing::kWrong) owed.push_back(i);
    if (c.verdict != Verdict::kPass) details[std::to_string(i)] = Detail(c);
  }
  for (int i = 0; i < kVerdictCount; ++i) verdicts.push_back(Name(static_cast<Verdict>(i)));
  Json urgency = Json::array();
  for (const Verdict verdict : kByUrgency) urgency.push_back(Name(verdict));
  urgency.push_back(Name(Verdict::kPass));
  Json slots = Json::array();
  for (size_t slot = 0; slot <= UlpHistogram::kEnds.size(); ++slot) {
    slots.push_back(UlpSlotName(slot));
  }
  // A command, what stands before the case's id and what behind it.
  const std::string id(1, '\x01');
  const auto around_id = [&id](const std::string& command) {
    const size_t at = command.find(ShellQuoted(id));
    return Json{Printable(command.substr(0, at)),
                Printable(command.substr(at + ShellQuoted(id).size()))};
  };
  return {{"verdicts", std::move(verdicts)},
          {"urgency", std::move(urgency)},
          {"operators", operators.rows()},
          {"types", types.rows()},
          {"modes", modes.rows()},
          {"profiles", profiles.rows()},
          {"profile_sets", profile_sets.rows()},
          {"rules", rules.rows()},
          {"rule_sets", rule_sets.rows()},
          {"slots", std::move(slots)},
          {"explain", around_id(ExplainCommand(report, id))},
          {"rerun", around_id(RerunCommand(report.suite_path, report.run, id))},
          {"cases", std::move(cases)},
          {"owed", std::move(owed)},
          {"details", std::move(details)}};
}

// JSON that can stand in a script element: no "</script>", no "<!--", no line separator.
std::string ForScript(const Json& json) {
  std::string result;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else if (c == '>') {
      result += "\\u003e";
    } else if (c == '&') {
      result += "\\u0026";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string FormatHtml(const Report& report) {
  const std::string_view page = EmbeddedCheckerTexts().at(0).text;
  const std::string policy =
      StrCat("default-src 'none'; style-src ", SourceDigest(Between(page, "<style>", "</style>")),
             "; script-src ", SourceDigest(Between(page, "<script>", "</script>")),
             "; base-uri 'none'; form-action 'none'");
  const std::vector<std::pair<std::string_view, std::string>> parts = {
      {"@CSP@", policy},
      {"@TITLE@",
       StrCat(VerdictWords(report), ": ", Text(report.run.name), " on ", Text(report.suite.name))},
      {"@STATIC@", Static(report)},
      {"@DATA@", ForScript(Data(report))}};
  return FillIn(page, parts);
}

}  // namespace cts
