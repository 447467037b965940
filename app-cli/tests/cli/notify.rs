//! `notify`: targets on the command line, in both languages.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli_fixture::CliFixture;
use crate::decisions::MAKES;

/// Adds a target that writes its notifications to a file of the folder; returns the file.
pub(crate) fn add_file_target(stage: &CliFixture, more: &[&str]) -> PathBuf {
    let file = stage.folder.path().join("told");
    let script = format!("/bin/cat >> {0}; echo >> {0}", file.display());
    let mut all = vec!["notify", "add", "file", "--kinds", "approval.requested,run.ended"];
    all.extend(more);
    all.extend(["--command", "/bin/sh", "-c", &script]);
    stage.run(&all).expect(0);
    file
}

pub(crate) fn read_notifications(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_target_is_added_listed_tried_and_removed() {
    let stage = CliFixture::with_script(MAKES);
    assert_eq!(stage.run(&["--json", "notify", "list"]).expect(0).json()["targets"], serde_json::json!([]));
    let file = add_file_target(&stage, &["--quiet-hours", "03:00-03:01"]);
    let listed = stage.run(&["--json", "notify", "list"]).expect(0).json();
    let target = &listed["targets"][0];
    assert_eq!(
        (&target["name"], &target["person"], &target["way"]),
        (&"file".into(), &"ann".into(), &"command".into(),)
    );
    assert_eq!(target["quiet_hours"], "03:00-03:01");

    stage.run(&["notify", "test", "file"]).expect(0);
    assert_eq!(read_notifications(&file)[0]["type"], "test");
    let listed = stage.run(&["--json", "notify", "list"]).expect(0).json();
    assert_eq!(listed["notifications"][0]["state"], "sent");
    let table = stage.run(&["notify", "list"]).expect(0).out;
    assert!(table.contains("approval.requested, run.ended") && table.contains("test"), "{table}");

    let twice = stage.run(&["notify", "add", "file", "--ntfy", "https://1.1.1.1/topic"]).expect(6);
    assert!(twice.err.contains("another target"), "{}", twice.err);
    stage.run(&["notify", "remove", "file"]).expect(0);
    assert!(stage.run(&["notify", "test", "file"]).expect(5).err.contains("no target"));
}

#[test]
fn unusable_target_is_refused_with_remedy() {
    let stage = CliFixture::with_script(MAKES);
    stage.run(&["workspace", "settings", "set", "language=fr"]).expect(0);
    let refused = |arguments: &[&str], code: i32| {
        let mut all = vec!["notify", "add", "x"];
        all.extend(arguments);
        stage.run(&all).expect(code).err
    };
    let inward = refused(&["--ntfy", "http://127.0.0.1/topic"], 2);
    assert!(inward.contains("la cible ne peut pas être utilisée"), "{inward}");
    let clear = refused(&["--ntfy", "http://1.1.1.1/topic"], 2);
    assert!(clear.contains("sans chiffrement"), "{clear}");
    let literal = refused(&["--webhook", "https://1.1.1.1/x", "--secret", "whsec_abc"], 2);
    assert!(literal.contains("env:NOM"), "{literal}");
    let kind = refused(&["--ntfy", "https://1.1.1.1/topic", "--kinds", "everything"], 2);
    assert!(kind.contains("approval.requested"), "{kind}");
    let relative = refused(&["--command", "tell-me"], 2);
    assert!(relative.contains("chemin complet"), "{relative}");
    let failed = stage.run(&["notify", "add", "no", "--command", "/bin/false"]);
    failed.expect(0);
    let tried = stage.run(&["notify", "test", "no"]).expect(1);
    assert!(tried.err.contains("n’a pas pris la notification"), "{}", tried.err);
}
