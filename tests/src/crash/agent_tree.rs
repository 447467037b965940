//! Invariants of the agents of a scenario: each is created once and continues, and its report is delivered once.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::collections::BTreeMap;

use entracte_adapters_db::Database;
use entracte_application::codec::decode_snapshot;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::SessionRow;
use entracte_application::use_cases::ReadLog;
use entracte_domain::agent::{AgentReport, MissionStatus};
use entracte_domain::call::CallOutcome;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, Phase, SessionFacts, agent_report};

use super::agents::CrashAgentScript;
use super::findings::CrashFindings;
use super::scenario_run::{CrashScenarioRun, workspace};

/// Every agent of the scenario completed its mission, in one session that was created once. An agent that loses its
/// model reply to two kills in the same round gives up, as any run does: its caller was informed once, and fewer agents
/// are called below it.
pub(super) async fn agents(
    database: &Database,
    story: &CrashScenarioRun,
    rows: &[SessionRow],
    findings: &mut CrashFindings,
) {
    let mut called: BTreeMap<String, usize> = BTreeMap::new();
    let mut all_went_through = true;
    for row in rows {
        let snapshot = decode_snapshot(&row.body).expect("the session can be read");
        let (facts, phase) = (&snapshot.facts, &snapshot.phase);
        let Some(agent) = &facts.agent else { continue };
        *called.entry(agent.name.clone()).or_default() += 1;
        let above = entries(database, story, &agent.from).await;
        let brought: Vec<&AgentReport> =
            above.iter().filter_map(|entry| report_of(&entry.input, &facts.id)).collect();
        let own = entries(database, story, &facts.id).await;
        all_went_through &= judge(story, (facts, phase), &own, &brought, findings);
    }
    let expected = story.scene.chat.as_ref().map_or(&[][..], |chat| chat.agents);
    for CrashAgentScript { name, called: times, .. } in expected {
        let found = called.remove(*name).unwrap_or(0);
        if found > *times {
            findings.record_duplicate(format!(
                "{story}: {name} was begun {found} times, and called {times} times"
            ));
        } else if found < *times && all_went_through {
            findings
                .record_loss(format!("{story}: {name} was begun {found} times, and called {times} times"));
        }
    }
    for (name, found) in called {
        findings.record_duplicate(format!("{story}: {name} was begun {found} times, and called by nobody"));
    }
}

async fn entries(database: &Database, story: &CrashScenarioRun, session: &SessionId) -> Vec<JournalEntry> {
    let log = ReadLog::new(database.log_reader());
    log.entries(&workspace(&story.session), session, 0).await.expect("the log can be read")
}

/// The report about this agent that an input carries.
fn report_of<'a>(input: &'a Input, child: &SessionId) -> Option<&'a AgentReport> {
    let report = match input {
        Input::CallFinished { outcome: CallOutcome::Reported { report, .. }, .. } => report,
        Input::ChildEnded { report } => report,
        _ => return None,
    };
    (report.child == *child).then_some(report)
}

/// Records the findings about one agent; returns whether it completed its mission.
fn judge(
    story: &CrashScenarioRun,
    (facts, phase): (&SessionFacts, &Phase),
    own: &[JournalEntry],
    brought: &[&AgentReport],
    findings: &mut CrashFindings,
) -> bool {
    let (id, name) = (&facts.id, facts.agent.as_ref().map_or("", |agent| agent.name.as_str()));
    let made = own.iter().filter(|entry| matches!(entry.input, Input::SessionCreated(_))).count();
    if made != 1 {
        findings.record_duplicate(format!("{story}: {name} ({id}) was made {made} times"));
    }
    let stands = agent_report(facts, phase).map(|report| report.status);
    let word = stands.map_or("at work", MissionStatus::word);
    *findings.missions.entry(format!("{name} {word}")).or_default() += 1;
    let is_done = stands == Some(MissionStatus::MissionCompleted);
    let gave_up = stands == Some(MissionStatus::Error) && has_lost_twice(own);
    if !(is_done || gave_up) {
        findings.record_stuck(format!("{story}: {name} ({id}) is {word}, in {}", phase.label().word()));
    }
    let cast = story.scene.chat.as_ref().and_then(|chat| chat.agents.iter().find(|cast| cast.name == name));
    let asks = cast.map_or(0, |cast| cast.asks);
    let (asked, ended): (Vec<&AgentReport>, Vec<&AgentReport>) =
        brought.iter().copied().partition(|report| report.status.can_be_answered());
    for (what, found, wanted) in [("question", asked.len(), asks), ("result", ended.len(), 1)] {
        if found > wanted {
            findings.record_duplicate(format!("{story}: the {what} of {name} ({id}) went up {found} times"));
        } else if found < wanted && (is_done || what == "result") {
            findings.record_loss(format!("{story}: the {what} of {name} ({id}) did not go up"));
        }
    }
    if let Some(other) = ended.iter().find(|report| Some(report.status) != stands) {
        findings.fault(format!("{story}: {name} ({id}) is {word}, and reported {other:?}"));
    }
    is_done
}

/// Whether the replies of two attempts of one round were lost.
fn has_lost_twice(own: &[JournalEntry]) -> bool {
    let mut lost: BTreeMap<u32, usize> = BTreeMap::new();
    for entry in own {
        if let Input::ProviderErrorOccurred { round, failure, .. } = &entry.input
            && failure.class == FailureClass::Lost
        {
            *lost.entry(*round).or_default() += 1;
        }
    }
    lost.into_values().any(|times| times > 1)
}
