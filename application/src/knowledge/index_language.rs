use rust_stemmers::Algorithm;
use whatlang::Lang;

use super::stop_words;
use crate::texts::Language;

/// The number of bytes of a text used for language detection.
const LOOKED_AT: usize = 20_000;

/// Texts shorter than this have no detectable language.
const SHORT: usize = 40;

entracte_domain::words! {
    /// The language a text is indexed in, which determines stop words and stemming.
    #[derive(PartialOrd, Ord)]
    pub enum IndexLanguage {
        /// Arabic.
        Ar = "ar",
        /// Danish.
        Da = "da",
        /// German.
        De = "de",
        /// Greek.
        El = "el",
        /// English.
        En = "en",
        /// Spanish.
        Es = "es",
        /// Finnish.
        Fi = "fi",
        /// French.
        Fr = "fr",
        /// Hungarian.
        Hu = "hu",
        /// Italian.
        It = "it",
        /// Dutch.
        Nl = "nl",
        /// Norwegian.
        No = "no",
        /// Portuguese.
        Pt = "pt",
        /// Romanian.
        Ro = "ro",
        /// Russian.
        Ru = "ru",
        /// Swedish.
        Sv = "sv",
        /// Turkish.
        Tr = "tr",
        /// Any other language: its words are not stemmed.
        Other = "und",
    }
}

impl IndexLanguage {
    /// Detects the language of a text; the workspace's if it is too short or undetectable.
    pub fn detect(text: &str, workspace: Language) -> Self {
        let mut end = text.len().min(LOOKED_AT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let looked_at = &text[..end];
        if looked_at.chars().filter(|character| character.is_alphabetic()).count() < SHORT {
            return workspace.into();
        }
        match whatlang::detect(looked_at) {
            Some(info) if info.is_reliable() => {
                let is_it =
                    |tongue: &Self| tongue.language_profile().is_some_and(|(lang, ..)| lang == info.lang());
                Self::ALL.into_iter().find(is_it).unwrap_or(Self::Other)
            }
            Some(_) | None => workspace.into(),
        }
    }

    /// The detected language, the stemmer and the stop words; `None` if words are not stemmed.
    const fn language_profile(self) -> Option<(Lang, Algorithm, &'static [&'static str])> {
        Some(match self {
            Self::Ar => (Lang::Ara, Algorithm::Arabic, &[]),
            Self::Da => (Lang::Dan, Algorithm::Danish, &[]),
            Self::De => (Lang::Deu, Algorithm::German, stop_words::DE),
            Self::El => (Lang::Ell, Algorithm::Greek, &[]),
            Self::En => (Lang::Eng, Algorithm::English, stop_words::EN),
            Self::Es => (Lang::Spa, Algorithm::Spanish, stop_words::ES),
            Self::Fi => (Lang::Fin, Algorithm::Finnish, &[]),
            Self::Fr => (Lang::Fra, Algorithm::French, stop_words::FR),
            Self::Hu => (Lang::Hun, Algorithm::Hungarian, &[]),
            Self::It => (Lang::Ita, Algorithm::Italian, stop_words::IT),
            Self::Nl => (Lang::Nld, Algorithm::Dutch, stop_words::NL),
            Self::No => (Lang::Nob, Algorithm::Norwegian, &[]),
            Self::Pt => (Lang::Por, Algorithm::Portuguese, stop_words::PT),
            Self::Ro => (Lang::Ron, Algorithm::Romanian, &[]),
            Self::Ru => (Lang::Rus, Algorithm::Russian, &[]),
            Self::Sv => (Lang::Swe, Algorithm::Swedish, &[]),
            Self::Tr => (Lang::Tur, Algorithm::Turkish, &[]),
            Self::Other => return None,
        })
    }

    /// The stemming algorithm; `None` if words are not stemmed.
    pub(super) fn stemming(self) -> Option<Algorithm> {
        self.language_profile().map(|(_, stemming, _)| stemming)
    }

    /// Whether a normalised word is a stop word of this language.
    pub(super) fn is_stop_word(self, word: &str) -> bool {
        self.language_profile().is_some_and(|(_, _, stop_words)| stop_words.binary_search(&word).is_ok())
    }
}

impl From<Language> for IndexLanguage {
    fn from(language: Language) -> Self {
        match language {
            Language::En => Self::En,
            Language::Fr => Self::Fr,
        }
    }
}
