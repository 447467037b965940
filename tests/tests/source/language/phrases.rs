//! Phrases that were retired. Whoever writes one again is told what to write instead.
//!
//! Looked at: the texts of both languages, the string literals of every crate, the snapshots, the README and
//! `docs/`. The help of the command line has a sibling of this test in `entracte`.

#![expect(clippy::unwrap_used, reason = "these are the helpers of a test")]

use std::path::{Path, PathBuf};

/// A retired phrase, and what to write instead. Phrases, not bare words: `leave` alone is a good word.
const RETIRED: &[(&str, &str)] = &[
    // Approval.
    ("needs leave", "needs approval"),
    ("need leave", "need approval"),
    ("needs a leave", "needs an approval"),
    ("asks for leave", "asks for approval"),
    ("ask for leave", "ask for approval"),
    ("asks leave", "asks for approval"),
    ("give leave", "approve"),
    ("gives leave", "approves"),
    ("gave leave", "approved"),
    ("given leave", "approved"),
    ("waits for leave", "waits for approval"),
    ("without leave", "without approval"),
    ("leave in advance", "standing approval"),
    ("leave needed", "approval needed"),
    ("a standing leave", "a standing approval"),
    ("look twice:", "warning:"),
    ("un accord", "une approbation"),
    ("votre accord", "votre approbation"),
    ("son accord", "son approbation"),
    ("accord donné", "approbation donnée"),
    ("accord demandé", "approbation requise"),
    ("l'accord de", "l'approbation de"),
    ("à bien regarder", "attention"),
    ("regardez-y à deux fois", "attention"),
    // What is not valid, and how to fix it.
    ("is no span", "is not a valid duration"),
    ("is no duration", "is not a valid duration"),
    ("is no instant", "is not a valid time"),
    ("is no time", "is not a valid time"),
    ("is no cron", "is not a valid cron expression"),
    ("is no period", "is not a valid period"),
    ("is no iana", "is not a valid IANA time zone"),
    ("is no value of", "is not a valid value for"),
    ("is no name of", "is not a valid name of"),
    ("is no id of", "is not a valid id of"),
    ("is no session id", "is not a valid session id"),
    ("is no session file", "is not a session file"),
    ("is no json", "is not valid JSON"),
    ("is no utf-8", "is not UTF-8 text"),
    ("” is no ", "” is not a valid …"),
    (": it is no ", ": it is not …"),
    ("ms is none", "is too short"),
    ("; one is europe/paris", "write one like Europe/Paris"),
    ("n'est pas un instant", "n'est pas une date valide"),
    ("n'est pas une valeur de", "n'est pas une valeur valide pour"),
    ("plus que rien", "une durée, comme 12h"),
    ("and the mend", "and how to fix it"),
    ("with its mend", "with how to fix it"),
    ("mend: ", "fix: "),
    ("mend it:", "fix it:"),
    ("those there are", "the existing ones"),
    ("is the beginning of several", "matches several"),
    ("est le début de plusieurs", "désigne plusieurs"),
    ("write one letter more", "write more of the id"),
    // What became of a request.
    ("carries it on", "another process continues it"),
    ("taken in;", "recorded;"),
    ("could not be taken in", "could not be recorded"),
    ("n'a pas pu être prise", "n'a pas pu être enregistrée"),
    ("is taken back", "is revoked"),
    ("was taken back", "was revoked"),
    ("that this could apply to", "is already idle"),
    ("to leave it alone", "rate-limited"),
    ("left alone for", "rate-limited, 3 s left"),
    ("as often as may be", "in every attempt allowed"),
    ("autant de fois qu'il est permis", "à chacun des essais permis"),
    ("autant d'essais qu'il est permis", "à chacun des essais permis"),
    ("went well", "succeeded"),
    ("of them well", "succeeded"),
    ("calls a round", "calls per round"),
    ("ended by a panic", "panicked"),
    // Who is there, and what to do.
    ("nobody is there who", "cannot ask without a terminal; use …"),
    ("nobody is there to", "nobody is available to"),
    ("personne n'est là pour", "personne n'est disponible pour"),
    ("could be asked; say it", "cannot ask without a terminal; use …"),
    ("look after", "maintain"),
    ("looks after", "maintains"),
    ("steer them", "control"),
    ("be an mcp server", "run as an MCP server"),
    ("look whether", "check that"),
    ("agree that a run's work is done", "accept as complete"),
];

