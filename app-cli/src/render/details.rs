//! What an entry says, in one line of harmless words.

use entracte_application::codec::Entry;
use entracte_domain::command::CallOutcome;
use entracte_domain::id::SessionId;
use entracte_domain::message::Body;
use entracte_domain::session::failure::ModelFailure;
use entracte_domain::session::{AiResponse, Appended, Input, Note, RulesChange, Slot};
use entracte_domain::validation::{Decision, Verdict};

use super::text::one_line;

/// What happened, then what came of it.
pub(super) fn details(entry: &Entry) -> String {
    let happened = input(&entry.input);
    let followed = entry.appended.iter().filter_map(|what| appended(&entry.session, what));
    let parts: Vec<String> =
        std::iter::once(happened).chain(followed).filter(|part| !part.is_empty()).collect();
    one_line(&parts.join(" · "))
}

fn input(input: &Input) -> String {
    match input {
        Input::SessionCreated(creation) => {
            let leave = if creation.require_validation { ", every action needs leave" } else { "" };
            let only = crate::gate::words(&creation.gate).map(|all| format!(", commands: {all}"));
            let (name, provider, model) = (&creation.name, &creation.provider, &creation.model);
            format!("“{name}” with {provider}, {model}{leave}{}", only.unwrap_or_default())
        }
        Input::SessionActivationRequested { author } => format!("{author}: go on"),
        Input::StandingChanged { slot } => slot_words(*slot).to_owned(),
        Input::UserMessageSent(sent) => format!("{}: {}", sent.author, sent.message.linear_text()),
        Input::AiResponseReceived(response) => reply(response),
        Input::ValidationReceived { author, decisions } => {
            let all: Vec<String> = decisions.iter().map(decision).collect();
            format!("{author}: {}", all.join(", "))
        }
        Input::CommunicationResponseReceived { author, answer } => format!("{author}: {answer}"),
        Input::CallFinished { call, outcome: reached, .. } => format!("{call} {}", outcome(reached)),
        Input::CallSettled { call, command, happened, note, author } => {
            let found = if *happened { "happened" } else { "did not happen" };
            let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
            format!("{author}: {command} {found}{note} ({call})")
        }
        Input::CompletionConfirmed { author } => format!("{author}: done"),
        Input::CompletionRejected { author, reason } => {
            format!("{author}: not done {}", reason.as_deref().unwrap_or_default())
        }
        Input::NetworkErrorOccurred { failure, .. } | Input::ProviderErrorOccurred { failure, .. } => {
            trouble(failure)
        }
        Input::SystemErrorOccurred { message } | Input::CompactionFailed { message, .. } => message.clone(),
        Input::StopRequested { author, end } => {
            format!("{author}: {}", if *end { "end the session" } else { "stop" })
        }
        Input::RoundInterrupted { author } => format!("{author}: interrupt"),
        Input::TaskFinished { task, content, .. } => format!("{task} {content}"),
        Input::ContextCompacted { summary, .. } => summary.clone(),
        Input::RulesChanged(change) => changes(change),
        Input::SessionCopied { from, at, how, author } => {
            format!("{author}: {} of {from} at {at}", how.word())
        }
        Input::MessagesRead { reader, sequence } => format!("{reader}: read up to {sequence}"),
        Input::NetworkAvailable | Input::TimeReached | Input::SchedulerHeartbeat => String::new(),
    }
}

fn changes(change: &RulesChange) -> String {
    let mut parts: Vec<String> = change.notice.iter().cloned().collect();
    parts.extend(change.voice.as_ref().map(|voice| format!("model {} of {}", voice.model, voice.provider)));
    parts.extend(change.require_validation.map(|asks| match asks {
        true => "every action needs leave".to_owned(),
        false => "the session itself asks for no leave".to_owned(),
    }));
    parts.extend(change.gate.as_ref().map(|gate| match crate::gate::words(gate) {
        Some(all) => format!("commands: {all}"),
        None => "every command".to_owned(),
    }));
    parts.extend(change.rechecks.iter().map(|recheck| format!("{} looked at again", recheck.call)));
    parts.join("; ")
}

fn slot_words(slot: Slot) -> &'static str {
    match slot {
        Slot::None => "without a slot",
        Slot::Held => "active",
        Slot::Queued(_) => "queued",
        Slot::Suspended(_) => "suspended",
    }
}

