//! A program of one's own: the command line with a store that its host brings.

use std::path::{Path, PathBuf};

use crate::cli_fixture::CliFixture;
use crate::remote_commands::run_stories_on;

/// The program of `app-cli/examples/audited_store.rs`.
pub(crate) fn audited_program() -> PathBuf {
    let name = format!("audited_store{}", std::env::consts::EXE_SUFFIX);
    let program = Path::new(env!("CARGO_BIN_EXE_entracte")).with_file_name("examples").join(name);
    let path = program.display();
    assert!(program.exists(), "{path} is not there; build it: cargo build -p entracte-app-cli --examples");
    program
}

/// Input: the stories of the command line, on a program that is built with a store of its own; expected: all pass as they do
/// with ours, and every commit went through that store.
#[test]
fn program_with_custom_store_passes_cli_tests() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"One.\"\n").on_this_machine().on_a_file();
    let mut command = stage.command(&["chat", "--message", "Hello"]);
    let mut own = std::process::Command::new(audited_program());
    own.args(command.get_args()).env_clear().current_dir(stage.folder.path());
    own.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = own.output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let audit = std::fs::read_to_string(stage.folder.path().join("data/audit.log")).unwrap();
    assert!(
        audit.lines().all(|line| line.starts_with("local:main ")) && audit.lines().count() > 1,
        "{audit}"
    );
    // Without it nothing is written there.
    command.output().unwrap();
    assert_eq!(std::fs::read_to_string(stage.folder.path().join("data/audit.log")).unwrap(), audit);
    run_stories_on("store");
}
