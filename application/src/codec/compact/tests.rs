use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use entracte_domain::call::CallStatus;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::id::SessionId;
use entracte_domain::keyword_enum::KeywordEnum;
use entracte_domain::message::SystemKind;
use entracte_domain::session::{EndReason, RoundReason, SessionKind, TransientPhase};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::{from_slice, to_vec, word_table};
use crate::codec::tests::arbitrary;
use crate::codec::{CallPosition, encode_call, encode_entry, encode_snapshot};
use crate::journal::Snapshot;

thread_local! {
    /// The names of fields and variants that were written.
    static NAMES: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
}

pub(super) fn note(name: &'static str) {
    NAMES.with_borrow_mut(|names| names.insert(name));
}

#[test]
fn every_builtin_name_and_word_has_number() {
    let mut runner = TestRunner::deterministic();
    // Made once: a strategy holds those of all variants, a value is of one.
    let (entries, snapshots, calls) = (arbitrary::entry(), arbitrary::snapshot(), arbitrary::call());
    for _ in 0..2_000 {
        encode_entry(&entries.new_tree(&mut runner).unwrap().current()).unwrap();
        let Snapshot { facts, phase } = snapshots.new_tree(&mut runner).unwrap().current();
        encode_snapshot(&facts, &phase).unwrap();
        let call = calls.new_tree(&mut runner).unwrap().current();
        encode_call(&call, CallPosition { session: &SessionId::new("ses_a"), sequence: 1, ordinal: 0 }, None)
            .unwrap();
    }
    let names: Vec<&str> = NAMES.with_borrow(|names| names.iter().copied().collect());
    assert!(names.len() > 300, "{}", names.len());
    let of_enums = [
        CallStatus::WORDS,
        CommandKind::WORDS,
        EffectClass::WORDS,
        EndReason::WORDS,
        TransientPhase::WORDS,
        RoundReason::WORDS,
        SessionKind::WORDS,
        SystemKind::WORDS,
    ];
    let without: Vec<&str> = names
        .into_iter()
        .chain(of_enums.concat())
        .filter(|word| word_table::word_number(word).is_none())
        .collect();
    assert!(without.is_empty(), "add them at the end of the words: {without:?}");
}

#[test]
fn a_word_has_one_number() {
    let mut number = 0;
    while let Some(word) = word_table::word_by_number(number) {
        assert_eq!(word_table::word_number(word).map(u64::from), Some(number), "{word}");
        number += 1;
    }
    assert_eq!(word_table::word_number("what a person says"), None);
}

/// Encodes a value to the expected bytes, and decodes it again.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, bytes: &[u8]) {
    assert_eq!(to_vec(value).unwrap(), (bytes.to_vec(), Vec::new()), "{value:?}");
    assert_eq!(from_slice::<T>(bytes, &[]).unwrap(), *value, "{bytes:x?}");
}

#[test]
fn values_encode_to_tag_and_content() {
    check(&0_u64, &[0x00]);
    check(&63_u32, &[0x3f]);
    check(&64_u8, &[0x83, 0x40]);
    check(&300_i64, &[0x83, 0xac, 0x02]);
    check(&u64::MAX, &[0x83, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    check(&-1_i64, &[0x84, 0x00]);
    check(&i64::MIN, &[0x84, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    check(&(true, false, None::<u8>), &[0x93, 0x82, 0x81, 0x80]);
    check(&"zoé".to_owned(), &[0x44, b'z', b'o', 0xc3, 0xa9]);
    check(&vec![Some("input".to_owned())], &[0x91, 0xb0]);
    check(&BTreeMap::from([("x".to_owned(), 1_u8)]), &[0xa1, 0x41, b'x', 0x01]);
}

#[test]
fn invalid_bytes_are_refused() {
    let says = |bytes: &[u8]| from_slice::<Vec<u32>>(bytes, &[]).unwrap_err().to_string();
    assert_eq!(says(&[]), "it is cut short");
    assert_eq!(says(&[0x92, 0x01]), "it is cut short");
    assert_eq!(says(&[0x90, 0x00]), "1 bytes follow its end");
    assert_eq!(says(&[0x8c]), "a value begins with 0x8c");
    assert_eq!(says(&[0x8b, 0]), "a hash that recurs does not stand before it");
    assert_eq!(
        says(&[0x91, 0x83, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
        "a number is too large"
    );
    assert_eq!(says(&[0x88, 0xff, 0xff, 0xff, 0xff, 0x0f]), "it is cut short");
    assert_eq!(
        from_slice::<IgnoredAny>(&[0x91; 1000], &[]).unwrap_err().to_string(),
        "lists and objects are nested too deeply"
    );
    assert_eq!(
        from_slice::<String>(&[0x41, 0xff], &[]).unwrap_err().to_string(),
        "invalid utf-8 sequence of 1 bytes from index 0"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = from_slice::<IgnoredAny>(&bytes, &[]);
    }
}
