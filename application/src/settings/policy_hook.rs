use entracte_domain::time::Millis;

settings! {
    /// Limits of the policy hook, which is asked about calls before a person is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PolicyHookSettings {
        /// How long an answer may take; later a person is asked (`policy.timeout`).
        pub timeout: Millis = Millis::seconds(2),
        /// How many calls are asked about at once in a process; the others wait in order, 0 = no limit (`policy.at_once`).
        pub at_once: usize = 8,
        /// The maximum length of the reason and of the version in an answer, in characters; an answer with a longer one
        /// counts as none (`policy.reason_max_chars`).
        pub reason_max_chars: usize = 500,
        /// The maximum size of an answer, in bytes; a larger one counts as none (`policy.answer_bytes`).
        pub answer_bytes: usize = 64 * 1024,
        /// The maximum size of the files of a policy in Rego together, in bytes (`policy.rego_bytes`).
        pub rego_bytes: usize = 1 << 20,
        /// The maximum memory of each process of the program, in bytes (`policy.memory`).
        pub memory: u64 = 256 << 20,
        /// The maximum processor time of each process of the program, rounded up to whole seconds (`policy.cpu`).
        pub cpu: Millis = Millis::seconds(10),
    }
}

impl PolicyHookSettings {
    /// The processor time in the unit of the operating system's limit.
    pub fn cpu_seconds(&self) -> u64 {
        self.cpu.0.unsigned_abs().div_ceil(1000).max(1)
    }
}
