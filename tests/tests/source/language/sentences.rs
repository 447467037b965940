//! The runtime and the protocol contain no sentence for people or models: each is a text of the catalogue, which has
//! it in both languages.

#![expect(clippy::unwrap_used, reason = "these are the helpers of a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};
use syn::{Attribute, ExprMethodCall, ImplItemFn, Item, LitStr, Macro, Meta};

/// The folders that are searched.
const FOLDERS: [&str; 2] = ["application/src/runtime", "application/src/protocol"];

/// The literals that look like a sentence and are none for people or models, each with the reason.
const ALLOWED: &[(&str, &str)] = &[
    (
        "another process owns the database now",
        "`TurnError::NotOwner` is logged; people read `post-not-owner`",
    ),
    ("the database", "a value of `OwnershipError`, a port's error that has no language"),
    ("it was given up", "a value of `OwnershipError`, a port's error that has no language"),
    ("tasks.body of {id}: {fault}", "names a column of the database in a `StoreError`"),
    ("sessions.body of {}: {fault}", "names a column of the database in a `StoreError`"),
    ("log entry", "names a stored value in a `CodecError`"),
    ("entry {} cannot be copied: {why:?}", "a defect of Entracte in a `CodecError`"),
];

/// The macros whose literals only programmers read: log messages, names of spans, panics.
const MACROS_FOR_PROGRAMMERS: [&str; 15] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug",
    "debug_assert",
    "debug_span",
    "error",
    "info",
    "info_span",
    "panic",
    "todo",
    "trace",
    "unimplemented",
    "unreachable",
    "warn",
];

/// The methods whose literal is the message of a panic.
const PANICKING_METHODS: [&str; 2] = ["expect", "expect_err"];

/// Finds the sentences among the string literals of a source.
#[derive(Default)]
struct SentenceSearch {
    found: Vec<String>,
}

impl SentenceSearch {
    /// The sentences of a source, without its tests.
    fn find(source: &str) -> syn::Result<Vec<String>> {
        let mut search = Self::default();
        search.visit_file(&syn::parse_file(source)?);
        Ok(search.found)
    }

    fn check(&mut self, literal: &str) {
        if is_sentence(literal) {
            self.found.push(literal.to_owned());
        }
    }

    /// Checks the literals in tokens that need not be Rust, without those of attributes.
    fn check_tokens(&mut self, mut at: Cursor<'_>) {
        while !at.eof() {
            let after_hash = at.punct().filter(|(punct, _)| punct.as_char() == '#').map(|(_, next)| next);
            if let Some((inside, _, _, next)) = after_hash.and_then(Cursor::any_group) {
                if inside.ident().is_some_and(|(name, _)| name == "error") {
                    self.check_tokens(inside);
                }
                at = next;
            } else if let Some(next) = after_macro_for_programmers(at) {
                at = next;
            } else if let Some((literal, next)) = at.literal() {
                if let Ok(literal) = syn::parse_str::<LitStr>(&literal.to_string()) {
                    self.check(&literal.value());
                }
                at = next;
            } else if let Some((inside, _, _, next)) = at.any_group() {
                self.check_tokens(inside);
                at = next;
            } else if let Some((_, next)) = at.token_tree() {
                at = next;
            } else {
                return;
            }
        }
    }
}

impl<'ast> Visit<'ast> for SentenceSearch {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            _ => &[],
        };
        if !attributes.iter().any(is_of_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !item.attrs.iter().any(is_of_tests) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.check(&literal.value());
    }

    /// Of all attributes only `#[error]` is read by people; others are documentation and reasons of lints.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta
            && list.path.is_ident("error")
        {
            self.check_tokens(TokenBuffer::new2(list.tokens.clone()).begin());
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if !MACROS_FOR_PROGRAMMERS.contains(&name.as_str()) {
            self.check_tokens(TokenBuffer::new2(call.tokens.clone()).begin());
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if PANICKING_METHODS.contains(&call.method.to_string().as_str()) {
            self.visit_expr(&call.receiver);
        } else {
            visit::visit_expr_method_call(self, call);
        }
    }
}

/// The position after a call of a macro for programmers, if one begins here.
fn after_macro_for_programmers(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let (name, next) = at.ident()?;
    let (punct, next) = next.punct()?;
    let (_, _, _, next) = next.any_group()?;
    (punct.as_char() == '!' && MACROS_FOR_PROGRAMMERS.contains(&name.to_string().as_str())).then_some(next)
}

fn is_of_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
}

/// Two words or more, one of them with three letters or more. A placeholder is no word.
fn is_sentence(literal: &str) -> bool {
    let text = without_placeholders(literal);
    let letters = |word: &str| word.chars().filter(|character| character.is_alphabetic()).count();
    let words: Vec<usize> = text.split_whitespace().map(letters).filter(|count| *count > 0).collect();
    words.len() > 1 && words.iter().any(|count| *count > 2)
}

fn without_placeholders(literal: &str) -> String {
    let (mut text, mut rest) = (String::new(), literal);
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        rest = match after.split_once('}') {
            Some((place, rest)) if !place.contains([' ', '{']) => rest,
            Some(_) | None => after,
        };
    }
    text + rest
}

/// The Rust files of a folder, without those of tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            files(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" && !name.ends_with("_tests.rs") {
            found.push(path);
        }
    }
}

/// Input: every string literal of the runtime and of the protocol; expected: those that look like a sentence are for
/// programmers, and every exception is still there.
#[test]
fn no_sentence_outside_of_the_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut sources));
    sources.sort();
    assert!(sources.len() > 80, "the sources are found: {}", sources.len());
    let mut unused: BTreeSet<&str> = ALLOWED.iter().map(|(literal, _)| *literal).collect();
    let mut wrong = Vec::new();
    for path in &sources {
        let sentences = SentenceSearch::find(&fs::read_to_string(path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for sentence in sentences {
            if ALLOWED.iter().any(|(literal, _)| *literal == sentence) {
                unused.remove(sentence.as_str());
            } else {
                wrong.push(format!("{}: “{sentence}”", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "write these into application/src/texts:\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "these are no longer there: {unused:?}");
}

#[test]
fn sentences_of_code_are_found() {
    let source = r##"
        #[derive(thiserror::Error)]
        #[expect(dead_code, reason = "a reason of a lint")]
        enum Fault {
            /// A line of documentation.
            #[error("the database is damaged: {0}")]
            Damaged(String),
        }
        fn say(name: &str) {
            tracing::warn!(name, "a log message");
            let (key, one, place) = ("reply-cut", "json", "{name}: {}");
            let _ = name.parse::<u8>().expect("the reason of a panic");
            let text = format!("the command {name} \
                no longer exists");
            keyword_enum! {
                /// A line of documentation.
                enum Kind { #[doc = "more of it"] A = "two words" }
            }
            select! { _ = work => tracing::warn!("a log message in a macro") }
            fields.missing("result", "an object", r#"a "raw" text"#);
        }
        #[cfg(test)]
        mod tests {
            const TEXT: &str = "a text of a test";
        }
    "##;
    let expected = [
        "the database is damaged: {0}",
        "the command {name} no longer exists",
        "two words",
        "an object",
        "a \"raw\" text",
    ];
    assert_eq!(SentenceSearch::find(source).unwrap(), expected);
}
