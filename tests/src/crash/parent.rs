//! Starts lives until each story is told, then checks and counts.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::{ResourceFilter, ResourceReader};
use entracte_application::use_cases::{ReadCalls, ReadLog, VerifySession};
use entracte_domain::id::SessionId;
use entracte_domain::session::Input;

use super::child::{DATABASE, OUTSIDE, workspace};
use super::story::MESSAGES;

/// What was found.
#[derive(Debug, Default)]
pub struct Findings {
    /// Lives that ended with -9.
    pub kills: u32,
    /// Stories told to their end.
    pub stories: u32,
    /// How often a start found a session in this phase.
    pub phases: BTreeMap<String, u32>,
    /// How often a life ended at this place.
    pub places: BTreeMap<String, u32>,
    /// Calls by command and what became of them.
    pub calls: BTreeMap<String, u32>,
    /// Acknowledged messages that are missing or doubled.
    pub lost_messages: u32,
    /// Effects that happened twice.
    pub doubled: u32,
    /// Actions killed between start and outcome that the ledger does not call `unknown`.
    pub wrongly_known: u32,
    /// Sessions that did not come to their end, or whose journal does not give the stored state.
    pub stuck: u32,
    /// What was wrong, in words.
    pub faults: Vec<String>,
}

impl Findings {
    /// Whether nothing was wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    fn fault(&mut self, text: String) {
        self.faults.push(text);
    }
}

/// Random numbers that a seed gives again (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    /// A number from 1 to `most`.
    pub fn roll(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        u32::try_from(z % u64::from(most.max(1))).unwrap_or(0) + 1
    }
}

/// Lives that one story may take.
const LIVES_MAX: u32 = 400;

/// Places a life passes when it is not killed: about as many, so that all of them are hit.
const PLACES: u32 = 26;

/// Kills `wanted` lives of as many stories as that takes.
pub fn run(folder: &Path, wanted: u32, seed: u64) -> Findings {
    let mut findings = Findings::default();
    let mut dice = Dice(seed);
    let mut killed_in_once = Vec::new();
    while findings.kills < wanted {
        let session = SessionId::new(format!("ses_story{:04}", findings.stories));
        killed_in_once.clear();
        let told = tell(folder, &session, wanted, &mut dice, &mut findings, &mut killed_in_once);
        findings.stories += 1;
        if !told {
            findings.stuck += 1;
            findings.fault(format!("{session} did not come to its end"));
        }
        check(folder, &session, killed_in_once.len(), &mut findings);
    }
    findings
}

fn tell(
    folder: &Path,
    session: &SessionId,
    wanted: u32,
    dice: &mut Dice,
    findings: &mut Findings,
    killed_in_once: &mut Vec<String>,
) -> bool {
    for _ in 0..LIVES_MAX {
        let place = if findings.kills < wanted { dice.roll(PLACES) } else { 0 };
        let lines = one_life(folder, session, place);
        for line in &lines {
            if let Some(phase) = line.strip_prefix("finds ") {
                *findings.phases.entry(phase.to_owned()).or_default() += 1;
            }
            if let Some(place) = line.strip_prefix("dies ") {
                findings.kills += 1;
                *findings.places.entry(place.to_owned()).or_default() += 1;
                if place.ends_with("outside.note_once") {
                    killed_in_once.push(place.to_owned());
                }
            }
        }
        if lines.last().is_some_and(|line| line == "told") {
            return true;
        }
        if !lines.iter().any(|line| line.starts_with("dies ")) {
            findings.fault(format!("a life of {session} ended by itself: {lines:?}"));
        }
    }
    false
}

/// One life in a real process; gives what it said.
fn one_life(folder: &Path, session: &SessionId, place: u32) -> Vec<String> {
    let program = std::env::current_exe().expect("this program has a path");
    let mut child = Command::new(program)
        .arg("child")
        .arg(folder)
        .arg(session.as_str())
        .arg(place.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the child starts");
    let out = child.stdout.take().expect("its output is piped");
    let lines = BufReader::new(out).lines().map_while(Result::ok).collect();
    child.wait().expect("the child ends");
    lines
}

/// Counts what a told story left behind.
fn check(folder: &Path, session: &SessionId, killed_in_once: usize, findings: &mut Findings) {
    let path = folder.join(DATABASE);
    let database =
        Database::open(&path.to_string_lossy(), DatabaseOptions::default()).expect("the database opens");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    runtime.block_on(async {
        check_messages(&database, session, findings).await;
        check_effects(&database, folder, session, killed_in_once, findings).await;
        let verify = VerifySession::new(database.store(), database.log_reader());
        if let Some(mismatch) = verify.run(session).await.expect("the journal can be read") {
            findings.stuck += 1;
            findings.fault(format!("{session}: replay gives {} not {}", mismatch.replayed, mismatch.stored));
        }
    });
}

async fn check_messages(database: &Database, session: &SessionId, findings: &mut Findings) {
    let entries = ReadLog::new(database.log_reader()).entries(session, 0).await.expect("the log can be read");
    for (number, text) in MESSAGES.iter().enumerate() {
        let found = entries
            .iter()
            .filter(|entry| match &entry.input {
                Input::UserMessageSent(sent) => sent.message.linear_text() == *text,
                _ => false,
            })
            .count();
        if found != 1 {
            findings.lost_messages += 1;
            findings.fault(format!("{session}: message {number} is there {found} times"));
        }
    }
}

async fn check_effects(
    database: &Database,
    folder: &Path,
    session: &SessionId,
    killed_in_once: usize,
    findings: &mut Findings,
) {
    let outside = std::fs::read_to_string(folder.join(OUTSIDE)).unwrap_or_default();
    let calls = ReadCalls::new(database.store(), database.log_reader())
        .run(session)
        .await
        .expect("the ledger can be read");
    let mut unknown = 0;
    for view in calls {
        let name = view.call.command.name.as_str();
        *findings.calls.entry(format!("{name} {}", view.state)).or_default() += 1;
        if !name.starts_with("outside.note") {
            continue;
        }
        let happened = outside.lines().filter(|line| line.contains(view.call.id.as_str())).count();
        let right = match view.state.as_str() {
            "succeeded" => happened == 1,
            "unknown" => happened <= 1,
            _ => happened == 0,
        };
        if happened > 1 {
            findings.doubled += 1;
        }
        if !right {
            findings
                .fault(format!("{}: {name} is {} and happened {happened} times", view.call.id, view.state));
        }
        if name == "outside.note_once" && view.state == "unknown" {
            unknown += 1;
        }
    }
    if unknown < killed_in_once {
        findings.wrongly_known += 1;
        findings
            .fault(format!("{session}: {killed_in_once} kills inside a `once` action, {unknown} unknown"));
    }
    check_local(database, session, findings).await;
}

/// The local action of a story makes one zone.
async fn check_local(database: &Database, session: &SessionId, findings: &mut Findings) {
    let filter = ResourceFilter { kind: "zone".into(), ..ResourceFilter::default() };
    let rows: std::sync::Arc<dyn ResourceReader> = database.resource_reader();
    let zones = rows.resources(&workspace(session), &filter).await.expect("the data can be read");
    if zones.len() != 1 {
        findings.doubled += 1;
        findings.fault(format!("{session}: {} zones, expected 1", zones.len()));
    }
}
