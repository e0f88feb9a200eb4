#include "tools/program/certify/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "checker/evidence/claim_testing.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/suite_on_disk.h"
#include "generator/recipe/recipe.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "tools/program/certify/certificate.h"
#include "tools/program/certify/certify.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_suite::Directory;

// Keys of RFC 8032, section 7.1, tests 2 and 1.
constexpr char kSigner[] = "MC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7";
constexpr char kSignerPublic[] = "MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";
constexpr char kIssuer[] = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g";
constexpr char kIssuerPublic[] = "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

std::string Pem(const std::string& kind, const std::string& base64) {
  return StrCat("-----BEGIN ", kind, "-----\n", base64, "\n-----END ", kind, "-----\n");
}

// A few cases, for the tests alone.
StatusOr<Recipe> FewCases(const std::string& edition) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe("smoke"));
  recipe.name = "tiny";
  recipe.edition = edition;
  recipe.operators = {"CLZ"};
  return recipe;
}

// A product that passes, since it hands out the suite's answers: what blind suites are for.
constexpr char kCopies[] =
    "f() { if [ -d \"$1/expected\" ]; then cp \"$1\"/expected/*.npy \"$2\"; echo "
    "'{\"status\": \"ok\"}'; else echo '{\"status\": \"error\", \"message\": \"illegal\"}'; fi; "
    "}; f";

void Put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  ASSERT_TRUE(WriteFile(path, text).ok());
}

// A registry with the product A-1, registered for the year 2026; "today" is in its middle.
class Registry : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Directory;
    Put(*shared_ / "signer.pem", Pem("PRIVATE KEY", kSigner));
    Put(*shared_ / "issuer.pem", Pem("PRIVATE KEY", kIssuer));
    Put(*shared_ / "issuer.pub", Pem("PUBLIC KEY", kIssuerPublic));
    Put(*shared_ / "claim.json", FormatJson(ClaimOf({"PRO-INT"})));
    MakeEvidence("evidence", kCopies);
  }
  static void TearDownTestSuite() { delete shared_; }

  static void MakeEvidence(const std::string& name, const std::string& adapter) {
    CertifyOptions options;
    options.claim = *shared_ / "claim.json";
    options.key = *shared_ / "signer.pem";
    options.out = *shared_ / name;
    if (adapter.empty()) {
      options.run.builtin = "native";
    } else {
      options.run.adapter = adapter;
    }
    options.recipe = FewCases;
    const auto certified = Certify(options);
    ASSERT_TRUE(certified.ok()) << certified.status();
  }

  Registry() {
    Put(root_ / "registry.json", FormatJson({{"format", "tensor-cts-registry-1"},
                                             {"issuer", "Example Lab"},
                                             {"editions", {"tosa-1.0"}}}));
    Put(root_ / "keys/acme.pem", Pem("PUBLIC KEY", kSignerPublic));
    Add("A-1");
  }

  // A product with copies of the evidence; `change` its registration.
  void Add(
      const std::string& number, const std::function<void(Json&)>& change = [](Json&) {},
      const std::string& evidence = "evidence") {
    const fs::path place = root_ / "products" / number;
    fs::create_directories(place);
    fs::copy(*shared_ / evidence, place / "evidence", fs::copy_options::recursive);
    Json product = ClaimOf({"PRO-INT"});
    product.erase("format");
    fs::path statement = place / "evidence" / kCertificateFile;
    if (!fs::exists(statement)) statement = place / "evidence" / kFailureFile;
    Json registration = {{"format", "tensor-cts-registration-1"},
                         {"number", number},
                         {"issued", "2026-01-01"},
                         {"valid_until", "2026-12-31"},
                         {"signer", "acme"},
                         {"statement", Sha256(*ReadFile(statement))},
                         {"product", product}};
    change(registration);
    Put(place / "registration.json", FormatJson(registration));
  }
  void Change(const std::function<void(Json&)>& change, const std::string& number = "A-1") {
    const fs::path file = root_ / "products" / number / "registration.json";
    Json registration = *LoadJson(file, "");
    change(registration);
    Put(file, FormatJson(registration));
  }

  RegistryOptions Options() const {
    RegistryOptions options;
    options.folder = root_;
    options.today = "2026-07-01";
    options.verify.recipe = FewCases;
    options.verify.jobs = 1;
    return options;
  }
  // "kind: message" of each refusal.
  static std::vector<std::string> RefusalsOf(const RegistryOptions& options) {
    const auto report = CheckRegistry(options);
    if (!report.ok()) return {StrCat("error: ", Message(report.status()))};
    std::vector<std::string> refusals;
    for (const Refusal& refusal : report->refusals) {
      refusals.push_back(StrCat(refusal.kind, ": ", refusal.message));
    }
    return refusals;
  }
  std::vector<std::string> Refusals() const { return RefusalsOf(Options()); }

  // The registry as it is now, for Submitted to compare with.
  fs::path KeepAsBefore() const {
    fs::copy(root_, directory_ / "before", fs::copy_options::recursive);
    return directory_ / "before";
  }
  std::vector<std::string> Submitted() const {
    RegistryOptions options = Options();
    options.since = directory_ / "before";
    return RefusalsOf(options);
  }

  ProductState State(const std::string& today) const {
    RegistryOptions options = Options();
    options.today = today;
    return CheckRegistry(options)->products.at(0).state;
  }

  Status List(const std::string& today, const std::string& key = "issuer.pem") const {
    RegistryOptions options = Options();
    options.today = today;
    CTS_ASSIGN_OR_RETURN(const RegistryReport report, CheckRegistry(options));
    return WriteStatusList(report, {.key = *shared_ / key,
                                    .out = directory_ / "out",
                                    .today = today,
                                    .next_update = "2026-08-01"});
  }
  // The product's evidence held against the list.
  Verification Held(const std::string& today) const {
    VerifyOptions options = Options().verify;
    options.evidence = root_ / "products/A-1/evidence";
    options.key = root_ / "keys/acme.pem";
    Verification verification = *VerifyEvidence(options);
    const Status status = ObeyStatusList(directory_ / "out/status.json", *shared_ / "issuer.pub",
                                         today, &verification);
    EXPECT_TRUE(status.ok()) << status;
    return verification;
  }

  static Directory* shared_;
  Directory directory_;
  const fs::path root_ = directory_ / "registry";
};
Directory* Registry::shared_ = nullptr;