fn reply(response: &AiResponse) -> String {
    let said = &response.message;
    if !response.faults.is_empty() {
        let faults: Vec<&str> = response.faults.iter().map(|fault| fault.text.as_str()).collect();
        return format!("cannot be read ({}): {}", faults.join("; "), said.original);
    }
    let mut parts = vec![said.pre_text.clone()];
    let calls = response
        .calls
        .iter()
        .map(|call| format!("→ {} {}", call.command.name, call.command.arguments.to_json()));
    parts.extend(calls);
    parts.extend(said.question.as_ref().map(|question| format!("? {}", question.text())));
    if said.completed {
        parts.push("completed".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn decision(decision: &Decision) -> String {
    let verdict = verdict(decision);
    match &decision.rule {
        Some(rule) => format!("{verdict}, and to all like it ({rule})"),
        None => verdict,
    }
}

fn verdict(decision: &Decision) -> String {
    let call = &decision.call;
    match &decision.verdict {
        Verdict::Approve { edited: None } => format!("yes to {call}"),
        Verdict::Approve { edited: Some(edit) } => {
            format!("yes to {call} as {}", edit.command.arguments.to_json())
        }
        Verdict::Reject { reason: None } => format!("no to {call}"),
        Verdict::Reject { reason: Some(reason) } => format!("no to {call}: {reason}"),
    }
}

fn outcome(outcome: &CallOutcome) -> String {
    match outcome {
        CallOutcome::Succeeded { content, .. } => format!("succeeded {content}"),
        CallOutcome::Accepted { task, content } => format!("accepted as {task} {content}"),
        CallOutcome::Failed(failure) => format!("failed {}: {}", failure.code, failure.message),
        CallOutcome::TimedOut => "timed out".to_owned(),
        CallOutcome::Lost { found_by_start: Some(_) } => "was under way when Entracte stopped".to_owned(),
        CallOutcome::Lost { found_by_start: None } => "outcome lost".to_owned(),
        CallOutcome::Probed { happened, .. } => match happened {
            Some(true) => "asked: it happened".to_owned(),
            Some(false) => "asked: it did not happen".to_owned(),
            None => "asked: nobody can tell".to_owned(),
        },
    }
}

fn trouble(failure: &ModelFailure) -> String {
    format!("{}: {}", failure.class.word(), failure.message)
}

fn appended(session: &SessionId, appended: &Appended) -> Option<String> {
    match appended {
        Appended::Message(message) => match &message.body {
            Body::System(system) => Some(format!("{} {}", system.kind.word(), system.summary.spoken())),
            Body::Text(text) => Some(text.spoken().into_owned()),
            Body::Ai(said) => Some(said.pre_text.clone()),
            Body::Rich(said) => Some(said.linear_text()),
            Body::Execution(started) => Some(format!("started by {}", started.trigger)),
        },
        Appended::Note(note) => note_words(session, note),
    }
}

fn note_words(session: &SessionId, note: &Note) -> Option<String> {
    match note {
        Note::RoundStarted { round, reason, closing, words_only } => {
            let last = match (closing, words_only) {
                (true, _) => ", the closing call",
                (false, true) => ", for words alone",
                (false, false) => "",
            };
            Some(format!("round {round} ({}{last})", reason.word()))
        }
        Note::AttemptStarted { round, attempt } => {
            let again = if *attempt > 1 { format!("attempt {attempt} ") } else { String::new() };
            Some(format!("{again}{}", session.model_call(*round, *attempt)))
        }
        Note::AiResponseParsed | Note::MessagesJoined(_) => None,
        Note::PassedThrough(_) | Note::ParseErrorOccurred { .. } | Note::LimitReached(_) => None,
        Note::EnrichmentsExecuted => Some("enrichments executed".to_owned()),
        Note::DataQueriesExecuted => Some("queries executed".to_owned()),
        Note::ActionsExecuted => Some("actions executed".to_owned()),
        Note::ActionFailureOccurred => Some("an action failed".to_owned()),
        Note::NetworkRetryScheduled { .. } => Some("another try later".to_owned()),
        Note::RetryScheduled { call, .. } => Some(format!("{call} another try later")),
        Note::GenerationBegun(number) => Some(format!("generation {number}")),
        Note::ApprovedByPolicy { call } => Some(format!("{call} allowed by policy")),
        Note::ApprovedByRule { call, rule } => Some(format!("{call} allowed by {rule}")),
        Note::LeaveAskedAgain { call } => Some(format!("{call} asks for leave again")),
        Note::WaitExpired => Some("the wait expired".to_owned()),
        Note::SessionSuspended => Some("suspended".to_owned()),
        Note::SessionResumed => Some("resumed".to_owned()),
        Note::SessionParked => Some("parked".to_owned()),
        Note::Quarantined => Some("quarantined".to_owned()),
        Note::ClosureDelayElapsed => Some("closed".to_owned()),
        Note::SessionCompleted { reason } => Some(format!("ended: {}", reason.word())),
    }
}
