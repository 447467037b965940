//! The effect of a changed configuration, or of another version, on open sessions.

use std::path::{Path, PathBuf};

use crate::cli_fixture::{CliCommandOutput, CliFixture, command_output};

const STORY: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I send it.", "actions": [{"type": "notes.send", "params": {"to": "bob"}}]}'''
"#;

/// Services with one provider and optionally a tool.
fn config(provider: &str, tool: &str) -> String {
    format!("[providers.{provider}]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n{tool}")
}

fn tool(properties: &str, more: &str) -> String {
    format!(
        "[[tools.http.tool]]\nname = \"notes.send\"\nmethod = \"POST\"\nurl = \"https://notes.example/\"\n\
         doc = \"Sends a note.\"\nbody = \"json\"\n{more}\
         arguments = {{ type = \"object\", properties = {{ {properties} }}, additionalProperties = false }}\n"
    )
}

#[test]
fn configuration_change_reports_affected_sessions() {
    let to = "to = { type = \"string\" }";
    let stage = CliFixture::with_script(STORY);
    stage.write("entracte.toml", &config("stage", &tool(to, "")));
    let turn =
        stage.run(&["--json", "chat", "--message", "Send it", "--commands", "notes.*"]).expect(3).json();
    let session = turn["session"].as_str().unwrap();
    let findings = |provider: &str, tool: &str| -> Vec<String> {
        stage.write("entracte.toml", &config(provider, tool));
        let object = stage.run(&["--json", "doctor"]).json();
        let checks = object["checks"].as_array().unwrap();
        let of_session = checks.iter().filter(|check| check["check"] == format!("session {session}"));
        of_session.map(|check| format!("{} · {}", check["says"], check["fix"])).collect()
    };
    let one = |found: &[String], words: &[&str]| {
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(words.iter().all(|words| found[0].contains(words)), "{found:?}");
    };
    assert_eq!(findings("stage", &tool(to, "")), Vec::<String>::new());
    let tightened = tool("to = { type = \"string\", minLength = 20 }", "");
    one(
        &findings("stage", &tightened),
        &[
            "a pending call of notes.send with arguments that the command no longer accepts: /to",
            "the call will be rejected when the session resumes",
        ],
    );
    one(
        &findings("stage", &tool(to, "destructive = false\n")),
        &["that command has changed since (destructive)", "it needs approval again: entracte inbox"],
    );
    let gone = findings("stage", "");
    assert_eq!(gone.len(), 2, "{gone:?}");
    assert!(gone[0].contains("it may use notes.*, but there is no such command"), "{gone:?}");
    assert!(gone[1].contains("a pending call of notes.send, and that command no longer exists"), "{gone:?}");
    one(
        &findings("other", &tool(to, "")),
        &["its provider stage cannot be used: there is no provider", "--provider NAME"],
    );
    let line = stage.run(&["doctor"]).out;
    assert!(line.contains(&format!("warn  session {session}")), "{line}");
}

const TO: &str = "to = { type = \"string\" }";

/// Checks the changes of another program or configuration, with a folder of its own for copies.
fn check(stage: &CliFixture, other: &str, code: i32) -> CliCommandOutput {
    let copies = stage.folder.path().join("copies");
    std::fs::create_dir_all(&copies).unwrap();
    let mut command = stage.command(&["--json", "doctor", "--upgrade", other]);
    let found = command_output(command.env("TMPDIR", &copies).output().unwrap()).expect(code);
    assert!(files(&copies).is_empty(), "a copy is left");
    found
}

/// Every file in a folder, with its content.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => all.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    all.sort();
    all
}

/// The changes of a session, or of none, by their kinds.
fn kinds(found: &CliCommandOutput) -> Vec<String> {
    let object = found.json();
    let expected = (&"entracte.upgrade/1".into(), &2.into());
    assert_eq!((&object["schema"], &object["sessions"]), expected, "{object:#}");
    let changes = object["changes"].as_array().unwrap();
    changes.iter().map(|change| change["kind"].as_str().unwrap().to_owned()).collect()
}

