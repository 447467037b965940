//! Versions of the request encoders.

/// Version of this crate's encoders. A change to the bytes of a request needs a new version; the old encoding remains
/// available under its old number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EncoderVersion {
    /// Enforces schemas only if they need no change, and writes every text of a turn after its results.
    V1,
    /// Narrows schemas until they can be enforced, adds the word that `json_object` requires, appends Entracte's own
    /// notes to the last result, and leaves the tool choice unchanged in a text-only round.
    V2,
    /// Leaves out parameters that a model is known to refuse, flattens the schemas of tool arguments to one shape, and
    /// replaces arguments that are not an object by an empty one in Responses too.
    V3,
    /// Names the type of a rebuilt message of the model in Responses, without which llama.cpp refuses it.
    V4,
    /// Cuts what servers refuse as too long: the descriptions of tools and the cache key of a session.
    V5,
    /// Enforces no schema with more enum values than OpenAI compiles.
    V6,
    /// Declares tools and the shape of the answer before the conversation, so that they are written and hashed once.
    V7,
}

impl EncoderVersion {
    /// The version for new generations.
    pub(crate) const LATEST: Self = Self::V7;

    /// The stored number of the version.
    pub(crate) const fn number(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
            Self::V4 => 4,
            Self::V5 => 5,
            Self::V6 => 6,
            Self::V7 => 7,
        }
    }

    /// The version of a stored number; `None` if this build does not know it.
    pub(crate) const fn of(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::V1),
            2 => Some(Self::V2),
            3 => Some(Self::V3),
            4 => Some(Self::V4),
            5 => Some(Self::V5),
            6 => Some(Self::V6),
            7 => Some(Self::V7),
            _ => None,
        }
    }
}
