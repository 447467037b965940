//! Invariants after every kill, and at the end of a scenario.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use entracte_adapters_db::Database;
use entracte_application::codec::{decode_occurrence, decode_snapshot};
use entracte_application::journal::OccurrenceOutcome;
use entracte_application::ports::{ResourceFilter, SessionFilter, SessionRow, TaskFilter};
use entracte_application::use_cases::{ReadCalls, ReadLog, VerifySession};
use entracte_domain::session::EndReason;
use entracte_domain::session::{Input, Slot};

use super::agent_tree;
use super::automation_user::EVERY;
use super::files;
use super::findings::CrashFindings;
use super::retention;
use super::scenario::AutomationRunCause;
use super::scenario_run::{CrashScenarioRun, automation, outside, task_folder, workspace};
use crate::simulate::stuck;

/// After a kill: every acknowledged message exists, once.
pub fn after_death(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    block_on(async {
        for row in sessions(database, story).await {
            *findings.phases.entry(row.phase.word().to_owned()).or_default() += 1;
        }
        messages(database, story, findings).await;
        files::check_whole(database, story, findings).await;
    });
}

/// At the end: also every effect, every occurrence, and every session.
pub fn at_end(database: &Database, folder: &Path, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    *findings.stories.entry(story.scene.name.to_owned()).or_default() += 1;
    let all = story.scene.chat.as_ref().map_or(0, |chat| chat.messages.len());
    if story.acknowledged.len() != all {
        findings.record_loss(format!(
            "{story}: {} of {all} messages were acknowledged",
            story.acknowledged.len()
        ));
    }
    block_on(async {
        messages(database, story, findings).await;
        effects(database, folder, story, findings).await;
        zones(database, story, findings).await;
        tasks(database, folder, story, findings).await;
        agent_tree::agents(database, story, &sessions(database, story).await, findings).await;
        occurrences(database, story, findings).await;
        retention::check_end(database, story, findings).await;
        files::check_end(database, story, findings).await;
        rest(database, story, findings).await;
    });
}

fn block_on(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime starts").block_on(work);
}

async fn sessions(database: &Database, story: &CrashScenarioRun) -> Vec<SessionRow> {
    let filter = SessionFilter { workspace: Some(workspace(&story.session)), ..SessionFilter::default() };
    database.log_reader().sessions(&filter).await.expect("the sessions can be read").rows
}

async fn messages(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    let Some(chat) = &story.scene.chat else { return };
    let log = ReadLog::new(database.log_reader());
    let entries =
        log.entries(&workspace(&story.session), &story.session, 0).await.expect("the log can be read");
    for (number, text) in chat.messages.iter().enumerate() {
        let is_it = |input: &Input| match input {
            Input::UserMessageSent(sent) => sent.message.written_text() == *text,
            _ => false,
        };
        let found = entries.iter().filter(|entry| is_it(&entry.input)).count();
        match (found, story.acknowledged.contains(&number)) {
            (0, true) => findings.record_loss(format!("{story}: the acknowledged message {number} is gone")),
            (0, false) | (1, _) => {}
            (more, _) => {
                findings.record_duplicate(format!("{story}: message {number} is there {more} times"))
            }
        }
    }
}

/// One line of the file of external effects.
#[derive(serde::Deserialize)]
struct ExternalEffectLine {
    call: String,
}

/// Compares the external effects with the ledger.
async fn effects(database: &Database, folder: &Path, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    let text = std::fs::read_to_string(outside(folder, &story.session)).unwrap_or_default();
    let mut happened: BTreeMap<String, u32> = BTreeMap::new();
    for line in text.lines() {
        let line: ExternalEffectLine =
            serde_json::from_str(line).expect("the world outside writes whole lines");
        *happened.entry(line.call).or_default() += 1;
    }
    let ledger = ReadCalls::new(database.store(), database.log_reader());
    for row in sessions(database, story).await {
        let guarded = decode_snapshot(&row.body).expect("it can be read").facts.require_validation;
        for view in ledger.run(&row.workspace, &row.id).await.expect("the ledger can be read") {
            let (name, state) = (view.call.command.name.as_str(), view.state.as_str());
            *findings.calls.entry(format!("{name} {state}")).or_default() += 1;
            if !name.starts_with("outside.note") {
                continue;
            }
            let id = &view.call.id;
            let times = happened.remove(id.as_str()).unwrap_or(0);
            let is_right = match state {
                "succeeded" | "settled_happened" => times == 1,
                "unknown" => times <= 1,
                _ => times == 0,
            };
            if times > 1 {
                findings.record_duplicate(format!("{story}: {id} ({name}) happened {times} times"));
            } else if !is_right {
                findings.fault(format!("{story}: {id} ({name}) is {state} and happened {times} times"));
            }
            if times > 0 && guarded && view.call.decision().is_none() {
                findings.record_duplicate(format!("{story}: {id} ({name}) happened without approval"));
            }
        }
    }
    for (call, times) in happened {
        findings.record_duplicate(format!("{story}: {call} happened {times} times and is not in the ledger"));
    }
}

