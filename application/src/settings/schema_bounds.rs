//! The limits of declared schemas, and of the arguments checked by them.

settings! {
    /// The limits of schemas and of arguments. Tool declarations are untrusted, and may be large.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct SchemaBounds {
        /// The maximum size of a schema in bytes (`bounds.schema_bytes`).
        pub schema_bytes: usize = 256 * 1024,
        /// The maximum depth of a schema, its references followed (`bounds.schema_depth`).
        pub schema_depth: usize = 64,
        /// The maximum number of values of a schema after expanding every reference (`bounds.schema_nodes`).
        pub schema_nodes: usize = 20_000,
        /// The maximum number of different regular expressions of a schema (`bounds.schema_patterns`).
        pub schema_patterns: usize = 100,
        /// The maximum length of a regular expression, in characters (`bounds.pattern_chars`).
        pub pattern_chars: usize = 1_000,
        /// The maximum size of a compiled regular expression, in bytes (`bounds.pattern_bytes`).
        pub pattern_bytes: usize = 128 * 1024,
        /// The maximum size of a command's arguments, in bytes (`bounds.argument_bytes`).
        pub argument_bytes: usize = 1024 * 1024,
        /// The maximum nesting depth of arguments (`bounds.argument_depth`).
        pub argument_depth: usize = 64,
        /// The maximum number of values in arguments (`bounds.argument_elements`).
        pub argument_elements: usize = 10_000,
        /// The maximum length of a number in arguments, in characters (`bounds.argument_digits`).
        pub argument_digits: usize = 400,
        /// The maximum number of steps for checking arguments (`bounds.check_steps`).
        pub check_steps: usize = 2_000_000,
    }
}

impl SchemaBounds {
    /// The upper limits of the settings. A declaration beyond these is refused when it is read, before the settings
    /// are known.
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
