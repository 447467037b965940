//! Data stored by any version is readable for ever, and encoded again to the same bytes, or to those of the next
//! version: in JSON, and in the compact form (`.bin`) for objects that have one. Fixtures never change: if this test
//! fails, the stored format was changed, and needs a new version instead.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use entracte_application::codec::{
    CallPosition, CodecError, WorkspaceBody, decode_automation, decode_call, decode_entry, decode_mail,
    decode_mail_answer, decode_occurrence, decode_rules, decode_snapshot, encode_automation, encode_call,
    encode_entry, encode_entry_as_json, encode_mail, encode_mail_answer, encode_occurrence, encode_rules,
    encode_snapshot, encode_snapshot_as_json,
};
use entracte_application::journal::Snapshot;
use entracte_application::mail::{MailRequest, WorkspaceRequest};
use entracte_application::ports::{AutomationRow, CallRow, LogRow, OccurrenceRow};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;
use entracte_domain::file::{FileReference, PixelDimensions};
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::Input;
use entracte_domain::time::Timestamp;

/// Every file of a kind must decode and encode to the same bytes, and their number must be as expected.
fn check(
    kind: &str,
    count: usize,
    again: impl Fn(&[u8]) -> Result<Vec<u8>, CodecError>,
) -> Result<(), Box<dyn Error>> {
    check_between(("v1", "v1"), kind, count, again)
}

/// Every file of a kind of one version must convert to the file of the same name of the compact version, which must
/// round-trip. The compact version may have more files: later objects were never stored otherwise.
fn check_compact(
    (from, to): (&str, &str),
    kind: &str,
    (before, count): (usize, usize),
    again: impl Fn(&[u8]) -> Result<Vec<u8>, CodecError>,
) -> Result<(), Box<dyn Error>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folder = |version: &str| fixtures.join(format!("payloads_{version}")).join(kind);
    let mut files = (0, 0);
    for file in std::fs::read_dir(folder(from))? {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default();
        let expected = std::fs::read(folder(to).join(name).with_extension("bin"))?;
        assert_eq!(again(&std::fs::read(&path)?)?, expected, "{}", path.display());
        files.0 += 1;
    }
    for file in std::fs::read_dir(folder(to))? {
        let path = file?.path();
        let bytes = std::fs::read(&path)?;
        assert_eq!(again(&bytes)?, bytes, "{}", path.display());
        files.1 += 1;
    }
    assert_eq!(files, (before, count), "files of {kind}");
    Ok(())
}

/// Every file of a kind of one version must convert to the file of the same name of another version. Some fixtures
/// contain randomly generated states that no session can have: ended or parked in the middle of a round. The encodings
/// of those, which differ now that such states are impossible, are in a folder beside the version's own.
fn check_between(
    (from, to): (&str, &str),
    kind: &str,
    count: usize,
    again: impl Fn(&[u8]) -> Result<Vec<u8>, CodecError>,
) -> Result<(), Box<dyn Error>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folder = |version: &str| fixtures.join(format!("payloads_{version}")).join(kind);
    let mut files = 0;
    for file in std::fs::read_dir(folder(from))? {
        let path = file?.path();
        let found = again(&std::fs::read(&path)?).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default();
        let possible = folder(&format!("{to}_possible")).join(name);
        let expected = std::fs::read(if possible.exists() { possible } else { folder(to).join(name) })?;
        assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&expected), "{}", path.display());
        files += 1;
    }
    assert_eq!(files, count, "files of {kind}");
    Ok(())
}

#[test]
fn entries() -> Result<(), Box<dyn Error>> {
    let read = |bytes: &[u8]| {
        decode_entry(&LogRow {
            seq: 44,
            session: SessionId::new("ses_7k2m9q4x1c8v5b3n"),
            sequence: 4,
            at: Timestamp(1_790_000_006_271_456),
            label: String::new(),
            client_key: None,
            body: bytes.to_vec(),
        })
    };
    check("entries", 42, |bytes| encode_entry_as_json(&read(bytes)?))?;
    let again = |bytes: &[u8]| encode_entry(&read(bytes)?).map(|row| row.body);
    check_compact(("v1", "v2"), "entries", (42, 57), again)
}

