//! One file of texts: its keys are found without parsing, its texts are parsed on first use.

use std::sync::OnceLock;

use fluent_bundle::FluentResource;
use fluent_bundle::concurrent::FluentBundle;
use unic_langid::LanguageIdentifier;

/// A file of texts in one language. Its texts do not refer to texts of other files.
pub(super) struct TextFile {
    name: &'static str,
    text: &'static str,
    locale: LanguageIdentifier,
    bundle: OnceLock<FluentBundle<FluentResource>>,
}

impl TextFile {
    /// The file of this name with this content.
    pub(super) fn new(name: &'static str, text: &'static str, locale: LanguageIdentifier) -> Self {
        Self { name, text, locale, bundle: OnceLock::new() }
    }

    /// The keys of its texts. In Fluent only a key begins a line with a letter: continuation lines are indented.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        let starts =
            self.text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_alphabetic()));
        starts.filter_map(|line| line.split_once('=').map(|(key, _)| key.trim_end()))
    }

    /// The parsed texts.
    pub(super) fn bundle(&self) -> &FluentBundle<FluentResource> {
        self.bundle.get_or_init(|| self.parsed())
    }

    /// Whether it contains French for people. Text for models keeps plain spaces, because others take more tokens and
    /// its lines are never wrapped.
    fn is_read_by_people(&self) -> bool {
        self.locale.language.as_str() == "fr" && !matches!(self.name, "prompt" | "context")
    }

    fn parsed(&self) -> FluentBundle<FluentResource> {
        let mut bundle = FluentBundle::new_concurrent(vec![self.locale.clone()]);
        // Isolation marks are for mixed writing directions; models and terminals would read them.
        bundle.set_use_isolating(false);
        let text = if self.is_read_by_people() { unbroken(self.text) } else { self.text.to_owned() };
        let resource = FluentResource::try_new(text).unwrap_or_else(|(resource, faults)| {
            tracing::error!(file = self.name, ?faults, "skipping texts that cannot be read");
            resource
        });
        if let Err(faults) = bundle.add_resource(resource) {
            tracing::error!(file = self.name, ?faults, "skipping texts whose key already exists");
        }
        bundle
    }
}

/// French with no-break spaces before `;`, `:`, `?`, `!`, `%` and inside of quotes, so that no line begins with such a
/// mark. After a comma it is a key, as in `refuser, ? plus`. The documentation of commands keeps its spaces, because
/// models read it more often than people.
fn unbroken(text: &str) -> String {
    let line = |line: &str| if line.starts_with("doc-") { line.to_owned() } else { unbroken_line(line) };
    text.split_inclusive('\n').map(line).collect()
}

fn unbroken_line(line: &str) -> String {
    const NO_BREAK: char = '\u{a0}';
    let mut unbroken = String::with_capacity(line.len() + line.len() / 32);
    let mut characters = line.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let is_mark = characters.peek().is_some_and(|next| matches!(next, ';' | ':' | '?' | '!' | '%' | '»'));
        let ends_a_word = !matches!(before, ' ' | ',');
        let joins = character == ' ' && (before == '«' || (is_mark && ends_a_word));
        unbroken.push(if joins { NO_BREAK } else { character });
        before = character;
    }
    unbroken
}

#[cfg(test)]
mod tests {
    use super::unbroken;

    #[test]
    fn french_marks_stay_with_their_word() {
        for (text, expected) in [
            ("a ; b : { $c } ?", "a\u{a0}; b\u{a0}: { $c }\u{a0}?"),
            ("« { $a } » ! 5 %", "«\u{a0}{ $a }\u{a0}»\u{a0}! 5\u{a0}%"),
            ("r refuser, ? plus", "r refuser, ? plus"),
            ("https://a:1/?b", "https://a:1/?b"),
            (
                "doc-ZONES = Liste. name : seulement\nkey = a : b\n",
                "doc-ZONES = Liste. name : seulement\nkey = a\u{a0}: b\n",
            ),
        ] {
            assert_eq!(unbroken(text), expected);
        }
    }
}
