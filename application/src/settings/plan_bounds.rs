//! The limits of plans.

settings! {
    /// The limits of a plan that a model proposes; 0 = no limit.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PlanBounds {
        /// The maximum number of steps (`plan.max_steps`).
        pub steps: usize = 30,
        /// The maximum length of its title, of a step and of a note on it, in characters (`plan.max_chars`).
        pub chars: usize = 500,
    }
}
