//! Every shape is declared once: hand-written conversions beside a declaration would drift apart.

use std::collections::BTreeSet;
use std::path::Path;

/// The shapes with hand-written conversions, each with the reason why a declared list of fields is not enough.
const BY_HAND: [(&str, &str); 28] = [
    ("Agent", "its rights are read back only through their checks"),
    ("AgentStart", "the same, and its link is left out where it is known"),
    ("AiResponse", "the raw turn and the calls are told apart from the message"),
    ("AlwaysRule", "its scope and its uses are flat"),
    ("Appended", "what the entry says already is left out"),
    ("Arrival", "a result is flat"),
    ("CallResult", "words that are JSON stand as they are"),
    ("Deletion", "its row says the rest"),
    ("Entry", "its row says the rest"),
    ("Hash", "64 digits are 32 bytes"),
    ("JsonText", "text that is JSON stands as it is"),
    ("Last", "two forms of before"),
    ("LedgerCall", "its row says the rest"),
    ("Link", "two texts are one"),
    ("MailAnswer", "a version around an enum"),
    ("Names", "none at all is every name"),
    ("Part", "keys of sentences were renamed"),
    ("Policies", "the window is flat"),
    ("Recurring", "a store may keep it once"),
    ("Restriction", "all commands are a pattern"),
    ("Rights", "they are read back only through their checks"),
    ("Seen", "two short hashes are one"),
    ("Segment", "an enrichment is flat"),
    ("Snapshot", "why a session is parked is a part of its phase, and stands with its facts"),
    ("Speech", "words alone are a text"),
    ("SystemMessage", "it is a message by itself"),
    ("Target", "its row says the rest"),
    ("Task", "its row says the rest"),
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
