//! The shape of the services, checked: who may depend on whom, and what must not appear where.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod call_graph;
mod calls;
mod cycles;
mod features;
mod imports;
mod layers;
mod resources;
mod source;
mod source_index;
mod turn;
mod use_cases;
mod words;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(root().join("Cargo.toml")).no_deps().exec().unwrap()
}

fn package<'a>(metadata: &'a Metadata, name: &str) -> &'a Package {
    metadata.packages.iter().find(|package| package.name.as_str() == name).unwrap()
}

/// The crates of ours that a crate depends on, tests not counted.
fn ours(package: &Package) -> BTreeSet<&str> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind == DependencyKind::Normal)
        .map(|dependency| dependency.name.as_str())
        .filter(|name| *name == "entracte" || name.starts_with("entracte-"))
        .collect()
}

#[test]
fn the_domain_depends_on_nothing() {
    let metadata = metadata();
    let domain = package(&metadata, "entracte-domain");
    assert!(domain.dependencies.is_empty(), "{:?}", domain.dependencies);
}

#[test]
fn every_edge_points_inward() {
    let metadata = metadata();
    let allowed: [(&str, &[&str]); 8] = [
        ("entracte-domain", &[]),
        ("entracte-application", &["entracte-domain"]),
        ("entracte-adapters-db", &["entracte-application", "entracte-domain"]),
        ("entracte-adapters-providers", &["entracte-application", "entracte-domain"]),
        ("entracte-adapters-commands", &["entracte-application", "entracte-domain"]),
        ("entracte-adapters-http", &["entracte-application", "entracte-domain"]),
        (
            "entracte",
            &[
                "entracte-adapters-commands",
                "entracte-adapters-db",
                "entracte-adapters-http",
                "entracte-adapters-providers",
                "entracte-application",
                "entracte-domain",
            ],
        ),
        ("entracte-app-cli", &["entracte"]),
    ];
    for (name, expected) in allowed {
        let found = ours(package(&metadata, name));
        assert_eq!(found, expected.iter().copied().collect(), "{name}");
    }
}

#[test]
fn no_adapter_type_appears_in_the_application() {
    let metadata = metadata();
    let outside = ["diesel", "reqwest", "axum", "rmcp", "clap"];
    for name in ["entracte-domain", "entracte-application"] {
        let found: Vec<_> = package(&metadata, name)
            .dependencies
            .iter()
            .filter(|dependency| outside.contains(&dependency.name.as_str()))
            .collect();
        assert!(found.is_empty(), "{name}: {found:?}");
    }
}

#[test]
fn versions_are_pinned_in_one_place() {
    for package in &metadata().packages {
        let manifest: toml::Table = std::fs::read_to_string(&package.manifest_path).unwrap().parse().unwrap();
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(dependencies) = manifest.get(section).and_then(toml::Value::as_table) else { continue };
            for (name, dependency) in dependencies {
                // With a feature that its own tests need; a version would keep it from being packaged.
                if *name == *package.name {
                    assert_eq!(
                        dependency.get("path").and_then(toml::Value::as_str),
                        Some("."),
                        "{name} in {section}"
                    );
                    continue;
                }
                let inherited = dependency.get("workspace").and_then(toml::Value::as_bool);
                assert_eq!(inherited, Some(true), "{}: {name} in {section}", package.name);
            }
        }
    }
}

/// Only the program chooses the cryptography of TLS: one that an adapter enables would stand beside a host's own choice.
#[test]
fn only_programs_choose_tls_provider() {
    let metadata = metadata();
    let chooses = |package: &&Package| {
        let normal =
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        let mut tls = normal.filter(|dependency| dependency.name.ends_with("rustls"));
        tls.any(|dependency| {
            let has = |name: &str| dependency.features.iter().any(|feature| feature == name);
            dependency.uses_default_features || has("ring") || has("aws_lc_rs")
        })
    };
    let choosing = metadata.packages.iter().filter(chooses).map(|found| found.name.as_str());
    assert_eq!(choosing.collect::<BTreeSet<_>>(), BTreeSet::from(["entracte", "entracte-tests"]));
}

/// Features are united over a program: one that changes what a JSON value is would change the JSON of every host.
#[test]
fn no_crate_changes_json_of_hosts() {
    let metadata = metadata();
    for package in &metadata.packages {
        for dependency in &package.dependencies {
            let allowed: &[&str] = match dependency.name.as_str() {
                "serde_json" => &["raw_value"],
                "jsonschema" => &["idna"],
                _ => continue,
            };
            let is_other = |feature: &&String| !allowed.contains(&feature.as_str());
            let others: Vec<&String> = dependency.features.iter().filter(is_other).collect();
            assert!(others.is_empty(), "{}: {others:?} of {}", package.name, dependency.name);
        }
    }
}

