/// The token limits of a model: how much it reads and writes per request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    /// The size of the window, in tokens.
    pub tokens: u64,
    /// The maximum length of an answer in tokens, if known.
    pub output: Option<u64>,
    /// The source of these numbers.
    pub told: ContextWindowSource,
}

entracte_domain::words! {
    /// The source of a context window.
    pub enum ContextWindowSource {
        /// The provider's configuration entry.
        Setting = "setting",
        /// The server, in its list of models.
        Listing = "listing",
        /// The built-in table of models.
        Table = "table",
        /// No source: a default guess.
        Guess = "guess",
    }
}

impl ContextWindow {
    /// The assumed window of a hosted model when no source states it.
    pub const GUESS: Self = Self { tokens: 128_000, output: None, told: ContextWindowSource::Guess };

    /// The assumed window of a model on a local network: such servers silently truncate longer prompts.
    pub const GUESS_LOCAL: Self = Self { tokens: 8_192, output: None, told: ContextWindowSource::Guess };

    /// The tokens reserved for an answer when its maximum length is unknown.
    const ANSWER: u64 = 4_096;

    /// The maximum number of prompt tokens: leaves room for the answer, and a twentieth because sizes are estimated.
    pub fn max_prompt_tokens(self) -> u64 {
        let answer = self.output.unwrap_or(Self::ANSWER).min(self.tokens / 4);
        self.tokens.saturating_sub(answer).saturating_sub(self.tokens / 20)
    }
}
