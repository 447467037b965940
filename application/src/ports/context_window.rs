/// How much a model reads and writes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextWindow {
    /// Tokens.
    pub tokens: u64,
    /// Most tokens of one answer, where that is known.
    pub output: Option<u64>,
    /// Who says it.
    pub told: ContextWindowSource,
}

entracte_domain::words! {
    /// Who says how much a model reads and writes at once.
    pub enum ContextWindowSource {
        /// The entry of the provider.
        Setting = "setting",
        /// The server, in its list of models.
        Listing = "listing",
        /// The table of models that Entracte has.
        Table = "table",
        /// Nobody: it is a guess.
        Guess = "guess",
    }
}

impl ContextWindow {
    /// What a model of a service is taken for when nobody says it.
    pub const GUESS: Self = Self { tokens: 128_000, output: None, told: ContextWindowSource::Guess };

    /// The same for a server in the own network: such servers cut what is too long without a word.
    pub const GUESS_LOCAL: Self = Self { tokens: 8_192, output: None, told: ContextWindowSource::Guess };

    /// What is kept free for an answer where nobody says how long it may be, in tokens.
    const ANSWER: u64 = 4_096;

    /// The most tokens that may be sent: room for the answer, and a twentieth because sizes are estimated.
    pub fn max_prompt_tokens(self) -> u64 {
        let answer = self.output.unwrap_or(Self::ANSWER).min(self.tokens / 4);
        self.tokens.saturating_sub(answer).saturating_sub(self.tokens / 20)
    }
}