/// Everything is built and tested with the oldest toolchain that the packages promise to work with.
#[test]
fn the_oldest_toolchain_is_the_one_that_tests() {
    let read = |name| std::fs::read_to_string(root().join(name)).unwrap().parse::<toml::Table>().unwrap();
    let (manifest, toolchain) = (read("Cargo.toml"), read("rust-toolchain.toml"));
    let promised = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    let tested = toolchain["toolchain"]["channel"].as_str().unwrap();
    assert_eq!(tested, format!("{promised}.0"));
}

/// The dependencies that a workspace pins, those of ours left out, each without what only concerns its features.
fn pinned(manifest: &Path) -> toml::Table {
    let manifest: toml::Table = std::fs::read_to_string(manifest).unwrap().parse().unwrap();
    let all = manifest["workspace"]["dependencies"].as_table().unwrap();
    let version = |dependency: &toml::Value| dependency.get("version").unwrap_or(dependency).clone();
    let outside = all.iter().filter(|(_, dependency)| dependency.get("path").is_none());
    outside.map(|(name, dependency)| (name.clone(), version(dependency))).collect()
}

#[test]
fn the_examples_use_the_versions_of_the_house() {
    let ours = pinned(&root().join("Cargo.toml"));
    let examples = pinned(&root().join("examples/Cargo.toml"));
    assert!(examples.len() > 2, "the examples pin what they use");
    for (name, version) in &examples {
        assert_eq!(ours.get(name), Some(version), "{name}");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn only_the_system_module_reads_clock_randomness_and_environment() {
    let mut files = Vec::new();
    for folder in ["domain/src", "application/src"] {
        sources(&root().join(folder), &mut files);
    }
    let forbidden =
        ["SystemTime::now", "Instant::now", "Timestamp::now", "Zoned::now", "getrandom::", "std::env::"];
    let exempt = ["system", "tests", "tests.rs"];
    let root = root();
    let inside = |file: &Path| file.strip_prefix(&root).unwrap().to_owned();
    let is_exempt = |file: &Path| inside(file).iter().any(|part| exempt.iter().any(|name| part == *name));
    let looked_at: Vec<&PathBuf> = files.iter().filter(|file| !is_exempt(file)).collect();
    assert!(looked_at.len() > 100, "the files are found");
    for file in looked_at {
        let text = std::fs::read_to_string(file).unwrap();
        for word in forbidden {
            // `DualClockInstant::now` is handed a clock.
            let is_named =
                text.match_indices(word).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric));
            assert!(!is_named, "{} names {word}", file.display());
        }
    }
}

/// The text of a source file before its tests, without comments.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = before_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
    // Reasons of lint attributes are prose for us, and nobody else reads them.
    let code = lines.filter(|line| !line.contains("reason = ")).collect::<Vec<_>>().join("\n");
    // Quotes that begin and end no text.
    code.replace(r"\\", "").replace(r#"\""#, "").replace(r#"'"'"#, "")
}

#[test]
fn the_domain_has_no_prose() {
    let mut files = Vec::new();
    sources(&root().join("domain/src"), &mut files);
    assert!(files.len() > 40, "the files are found");
    // A file, or a folder, of tests alone speaks to us.
    let (root, is_test) = (root(), |part: &OsStr| part == "tests" || part == "tests.rs");
    let speaks = |file: &PathBuf| !file.strip_prefix(&root).unwrap().iter().any(is_test);
    for file in files.into_iter().filter(speaks) {
        let text = code(&file);
        for literal in text.split('"').skip(1).step_by(2) {
            // `{name} {code}` joins what comes from outside.
            let words = literal.split(|c: char| c.is_whitespace()).filter(|word| {
                word.len() > 1 && word.chars().all(|c| c.is_alphabetic() || ".,:;’".contains(c))
            });
            assert!(words.count() < 2, "{}: “{literal}” belongs into the catalogue of texts", file.display());
        }
    }
}

