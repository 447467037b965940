//! Limits and holds of retention, and runs.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use diesel::connection::SimpleConnection;

use crate::cli_fixture::{CliFixture, command_output};
use crate::database_faults::open_second_connection;

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
    assert_eq!(shown["limits"]["notifications"], "30d", "{shown}");
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

/// Input: an ended session that retention is removing: first without the first entry of its log, then with its last entry
/// only; expected: whatever reads it whole says so in the same words, and nobody reports it as damaged or as whole.
#[test]
fn going_session_is_reported_alike() {
    let on_a_file = || CliFixture::with_script(STORY).on_a_file();
    for stage in [on_a_file(), on_a_file().on_a_server()] {
        let session = stage.send_in_new_session("Hello", 0);
        let journal = stage.run(&["session", "journal", &session]).expect(0).out;
        let call = journal.split_whitespace().find(|word| word.starts_with("mc_")).unwrap().to_owned();
        stage.run(&["session", "stop", &session, "--end"]).expect(0);
        let own = format!("session_id = (SELECT session_id FROM sessions WHERE id = '{session}')");
        for gone in ["2".to_owned(), format!("(SELECT max(sequence) FROM log WHERE {own})")] {
            let remove = format!("DELETE FROM log WHERE {own} AND sequence < {gone}");
            open_second_connection(&stage).batch_execute(&remove).unwrap();
            let says = format!(
                "{session} is going by the retention policy: the first part of its log is gone already"
            );
            let reads = [
                &["session", "verify", &session][..],
                &["session", "prompt", &call],
                &["session", "prompt", &call, "--parts"],
                &["session", "prompt", &call, "--count"],
            ];
            for arguments in reads {
                let refused = stage.run(arguments).expect(6);
                assert!(refused.err.contains(&says), "{arguments:?}: {}", refused.err);
            }
            let all = stage.run(&["session", "verify"]).expect(0);
            assert!(all.out.contains(&format!("GOING     {says}\n")), "{}", all.out);
            assert!(all.err.contains("0 sessions match their journals"), "{}", all.err);
            let object = stage.run(&["--json", "session", "verify"]).expect(0).json();
            assert_eq!(object["sessions"][0]["verdict"], "GOING", "{object}");
            assert_eq!(object["sessions"][0]["says"], says.as_str(), "{object}");
        }
    }
}

/// Input: ages as a person types them; expected: a whole number of days is shown in days wherever it is read back, and what
/// is shown is taken as it is.
#[test]
fn whole_days_are_shown_as_days() {
    let stage = CliFixture::with_script(STORY);
    for (typed, shown) in [("chats=90d", "90d"), ("chats=48h", "2d"), ("chats=36h", "36h")] {
        stage.run(&["workspace", "settings", "set", "retention", typed]).expect(0);
        let limits = stage.run(&["--json", "retention", "show"]).expect(0).json();
        assert_eq!(limits["limits"]["chats"], shown, "{limits}");
        let own = stage.run(&["workspace", "settings", "get", "retention"]).expect(0).out;
        assert_eq!(own.trim(), format!("chats={shown}"));
        stage.run(&["workspace", "settings", "set", "retention", own.trim()]).expect(0);
        assert_eq!(stage.run(&["workspace", "settings", "get", "retention"]).expect(0).out, own);
    }
    let config = stage.run(&["config", "show"]).expect(0).out;
    let line = config.lines().find(|line| line.starts_with("retention.notifications")).unwrap();
    assert!(line.contains("\"30d\""), "{line}");
}

/// Input: durations that are off at zero, as 0 without a unit in the file and in a variable; expected: each is taken as
/// `0s`, and another number without a unit is refused.
#[test]
fn zero_duration_needs_no_unit() {
    let stage = CliFixture::with_script(STORY);
    let story = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let off = "[retention]\nevery = 0\n[notify]\nreminder = 0\nrule_ahead = \"0\"\n[backup]\nevery = 0\n";
    stage.write("entracte.toml", &format!("{story}{off}"));
    let config = stage.run(&["config", "show"]).expect(0).out;
    for key in ["retention.every", "notify.reminder", "notify.rule_ahead", "backup.every"] {
        assert!(config.contains(&format!("{key} = \"0s\"\n")), "{key}: {config}");
    }
    stage.write("entracte.toml", story);
    let set = |value: &str| {
        stage.command(&["config", "show"]).env("ENTRACTE_RETENTION_EVERY", value).output().unwrap()
    };
    let shown = command_output(set("0")).expect(0).out;
    assert!(shown.contains("retention.every = \"0s\"\n"), "{shown}");
    let refused = command_output(set("5")).expect(2).err;
    assert!(refused.contains("a duration like \"30s\", \"5m\", \"24h\" or \"500ms\", or 0"), "{refused}");
}

