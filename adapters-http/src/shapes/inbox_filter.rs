//! What the inbox is filtered by: the same names in a query of the API and after `--where`.

entracte_domain::words! {
    /// A filter of the inbox, a parameter of its query. An item has to fit all that are given.
    pub enum InboxFilterName {
        /// Words that stand in what an item says.
        Words = "q",
        /// The kind of an item.
        Kind = "kind",
        /// The command of an item.
        Command = "command",
        /// A part of the arguments of an item.
        Argument = "argument",
        /// The session of an item, by its id or a part of its name.
        Session = "session",
        /// The automation of an item.
        Automation = "automation",
        /// The person who asked for an item, or whose rights it has.
        Person = "person",
        /// The person an item is assigned to; `me`, `nobody`.
        Assigned = "assigned",
        /// How long an item waits at least.
        Age = "age",
        /// Since before which instant an item waits.
        AskedBefore = "asked_before",
    }
}
