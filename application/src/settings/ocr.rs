use entracte_domain::time::Millis;

settings! {
    /// The program that recognises words in pictures of PDFs (OCR), and the limits of each of its processes.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OcrSettings {
        /// The program: a path, or a name in the usual folders of programs; `None` for no OCR (`reader.ocr`).
        pub program: Option<String> = None,
        /// Its arguments (`reader.ocr_arguments`).
        pub arguments: Vec<String> = Vec::new(),
        /// Memory in bytes (`reader.ocr_memory`).
        pub memory: u64 = 1 << 30,
        /// Processor time, rounded up to whole seconds (`reader.ocr_cpu`).
        pub cpu: Millis = Millis::minutes(10),
    }
}

impl OcrSettings {
    /// The processor time in the unit of the operating system's limit.
    pub fn cpu_seconds(&self) -> u64 {
        self.cpu.0.unsigned_abs().div_ceil(1000).max(1)
    }
}