/// Input: a session that waits for an approval and an idle one, and a configuration or a program with one difference;
/// expected: that difference, exit 1, and nothing written, started or left behind.
#[cfg(unix)]
#[test]
fn upgrade_check_lists_every_planted_change() {
    use std::os::unix::fs::PermissionsExt as _;

    let stage = CliFixture::with_script(STORY);
    let now = config("stage", &tool(TO, ""));
    stage.write("entracte.toml", &now);
    stage.run(&["--json", "chat", "--message", "Send it", "--commands", "notes.*"]).expect(3);
    stage.run(&["--json", "chat", "--name", "Idle", "--message", "Hello", "--commands", "none"]);
    let database = || {
        // On a server there is no file.
        let folder = stage.folder.path().join("data");
        let all = if folder.is_dir() { files(&folder) } else { Vec::new() };
        // A read-only command leaves the empty write-ahead log of SQLite and its shared memory beside the file.
        all.into_iter()
            .filter(|(path, _)| path.extension().is_some_and(|extension| extension == "db"))
            .collect::<Vec<_>>()
    };
    let before = database();
    let planted = |name: &str, text: &str| {
        stage.write_untrusted(name, text);
        kinds(&check(&stage, name, i32::from(text != now)))
    };
    assert_eq!(planted("same.toml", &now), [""; 0]);
    let with = |more: &str| format!("{now}{more}");
    assert_eq!(
        planted("stricter.toml", &with("[limits]\nrounds = 3\n")),
        ["policy_stricter", "policy_stricter"]
    );
    assert_eq!(planted("looser.toml", &with("[limits]\nrounds = 0\n")), ["policy_changed", "policy_changed"]);
    let tightened = tool("to = { type = \"string\", minLength = 20 }", "");
    assert_eq!(
        planted("tightened.toml", &config("stage", &tightened)),
        ["approval_changed", "schema_tightened"]
    );
    let gentle = tool(TO, "destructive = false\n");
    assert_eq!(planted("gentle.toml", &config("stage", &gentle)), ["approval_changed", "command_changed"]);
    let gone = planted("gone.toml", &config("stage", ""));
    assert_eq!(gone, ["approval_changed", "restriction_empty", "command_gone"]);
    assert_eq!(planted("other.toml", &config("other", &tool(TO, ""))), ["model_gone", "model_gone"]);
    let model = now.replace("script =", "model = \"another\"\nscript =");
    assert_eq!(planted("model.toml", &model), ["model_gone", "model_gone"]);

    // This program with edited output, as another program.
    let program = |name: &str, edit: &str| {
        let own = env!("CARGO_BIN_EXE_entracte");
        stage.write_untrusted(name, &format!("#!/bin/sh\n\"{own}\" \"$@\" | sed '{edit}'\n"));
        let path = stage.folder.path().join(name);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        name.to_owned()
    };
    let same = program("same", "");
    assert_eq!(kinds(&check(&stage, &same, 0)), [""; 0]);
    let phase = program("phase", "s/WAITING_VALIDATION/IDLE/");
    assert_eq!(kinds(&check(&stage, &phase, 1)), ["phase"]);
    let next = program("next", "s/\"next\":\\[\\]/\"next\":[\"call_model 2\"]/");
    assert_eq!(kinds(&check(&stage, &next, 1)), ["next_step"]);
    let replay = program("replay", "s/\"replays\":true/\"replays\":false/");
    assert_eq!(kinds(&check(&stage, &replay, 1)), ["replay"]);
    let approval = program("approval", "s/\"approvals\":\\[{[^]]*\\]}\\]/\"approvals\":[]/");
    assert_eq!(kinds(&check(&stage, &approval, 1)), ["approval_gone"]);

    // A program that does not know the command, and one that does not exist.
    let old = program("old", "s/.*/error: unrecognized subcommand/");
    let refused = check(&stage, &old, 1);
    assert!(refused.err.contains("old cannot be asked what it would change"), "{}", refused.err);
    check(&stage, "nowhere.toml", 5);
    let plain = stage.run(&["doctor", "--upgrade", "phase"]).expect(1);
    assert!(plain.out.contains("its phase would be IDLE instead of WAITING_VALIDATION"), "{}", plain.out);
    assert!(plain.err.contains("2 open sessions; phase would change 1 thing"), "{}", plain.err);
    assert!(database() == before, "a look changes nothing");
}

/// Input: a configuration that names programs at every possible position; expected: none of them is started.
#[cfg(unix)]
#[test]
fn a_hostile_configuration_is_only_looked_at() {
    let stage = CliFixture::with_script(STORY);
    stage.write("entracte.toml", &config("stage", &tool(TO, "")));
    stage.run(&["--json", "chat", "--message", "Send it", "--commands", "notes.*"]).expect(3);
    stage.run(&["--json", "chat", "--message", "Hello", "--commands", "none"]);
    let marks = "[\"/bin/sh\", \"-c\", \"touch marker\"]";
    let secret = "headers = { Authorization = { secret_env = \"HOME\" } }\n";
    let hostile = format!(
        "data = \"elsewhere\"\n[database]\nurl = \"elsewhere.db\"\n\
         [mcp.files]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"touch marker\"]\n\
         [providers.stage]\nkind = \"claude\"\nmodel = \"m\"\napi_key_command = {marks}\n{}",
        tool(TO, secret)
    );
    // Only the configuration's content is written: here variables name the location of the data.
    stage.write_untrusted("hostile.toml", &hostile);
    let found = kinds(&check(&stage, "hostile.toml", 1));
    assert!(found.contains(&"provider_changed".to_owned()), "{found:?}");
    for name in ["marker", "elsewhere", "elsewhere.db"] {
        assert!(!stage.folder.path().join(name).exists(), "{name}");
    }
}
