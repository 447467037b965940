//! Names: a type is a noun that nothing else is called, a function takes no tuples, and the glossary holds for all of them.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::syntax::{FileDefinitions, ParsedFile, TypeDefinition, parsed_files, root};

/// Modules whose types say what goes over the wire to a model API; they repeat the names that the API gives them.
const WIRE_MODULES: [&str; 3] = [
    "adapters-providers/src/anthropic_messages/wire.rs",
    "adapters-providers/src/chat_completions/wire.rs",
    "adapters-providers/src/responses/wire.rs",
];

/// Type names that end like a participle, each with the reason why it is a noun or a type-state.
const NOUNS: [(&str, &str); 2] = [
    ("RequestNotApplied", "the answer to a request that changed nothing, beside the applied one"),
    ("UserMessageSent", "an event is a fact that happened, named in the past tense"),
];

/// Functions that take several integers of one type, each with the reason why none is mistaken for another.
const INTEGER_PAIRS: [(&str, &str); 14] = [
    ("adapters-commands/src/egress/address.rs inner", "the two halves of one address, in its order"),
    ("adapters-commands/src/mcp/backoff.rs new", "the bounds of one range, in its order"),
    ("adapters-commands/src/resources/call_context.rs number", "the default and the bound of one argument"),
    ("adapters-db/src/ownership/advisory_lock.rs compare", "two epochs that are compared"),
    ("application/src/codec/v1/input.rs of", "a macro passes the fields of the input by their names"),
    ("application/src/commands/results.rs page", "the start and the length of a page, both in characters"),
    ("application/src/context/summary_record.rs leaves_prompt", "two sequence numbers that are compared"),
    ("application/src/knowledge/ranking.rs rareness", "a part of a whole"),
    ("application/src/ports/memory_rows.rs expect_version", "two versions that are compared"),
    ("application/src/prompt/projection/restart.rs earlier_user_tokens", "two positions in the same turns"),
    ("application/src/terminal_text.rs argument_lines", "the height and the width of a text in a terminal"),
    ("application/src/use_cases/measure_session.rs hundredths", "a part of a whole"),
    ("entracte/src/commands/knowledge/progress_bar.rs bar", "a part of a whole"),
    ("entracte/src/commands/prompt.rs share", "a part of a whole"),
];

/// The most of all type names, in percent, that are one word.
const ONE_WORD_PERCENT: usize = 15;
/// The most of all type names, in percent, that have several definitions.
const REPEATED_PERCENT: usize = 5;

/// What the source defines.
#[derive(Default)]
struct Source {
    types: Vec<TypeDefinition>,
    /// Functions that take a tuple, with their files.
    tuple_parameters: Vec<String>,
    /// Functions that take several integers of one type, with their files and these parameters.
    integer_parameters: BTreeMap<String, Vec<String>>,
}

impl Source {
    /// The source of every crate without tests.
    fn read() -> Self {
        let mut source = Self::default();
        files(&CRATES).filter(|file| !file.is_test).for_each(|file| source.add(&file.definitions));
        source
    }

    /// Adds what a file defines.
    fn add(&mut self, file: &FileDefinitions) {
        self.types.extend_from_slice(&file.types);
        self.tuple_parameters.extend_from_slice(&file.tuple_parameters);
        self.integer_parameters.extend(file.integer_parameters.clone());
    }

    /// The definitions by name.
    fn by_name(&self) -> BTreeMap<&str, Vec<&TypeDefinition>> {
        let mut names: BTreeMap<&str, Vec<&TypeDefinition>> = BTreeMap::new();
        for definition in &self.types {
            names.entry(&definition.name).or_default().push(definition);
        }
        names
    }
}

/// Folders of the crates' sources.
const CRATES: [&str; 7] = [
    "domain/src",
    "application/src",
    "adapters-db/src",
    "adapters-providers/src",
    "adapters-commands/src",
    "adapters-http/src",
    "entracte/src",
];
/// Folders of the tests whose types the glossary names.
const TESTS: [&str; 5] =
    ["tests/src", "tests/tests", "app-cli/tests", "adapters-http/tests", "application/test-support"];

/// The files of these folders and of those in them, sorted.
fn files(folders: &[&str]) -> impl Iterator<Item = &'static ParsedFile> {
    let is_within = |file: &&ParsedFile| folders.iter().any(|folder| file.is_within(folder));
    parsed_files().iter().filter(is_within)
}

/// The words of a type name: `ApprovalCard` has two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if words.is_empty() || (letter.is_ascii_uppercase() && was_lower) {
            words.push(String::new());
        }
        words.last_mut().unwrap().push(letter);
        was_lower = !letter.is_ascii_uppercase();
    }
    words
}

/// A row of the glossary: its types and the names that it retires.
struct GlossaryRow {
    types: Vec<String>,
    retired: Vec<String>,
}

