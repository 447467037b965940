use entracte_domain::time::Millis;

entracte_domain::words! {
    /// Which part of a web page is read.
    #[derive(Default)]
    pub enum WebPageScope {
        /// All of it.
        #[default]
        Whole = "whole",
        /// The article, without what stands around it; all of a page that has none.
        Article = "article",
    }
}

settings! {
    /// How one document is converted, with the resource limits: its bytes are untrusted.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ReaderSettings {
        /// Memory in bytes (`reader.memory`).
        pub memory: u64 = 512 << 20,
        /// Processor time, rounded up to whole seconds (`reader.cpu`).
        pub cpu: Millis = Millis::seconds(20),
        /// The size of the converted text in bytes (`reader.output`).
        pub output: u64 = 64 << 20,
        /// Which part of a web page is read (`knowledge.web_pages`).
        pub web_pages: WebPageScope = WebPageScope::Whole,
    }
}

impl ReaderSettings {
    /// The processor time in the unit of the operating system's limit.
    pub fn cpu_seconds(&self) -> u64 {
        self.cpu.0.unsigned_abs().div_ceil(1000).max(1)
    }
}