/// An entry holds what a file is, in a message and in a result, and which form models see, and which files leave the prompt; it
/// does not hold their bytes.
#[test]
fn files_are_read_from_entries() -> Result<(), Box<dyn Error>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/payloads_v2/entries");
    let read = |name: &str| -> Result<Input, Box<dyn Error>> {
        let row = LogRow {
            seq: 44,
            session: SessionId::new("ses_7k2m9q4x1c8v5b3n"),
            sequence: 4,
            at: Timestamp(1_790_000_006_271_456),
            label: String::new(),
            client_key: None,
            body: std::fs::read(fixtures.join(name))?,
        };
        Ok(decode_entry(&row)?.input)
    };
    let Input::BudgetReached { files_from, .. } = read("budgetreached_files.bin")? else {
        return Err("no excess".into());
    };
    assert_eq!(files_from, Some(7));
    let Input::ContextCompacted { summary, .. } = read("contextcompacted_files.bin")? else {
        return Err("no summary".into());
    };
    assert_eq!(summary.files_from, Some(42));
    let Input::UserMessageSent(sent) = read("usermessagesent_files.bin")? else {
        return Err("no message".into());
    };
    let files: Vec<String> = sent.message.files().map(FileReference::line).collect();
    let expected = [
        "[chart.png: image/png, 48211 bytes, 1280x720, cc57fc1903e444cf6a726490b43b27ee9f87facc037f86872201847c565b45fb]",
        "[report, final.pdf: application/pdf, 1048576 bytes, 12 p., 845e91831319e89c4d656bdb80c278ac09a7230d61e5dfd2e1b1fbb436ac8917]",
    ];
    assert_eq!(files, expected);
    let Input::UserMessageSent(sent) = read("usermessagesent_form.bin")? else {
        return Err("no message".into());
    };
    let seen: Vec<(u64, bool)> = sent
        .message
        .files()
        .filter_map(|file| file.model_form.as_ref())
        .map(|form| (form.bytes, form.is_first_frame))
        .collect();
    assert_eq!(seen, [(20_480, true)]);
    let Input::CallFinished { outcome: CallOutcome::Succeeded { content, files, .. }, .. } =
        read("callfinished_files.bin")?
    else {
        return Err("no result".into());
    };
    assert_eq!((content.as_str(), files.len()), ("Shot taken.", 2));
    assert_eq!(files[0].dimensions, Some(PixelDimensions { width: 1280, height: 720 }));
    assert_eq!((files[1].dimensions, files[1].pages), (None, None));
    Ok(())
}

#[test]
fn sessions() -> Result<(), Box<dyn Error>> {
    let again = |bytes: &[u8]| encode_snapshot_as_json(&decode_snapshot(bytes)?);
    check_between(("v1", "v2"), "sessions", 16, again)?;
    check_between(("v2", "v2"), "sessions", 16, again)?;
    check_between(("v2_possible", "v2"), "sessions", 8, again)?;
    let again = |bytes: &[u8]| {
        let Snapshot { facts, phase } = decode_snapshot(bytes)?;
        encode_snapshot(&facts, &phase)
    };
    check_compact(("v2", "v3"), "sessions", (16, 18), again)
}

#[test]
fn calls() -> Result<(), Box<dyn Error>> {
    check_compact(("v1", "v2"), "calls", (CALLS, CALLS), |bytes| {
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
            body: bytes.to_vec(),
        };
        encode_call(
            &decode_call(&row)?,
            CallPosition { session: &row.session, sequence: 1, ordinal: 0 },
            None,
        )
        .map(|row| row.body)
    })
}

/// Five states, finished ones by status, and one with sentences.
const CALLS: usize = 5 + 19 + 1;

#[test]
fn rules() -> Result<(), Box<dyn Error>> {
    check("rules", 4, |bytes| encode_rules(&decode_rules(bytes)?))
}

#[test]
fn mail_and_answers() -> Result<(), Box<dyn Error>> {
    // Some fixtures are randomly generated requests to a session that name none. No version has posted such requests.
    let without_session = Cell::new(0);
    check("mail", MAIL, |bytes| match decode_mail(bytes) {
        Err(CodecError::Malformed { detail, .. }) if detail == MISSING_SESSION => {
            without_session.set(without_session.get() + 1);
            Ok(bytes.to_vec())
        }
        mail => encode_mail(&mail?),
    })?;
    assert_eq!(without_session.get(), 4);
    check("answers", ANSWERS, |bytes| encode_mail_answer(&decode_mail_answer(bytes)?))
}

