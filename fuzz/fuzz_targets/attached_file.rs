#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entracte_tests::untrusted_parsers::read_attached_file(bytes));