TEST_F(Registry, TakesAProductUntilItExpiresOrIsRevoked) {
  EXPECT_THAT(Refusals(), IsEmpty());
  EXPECT_EQ(State("2026-12-31"), ProductState::kValid);
  EXPECT_EQ(State("2027-01-01"), ProductState::kExpired);
  Change([](Json& json) { json["revoked"] = {{"date", "2026-06-30"}, {"reason", "recalled"}}; });
  EXPECT_THAT(Refusals(), IsEmpty());
  EXPECT_EQ(State("2026-06-29"), ProductState::kValid);
  EXPECT_EQ(State("2026-06-30"), ProductState::kRevoked);
  EXPECT_EQ(State("2027-01-01"), ProductState::kRevoked);
  EXPECT_EQ(FormatRegistryReport(*CheckRegistry(Options())),
            "1 product is registered: 0 valid, 0 expired, 1 revoked; 0 refusals\n");
}

TEST_F(Registry, NamesWhatIsWrongWithARegistration) {
  const auto refused = [this](const std::function<void(Json&)>& change) {
    const Json before = *LoadJson(root_ / "products/A-1/registration.json", "");
    Change(change);
    const std::vector<std::string> refusals = Refusals();
    Change([&](Json& json) { json = before; });
    return refusals;
  };
  EXPECT_THAT(refused([](Json& json) { json.erase("signer"); }),
              ElementsAre(AllOf(HasSubstr("malformed: /: "), Not(HasSubstr("registration.json")))));
  EXPECT_THAT(refused([](Json& json) { json["number"] = "B-2"; }),
              ElementsAre("number_differs: found the number B-2, expected A-1 as the folder says"));
  EXPECT_THAT(refused([](Json& json) { json["issued"] = "2026-02-29"; }),
              ElementsAre("dates: found the date 2026-02-29, expected a day"));
  EXPECT_THAT(refused([](Json& json) { json["valid_until"] = "2025-12-31"; }),
              ElementsAre(HasSubstr("dates: is valid from 2026-01-01 until 2025-12-31")));
  EXPECT_THAT(refused([](Json& json) { json["issued"] = "2026-07-02"; }),
              ElementsAre(HasSubstr("not_yet_issued: ")));
  EXPECT_THAT(refused([](Json& json) { json["signer"] = "nobody"; }),
              ElementsAre(HasSubstr("key_unknown: found the signer nobody, expected ")));
  EXPECT_THAT(refused([](Json& json) { json["product"]["edition"] = "tosa-0.100"; }),
              ElementsAre(HasSubstr("malformed: ")));  // it has no profile PRO-INT
  EXPECT_THAT(refused([](Json& json) { json["product"]["version"] = "1.3"; }),
              ElementsAre("claim_differs: /product/version: found \"1.3\", expected \"1.2\""));
  EXPECT_THAT(refused([](Json& json) { json["product"]["extensions"] = {"EXT-INT4"}; }),
              ElementsAre(AllOf(HasSubstr("claim_differs: /product/extensions"))));
  EXPECT_THAT(refused([](Json& json) { json["statement"] = std::string(64, '0'); }),
              ElementsAre(HasSubstr("statement_differs: /statement: found 00")));
  EXPECT_THAT(Refusals(), IsEmpty());
}

