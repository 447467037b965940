//! The turn of a workspace: its questions have no list beside them, its functions are small.

use std::collections::{BTreeMap, BTreeSet};

use super::super::syntax::{ModuleSyntax, PACKAGES, ParsedFile, parsed_files};

const TURN: &str = "application/src/runtime/turn";
/// The most lines of a function of the turn.
const MAX_FUNCTION_LINES: usize = 80;
/// The most methods of a type anywhere.
const MAX_METHODS: usize = 60;

/// The files below a folder that are not of tests.
fn files(folder: &str) -> impl Iterator<Item = &'static ParsedFile> {
    parsed_files().iter().filter(move |file| file.is_within(folder) && !file.is_test)
}

fn modules(folder: &str) -> impl Iterator<Item = &'static ModuleSyntax> {
    files(folder).flat_map(|file| &file.modules)
}

/// A question is declared beside its `impl`. An enum of the questions, or a match over them, would be a second list.
#[test]
fn turn_question_is_declared_once() {
    let mut questions = BTreeSet::new();
    for module in modules("application/src") {
        for owner in &module.trait_impls {
            let is_question = |name: &String| name == "TurnQuestion";
            if !owner.trait_name.as_ref().and_then(|name| name.path.last()).is_some_and(is_question) {
                continue;
            }
            let name = owner.kind.path.last().unwrap();
            let folder = format!("{TURN}/questions/");
            assert!(module.file.starts_with(&folder), "{name} is a question outside of {folder}");
            assert!(module.types.contains_key(name), "{name} is declared elsewhere than in {}", module.file);
            assert!(questions.insert(name.as_str()), "{name} is a question twice");
        }
    }
    assert!(questions.len() > 20, "{questions:?}");
    for module in modules("application/src") {
        let listed: Vec<_> = questions.iter().filter(|name| module.listed_names.contains(**name)).collect();
        assert!(listed.is_empty(), "{} has {listed:?} in an enum or in a match", module.file);
    }
}

#[test]
fn turn_functions_are_small() {
    let mut seen = 0;
    let mut long = Vec::new();
    for file in files(TURN) {
        seen += file.function_lines.len();
        let of_file = file.function_lines.iter().filter(|function| function.lines > MAX_FUNCTION_LINES);
        long.extend(of_file.map(|function| format!("{} {}: {}", file.path, function.name, function.lines)));
    }
    assert!(seen > 150, "{seen} functions are seen");
    assert!(long.is_empty(), "functions of more than {MAX_FUNCTION_LINES} lines: {long:#?}");
}

/// Methods of all `impl`s of a type count, those of traits do not.
#[test]
fn types_have_few_methods() {
    for package in PACKAGES {
        let mut methods: BTreeMap<&str, usize> = BTreeMap::new();
        for function in modules(&format!("{package}/src")).flat_map(|module| &module.functions) {
            let own = function.owner.as_ref().filter(|owner| owner.trait_name.is_none());
            if let Some(name) = own.and_then(|owner| owner.kind.path.last()) {
                *methods.entry(name).or_default() += 1;
            }
        }
        assert!(methods.len() > 20, "the types of {package} are seen");
        let large: Vec<_> = methods.iter().filter(|(_, count)| **count > MAX_METHODS).collect();
        assert!(large.is_empty(), "more than {MAX_METHODS} methods in {package}: {large:?}");
    }
}
