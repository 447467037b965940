//! The commands of the program, each in a process and a folder of its own.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-program"));
    let command = command.args(arguments).current_dir(folder.path()).env_clear();
    command.env("HOME", folder.path()).env("USER", "ann").env("COUNT_EVENTS", "1").output().unwrap()
}

/// Input: a chat, the list of commands, the provider, and the help; expected: the clerk answers by its rule, its work is
/// observed, the commands of the notice board stand beside those of Entracte, the clerk is shown like a configured provider,
/// none changes its entry, and no command is missing.
#[test]
fn own_program_has_all_commands() {
    let chat = run(&["chat", "--message", "When do you open?"]);
    let (said, told) = (String::from_utf8_lossy(&chat.stdout), String::from_utf8_lossy(&chat.stderr));
    assert!(chat.status.success() && said.contains("Dear Ann, we open at nine."), "{said}\n{told}");
    let counted = told.lines().find_map(|line| line.strip_suffix(" events were observed"));
    assert!(counted.unwrap().parse::<u32>().unwrap() > 0, "{told}");

    let list = run(&["command", "list"]);
    let listed = String::from_utf8_lossy(&list.stdout);
    assert!(listed.contains("board.pin") && listed.contains("board.read"), "{listed}");

    let shown = run(&["provider", "show", "clerk"]);
    let says = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success() && says.contains("[providers.clerk]"), "{shown:?}");
    assert!(says.contains("model = \"rules-1\"") && says.contains("dialect = \"envelope\""), "{says}");
    let models = run(&["provider", "models", "clerk", "--json"]);
    let says = String::from_utf8_lossy(&models.stdout);
    assert!(models.status.success() && says.contains("\"configured\":\"rules-1\""), "{models:?}");
    assert!(says.contains("\"has_list\":false"), "{says}");
    let edited = run(&["provider", "remove", "clerk"]);
    let says = String::from_utf8_lossy(&edited.stderr);
    assert!(!edited.status.success() && says.contains("given by this program"), "{edited:?}");

    let help = run(&["--help"]);
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("inbox"));
}