TEST_F(Registry, NamesWhatIsWrongWithTheEvidence) {
  const fs::path place = root_ / "products/A-1";
  fs::rename(place / "evidence", directory_ / "aside");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("evidence_missing: found no evidence")));
  fs::rename(directory_ / "aside", place / "evidence");
  Put(place / "evidence.tar.zst", "");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("two_products: found two evidences")));
  fs::remove(place / "evidence.tar.zst");
  Put(place / "notes.txt", "");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("stray_file: expected registration.json")));
  fs::remove(place / "notes.txt");
  Put(place / "evidence/report.txt", "all is well");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("does_not_hold: report.txt")));
  Put(root_ / "keys/acme.pem", Pem("PUBLIC KEY", kIssuerPublic));
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("does_not_hold: certificate.intoto.json")));
  Put(root_ / "keys/acme.pem", "no key");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("not_verifiable: ")));
}

TEST_F(Registry, TakesNoFailureAndNoPositiveControl) {
  MakeEvidence("control", "");
  MakeEvidence("wrong", "f() { echo '{\"status\": \"error\", \"message\": \"no\"}'; }; f");
  MakeEvidence("silent",
               "f() { case $1 in *error-*) echo '{\"status\": \"error\"}';; *) echo "
               "'{\"status\": \"unsupported\", \"message\": \"no\"}';; esac; }; f");
  Add(
      "B-1", [](Json&) {}, "control");
  Add(
      "B-2", [](Json&) {}, "wrong");
  Add(
      "B-3", [](Json&) {}, "silent");
  EXPECT_THAT(Refusals(),
              ElementsAre(HasSubstr("positive_control: "), HasSubstr("not_conformant: "),
                          HasSubstr("not_conformant: ")));
}

TEST_F(Registry, TakesEveryNumberOnce) {
  Add("a-1", [](Json& json) { json["number"] = "A-1"; });
  EXPECT_THAT(Refusals(),
              ElementsAre(HasSubstr("number_twice: found the number a-1 beside A-1"),
                          HasSubstr("number_twice: found the number A-1, which another product")));
}

