//! Workspaces and their settings.

use crate::cli_fixture::CliFixture;

#[test]
fn workspace_is_created_with_settings_and_listed() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    let none = stage.run(&["workspace", "list"]).expect(0);
    assert!(none.out.is_empty() && none.err.contains("there is no workspace yet"), "{}", none.err);
    stage.run(&["workspace", "create", "ann:sport", "--zone", "Europe/Paris", "--set", "slots=2"]).expect(0);
    let again = stage.run(&["workspace", "create", "ann:sport"]).expect(6);
    assert!(
        again.err.ends_with("\n  entracte --workspace ann:sport workspace settings list\n"),
        "{}",
        again.err
    );
    let wrong = stage.run(&["workspace", "create", "sport"]).expect(2);
    assert!(wrong.err.contains("“sport” must be written user:collection"), "{}", wrong.err);
    stage.run(&["workspace", "create", "ann:bad", "--zone", "Mars/Olympus"]).expect(2);

    stage.run(&["--workspace", "ann:sport", "chat", "--message", "Hi"]).expect(0);
    let listed = stage.run(&["--json", "workspace", "list"]).expect(0).json();
    let keys: Vec<&str> =
        listed["workspaces"].as_array().unwrap().iter().map(|view| view["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["ann:sport"], "what was refused was not made");
    let view = &listed["workspaces"][0];
    assert_eq!((&view["sessions"], &view["open"], &view["waiting"]), (&1.into(), &1.into(), &0.into()));
    assert_eq!(view["zone"], "Europe/Paris");
}

#[test]
fn settings_are_listed_read_changed_and_reset() {
    let stage = CliFixture::with_script("");
    let settings = |arguments: &[&str]| {
        let all: Vec<&str> = ["workspace", "settings"].iter().chain(arguments).copied().collect();
        stage.run(&all)
    };
    assert_eq!(settings(&["get", "zone"]).expect(0).out, "UTC\n");
    let set = settings(&["set", "zone", "Europe/Paris", "day_start=4"]).expect(0);
    assert_eq!(set.err, "zone is Europe/Paris\nday_start is 4\n");
    let list = settings(&["list"]).expect(0).out;
    let line = list.lines().find(|line| line.starts_with("zone ")).unwrap();
    for word in ["Europe/Paris", "set", "an IANA time zone", "Time zone of the dates"] {
        assert!(line.contains(word), "{word}: {list}");
    }
    let json = stage.run(&["--json", "workspace", "settings", "list"]).expect(0).json();
    let settable = json["settings"].as_array().map_or(0, Vec::len);
    assert_eq!((settable, list.lines().count()), (33, 34), "a head, and a line for each setting: {list}");

    let wrong = settings(&["set", "zone=UTC", "day_start=24"]).expect(2);
    assert!(
        wrong.err.contains("“24” is not a valid value for day_start; it takes an hour from 0 to 23"),
        "{}",
        wrong.err
    );
    let unknown = settings(&["set", "colour", "red"]).expect(5);
    assert!(unknown.err.ends_with("\n  entracte workspace settings list\n"), "{}", unknown.err);
    assert_eq!(settings(&["get", "zone"]).expect(0).out, "Europe/Paris\n", "all or none");
    settings(&["get", "colour"]).expect(5);
    settings(&["set", "zone"]).expect(2);

    settings(&["reset", "zone", "day_start"]).expect(0);
    let json = stage.run(&["--json", "workspace", "settings", "list"]).expect(0).json();
    let zone = &json["settings"][0];
    assert_eq!((&zone["key"], &zone["value"], &zone["set"]), (&"zone".into(), &"UTC".into(), &false.into()));
}

#[test]
fn settings_speak_the_language_of_the_workspace() {
    let stage = CliFixture::with_script("");
    stage.run(&["workspace", "settings", "set", "language", "fr"]).expect(0);
    let list = stage.run(&["workspace", "settings", "list"]).expect(0).out;
    assert!(list.contains("Fuseau horaire"), "{list}");
    let wrong = stage.run(&["workspace", "settings", "set", "slots", "0"]).expect(2);
    assert!(wrong.err.contains("n’est pas une valeur valide pour slots"), "{}", wrong.err);
}

#[test]
fn settings_are_changed_beside_an_owner() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    let mut owner = stage.begin(&["chat"]);
    owner.type_line("Hi");
    owner.line_with("Hello.");
    stage.run(&["workspace", "settings", "set", "slots", "3"]).expect(0);
    assert_eq!(stage.run(&["workspace", "settings", "get", "slots"]).expect(0).out, "3\n");
    stage.run(&["workspace", "create", "ann:new"]).expect(0);
    assert!(stage.run(&["workspace", "list"]).expect(0).out.contains("ann:new"));
    assert_eq!(owner.close_stdin_and_wait(), 0);
}

/// Input: three settings, each changed by its own process at the same time; expected: all are changed.
#[test]
fn concurrent_setting_changes_all_apply() {
    let stage = CliFixture::with_script("");
    let changes = ["day_start=4", "slots=3", "week_start=sunday"];
    let change = |pair: &&str| stage.begin(&["workspace", "settings", "set", *pair]);
    let begun: Vec<_> = changes.iter().map(change).collect();
    for (pair, process) in changes.iter().zip(begun) {
        assert_eq!(process.close_stdin_and_wait(), 0, "{pair}");
    }
    let settings = stage.run(&["--json", "workspace", "settings", "list"]).expect(0).json();
    let set = settings["settings"].as_array().unwrap().iter().filter(|setting| setting["set"] == true);
    assert_eq!(set.count(), changes.len(), "{settings}");
}
