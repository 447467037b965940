//! What a host leaves out is not built: the packages that cargo resolves for sets of features.

use std::collections::BTreeSet;
use std::process::Command;

use super::root;

/// The packages that a package of ours is built of with these features and no others.
fn packages(package: &str, features: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--package", package, "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}", "--no-default-features", "--features", &features.join(",")])
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let names = text.lines().filter_map(|line| line.split(' ').next());
    let packages: BTreeSet<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    assert!(packages.contains(package), "{text}");
    packages
}

/// The packages among these.
fn named<'a>(packages: &BTreeSet<String>, names: &[&'a str]) -> Vec<&'a str> {
    names.iter().copied().filter(|name| packages.contains(*name)).collect()
}

/// Input: the kit without its services; expected: its contracts and its stores in memory bring no adapter into the unit
/// tests of a host.
#[test]
fn memory_store_builds_without_adapters() {
    let kit = packages("entracte-tests", &[]);
    let ours: Vec<&String> = kit.iter().filter(|name| name.starts_with("entracte-")).collect();
    assert_eq!(ours, ["entracte-application", "entracte-domain", "entracte-tests"]);
    assert_eq!(named(&kit, &DATABASES), Vec::<&str>::new());
}

/// The C libraries of the databases, and what builds them.
const DATABASES: [&str; 5] = ["libsqlite3-sys", "openssl-src", "openssl-sys", "pq-src", "pq-sys"];

/// Input: the store with each of its features, and the program without Postgres; expected: the C library of a database
/// that is left out is no part of the build.
#[test]
fn sqlite_only_builds_without_libpq() {
    let store = |features: &[&str]| named(&packages("entracte-adapters-db", features), &DATABASES);
    assert_eq!(store(&["sqlite"]), ["libsqlite3-sys"]);
    assert_eq!(store(&["postgres"]), ["pq-src", "pq-sys"]);
    assert_eq!(store(&["postgres", "sqlite"]), ["libsqlite3-sys", "pq-src", "pq-sys"]);
    assert_eq!(store(&["default"]), store(&["postgres", "sqlite"]));

    let program = |features: &[&str]| named(&packages("entracte-app-cli", features), &DATABASES);
    assert_eq!(program(&["pdf", "resources"]), ["libsqlite3-sys"]);
    assert_eq!(program(&["default"]), ["libsqlite3-sys", "pq-src", "pq-sys"]);
}

/// Input: the server of a host, with and without the feature, and the program; expected: OpenTelemetry is built where it
/// is asked for, and in the program.
#[test]
fn server_builds_without_opentelemetry() {
    let has_telemetry = |package: &str, features: &[&str]| {
        packages(package, features).iter().any(|name| name.starts_with("opentelemetry"))
    };
    assert!(!has_telemetry("entracte-adapters-http", &["resources"]));
    assert!(has_telemetry("entracte-adapters-http", &["opentelemetry"]));
    assert!(has_telemetry("entracte-app-cli", &["default"]));
}
