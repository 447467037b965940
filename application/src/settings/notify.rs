use entracte_domain::time::Millis;

/// Settings of notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifySettings {
    /// How often it is looked for something to tell (`notify.poll`).
    pub poll: Millis,
    /// How often occurrences and standing approvals are looked at, which are in no log (`notify.look`).
    pub look: Millis,
    /// How long one try may take (`notify.timeout`).
    pub timeout: Millis,
    /// The shortest wait before the next try (`notify.retry`).
    pub retry: Millis,
    /// The longest wait before the next try (`notify.retry_max`).
    pub retry_max: Millis,
    /// How long a notification is tried (`notify.give_up`).
    pub give_up: Millis,
    /// After how long an approval is told once more; 0 = never (`notify.reminder`).
    pub reminder: Millis,
    /// How long before its end a standing approval is told; 0 = never (`notify.rule_ahead`).
    pub rule_ahead: Millis,
    /// From how many due notifications of one target on they are told together (`notify.together`).
    pub together: usize,
    /// The most things that one message names; more are counted (`notify.named`).
    pub named: usize,
    /// The most notifications that one step sends (`notify.batch`).
    pub batch: u32,
    /// How long it is kept what was told (`notify.kept`).
    pub kept: Millis,
    /// How long a link counts, at most 12 h (`notify.link_lasts`).
    pub link_lasts: Millis,
    /// The longest arguments of a card that a link decides on, in characters (`notify.link_max_chars`).
    pub link_max_chars: usize,
    /// The most targets of a workspace (`notify.targets`).
    pub targets: u32,
}

impl NotifySettings {
    /// No link counts for longer.
    pub const LINK_LASTS_MAX: Millis = Millis::hours(12);
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self {
            poll: Millis::seconds(2),
            look: Millis::minutes(1),
            timeout: Millis::seconds(10),
            retry: Millis::seconds(5),
            retry_max: Millis::hours(1),
            give_up: Millis::hours(24),
            reminder: Millis::hours(1),
            rule_ahead: Millis::hours(24),
            together: 3,
            named: 20,
            batch: 200,
            kept: Millis::hours(30 * 24),
            link_lasts: Self::LINK_LASTS_MAX,
            link_max_chars: 1_000,
            targets: 20,
        }
    }
}
