//! The catalogue of texts: everything the product says to people and to models, in each language.
//!
//! A text has a key, and values for its placeholders. The files are Fluent (`en/*.ftl`, `fr/*.ftl`), one per area:
//! `machine` (messages of the machine), `prompt` (prompts of models), `context` (prompts about a conversation that was
//! too long), `commands` (descriptions and refusals of actions), `requests` (refusals of requests), `problems` (titles of
//! refusals over HTTP, and what only its routes refuse), `tools` (HTTP tools, MCP servers), `faults` (faults of
//! configuration entries), `bounds` (exceeded limits, and mandatory parts), `screens` and `cli` (the command line), `hints` (the commands that the command line suggests for a text; no other
//! file names commands). The help of the command line has its English in the code of the command line, and its French
//! in `help`. `trust`: the permissions of a project's configuration. `notify`: notifications. `shared`: the texts that
//! a workspace shares. `service`: the server as a service of the system. `costs`: the cost of model calls. `upgrade`:
//! the effect of another program on open sessions. `databases`: failures to open, own, back up or copy a database.
//! `tasks`: long tasks. `dry`: reports of dry runs. `people`: lookups and manual actions of people on the command
//! line, and the time until an instant.
//!
//! ```
//! use entracte_application::texts::{Language, LocalizedTexts, say};
//!
//! let texts = LocalizedTexts::for_language(Language::En);
//! assert_eq!(say!(texts, "machine-results", done = 2, failed = 0), "2 done.");
//! ```

mod command_pointers;
mod file;
mod language;
mod localized_message;
mod reader_language;
mod refusal_text;
mod speech;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::OnceLock;

use fluent_bundle::{FluentArgs, FluentValue};
use rustc_hash::{FxBuildHasher, FxHashMap};
use unic_langid::{LanguageIdentifier, langid};

use file::TextFile;

pub use language::Language;
pub use localized_message::{LocalizedMessage, LocalizedValue, saying};
pub use reader_language::ReaderLanguage;
pub use refusal_text::{RefusalText, RefusalTopic};

/// The files of a language, by name: both languages have the same.
macro_rules! files {
    ($language:literal) => {
        files!($language:
            "machine" "prompt" "context" "commands" "requests" "tools" "shared" "faults" "screens" "bounds"
            "trust" "costs" "upgrade" "login" "notify" "service" "people" "tasks" "journal" "knowledge"
            "databases" "demo" "dry" "cli" "hints" "problems"
        )
    };
    ($language:literal: $($name:literal)+) => {
        &[$(($name, include_str!(concat!($language, "/", $name, ".ftl")))),+]
    };
}

const EN: &[(&str, &str)] = files!("en");

const FR: &[(&str, &str)] = files!("fr");

/// The help of the command line: its English is in doc comments.
const FR_HELP: (&str, &str) = ("help", include_str!("fr/help.ftl"));

/// The approximate number of texts, as initial capacity.
const TEXTS: usize = 3_000;

/// The texts of one language. A file is parsed when one of its texts is first rendered: a process uses few of them,
/// and most not at its start.
pub struct LocalizedTexts {
    language: Language,
    files: Vec<TextFile>,
    /// The index of the file that contains each key.
    file_of: FxHashMap<&'static str, usize>,
}

/// A value for a placeholder of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextValue<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A number, which selects the plural form.
    Number(f64),
}

impl<'a> From<&'a str> for TextValue<'a> {
    fn from(text: &'a str) -> Self {
        TextValue::Text(Cow::Borrowed(text))
    }
}

impl<'a> From<&'a String> for TextValue<'a> {
    fn from(text: &'a String) -> Self {
        TextValue::Text(Cow::Borrowed(text))
    }
}

impl From<String> for TextValue<'_> {
    fn from(text: String) -> Self {
        TextValue::Text(Cow::Owned(text))
    }
}

macro_rules! from_whole_number {
    ($($number:ty),*) => {$(
        impl From<$number> for TextValue<'_> {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "counts are far below 2^53")]
            fn from(number: $number) -> Self {
                TextValue::Number(number as f64)
            }
        }
    )*};
}
from_whole_number!(u8, u32, u64, usize, i32, i64);

/// Renders a text of the catalogue: `say!(texts, "key", name = value, …)`.
#[macro_export]
macro_rules! say_text {
    ($texts:expr, $key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $texts.render($key, &[$((stringify!($name), $crate::texts::TextValue::from($value))),*])
    };
}
pub use crate::say_text as say;

impl LocalizedTexts {
    /// The texts of a language; loaded once per process.
    pub fn for_language(language: Language) -> &'static LocalizedTexts {
        static ENGLISH: OnceLock<LocalizedTexts> = OnceLock::new();
        static FRENCH: OnceLock<LocalizedTexts> = OnceLock::new();
        match language {
            Language::En => ENGLISH.get_or_init(|| LocalizedTexts::read(Language::En, langid!("en"), EN)),
            Language::Fr => FRENCH.get_or_init(|| {
                LocalizedTexts::read(Language::Fr, langid!("fr"), &[FR, &[FR_HELP]].concat())
            }),
        }
    }

    fn read(language: Language, locale: LanguageIdentifier, texts: &[(&'static str, &'static str)]) -> Self {
        let files: Vec<TextFile> =
            texts.iter().map(|(name, text)| TextFile::new(name, text, locale.clone())).collect();
        let mut file_of = FxHashMap::with_capacity_and_hasher(TEXTS, FxBuildHasher);
        for (number, file) in files.iter().enumerate() {
            file_of.extend(file.keys().map(|key| (key, number)));
        }
        Self { language, files, file_of }
    }

    /// The language of the texts.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Renders the text of a key with its values. An unknown key is returned itself, so that a reader can report it;
    /// tests prevent that.
    pub fn render(&self, key: &str, values: &[(&str, TextValue<'_>)]) -> String {
        let found = || {
            let bundle = self.files.get(*self.file_of.get(key)?)?.bundle();
            Some((bundle, bundle.get_message(key)?.value()?))
        };
        let Some((bundle, pattern)) = found() else {
            tracing::error!(key, "the text is missing from the catalogue");
            return key.to_owned();
        };
        let mut places = FluentArgs::with_capacity(values.len());
        for (name, value) in values {
            let value = match value {
                TextValue::Text(text) => FluentValue::String(Cow::Borrowed(text.as_ref())),
                TextValue::Number(number) => FluentValue::from(*number),
            };
            places.set(Cow::Borrowed(*name), value);
        }
        let mut faults = Vec::new();
        let text = bundle.format_pattern(pattern, Some(&places), &mut faults).into_owned();
        if !faults.is_empty() {
            tracing::error!(key, ?faults, "a text has a placeholder without a value");
        }
        text
    }

    /// The display name of a resource's field, from its stored key: `config.unit`, `entry.1`. An unknown name is
    /// returned unchanged.
    pub fn field(&self, key: &str) -> String {
        match key.split_once('.') {
            Some((of @ ("config" | "data"), member)) => {
                say!(self, &format!("resources-field-{of}"), member = member)
            }
            Some(("entry", number)) => say!(self, "resources-entry-number", number = number),
            Some(_) | None => {
                let text = format!("resources-field-{}", key.replace('_', "-"));
                if self.has(&text) { self.render(&text, &[]) } else { key.to_owned() }
            }
        }
    }

    /// Whether there is a text with that key.
    pub fn has(&self, key: &str) -> bool {
        self.file_of.contains_key(key)
    }
}
