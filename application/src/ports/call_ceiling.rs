use std::sync::Arc;

use entracte_domain::dollars::Dollars;

use super::ContextWindow;

/// The size of a model call that is about to be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallSize {
    /// The model's name at the provider; empty selects the provider's default.
    pub model: String,
    /// The encoding of its generation ([`ModelRequest::encoding`](super::ModelRequest::encoding)).
    pub encoding: Arc<str>,
    /// The most tokens that the request has.
    pub input: u64,
    /// The maximum tokens of the answer, if lower than the configured limit.
    pub output_tokens: Option<u32>,
    /// Whether results of calls began the round instead of a person.
    pub relaunch: bool,
}

impl CallSize {
    /// The most tokens of the answer, where nothing else limits it: what the model's window leaves.
    pub fn output_ceiling(&self, window: ContextWindow) -> u64 {
        let limits = [self.output_tokens.map(u64::from), window.output];
        let rest = || window.tokens.saturating_sub(self.input);
        limits.into_iter().flatten().min().unwrap_or_else(rest)
    }
}

/// The most that one model call can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCeiling {
    /// Tokens, input and output.
    pub tokens: u64,
    /// US dollars; `None` if the price is unknown.
    pub cost: Option<Dollars>,
}
