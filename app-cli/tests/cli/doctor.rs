//! The checks of `doctor`, and completion scripts of the command line.

use serde_json::Value;

use crate::cli_fixture::{CliCommandOutput, CliFixture};

const STORY: &str = "[[turn]]\nenvelope = '''{\"pre_text\": \"Hello.\"}'''\n";

/// The grade of a check, and its message with the remedy.
fn check(done: &CliCommandOutput, name: &str) -> (String, String) {
    let object = done.json();
    assert_eq!(object["schema"], "entracte.doctor/2");
    let found = object["checks"].as_array().unwrap().iter().find(|check| check["check"] == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {object:#}"));
    let text = |member: &str| found[member].as_str().unwrap_or_default().to_owned();
    (text("grade"), format!("{} · {}", text("says"), text("fix")))
}

#[test]
fn sound_installation_passes_every_check() {
    let stage = CliFixture::with_script(STORY).without_data();
    let before = stage.run(&["doctor"]).expect(0);
    assert!(before.out.contains("does not exist yet"), "{}", before.out);
    assert!(!stage.folder.path().join("data").exists(), "a look makes nothing");
    stage.send_in_new_session("Hi", 0);
    let done = stage.run(&["--json", "doctor", "--online"]).expect(0);
    let document = done.json();
    let checks = document["checks"].as_array().unwrap();
    let names = checks.iter().map(|c| c["check"].to_string()).collect::<Vec<_>>();
    // How full the disk of this machine is says nothing of the installation.
    let noted =
        checks.iter().filter(|c| c["grade"] != "ok" && c["check"] != "disk space").collect::<Vec<_>>();
    assert!(noted.is_empty(), "{noted:#?}");
    for name in [
        "configuration",
        "variables",
        "clock",
        "data folder",
        "disk space",
        "default provider",
        "provider stage",
        "database",
        "integrity",
        "owner",
        "workspace local:main",
        "commands",
        "sessions",
    ] {
        assert!(names.contains(&Value::from(name).to_string()), "no {name} in {names:?}");
    }
}

#[test]
fn failed_check_has_remedy() {
    let stage =
        CliFixture::with_config("[providers.claude]\nkind = \"claude\"\nmodel = \"claude-opus-5-5\"\n");
    let mut command = stage.command(&["--json", "doctor"]);
    let output = command.env("ENTRACTE_DEFAULT_PROVIDR", "claude").output().unwrap();
    let done = CliCommandOutput {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::new(),
    };
    let (grade, says) = check(&done, "variables");
    assert_eq!(grade, "warn");
    assert!(says.contains("ENTRACTE_DEFAULT_PROVIDR (did you mean ENTRACTE_DEFAULT_PROVIDER?)"), "{says}");
    let (_, says) = check(&done, "provider claude");
    assert!(says.contains("export ANTHROPIC_API_KEY"), "{says}");

    stage.write(
        "entracte.toml",
        "default_provider = \"nobody\"\n[providers.x]\nkind = \"rehearsal\"\nscript = \"none.toml\"\n",
    );
    let done = stage.run(&["--json", "doctor"]).expect(1);
    assert_eq!(check(&done, "default provider").0, "fail");
    assert_eq!(check(&done, "provider x").0, "fail");

    stage.write("entracte.toml", "wrong = \n");
    let done = stage.run(&["--json", "doctor"]).expect(1);
    assert_eq!(check(&done, "configuration").0, "fail");
    assert_eq!(check(&done, "clock").0, "ok");
    let plain = stage.run(&["doctor"]).expect(1);
    assert!(plain.out.starts_with("fail  configuration"), "{}", plain.out);
}

/// Input: a model with a known context window, and one without; expected: only the second one causes a warning.
#[test]
fn unknown_context_window_causes_warning() {
    let entry = |name: &str, more: &str| {
        format!(
            "[providers.{name}]\nkind = \"compatible\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"own-1\"\n{more}\n"
        )
    };
    let stage = CliFixture::with_config(&format!(
        "{}{}",
        entry("guessed", ""),
        entry("told", "context_tokens = 32000")
    ));
    let done = stage.run(&["--json", "doctor"]);
    let (grade, says) = check(&done, "window guessed");
    assert_eq!(grade, "warn");
    assert!(says.contains("own-1") && says.contains("context_tokens under [providers.guessed]"), "{says}");
    assert!(!done.out.contains("window told"), "{}", done.out);
}

/// Input: twelve models with an unknown context window; expected: ten warnings, the number of those left out and the
/// totals; all twelve with `--all`.
#[test]
fn ten_warnings_of_a_kind_are_printed() {
    let entry = |number: u32| {
        format!(
            "[providers.own{number}]\nkind = \"compatible\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"own-1\"\n"
        )
    };
    let stage = CliFixture::with_config(&(1..=12).map(entry).collect::<String>());
    let windows = |out: &str| out.matches("the context window of own-1 is not known").count();
    let short = stage.run(&["doctor"]);
    assert_eq!(windows(&short.out), 10, "{}", short.out);
    assert!(short.out.contains("2 warn, 0 fail; see them: entracte doctor --all"), "{}", short.out);
    assert!(short.err.contains("checks: "), "{}", short.err);
    let whole = stage.run(&["doctor", "--all"]);
    assert_eq!(windows(&whole.out), 12, "{}", whole.out);
}

#[test]
fn a_file_that_is_no_database_fails() {
    let stage = CliFixture::with_script(STORY).on_a_file().without_data();
    std::fs::create_dir(stage.folder.path().join("data")).unwrap();
    stage.write("data/entracte.db", "this is no database, and long enough to be told from one");
    let done = stage.run(&["--json", "doctor"]).expect(1);
    assert_eq!(check(&done, "database").0, "fail");
}

#[test]
fn the_settings_name_variables_that_nothing_reads() {
    let stage = CliFixture::with_script(STORY);
    let mut command = stage.command(&["config", "show", "--origin"]);
    let output = command.env("ENTRACTE_LIMITS_ROUND", "3").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said,
        "the variable ENTRACTE_LIMITS_ROUND (did you mean ENTRACTE_LIMITS_ROUNDS?) is not used\n"
    );
    let shown = String::from_utf8(output.stdout).unwrap();
    for key in ["prompt.data_entries", "prompt.data_max_chars", "validation.always_expires"] {
        assert!(shown.contains(key), "no {key} in {shown}");
    }
}

#[test]
fn every_shell_gets_its_script() {
    let stage = CliFixture::with_script(STORY);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stage.run(&["completions", shell]).expect(0).out;
        assert!(script.contains("doctor") && script.contains("entracte"), "{shell}");
    }
    stage.run(&["completions", "tcsh"]).expect(2);
    stage.write("entracte.toml", "wrong = \n");
    stage.run(&["completions", "bash"]).expect(0);
}

