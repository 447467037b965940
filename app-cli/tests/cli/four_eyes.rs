//! Four eyes on the command line: by hand, by mail to another process, by a standing approval.

use entracte_tests::postgres::TestDatabase;

use crate::cli_fixture::{CliCommandOutput, CliFixture};
use crate::decisions::MAKES;

/// A command as another person of this machine.
fn as_bob(stage: &CliFixture, arguments: &[&str]) -> CliCommandOutput {
    let output = stage.command(arguments).env("USER", "bob").output().unwrap();
    CliCommandOutput {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn told(stage: &CliFixture) {
    stage.run(&["workspace", "settings", "set", "four_eyes", "true"]).expect(0);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let item = &inbox["items"][0];
    assert_eq!((&item["asked_by"][0], &item["acts_as"]), (&"ann".into(), &"ann".into()), "{inbox}");
    let id = item["id"].as_str().unwrap();
    let shown = stage.run(&["inbox"]).expect(0).out;
    assert!(shown.contains("four eyes: somebody else must approve"), "{shown}");

    for mine in
        [&["approve", id][..], &["approve", id, "--always"], &["approve", id, "--edit", "{\"name\": \"X\"}"]]
    {
        let refused = stage.run(mine).expect(4);
        assert!(refused.err.contains("this needs four eyes"), "{}", refused.err);
        assert!(refused.err.ends_with("\n  entracte inbox\n"), "{}", refused.err);
    }
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 0"));
    assert_eq!(as_bob(stage, &["approve", id]).expect(0).out, "So it is.\n");
    assert!(stage.run(&["command", "run", "ZONES"]).out.contains("\"total\": 1"));
    stage.run(&["session", "verify", "--all"]).expect(0);
}

#[test]
fn requester_may_not_approve_under_four_eyes() {
    told(&CliFixture::with_script(MAKES));
    if let Some(made) = TestDatabase::make() {
        let models = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
        let stage = CliFixture::with_config(&format!("{models}[database]\nurl_file = \"url\"\n")).on_a_file();
        stage.write("story.toml", MAKES);
        stage.write("url", &format!("{}\n", made.url()));
        told(&stage);
    }
}

/// Beside the process that owns the database, which answers by mail.
#[test]
fn four_eyes_hold_by_mail_to_owner() {
    let stage = CliFixture::with_script(MAKES);
    stage.run(&["workspace", "settings", "set", "four_eyes", "true"]).expect(0);
    stage.run(&["chat", "--require-approval", "--message", "Make a zone"]).expect(3);
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let id = inbox["items"][0]["id"].as_str().unwrap().to_owned();
    let mut owner = stage.begin(&["--json", "serve", "--bind", "127.0.0.1:0"]);
    owner.line_with("entracte.serve/1");
    let refused = stage.run(&["approve", &id]).expect(4);
    assert!(refused.err.contains("this needs four eyes"), "{}", refused.err);
    as_bob(&stage, &["approve", &id]).expect(0);
    owner.child.kill().unwrap();
    owner.child.wait().unwrap();
}