TEST_F(Registry, TakesOneNewProductInASubmission) {
  KeepAsBefore();
  EXPECT_THAT(Submitted(), IsEmpty());
  Change([](Json& json) { json["revoked"] = {{"date", "2026-06-30"}, {"reason", "recalled"}}; });
  EXPECT_THAT(Submitted(), IsEmpty());
  Change([](Json& json) { json["valid_until"] = "2030-12-31"; });
  EXPECT_THAT(Submitted(), ElementsAre(HasSubstr("changed: differs from the one in ")));
  fs::rename(root_ / "products/A-1", root_ / "products/B-1");
  Change([](Json& json) { json["number"] = "B-1", json.erase("revoked"); }, "B-1");
  EXPECT_THAT(Submitted(), ElementsAre(HasSubstr("removed: was registered in ")));
  Add("A-1", [](Json& json) { json["signer"] = "acme"; });
  Add("B-2", [](Json& json) { json["valid_until"] = "2026-06-30"; });
  EXPECT_THAT(Submitted(),
              ElementsAre(HasSubstr("two_products: found the new products B-1 and B-2"),
                          HasSubstr("registered_twice: "),
                          HasSubstr("expired: a new product was valid until")));
}

TEST_F(Registry, TakesNoNewProductThatIsRevoked) {
  KeepAsBefore();
  fs::remove_all(directory_ / "before/products/A-1");
  EXPECT_THAT(Submitted(), IsEmpty());
  Change([](Json& json) { json["revoked"] = {{"date", "2026-06-30"}, {"reason", "recalled"}}; });
  EXPECT_THAT(Submitted(), ElementsAre("revoked: a new product is revoked already"));
}

TEST_F(Registry, TakesItsEditionsAlone) {
  Json registry = *LoadJson(root_ / "registry.json", "");
  registry["editions"] = {"tosa-0.100"};
  Put(root_ / "registry.json", FormatJson(registry));
  EXPECT_THAT(Refusals(),
              ElementsAre("edition_unsupported: found the edition tosa-1.0, expected one of "
                          "registry.json"));
}

TEST_F(Registry, ASubmissionBringsNoKeyAndNoIssuer) {
  const fs::path before = KeepAsBefore();
  Put(root_ / "keys/evil.pem", Pem("PUBLIC KEY", kIssuerPublic));
  EXPECT_THAT(Submitted(), ElementsAre(HasSubstr("changed: is new: expected the file of ")));
  fs::remove(root_ / "keys/evil.pem");
  Put(before / "keys/other.pem", Pem("PUBLIC KEY", kIssuerPublic));
  EXPECT_THAT(Submitted(), ElementsAre(HasSubstr("removed: is in ")));
  fs::remove(before / "keys/other.pem");
  Json registry = *LoadJson(root_ / "registry.json", "");
  registry["editions"].push_back("tosa-0.100");
  Put(root_ / "registry.json", FormatJson(registry));
  EXPECT_THAT(Submitted(), ElementsAre(HasSubstr("changed: differs: expected the file of ")));
}

TEST_F(Registry, AnotherSpellingOfACertificateIsTheSame) {
  Add("B-1");
  const fs::path certificate = root_ / "products/B-1/evidence" / kCertificateFile;
  Put(certificate, *ReadFile(certificate) + "\n");
  Change([&](Json& json) { json["statement"] = Sha256(*ReadFile(certificate)); }, "B-1");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("registered_twice: found the certificate of A-1")));
}

TEST_F(Registry, TakesNoLinks) {
  const fs::path place = root_ / "products/A-1";
  for (const char* const name : {"evidence", "registration.json"}) {
    fs::rename(place / name, directory_ / name);
    fs::create_symlink(directory_ / name, place / name);
    EXPECT_THAT(Refusals(), Contains(HasSubstr("stray_file: found a link"))) << name;
    fs::remove(place / name);
    fs::rename(directory_ / name, place / name);
  }
  fs::rename(root_ / "keys/acme.pem", directory_ / "acme.pem");
  fs::create_symlink(directory_ / "acme.pem", root_ / "keys/acme.pem");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("key_unknown: ")));
  fs::rename(root_ / "keys", directory_ / "keys");
  fs::create_directory_symlink(directory_ / "keys", root_ / "keys");
  EXPECT_THAT(Refusals(), ElementsAre(HasSubstr("stray_file: found a link")));
}

