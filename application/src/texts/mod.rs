//! The one catalogue of texts: what the product says to people and to models, in each language.
//!
//! A text has a key, and values where it has places for them. The files are Fluent (`en/*.ftl`, `fr/*.ftl`), one for
//! each room that speaks: `machine` (what the machine says), `prompt` (what a model is told), `commands` (actions in
//! words, and why they are refused), `requests` (why a request is refused), `screens` (the command line).
//!
//! ```
//! use entracte_application::settings::Language;
//! use entracte_application::texts::{Texts, say};
//!
//! let texts = Texts::of(Language::En);
//! assert_eq!(say!(texts, "machine-results", done = 2, failed = 0), "2 done.");
//! ```

mod speech;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::{LanguageIdentifier, langid};

use crate::settings::Language;

const EN: [(&str, &str); 5] = [
    ("machine", include_str!("en/machine.ftl")),
    ("prompt", include_str!("en/prompt.ftl")),
    ("commands", include_str!("en/commands.ftl")),
    ("requests", include_str!("en/requests.ftl")),
    ("screens", include_str!("en/screens.ftl")),
];

const FR: [(&str, &str); 5] = [
    ("machine", include_str!("fr/machine.ftl")),
    ("prompt", include_str!("fr/prompt.ftl")),
    ("commands", include_str!("fr/commands.ftl")),
    ("requests", include_str!("fr/requests.ftl")),
    ("screens", include_str!("fr/screens.ftl")),
];

/// The texts of one language.
pub struct Texts {
    bundle: FluentBundle<FluentResource>,
}

/// A value for a place in a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextValue<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A number; plural forms are chosen by it.
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

/// Says a text of the catalogue: `say!(texts, "key", name = value, …)`.
#[macro_export]
macro_rules! say_text {
    ($texts:expr, $key:expr $(, $name:ident = $value:expr)* $(,)?) => {
        $texts.say($key, &[$((stringify!($name), $crate::texts::TextValue::from($value))),*])
    };
}
pub use crate::say_text as say;

impl Texts {
    /// The texts of a language; read once in a process.
    pub fn of(language: Language) -> &'static Texts {
        static ENGLISH: OnceLock<Texts> = OnceLock::new();
        static FRENCH: OnceLock<Texts> = OnceLock::new();
        match language {
            Language::En => ENGLISH.get_or_init(|| Texts::read(langid!("en"), &EN)),
            Language::Fr => FRENCH.get_or_init(|| Texts::read(langid!("fr"), &FR)),
        }
    }

    fn read(language: LanguageIdentifier, files: &[(&str, &'static str)]) -> Self {
        let mut bundle = FluentBundle::new_concurrent(vec![language]);
        // Marks around values are for mixed writing directions; models and terminals would read them.
        bundle.set_use_isolating(false);
        for (name, text) in files {
            let resource =
                FluentResource::try_new((*text).to_owned()).unwrap_or_else(|(resource, faults)| {
                    tracing::error!(file = name, ?faults, "texts that cannot be read are left out");
                    resource
                });
            if let Err(faults) = bundle.add_resource(resource) {
                tracing::error!(file = name, ?faults, "texts with the same key are left out");
            }
        }
        Self { bundle }
    }

    /// The text of a key with its values in their places. A key that no language has is given as it is, so that
    /// whoever reads it can name it; tests keep that from happening.
    pub fn say(&self, key: &str, values: &[(&str, TextValue<'_>)]) -> String {
        let Some(pattern) = self.bundle.get_message(key).and_then(|message| message.value()) else {
            tracing::error!(key, "the catalogue has no such text");
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
        let text = self.bundle.format_pattern(pattern, Some(&places), &mut faults).into_owned();
        if !faults.is_empty() {
            tracing::error!(key, ?faults, "a text has a place without a value");
        }
        text
    }

    /// Whether there is a text of that key.
    pub fn has(&self, key: &str) -> bool {
        self.bundle.has_message(key)
    }
}
