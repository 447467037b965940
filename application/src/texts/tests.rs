//! Both languages have the same keys, each with the same placeholders.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::call::CallStatus;
use entracte_domain::id::{CallId, MessageId};
use entracte_domain::localizable_text::{LocalizableText, LocalizableTextPart, sentences};
use entracte_domain::message::{Author, CommandResult, Message, MessageBody, SystemKind, SystemMessage};
use entracte_domain::time::Timestamp;
use fluent_bundle::FluentResource;

use super::{EN, FR, FR_HELP, LocalizedTexts};
use crate::command_naming::CommandNaming;
use crate::settings::Language;

/// Every key of these files with the placeholders of its text.
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
    let (english, french) = (keys(EN), keys(FR));
    assert!(english.len() > 1, "the catalogue is empty");
    for (key, places) in &english {
        let Some(same) = french.get(key) else { panic!("{key} is missing in French") };
        assert_eq!(places, same, "the places of {key}");
    }
    for key in french.keys() {
        assert!(english.contains_key(key), "{key} is missing in English");
    }
    assert!(sentences::ALL.len() > 50, "the sentences of the machine are found");
    for (key, names) in sentences::ALL {
        let Some(places) = english.get(*key) else { panic!("{key} is said and has no text") };
        assert_eq!(*places, names.iter().map(|&name| name.to_owned()).collect(), "the values of {key}");
    }
    let said: BTreeSet<&str> = sentences::ALL.iter().map(|(key, _)| *key).collect();
    for key in english.keys().filter(|key| key.starts_with("machine-")) {
        assert!(said.contains(key.as_str()), "{key} has a text and is never said");
    }
}

/// Input: the hints of the command line; expected: each belongs to an existing text, or to the code of a failed call,
/// and only uses values that text has.
#[test]
fn every_hint_has_text_and_available_values() {
    let english = keys(EN);
    let hints = english.iter().filter_map(|(key, places)| Some((key.strip_prefix("hint-")?, places)));
    let of_code = BTreeSet::from(["command".to_owned(), "server".to_owned()]);
    let mut count = 0;
    for (key, needed) in hints {
        let has = english.get(key).unwrap_or(&of_code);
        assert!(needed.contains("says"), "hint-{key} leaves out what is said");
        let unknown: Vec<&String> =
            needed.iter().filter(|name| *name != "says" && !has.contains(*name)).collect();
        assert!(unknown.is_empty(), "hint-{key} needs {unknown:?}");
        count += 1;
    }
    assert!(count > 40, "the hints are found");
}

/// Input: every file; expected: each key found without parsing has a text, and texts only refer to texts of their own
/// file.
#[test]
fn keys_are_known_before_file_is_parsed() {
    for language in [Language::En, Language::Fr] {
        let texts = LocalizedTexts::for_language(language);
        for (key, number) in &texts.file_of {
            let found = texts.files[*number].bundle().get_message(key).and_then(|message| message.value());
            assert!(found.is_some(), "{language:?}: {key} has no text");
        }
        let count: usize = texts.files.iter().map(|file| file.keys().count()).sum();
        assert_eq!(count, texts.file_of.len(), "{language:?}: a key stands in two files");
    }
    for (name, text) in [EN, FR, &[FR_HELP]].concat() {
        let own: BTreeSet<String> = keys(&[(name, text)]).into_keys().collect();
        let within = text.split("{ ").skip(1).filter_map(|after| after.split_once(" }"));
        for (reference, _) in within
            .filter(|(reference, _)| reference.starts_with(|c: char| c == '-' || c.is_ascii_lowercase()))
        {
            assert!(own.contains(reference), "{name}: {reference} stands elsewhere");
        }
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
        let said = super::say!(
            LocalizedTexts::for_language(language),
            "machine-results",
            done = done,
            failed = failed
        );
        assert_eq!(said, expected, "{language:?}");
    }
    assert_eq!(LocalizedTexts::for_language(Language::En).render("no-such-key", &[]), "no-such-key");
}

