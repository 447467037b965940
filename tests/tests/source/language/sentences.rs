//! The runtime, the protocol, the use cases and the server contain no sentence for people or models: each is a text of
//! the catalogue, which has it in both languages.

#![expect(clippy::unwrap_used, reason = "these are the helpers of a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use syn::buffer::{Cursor, TokenBuffer};
use syn::visit::{self, Visit};
use syn::{Attribute, ExprMethodCall, ImplItemFn, Item, LitStr, Macro, Meta};

/// The folders that are searched.
const FOLDERS: [&str; 4] =
    ["application/src/runtime", "application/src/protocol", "application/src/use_cases", "adapters-http/src"];

/// The files and folders that are not searched, each with the reason.
const NOT_SEARCHED: [(&str, &str); 3] = [
    (
        "adapters-http/src/openapi",
        "the parts of the document of the API, which is for programmers and in English",
    ),
    ("adapters-http/src/openapi.rs", "that document"),
    ("adapters-http/src/observability", "metrics and traces are described for operators, in English"),
];

/// The literals that look like a sentence and are none for people or models, by the reason.
const ALLOWED: &[(&str, &[&str])] = &[
    (
        "`TurnError::NotOwner` is logged; people read `post-not-owner`",
        &["another process owns the database now"],
    ),
    (
        "values of `OwnershipError`, a port's error that has no language",
        &["the database", "it was given up", "it did not beat for its lease, and was removed"],
    ),
    (
        "they name columns of the database in a `StoreError`",
        &["tasks.body of {id}: {fault}", "sessions.body of {}: {fault}"],
    ),
    (
        "damage in a `StoreError`, of which only the log tells",
        &[
            "the place {place}",
            "the place is none of this inbox",
            "blobs: {digest}, which an entry names, is missing",
            "blobs: the rules {digest} of an entry are missing",
            "blobs: the prefix {digest} is missing",
            "blobs, prefix {digest}: {fault}",
            "blobs, prefix {digest}: {why}",
            "it is missing",
            "log of {}: there is no prefix before {}",
        ],
    ),
    (
        "`KnowledgeError` and `CallbackError` are logged; people read `KnowledgeError::message`, senders one refusal for all",
        &[
            "no document is called {0}",
            "a document needs a name of 1 to {most} characters on one line",
            "it has {bytes} bytes, and a document may have {most}",
            "it is empty",
            "the workspace has {most} documents already, which is as many as it may have",
            "{0} is a text: it is searched and read, and has no paths",
            "nothing is at that path",
            "the work on the document stopped: {0}",
            "the callback is not proved",
        ],
    ),
    ("names that are stored", &["{} (fork at {at})", "calls of {}", "login link", "(dry run)"]),
    (
        "names of parts, which are no refusals and still English for all",
        &[
            "data that is always sent",
            "{} commands as native tools",
            "shape of a reply",
            "system message",
            "effect class",
            "always asks",
            "lifetime of its key",
        ],
    ),
    (
        "parts of the example of a verb in its documentation",
        &["let taken = ", "assert_eq!(taken.session, session);", "Two are missing."],
    ),
    ("it names a stored value in a `CodecError`", &["log entry"]),
    ("a defect of Entracte in a `CodecError`", &["entry {} cannot be copied: {why:?}"]),
    ("a defect of Entracte in a `MailPostError`", &["one request under a key posts one piece of mail"]),
    (
        "values and lines of heads in HTTP",
        &[
            "GET, POST, PUT, DELETE",
            "authorization, content-type, idempotency-key, last-event-id",
            "retry-after, x-request-id",
            "public, max-age=31536000, immutable",
            "no-store, no-transform",
            "text/html; charset=utf-8",
            "text/javascript; charset=utf-8",
            "text/css; charset=utf-8",
            "text/plain; charset=utf-8",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
             manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types lit-html entracte-push",
            "default-src 'none'; frame-ancestors 'none'",
            "{COOKIE}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}",
            "HTTP/1.1 429 Too Many Requests\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {}\r\nretry-after: 1\r\n\
             connection: close\r\n\r\n{body}",
            "{id}{retry}event: {}\ndata: {}\n\n",
        ],
    ),
    (
        "the frame of a page, whose words are texts",
        &["<!doctype html>\n<html lang=\"{language}\">\n<meta charset=\"utf-8\">\n\
           <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
           <meta name=\"robots\" content=\"noindex\">\n<title>{title} – Entracte</title>\n\
           <link rel=\"stylesheet\" href=\"{base}/pages.css\">\n<h1>{title}</h1>\n<p>{detail}</p>\n\
           <p><a href=\"{base}/\">{home}</a></p>\n<p><small>{id}</small></p>\n</html>\n"],
    ),
    (
        "they name lists in cursors, of which clients see a hash",
        &[
            "approvals by session {}",
            "approvals of {workspace} {session}",
            "occurrences of all {workspace} {:?} {:?}",
            "inbox of {} {}",
            "sessions by {} {workspace} {:?}",
        ],
    ),
    (
        "words of the API, which programs match on",
        &["at once", "partly from the next start", "from the next start"],
    ),
    (
        "members of a JSON Schema, described for the programs of AG-UI",
        &[
            "Why it is rejected; the model reads it.",
            "All of the arguments, instead of those that were asked for.",
        ],
    ),
    (
        "what JSON a shape expects, in the words of serde, which are English everywhere",
        &[
            "a map",
            "duplicate field `{name}`",
            " at line ",
            "a number is written as a text of plain digits, like \"200.00\"",
        ],
    ),
    (
        "`ApiFault`, `ServerAddressFault` and `LineFault` have no language; the command line words each for its reader",
        &[
            "{server} cannot be reached: {why}",
            "the answer of {server} was lost: {why}",
            "{server} answers that it is now {place}",
            "{server} answered {status}, which is not an answer of Entracte",
            "the stream of {server} cannot be read: {why}",
            "the answer of {server} has more than {most} bytes",
            "it took too long",
            "it is not an address like https://agents.example.com",
            "a token goes over https only, unless the server is on this machine",
            "an address has no name, password, query or fragment",
            "a line is not UTF-8",
            "a line has no end",
        ],
    ),
    (
        "errors of connections, which are logged",
        &["the client took no byte for too long", "too many unfinished heads of requests from this address"],
    ),
    (
        "`TlsFault` ends a server before it has a reader, like every fault of its configuration",
        &["{path} cannot be read as PEM: {why}", "the certificate and the key cannot be used: {0}"],
    ),
];