TEST_F(Registry, ListTellsOfARevocationToCome) {
  Change([](Json& json) { json["revoked"] = {{"date", "2026-07-10"}, {"reason", "recalled"}}; });
  ASSERT_TRUE(List("2026-07-01").ok());
  EXPECT_THAT(Held("2026-07-09").faults, IsEmpty());
  EXPECT_THAT(Held("2026-07-10").faults,
              ElementsAre(HasSubstr("A-1 was revoked on 2026-07-10: recalled")));
  EXPECT_THAT(*ReadFile(directory_ / "out/index.html"),
              HasSubstr("valid, revoked from 2026-07-10"));
}

TEST_F(Registry, ListsWhatVerifyObeys) {
  ASSERT_TRUE(List("2026-07-01").ok());
  const Verification valid = Held("2026-07-01");
  EXPECT_THAT(valid.faults, IsEmpty());
  ASSERT_TRUE(valid.registered.has_value());
  EXPECT_EQ(valid.registered->number, "A-1");
  EXPECT_EQ(valid.registered->issuer, "Example Lab");
  EXPECT_EQ(valid.registered->sequence, 1);
  VerifyOptions options;
  EXPECT_THAT(FormatVerification(options, valid),
              HasSubstr("number    A-1 of Example Lab, issued 2026-01-01, valid until 2026-12-31"));
  EXPECT_TRUE(ValidateJson(VerificationToJson(options, valid), "verification", "").ok());
  EXPECT_THAT(*CertificatePage(options, valid), HasSubstr("Example Lab"));
  const std::string page = *ReadFile(directory_ / "out/index.html");
  EXPECT_THAT(page, AllOf(HasSubstr("A-1"), HasSubstr("Acme NPU 1.2"), HasSubstr("valid")));

  EXPECT_THAT(Held("2026-08-02").faults, ElementsAre(HasSubstr("was valid until 2026-08-01")));
  Change([](Json& json) { json["revoked"] = {{"date", "2026-07-02"}, {"reason", "recalled"}}; });
  ASSERT_TRUE(List("2026-07-02").ok());
  const Verification revoked = Held("2026-07-02");
  EXPECT_THAT(revoked.faults, ElementsAre(HasSubstr("A-1 was revoked on 2026-07-02: recalled")));
  EXPECT_EQ(revoked.registered->sequence, 2);
  EXPECT_FALSE(revoked.Passed());
  EXPECT_THAT(*ReadFile(directory_ / "out/index.html"),
              HasSubstr("revoked on 2026-07-02: recalled"));
}

TEST_F(Registry, ListOfAnotherIssuerIsNeitherObeyedNorContinued) {
  ASSERT_TRUE(List("2026-07-01").ok());
  EXPECT_THAT(Message(List("2026-07-02", "signer.pem")),
              HasSubstr("the list that is there cannot be continued"));
  Verification verification;
  const Status status = ObeyStatusList(directory_ / "out/status.json", root_ / "keys/acme.pem",
                                       "2026-07-01", &verification);
  EXPECT_THAT(Message(status), HasSubstr("status.json"));
}

TEST_F(Registry, CertificateThatIsNotListedDoesNotHold) {
  ASSERT_TRUE(List("2026-07-01").ok());
  // The same statement with another spelling of the envelope is another file.
  const fs::path certificate = root_ / "products/A-1/evidence" / kCertificateFile;
  Put(certificate, *ReadFile(certificate) + "\n");
  EXPECT_THAT(Held("2026-07-01").faults,
              ElementsAre(HasSubstr("has no product with the statement")));
}

TEST(Registries, AreFoldersWithARegistry) {
  RegistryOptions options;
  options.folder = "/no/such";
  EXPECT_THAT(Message(CheckRegistry(options).status()), HasSubstr("/no/such/registry.json"));
}

}  // namespace
}  // namespace cts
