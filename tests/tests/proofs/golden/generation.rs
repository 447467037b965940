//! Creates the fixtures of this release. Existing ones are never overwritten.

use std::io::Write;
use std::path::PathBuf;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_domain::id::SessionId;
use entracte_domain::session::{Input, SessionCopyOrigin, SessionKind, SessionOpening};
use entracte_domain::time::Timestamp;
use entracte_tests::machine::{
    ActApprovalChoice, ActCallOutcome, MachineAct, MachineRun, calls, decide, local, once, one_of_each_phase,
    outcome,
};
use entracte_tests::machine::{query, samples, text};

use super::journals::written;
use super::{fixtures, scenario};

/// The fixtures of this release: a session of each kind in each phase; each input at its first possible point; and
/// rounds with native tool calls and under strict limits.
fn stories() -> Vec<(String, MachineRun)> {
    let mut stories = Vec::new();
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent, SessionKind::Seed] {
        let phases = one_of_each_phase(kind);
        stories.extend(phases.iter().map(|(phase, run)| (format!("{} {phase}", kind.word()), run.clone())));
        let mut acts = samples();
        acts.extend(beside());
        for (name, act) in acts {
            let taken = phases.iter().find_map(|(phase, run)| {
                let after = run.clone().after_act(act.clone());
                (after.ignored.is_none() && after.taken.len() > run.taken.len()).then_some((phase, after))
            });
            stories.extend(taken.map(|(phase, run)| (format!("{} {phase}: {name}", kind.word()), run)));
        }
    }
    let tools = || MachineRun::new(SessionKind::Chat).tools().after_user_message();
    let guarded = || tools().after_act(calls([query("a"), once().guarded(), local()]));
    let opened = beside().into_iter().filter(|(name, _)| name == "SessionOpened").map(|(_, act)| act);
    let left = Input::SessionLeft { author: "ann".into(), attachment: "phone".into() };
    let left = opened
        .fold(MachineRun::new(SessionKind::Chat), MachineRun::after_act)
        .after_act(MachineAct::from(left));
    stories.push(("chat IDLE: SessionLeft".to_owned(), left));
    let quiet = MachineRun::new(SessionKind::Automation).after_act(MachineAct::Wait(WATCHDOG_MS));
    let hung = MachineRun::new(SessionKind::Automation)
        .after_user_message()
        .after_act(MachineAct::Wait(WATCHDOG_MS))
        .after_act(MachineAct::Heartbeat);
    let seen = Input::EndSeen { author: "ann".into() };
    stories.push(("automation IDLE: SchedulerHeartbeat".to_owned(), quiet.after_act(MachineAct::Heartbeat)));
    stories
        .push(("automation COMPLETED: EndSeen".to_owned(), hung.after_act(MachineAct::Wake).after_act(seen)));
    stories.extend([
        ("tools: query, action, plan".to_owned(), tools().after_act(calls([query("a"), once(), local()]))),
        (
            "tools: a duplicate and an answer".to_owned(),
            tools()
                .after_act(calls([query("a"), query("a")]))
                .after_act(outcome(0, ActCallOutcome::Succeeds))
                .after_act(text()),
        ),
        (
            "tools: approved with an edit".to_owned(),
            guarded()
                .after_act(outcome(0, ActCallOutcome::Succeeds))
                .after_act(decide(1, ActApprovalChoice::Edit(2))),
        ),
        (
            "tools: a refusal with its reason".to_owned(),
            guarded()
                .after_act(outcome(0, ActCallOutcome::Fails))
                .after_act(decide(1, ActApprovalChoice::NoBecause)),
        ),
        (
            "strict: failed rounds".to_owned(),
            MachineRun::new(SessionKind::Chat)
                .strict()
                .after_user_message()
                .after_act(calls([once()]))
                .after_act(outcome(0, ActCallOutcome::Fails)),
        ),
        (
            "an outcome that nobody knows, settled".to_owned(),
            MachineRun::new(SessionKind::Chat)
                .after_user_message()
                .after_act(calls([once()]))
                .after_act(outcome(0, ActCallOutcome::LostInCrash))
                .after_act(MachineAct::Settle),
        ),
    ]);
    stories
}

/// The time after which the watchdog ends an inactive run.
const WATCHDOG_MS: i64 = 600_000;

/// The acts of people outside the machine's table.
fn beside() -> Vec<(String, MachineAct)> {
    let read = Input::MessagesRead { reader: "ann".into(), sequence: 1 };
    let copied = |how| Input::SessionCopied {
        from: SessionId::new("ses_o"),
        at: 1,
        how,
        author: "ann".into(),
        policy: None,
        counts_authors: false,
        call: None,
    };
    let opening = SessionOpening {
        author: "ann".into(),
        attachment: "phone".into(),
        until: Timestamp(60_000_000),
        asks_slot: true,
    };
    vec![
        ("SessionOpened".to_owned(), Input::SessionOpened(opening).into()),
        ("MessagesRead".to_owned(), read.into()),
        ("SessionCopied: fork".to_owned(), copied(SessionCopyOrigin::Fork).into()),
        ("SessionCopied: import".to_owned(), copied(SessionCopyOrigin::Import).into()),
    ]
}

fn folder() -> PathBuf {
    fixtures().join(concat!("v", env!("CARGO_PKG_VERSION")))
}

#[test]
#[ignore = "makes the fixtures of a release, once"]
fn make_the_journals_of_this_release() {
    std::fs::create_dir_all(folder()).unwrap();
    let mut file = std::fs::File::create_new(folder().join("journals.jsonl")).expect("they are made once");
    for (name, run) in stories() {
        writeln!(file, "{}", written(&name, &run.made, &run.rules, &run.taken)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "makes the fixtures of a release, once"]
async fn make_the_database_of_this_release() {
    std::fs::create_dir_all(folder()).unwrap();
    let there = folder().join("entracte.db");
    assert!(!there.exists(), "it is made once");
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    scenario::play(&database).await;
    database.backup(&there).unwrap();
}