#[test]
fn the_name_alone_prints_the_help() {
    let stage = CliFixture::with_script(STORY);
    let help = stage.run(&["--help"]).expect(0).out;
    let alone = stage.run(&[]).expect(0);
    assert!(alone.err.is_empty() && alone.out.contains("Exit codes: 0 done"), "{}", alone.out);
    assert!(help.contains(alone.out.lines().next().unwrap()));
    // An incomplete command is an error that lists its continuations.
    let part = stage.run(&["session"]).expect(2).err;
    assert!(part.starts_with("error: a command is missing; choose one of these\n"), "{part}");
    assert!(part.contains("\n  list ") && part.ends_with("\n  entracte session --help\n"), "{part}");
}

#[test]
fn every_command_has_a_manual_page() {
    let stage = CliFixture::with_script(STORY);
    let page = stage.run(&["man"]).expect(0).out;
    assert!(page.contains(".SH SYNOPSIS") && page.contains("entracte"), "{page}");
    let written = stage.run(&["man", "--to", "pages/man1"]).expect(0).out;
    assert!(written.lines().count() > 60, "{written}");
    let list =
        std::fs::read_to_string(stage.folder.path().join("pages/man1/entracte-session-list.1")).unwrap();
    assert!(list.contains("waiting"), "{list}");
    stage.write("file", "");
    let refused = stage.run(&["man", "--to", "file"]).expect(1);
    assert!(refused.err.contains("file"), "{}", refused.err);
}

