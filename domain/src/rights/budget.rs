/// What a session and all agents below it may use up, or have used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Agents that are started.
    pub agents: u32,
    /// Rounds that are made.
    pub rounds: u32,
}

impl Budget {
    /// The lesser of each.
    #[must_use]
    pub fn min_of_each(self, other: Self) -> Self {
        Self { agents: self.agents.min(other.agents), rounds: self.rounds.min(other.rounds) }
    }

    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            agents: self.agents.saturating_add(other.agents),
            rounds: self.rounds.saturating_add(other.rounds),
        }
    }

    /// What is left of it without the other; nothing where that is more.
    #[must_use]
    pub const fn saturating_minus(self, other: Self) -> Self {
        Self {
            agents: self.agents.saturating_sub(other.agents),
            rounds: self.rounds.saturating_sub(other.rounds),
        }
    }

    /// Whether it is at most the other, in each.
    pub const fn is_within(self, wider: Self) -> bool {
        self.agents <= wider.agents && self.rounds <= wider.rounds
    }
}
