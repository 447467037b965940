//! `secret`: secrets of a person for tools that use the requester's own.

use crate::cli_fixture::CliFixture;
use crate::decisions::MAKES;

#[test]
fn own_secret_is_read_from_stdin_unshown() {
    let stage = CliFixture::with_script(MAKES);
    let kept = stage.run_with(&["secret", "set", "github"], "ghp_1234567890\n").expect(0);
    assert_eq!(kept.err, "secret github of ann is kept in local:main\n");
    let listed = stage.run(&["--json", "secret", "list"]).expect(0);
    assert_eq!(listed.json()["names"], serde_json::json!(["github"]));
    assert_eq!(stage.run(&["secret", "list"]).expect(0).out, "github\n");
    let wrong = stage.run_with(&["secret", "set", "git hub"], "ghp_1234567890").expect(2);
    assert!(!wrong.err.contains("ghp_"), "{}", wrong.err);
    stage.run(&["secret", "remove", "github"]).expect(0);
    stage.run(&["secret", "remove", "github"]).expect(5);
}

#[test]
fn own_secret_is_of_one_workspace() {
    let stage = CliFixture::with_script(MAKES);
    stage.run_with(&["secret", "set", "github"], "ghp_1234567890\n").expect(0);
    let elsewhere = stage.run(&["--workspace", "eve:other", "--json", "secret", "list"]).expect(0);
    assert_eq!(elsewhere.json()["names"], serde_json::json!([]));
}