fn glossary() -> Vec<GlossaryRow> {
    let text = fs::read_to_string(root().join("docs/GLOSSARY.md")).unwrap();
    let rows = text
        .lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|---") && !line.starts_with("| term "));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        GlossaryRow { types: quoted(cells[1]), retired: quoted(cells.last().unwrap()) }
    };
    rows.map(row).collect()
}

/// The texts in backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).div_ceil(whole)
}

#[test]
fn type_names_are_unique() {
    let source = Source::read();
    let names = source.by_name();
    assert!(names.len() > 1_000, "{}", names.len());
    let repeated: Vec<_> = names.iter().filter(|(_, definitions)| definitions.len() > 1).collect();
    let of_all = percent(repeated.len(), names.len());
    assert!(of_all <= REPEATED_PERCENT, "{of_all} % of the type names have several definitions");
    let shared = repeated.iter().filter(|(_, definitions)| {
        let ours = definitions.iter().filter(|definition| !WIRE_MODULES.contains(&definition.file.as_str()));
        let ours: Vec<_> = ours.collect();
        ours.len() > 1 && ours.iter().any(|definition| definition.is_shared)
    });
    let places = |definitions: &[&TypeDefinition]| {
        definitions.iter().map(|definition| definition.file.as_str()).collect::<Vec<_>>().join(", ")
    };
    let shared: Vec<String> =
        shared.map(|(name, definitions)| format!("{name}: {}", places(definitions))).collect();
    assert!(shared.is_empty(), "{}", shared.join("\n"));
}

#[test]
fn one_word_type_names_are_few() {
    let source = Source::read();
    let names = source.by_name();
    let one_word = names.keys().filter(|name| words(name).len() == 1).count();
    let of_all = percent(one_word, names.len());
    assert!(of_all <= ONE_WORD_PERCENT, "{of_all} % of the type names are one word");
}

#[test]
fn type_names_are_nouns() {
    let irregular = [
        "Begun", "Done", "Found", "Given", "Gone", "Heard", "Held", "Kept", "Known", "Left", "Made", "Said",
        "Seen", "Sent", "Shown", "Spent", "Spoken", "Taken", "Told", "Written",
    ];
    let is_participle = |name: &str| {
        let words = words(name);
        let last = words.last().unwrap();
        irregular.contains(&last.as_str()) || (last.len() > 4 && last.ends_with("ed"))
    };
    let source = Source::read();
    let allowed: BTreeSet<&str> = NOUNS.iter().map(|(name, _)| *name).collect();
    let names = source.by_name();
    let wrong: Vec<String> = names
        .iter()
        .filter(|(name, _)| is_participle(name) && !allowed.contains(**name))
        .map(|(name, definitions)| format!("{name}: {}", definitions[0].file))
        .collect();
    assert!(wrong.is_empty(), "no nouns:\n{}", wrong.join("\n"));
    let unused: Vec<&&str> = allowed.iter().filter(|name| !names.contains_key(**name)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn no_tuple_parameters() {
    let source = Source::read();
    assert!(source.tuple_parameters.is_empty(), "take tuples:\n{}", source.tuple_parameters.join("\n"));
}

#[test]
fn no_two_integers_of_one_type_in_a_signature() {
    let source = Source::read();
    let allowed: BTreeSet<&str> = INTEGER_PAIRS.iter().map(|(function, _)| *function).collect();
    let wrong: Vec<String> = source
        .integer_parameters
        .iter()
        .filter(|(function, _)| !allowed.contains(function.as_str()))
        .map(|(function, parameters)| format!("{function}: {}", parameters.join(", ")))
        .collect();
    assert!(wrong.is_empty(), "integers that may be mistaken for each other:\n{}", wrong.join("\n"));
    let unused: Vec<&&str> =
        allowed.iter().filter(|function| !source.integer_parameters.contains_key(**function)).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn no_retired_name() {
    let source = Source::read();
    let names = source.by_name();
    let retired: BTreeSet<String> = glossary().into_iter().flat_map(|row| row.retired).collect();
    assert!(retired.len() > 100, "{}", retired.len());
    let wrong: Vec<String> = retired
        .iter()
        .filter_map(|name| {
            names.get(name.as_str()).map(|definitions| format!("{name}: {}", definitions[0].file))
        })
        .collect();
    assert!(wrong.is_empty(), "retired names:\n{}", wrong.join("\n"));
}

#[test]
fn glossary_terms_have_one_definition() {
    let mut source = Source::read();
    // Types of the tests are in the glossary, too.
    files(&TESTS).for_each(|file| source.add(&file.definitions));
    let names = source.by_name();
    let definitions = |name: &str| {
        let found = names.get(name).map(Vec::as_slice).unwrap_or_default();
        found.iter().filter(|definition| !WIRE_MODULES.contains(&definition.file.as_str())).count()
    };
    let types: Vec<String> = glossary().into_iter().flat_map(|row| row.types).collect();
    assert!(types.len() > 100, "{}", types.len());
    let wrong: Vec<(&String, usize)> =
        types.iter().map(|name| (name, definitions(name))).filter(|(_, count)| *count != 1).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
