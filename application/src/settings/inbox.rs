use entracte_domain::time::Millis;

settings! {
    /// Settings of the inbox: snoozes and assignments of its items.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct InboxSettings {
        /// How long `later` snoozes an item (`inbox.snooze_later`).
        pub snooze_later: Millis = Millis::hours(3),
        /// The time of day at which items come back that were snoozed until a day, since midnight on the clock of the
        /// workspace (`inbox.snooze_morning`).
        pub snooze_morning: Millis = Millis::hours(8),
        /// The maximum duration of a snooze (`inbox.snooze_max`).
        pub snooze_max: Millis = Millis::hours(90 * 24),
        /// How long before the deadline of an item its snooze ends (`inbox.wake_before`).
        pub wake_before: Millis = Millis::hours(1),
        /// The maximum number of items that one person snoozes in a workspace (`inbox.snoozes`).
        pub snoozes: usize = 2_000,
        /// The maximum number of assignments stored of a workspace, also of items that no longer wait; beyond it the
        /// oldest are deleted (`inbox.assignments`).
        pub assignments: usize = 10_000,
        /// The maximum number of items that one request snoozes or assigns (`inbox.items_at_once`).
        pub items_at_once: usize = 500,
    }
}
