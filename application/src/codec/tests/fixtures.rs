//! Writes fixtures of the current version: one per input and phase, and some calls, from the strategies and from a
//! live run. `tests/payloads_v1.rs` reads them independently of this module.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;
use entracte_domain::decimal::Decimal;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{
    FailureNoticePolicy, Input, LimitProfile, ParkReason, Phase, RunReportPolicy, SessionKind, SessionRules,
};
use entracte_domain::spending::{RaisedSpendingLine, SpendingAmount, SpendingRefusal, SpendingScope};
use entracte_domain::time::{Deadline, Millis, Timestamp};
use entracte_domain::validation::{
    ArgumentCondition, NumberRange, RuleScope, RuleUse, RuleUseState, RuleUses, StandingApprovalRule,
    UseLimit, UseLimits, UseTally,
};
use entracte_domain::value::JsonValue;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::value::RawValue;

use super::arbitrary;
use crate::codec::*;
use crate::instructions::InstructionScope;
use crate::journal::Snapshot;
use crate::ports::{CallRow, LogRow};
use crate::retention::RetentionHold;
use crate::settings::{Language, WorkspaceSettings};

const SAMPLES: usize = 1_000;

/// Selects the sample of median size for each name.
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

/// The folder and file extension of newly written fixtures of a kind.
fn present(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "entries" | "calls" => ("payloads_v2", "bin"),
        "sessions" => ("payloads_v3", "bin"),
        _ => ("payloads_v1", "json"),
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn place(kind: &str, name: &str) -> PathBuf {
    let (folder, ending) = present(kind);
    fixtures().join(folder).join(kind).join(format!("{}.{ending}", name.to_lowercase()))
}

fn write(kind: &str, name: &str, bytes: &[u8]) {
    let file = place(kind, name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    if !file.exists() {
        std::fs::write(file, bytes).unwrap();
    }
}

/// Writes the compact form of every JSON fixture of earlier versions.
fn write_compact() {
    let files = |folder: &str| {
        let files = std::fs::read_dir(fixtures().join(folder)).unwrap().map(|file| file.unwrap().path());
        let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        files.map(move |path| (name(&path), std::fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    for (name, body) in files("payloads_v1/entries") {
        let row = LogRow {
            seq: 44,
            session: SessionId::new("ses_7k2m9q4x1c8v5b3n"),
            sequence: 4,
            at: Timestamp(1_790_000_006_271_456),
            label: String::new(),
            client_key: None,
            body,
        };
        write("entries", &name, &encode_entry(&decode_entry(&row).unwrap()).unwrap().body);
    }
    for (name, body) in files("payloads_v2/sessions") {
        let Snapshot { facts, phase } = decode_snapshot(&body).unwrap();
        write("sessions", &name, &encode_snapshot(&facts, &phase).unwrap());
    }
    for (name, body) in files("payloads_v1/calls") {
        let row = CallRow {
            id: CallId::new("cal_a_1_0"),
            session: SessionId::new("ses_a"),
            sequence: 1,
            ordinal: 0,
            command: "tool_data.create".to_owned(),
            command_id: Digest::new("00"),
            kind: CommandKind::Action,
            state: LedgerState::Succeeded,
            attempt: 1,
            exchange: 1,
            requested_at: Timestamp(1_790_000_000_123_456),
            finished_at: Some(Timestamp(1_790_000_006_271_456)),
            result_seq: None,
            body,
        };
        let row = encode_call(
            &decode_call(&row).unwrap(),
            CallPosition { session: &row.session, sequence: 1, ordinal: 0 },
            None,
        )
        .unwrap();
        write("calls", &name, &row.body);
    }
}

/// The name of the variant at `member` of an encoded object. Its content stays unread: arbitrary JSON of a model may
/// contain lone surrogates, which `serde_json::Value` refuses.
fn variant(bytes: &[u8], member: &str) -> String {
    let members: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(bytes).unwrap();
    let value = members[member].get();
    if let Ok(word) = serde_json::from_str(value) {
        return word;
    }
    let variant: BTreeMap<String, Box<RawValue>> = serde_json::from_str(value).unwrap();
    variant.into_keys().next().unwrap()
}

/// One sample for each variant of every stored type, by fixture folder.
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
                let Snapshot { facts, phase } = snapshot;
                (phase.label().word().to_owned(), encode_snapshot(facts, phase).unwrap())
            }),
        ),
        (
            "calls",
            middling(arbitrary::call(), |call| {
                let row = encode_call(
                    call,
                    CallPosition { session: &SessionId::new("ses_a"), sequence: 1, ordinal: 0 },
                    None,
                )
                .unwrap();
                (row.state.word().to_owned(), row.body)
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

/// The first entry of the strategy that `fits`.
fn entry_that(fits: impl Fn(&Input) -> bool) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let entries = std::iter::repeat_with(|| arbitrary::entry().new_tree(&mut runner).unwrap().current());
    let found = entries.take(20 * SAMPLES).find(|entry| fits(&entry.input)).unwrap();
    encode_entry(&found).unwrap().body
}

/// The first snapshot of the strategy that `fits`.
fn snapshot_that(fits: impl Fn(&Snapshot) -> bool) -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let snapshots = std::iter::repeat_with(|| arbitrary::snapshot().new_tree(&mut runner).unwrap().current());
    let Snapshot { facts, phase } = snapshots.take(20 * SAMPLES).find(|snapshot| fits(snapshot)).unwrap();
    encode_snapshot(&facts, &phase).unwrap()
}

/// The first occurrence of the strategy that names the run because of which it was skipped.
fn blocked_occurrence() -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let occurrences =
        std::iter::repeat_with(|| arbitrary::occurrence().new_tree(&mut runner).unwrap().current());
    let found = occurrences.take(20 * SAMPLES).find(|occurrence| occurrence.blocked_by.is_some()).unwrap();
    encode_occurrence(&WorkspaceKey::new("ann:home"), &found).unwrap().body
}

/// Without a fixture for each variant, a later version could read one differently and no test would fail.
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
    WorkspaceBody {
        settings,
        last_action_at: Some(Timestamp(1_790_000_000_123_456)),
        ..WorkspaceBody::default()
    }
}

/// A workspace with holds and limits of its own, as later versions store it.
fn retaining_workspace() -> WorkspaceBody {
    let mut settings = WorkspaceSettings::default();
    settings.change("retention", Some("chats=90d, automations=latest 200")).unwrap();
    let hold = RetentionHold {
        scope: InstructionScope::Session(SessionId::new("ses_7k2m9q4x1c8v5b3n")),
        author: "ann".into(),
        reason: "The auditor looks at it.".into(),
        at: Timestamp(1_790_000_000_123_456),
    };
    WorkspaceBody { settings, holds: vec![hold], ..WorkspaceBody::default() }
}

/// A workspace that names who must approve.
fn workspace_with_approvers() -> WorkspaceBody {
    let mut body = WorkspaceBody::default();
    for (key, text) in [
        ("approvers", "role:finance, person:ann"),
        ("away", "ann: bob until 2026-12-24T08:00:00Z"),
        ("escalate_after", "4h"),
        ("escalate_to", "role:heads"),
        ("quorum", "2"),
        ("roles", "finance: ann, bob; heads: eve"),
    ] {
        body.settings.change(key, Some(text)).unwrap();
    }
    body
}

/// A workspace with a standing approval that has every kind of condition and limit, and calls that used it.
fn workspace_with_mandate() -> WorkspaceBody {
    let number = |text: &str| text.parse::<Decimal>().unwrap();
    let texts = |texts: [&str; 2]| texts.map(JsonValue::from).to_vec();
    let conditions = [
        ("amount", ArgumentCondition::Range(NumberRange { least: None, most: Some(number("200")) })),
        ("currency", ArgumentCondition::Is("EUR".into())),
        ("number", ArgumentCondition::Pattern("INV-????".into())),
        ("note", ArgumentCondition::Prefix("Invoice".into())),
        ("to", ArgumentCondition::OneOf(texts(["FR76", "DE89"]))),
        ("urgent", ArgumentCondition::Any),
    ];
    let limits = UseLimits {
        run: UseLimit { calls: Some(2), sum: None },
        day: UseLimit { calls: Some(5), sum: Some(number("500.5")) },
        total: UseLimit { calls: None, sum: Some(number("10000")) },
        summed: Some("amount".into()),
    };
    let used = UseTally { calls: 1, sum: number("199.99") };
    let at = Timestamp(1_790_000_000_123_456);
    let started = RuleUse {
        call: CallId::new("cal_7k2m9q4x1c8v5b3n_4_0"),
        amount: number("199.99"),
        at,
        state: RuleUseState::Started,
    };
    let uses = RuleUses {
        limits,
        total: used,
        day: Some((Timestamp(1_789_948_800_000_000), used)),
        runs: vec![(SessionId::new("ses_7k2m9q4x1c8v5b3n"), used)],
        latest: vec![started],
    };
    let rule = StandingApprovalRule {
        id: "rul_k1".into(),
        command: "bank.pay".into(),
        version: Digest::new("v1"),
        arguments: conditions.map(|(name, condition)| (name.to_owned(), condition)).to_vec(),
        scope: RuleScope::Automation(AutomationId::new("aut_k1")),
        author: "ann".into(),
        expires: Deadline::after(at, Millis::hours(24)),
        revoked: None,
        denies: None,
        uses: Some(uses),
        agents: false,
        people: Some(vec!["ann".into()]),
    };
    WorkspaceBody { rules: vec![rule], ..WorkspaceBody::default() }
}

#[test]
#[ignore = "writes the fixtures that are missing; those that are there are never changed"]
fn write_missing() {
    write_compact();
    for (kind, samples) in variants() {
        for (name, bytes) in samples {
            write(kind, &name, &bytes);
        }
    }
    // What variants got later.
    let is_stopped = |input: &Input| matches!(input, Input::StopRequested { reply: Some(_), .. });
    write("entries", "stoprequested_reply", &entry_that(is_stopped));
    let is_interrupted = |input: &Input| matches!(input, Input::RoundInterrupted { reply: Some(_), .. });
    write("entries", "roundinterrupted_reply", &entry_that(is_interrupted));
    let has_turns = |input: &Input| {
        matches!(input, Input::ContextCompacted { .. }) && format!("{input:?}").contains("turns: Some(")
    };
    write("entries", "contextcompacted_turns", &entry_that(has_turns));
    let is_instead =
        |input: &Input| matches!(input, Input::UserMessageSent(sent) if !sent.instead_of.is_empty());
    write("entries", "usermessagesent_instead", &entry_that(is_instead));
    let has_files =
        |input: &Input| matches!(input, Input::UserMessageSent(sent) if sent.message.files().count() > 1);
    write("entries", "usermessagesent_files", &entry_that(has_files));
    let has_form = |input: &Input| {
        let Input::UserMessageSent(sent) = input else { return false };
        sent.message.files().any(|file| file.model_form.is_some())
    };
    write("entries", "usermessagesent_form", &entry_that(has_form));
    let brings_files = |input: &Input| {
        matches!(
            input,
            Input::CallFinished { outcome: CallOutcome::Succeeded { files, .. }, .. } if files.len() > 1
        )
    };
    write("entries", "callfinished_files", &entry_that(brings_files));
    let asks =
        |input: &Input| matches!(input, Input::SpendingRefused { why: SpendingRefusal::SoftLine(_), .. });
    write("entries", "spendingrefused_soft_line", &entry_that(asks));
    let rests = |snapshot: &Snapshot| matches!(snapshot.phase, Phase::Parked(ParkReason::Spending(_)));
    write("sessions", "parked_spending", &snapshot_that(rests));
    write("sessions", "failed_approvals", &snapshot_that(|snapshot| !snapshot.facts.failed.is_empty()));
    write("occurrences", "blocked", &blocked_occurrence());
    write("workspaces", "new", &WorkspaceBody::default().encode().unwrap());
    write("workspaces", "settled", &workspace().encode().unwrap());
    write("workspaces", "retaining", &retaining_workspace().encode().unwrap());
    let mut capped = WorkspaceBody::default();
    capped.settings.change("budget.tree", Some("2.5 USD and 500000 tokens")).unwrap();
    capped.settings.change("budget.unknown_price", Some("tokens")).unwrap();
    write("workspaces", "capped", &capped.encode().unwrap());
    let mut approving = WorkspaceBody::default();
    approving.count_decision("zones.create", true);
    write("workspaces", "approving", &approving.encode().unwrap());
    let mut raised = WorkspaceBody::default();
    raised.raise_line(RaisedSpendingLine {
        scope: SpendingScope::PersonDay,
        subject: "ann".into(),
        since: Timestamp(1_790_000_000_000_000),
        line: SpendingAmount { tokens: 0, cost: "8.5".parse().unwrap() },
    });
    write("workspaces", "raised", &raised.encode().unwrap());
    write("workspaces", "approvers", &workspace_with_approvers().encode().unwrap());
    write("workspaces", "mandate", &workspace_with_mandate().encode().unwrap());
    write(
        "rules",
        "chat",
        &encode_rules(&SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous)).unwrap(),
    );
    write(
        "rules",
        "strict_run",
        &encode_rules(&SessionRules::new(SessionKind::Automation, LimitProfile::Strict)).unwrap(),
    );
    let noticed = SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous);
    let noticed = SessionRules { failure_notice: FailureNoticePolicy::Keeps, ..noticed };
    write("rules", "failure_notice", &encode_rules(&noticed).unwrap());
    let reporting = SessionRules::new(SessionKind::Automation, LimitProfile::Autonomous);
    let reporting = SessionRules { run_report: RunReportPolicy::Asks, ..reporting };
    write("rules", "run_report", &encode_rules(&reporting).unwrap());
}
