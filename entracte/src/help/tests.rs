use std::collections::BTreeSet;

use clap::{Command, CommandFactory};
use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;

use super::phrases::RETIRED;
use super::*;

const FRENCH: &str = include_str!("../../../application/src/texts/fr/help.ftl");

/// The texts in the help, and the keys of each: one of them must have a text.
fn wanted(command: &Command, path: &str, all: &mut Vec<(String, Vec<String>)>) {
    let key = about_key(command.get_name(), path);
    let says = |text: Option<&clap::builder::StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    all.push((says(command.get_about()), vec![key.clone()]));
    if command.get_long_about().is_some_and(|long| Some(long) != command.get_about()) {
        all.push((says(command.get_long_about()), vec![format!("{key}-long")]));
    }
    if command.get_after_help().is_some() {
        all.push((says(command.get_after_help()), vec![format!("{path}-after")]));
    }
    for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
        let keys = argument_keys(argument, path);
        let with = |more: &str| keys.iter().map(|key| format!("{key}{more}")).collect::<Vec<_>>();
        all.push((says(argument.get_help()), with("")));
        if argument.get_long_help().is_some() {
            let of_help: &[&str] = if argument.get_id() == HELP { &["-more", "-less"] } else { &["-long"] };
            all.extend(of_help.iter().map(|more| (says(argument.get_long_help()), with(more))));
        }
        if let Some(heading) = argument.get_help_heading() {
            all.push((heading.to_owned(), vec![heading_key(heading)]));
        }
        let values = shown_values(argument);
        // The names of shells, and yes or no, need no explanation.
        let is_plain = |name: &str| argument.get_id() == "shell" || matches!(name, "true" | "false");
        for value in values.iter().filter(|value| !is_plain(value.get_name())) {
            all.push((says(value.get_help()), vec![value_key(argument, value)]));
        }
    }
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        if inner.get_name() == HELP {
            all.push((says(inner.get_about()), vec!["help-help".to_owned()]));
        } else {
            wanted(inner, &path_of(path, inner.get_name()), all);
        }
    }
}

fn all_wanted() -> Vec<(String, Vec<String>)> {
    let mut command = Cli::command();
    command.build();
    let mut all = Vec::new();
    wanted(&command, ROOT, &mut all);
    all
}

#[test]
fn help_is_complete_in_french() {
    let texts = LocalizedTexts::for_language(Language::Fr);
    let all = all_wanted();
    assert!(all.len() > 200, "the commands are found: {}", all.len());
    for (english, keys) in &all {
        assert!(!english.trim().is_empty(), "{keys:?} has no doc comment");
        assert!(keys.iter().any(|key| texts.has(key)), "“{english}” has no French text: {keys:?}");
    }
    let mut known: BTreeSet<&str> =
        all.iter().flat_map(|(_, keys)| keys.iter().map(String::as_str)).collect();
    known.extend([
        "help-usage",
        "help-commands",
        "help-command-name",
        "help-arg--subcommand",
        "help-after-demo",
    ]);
    let keys = FRENCH.lines().filter_map(|line| line.split_once(" =")).map(|(key, _)| key);
    for key in keys.filter(|key| key.starts_with("help-")) {
        let said_elsewhere =
            ["help-note-", "help-error-", "help-name-"].iter().any(|begin| key.starts_with(begin));
        assert!(said_elsewhere || known.contains(key), "{key} has a text and nothing shows it");
    }
}

/// The long help of a command and of all its subcommands.
fn rendered(command: &mut Command, all: &mut Vec<String>) {
    all.push(command.render_long_help().to_string());
    all.push(command.render_help().to_string());
    let inner =
        command.get_subcommands_mut().filter(|inner| !inner.is_hide_set() && inner.get_name() != HELP);
    inner.for_each(|inner| rendered(inner, all));
}

fn help_in(language: Language) -> Vec<String> {
    let mut command = command(LocalizedTexts::for_language(language));
    command.build();
    let mut all = Vec::new();
    rendered(&mut command, &mut all);
    all
}

#[test]
fn french_help_holds_no_english_words() {
    let english = [
        "Usage:",
        "Commands:",
        "Print ",
        "[default",
        "[possible",
        "Possible values",
        "Global options",
        "The session",
        "When it runs",
        "COMMAND>",
        "Exit codes",
    ];
    for text in help_in(Language::Fr) {
        for phrase in english {
            assert!(!text.contains(phrase), "“{phrase}” in:\n{text}");
        }
    }
}

#[test]
fn headings_and_names_of_values_are_french() {
    let texts = LocalizedTexts::for_language(Language::Fr);
    let line = ["entracte", "provider", "add", "--help"].map(OsString::from);
    let help = shown(&parse(texts, None, line).expect_err("it is help"), texts);
    for part in ["\nArguments\u{a0}:\n", "\nOptions\u{a0}:\n", "<FICHIER>", "<CLÉ=VALEUR>", "<NOM>"] {
        assert!(help.contains(part), "{part:?} is not in:\n{help}");
    }
    assert!(!help.contains("Options:"), "{help}");
}

#[test]
fn no_retired_phrase_in_help() {
    for text in [Language::En, Language::Fr].into_iter().flat_map(help_in) {
        for phrase in RETIRED {
            assert!(!text.contains(phrase), "“{phrase}” in:\n{text}");
        }
    }
}

#[test]
fn usage_errors_are_french() {
    let texts = LocalizedTexts::for_language(Language::Fr);
    let cases = [
        (
            &["session", "lst"][..],
            "la commande «\u{a0}lst\u{a0}» n’existe pas\u{a0}; vouliez-vous dire «\u{a0}list\u{a0}»\u{a0}?",
        ),
        (
            &["session", "list", "--opne"],
            "l’argument «\u{a0}--opne\u{a0}» n’existe pas ici\u{a0}; vouliez-vous dire «\u{a0}--open\u{a0}»\u{a0}?",
        ),
        (
            &["session", "list", "--limit", "x"],
            "«\u{a0}x\u{a0}» n’est pas une valeur valide pour --limit <LIMITE>",
        ),
        (
            &["settle", "cal_1", "maybe"],
            "«\u{a0}maybe\u{a0}» n’est pas une valeur valide pour <CONSTAT> [valeurs possibles\u{a0}: happened,",
        ),
        (&["settle", "cal_1"], "il manque\u{a0}: <CONSTAT>"),
        (&["session", "verify", "s", "--all"], "[SESSION] ne va pas avec --all"),
    ];
    for (arguments, expected) in cases {
        let line = ["entracte"].iter().chain(arguments).map(OsString::from);
        let error = parse(texts, None, line).expect_err("it is wrong");
        let says = fault(&error, texts);
        assert!(says.starts_with(expected), "{says}");
        assert!(!says.contains("Usage:"), "{says}");
    }
}

#[test]
fn hidden_aliases_are_still_read() {
    for alias in ["--require-approval", "--require-validation"] {
        let line = ["entracte", "chat", alias].map(OsString::from);
        assert!(parse(LocalizedTexts::for_language(Language::En), None, line).is_ok(), "{alias}");
    }
    for found in ["did-not-happen", "absent", "happened"] {
        let line = ["entracte", "settle", "cal_1", found].map(OsString::from);
        assert!(parse(LocalizedTexts::for_language(Language::En), None, line).is_ok(), "{found}");
    }
    let help = help_in(Language::En).concat();
    assert!(!help.contains("require-validation") && !help.contains("absent"));
}
