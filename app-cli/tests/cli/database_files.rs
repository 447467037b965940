//! Database files: which paths lead to the same lock, and a process whose file is taken away.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, command_output};
use crate::server::{send_request, serve, serve_on, token};

const STORY: &str = "[[turn]]\ntext = \"Here I am.\"\n[[turn]]\ntext = \"So it is.\"\n";

fn stage() -> CliFixture {
    CliFixture::with_script(STORY).on_a_file()
}

fn file(stage: &CliFixture, name: &str) -> PathBuf {
    stage.folder.path().join("data").join(name)
}

/// Moves a file away, or back.
type DatabaseFileMove = fn(&CliFixture);

/// Input: a server whose database is moved away, removed, or replaced by another one; expected: no request is accepted
/// any more, the reason is reported, and the server is not ready.
#[test]
fn replaced_database_file_stops_owner() {
    let moved: DatabaseFileMove =
        |stage| fs::rename(file(stage, "entracte.db"), file(stage, "moved.db")).unwrap();
    let removed: DatabaseFileMove = |stage| fs::remove_file(file(stage, "entracte.db")).unwrap();
    let replaced: DatabaseFileMove = |stage| {
        stage.run(&["db", "backup", "data/copy.db"]).expect(0);
        fs::rename(file(stage, "copy.db"), file(stage, "entracte.db")).unwrap();
    };
    for change in [moved, removed, replaced] {
        let stage = stage();
        let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
        // A short interval, so that ownership is verified soon.
        let mut command = stage.command(&["--json", "serve", "--bind", "127.0.0.1:0"]);
        command.envs([("ENTRACTE_RUNTIME_LEASE", "300ms"), ("ENTRACTE_RUNTIME_LEASE_MARGIN", "100ms")]);
        let served = serve_on(stage.spawn_command(&mut command));
        let chats = "/v1/workspaces/local:main/sessions";
        let (status, made) = send_request(&served, "POST", chats, &ann, "", &json!({}));
        assert_eq!(status, 201, "{made}");
        change(&stage);
        let (status, refused) = send_request(&served, "POST", chats, &ann, "", &json!({}));
        assert_eq!(status, 503, "{refused}");
        let ready = || send_request(&served, "GET", "/readyz", "", "", &Value::Null).0;
        assert_eq!(ready(), 503);
        served.running.line_with("is not the file that was opened");
    }
}

/// Input: a database owned by a server, named by a link to it, by a link to its folder, and by a hard link; expected:
/// the symbolic links lead to the owner, and a file with two names is refused with the reason.
#[test]
fn linked_database_has_one_owner() {
    let stage = stage();
    stage.send_in_new_session("Hi", 0);
    std::os::unix::fs::symlink("entracte.db", file(&stage, "link.db")).unwrap();
    std::os::unix::fs::symlink("data", stage.folder.path().join("folder")).unwrap();
    let served = serve(&stage);
    let owner = format!("another process owns the database: serve, process {}", served.running.child.id());
    for place in ["sqlite:data/link.db", "sqlite:folder/entracte.db", "sqlite:folder/link.db"] {
        let mut second = stage.command(&["serve", "--bind", "127.0.0.1:0"]);
        let second = command_output(second.env("ENTRACTE_DATABASE_URL", place).output().unwrap()).expect(6);
        assert!(second.err.contains(&owner), "{place}: {}", second.err);
    }
    fs::hard_link(file(&stage, "entracte.db"), file(&stage, "second.db")).unwrap();
    for place in ["sqlite:data/second.db", "sqlite:data/entracte.db", "sqlite:data/link.db"] {
        let mut list = stage.command(&["chat", "--message", "Hi"]);
        let refused = command_output(list.env("ENTRACTE_DATABASE_URL", place).output().unwrap()).expect(1);
        assert!(refused.err.contains("has 2 names (hard links)"), "{place}: {}", refused.err);
        let mut french = stage.command(&["chat", "--message", "Hi"]);
        let french = french.env("ENTRACTE_DATABASE_URL", place).env("LANG", "fr_FR.UTF-8").output().unwrap();
        let french = command_output(french).expect(1);
        assert!(french.err.contains("a 2 noms (liens physiques)"), "{place}: {}", french.err);
    }
    drop(served);
    fs::remove_file(file(&stage, "second.db")).unwrap();
    stage.send_in_new_session("Hi", 0);
}
