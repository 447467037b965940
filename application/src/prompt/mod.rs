//! What the model reads: level 1 (who it is, how to answer, what it may do), the frozen prefix of a generation,
//! and the conversation as a projection of committed entries.
//!
//! Nothing that was sent is moved, removed or changed within a generation: the request of a round begins with
//! the request of the round before. All texts for the model stand in the
//! catalogue of texts; [`texts`] chooses among them.

mod chunks;
mod generation;
mod instructions;
mod layers;
mod level1;
mod projection;
mod request;
mod retrace;
mod summing;
pub mod texts;
mod weight;
mod words;

pub use chunks::PromptChunk;
pub use generation::{PrefixFault, PrefixPart, PromptPrefix, PromptStyle, changed_voice, generation_prefix};
pub use instructions::instructions_block;
pub use layers::{PromptLayer, RoundSituation, layers_for};
pub use level1::{PromptFacts, chunks, level1};
pub(crate) use projection::escape_marks;
pub use projection::{Projection, PromptSize, RetainedHistory, RetentionBudget};
pub use request::model_request;
pub use retrace::PromptReplay;
pub use summing::{begins_at, length_in_words, piece_in_words, summing_request};
pub use texts::words_of_a_person;
pub use weight::{PromptPartKind, PromptPartSize};
