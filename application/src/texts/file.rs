//! One file of texts: its keys are known at once, its texts are parsed when one of them is said.

use std::sync::OnceLock;

use fluent_bundle::FluentResource;
use fluent_bundle::concurrent::FluentBundle;
use unic_langid::LanguageIdentifier;

/// A file of texts in one language. No text refers to one of another file.
pub(super) struct TextFile {
    name: &'static str,
    text: &'static str,
    locale: LanguageIdentifier,
    bundle: OnceLock<FluentBundle<FluentResource>>,
}

impl TextFile {
    /// The file of this name, which says this.
    pub(super) fn new(name: &'static str, text: &'static str, locale: LanguageIdentifier) -> Self {
        Self { name, text, locale, bundle: OnceLock::new() }
    }

    /// The keys of its texts. Fluent lets nothing else begin a line with a letter: what a text goes on with is indented.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'static str> + use<> {
        let starts =
            self.text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_alphabetic()));
        starts.filter_map(|line| line.split_once('=').map(|(key, _)| key.trim_end()))
    }

    /// Its texts.
    pub(super) fn bundle(&self) -> &FluentBundle<FluentResource> {
        self.bundle.get_or_init(|| self.parsed())
    }

    fn parsed(&self) -> FluentBundle<FluentResource> {
        let mut bundle = FluentBundle::new_concurrent(vec![self.locale.clone()]);
        // Marks around values are for mixed writing directions; models and terminals would read them.
        bundle.set_use_isolating(false);
        let resource = FluentResource::try_new(self.text.to_owned()).unwrap_or_else(|(resource, faults)| {
            tracing::error!(file = self.name, ?faults, "skipping texts that cannot be read");
            resource
        });
        if let Err(faults) = bundle.add_resource(resource) {
            tracing::error!(file = self.name, ?faults, "skipping texts whose key already exists");
        }
        bundle
    }
}
