//! Both languages say the same things: the same keys, each with the same places.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;

use super::{EN, FR, Texts};
use crate::settings::Language;

/// Every key of these files with the places in its text.
fn keys(files: &[(&str, &str)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut keys = BTreeMap::new();
    for (name, text) in files {
        let resource = FluentResource::try_new((*text).to_owned());
        assert!(
            resource.is_ok(),
            "{name}.ftl cannot be read: {:?}",
            resource.err().map(|(_, faults)| faults)
        );
        let mut key = String::new();
        for line in text.lines() {
            let starts = line.chars().next().is_some_and(|first| first.is_ascii_lowercase());
            if let (true, Some((name_of, _))) = (starts, line.split_once('=')) {
                key = name_of.trim().to_owned();
                assert!(keys.insert(key.clone(), BTreeSet::new()).is_none(), "{key} stands twice");
            }
            let places = line.split('$').skip(1).map(|after| {
                let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
                after[..end.unwrap_or(after.len())].to_owned()
            });
            if !line.starts_with('#') {
                keys.entry(key.clone()).or_default().extend(places);
            }
        }
    }
    keys
}

#[test]
fn french_and_english_are_complete() {
    let (english, french) = (keys(&EN), keys(&FR));
    assert!(english.len() > 1, "the catalogue is empty");
    for (key, places) in &english {
        let Some(same) = french.get(key) else { panic!("{key} is missing in French") };
        assert_eq!(places, same, "the places of {key}");
    }
    for key in french.keys() {
        assert!(english.contains_key(key), "{key} is missing in English");
    }
}

#[test]
fn a_text_has_its_values_and_its_plural() {
    let cases = [
        (Language::En, 1, 0, "1 done."),
        (Language::En, 0, 2, "2 not done."),
        (Language::En, 3, 1, "3 done, 1 not done."),
        (Language::Fr, 1, 0, "1 faite."),
        (Language::Fr, 3, 1, "3 faites, 1 non faite."),
    ];
    for (language, done, failed, expected) in cases {
        let said = super::say!(Texts::of(language), "machine-results", done = done, failed = failed);
        assert_eq!(said, expected, "{language:?}");
    }
    assert_eq!(Texts::of(Language::En).say("no-such-key", &[]), "no-such-key");
}