/// Each task that the task server accepted has its row, and its end was read once.
async fn tasks(database: &Database, folder: &Path, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    let (home, filter) = (workspace(&story.session), TaskFilter::default());
    let rows = database.task_reader().tasks(&home, filter).await.expect("the tasks can be read");
    let log = ReadLog::new(database.log_reader());
    let entries = log.entries(&home, &story.session, 0).await.unwrap_or_default();
    let taken = std::fs::read_dir(task_folder(folder, &story.session)).map_or(0, Iterator::count);
    if taken > rows.len() {
        findings
            .record_duplicate(format!("{story}: {taken} tasks were taken, and {} have a row", rows.len()));
    }
    for row in &rows {
        let is_news = |input: &Input| match input {
            Input::TaskFinished { task, .. } => *task == row.id,
            _ => false,
        };
        match entries.iter().filter(|entry| is_news(&entry.input)).count() {
            0 => findings.record_loss(format!(
                "{story}: the end of {} ({}) was not read",
                row.id,
                row.state.word()
            )),
            1 => {}
            more => {
                findings.record_duplicate(format!("{story}: the end of {} was read {more} times", row.id))
            }
        }
        if row.open {
            findings.record_stuck(format!("{story}: {} is {}", row.id, row.state.word()));
        }
    }
    if story.scene.name == "tasks" && rows.is_empty() {
        findings.record_loss(format!("{story}: no task was made"));
    }
}

async fn zones(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    let filter = ResourceFilter { kind: "zone".into(), ..ResourceFilter::default() };
    let rows = database.resource_reader();
    let found = rows.resources(&workspace(&story.session), &filter).await.expect("the data can be read");
    let expected = story.scene.chat.as_ref().map_or(0, |chat| chat.zones.len());
    if found.len() > expected {
        findings.record_duplicate(format!("{story}: {} zones, expected {expected}", found.len()));
    } else if found.len() < expected {
        findings.record_loss(format!("{story}: {} zones, expected {expected}", found.len()));
    }
}

/// Each instant up to the last decided one has one row, and each run exists.
async fn occurrences(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    let Some(runs) = &story.scene.runs else { return };
    let reader = database.automation_reader();
    let rows =
        reader.occurrences(&workspace(&story.session), &automation(&story.session), None, u32::MAX).await;
    let rows = rows.expect("they can be read");
    let (mut instants, mut sessions) = (Vec::new(), BTreeSet::new());
    for row in &rows {
        let occurrence = decode_occurrence(row).expect("it can be read");
        instants.push(occurrence.at);
        if let OccurrenceOutcome::Run(run) = occurrence.outcome
            && !sessions.insert(run.clone())
        {
            findings.record_duplicate(format!("{story}: {run} is the run of two occurrences"));
        }
    }
    if sessions.len() < runs.wanted {
        findings.record_loss(format!("{story}: {} runs of {}", sessions.len(), runs.wanted));
    }
    instants.sort_unstable();
    for pair in instants.windows(2).filter(|_| runs.begin != AutomationRunCause::ByHand) {
        if pair[0] == pair[1] {
            findings.record_duplicate(format!("{story}: two rows for {}", pair[0].0));
        } else if pair[1].since(pair[0]) != EVERY {
            findings.record_loss(format!("{story}: no row between {} and {}", pair[0].0, pair[1].0));
        }
    }
}

/// Every session is at rest, and its journal reproduces the stored state.
async fn rest(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    let verify = VerifySession::new(database.store(), database.log_reader());
    for row in sessions(database, story).await {
        let snapshot = decode_snapshot(&row.body).expect("the session can be read");
        let (facts, phase) = (&snapshot.facts, &snapshot.phase);
        if let Err(why) = stuck(facts, phase, false, row.wake_at) {
            findings.record_stuck(format!("{story}: {why}"));
        }
        if facts.kind == entracte_domain::session::SessionKind::Automation {
            let why = row.end_reason.map_or("not at all", EndReason::word);
            if row.end_reason.is_none() || facts.slot != Slot::None {
                findings.record_stuck(format!("{story}: the run {} did not end", row.id));
            }
            *findings.runs.entry(why.to_owned()).or_default() += 1;
        }
        match verify.run(&row.workspace, &row.id).await.expect("the journal can be read") {
            None => {}
            Some(found) => {
                findings.record_stuck(format!("{story}: the journal gives something else: {found:?}"))
            }
        }
    }
}
