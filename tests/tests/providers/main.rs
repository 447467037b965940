//! Prompts and replies of every provider.

mod aimock;
mod histories;
mod prompt_examples;
mod prompts;
