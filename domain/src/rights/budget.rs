/// The agents and rounds that a session and its descendants may use up, or have used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    /// Number of agents started.
    pub agents: u32,
    /// Number of rounds made.
    pub rounds: u32,
}

impl Budget {
    /// The minimum of each field.
    #[must_use]
    pub fn min_of_each(self, other: Self) -> Self {
        Self { agents: self.agents.min(other.agents), rounds: self.rounds.min(other.rounds) }
    }

    /// The sum of each field; saturating.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            agents: self.agents.saturating_add(other.agents),
            rounds: self.rounds.saturating_add(other.rounds),
        }
    }

    /// The difference of each field; zero if `other` is larger.
    #[must_use]
    pub const fn saturating_minus(self, other: Self) -> Self {
        Self {
            agents: self.agents.saturating_sub(other.agents),
            rounds: self.rounds.saturating_sub(other.rounds),
        }
    }

    /// Whether each field is at most the other's.
    pub const fn is_within(self, wider: Self) -> bool {
        self.agents <= wider.agents && self.rounds <= wider.rounds
    }
}
