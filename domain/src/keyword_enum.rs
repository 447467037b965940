//! Enums without data: each value has one stable keyword in the database, JSON, settings and lists.

/// An enum whose values are written as keywords.
pub trait KeywordEnum: Copy + PartialEq + 'static {
    /// Name of the type, for error messages.
    const NAME: &'static str;

    /// All values in declaration order.
    const VALUES: &'static [Self];

    /// All keywords in the order of the values.
    const WORDS: &'static [&'static str];

    /// The keyword of the value.
    fn word(self) -> &'static str;

    /// The value with this keyword; `None` if there is none.
    fn from_word(word: &str) -> Option<Self>;
}

/// Declares an enum with one keyword per value.
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
            /// All values in declaration order.
            $seen const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The keyword in the database, JSON, settings and lists.
            $seen const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// The value with this keyword; `None` if there is none.
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
