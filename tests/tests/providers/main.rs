//! What models are sent, and what of their answers is taken, for every provider.

mod aimock;
mod histories;
mod prompt_examples;
mod prompts;
