//! The versions of the bytes that requests are written in.

/// The versions of the encoders of this crate. There is one more when a request would be written in other bytes than
/// before; the old way then stays for the old number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EncoderVersion {
    /// Schemas are enforced only as they are, and every text of a turn follows its results.
    V1,
    /// Schemas are narrowed until they can be enforced, `json_object` has its word, what Entracte says beside results
    /// stands in the last of them, and a round for words alone leaves the choice of tools as it is.
    V2,
    /// What a model is known to refuse is left out of requests to it, tools have one shape of arguments, and arguments that
    /// never were an object are an empty one in Responses too.
    V3,
}

impl EncoderVersion {
    /// How requests of a new generation are written.
    pub(crate) const LATEST: Self = Self::V3;

    /// Its number, as it is kept.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
        }
    }

    /// The version of a number; none when this build does not know it.
    pub(crate) const fn of(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::V1),
            2 => Some(Self::V2),
            3 => Some(Self::V3),
            _ => None,
        }
    }
}