/// Rights are made of wider ones. Whoever could read them back from anywhere could make any.
#[test]
fn rights_are_read_back_where_they_are_stored_and_nowhere_else() {
    let mut files = Vec::new();
    let crates = [
        "application",
        "adapters-db",
        "adapters-commands",
        "adapters-http",
        "adapters-providers",
        "entracte",
    ];
    for name in crates {
        sources(&root().join(name).join("src"), &mut files);
    }
    let codec = root().join("application/src/codec");
    let reads = |file: &&PathBuf| std::fs::read_to_string(file).unwrap().contains("::from_stored(");
    let (inside, outside): (Vec<_>, Vec<_>) =
        files.iter().filter(reads).partition(|file| file.starts_with(&codec));
    assert!(!inside.is_empty(), "the codec reads them back");
    assert_eq!(outside, Vec::<&PathBuf>::new());
}

#[test]
fn the_domain_decides_every_case() {
    let mut files = Vec::new();
    sources(&root().join("domain/src/session/transition"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!text.contains("_ =>"), "{} has a catch-all arm", file.display());
    }
}

/// The docs that stand right before a line, other attributes after them not counted.
fn docs_before<'a>(lines: &[&'a str], at: usize) -> Vec<&'a str> {
    let before = lines[..at].iter().rev().map(|line| line.trim_start());
    let is_doc = |line: &&str| line.starts_with("///") || line.starts_with("#[doc");
    before.skip_while(|line| line.starts_with("#[") && !is_doc(line)).take_while(is_doc).collect()
}

/// The name that a line declares: a port trait, a use case (which `use_case!` declares, or a struct that shows no field), or
/// one of the verbs.
fn declared<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let name = |rest: &'a str| rest.split(|c: char| !c.is_alphanumeric()).next();
    let line = lines[at];
    let shows_fields =
        || lines[at + 1..].iter().take_while(|line| **line != "}").any(|line| line.contains("pub "));
    if let Some(rest) = line.strip_prefix("pub trait ") {
        return name(rest);
    }
    if let Some(rest) = line.strip_prefix("pub struct ").filter(|rest| rest.ends_with('{')) {
        return name(rest).filter(|_| !shows_fields());
    }
    if let Some(rest) = line.strip_prefix("    pub struct ").filter(|_| !line.ends_with(" {")) {
        return name(rest);
    }
    let is_verb = ["(author: String", "(reader: String"].iter().any(|first| line.contains(first));
    let is_verb = is_verb && line.starts_with("    ") && !line.contains("fn ");
    name(line.trim_start()).filter(|_| is_verb)
}

#[test]
fn every_port_and_every_use_case_has_an_example() {
    let (mut found, mut without) = (Vec::new(), Vec::new());
    for (file, text) in contracts() {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let Some(name) = declared(&lines, at) else { continue };
            if file.iter().any(|part| part == "ports") && !lines[at].starts_with("pub trait ") {
                continue;
            }
            found.push(name.to_owned());
            // The example of a verb stands once, in the macro that declares them.
            let shown = lines.iter().position(|line| line.trim().starts_with("pub struct $name over "));
            let is_verb = !lines[at].trim_start().starts_with("pub ");
            let docs = docs_before(&lines, shown.filter(|_| is_verb).unwrap_or(at));
            if docs.iter().filter(|line| line.starts_with("/// ```")).count() < 2 {
                without.push(format!("{name} in {}", file.display()));
            }
        }
    }
    for expected in [
        "WorkspaceStore",
        "Provider",
        "ReplySink",
        "SendMessage",
        "RejectCompletion",
        "FollowTurn",
        "StartChat",
    ] {
        assert!(found.iter().any(|name| name == expected), "{expected} is found");
    }
    assert!(without.is_empty(), "no example in the documentation of: {without:#?}");
}

/// The sources of ports and use cases, each with its lines, without tests.
fn contracts() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for folder in ["application/src/ports", "application/src/use_cases"] {
        sources(&root().join(folder), &mut files);
    }
    // Below our own root only: the way to it leads through the folder of these tests.
    let is_test = |file: &PathBuf| {
        file.strip_prefix(root()).is_ok_and(|below| below.iter().any(|part| part == "tests"))
    };
    files.retain(|file| !is_test(file));
    let read = |file: PathBuf| (file.clone(), std::fs::read_to_string(file).unwrap());
    files.into_iter().map(read).collect()
}

/// The signature that begins at a line, as one text.
fn signature(lines: &[&str], at: usize) -> String {
    let mut text = String::new();
    for line in &lines[at..] {
        text.push_str(line.trim());
        if line.trim_end().ends_with(['{', ';']) || line.contains("{ ") {
            break;
        }
    }
    text
}

