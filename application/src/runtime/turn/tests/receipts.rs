//! A request under a key is applied once, however often and whenever it is sent.

use entracte_domain::id::Digest;
use entracte_domain::time::Millis;

use super::*;
use crate::codec::{decode_mail_answer, encode_mail_answer};
use crate::mail::{AnswerQuestionRequest, Receipt};

fn receipt(key: &str, fingerprint: &str) -> Receipt {
    Receipt { person: "per_ann".into(), key: key.into(), fingerprint: Digest::new(fingerprint) }
}

fn once(request: impl Into<SessionRequest>, receipt: Receipt) -> WorkspaceInput {
    let request = MailRequest::session(session(), request);
    let mail = Mail { receipt: Some(receipt), ..Mail::from_request(request) };
    WorkspaceInput::Request { mail, reply: None, row: None }
}

fn says(answer: &Option<MailAnswer>) -> &str {
    match answer {
        Some(MailAnswer::Accepted { .. }) => "accepted",
        Some(MailAnswer::Replayed(_)) => "replayed",
        Some(MailAnswer::Refused { code, .. }) => code.word(),
        other => panic!("nobody expected {other:?}"),
    }
}

#[test]
fn repeated_request_is_answered_from_its_receipt() {
    let mut held = held(MachineSessionFixture::chat());
    let incoming = [once(message(), receipt("k1", "f1"))];
    let (asked, done) = make(&held, &incoming);
    assert_eq!(asked[..2], ["SessionRows", "Receipts"], "both are foreseen");
    let (row, before) = done.commit.unwrap().receipts.pop().unwrap();
    assert_eq!((&row.key, row.created_at), (&receipt("k1", "").key(), NOON));
    assert_eq!(before, NOON.plus(Millis(-held.runtime.retention.policy.receipt_age().0)));
    let answer = done.replies[0].clone().unwrap();
    assert_eq!(decode_mail_answer(&row.answer).unwrap(), answer, "with its slot, as it was told");

    held.receipts = vec![row];
    let (_, again) = make(&held, &incoming);
    assert_eq!(again.commit, None, "nothing is written");
    assert_eq!(again.replies, [Some(MailAnswer::Replayed(Box::new(answer)))]);
}

#[test]
fn reused_key_is_refused_until_receipt_expires() {
    let mut held = held(MachineSessionFixture::chat());
    let answer = encode_mail_answer(&MailAnswer::accept_message(None, &session())).unwrap();
    let kept = |at| ReceiptRow {
        key: receipt("k1", "").key(),
        fingerprint: Digest::new("f1"),
        answer: answer.clone(),
        created_at: at,
    };
    let day = held.runtime.retention.policy.receipt_age();
    for (fingerprint, age, expected) in [
        ("f1", Millis(0), "replayed"),
        ("f2", Millis(0), "key_reused"),
        ("f1", day, "replayed"),
        ("f1", Millis(day.0 + 1), "accepted"),
        ("f2", Millis(day.0 + 1), "accepted"),
        // The clock was set back.
        ("f1", Millis(-day.0), "replayed"),
    ] {
        held.receipts = vec![kept(NOON.plus(Millis(-age.0)))];
        let (_, done) = make(&held, &[once(message(), receipt("k1", fingerprint))]);
        assert_eq!(says(&done.replies[0]), expected, "{fingerprint} {age:?}");
    }
}

#[test]
fn duplicates_run_once_and_refusals_leave_no_receipt() {
    let held = held(MachineSessionFixture::chat());
    let resume = || AnswerQuestionRequest { author: "ann".into(), text: "yes".into(), question: None };
    let incoming = [
        once(resume(), receipt("k1", "f1")),
        once(message(), receipt("k1", "f2")),
        once(message(), receipt("k1", "f2")),
        once(message(), receipt("k1", "f3")),
        once(message(), receipt("k2", "f2")),
    ];
    let (_, done) = make(&held, &incoming);
    let said: Vec<&str> = done.replies.iter().map(says).collect();
    assert_eq!(said, ["not_applicable", "accepted", "replayed", "key_reused", "accepted"]);
    let Some(MailAnswer::Replayed(first)) = &done.replies[2] else { unreachable!() };
    assert_eq!(Some(&**first), done.replies[1].as_ref(), "its slot too");
    let commit = done.commit.unwrap();
    let keys: Vec<&str> = commit.receipts.iter().map(|(row, _)| row.key.key.as_str()).collect();
    assert_eq!(keys, ["k1", "k2"]);
    assert_eq!(commit.log.iter().filter(|row| row.label == "UserMessageSent").count(), 2);
}
