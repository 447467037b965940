use rust_stemmers::Algorithm;
use whatlang::Lang;

use super::stop_words;
use crate::texts::Language;

/// How many bytes of a text its language is told by.
const LOOKED_AT: usize = 20_000;

/// Shorter texts tell no language.
const SHORT: usize = 40;

/// The language that a text is indexed in: it decides which words are left out and how the others are cut to their stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tongue {
    /// Arabic.
    Ar,
    /// Danish.
    Da,
    /// German.
    De,
    /// Greek.
    El,
    /// English.
    En,
    /// Spanish.
    Es,
    /// Finnish.
    Fi,
    /// French.
    Fr,
    /// Hungarian.
    Hu,
    /// Italian.
    It,
    /// Dutch.
    Nl,
    /// Norwegian.
    No,
    /// Portuguese.
    Pt,
    /// Romanian.
    Ro,
    /// Russian.
    Ru,
    /// Swedish.
    Sv,
    /// Turkish.
    Tr,
    /// Any other: its words are kept as they are.
    Other,
}

impl Tongue {
    /// Every language.
    pub const ALL: [Tongue; 18] = [
        Self::Ar,
        Self::Da,
        Self::De,
        Self::El,
        Self::En,
        Self::Es,
        Self::Fi,
        Self::Fr,
        Self::Hu,
        Self::It,
        Self::Nl,
        Self::No,
        Self::Pt,
        Self::Ro,
        Self::Ru,
        Self::Sv,
        Self::Tr,
        Self::Other,
    ];

    /// As it is stored: two letters of ISO 639-1, or `und`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ar => "ar",
            Self::Da => "da",
            Self::De => "de",
            Self::El => "el",
            Self::En => "en",
            Self::Es => "es",
            Self::Fi => "fi",
            Self::Fr => "fr",
            Self::Hu => "hu",
            Self::It => "it",
            Self::Nl => "nl",
            Self::No => "no",
            Self::Pt => "pt",
            Self::Ro => "ro",
            Self::Ru => "ru",
            Self::Sv => "sv",
            Self::Tr => "tr",
            Self::Other => "und",
        }
    }

    /// Of the stored word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tongue| tongue.word() == word)
    }

    /// The language of a text; of one that is short or tells none, the workspace's.
    pub fn of(text: &str, workspace: Language) -> Self {
        let mut end = text.len().min(LOOKED_AT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let looked_at = &text[..end];
        if looked_at.chars().filter(|character| character.is_alphabetic()).count() < SHORT {
            return workspace.into();
        }
        match whatlang::detect(looked_at) {
            Some(info) if info.is_reliable() => Self::of_lang(info.lang()),
            Some(_) | None => workspace.into(),
        }
    }

    fn of_lang(lang: Lang) -> Self {
        match lang {
            Lang::Ara => Self::Ar,
            Lang::Dan => Self::Da,
            Lang::Deu => Self::De,
            Lang::Ell => Self::El,
            Lang::Eng => Self::En,
            Lang::Spa => Self::Es,
            Lang::Fin => Self::Fi,
            Lang::Fra => Self::Fr,
            Lang::Hun => Self::Hu,
            Lang::Ita => Self::It,
            Lang::Nld => Self::Nl,
            Lang::Nob => Self::No,
            Lang::Por => Self::Pt,
            Lang::Ron => Self::Ro,
            Lang::Rus => Self::Ru,
            Lang::Swe => Self::Sv,
            Lang::Tur => Self::Tr,
            _ => Self::Other,
        }
    }

    /// How words are cut to their stem; none where they are kept.
    pub(super) const fn stemming(self) -> Option<Algorithm> {
        Some(match self {
            Self::Ar => Algorithm::Arabic,
            Self::Da => Algorithm::Danish,
            Self::De => Algorithm::German,
            Self::El => Algorithm::Greek,
            Self::En => Algorithm::English,
            Self::Es => Algorithm::Spanish,
            Self::Fi => Algorithm::Finnish,
            Self::Fr => Algorithm::French,
            Self::Hu => Algorithm::Hungarian,
            Self::It => Algorithm::Italian,
            Self::Nl => Algorithm::Dutch,
            Self::No => Algorithm::Norwegian,
            Self::Pt => Algorithm::Portuguese,
            Self::Ro => Algorithm::Romanian,
            Self::Ru => Algorithm::Russian,
            Self::Sv => Algorithm::Swedish,
            Self::Tr => Algorithm::Turkish,
            Self::Other => return None,
        })
    }

    /// Whether a plain word says nothing in this language.
    pub(super) fn is_stop_word(self, word: &str) -> bool {
        let list: &[&str] = match self {
            Self::En => stop_words::EN,
            Self::Fr => stop_words::FR,
            Self::De => stop_words::DE,
            Self::Es => stop_words::ES,
            Self::It => stop_words::IT,
            Self::Nl => stop_words::NL,
            Self::Pt => stop_words::PT,
            Self::Ar
            | Self::Da
            | Self::El
            | Self::Fi
            | Self::Hu
            | Self::No
            | Self::Ro
            | Self::Ru
            | Self::Sv
            | Self::Tr
            | Self::Other => &[],
        };
        list.binary_search(&word).is_ok()
    }
}

impl From<Language> for Tongue {
    fn from(language: Language) -> Self {
        match language {
            Language::En => Self::En,
            Language::Fr => Self::Fr,
        }
    }
}
