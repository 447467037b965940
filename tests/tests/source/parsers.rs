//! The parsers of strangers' bytes read the seeds of their fuzz targets.

use std::path::{Path, PathBuf};

use entracte_tests::untrusted_parsers::PARSERS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// Input: every seed, and every seed cut at each of 16 places; expected: each parser reads them, and what must hold of what it
/// read holds. Every parser has seeds and a fuzz target.
#[test]
fn every_parser_reads_its_seeds() {
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for parser in PARSERS {
        let target = format!("fuzz_targets/{}.rs", parser.name);
        assert!(manifest.contains(&format!("path = \"{target}\"")), "{} has no target", parser.name);
        let source = std::fs::read_to_string(fuzz().join(&target)).unwrap();
        assert!(source.contains(&format!("parsers::read_{}(", parser.name)), "{source}");
        let seeds = std::fs::read_dir(fuzz().join("seeds").join(parser.name)).unwrap();
        let seeds: Vec<PathBuf> = seeds.map(|seed| seed.unwrap().path()).collect();
        assert!(!seeds.is_empty(), "{} has no seeds", parser.name);
        for seed in seeds {
            let bytes = std::fs::read(&seed).unwrap();
            (parser.read)(&bytes);
            for part in 0..16 {
                (parser.read)(&bytes[..bytes.len() * part / 16]);
            }
        }
    }
    assert_eq!(manifest.matches("[[bin]]").count(), PARSERS.len(), "a target without a parser");
}