#[test]
fn machine_texts_use_requested_language() {
    let failure = sentences::failure_at("zones.create", "NAME_TAKEN", "/name")
        .with_appended(", ")
        .with_appended("NOPE");
    let cases: [(LocalizableText, &str, &str); 5] = [
        (
            sentences::limit_rounds(40, 40),
            "Limit reached: 40 rounds (limits.rounds = 40).",
            "Limite atteinte\u{a0}: 40 tours (limits.rounds = 40).",
        ),
        (
            sentences::limit_rounds(1, 1),
            "Limit reached: 1 round (limits.rounds = 1).",
            "Limite atteinte\u{a0}: 1 tour (limits.rounds = 1).",
        ),
        (
            sentences::limit_equal_failures(3, failure),
            "Limit reached: the same failure occurred 3 times in a row (limits.equal_failures = 3): \
             zones.create NAME_TAKEN at /name, NOPE.",
            "Limite atteinte\u{a0}: le même échec s’est produit 3 fois de suite (limits.equal_failures = 3)\u{a0}: \
             zones.create NAME_TAKEN à /name, NOPE.",
        ),
        (
            sentences::results(1, 1).with_appended(" ").with_appended(sentences::keep_control_ignored()),
            "1 done, 1 not done. `keep_control` was ignored, because there were no actions.",
            "1 faite, 1 non faite. `keep_control` a été ignoré, car il n’y avait aucune action.",
        ),
        (
            LocalizableText::from_words("{ $zone } as ann wrote it"),
            "{ $zone } as ann wrote it",
            "{ $zone } as ann wrote it",
        ),
    ];
    for (speech, english, french) in cases {
        assert_eq!(LocalizedTexts::for_language(Language::En).render_speech(&speech), english);
        assert_eq!(LocalizedTexts::for_language(Language::Fr).render_speech(&speech), french);
    }
}

#[test]
fn message_is_rendered_once_with_separate_count() {
    let result = CommandResult {
        call: CallId::new("cal_a_1_0"),
        provider_call_id: None,
        command: "zones.create".into(),
        status: CallStatus::Rejected,
        code: None,
        content: sentences::rejected().with_appended(" ").with_appended(sentences::edited_arguments("{}")),
        files: Vec::new(),
    };
    let body = MessageBody::System(SystemMessage {
        kind: SystemKind::ActionsExecuted,
        results: vec![result],
        summary: sentences::results(0, 1).with_appended(" ").with_appended(sentences::keep_control_ignored()),
        formatted_data: Some(sentences::stopped()),
    });
    let mut message = Message {
        id: MessageId::new("msg_a_1_1"),
        at: Timestamp(0),
        author: Author::System,
        body,
        exclude_from_prompt: false,
    };
    LocalizedTexts::for_language(Language::Fr).render_message(CommandNaming::Types, &mut message);
    let french = message.clone();
    LocalizedTexts::for_language(Language::En).render_message(CommandNaming::Types, &mut message);
    assert_eq!(message, french, "what was said is not said in other words");

    let MessageBody::System(said) = message.body else { panic!("{:?}", message.body) };
    let first = said.summary.parts().next().map(LocalizableTextPart::plain_text);
    assert_eq!((first, said.summary.parts().count()), (Some("1 non faite."), 3));
    let content =
        "l’utilisateur a refusé (l’utilisateur a modifié les paramètres\u{a0}; exécuté avec\u{a0}: {})";
    assert_eq!(said.results[0].content.as_words(), Some(content));
    assert_eq!(said.formatted_data, Some("arrêté".into()));
}

#[test]
fn field_is_named_in_each_language() {
    let names = |language: Language| {
        ["name", "require_validation", "config.unit", "entry.2", "of_a_tool"]
            .map(|key| LocalizedTexts::for_language(language).field(key))
    };
    assert_eq!(names(Language::En), ["name", "approval required", "setting unit", "entry 2", "of_a_tool"]);
    assert_eq!(names(Language::Fr), ["nom", "approbation demandée", "réglage unit", "entrée 2", "of_a_tool"]);
}
