//! The prompt of a model: level 1 (its role, reply format and commands), the frozen prefix of a generation, and
//! the conversation as a projection of committed entries.
//!
//! Nothing that was sent is moved, removed or changed within a generation: the request of a round begins with the
//! request of the previous round. All texts for the model are in the text catalogue; [`texts`] chooses among
//! them.

mod chunks;
mod command_selection;
mod files;
mod generation;
mod instructions;
mod layers;
mod level1;
mod part_sizes;
mod plain_text;
mod projection;
mod replay;
mod request;
mod summary_request;
pub mod texts;

pub use chunks::PromptChunk;
pub use command_selection::{
    CommandListing, CommandRoom, CommandSelection, ListingDetail, ServerCommands, commands_by_server,
    select_commands,
};
pub use files::read_files;
pub use generation::{PrefixFault, PrefixPart, PromptPrefix, PromptStyle, changed_voice, generation_prefix};
pub use instructions::instructions_block;
pub use layers::{PromptLayer, RoundSituation, layers_for};
pub use level1::{ON_DEMAND, PromptFacts, chunks, common_chunks, description_bytes, level1, role_chunk};
pub use part_sizes::{PromptPartKind, PromptPartSize};
pub(crate) use projection::escape_marks;
pub use projection::{Projection, PromptSize, RetainedHistory, RetentionBudget};
pub use replay::PromptReplay;
pub use request::model_request;
pub use summary_request::{SliceBounds, begins_at, length_in_words, piece_in_words, summing_request};
pub use texts::words_of_a_person;
