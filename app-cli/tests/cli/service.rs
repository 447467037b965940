//! `service`: the files and commands for service managers. Those of this machine are not touched.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli_fixture::{CliFixture, command_output};

const SPEAKS: &str = "[[turn]]\ntext = \"One.\"\n";

/// The path of a program on this machine, if it exists.
fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.exists());
    if found.is_none() {
        let _ = writeln!(std::io::stderr(), "NOT RUN: there is no {program} on this machine");
    }
    found
}

/// Input: a program and data whose paths contain every character with a meaning for systemd; expected: systemd finds no
/// fault with the unit.
#[test]
fn systemd_takes_the_unit_whatever_the_paths_are() {
    let Some(analyze) = found("systemd-analyze") else { return };
    for name in [r"a %h $HOME 'b' é", r#"a "b" \n $HOME"#] {
        let stage = CliFixture::with_script(SPEAKS);
        // Beside the program, because a link to it may not leave its disk.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let folder = folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        let program = folder.join("entracte");
        std::fs::hard_link(env!("CARGO_BIN_EXE_entracte"), &program).unwrap();
        let mut command = Command::new(&program);
        command.args(["--data", name, "service", "install", "--print", "--for", "systemd"]);
        command.current_dir(&folder).env_clear().env("HOME", &folder);
        let unit = command_output(command.output().unwrap()).expect(0).out;
        stage.write_untrusted("entracte.service", &unit);
        let mut verify = Command::new(&analyze);
        verify.args(["verify", "--user", "--man=no"]).arg(stage.folder.path().join("entracte.service"));
        let verdict = command_output(verify.env("XDG_RUNTIME_DIR", stage.folder.path()).output().unwrap());
        assert_eq!((verdict.code, verdict.err.as_str()), (0, ""), "{unit}");
    }
}

/// Input: the same for launchd; expected: a parser of property lists reads exactly these arguments.
#[test]
fn the_agent_is_read_as_it_was_meant() {
    let Some(python) = found("python3") else { return };
    let stage = CliFixture::with_script(SPEAKS);
    let data = "a <b> & \"c\" ]]>";
    let print = ["--data", data, "service", "install", "--print", "--for", "launchd"];
    stage.write_untrusted("agent.plist", &stage.run(&print).expect(0).out);
    let script = "import json, plistlib; print(json.dumps(plistlib.load(open('agent.plist', 'rb'))))";
    let mut read = Command::new(python);
    let read = command_output(read.args(["-c", script]).current_dir(stage.folder.path()).output().unwrap())
        .expect(0)
        .json();
    let here = std::fs::canonicalize(stage.folder.path()).unwrap();
    let arguments: Vec<&str> =
        read["ProgramArguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(arguments[1..], ["--data", here.join(data).to_str().unwrap(), "serve"]);
    assert_eq!(read["KeepAlive"]["SuccessfulExit"], false);
    assert_eq!(read["Umask"], 0o077);
}

/// Scripts that record their arguments, in place of the system's service managers.
fn managers(stage: &CliFixture, systemctl: &str) -> PathBuf {
    let folder = stage.folder.path().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, script: &str| {
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("systemctl", &format!("echo \"$*\" >> \"$HOME/told\"\n{systemctl}"));
    write("loginctl", "echo no");
    folder
}

/// The recorded arguments since the last call.
fn told(stage: &CliFixture) -> Vec<String> {
    let file = stage.folder.path().join("told");
    let told = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(file);
    told.lines().map(str::to_owned).collect()
}

const RUNS: &str = "case \"$*\" in *show*) printf 'ActiveState=active\\nSubState=running\\nUnitFileState=enabled\\nStatusText=serving\\n';; esac";

#[cfg(target_os = "linux")]
#[test]
fn a_service_is_installed_shown_and_removed() {
    let stage = CliFixture::with_script(SPEAKS);
    let bin = managers(&stage, RUNS);
    let service = |arguments: &[&str]| {
        let mut command = stage.command(&[&["service"], arguments].concat());
        command_output(command.env("PATH", &bin).output().unwrap())
    };
    let file = stage.folder.path().join(".config/systemd/user/entracte.service");
    assert!(service(&["status"]).expect(5).err.contains("entracte service install"));

    let installed = service(&["install", "--bind", "127.0.0.1:9000"]).expect(0).out;
    assert!(installed.contains("it runs (active, running: serving)"), "{installed}");
    assert!(installed.contains("loginctl enable-linger ann"), "it would end with the session: {installed}");
    let expected = ["daemon-reload", "enable entracte.service", "restart entracte.service"]
        .map(|told| format!("--user {told}"));
    assert_eq!(told(&stage)[..3], expected);
    let unit = std::fs::read_to_string(&file).unwrap();
    let data = format!(
        "\"--data\" \"{}\"",
        std::fs::canonicalize(stage.folder.path()).unwrap().join("data").display()
    );
    assert!(unit.contains(&data) && unit.contains("\"serve\" \"--bind\" \"127.0.0.1:9000\""), "{unit}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    service(&["install", "--no-start"]).expect(0);
    assert!(!told(&stage).iter().any(|told| told.contains("restart")), "nothing is started");
    let again = std::fs::read_to_string(&file).unwrap();
    assert!(!again.contains("9000"), "what was said last counts: {again}");

    let status = service(&["--json", "status"]).expect(0).json();
    assert_eq!((&status["running"], &status["lingers"]), (&true.into(), &false.into()), "{status}");
    told(&stage);
    let removed = service(&["uninstall"]).expect(0).out;
    assert!(removed.contains("data and configuration stay") && !file.exists(), "{removed}");
    assert_eq!(told(&stage), ["--user disable --now entracte.service", "--user daemon-reload"]);
    service(&["uninstall"]).expect(5);
}

#[cfg(target_os = "linux")]
#[test]
fn foreign_file_stays_and_failure_is_reported() {
    let stage = CliFixture::with_script(SPEAKS);
    let bin = managers(&stage, "echo no bus >&2; exit 1");
    let service = |arguments: &[&str]| {
        let mut command = stage.command(&[&["service"], arguments].concat());
        command_output(command.env("PATH", &bin).output().unwrap())
    };
    let file = stage.folder.path().join(".config/systemd/user/entracte.service");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let foreign = "[Service]\nExecStart=/bin/true\n";
    std::fs::write(&file, foreign).unwrap();
    let is_foreign = || std::fs::read_to_string(&file).unwrap() == foreign;
    for arguments in [&["install"][..], &["uninstall"]] {
        let refused = service(arguments).expect(6);
        assert!(refused.err.contains("was not written by entracte"), "{}", refused.err);
    }
    assert!(is_foreign() && told(&stage).is_empty());
    let failed = service(&["install", "--replace"]).expect(1);
    assert!(failed.err.contains("systemctl --user daemon-reload: no bus"), "{}", failed.err);
    assert!(!is_foreign());
    assert!(service(&["uninstall"]).expect(1).err.contains("no bus") && Path::new(&file).exists());
    let password = ["--data", "postgres://ann:secret@db/entracte", "service", "install", "--print"];
    let refused = stage.run(&password).expect(2);
    assert!(!refused.err.contains("secret") && refused.err.contains("database.url_env"), "{}", refused.err);
}
