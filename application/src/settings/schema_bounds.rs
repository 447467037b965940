//! How large a declared schema, and the arguments that are checked by it, may be.

settings! {
    /// The bounds of schemas and of arguments. Whoever declares a tool is not trusted to be brief.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SchemaBounds {
        /// The most bytes of a schema (`bounds.schema_bytes`).
        pub schema_bytes: usize = 256 * 1024,
        /// How deep a schema may go, its references followed (`bounds.schema_depth`).
        pub schema_depth: usize = 64,
        /// The most values of a schema once every reference is replaced by what it stands for (`bounds.schema_nodes`).
        pub schema_nodes: usize = 20_000,
        /// The most different regular expressions of a schema (`bounds.schema_patterns`).
        pub schema_patterns: usize = 100,
        /// The most characters of a regular expression (`bounds.pattern_chars`).
        pub pattern_chars: usize = 1_000,
        /// The most bytes of a regular expression when it is compiled (`bounds.pattern_bytes`).
        pub pattern_bytes: usize = 128 * 1024,
        /// The most bytes of a command's arguments (`bounds.argument_bytes`).
        pub argument_bytes: usize = 1024 * 1024,
        /// Lists and objects within one another in arguments (`bounds.argument_depth`).
        pub argument_depth: usize = 64,
        /// The most values in arguments (`bounds.argument_elements`).
        pub argument_elements: usize = 10_000,
        /// The most characters of a number in arguments (`bounds.argument_digits`).
        pub argument_digits: usize = 400,
        /// The most steps that a check of arguments may take (`bounds.check_steps`).
        pub check_steps: usize = 2_000_000,
    }
}

impl SchemaBounds {
    /// What the settings can be raised to. A declaration beyond these is refused where it is read, before it is
    /// known what is set.
    pub const WIDEST: Self = Self {
        schema_bytes: 4 * 1024 * 1024,
        schema_depth: 96,
        schema_nodes: 200_000,
        schema_patterns: 1_000,
        pattern_chars: 20_000,
        pattern_bytes: 2 * 1024 * 1024,
        argument_bytes: 64 * 1024 * 1024,
        argument_depth: 64,
        argument_elements: 1_000_000,
        argument_digits: 5_000,
        check_steps: 50_000_000,
    };
}
