//! Enums without data: each value has one word, in the database, in JSON, in settings and in lists.

/// A value that is written as a word.
pub trait KeywordEnum: Copy + PartialEq + 'static {
    /// The name of its type, for messages.
    const NAME: &'static str;

    /// Every value, in the order they are declared.
    const VALUES: &'static [Self];

    /// Every word, in the order of the values.
    const WORDS: &'static [&'static str];

    /// The word of a value.
    fn word(self) -> &'static str;

    /// The value of a word.
    fn from_word(word: &str) -> Option<Self>;
}

/// Declares an enum once: its values, and the word of each.
///
/// ```
/// entracte_domain::words! {
///     /// How big something is.
///     pub enum Size {
///         /// Not very.
///         Small = "small",
///         /// Very.
///         Large = "large",
///     }
/// }
///
/// assert_eq!(Size::Large.word(), "large");
/// assert_eq!(Size::from_word("small"), Some(Size::Small));
/// assert_eq!(Size::from_word("SMALL"), None);
/// assert_eq!(Size::ALL, [Size::Small, Size::Large]);
/// ```
#[macro_export]
macro_rules! words {
    (
        $(#[$about:meta])*
        $seen:vis enum $name:ident { $($(#[$of:meta])* $value:ident = $word:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $seen enum $name {
            $($(#[$of])* $value,)+
        }

        impl $name {
            /// Every value, as they are declared.
            $seen const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Its word, in the database, in JSON, in settings and in lists.
            $seen const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// The value of a word; none where no value has it.
            $seen fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$value),)+
                    _ => None,
                }
            }
        }

        impl $crate::keyword_enum::KeywordEnum for $name {
            const NAME: &'static str = stringify!($name);
            const VALUES: &'static [Self] = &Self::ALL;
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn word(self) -> &'static str {
                Self::word(self)
            }

            fn from_word(word: &str) -> Option<Self> {
                Self::from_word(word)
            }
        }
    };
}
