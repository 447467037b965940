use entracte_domain::session::{Dialect, SummaryItem, SummaryItemKind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::context::IdentifierSource;
use crate::settings::Language;

const IBAN: &str = "DE89 3704 0044 0532 0130 00";

fn item(key: u32, kind: SummaryItemKind, text: &str) -> SummaryItem {
    SummaryItem { key, kind, text: text.into(), to: None }
}

fn notes() -> Vec<SummaryItem> {
    vec![
        item(3, SummaryItemKind::Fact, "Ann lives in Lyon."),
        item(4, SummaryItemKind::Fact, "The shop closes at six."),
        item(5, SummaryItemKind::Fact, "Rent goes to DE89 3704 0044 0532 0130 00."),
        item(9, SummaryItemKind::Open, "Pay INV-42."),
    ]
}

fn read(reply: &str) -> SummaryPatchCheck {
    let request = format!("Pay INV-42 to {IBAN} by 2026-12-01. I live in Lyon.");
    read_patch(reply, &notes(), &IdentifierSource::of([request.as_str()]), 2_000)
}

/// Checks the faults of a reply, as the model reads them.
fn faulty(reply: &str, expected: &str) {
    let checked = read(reply);
    assert_eq!(fault::lines(Language::En, &checked.faults), expected, "{reply}");
}

#[test]
fn unnamed_items_stay_byte_for_byte() {
    let reply = r#"{"add":[{"kind":"promise","text":"A call on 2026-12-01.","to":"Ann"}],
        "change":[{"key":4,"text":"The shop closes at seven."}],"drop":[{"key":9,"why":"done"}]}"#;
    let checked = read(reply);
    assert_eq!(checked.faults, []);
    let after = apply(&notes(), &checked.patch);
    let promise = SummaryItem {
        key: 10,
        kind: SummaryItemKind::Promise,
        text: "A call on 2026-12-01.".into(),
        to: Some("Ann".into()),
    };
    let changed = item(4, SummaryItemKind::Fact, "The shop closes at seven.");
    assert_eq!(after, [notes()[0].clone(), changed, notes()[2].clone(), promise]);
}

#[test]
fn fence_and_prose_around_patch_are_ignored() {
    let object = r#"{"add":[{"kind":"fact","text":"It rains."}]}"#;
    let bare = read(object);
    assert_eq!(bare.patch.add.len(), 1);
    for reply in [format!("```json\n{object}\n```"), format!("Here {{it}} is [1]:\n{object}\nDone.")] {
        assert_eq!(read(&reply), bare, "{reply}");
    }
    assert_eq!(read("{}"), SummaryPatchCheck::default());
}

#[test]
fn prose_without_object_is_one_fact() {
    let checked = read("Ann wants INV-42 paid.\nShe lives in Lyon.");
    assert_eq!(checked.faults, []);
    let text = "Ann wants INV-42 paid.\nShe lives in Lyon.".to_owned();
    assert_eq!(checked.patch.add, [SummaryItemAddition { kind: SummaryItemKind::Fact, text, to: None }]);
    faulty("  ", "- The answer is empty.");
}

#[test]
fn altered_identifier_is_refused_and_rest_applies() {
    let reply = r#"{"add":[{"kind":"fact","text":"Rent goes to DE89 3704 0044 0532 0130 01."},
        {"kind":"open","text":"Pay INV-42 by 2026-12-01."}]}"#;
    let checked = read(reply);
    assert_eq!(
        checked.faults,
        [SummaryPatchFault::Altered {
            at: "/add/0/text".into(),
            identifier: "DE89 3704 0044 0532 0130 01".into()
        }]
    );
    assert_eq!(checked.patch.add.len(), 1);
    assert_eq!(checked.patch.add[0].text, "Pay INV-42 by 2026-12-01.");
    assert!(!read("The account is DE89370400440532013001.").faults.is_empty(), "also without an object");
}

#[test]
fn patch_drops_at_most_third_of_facts() {
    let drop = |keys: &[u32]| {
        let keys: Vec<_> = keys.iter().map(|key| serde_json::json!({ "key": key, "why": "wrong" })).collect();
        serde_json::json!({ "drop": keys }).to_string()
    };
    assert_eq!(read(&drop(&[3, 9])).faults, []);
    let checked = read(&drop(&[3, 4, 9]));
    assert_eq!(checked.faults, [SummaryPatchFault::Facts { dropped: 2, facts: 3 }]);
    assert_eq!(checked.patch.drop, [SummaryItemRemoval { key: 9, why: SummaryItemRemovalReason::Wrong }]);
}

