//! Every shape is declared once: hand-written conversions beside a declaration would drift apart.

use std::collections::BTreeSet;
use std::path::Path;

/// The shapes with hand-written conversions, each with the reason why a declared list of fields is not enough.
const BY_HAND: [(&str, &str); 30] = [
    ("AddRuleV1", "its rule is flat"),
    ("AgentV1", "its rights are read back only through their checks"),
    ("AgentStartV1", "the same, and its link is left out where it is known"),
    ("AiResponseV1", "the raw turn and the calls are stored beside the message"),
    ("AlwaysRuleV1", "its scope and its uses are flat"),
    ("AppendedV1", "what the entry says already is left out"),
    ("ArrivalV1", "a result is flat"),
    ("CallResultV1", "words that are JSON stand as they are"),
    ("DeletionV1", "its row says the rest"),
    ("EntryV1", "its row says the rest"),
    ("HashV1", "64 digits are 32 bytes"),
    ("JsonTextV1", "text that is JSON stands as it is"),
    ("LastV1", "two forms of before"),
    ("LedgerCallV1", "its row says the rest"),
    ("LinkV1", "two texts are one"),
    ("MailV1", "the session of its request stands beside it"),
    ("MailAnswerV1", "a version around an enum"),
    ("NamesV1", "none at all is every name"),
    ("PartV1", "keys of sentences were renamed"),
    ("PoliciesV1", "the window is flat"),
    ("RecurringV1", "a store may keep it once"),
    ("RestrictionV1", "all commands are a pattern"),
    ("RightsV1", "they are read back only through their checks"),
    ("SeenV1", "two short hashes are one"),
    ("SegmentV1", "an enrichment is flat"),
    ("SnapshotV1", "why a session is parked is a part of its phase, and stands with its facts"),
    ("SpeechV1", "words alone are a text"),
    ("SystemMessageV1", "it is a message by itself"),
    ("TargetV1", "its row says the rest"),
    ("TaskV1", "its row says the rest"),
];

/// The shapes that a source file converts by hand: the types after `impl From<&…> for`, or in `impl From<…> for` a
/// domain type.
fn by_hand(source: &str) -> BTreeSet<String> {
    let shapes = source.lines().filter_map(|line| line.strip_prefix("impl From<")).map(|rest| {
        let (from, to) = rest.split_once("> for ").unwrap_or((rest, ""));
        let to = to.trim_end_matches(" {");
        if from.starts_with('&') { to.to_owned() } else { from.to_owned() }
    });
    shapes.collect()
}

#[test]
fn a_shape_is_declared_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/codec/v1");
    let mut found = BTreeSet::new();
    let mut declared = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.ends_with("shape.rs") {
            continue;
        }
        let source = std::fs::read_to_string(path).unwrap();
        found.append(&mut by_hand(&source));
        declared += source.matches("\nshape! {\n").count();
    }
    let known: BTreeSet<String> = BY_HAND.iter().map(|(shape, _)| (*shape).to_owned()).collect();
    assert_eq!(found, known, "declare it with shape!, or say here why it cannot be");
    assert!(declared > 3 * BY_HAND.len(), "{declared}");
}

#[test]
fn a_conversion_by_hand_is_found() {
    let source = "impl From<&domain::Call> for Call {\n}\n\nimpl From<Other> for domain::Other {\n}\n";
    assert_eq!(by_hand(source), ["Call", "Other"].map(str::to_owned).into());
}
