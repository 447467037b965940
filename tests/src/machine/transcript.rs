//! A state and its history on one readable line.

use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::call::{Call, CallState, CallStep};
use entracte_domain::message::{Author, Message, MessageBody};
use entracte_domain::session::{BatchHalt, BatchOrigin, CallBatch, LogAppend, Phase};

use super::MachineRun;

impl MachineRun {
    /// The whole conversation, in English.
    pub fn transcript_text(&self) -> String {
        let mut log = self.log.clone();
        LocalizedTexts::for_language(Language::En)
            .render_appended_messages(entracte_application::command_naming::CommandNaming::Types, &mut log);
        let messages = log.iter().filter_map(|entry| match entry {
            LogAppend::Message(message) => Some(words(message)),
            LogAppend::Note(_) => None,
        });
        messages.collect::<Vec<_>>().join("\n")
    }

    /// The phase and everything the last act appended, or why it was ignored.
    pub fn show(&self) -> String {
        if let Some(why) = self.ignored {
            return format!("ignored: {why:?}");
        }
        let messages = show_appended(&self.last);
        let phase = show_phase(&self.phase);
        if messages.is_empty() { phase } else { format!("{messages} -> {phase}") }
    }
}

/// The messages among the appended items, in order.
pub fn show_appended(appended: &[LogAppend]) -> String {
    let messages = appended.iter().filter_map(|entry| match entry {
        LogAppend::Message(message) => Some(show_message(message)),
        LogAppend::Note(_) => None,
    });
    messages.collect::<Vec<_>>().join(", ")
}

fn words(message: &Message) -> String {
    match &message.body {
        MessageBody::System(system) => {
            let results = system.results.iter().map(|result| format!("\n{}", result.content.to_plain_text()));
            format!("{}{}", system.summary.to_plain_text(), results.collect::<String>())
        }
        MessageBody::Text(text) => text.to_plain_text().into_owned(),
        MessageBody::Rich(said) => said.linear_text(),
        MessageBody::Ai(said) => said.original.clone(),
        MessageBody::Execution(started) => started.trigger.clone(),
    }
}

fn show_message(message: &Message) -> String {
    match (&message.author, &message.body) {
        (_, MessageBody::System(system)) => {
            let results: Vec<String> = system
                .results
                .iter()
                .map(|result| format!("{}={}", result.command, result.status.word()))
                .collect();
            if results.is_empty() {
                system.kind.word().to_owned()
            } else {
                format!("{}[{}]", system.kind.word(), results.join(" "))
            }
        }
        (Author::Model, MessageBody::Text(_)) => "post text".to_owned(),
        (Author::System | Author::Person(_), MessageBody::Text(_)) => "fixed text".to_owned(),
        (_, MessageBody::Rich(_) | MessageBody::Ai(_) | MessageBody::Execution(_)) => "message".to_owned(),
    }
}

/// The phase with its essential fields.
pub fn show_phase(phase: &Phase) -> String {
    let word = phase.label().word();
    match phase {
        Phase::CallingAi(round) => {
            let waits = if round.started_at.is_none() { ", no slot" } else { "" };
            let attempt = if round.attempt > 1 { format!(" #{}", round.attempt) } else { String::new() };
            format!("{word} {}{attempt}{waits}", round.reason.word())
        }
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch)
        | Phase::WaitingValidation { batch, .. } => format!("{word} {}", show_batch(batch)),
        Phase::AwaitingSessionClosure { reason, .. } | Phase::Completed { reason } => {
            format!("{word} {}", reason.word())
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::WaitingTask => word.to_owned(),
        Phase::CompactingContext { summing, .. } => {
            let again = if summing.faults.is_empty() { "" } else { " again" };
            format!("{word} {}{again}", summing.method.word())
        }
    }
}

fn show_batch(batch: &CallBatch) -> String {
    let calls: Vec<String> = batch.calls.iter().map(show_call).collect();
    let origin = match batch.origin {
        BatchOrigin::Reply => String::new(),
        BatchOrigin::Enrichments(then) => format!(" for {}", then.word()),
    };
    let halt = match batch.halt {
        None => String::new(),
        Some(BatchHalt::Rest | BatchHalt::Quarantine) => ", then rest".to_owned(),
        Some(BatchHalt::End(reason)) => format!(", then end {}", reason.word()),
    };
    format!("[{}]{origin}{halt}", calls.join(" "))
}

fn show_call(call: &Call) -> String {
    let what = match &call.state {
        CallState::Started { step: CallStep::Ask, .. } => "asked",
        CallState::Follows(_) => "follows",
        CallState::Started { step: CallStep::Run, .. }
        | CallState::Proposed
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => call.ledger_state().word(),
    };
    let attempt = if call.attempt > 1 { format!("#{}", call.attempt) } else { String::new() };
    format!("{}={what}{attempt}", call.command.name)
}
