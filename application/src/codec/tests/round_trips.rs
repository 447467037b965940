use std::collections::BTreeSet;

use entracte_domain::call::{Call, CallState, CallStatus};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::localizable_text::LocalizableText;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::arbitrary;
use crate::codec::*;
use crate::ports::LogRow;

/// Clears the content and the files of a succeeded call, the only parts that the ledger omits.
fn without_answer(mut call: Call) -> Call {
    if let CallState::Finished { result, .. } = &mut call.state
        && result.status == CallStatus::Succeeded
    {
        result.content = LocalizableText::default();
        result.files.clear();
    }
    call
}

proptest! {
    #[test]
    fn snapshots(snapshot in arbitrary::snapshot()) {
        let bytes = encode_snapshot(&snapshot.facts, &snapshot.phase).unwrap();
        prop_assert_eq!(decode_snapshot(&bytes).unwrap(), snapshot);
    }

    #[test]
    fn entries(entry in arbitrary::entry()) {
        let row = encode_entry(&entry).unwrap();
        prop_assert_eq!(&row.label, entry.input.label());
        prop_assert_eq!(decode_entry(&row).unwrap(), entry);
    }

    /// The JSON that people see and export has the same content as the stored form.
    #[test]
    fn json_and_the_compact_form_say_the_same(entry in arbitrary::entry(), snapshot in arbitrary::snapshot()) {
        let row = encode_entry(&entry).unwrap();
        let body = encode_entry_as_json(&entry).unwrap();
        prop_assert!(body.len() > row.body.len(), "{} and {} bytes", body.len(), row.body.len());
        prop_assert_eq!(decode_entry(&LogRow { body, ..row }).unwrap(), entry);
        prop_assert_eq!(decode_snapshot(&encode_snapshot_as_json(&snapshot).unwrap()).unwrap(), snapshot);
    }

    #[test]
    fn calls(call in arbitrary::call()) {
        let row = encode_call(&call, CallPosition { session: &SessionId::new("ses_a"), sequence: 3, ordinal: 1 }, Some(9)).unwrap();
        prop_assert_eq!(row.state, call.ledger_state());
        prop_assert_eq!(decode_call(&row).unwrap(), without_answer(call));
    }

    #[test]
    fn rules(one in arbitrary::rules(), other in arbitrary::rules()) {
        let bytes = encode_rules(&one).unwrap();
        prop_assert_eq!(bytes == encode_rules(&other).unwrap(), one == other);
        prop_assert_eq!(decode_rules(&bytes).unwrap(), one);
    }

    #[test]
    fn mail(mail in arbitrary::mail(), answer in arbitrary::mail_answer()) {
        prop_assert_eq!(decode_mail(&encode_mail(&mail).unwrap()).unwrap(), mail);
        prop_assert_eq!(decode_mail_answer(&encode_mail_answer(&answer).unwrap()).unwrap(), answer);
    }

    #[test]
    fn automations_and_occurrences(automation in arbitrary::automation(), occurrence in arbitrary::occurrence()) {
        let key = WorkspaceKey::new("ann:home");
        let row = encode_automation(&key, &automation, 3).unwrap();
        prop_assert_eq!(row.next_at, automation.next_undecided_occurrence());
        prop_assert_eq!(decode_automation(&row).unwrap(), automation);
        let row = encode_occurrence(&key, &occurrence).unwrap();
        prop_assert_eq!(decode_occurrence(&row).unwrap(), occurrence);
    }

    /// Damaged rows give an error, never a panic.
    #[test]
    fn damaged_bytes_do_not_panic(entry in arbitrary::entry(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut row = encode_entry(&entry).unwrap();
        let at = at.index(row.body.len());
        row.body[at] = byte;
        let _ = decode_entry(&row);
        let _ = decode_snapshot(&row.body);
        let _ = decode_mail(&row.body);
    }

    /// Truncation at any byte is detected and never decodes to a shorter value.
    #[test]
    fn what_is_cut_is_not_read(entry in arbitrary::entry(), at in any::<prop::sample::Index>()) {
        let mut row = encode_entry(&entry).unwrap();
        row.body.truncate(at.index(row.body.len()));
        prop_assert!(decode_entry(&row).is_err());
    }
}

/// The strategies generate every input and every phase.
#[test]
fn the_strategies_reach_every_input_and_phase() {
    let mut runner = TestRunner::deterministic();
    let (input, phase) = (arbitrary::input(), arbitrary::phase());
    let (mut inputs, mut phases) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..600 {
        inputs.insert(input.new_tree(&mut runner).unwrap().current().label());
        phases.insert(phase.new_tree(&mut runner).unwrap().current().label());
    }
    assert_eq!((inputs.len(), phases.len()), (39, 13));
}