/// The lines below the one that declares an item, up to the one that ends it.
fn body_of<'a>(lines: &'a [&'a str], at: usize) -> &'a [&'a str] {
    let end = lines[at..].iter().position(|line| *line == "}").unwrap_or(lines.len() - at);
    &lines[at + 1..at + end]
}

fn has_heading(lines: &[&str], at: usize, heading: &str) -> bool {
    docs_before(lines, at).iter().any(|line| line.trim_start_matches('/').trim() == heading)
}

/// Clippy does not see into async traits. A port says it once for all of its methods, or of each that differs.
#[test]
fn every_port_says_what_its_errors_mean() {
    let (mut seen, mut without) = (0, Vec::new());
    for (file, text) in contracts().iter().filter(|(file, _)| file.iter().any(|part| part == "ports")) {
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|at| lines[*at].starts_with("pub trait ")) {
            let says_all = has_heading(&lines, at, "# Errors");
            for (offset, line) in body_of(&lines, at).iter().enumerate() {
                let method = at + 1 + offset;
                let is_method = line.starts_with("    fn ") || line.starts_with("    async fn ");
                if !is_method || !signature(&lines, method).contains("Result<") {
                    continue;
                }
                seen += 1;
                if !says_all && !has_heading(&lines, method, "# Errors") {
                    without.push(format!("{}: {}", file.display(), line.trim()));
                }
            }
        }
    }
    assert!(seen > 100, "{seen} methods are found");
    assert!(without.is_empty(), "it is not said what the errors mean of: {without:#?}");
}

/// Every use case that is awaited, and every port whose writing or sending may be dropped.
#[test]
fn it_is_said_what_a_dropped_future_leaves_behind() {
    let (mut seen, mut without) = (0, Vec::new());
    for (file, text) in contracts() {
        let lines: Vec<&str> = text.lines().collect();
        let is_port = file.iter().any(|part| part == "ports");
        for at in 0..lines.len() {
            let Some(name) = declared(&lines, at) else { continue };
            let is_awaited = if is_port {
                ["WorkspaceStore", "Provider", "CommandExecutor", "MailSender", "MailStore", "Ownership"]
                    .contains(&name)
            } else {
                let of_it = [format!("impl {name} {{"), "        impl $name {".to_owned()];
                let own = lines.iter().position(|line| of_it.iter().any(|head| line == head));
                own.is_some_and(|own| {
                    let end = lines[own + 1..].iter().position(|line| line.starts_with("impl ")).unwrap_or(0);
                    let until = if end == 0 { lines.len() } else { own + 1 + end };
                    lines[own..until].iter().any(|line| line.trim_start().starts_with("pub async fn "))
                })
            };
            if !is_awaited {
                continue;
            }
            seen += 1;
            // One that only `reads`, or says what comes of it `again`, has the heading of its macro.
            let declared = lines[at..].iter().take_while(|line| !matches!(**line, "}" | ");"));
            let says = |line: &&str| [" reads (", " again \""].iter().any(|word| line.contains(word));
            if !declared.clone().any(says) && !has_heading(&lines, at, "# Cancel safety") {
                without.push(format!("{name} in {}", file.display()));
            }
        }
    }
    assert!(seen > 70, "{seen} are found");
    assert!(without.is_empty(), "it is not said what a drop leaves behind of: {without:#?}");
}

/// A turn decides on what it is told. What it needs is read by its workspace.
#[test]
fn a_turn_awaits_nothing_and_names_no_port() {
    let mut files = Vec::new();
    sources(&root().join("application/src/runtime/turn"), &mut files);
    assert!(files.len() > 10, "{files:?}");
    let closed = [
        "Arc<dyn ",
        "Services",
        "Pipeline",
        "Reader",
        "Store,",
        "Provider,",
        "Clock",
        "IdGenerator",
        "ScheduleCalculator",
        "tokio",
    ];
    // The readers of the questions await the ports, and the turn never calls them. `ReaderLanguage` is a value: who reads.
    let is_pure = |file: &&PathBuf| {
        !file.ends_with("tests.rs") && !file.parent().is_some_and(|folder| folder.ends_with("questions"))
    };
    for file in files.iter().filter(is_pure) {
        let text = std::fs::read_to_string(file).unwrap();
        let text = text.replace("QuestionReader", "").replace("ReaderLanguage", "");
        let awaits = ["async", "await"].into_iter().filter(|word| is_word_of(&text, word));
        let named: Vec<&str> = awaits.chain(closed.into_iter().filter(|word| text.contains(word))).collect();
        assert!(named.is_empty(), "{} names {named:?}", file.display());
    }
}

/// Whether this is a word of the text; `awaits` is another one than `await`.
fn is_word_of(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|other| other == word)
}