/// The folders of the crates.
const CRATES: [&str; 9] = [
    "domain",
    "application",
    "adapters-db",
    "adapters-providers",
    "adapters-commands",
    "entracte",
    "app-cli",
    "examples",
    "tests",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files under `folder` that end like this. What a release stored is never rewritten, so it is not looked at.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules", "fixtures"].contains(&name.as_str()) {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
}

/// Texts where phrases are looked for: lower case, plain apostrophes, one space between words.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace('’', "'");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The string literals of a source, each plain. Comments are not read by users, and are left out.
fn literals(source: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), source);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let before = &rest[..at];
        let after = &rest[at..];
        if after.starts_with("//") {
            rest = after.split_once('\n').map_or("", |(_, next)| next);
        } else if let Some(quoted) = after.strip_prefix('"') {
            let hashes = before.len() - before.trim_end_matches('#').len();
            let is_raw = before.trim_end_matches('#').ends_with('r');
            let (literal, next) = if is_raw { raw(quoted, hashes) } else { escaped(quoted) };
            found.push(plain(&literal));
            rest = next;
        } else {
            // A quote as a character begins no text.
            let quote = ["'\"'", "'\\\"'", "'/'"].into_iter().find(|quote| after.starts_with(quote));
            rest = &after[quote.map_or(1, str::len)..];
        }
    }
    found
}

fn raw(text: &str, hashes: usize) -> (String, &str) {
    let end = format!("\"{}", "#".repeat(hashes));
    text.split_once(&end).map_or((text.to_owned(), ""), |(literal, next)| (literal.to_owned(), next))
}

/// Up to the quote that ends it; a line that is continued is one line.
fn escaped(text: &str) -> (String, &str) {
    let (mut literal, mut characters) = (String::new(), text.char_indices());
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (literal, &text[at + 1..]),
            '\\' => match characters.next() {
                Some((_, '"')) => literal.push('"'),
                _ => literal.push(' '),
            },
            other => literal.push(other),
        }
    }
    (literal, "")
}

/// Every text that is looked at, with its place.
fn texts() -> Vec<(String, String)> {
    let root = root();
    let mut texts = Vec::new();
    let mut whole = vec![root.join("README.md")];
    files(&root.join("application/src/texts"), "ftl", &mut whole);
    files(&root.join("docs"), "md", &mut whole);
    let mut sources = Vec::new();
    for folder in CRATES {
        files(&root.join(folder), "snap", &mut whole);
        files(&root.join(folder), "rs", &mut sources);
    }
    for file in whole {
        let text = std::fs::read_to_string(&file).unwrap();
        texts.push((file.display().to_string(), plain(&text)));
    }
    // This file names them all, and its sibling in entracte may.
    for file in sources.into_iter().filter(|file| !file.ends_with("phrases.rs")) {
        let text = std::fs::read_to_string(&file).unwrap();
        texts.extend(literals(&text).into_iter().map(|literal| (file.display().to_string(), literal)));
    }
    texts
}

#[test]
fn no_retired_phrase() {
    let texts = texts();
    assert!(texts.len() > 3000, "the texts are found: {}", texts.len());
    let mut faults = Vec::new();
    for (place, text) in &texts {
        for (phrase, instead) in RETIRED.iter().filter(|(phrase, _)| text.contains(phrase)) {
            faults.push(format!("{place}: “{phrase}” is retired; write “{instead}”"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_retired_phrase_is_found_wherever_it_stands() {
    let source = r##"
        // “look twice” in a comment is read by nobody
        let quote = '"';
        let said = "it needs \
            leave";
        let raw = r#"a "raw" text: look  twice:"#;
    "##;
    assert_eq!(literals(source), ["it needs leave", "a \"raw\" text: look twice:"]);
    assert_eq!(plain("L’accord\n  de"), "l'accord de");
    for (phrase, instead) in RETIRED {
        assert_eq!(plain(phrase).trim_end(), phrase.trim_end(), "a phrase is written as texts are compared");
        assert!(!plain(instead).contains(phrase), "“{instead}” would be retired as well");
    }
}
