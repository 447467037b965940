//! Policies in Rego, and what becomes of each end of an evaluation.

use entracte_application::ports::{PolicyReply, PolicyVerdict};
use entracte_application::settings::PolicyHookSettings;
use entracte_domain::time::Millis;
use entracte_domain::validation::Approver;
use tempfile::TempDir;

use super::tests::decide;
use super::{ConfiguredPolicyHook, PolicyHookSource};

/// A policy for mails: to Eve never, what leaves the workspace with two of finance, and everything else is allowed.
const MAILS: &str = r#"
package entracte

import rego.v1

default answer := {"decision": "allow"}

answer := {"decision": "deny", "reason": sprintf("%s is barred", [input.arguments.to]), "version": data.version} if {
    input.arguments.to in data.barred
} else := {"decision": "ask", "approvers": ["role:finance"], "quorum": 2} if {
    input.egress
}
"#;

/// The hook over these files of a folder, and the folder.
fn hook(files: &[(&str, &str)], settings: PolicyHookSettings) -> (ConfiguredPolicyHook, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let source =
        PolicyHookSource::Rego { place: folder.path().to_owned(), query: "data.entracte.answer".into() };
    (ConfiguredPolicyHook::new(source, settings), folder)
}

async fn answered(rule: &str) -> Result<PolicyReply, String> {
    let text = format!("package entracte\n\nimport rego.v1\n\n{rule}\n");
    let (hook, _folder) = hook(&[("policy.rego", &text)], PolicyHookSettings::default());
    decide(&hook).await.map_err(|error| error.to_string())
}

/// Input: a folder with rules, tests of them and data; expected: the answer of the rule, from the data as it is at each question.
#[tokio::test]
async fn rego_policy_answers_from_its_rules_and_data() {
    let broken_test = ("policy_test.rego", "no rego");
    let data = ("data.json", r#"{"barred": ["eve"], "version": "7"}"#);
    let (hook, folder) = hook(&[("policy.rego", MAILS), broken_test, data], PolicyHookSettings::default());
    let refused = PolicyReply {
        reason: Some("eve is barred".into()),
        version: Some("7".into()),
        ..PolicyReply::new(PolicyVerdict::Deny)
    };
    assert_eq!(decide(&hook).await, Ok(refused));
    std::fs::write(folder.path().join("data.json"), r#"{"barred": []}"#).unwrap();
    let asks = PolicyReply {
        approvers: vec![Approver::Role("finance".into())],
        quorum: 2,
        ..PolicyReply::new(PolicyVerdict::Ask)
    };
    assert_eq!(decide(&hook).await, Ok(asks));
}

/// Input: rules without a usable value; expected: no answer, with the reason.
#[tokio::test]
async fn unusable_rego_is_no_answer() {
    let cases = [
        ("answer := {\"decision\": \"allow\"} if input.command == \"other\"", "has no value"),
        ("reply := {\"decision\": \"allow\"}", "not a valid rule path"),
        ("answer := true", "cannot be read"),
        ("answer := \"allow\"", "cannot be read"),
        ("answer := {\"decision\": \"permit\"}", "allow, ask, deny"),
        ("answer := {\"decision\": \"allow\", \"quorum\": \"2\"}", "cannot be read"),
        ("answer := {\"decision\": \"allow\", \"left\": 1 / count({x | x := 1; x > 1})}", "divide by zero"),
        ("answer := ", "policy.rego"),
    ];
    for (rule, expected) in cases {
        let said = answered(rule).await.unwrap_err();
        assert!(said.contains(expected), "{rule}: {said}");
    }
}

/// Input: a rule that would count for minutes; expected: it ends at the time limit of an answer, and other tasks run meanwhile.
#[tokio::test]
async fn long_rego_ends_at_the_time_limit() {
    let text = "package entracte\n\nimport rego.v1\n\nanswer := {\"decision\": \"allow\"} if {\n    some i in \
                numbers.range(1, 100000)\n    some j in numbers.range(1, 100000)\n    i + j < 0\n}\n";
    let settings = PolicyHookSettings { timeout: Millis(50), ..PolicyHookSettings::default() };
    let (hook, _folder) = hook(&[("policy.rego", text)], settings);
    let other = tokio::spawn(async { "ran" });
    let said = decide(&hook).await.unwrap_err().to_string();
    assert!(said.contains("time limit"), "{said}");
    assert_eq!(other.await.unwrap(), "ran");
}

#[tokio::test]
async fn files_of_a_rego_policy_are_bounded() {
    let small = PolicyHookSettings { rego_bytes: 100, ..PolicyHookSettings::default() };
    let (large, _folder) = hook(&[("policy.rego", MAILS)], small);
    assert!(decide(&large).await.unwrap_err().to_string().contains("policy.rego_bytes"));
    let (empty, folder) = hook(&[], PolicyHookSettings::default());
    assert!(decide(&empty).await.unwrap_err().to_string().contains("no file with rules"));
    drop(folder);
    assert!(decide(&empty).await.unwrap_err().to_string().contains("policy.rego"));
}