#[test]
fn deprecated_command_is_reported_with_remedy() {
    let stage = CliFixture::with_script(STORY);
    stage.send_in_new_session("Hi", 0);
    let story = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let many = (0..20)
        .map(|number| format!("field_{number} = {{ type = \"string\" }}"))
        .collect::<Vec<_>>()
        .join(", ");
    let tool = format!(
        "[[tools.http.tool]]\nname = \"shop.order\"\nmethod = \"POST\"\nurl = \"http://127.0.0.1:9/\"\nbody = \"json\"\n\
         doc = \"Orders.\"\narguments = {{ type = \"object\", properties = {{ {many} }}, additionalProperties = false }}\n"
    );
    stage.write("entracte.toml", &format!("{story}[bounds]\nschema_bytes = 200\n{tool}"));
    for (language, says, fix) in [
        ("en", "its schema has more than 200 bytes", "simplify its schema"),
        ("fr", "200 octets", "simplifiez son schéma"),
    ] {
        let output =
            stage.command(&["--json", "doctor"]).env("ENTRACTE_LANGUAGE", language).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = told["checks"].as_array().unwrap();
        let found = checks.iter().find(|check| check["check"] == "commands" && check["grade"] == "warn");
        let found = found.unwrap_or_else(|| panic!("nothing is out of use: {told:#}"));
        assert!(found["says"].as_str().unwrap().contains(says), "{found}");
        assert!(found["fix"].as_str().unwrap().contains(fix), "{found}");
    }
}

#[test]
fn each_http_tool_is_listed_without_request() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let there = listener.local_addr().unwrap();
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = gone.local_addr().unwrap();
    drop(gone);
    let tool = |name: &str, url: &str| {
        format!(
            "[[tools.http.tool]]\nname = \"{name}\"\nmethod = \"POST\"\nurl = \"{url}\"\ndoc = \"Acts.\"\n\
             arguments = {{ type = \"object\", properties = {{}}, additionalProperties = false }}\n"
        )
    };
    let config = [
        "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n[tools.http]\nallow = [\"127.0.0.1\"]\n".to_owned(),
        tool("shop.order", &format!("http://{there}/orders")),
        tool("shop.lost", &format!("http://{nowhere}/orders")),
    ];
    let stage = CliFixture::with_config(&config.concat());
    stage.write("story.toml", "[[turn]]\ntext = \"Hello.\"\n");
    let done = stage.run(&["--json", "doctor", "--online"]);
    assert_eq!(
        check(&done, "http shop.order"),
        ("ok".into(), format!("http://{there} opens a connection; nothing was sent · "))
    );
    let (grade, says) = check(&done, "http shop.lost");
    assert!(grade == "fail" && says.contains(&nowhere.to_string()), "{says}");
    let (mut line, _) = listener.accept().unwrap();
    let mut sent = Vec::new();
    std::io::Read::read_to_end(&mut line, &mut sent).unwrap();
    assert_eq!(sent, b"");
    let offline = stage.run(&["--json", "doctor"]);
    assert!(!offline.out.contains("http shop.order"), "{}", offline.out);
}

#[test]
fn quorum_that_absences_prevent_is_named() {
    let stage = CliFixture::with_script(STORY);
    for (key, value) in [
        ("roles", "finance: ann, bob"),
        ("approvers", "role:finance"),
        ("quorum", "2"),
        ("away", "ann: bob until 2100-01-01T00:00:00Z"),
    ] {
        stage.run(&["workspace", "settings", "set", key, value]).expect(0);
    }
    let (grade, says) = check(&stage.run(&["--json", "doctor"]).expect(0), "approvers local:main");
    assert_eq!(grade, "warn");
    assert!(says.contains("2 of role:finance must approve, and only 1 can now"), "{says}");
}