/// A request to a session has its session in its type, and no other request has one.
#[test]
fn request_type_carries_its_session() -> Result<(), Box<dyn Error>> {
    for row in include_str!("fixtures/mail_requests_v1.jsonl").lines() {
        let stored: serde_json::Value = serde_json::from_str(row)?;
        let named = stored["session"].as_str();
        match decode_mail(row.as_bytes())?.request {
            MailRequest::Session(session, _) => assert_eq!(Some(session.as_str()), named, "{row}"),
            MailRequest::Workspace(WorkspaceRequest::StartSession(new)) => {
                assert_eq!(Some(new.id.as_str()), named, "{row}");
            }
            MailRequest::Workspace(_) | MailRequest::Task(..) => assert_eq!(named, None, "{row}"),
        }
    }
    Ok(())
}

/// One row per kind of request with all optional fields, and some without them, recorded before requests were split by
/// what they address.
#[test]
fn stored_requests_of_earlier_versions_are_read() -> Result<(), Box<dyn Error>> {
    let rows = include_str!("fixtures/mail_requests_v1.jsonl");
    let mut kinds = BTreeSet::new();
    for row in rows.lines() {
        let mail = decode_mail(row.as_bytes()).map_err(|error| format!("{row}: {error}"))?;
        assert_eq!(String::from_utf8(encode_mail(&mail)?)?, row);
        let stored: serde_json::Value = serde_json::from_str(row)?;
        let kind =
            |tagged: &serde_json::Value| tagged.as_object().and_then(|tags| tags.keys().next().cloned());
        kinds.insert((kind(&stored["request"]), kind(&stored["request"]["task"]["mail"])));
    }
    assert_eq!((kinds.len(), rows.lines().count()), (REQUESTS, 48));
    Ok(())
}

/// The fault of a stored request to a session that names none.
const MISSING_SESSION: &str = "its request is to a session, but it names none";

#[test]
fn superfluous_session_of_stored_request_is_ignored() -> Result<(), Box<dyn Error>> {
    let set = |session| {
        format!(r#"{{"v":1,{session}"request":{{"change_settings":{{"author":"ann","changes":[]}}}}}}"#)
    };
    let mail = decode_mail(set(r#""session":"ses_a","#).as_bytes())?;
    assert_eq!(mail.request.session_id(), None);
    assert_eq!(String::from_utf8(encode_mail(&mail)?)?, set(""));
    Ok(())
}

#[test]
fn stored_request_without_its_session_is_malformed() {
    let found = decode_mail(br#"{"v":1,"request":{"stop":{"author":"ann","end":false}}}"#);
    assert_eq!(found, Err(CodecError::Malformed { what: "mail", detail: MISSING_SESSION.to_owned() }));
}

/// Of workspaces, sessions and tasks.
const REQUESTS: usize = 11 + 19 + 4;
const MAIL: usize = 37;
const ANSWERS: usize = 7;

#[test]
fn automations_and_occurrences() -> Result<(), Box<dyn Error>> {
    let workspace = || WorkspaceKey::new("ann:home");
    check("automations", 5, |bytes| {
        let row = AutomationRow {
            id: AutomationId::new("aut_a"),
            workspace: workspace(),
            seed: SessionId::new("ses_a"),
            name: String::new(),
            next_at: None,
            revision: 1,
            body: bytes.to_vec(),
        };
        encode_automation(&workspace(), &decode_automation(&row)?, 1).map(|row| row.body)
    })?;
    check("occurrences", 9, |bytes| {
        let row = OccurrenceRow {
            automation: AutomationId::new("aut_a"),
            workspace: workspace(),
            at: Timestamp(1),
            outcome: String::new(),
            session: None,
            decided_at: Timestamp(1),
            body: bytes.to_vec(),
        };
        encode_occurrence(&workspace(), &decode_occurrence(&row)?).map(|row| row.body)
    })
}

#[test]
fn workspaces() -> Result<(), Box<dyn Error>> {
    check("workspaces", 8, |bytes| WorkspaceBody::decode(bytes)?.encode())
}
