//! Every fault of a configuration and every refusal over HTTP has its words in both languages, and every text of one
//! is said somewhere.

#![expect(clippy::unwrap_used, reason = "these are the helpers of a test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use entracte_application::texts::{Language, LocalizedTexts};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The sources of a crate, without its tests.
fn sources(folder: &Path, into: &mut String) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match (path.is_dir(), name.as_str()) {
            (_, "tests" | "tests.rs") => {}
            (true, _) => sources(&path, into),
            (false, name) if name.ends_with(".rs") => {
                into.push_str(&std::fs::read_to_string(&path).unwrap());
            }
            (false, _) => {}
        }
    }
}

/// What stands between quotes after this word.
fn after(text: &str, word: &str) -> BTreeSet<String> {
    let literals = text.split(word).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
    literals.filter_map(|rest| rest.split_once('"')).map(|(key, _)| key.to_owned()).collect()
}

/// Input: the keys of everything that is said before its language is known, read from the sources of every crate;
/// expected: each has a text in both languages, every text of a fault is said, and no two languages say the same.
#[test]
fn every_fault_of_a_configuration_is_said_in_both_languages() {
    let mut text = String::new();
    for name in ["adapters-commands", "adapters-http", "adapters-providers", "application", "entracte"] {
        sources(&root().join(name).join("src"), &mut text);
    }
    let said = after(&text, "saying!(");
    assert!(said.len() > 100, "they are found: {said:?}");
    // These hand words on.
    let plain = ["fault-words", "automation-trigger", "request-no-provider", "outage-other"];
    for key in &said {
        let [english, french] = Language::ALL.map(|language| {
            assert!(LocalizedTexts::for_language(language).has(key), "{key} has no text in {language:?}");
            LocalizedTexts::for_language(language).render(key, &[])
        });
        assert!(plain.contains(&key.as_str()) || english != french, "{key}: {english}");
    }
    for (file, prefix) in [("faults", "fault-"), ("problems", "refusal-")] {
        let catalogue = root().join(format!("application/src/texts/en/{file}.ftl"));
        let texts = std::fs::read_to_string(catalogue).unwrap();
        for line in texts.lines().filter(|line| line.starts_with(prefix)) {
            let key = line.split(' ').next().unwrap();
            assert!(said.contains(key), "{key} has a text and is never said");
        }
    }
}
