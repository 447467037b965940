//! How large a plan may be.

settings! {
    /// The bounds of what a model proposes as a plan; 0 is none.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PlanBounds {
        /// The most steps (`plan.max_steps`).
        pub steps: usize = 30,
        /// The most characters of its title, of a step and of a note on it (`plan.max_chars`).
        pub chars: usize = 500,
    }
}