/// The literals of [`ALLOWED`].
fn allowed() -> impl Iterator<Item = &'static str> {
    ALLOWED.iter().flat_map(|(_, literals)| literals.iter().copied())
}

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

/// The word before literals that `use_case!` and its kind make documentation of.
const DOCUMENTATION: &str = "again";

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
            } else if let Some(next) = after_macro_for_programmers(at).or_else(|| after_documentation(at)) {
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

/// The position after literals that become documentation, if they begin here.
fn after_documentation(at: Cursor<'_>) -> Option<Cursor<'_>> {
    let (word, mut next) = at.ident()?;
    if word != DOCUMENTATION {
        return None;
    }
    while let Some((_, after)) = next.literal() {
        next = after;
    }
    Some(next)
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

/// Input: every string literal of the runtime, of the protocol, of the use cases and of the server; expected: those that
/// look like a sentence are for programmers, and every exception is still there.
#[test]
fn no_sentence_outside_of_the_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    FOLDERS.iter().for_each(|folder| files(&root.join(folder), &mut sources));
    for (path, _) in NOT_SEARCHED {
        let (path, count) = (root.join(path), sources.len());
        sources.retain(|source| !source.starts_with(&path));
        assert!(sources.len() < count, "{} is no longer there", path.display());
    }
    sources.sort();
    assert!(sources.len() > 300, "the sources are found: {}", sources.len());
    let mut unused: BTreeSet<&str> = allowed().collect();
    let mut wrong = Vec::new();
    for path in &sources {
        let sentences = SentenceSearch::find(&fs::read_to_string(path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for sentence in sentences {
            if allowed().any(|literal| literal == sentence) {
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
            use_case! { struct Fork over (store) again "it makes a second one" "so look first"; "a third" }
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
        "a third",
        "an object",
        "a \"raw\" text",
    ];
    assert_eq!(SentenceSearch::find(source).unwrap(), expected);
}
