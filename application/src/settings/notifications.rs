use entracte_domain::time::Millis;

settings! {
    /// Settings of notifications.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NotifySettings {
        /// How often it is looked for something to tell (`notify.poll`).
        pub poll: Millis = Millis::seconds(2),
        /// How often occurrences and standing approvals are looked at, which are in no log (`notify.look`).
        pub look: Millis = Millis::minutes(1),
        /// How long one try may take (`notify.timeout`).
        pub timeout: Millis = Millis::seconds(10),
        /// The shortest wait before the next try (`notify.retry`).
        pub retry: Millis = Millis::seconds(5),
        /// The longest wait before the next try (`notify.retry_max`).
        pub retry_max: Millis = Millis::hours(1),
        /// How long a notification is tried (`notify.give_up`).
        pub give_up: Millis = Millis::hours(24),
        /// After how long an approval is told once more; 0 = never (`notify.reminder`).
        pub reminder: Millis = Millis::hours(1),
        /// How long before its end a standing approval is told; 0 = never (`notify.rule_ahead`).
        pub rule_ahead: Millis = Millis::hours(24),
        /// From how many due notifications of one target on they are told together (`notify.together`).
        pub together: usize = 3,
        /// The most things that one message names; more are counted (`notify.named`).
        pub named: usize = 20,
        /// The most notifications that one step sends (`notify.batch`).
        pub batch: u32 = 200,
        /// How long it is kept what was told (`notify.kept`).
        pub kept: Millis = Millis::hours(30 * 24),
        /// How long a link counts, at most 12 h (`notify.link_lasts`).
        pub link_lasts: Millis = Self::LINK_LASTS_MAX,
        /// The longest arguments of a card that a link decides on, in characters (`notify.link_max_chars`).
        pub link_max_chars: usize = 1_000,
        /// The most targets of a workspace (`notify.targets`).
        pub targets: u32 = 20,
    }
}

impl NotifySettings {
    /// No link counts for longer.
    pub const LINK_LASTS_MAX: Millis = Millis::hours(12);
}