/// Input: holds of a workspace whose language is French; expected: French names it, in every sentence and in the list.
#[test]
fn french_names_the_held_workspace() {
    let stage = CliFixture::with_script(STORY);
    stage.run(&["workspace", "settings", "set", "language", "fr"]).expect(0);
    let none = stage.run(&["retention", "release"]).expect(5).err;
    assert!(none.contains("rien ne retient l’espace de travail"), "{none}");
    let held = stage.run(&["retention", "hold", "--reason", "Contrôle."]).expect(0).err;
    assert!(held.contains("l’espace de travail est retenu"), "{held}");
    let listed = stage.run(&["retention", "holds"]).expect(0).out;
    assert!(listed.contains("espace de travail") && !listed.contains("workspace"), "{listed}");
    let released = stage.run(&["retention", "release"]).expect(0).err;
    assert!(released.contains("l’espace de travail n’est plus retenu"), "{released}");
}

/// Input: a workspace and a session that ann holds, and bob who holds them too; expected: bob is refused with who holds what
/// and why, in both languages, ann changes her own reason, and bob holds it once it is released.
#[test]
fn hold_of_another_person_stays() {
    let stage = CliFixture::with_script(STORY);
    let session = stage.send_in_new_session("Hello", 0);
    let hold = |person: &str, of: &[&str], reason: &str| {
        let arguments = [&["retention", "hold", "--reason", reason][..], of].concat();
        command_output(stage.command(&arguments).env("USER", person).output().unwrap())
    };
    for (of, english, french) in [
        (
            &[][..],
            "the workspace is already held by ann: Audit.",
            "l’espace de travail est déjà retenu par ann",
        ),
        (
            &["--session", &session][..],
            &*format!("{session} is already held by ann: Audit."),
            &*format!("{session} est déjà retenu par ann"),
        ),
    ] {
        hold("ann", of, "Audit.").expect(0);
        let refused = hold("bob", of, "My own.").expect(6).err;
        assert!(refused.contains(english), "{refused}");
        assert!(refused.ends_with("\n  entracte retention holds\n"), "{refused}");
        stage.run(&["workspace", "settings", "set", "language", "fr"]).expect(0);
        let refused = hold("bob", of, "My own.").expect(6).err;
        assert!(refused.contains(french) && refused.contains("Audit."), "{refused}");
        stage.run(&["workspace", "settings", "set", "language", "en"]).expect(0);

        let before = stage.run(&["--json", "retention", "holds"]).expect(0).json();
        hold("ann", of, "The audit goes on.").expect(0);
        let after = stage.run(&["--json", "retention", "holds"]).expect(0).json();
        let (before, after) = (&before["holds"][0], &after["holds"][0]);
        assert_eq!((&before["author"], &before["reason"]), (&"ann".into(), &"Audit.".into()));
        assert_eq!((&after["author"], &after["reason"]), (&"ann".into(), &"The audit goes on.".into()));
        assert_eq!(after["at"], before["at"], "it is held since then");

        let release = [&["retention", "release"][..], of].concat();
        stage.run(&release).expect(0);
        hold("bob", of, "My own.").expect(0);
        stage.run(&release).expect(0);
    }
}

/// A server that reports a part of a run, and is gone when it is asked for the next one.
fn serve_one_part(listener: TcpListener) {
    std::thread::spawn(move || {
        let mut parts = 0;
        for client in listener.incoming().map_while(Result::ok) {
            let mut head = BufReader::new(&client).lines().map_while(Result::ok);
            let is_run = head.next().is_some_and(|line| line.contains("/retention/run"));
            parts += u32::from(is_run);
            if parts > 1 {
                return;
            }
            while head.next().is_some_and(|line| !line.is_empty()) {}
            let part = r#"{"tables":[{"table":"entries","rows":200,"bytes":900}],"bytes":900,"more":true}"#;
            let (status, body) = match is_run {
                true => ("200 OK", part),
                false => ("404 Not Found", r#"{"code":"not-found","detail":"there is none"}"#),
            };
            let length = body.len();
            let head =
                format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n");
            write!(&client, "{head}content-length: {length}\r\n\r\n{body}").unwrap();
        }
    });
}

/// Input: a server that ends after a part of a run; expected: the command says that the connection was lost, what is gone
/// for good, and the command that goes on, not a login.
#[test]
fn run_on_a_lost_server_says_what_went() {
    let stage = CliFixture::with_script(STORY);
    for is_json in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        serve_one_part(listener);
        let arguments: &[&str] = &["--json", "retention", "run"][usize::from(!is_json)..];
        let mut command = stage.command(arguments);
        command.env("ENTRACTE_SERVER", &url).env("ENTRACTE_TOKEN", "ent_none");
        let lost = command_output(command.output().unwrap()).expect(75);
        let said = if is_json { lost.out } else { lost.err };
        assert!(said.contains(&format!("the connection to {url} was lost: ")), "{said}");
        let stays =
            "what was removed before stays removed, as far as the server told 200 rows with 900 bytes";
        assert!(said.contains(stays), "{said}");
        let next = format!("entracte --server {url} --workspace local:main retention run");
        assert!(said.contains(&next) && !said.contains("login"), "{said}");
    }
}
