//! The command line against third-party model APIs: `@copilotkit/aimock` plays Claude, OpenAI, Groq and a compatible
//! endpoint, streaming and not.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::path::Path;
use std::process::Command;

use entracte_tests::aimock::AimockServerProcess;
use serde_json::Value;

/// The four dialects: kind, and the path after the mock's address.
const KINDS: [(&str, &str); 4] = [("claude", ""), ("openai", "/v1"), ("groq", "/v1"), ("compatible", "/v1")];

struct CliAimockFixture {
    mock: AimockServerProcess,
    folder: tempfile::TempDir,
}

impl CliAimockFixture {
    fn new() -> Self {
        Self { mock: AimockServerProcess::start().unwrap(), folder: tempfile::tempdir().unwrap() }
    }

    /// One turn with this provider; returns exit code and the turn's object. `more` is added to its entry.
    fn chat(&self, (kind, path): (&str, &str), stream: bool, more: &str, message: &str) -> (i32, Value) {
        let config = self.folder.path().join(format!("{kind}-{stream}.toml"));
        let key = self.folder.path().join("key");
        std::fs::write(&key, "sk-test-key-1\n").unwrap();
        let entry = format!(
            "default_provider = \"p\"\n[limits]\nchat_waits = 0\n[providers.p]\nkind = \"{kind}\"\nmodel = \"m-1\"\n\
             base_url = \"{}{path}\"\napi_key_file = \"{}\"\nstream = {stream}\n{more}",
            self.mock.url(),
            key.display()
        );
        std::fs::write(&config, entry).unwrap();
        self.run(&config, &["--json", "chat", "--message", message])
    }

    fn run(&self, config: &Path, arguments: &[&str]) -> (i32, Value) {
        let output = Command::new(env!("CARGO_BIN_EXE_entracte"))
            .arg("--config")
            .arg(config)
            .arg("--data")
            .arg(self.folder.path())
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !text.contains("sk-test-key-1") && !errors.contains("sk-test-key-1"),
            "the key is never shown"
        );
        let object = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n{errors}"));
        (output.status.code().unwrap(), object)
    }
}

/// The same for each dialect, streaming and not, in the envelope.
fn check(message: &str, expected: impl Fn(&str, i32, &Value)) {
    check_with("dialect = \"envelope\"\n", message, expected);
}

fn check_with(more: &str, message: &str, expected: impl Fn(&str, i32, &Value)) {
    let stage = CliAimockFixture::new();
    for (kind, path) in KINDS {
        for stream in [true, false] {
            let (code, turn) = stage.chat((kind, path), stream, more, message);
            expected(&format!("{kind}, stream = {stream}"), code, &turn);
        }
    }
}

#[test]
fn two_native_calls_of_reply_are_answered() {
    check_with("", "look at zones and tools", |case, code, turn| {
        assert_eq!(code, 0, "{case}: {turn}");
        assert_eq!((&turn["phase"], &turn["rounds"]), (&"IDLE".into(), &2.into()), "{case}");
        assert_eq!(turn["reply"]["text"], "There are neither zones nor tools yet.", "{case}");
        let calls: Vec<_> = turn["calls"].as_array().unwrap().iter().collect();
        let calls: Vec<_> = calls.iter().map(|call| (&call["command"], &call["status"])).collect();
        let done = "succeeded".into();
        assert_eq!(calls, [(&"zones.list".into(), &done), (&"tools.list".into(), &done)], "{case}");
    });
}

#[test]
fn a_turn_reads_and_answers() {
    check("which zones are there", |case, code, turn| {
        assert_eq!(code, 0, "{case}: {turn}");
        assert_eq!(turn["schema"], "entracte.turn/2", "{case}");
        assert_eq!(turn["phase"], "IDLE", "{case}");
        assert_eq!(turn["rounds"], 2, "{case}");
        assert_eq!(turn["reply"]["text"], "There is no zone yet.", "{case}");
        assert_eq!(turn["calls"][0]["command"], "zones.list", "{case}");
        assert_eq!(turn["calls"][0]["status"], "succeeded", "{case}");
        assert!(turn["waiting"].is_null(), "{case}");
    });
}

#[test]
fn a_turn_that_needs_approval_ends_waiting() {
    check("make the zone Health", |case, code, turn| {
        assert_eq!(code, 3, "{case}: {turn}");
        assert_eq!(turn["phase"], "WAITING_VALIDATION", "{case}");
        assert_eq!(turn["waiting"]["kind"], "validation", "{case}");
        let item = &turn["waiting"]["items"][0];
        assert_eq!(item["command"], "zones.create", "{case}");
        assert_eq!(item["arguments"]["name"], "Health", "{case}");
        assert_eq!(item["reasons"][0]["level"], "ai_request", "{case}");
    });
}

#[test]
fn throttled_provider_is_reported_without_loss() {
    for message in ["come back much later", "be busy"] {
        check(message, |case, code, turn| {
            assert_eq!(code, 1, "{case}: {turn}");
            assert_eq!(turn["phase"], "IDLE", "{case}: the chat hands back");
            assert!(turn["reply"].is_null(), "{case}");
        });
    }
}

#[test]
fn cut_stream_is_retried_once_then_reported() {
    let stage = CliAimockFixture::new();
    for (kind, path) in KINDS {
        let (code, turn) = stage.chat((kind, path), true, "", "break off");
        assert_eq!(code, 1, "{kind}: {turn}");
        assert_eq!(turn["phase"], "IDLE", "{kind}");
        assert!(turn["reply"].is_null(), "{kind}: nothing of a cut reply counts");
    }
}

#[test]
fn wrong_key_error_names_its_setting() {
    check("wrong key", |case, code, turn| {
        assert_eq!(code, 1, "{case}: {turn}");
        assert_eq!(turn["phase"], "IDLE", "{case}");
    });
}
