use entracte_domain::time::Millis;

settings! {
    /// What reading one document may take: its bytes are a stranger's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ReaderSettings {
        /// Bytes of memory (`reader.memory`).
        pub memory: u64 = 512 << 20,
        /// Time of a processor, in whole seconds; a part of one counts as one (`reader.cpu`).
        pub cpu: Millis = Millis::seconds(20),
        /// Bytes of the text that comes of it (`reader.output`).
        pub output: u64 = 64 << 20,
    }
}

impl ReaderSettings {
    /// The time of a processor in the unit that a system bounds it in.
    pub fn cpu_seconds(&self) -> u64 {
        self.cpu.0.unsigned_abs().div_ceil(1000).max(1)
    }
}
