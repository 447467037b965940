//! Everything that must be neither lost nor done twice goes through a function with its points, and what is shipped
//! has no points. That each point is passed, and survived, is shown by `crash.rs`.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use entracte_application::failpoints::{ARE_BUILT_IN, FailpointOperation, FailpointSite};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The source files of a crate, its tests not counted, each by its path in the crate and its code.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let (mut folders, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if name.split('/').any(|part| part.starts_with("tests")) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
                let lines = before_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
                found.push((name, lines.collect::<Vec<_>>().join("\n")));
            }
        }
    }
    assert!(found.len() > 20, "the files are found");
    found
}

/// Where these words stand, as `file: word`.
fn places(crate_name: &str, words: &[&str]) -> BTreeSet<String> {
    let sources = sources(&root().join(crate_name).join("src"));
    let of_file = |(name, code): &(String, String)| {
        let here = words.iter().filter(|word| code.contains(**word));
        here.map(|word| format!("{name}: {word}")).collect::<Vec<_>>()
    };
    sources.iter().flat_map(of_file).collect()
}

fn set(places: &[&str]) -> BTreeSet<String> {
    places.iter().map(|place| (*place).to_owned()).collect()
}

/// A model, and a command, is called where its points are, and nowhere else.
#[test]
fn every_effect_begins_where_its_points_are() {
    let words = [
        "provider.call(",
        "executor.run(",
        "executor.probe_outcome(",
        "executor.plan(",
        "hook.decide(",
        "gateway.poll(",
        "gateway.cancel(",
        "gateway.answer(",
    ];
    let expected = [
        "runtime/effects.rs: executor.probe_outcome(",
        "runtime/effects.rs: executor.run(",
        "runtime/effects.rs: provider.call(",
        "runtime/policy_check.rs: hook.decide(",
        "runtime/turn/questions/action_plan.rs: executor.plan(",
        "runtime/task_work.rs: gateway.answer(",
        "runtime/task_work.rs: gateway.cancel(",
        "runtime/task_work.rs: gateway.poll(",
        // Looked at and dropped: it says whether what is asked for is there.
        "use_cases/external_calls/precheck.rs: executor.plan(",
        "use_cases/run_command.rs: executor.run(",
    ];
    assert_eq!(places("application", &words), set(&expected), "an effect elsewhere needs points of its own");
    let points = [
        "runtime/effects.rs: run_between_failpoints(operation, carry_out(",
        "runtime/turn/questions/action_plan.rs: run_between_failpoints(FailpointOperation::PlanCommand, ",
        "runtime/task_work.rs: run_between_failpoints(FailpointOperation::AskTask, ",
        "use_cases/run_command.rs: run_between_failpoints(FailpointOperation::RunCommand, ",
    ];
    assert_eq!(
        places(
            "application",
            &[
                "run_between_failpoints(operation, carry_out(",
                "run_between_failpoints(FailpointOperation::PlanCommand, ",
                "run_between_failpoints(FailpointOperation::AskTask, ",
                "run_between_failpoints(FailpointOperation::RunCommand, "
            ]
        ),
        set(&points)
    );
    let expected = [
        "runtime/loaded_workspace.rs: store.commit(",
        "runtime/workspace_acquisition.rs: store.commit(",
        // Into the store of a dry run, which goes away with it.
        "use_cases/automation/dry_run/runner.rs: store.commit(",
    ];
    assert_eq!(places("application", &["store.commit("]), set(&expected));
}

/// Rows are written by work of the writer's queue, which names its operation, by a copy, or by migrations; each is handed
/// on in one place, where its points are.
#[test]
fn every_durable_write_goes_through_its_points() {
    let writes = ["insert_into(", "diesel::update(", "diesel::delete(", "VACUUM", "run_migration("];
    let writers: BTreeSet<String> = places("adapters-db", &writes)
        .into_iter()
        .map(|place| place.split_once(": ").unwrap().0.to_owned())
        .filter(|file| !file.starts_with("queries/"))
        .collect();
    let expected = set(&[
        "copy/table.rs",
        "dialect/postgres.rs",
        "dialect/postgres/space.rs",
        "dialect/sqlite.rs",
        "dialect/sqlite/search.rs",
        "migrations/mod.rs",
    ]);
    assert_eq!(writers, expected, "a write elsewhere needs points of its own");
    let handed_on = ["writer.submit(", "copy_rows(", "database_opening::open(", "sqlite::copy_into("];
    let expected = [
        "backup.rs: sqlite::copy_into(",
        "copy/mod.rs: copy_rows(",
        "database.rs: database_opening::open(",
        "database.rs: writer.submit(",
        // A copy that is only looked at, and removed: whoever makes it dies with it.
        "snapshot.rs: sqlite::copy_into(",
    ];
    assert_eq!(places("adapters-db", &handed_on), set(&expected));
    let points = [
        "run_between_failpoints(W::OPERATION, self.inner.writer.submit(work))",
        "run_blocking_between_failpoints(FailpointOperation::Backup, || self.write_backup(to))",
        "run_blocking_between_failpoints(FailpointOperation::Copy, || copy_rows(self, target))",
        "run_blocking_between_failpoints(FailpointOperation::Migrate, || {",
        "run_blocking_between_failpoints(FailpointOperation::Reclaim, || -> Result<_, StoreError> {",
    ];
    assert_eq!(places("adapters-db", &points).len(), points.len(), "{:?}", places("adapters-db", &points));
    let committed = [
        "pass_failpoints(jobs, FailpointMoment::Written)",
        "pass_failpoints(jobs, FailpointMoment::Committed)",
    ];
    assert_eq!(places("adapters-db", &committed).len(), committed.len());
}

#[test]
fn every_deed_has_its_points_and_a_word_of_its_own() {
    assert!(FailpointOperation::ALL.is_sorted(), "in the order they are declared");
    assert_eq!(
        FailpointOperation::ALL.map(|operation| operation as usize).to_vec(),
        (0..FailpointOperation::ALL.len()).collect::<Vec<_>>()
    );
    let words: BTreeSet<String> = FailpointSite::all().iter().map(FailpointSite::to_string).collect();
    assert_eq!(words.len(), FailpointSite::all().len());
    assert!(FailpointOperation::ALL.iter().all(|operation| operation.moments().len() >= 2));
}

/// Of the shipped binary no crate is built with what is for tests. (A release build has no points even then.)
#[test]
fn the_shipped_binary_has_no_failpoints() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--package",
            "entracte-app-cli",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
        ])
        .args(["--format", "{p} [{f}]"])
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let ours: Vec<&str> = text.lines().filter(|line| line.starts_with("entracte")).collect();
    assert!(ours.iter().any(|line| line.starts_with("entracte-application ")), "{text}");
    for line in ours {
        assert!(!line.contains("failpoints") && !line.contains("test-helpers"), "{line}");
    }
    assert_eq!(ARE_BUILT_IN, cfg!(debug_assertions), "these tests are built with the feature");
}
