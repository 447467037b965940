//! Shell completion of ids.

use crate::cli_fixture::CliFixture;

const TALK: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "$(reboot); `x`"}}]}'''
"#;

fn offered(stage: &CliFixture, words: &str) -> Vec<String> {
    let mut arguments = vec!["complete", "--described", "--"];
    arguments.extend(words.split(' '));
    stage.run(&arguments).expect(0).out.lines().map(str::to_owned).collect()
}

/// Input: the command line up to the cursor; expected: the ids that fit there, with names free of shell syntax, from
/// the location that the line names.
#[test]
fn ids_are_completed_from_what_is_stored() {
    let stage = CliFixture::with_script(TALK);
    let turn = stage.run(&["--json", "chat", "--require-approval", "--message", "Make \"it\"; $(reboot)"]);
    let turn = turn.expect(3).json();
    let session = turn["session"].as_str().unwrap();
    let approval = turn["waiting"]["items"][0]["id"].as_str().unwrap();
    assert_eq!(offered(&stage, "session show ses_"), [format!("{session}\tMake it reboot")]);
    assert_eq!(offered(&stage, "approve "), [format!("{approval}\tzones.create")]);
    assert_eq!(offered(&stage, "session show ses_none"), [""; 0]);
    assert_eq!(offered(&stage, "settle "), [""; 0]);
    stage.run(&["approve", approval]).expect(0);
    assert_eq!(offered(&stage, "approve "), [""; 0]);
    let zones = offered(&stage, "zone edit ");
    assert!(zones[0].starts_with("zon_") && zones[0].ends_with("\treboot x"), "{zones:?}");
    // Words of the command line are completed by the shell's own script.
    assert_eq!(offered(&stage, "session sh"), [""; 0]);
}

/// Input: no database, and a file that is no database; expected: nothing is offered, printed or created.
#[test]
fn completion_creates_and_prints_nothing() {
    let stage = CliFixture::with_config("").on_a_file().without_data();
    let there = stage.folder.path().join("data");
    let asked = stage.run(&["complete", "--", "session", "show", ""]).expect(0);
    assert_eq!((asked.out.as_str(), asked.err.as_str(), there.exists()), ("", "", false));
    stage.write("broken.db", "no database");
    let asked = stage.run(&["complete", "--", "--data", "broken.db", "session", "show", ""]).expect(0);
    assert_eq!((asked.out.as_str(), asked.err.as_str()), ("", ""));
    assert_eq!(std::fs::read_to_string(stage.folder.path().join("broken.db")).unwrap(), "no database");
}

/// Input: the script in a real bash, and a line to complete; expected: the id, and words at positions without an id.
#[test]
#[cfg(unix)]
fn bash_completes_ids_and_words() {
    // Bash gets the folder of the data, and no address of a server.
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Gladly.\"\n").on_a_file();
    let session = stage.send_in_new_session("Hello", 0);
    let script = stage.run(&["completions", "bash"]).expect(0).out;
    stage.write("complete.bash", &script);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_entracte")).parent().unwrap();
    for (words, place, wanted) in
        [(vec!["session", "show", "ses_"], 3, session.as_str()), (vec!["session", "renam"], 2, "rename")]
    {
        let line = format!(
            "PATH={}:$PATH; source ./complete.bash; COMP_WORDS=(entracte {}); COMP_CWORD={place}; \
             _entracte_ids entracte {} {}; printf '%s\n' \"${{COMPREPLY[@]}}\"",
            program.display(),
            words.join(" "),
            words.last().unwrap(),
            words[words.len() - 2],
        );
        let mut bash = std::process::Command::new("bash");
        let path = std::env::var_os("PATH").unwrap_or_default();
        bash.args(["-c", &line]).current_dir(stage.folder.path()).env_clear().env("PATH", path);
        bash.env("HOME", stage.folder.path()).env("ENTRACTE_DATA", "data");
        let done = crate::cli_fixture::command_output(bash.output().unwrap());
        assert_eq!((done.out.trim(), done.code), (wanted, 0), "{}", done.err);
    }
}
