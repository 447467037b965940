//! What people get wrong, or what breaks: every error ends in the command to type next.

use crate::cli_fixture::CliFixture;

const ENTRIES: &str = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
    [providers.down]\nkind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n";

/// A fault: what is typed, its exit code, and how the command that the error ends in begins. `SESSION` is a chat.
const FAULTS: [(&[&str], i32, &str); 44] = [
    (&["chats"], 2, "entracte --help"),
    (&["--json", "chat"], 2, "entracte chat"),
    (&["chat", "--message", ""], 2, "entracte chat"),
    (&["chat", "--provider", "nope", "--message", "Hi"], 5, "entracte provider list"),
    (&["chat", "--provider", "down", "--message", "Hi"], 1, "entracte provider check down"),
    (&["chat", "--session", "ses_nope", "--message", "Hi"], 5, "entracte session list"),
    (&["chat", "--script", "missing.toml", "--message", "Hi"], 2, "entracte chat"),
    (&["chat", "--enrich", "{", "--message", "Hi"], 2, "entracte command enrichments"),
    (&["approve"], 2, "entracte approve --help"),
    (&["approve", "apr_nope"], 5, "entracte inbox"),
    (&["approve", "--session", "SESSION", "--all"], 6, "entracte inbox"),
    (&["reject", "apr_nope"], 5, "entracte inbox"),
    (&["answer", "SESSION", "yes"], 6, "entracte"),
    (&["settle", "cal_nope", "happened"], 5, "entracte"),
    (&["session", "show", "ses_nope"], 5, "entracte session list"),
    (&["session", "calls", "SESSION", "cal_nope"], 5, "entracte"),
    (&["session", "fork", "SESSION", "--at", "999"], 2, "entracte session journal"),
    (&["session", "import", "missing.json"], 5, "entracte session export"),
    (&["session", "set", "SESSION", "--provider", "nope"], 2, "entracte provider list"),
    (&["session", "prompt", "mc_nope"], 5, "entracte"),
    (&["task", "show", "tsk_nope"], 5, "entracte task list"),
    (&["automation", "show", "aut_nope"], 5, "entracte automation list"),
    (&["automation", "create"], 2, "entracte automation create --help"),
    (&["command", "show", "nope"], 5, "entracte command list"),
    (&["command", "run", "zones.create", "{"], 2, "entracte"),
    (&["zone", "show", "zon_nope"], 5, "entracte zone list"),
    (&["tool", "show", "tool_nope"], 5, "entracte tool list"),
    (&["agent", "show", "nope"], 5, "entracte agent list"),
    (&["rule", "show", "rul_nope"], 5, "entracte rule list"),
    (&["cost", "report", "--since", "yesterday"], 2, "entracte cost report --since"),
    (&["workspace", "settings", "set", "zone", "Paris"], 2, "entracte"),
    (&["workspace", "settings", "set", "nope", "1"], 5, "entracte workspace settings list"),
    (&["provider", "add", "x", "--kind", "nope"], 2, "entracte provider"),
    (&["provider", "add", "stage", "--kind", "rehearsal"], 6, "entracte provider edit stage"),
    (&["provider", "remove", "stage"], 6, "entracte provider"),
    (&["provider", "check", "nope"], 5, "entracte provider"),
    (&["serve", "--bind", "nonsense"], 2, "entracte serve --help"),
    (&["knowledge", "add", "missing.pdf"], 5, "entracte knowledge"),
    (&["token", "revoke", "tok_nope"], 5, "entracte token list"),
    (&["notify", "test", "nope"], 5, "entracte notify"),
    (&["db", "copy", "missing.db", "new.db"], 5, "entracte db copy --help"),
    (&["--data", "damaged", "session", "list"], 1, "entracte db copy"),
    (&["--config", "missing.toml", "session", "list"], 2, "entracte"),
    (&["--workspace", "nope", "session", "list"], 2, "entracte"),
];

/// Input: 44 faults; expected: each ends in the command that helps, on a line of its own.
#[test]
fn every_error_names_the_next_command() {
    let stage = CliFixture::with_config(ENTRIES).on_a_file();
    stage.write("story.toml", "[[turn]]\ntext = \"Hi.\"\n");
    let session = stage.send_in_new_session("Hi", 0);
    std::fs::create_dir(stage.folder.path().join("damaged")).unwrap();
    stage.write("damaged/entracte.db", "This is no database.");
    let mut wrong = Vec::new();
    for (arguments, code, next) in FAULTS {
        let typed: Vec<&str> =
            arguments.iter().map(|word| if *word == "SESSION" { session.as_str() } else { word }).collect();
        let done = stage.run(&typed);
        let last = done.err.trim_end().lines().last().unwrap_or_default().to_owned();
        if done.code != code || !last.starts_with(&format!("  {next}")) {
            wrong.push(format!("{typed:?}: exit {}, wanted {code} and {next}:\n{}", done.code, done.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Input: a damaged database beside backups; expected: the error names the latest of them.
#[test]
fn damaged_database_names_its_latest_backup() {
    let stage = CliFixture::with_config(ENTRIES).on_a_file();
    let backups = stage.folder.path().join("data/backups");
    std::fs::create_dir_all(&backups).unwrap();
    for at in ["entracte-00001790000000000000.db", "entracte-00001795000000000000.db"] {
        std::fs::write(backups.join(at), "").unwrap();
    }
    stage.write("data/entracte.db", "This is no database.");
    let done = stage.run(&["session", "list"]).expect(1);
    assert!(
        done.err.trim_end().ends_with("data/backups/entracte-00001795000000000000.db' NEW_FILE"),
        "{}",
        done.err
    );
}
