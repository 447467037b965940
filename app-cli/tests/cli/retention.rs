//! Limits and holds of retention, and runs.

use crate::cli_fixture::CliFixture;

const STORY: &str = r#"
[[turn]]
text = "Hello."
"#;

/// Input: a chat that is held, and a workspace whose limit is a day and a half; expected: limits and holds are shown,
/// nothing of an open chat goes, and a limit of seconds and the release of what is not held are refused.
#[test]
fn limits_holds_and_runs_are_shown() {
    let stage = CliFixture::with_script(STORY);
    let chat = stage.run(&["--json", "chat", "--message", "Hello"]).expect(0).json();
    let session = chat["session"].as_str().unwrap();
    stage.run(&["workspace", "settings", "set", "retention", "chats=36h"]).expect(0);
    stage.run(&["workspace", "settings", "set", "retention", "chats=90s"]).expect(2);
    let shown = stage.run(&["--json", "retention", "show"]).expect(0).json();
    assert_eq!((&shown["limits"]["chats"], &shown["own"]), (&"36h".into(), &"chats=36h".into()), "{shown}");
    assert_eq!(shown["limits"]["ledger"], "forever", "{shown}");
    assert!(stage.run(&["retention", "show"]).expect(0).out.contains("latest 1000"));

    let none = stage.run(&["retention", "release", "--session", session]).expect(5);
    assert!(none.err.ends_with("\n  entracte retention holds\n"), "{}", none.err);
    stage.run(&["retention", "hold", "--session", session, "--reason", "Audit."]).expect(0);
    let listed = stage.run(&["retention", "holds"]).expect(0).out;
    assert!(listed.contains(session) && listed.contains("Audit.") && listed.contains("ann"), "{listed}");
    stage.run(&["retention", "hold", "--reason", "Everything."]).expect(0);
    let held = stage.run(&["--json", "retention", "holds"]).expect(0).json();
    assert_eq!(held["holds"][1]["kind"], "workspace", "{held}");
    stage.run(&["retention", "release"]).expect(0);
    stage.run(&["retention", "release", "--session", session]).expect(0);
    assert_eq!(stage.run(&["retention", "holds"]).expect(0).out, "");

    for arguments in [&["--json", "retention", "run", "--dry"][..], &["--json", "retention", "run"]] {
        let ran = stage.run(arguments).expect(0).json();
        assert_eq!((&ran["bytes"], &ran["more"]), (&0.into(), &false.into()), "{ran}");
    }
}