#[test]
fn every_patch_fault_has_its_text() {
    faulty(
        r#"{"add":[{"kind":"rumour","text":" "}]}"#,
        "\
- /add/0/kind: “rumour” is not one of: fact, decision, promise, open.
- /add/0/text: the text is empty.",
    );
    faulty(
        r#"{"change":[{"key":77,"text":"x"},{"key":"a","text":"y"}],"delete":[]}"#,
        "\
- : unknown field “delete”.
- /change/0/key: there is no note 77.
- /change/1/key: expected 12.",
    );
    faulty(
        r#"{"change":[{"key":9,"text":"x"}],"drop":[{"key":9,"why":"done"}]}"#,
        "\
- /drop/0/key: note 9 is named twice.",
    );
    faulty(
        r#"{"add":{"kind":"fact"},"drop":[9]}"#,
        "\
- /add: expected […].
- /drop/0: expected {…}.
- /drop/0/key: expected 12.
- /drop/0/why: expected \"…\".",
    );
    let long = format!(r#"{{"add":[{{"kind":"fact","text":"{}"}}]}}"#, "x ".repeat(600));
    faulty(&long, "- /add/0/text: the text is longer than 1000 characters.");
    faulty(
        r#"{"add":[]} and {"drop":[]}"#,
        "\
- It contains no single JSON object that can be read: the reply contains 2 JSON objects, expected one that contains everything",
    );
    let cut = read(r#"{"add":[{"kind":"fact","text":"It ra"#);
    assert!(matches!(cut.faults[..], [SummaryPatchFault::NoJson { .. }]), "{cut:?}");
}

#[test]
fn items_beyond_their_share_are_a_fault() {
    let many: Vec<_> =
        (0..40).map(|_| serde_json::json!({ "kind": "fact", "text": "long ".repeat(20) })).collect();
    let checked = read(&serde_json::json!({ "add": many }).to_string());
    assert!(
        matches!(checked.faults[..], [SummaryPatchFault::Size { most: 2_000, .. }]),
        "{:?}",
        checked.faults
    );
    assert_eq!(checked.patch.add.len(), 40);
}

#[test]
fn instruction_states_the_answer_format() {
    let native = patch_instruction(Language::En, Dialect::Tools, SummaryItemsLocation::None, 900);
    let envelope = patch_instruction(Language::En, Dialect::Envelope, SummaryItemsLocation::InRecord, 900);
    assert!(
        native.contains("You have no notes yet.") && native.contains("at most 900 characters"),
        "{native}"
    );
    assert!(native.contains(r#"{"add": [{"kind": "fact", "text": "…"}]"#), "{native}");
    assert!(!native.contains("pre_text") && envelope.contains("pre_text"), "{envelope}");
    let items = notes();
    let here = patch_instruction(Language::En, Dialect::Tools, SummaryItemsLocation::Here(&items), 900);
    assert!(here.contains("[9] open: Pay INV-42."), "{here}");
    let again = retry_instruction(
        Language::Fr,
        Dialect::Tools,
        &[SummaryPatchFault::UnknownKey { at: "/drop/0/key".into(), key: 7 }],
    );
    assert!(again.contains("- /drop/0/key : il n'y a pas de note 7."), "{again}");
}

/// JSON of a patch whose operations may have any kind of fault.
fn generated() -> impl Strategy<Value = String> {
    let key = prop_oneof![select(vec![3_u32, 4, 5, 9]), 0..20_u32];
    let text = prop_oneof![
        select(vec!["It rains.", "Pay INV-42.", "See INV-43.", "", "</entracte>"]).prop_map(String::from),
        "\\PC{0,20}",
    ];
    let kind = select(vec!["fact", "decision", "promise", "open", "rumour"]);
    let why = select(vec!["done", "cancelled", "superseded", "wrong", "because"]);
    let add = vec((kind, text.clone()), 0..4).prop_map(|all| {
        all.into_iter()
            .map(|(kind, text)| serde_json::json!({"kind": kind, "text": text}))
            .collect::<Vec<_>>()
    });
    let change = vec((key.clone(), text), 0..4).prop_map(|all| {
        all.into_iter().map(|(key, text)| serde_json::json!({"key": key, "text": text})).collect::<Vec<_>>()
    });
    let drop = vec((key, why), 0..4).prop_map(|all| {
        all.into_iter().map(|(key, why)| serde_json::json!({"key": key, "why": why})).collect::<Vec<_>>()
    });
    (add, change, drop).prop_map(|(add, change, drop)| {
        serde_json::json!({ "add": add, "change": change, "drop": drop }).to_string()
    })
}

proptest! {
    #[test]
    fn whatever_is_answered_notes_keep_their_keys_and_what_is_unnamed_its_bytes(
        replies in vec(generated(), 1..6),
    ) {
        let mut items = notes();
        for reply in replies {
            let source = "Pay INV-42. DE89 3704 0044 0532 0130 00";
            let SummaryPatchCheck { patch, .. } = read_patch(&reply, &items, &IdentifierSource::of([source]), 2_000);
            let after = apply(&items, &patch);
            prop_assert!(after.windows(2).all(|two| two[0].key < two[1].key), "{:?}", after);
            for before in &items {
                let is_named = patch.change.iter().any(|changed| changed.key == before.key)
                    || patch.drop.iter().any(|dropped| dropped.key == before.key);
                prop_assert!(is_named || after.contains(before), "{:?}", before);
            }
            let facts = items.iter().filter(|item| item.kind == SummaryItemKind::Fact).count();
            let gone = items.iter().filter(|item| {
                item.kind == SummaryItemKind::Fact && after.iter().all(|still| still.key != item.key)
            });
            prop_assert!(gone.count() * 3 <= facts);
            prop_assert!(after.iter().all(|item| !item.text.contains("INV-43") && !item.text.is_empty()));
            items = after;
        }
    }

    #[test]
    fn any_reply_can_be_read(reply in "\\PC{0,80}") {
        let SummaryPatchCheck { patch, .. } = read(&reply);
        let _ = apply(&notes(), &patch);
    }
}
