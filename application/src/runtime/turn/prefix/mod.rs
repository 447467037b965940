//! What a model reads first: instructions, always-sent data and their authors, within the budget.

mod budget_checks;
mod data_changes;
mod generation;
mod instructions;
mod prompt_authors;

pub(super) use self::budget_checks::{check_message_size, check_prefix_size};
pub(super) use self::data_changes::{
    append_data_changes, append_data_changes_now, append_row_changes, current_sections,
};
pub(super) use self::generation::{begin_generation, current_prefix};
pub(super) use self::instructions::{instruction_refusal, read_instructions, read_instructions_of};
pub(super) use self::prompt_authors::{
    count_prompt_authors, count_text_authors, find_new_prompt_authors, read_prompt_instructions,
};
