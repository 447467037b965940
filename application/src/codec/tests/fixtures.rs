//! Writes fixtures of the present version: one per input and phase, and some calls, from the strategies and from
//! a live run. They are read by `tests/payloads_v1.rs`, which needs nothing of this.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{Profile, Rules, SessionKind};
use entracte_domain::time::Timestamp;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::arbitrary;
use super::sizes::{Life, action, done, reply};
use crate::codec::*;
use crate::settings::{Language, WorkspaceSettings};

const SAMPLES: usize = 1_000;

/// For each name the sample of middling size.
fn middling<S: Strategy>(
    strategy: S,
    encode: impl Fn(&S::Value) -> (String, Vec<u8>),
) -> BTreeMap<String, Vec<u8>> {
    let mut runner = TestRunner::deterministic();
    let mut found: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for _ in 0..SAMPLES {
        let (name, bytes) = encode(&strategy.new_tree(&mut runner).unwrap().current());
        found.entry(name).or_default().push(bytes);
    }
    let pick = |mut samples: Vec<Vec<u8>>| {
        samples.sort_by_key(Vec::len);
        samples.swap_remove(samples.len() / 2)
    };
    found.into_iter().map(|(name, samples)| (name, pick(samples))).collect()
}

fn place(kind: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/payloads_v1").join(kind);
    folder.join(format!("{}.json", name.to_lowercase()))
}

fn write(kind: &str, name: &str, bytes: &[u8]) {
    let file = place(kind, name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    if !file.exists() {
        std::fs::write(file, bytes).unwrap();
    }
}

/// Sentences came to version 1 after its first fixtures: what holds them is kept apart.
fn write_sentences() {
    let has_sentence = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(r#"{"s":"#);
    let kind = |bytes: &[u8]| has_sentence(bytes).then(|| "sentences".to_owned());
    for (name, bytes) in middling(arbitrary::entry(), |entry| {
        let bytes = encode_entry(entry).unwrap().body;
        (kind(&bytes).unwrap_or_default(), bytes)
    }) {
        write_named("entries", &name, &bytes);
    }
    for (name, bytes) in middling(arbitrary::snapshot(), |snapshot| {
        let bytes = encode_snapshot(snapshot).unwrap();
        (kind(&bytes).unwrap_or_default(), bytes)
    }) {
        write_named("sessions", &name, &bytes);
    }
    for (name, bytes) in middling(arbitrary::call(), |call| {
        let bytes = encode_call(call, &SessionId::new("ses_a"), 1, 0, None).unwrap().body;
        (kind(&bytes).unwrap_or_default(), bytes)
    }) {
        write_named("calls", &name, &bytes);
    }
}

fn write_named(kind: &str, name: &str, bytes: &[u8]) {
    if !name.is_empty() {
        write(kind, name, bytes);
    }
}

/// The word of the variant that stands at `member` of what was written.
fn variant(bytes: &[u8], member: &str) -> String {
    let value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
    match &value[member] {
        serde_json::Value::Object(variant) => variant.keys().next().cloned().unwrap_or_default(),
        serde_json::Value::String(word) => word.clone(),
        other => panic!("no variant at {member}: {other}"),
    }
}

/// One sample for each variant of everything that is stored, by the folder of its fixtures.
fn variants() -> Vec<(&'static str, BTreeMap<String, Vec<u8>>)> {
    let key = WorkspaceKey::new("ann:home");
    let named = |member: &'static str, bytes: Vec<u8>| (variant(&bytes, member), bytes);
    vec![
        (
            "entries",
            middling(arbitrary::entry(), |entry| {
                (entry.input.label().to_owned(), encode_entry(entry).unwrap().body)
            }),
        ),
        (
            "sessions",
            middling(arbitrary::snapshot(), |snapshot| {
                (snapshot.phase.label().word().to_owned(), encode_snapshot(snapshot).unwrap())
            }),
        ),
        (
            "calls",
            middling(arbitrary::call(), |call| {
                let row = encode_call(call, &SessionId::new("ses_a"), 1, 0, None).unwrap();
                (row.state, row.body)
            }),
        ),
        ("mail", middling(arbitrary::mail(), |mail| named("request", encode_mail(mail).unwrap()))),
        (
            "answers",
            middling(arbitrary::mail_answer(), |answer| named("answer", encode_mail_answer(answer).unwrap())),
        ),
        (
            "automations",
            middling(arbitrary::automation(), |automation| {
                let row = encode_automation(&key, automation, 1).unwrap();
                (automation.trigger.word().to_owned(), row.body)
            }),
        ),
        (
            "occurrences",
            middling(arbitrary::occurrence(), |occurrence| {
                let row = encode_occurrence(&key, occurrence).unwrap();
                (row.outcome, row.body)
            }),
        ),
    ]
}

/// A variant without a fixture could be read otherwise by a later version, and nobody would see it.
#[test]
fn every_variant_has_a_fixture() {
    let missing: Vec<String> = variants()
        .iter()
        .flat_map(|(kind, samples)| samples.keys().map(|name| place(kind, name)))
        .filter(|file| !file.exists())
        .map(|file| file.display().to_string())
        .collect();
    assert!(missing.is_empty(), "without a fixture (write_missing makes them): {missing:#?}");
}

fn workspace() -> WorkspaceBody {
    let settings = WorkspaceSettings { language: Language::Fr, slots: 2, ..WorkspaceSettings::default() };
    WorkspaceBody { settings, last_action_at: Some(Timestamp(1_790_000_000_123_456)), rules: Vec::new() }
}

#[test]
#[ignore = "writes the fixtures that are missing; those that are there are never changed"]
fn write_missing() {
    for (kind, samples) in variants() {
        for (name, bytes) in samples {
            write(kind, &name, &bytes);
        }
    }
    write("workspaces", "new", &WorkspaceBody::default().encode().unwrap());
    write("workspaces", "settled", &workspace().encode().unwrap());
    write("rules", "chat", &encode_rules(&Rules::new(SessionKind::Chat, Profile::Autonomous)).unwrap());
    write(
        "rules",
        "strict_run",
        &encode_rules(&Rules::new(SessionKind::Automation, Profile::Strict)).unwrap(),
    );
    write_sentences();
    let mut life = Life::asked();
    life.take(reply(vec![action()]));
    write("sessions", "live_action", &encode_snapshot(&life.snapshot).unwrap());
    let ended = done(&life);
    life.take(ended);
    write("sessions", "live_second_round", &encode_snapshot(&life.snapshot).unwrap());
    for entry in &life.entries {
        let row = encode_entry(entry).unwrap();
        write("entries", &format!("live_{}_{}", row.sequence, row.label), &row.body);
    }
}
