//! The command line is named by the command line alone: what is said below it reads the same wherever it is read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::root;

/// The rooms whose words come out elsewhere than in a terminal, too.
const BELOW: [&str; 6] =
    ["domain", "application", "adapters-db", "adapters-providers", "adapters-commands", "adapters-http"];

/// Every text of a language by its key, with the lines that go on from the first.
fn texts(language: &str) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for file in fs::read_dir(root().join("application/src/texts").join(language)).unwrap() {
        let mut key = String::new();
        for line in fs::read_to_string(file.unwrap().path()).unwrap().lines() {
            let begins = line.starts_with(|first: char| first.is_ascii_lowercase());
            if let (true, Some((name, _))) = (begins, line.split_once('=')) {
                name.trim().clone_into(&mut key);
            }
            if !line.starts_with('#') {
                texts.entry(key.clone()).or_default().push_str(line);
            }
        }
    }
    texts
}

/// The source of everything below the command line, without comments and tests.
fn sources() -> Vec<(String, String)> {
    let mut sources = Vec::new();
    for crate_name in BELOW {
        for path in files(&root().join(crate_name).join("src")) {
            sources.push((shown(&path), said_in(&fs::read_to_string(&path).unwrap())));
        }
    }
    sources
}

/// The Rust files of a folder and of those in it, but for those of tests.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let kept = entries.filter(|path| !path.ends_with("tests") && !path.ends_with("tests.rs"));
    let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = kept.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    files.chain(folders.iter().flat_map(|inner| self::files(inner))).collect()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn said_in(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// The words after the name of the program: `entracte session list` has `session`. A mark of the prompt, `<entracte type=…>`,
/// has none.
fn words_after_the_program(text: &str) -> impl Iterator<Item = &str> {
    const PROGRAM: &str = "entracte ";
    text.match_indices(PROGRAM).filter(|(at, _)| !text[..*at].ends_with('<')).filter_map(|(at, _)| {
        let rest = &text[at + PROGRAM.len()..];
        let end =
            rest.find(|letter: char| !(letter.is_ascii_lowercase() || letter == '-')).unwrap_or(rest.len());
        Some(&rest[..end]).filter(|word| !word.is_empty())
    })
}

fn names_an_option(text: &str) -> bool {
    text.split("--").skip(1).any(|rest| rest.starts_with(|letter: char| letter.is_ascii_lowercase()))
}

/// The names that the sources quote: `"key"` whole, and `"prefix-{` as the beginning of keys that are put together.
struct QuotedNames<'a> {
    whole: BTreeSet<&'a str>,
    prefixes: BTreeSet<&'a str>,
}

impl<'a> QuotedNames<'a> {
    fn of(sources: &'a [(String, String)]) -> Self {
        let mut names = Self { whole: BTreeSet::new(), prefixes: BTreeSet::new() };
        for (_, source) in sources {
            for rest in source.split('"').skip(1) {
                match rest.split_once('{') {
                    Some((prefix, _)) if prefix.ends_with('-') => names.prefixes.insert(prefix),
                    Some(_) | None => names.whole.insert(rest),
                };
            }
        }
        names
    }

    /// Whether a source says the text of a key: by its name, or by one that it is put together with:
    /// `"overweight-fix-{}"`.
    fn say(&self, key: &str) -> bool {
        let mut prefixes = key.match_indices('-').map(|(at, _)| &key[..=at]);
        self.whole.contains(key) || prefixes.any(|prefix| self.prefixes.contains(prefix))
    }
}

#[test]
fn no_text_below_names_the_command_line() {
    let sources = sources();
    let quoted = QuotedNames::of(&sources);
    let mut commands = BTreeSet::new();
    let mut wrong = Vec::new();
    for language in ["en", "fr"] {
        for (key, text) in texts(language) {
            commands.extend(words_after_the_program(&text).map(str::to_owned));
            let names_it = words_after_the_program(&text).next().is_some() || names_an_option(&text);
            if names_it && quoted.say(&key) {
                wrong.push(format!("{language}, {key}: {text}"));
            }
        }
    }
    assert!(commands.contains("session") && commands.len() > 10, "{commands:?}");
    for (path, source) in &sources {
        for line in source.lines().filter(|line| line.contains('"')) {
            if let Some(command) = words_after_the_program(line).find(|word| commands.contains(*word)) {
                wrong.push(format!("{path} names entracte {command}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "told below the command line, which alone names itself:\n{}", wrong.join("\n"));
}
