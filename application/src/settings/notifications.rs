use entracte_domain::time::Millis;

settings! {
    /// Settings of notifications.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NotifySettings {
        /// The polling interval for new items (`notify.poll`).
        pub poll: Millis = Millis::seconds(2),
        /// The polling interval for occurrences and standing approvals, which are in no log (`notify.look`).
        pub look: Millis = Millis::minutes(1),
        /// The time limit of one attempt (`notify.timeout`).
        pub timeout: Millis = Millis::seconds(10),
        /// The minimum delay before the next attempt (`notify.retry`).
        pub retry: Millis = Millis::seconds(5),
        /// The maximum delay before the next attempt (`notify.retry_max`).
        pub retry_max: Millis = Millis::hours(1),
        /// How long a notification is retried (`notify.give_up`).
        pub give_up: Millis = Millis::hours(24),
        /// The age of an approval at which a reminder is sent; 0 = never (`notify.reminder`).
        pub reminder: Millis = Millis::hours(1),
        /// The remaining validity of a standing approval at which its expiry is announced; 0 = never
        /// (`notify.rule_ahead`).
        pub rule_ahead: Millis = Millis::hours(24),
        /// The number of due notifications of one target from which they are sent together (`notify.together`).
        pub together: usize = 3,
        /// The maximum number of items one message names; further ones are counted (`notify.named`).
        pub named: usize = 20,
        /// The maximum number of notifications one step sends (`notify.batch`).
        pub batch: u32 = 200,
        /// How long sent notifications are stored (`retention.notifications`).
        pub kept: Millis = Millis::hours(30 * 24),
        /// The validity of a link, at most 12 h (`notify.link_lasts`).
        pub link_lasts: Millis = Self::LINK_LASTS_MAX,
        /// The maximum length of the arguments on a card that a link decides on, in characters
        /// (`notify.link_max_chars`).
        pub link_max_chars: usize = 1_000,
        /// The maximum number of targets in a workspace (`notify.targets`).
        pub targets: u32 = 20,
        /// How long a push service keeps a message for a browser that is off (`notify.push_ttl`).
        pub push_ttl: Millis = Millis::hours(24),
    }
}

impl NotifySettings {
    /// The maximum validity of a link.
    pub const LINK_LASTS_MAX: Millis = Millis::hours(12);
}
