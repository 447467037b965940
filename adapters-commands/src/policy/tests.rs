//! What a hook is sent, and what becomes of each answer.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use entracte_application::ports::{
    MockSecretStore, PolicyHook, PolicyHookError, PolicyReply, PolicyVerdict, SecretReference,
};
use entracte_application::samples;
use entracte_application::settings::PolicyHookSettings;
use entracte_application::texts::{Language, LocalizedTexts};
use entracte_domain::validation::Approver;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{ConfiguredPolicyHook, PolicyHookSource};
use crate::egress::fake_peer::{FakeHttpPeer, PeerAction, answer, crypto, json as json_answer};
use crate::egress::tests::world;
use crate::egress::{EgressClient, EgressSettings};

/// The address of this machine.
const HOST: &str = "127.0.0.1";

/// A hook at an address, with a token, and with answers of at most 200 bytes.
fn http_hook(url: String, allowed: &[&str]) -> ConfiguredPolicyHook {
    let settings = PolicyHookSettings { answer_bytes: 200, ..PolicyHookSettings::default() };
    let egress = EgressSettings {
        allowed: allowed.iter().map(|host| host.parse().unwrap()).collect(),
        size_max_bytes: settings.answer_bytes,
        ..EgressSettings::default()
    };
    let mut secrets = MockSecretStore::new();
    secrets.expect_secret().returning(|_| Ok(SecretString::from("policy-token-canary")));
    let source = PolicyHookSource::Http {
        url,
        token: Some(SecretReference::Environment("POLICY_TOKEN".into())),
        egress: Arc::new(EgressClient::with_resolver(egress, world(), crypto())),
        secrets: Arc::new(secrets),
    };
    ConfiguredPolicyHook::new(source, settings)
}

pub(super) async fn decide(hook: &ConfiguredPolicyHook) -> Result<PolicyReply, PolicyHookError> {
    hook.decide(&samples::policy_question(), LocalizedTexts::for_language(Language::En)).await
}

/// What a hook at an address makes of this answer.
async fn answered(action: PeerAction) -> Result<PolicyReply, String> {
    let peer = FakeHttpPeer::new(vec![action]).await;
    decide(&http_hook(peer.url(HOST, "/policy"), &[HOST])).await.map_err(|error| error.to_string())
}

fn reply(verdict: PolicyVerdict) -> PolicyReply {
    PolicyReply::new(verdict)
}

#[tokio::test]
async fn address_gets_the_question_and_the_token() {
    let peer = FakeHttpPeer::new(vec![json_answer(
        200,
        r#"{"decision":"ask","reason":"too far","version":"7","approvers":["role:finance"],"quorum":2}"#,
    )])
    .await;
    let said = decide(&http_hook(peer.url(HOST, "/policy"), &[HOST])).await;
    let expected = PolicyReply {
        reason: Some("too far".into()),
        version: Some("7".into()),
        approvers: vec![Approver::Role("finance".into())],
        quorum: 2,
        ..PolicyReply::new(PolicyVerdict::Ask)
    };
    assert_eq!(said, Ok(expected));
    let request = &peer.requests()[0];
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /policy HTTP/1.1"), "{head}");
    assert!(head.contains("authorization: Bearer policy-token-canary"), "{head}");
    let asked: Value = serde_json::from_str(body).unwrap();
    let expected = json!({
        "form": "entracte.policy/1", "workspace": "ann:home", "session": "ses_k1", "session_kind": "chat",
        "automation": null, "via": [], "call": "cal_k1_2_0", "command": "mail.send", "kind": "action",
        "version": "v1", "effect": "once", "destructive": false, "egress": true, "arguments": { "to": "eve" },
        "asked_by": ["ann"], "acts_as": "ann", "edited_by": null, "approval": ["catalog"],
        "at": "2026-11-20T12:00:00Z",
    });
    assert_eq!(asked, expected);
}

#[tokio::test]
async fn only_a_readable_answer_decides() {
    for verdict in PolicyVerdict::ALL {
        let body = json!({ "decision": verdict.word() }).to_string();
        assert_eq!(answered(json_answer(200, &body)).await, Ok(reply(verdict)));
    }
    let long = format!(r#"{{"decision":"allow","reason":"{}"}}"#, "x".repeat(300));
    let cases = [
        (json_answer(200, r#"{"decision":"permit"}"#), "`decision` is \"permit\": allow, ask, deny"),
        (json_answer(200, r#"{"decision":"allow","unless":"eve"}"#), "unknown field `unless`"),
        (json_answer(200, r#"{"decision":"ask","approvers":["finance"]}"#), "role:NAME"),
        (json_answer(200, r#"{"decision":"ask","quorum":0}"#), "1 to 20"),
        (json_answer(200, r#"{"decision":"allow","quorum":2}"#), "go with ask"),
        (json_answer(200, r#"{"allow":true}"#), "cannot be read"),
        (json_answer(200, ""), "cannot be read"),
        (json_answer(200, &long), "200"),
        (json_answer(503, r#"{"decision":"allow"}"#), "HTTP 503"),
        (answer(302, &["location: /other"], ""), "HTTP 302"),
    ];
    for (action, expected) in cases {
        let said = answered(action).await.unwrap_err();
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(!said.contains("canary"), "{said}");
    }
}

#[tokio::test]
async fn address_must_be_allowed() {
    let peer = FakeHttpPeer::new(Vec::new()).await;
    let said = decide(&http_hook(peer.url(HOST, "/policy"), &[])).await.unwrap_err().to_string();
    assert!(said.contains("policy.allow"), "{said}");
    assert_eq!(peer.requests(), Vec::<String>::new());
}

/// A hook that runs this shell script. The launcher of the test sets no bounds.
fn program_hook(folder: &tempfile::TempDir, script: &str) -> ConfiguredPolicyHook {
    let launcher: PathBuf = folder.path().join("launcher");
    std::fs::write(&launcher, "#!/bin/sh\nshift 3\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(&launcher, std::fs::Permissions::from_mode(0o755)).unwrap();
    let source = PolicyHookSource::Program {
        launcher: Some(launcher),
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
    };
    ConfiguredPolicyHook::new(
        source,
        PolicyHookSettings { answer_bytes: 200, ..PolicyHookSettings::default() },
    )
}

#[tokio::test]
async fn program_reads_the_question_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"read -r asked; case $asked in *'"to":"eve"'*) echo '{"decision":"deny"}';; esac"#;
    assert_eq!(decide(&program_hook(&folder, script)).await, Ok(reply(PolicyVerdict::Deny)));
    for (script, expected) in [
        ("echo no idea >&2; exit 3", "no idea"),
        ("exit 0", "cannot be read"),
        ("while :; do echo 0123456789; done", "policy.answer_bytes"),
    ] {
        let said = decide(&program_hook(&folder, script)).await.unwrap_err().to_string();
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let nothing = PolicyHookSource::Program { launcher: None, program: "true".into(), arguments: Vec::new() };
    let hook = ConfiguredPolicyHook::new(nothing, PolicyHookSettings::default());
    assert!(decide(&hook).await.unwrap_err().to_string().contains("runs no programs"));
}
