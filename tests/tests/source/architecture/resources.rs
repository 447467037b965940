//! Zones, tools and entries are a feature that teams leave out.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cargo_metadata::Package;

use super::{code, metadata, package, root, sources};

/// The feature of the packages that have it.
const FEATURE: &str = "resources";

/// What names a zone, a tool or an entry: the kinds of their rows, their commands, the ids and members of both.
const NAMES: [&str; 13] = [
    "\"zone\"",
    "\"tool\"",
    "\"entry\"",
    "\"zones.",
    "\"tools.",
    "\"tool_data.",
    "\"TOOL_DATA\"",
    "\"app.state\"",
    "tool_type",
    "ToolType",
    "zone_id",
    "tool_id",
    "always_send",
];

/// Files of the orchestrator that keep words of what releases stored and answered, or the texts of every crate.
const EXEMPT: [&str; 3] = ["application/src/codec", "application/src/texts", "domain/src/validation.rs"];

/// The features of a package that are on if nobody says otherwise.
fn default_features(package: &Package) -> BTreeSet<&str> {
    package.features.get("default").into_iter().flatten().map(String::as_str).collect()
}

/// Input: the manifests and the source of the orchestrator; expected: domain and application name no zone, tool or entry
/// and have no such feature, so they are built without it always; the adapters have it, and only the program has it
/// unasked. `.ci/run` builds the program without it.
#[test]
fn orchestrator_builds_without_resources() {
    let metadata = metadata();
    for (name, has, is_default) in [
        ("entracte-domain", false, false),
        ("entracte-application", false, false),
        ("entracte-adapters-db", false, false),
        ("entracte-adapters-providers", false, false),
        ("entracte-adapters-commands", true, false),
        ("entracte-adapters-http", true, false),
        ("entracte", true, false),
        ("entracte-app-cli", true, true),
    ] {
        let package = package(&metadata, name);
        assert_eq!(package.features.contains_key(FEATURE), has, "{name}");
        assert_eq!(default_features(package).contains(FEATURE), is_default, "{name}");
    }

    let mut files = Vec::new();
    for folder in ["domain/src", "application/src"] {
        sources(&root().join(folder), &mut files);
    }
    let root = root();
    let is_product = |file: &&PathBuf| {
        let path = file.strip_prefix(&root).unwrap();
        !EXEMPT.iter().any(|exempt| path.starts_with(exempt))
            && !path.iter().any(|part| part == "tests" || part == "tests.rs")
    };
    let files: Vec<&PathBuf> = files.iter().filter(is_product).collect();
    assert!(files.len() > 300, "the files are found");
    for file in files {
        let code = code(file);
        let named: Vec<&&str> = NAMES.iter().filter(|name| code.contains(**name)).collect();
        assert!(named.is_empty(), "{} names {named:?}", file.display());
    }

    let checks = std::fs::read_to_string(root.join(".ci/run")).unwrap();
    assert!(checks.contains("--no-default-features"), ".ci/run builds without the feature");
}
