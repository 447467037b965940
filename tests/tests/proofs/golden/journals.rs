//! Journals: replayed with the current transitions they give the stored state, ledger and conversation.

use std::collections::BTreeSet;
use std::path::Path;

use entracte_application::codec::{
    CallPosition, decode_call, decode_entry, decode_rules, decode_snapshot, encode_call,
    encode_entry_as_json, encode_snapshot_as_json,
};
use entracte_application::journal::JournalEntry;
use entracte_application::journal::Snapshot;
use entracte_application::ports::{CallRow, LogRow};
use entracte_domain::call::Call;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{
    Input, LogAppend, Phase, SessionFacts, SessionKind, SessionRules, transition,
};
use entracte_domain::time::Timestamp;
use entracte_tests::machine::{one_of_each_phase, samples};
use serde_json::{Value, json};

use super::releases;

/// The result of replaying a journal.
pub(crate) struct ReplayedJournal {
    pub(crate) snapshot: Snapshot,
    /// The items that each input appended.
    pub(crate) appended: Vec<Vec<LogAppend>>,
    /// The ledger, in the order of its rows.
    pub(crate) ledger: Vec<Call>,
}

/// Feeds the inputs one after the other, each at its time.
pub(crate) fn fold<'a>(
    made: SessionFacts,
    rules: &SessionRules,
    inputs: impl IntoIterator<Item = (Timestamp, &'a Input)>,
) -> ReplayedJournal {
    let (mut facts, mut phase) = (made, Phase::Idle);
    let (mut appended, mut ledger) = (Vec::new(), Vec::<Call>::new());
    for (now, input) in inputs {
        let taken = transition(&mut facts, &mut phase, input.clone(), now, rules);
        let record = taken.unwrap_or_else(|why| panic!("{} is taken in: {why:?}", input.label()));
        appended.push(record.appended);
        for call in record.calls {
            match ledger.iter_mut().find(|known| known.id == call.id) {
                Some(known) => *known = call,
                None => ledger.push(call),
            }
        }
    }
    ReplayedJournal { snapshot: Snapshot { facts, phase }, appended, ledger }
}

/// Replays one journal and compares the result with all stored rows; returns the labels of its inputs.
fn replay(story: &Value) -> Result<Vec<String>, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().as_bytes().to_vec();
    let fault = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");
    let made = decode_snapshot(&text(&story["made"])).map_err(|error| fault("made", &error))?;
    let rules = decode_rules(&text(&story["rules"])).map_err(|error| fault("rules", &error))?;
    let session = made.facts.id.clone();
    let mut entries = Vec::new();
    for row in story["entries"].as_array().into_iter().flatten() {
        let sequence = row["sequence"].as_u64().unwrap();
        let row = LogRow {
            seq: sequence,
            session: session.clone(),
            sequence,
            at: Timestamp(row["at"].as_i64().unwrap()),
            label: row["label"].as_str().unwrap().to_owned(),
            client_key: None,
            body: text(&row["body"]),
        };
        let entry = decode_entry(&row).map_err(|error| fault(&row.label, &error))?;
        if entry.input.label() != row.label {
            return Err(format!("{} is read as {}", row.label, entry.input.label()));
        }
        entries.push(entry);
    }
    let given = fold(made.facts, &rules, entries.iter().map(|entry| (entry.at, &entry.input)));
    for (entry, appended) in entries.iter().zip(&given.appended) {
        same(
            &format!("what {} {} appended", entry.sequence, entry.input.label()),
            &entry.appended,
            appended,
        )?;
    }
    let stored = decode_snapshot(&text(&story["snapshot"])).map_err(|error| fault("snapshot", &error))?;
    same("the stored state", &stored, &given.snapshot)?;
    let calls = story["calls"].as_array().unwrap();
    same("the number of calls", &calls.len(), &given.ledger.len())?;
    for (row, call) in calls.iter().zip(&given.ledger) {
        let row = call_row(row, &session);
        let stored = decode_call(&row).map_err(|error| fault("call", &error))?;
        // The ledger leaves out the content of a result; the log has it.
        let again = encode_call(
            call,
            CallPosition { session: &session, sequence: row.sequence, ordinal: row.ordinal },
            None,
        )
        .unwrap();
        same(&format!("the call {}", call.id), &stored, &decode_call(&again).unwrap())?;
    }
    Ok(entries.iter().map(|entry| entry.input.label().to_owned()).collect())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, stored: &T, replayed: &T) -> Result<(), String> {
    if stored == replayed {
        Ok(())
    } else {
        Err(format!("{what}\nstored:   {stored:?}\nreplayed: {replayed:?}"))
    }
}

