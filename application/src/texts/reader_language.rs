//! The language that a reader asks for.

use super::{Language, LocalizedTexts};

/// The language that the reader of an answer asks for. Who asks for none reads the language of the workspace.
///
/// It words what is composed at the read: cards, reasons, settings, refusals. What is stored keeps the language that it was
/// written in, and what models read is in the language of the workspace.
///
/// ```
/// use entracte_application::texts::{Language, ReaderLanguage};
///
/// assert_eq!(ReaderLanguage::from(Language::Fr).in_workspace(Language::En), Language::Fr);
/// assert_eq!(ReaderLanguage::OF_WORKSPACE.in_workspace(Language::En), Language::En);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReaderLanguage(Option<Language>);

impl ReaderLanguage {
    /// The reader asks for no language, and reads that of the workspace.
    pub const OF_WORKSPACE: Self = Self(None);

    /// The language that the reader asks for, if any.
    pub const fn requested(self) -> Option<Language> {
        self.0
    }

    /// The language that this reader reads in a workspace of that language.
    pub fn in_workspace(self, workspace: Language) -> Language {
        self.0.unwrap_or(workspace)
    }

    /// The texts that this reader reads in a workspace of that language.
    pub fn texts(self, workspace: Language) -> &'static LocalizedTexts {
        LocalizedTexts::for_language(self.in_workspace(workspace))
    }
}

impl From<Language> for ReaderLanguage {
    fn from(language: Language) -> Self {
        Self(Some(language))
    }
}

impl From<Option<Language>> for ReaderLanguage {
    fn from(language: Option<Language>) -> Self {
        Self(language)
    }
}
