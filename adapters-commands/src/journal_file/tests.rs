//! The journal file, note by note.

use std::fs;
use std::path::Path;

use entracte_application::ports::{CallRequest, CommandExecutor};
use entracte_application::settings::WorkspaceLocale;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{Command, EffectClass};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::{JournalFileExecutor, specs};

fn request(name: &str, call: &str, attempt: u32) -> CallRequest {
    CallRequest {
        workspace: WorkspaceKey::new("user:main"),
        session: SessionId::new("ses_x"),
        call: CallId::new(call),
        command: Command {
            name: name.into(),
            arguments: JsonValue::from([("text", JsonValue::from("hello"))]),
        },
        acts_as: None,
        via: Vec::new(),
        key: format!("key of {call}"),
        task: None,
        attempt,
        now: Timestamp(0),
        reference: Timestamp(0),
        locale: WorkspaceLocale::default(),
        naming: entracte_application::command_naming::CommandNaming::Types,
        restriction: entracte_domain::restriction::Restriction::Open,
        progress: entracte_application::ports::CallProgressSink::default(),
    }
}

/// Runs each (command, call, attempt); returns the outcome of the last one and the number of lines.
async fn check(path: &Path, runs: &[(&str, &str, u32)]) -> (CallOutcome, usize) {
    let journal = JournalFileExecutor::new(path, false);
    let mut last = CallOutcome::TimedOut;
    for (name, call, attempt) in runs {
        last = journal.run(request(name, call, *attempt)).await;
    }
    let lines = fs::read_to_string(path).map(|text| text.lines().count());
    (last, lines.unwrap_or_default())
}

fn content(outcome: &CallOutcome) -> &str {
    match outcome {
        CallOutcome::Succeeded { content, .. } => content,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_effect_class_repeats_notes_differently() {
    for (name, lines_after_two_runs) in [(specs::ONCE, 2), (specs::KEYED, 1), (specs::PROBED, 2)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (outcome, lines) = check(&path, &[(name, "cal_x_1_0", 1), (name, "cal_x_1_0", 2)]).await;
        assert_eq!((content(&outcome), lines), (r#"{"noted":"hello"}"#, lines_after_two_runs), "{name}");
    }
}

#[tokio::test]
async fn different_key_appends_another_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (_, lines) = check(&path, &[(specs::KEYED, "cal_x_1_0", 1), (specs::KEYED, "cal_x_1_1", 1)]).await;
    assert_eq!(lines, 2);
}

#[tokio::test]
async fn reading_lists_notes_and_counts_damaged_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let (none, _) = check(&path, &[(specs::READ, "cal_x_1_0", 1)]).await;
    assert_eq!(content(&none), r#"{"total":0,"damaged":0,"lines":[]}"#);
    fs::write(&path, r#"{"call":"cal_x_0"#).unwrap();
    let (read, _) = check(&path, &[(specs::ONCE, "cal_x_1_0", 1), (specs::READ, "cal_x_2_0", 1)]).await;
    assert_eq!(
        content(&read),
        r#"{"total":1,"damaged":1,"lines":[{"call":"cal_x_1_0","key":"key of cal_x_1_0","attempt":1,"text":"hello","class":"once"}]}"#
    );
}

#[tokio::test]
async fn only_probed_note_answers_probe() {
    let folder = tempfile::tempdir().unwrap();
    let journal = JournalFileExecutor::new(folder.path().join("journal"), false);
    journal.run(request(specs::PROBED, "cal_x_1_0", 1)).await;
    let happened = async |name, call| match journal.probe_outcome(request(name, call, 1)).await {
        CallOutcome::Probed { happened, content, .. } => Some((happened, content)),
        _ => None,
    };
    let noted = r#"{"noted":"hello"}"#.to_owned();
    assert_eq!(happened(specs::PROBED, "cal_x_1_0").await, Some((Some(true), noted)));
    assert_eq!(happened(specs::PROBED, "cal_x_1_1").await, Some((Some(false), String::new())));
    assert_eq!(happened(specs::ONCE, "cal_x_1_0").await, None);
}

#[tokio::test]
async fn unopenable_file_fails_retryably() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, _) = check(folder.path(), &[(specs::ONCE, "cal_x_1_0", 1)]).await;
    let CallOutcome::Failed(failure) = outcome else { panic!("{outcome:?}") };
    assert_eq!((failure.code.as_str(), failure.retryable), ("OUTSIDE_ERROR", true));
}

#[tokio::test]
async fn dropped_note_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    // The lock delays the writer until the caller is dropped.
    let held = fs::File::create(&path).unwrap();
    held.lock().unwrap();
    let journal = JournalFileExecutor::new(&path, false);
    let note = journal.run(request(specs::ONCE, "cal_x_1_0", 1));
    assert!(tokio::time::timeout(std::time::Duration::from_millis(50), note).await.is_err());
    held.unlock().unwrap();
    drop(held);
    // The next writer waits for the first one's lock, so the first has checked its flag by then.
    let (_, lines) = check(&path, &[(specs::ONCE, "cal_x_2_0", 1)]).await;
    assert_eq!(lines, 1);
}

#[test]
fn notes_need_approval_if_configured() {
    let egress = |ask_approval| {
        let specs = JournalFileExecutor::new("journal", ask_approval).commands();
        specs.into_iter().map(|spec| (spec.effect, spec.egress)).collect::<Vec<_>>()
    };
    let notes = |guarded| {
        vec![
            (EffectClass::Once, guarded),
            (EffectClass::Idempotent, guarded),
            (EffectClass::Probe, guarded),
            (EffectClass::Read, false),
        ]
    };
    assert_eq!(egress(true), notes(true));
    assert_eq!(egress(false), notes(false));
}