fn call_row(row: &Value, session: &SessionId) -> CallRow {
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    CallRow {
        id: CallId::new(text("id")),
        session: session.clone(),
        sequence: row["sequence"].as_u64().unwrap(),
        ordinal: u32::try_from(row["ordinal"].as_u64().unwrap()).unwrap(),
        command: text("command"),
        command_id: Digest::new(text("command_id")),
        kind: CommandKind::from_word(&text("kind")).unwrap(),
        state: LedgerState::from_word(&text("state")).unwrap(),
        attempt: u32::try_from(row["attempt"].as_u64().unwrap()).unwrap(),
        exchange: row["exchange"].as_u64().unwrap(),
        requested_at: Timestamp(row["requested_at"].as_i64().unwrap()),
        finished_at: row["finished_at"].as_i64().map(Timestamp),
        result_seq: None,
        body: body(&row["body"]),
    }
}

/// The body of a call: text in early releases, later a list of bytes.
fn body(value: &Value) -> Vec<u8> {
    let byte = |byte: &Value| u8::try_from(byte.as_u64().unwrap()).unwrap();
    match value.as_array() {
        Some(bytes) => bytes.iter().map(byte).collect(),
        None => value.as_str().unwrap().as_bytes().to_vec(),
    }
}

/// A journal in its stored form.
pub(crate) fn written(
    name: &str,
    made: &SessionFacts,
    rules: &SessionRules,
    taken: &[(Timestamp, Input)],
) -> Value {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let snapshot = |snapshot: &Snapshot| text(encode_snapshot_as_json(snapshot).unwrap());
    let given = fold(made.clone(), rules, taken.iter().map(|(now, input)| (*now, input)));
    let digest = Digest::new("rules");
    let entries = taken.iter().zip(&given.appended).zip(1..).map(|(((at, input), appended), sequence)| {
        let entry = JournalEntry {
            seq: sequence,
            session: made.id.clone(),
            sequence,
            at: *at,
            rules: digest.clone(),
            input: input.clone(),
            appended: appended.clone(),
        };
        let (label, body) = (entry.input.label(), encode_entry_as_json(&entry).unwrap());
        json!({ "sequence": sequence, "at": at.0, "label": label, "body": text(body) })
    });
    let calls = given.ledger.iter().map(|call| {
        let row = encode_call(call, CallPosition { session: &made.id, sequence: 1, ordinal: 0 }, None).unwrap();
        json!({
            "id": row.id.as_str(), "sequence": row.sequence, "ordinal": row.ordinal, "command": row.command,
            "command_id": row.command_id.as_str(), "kind": row.kind.word(), "state": row.state.word(), "attempt": row.attempt,
            "exchange": row.exchange, "requested_at": row.requested_at.0,
            "finished_at": row.finished_at.map(|at| at.0), "body": row.body,
        })
    });
    json!({
        "name": name,
        "made": snapshot(&Snapshot { facts: made.clone(), phase: Phase::Idle }),
        "rules": text(entracte_application::codec::encode_rules(rules).unwrap()),
        "entries": entries.collect::<Vec<_>>(),
        "snapshot": snapshot(&given.snapshot),
        "calls": calls.collect::<Vec<_>>(),
    })
}

fn stories(release: &Path) -> Vec<Value> {
    let path = release.join("journals.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_released_journal_replays_to_stored_state() {
    for release in releases() {
        let stories = stories(&release);
        assert!(stories.len() > 50, "{} has journals", release.display());
        for story in stories {
            if let Err(fault) = replay(&story) {
                panic!("{}, {}: {fault}", release.display(), story["name"]);
            }
        }
    }
}

/// A later version could read an input without a fixture differently, unnoticed.
#[test]
fn every_input_has_a_journal() {
    let stories: Vec<Value> = releases().iter().flat_map(|release| stories(release)).collect();
    let entries = stories.iter().flat_map(|story| story["entries"].as_array().unwrap());
    let kept: BTreeSet<&str> = entries.map(|entry| entry["label"].as_str().unwrap()).collect();
    let mut there = BTreeSet::new();
    for kind in [SessionKind::Chat, SessionKind::Automation] {
        for (_, run) in one_of_each_phase(kind) {
            for (_, act) in samples() {
                there.extend(run.inputs_for_act(&act).iter().map(Input::label));
            }
        }
    }
    // Inputs that no session of the gallery accepts.
    there.extend(["CallSettled", "MessagesRead", "SessionCopied"]);
    there.extend(SINCE_THE_RELEASE);
    assert_eq!(there.len(), INPUTS, "an input was added: give the gallery a sample of it");
    let is_missing = |label: &&&str| !kept.contains(**label) && !SINCE_THE_RELEASE.contains(*label);
    let missing: Vec<&&str> = there.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "without a journal: {missing:?}; they are made at the next release");
}

/// Number of inputs; `machine::table` and the codec's strategies count them too.
const INPUTS: usize = 39;

/// Inputs newer than the last release; their journals are made with the next one.
const SINCE_THE_RELEASE: [&str; 14] = [
    "PolicyAnswered",
    "BudgetReached",
    "SpendingRefused",
    "SpendingAnswered",
    "UsageSettled",
    "CompactionRequested",
    "MessageWithdrawn",
    "EndSeen",
    "DecisionCommented",
    "SessionOpened",
    "SessionLeft",
    "MissionContinued",
    "MissionEnded",
    "ChildEnded",
];
