//! Summarizes an entry in one line of sanitized text.

use entracte_application::journal::JournalEntry;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::agent::AgentReport;
use entracte_domain::call::CallOutcome;
use entracte_domain::id::{CallId, RoundAttempt, SessionId};
use entracte_domain::message::MessageBody;
use entracte_domain::session::failure::ModelFailure;
use entracte_domain::session::{
    AiResponse, Input, JournalNote, LogAppend, RulesChange, Slot, UserMessageSent,
};
use entracte_domain::spending::{SpendingAnswer, SpendingRefusal};
use entracte_domain::validation::{Decision, DecisionVerdict, PolicyAnswer, PolicyDecision};

use super::plan::mode_words;
use super::stored_words::word;
use super::text::{name_of, one_line};

/// The summary of an entry: the event, then its result.
pub(super) fn details(entry: &JournalEntry, texts: &LocalizedTexts) -> String {
    let happened = input(&entry.input, texts);
    let followed = entry.appended.iter().filter_map(|what| appended(&entry.session, what, texts));
    let parts: Vec<String> =
        std::iter::once(happened).chain(followed).filter(|part| !part.is_empty()).collect();
    one_line(&parts.join(" · "))
}

/// A message, with the calls that it answers.
fn user_message(sent: &UserMessageSent, texts: &LocalizedTexts) -> String {
    let text = sent.message.linear_text();
    if sent.instead_of.is_empty() {
        return text;
    }
    let calls = sent.instead_of.iter().map(CallId::as_str).collect::<Vec<_>>().join(", ");
    say!(texts, "journal-answered", text = text, calls = calls)
}

fn input(input: &Input, texts: &LocalizedTexts) -> String {
    match input {
        Input::SessionCreated(creation) => {
            let (name, provider, model) = (&creation.name, &creation.provider, &creation.model);
            let mut parts = vec![say!(
                texts,
                "journal-created",
                name = name_of(name, texts),
                provider = provider,
                model = model
            )];
            parts.extend(creation.require_validation.then(|| say!(texts, "journal-every-action")));
            parts.extend(creation.mode.map(|mode| mode_words(mode, texts)));
            let only = crate::command_restriction::words(&creation.restriction);
            parts.extend(only.map(|all| say!(texts, "journal-commands", commands = all)));
            parts.join(", ")
        }
        Input::SessionActivationRequested { author } => by(author, &say!(texts, "journal-resume"), texts),
        Input::StandingChanged { slot } => slot_words(*slot, texts),
        Input::UserMessageSent(sent) => by(&sent.author, &user_message(sent, texts), texts),
        Input::AiResponseReceived(response) => reply(response, texts),
        Input::ValidationReceived { author, decisions } => {
            let all: Vec<String> =
                Decision::effective_decisions(decisions).map(|one| decision(one, texts)).collect();
            by(author, &all.join(", "), texts)
        }
        Input::CommunicationResponseReceived { author, answer } => by(author, answer, texts),
        Input::CallFinished { call, outcome: reached, .. } => format!("{call} {}", outcome(reached, texts)),
        Input::PolicyAnswered { call, answer, .. } => policy_answer(call, answer, texts),
        Input::CallSettled { call, command, happened, note, author } => {
            let found = if *happened { "journal-happened" } else { "journal-did-not-happen" };
            let found = say!(texts, found, command = command, call = call.as_str());
            by(author, &noted(found, note.as_deref(), texts), texts)
        }
        Input::CompletionConfirmed { author } => by(author, &say!(texts, "journal-confirmed"), texts),
        Input::CompletionRejected { author, reason } => {
            by(author, &noted(say!(texts, "journal-incomplete"), reason.as_deref(), texts), texts)
        }
        Input::NetworkErrorOccurred { failure, .. } | Input::ProviderErrorOccurred { failure, .. } => {
            trouble(failure, texts)
        }
        Input::SystemErrorOccurred { message } | Input::CompactionFailed { message, .. } => message.clone(),
        Input::StopRequested { author, end, .. } => {
            by(author, &texts.render(if *end { "journal-end" } else { "journal-stop" }, &[]), texts)
        }
        Input::CompactionRequested { author } => by(author, &say!(texts, "journal-compact"), texts),
        Input::RoundInterrupted { author, .. } => by(author, &say!(texts, "journal-interrupt"), texts),
        Input::MissionContinued { answer, .. } => say!(texts, "journal-mission-answer", answer = answer),
        Input::MissionEnded { why } => texts.render(&format!("journal-mission-{}", why.word()), &[]),
        Input::ChildEnded { report } => reported(report, texts),
        Input::TaskFinished { task, content, .. } => format!("{task} {content}"),
        Input::BudgetReached { size, budget, files_from, .. } => {
            let key = if files_from.is_some() { "journal-budget-files" } else { "journal-budget" };
            say!(texts, key, size = size.to_string(), budget = budget.to_string())
        }
        Input::SpendingRefused { why, .. } => spending_refusal(why, texts),
        Input::SpendingAnswered { author, answer } => {
            let says = match answer {
                SpendingAnswer::Continue(extra) => {
                    say!(texts, "journal-spending-continue", amount = extra.to_string())
                }
                SpendingAnswer::Stop => say!(texts, "journal-spending-stop"),
            };
            by(author, &says, texts)
        }
        Input::UsageSettled { author, usage, .. } => {
            let (cost, tokens) = (usage.cost.to_string(), usage.tokens());
            by(author, &say!(texts, "journal-usage-settled", amount = cost, tokens = tokens), texts)
        }
        Input::ContextCompacted { summary, .. } => summary.text.clone(),
        Input::RulesChanged(change) => changes(change, texts),
        Input::SessionCopied { from, at, how, author, .. } => {
            let key = format!("journal-copied-{}", how.word());
            by(author, &say!(texts, &key, from = from.as_str(), at = at.to_string()), texts)
        }
        Input::MessagesRead { reader, sequence } => {
            by(reader, &say!(texts, "journal-read", sequence = sequence.to_string()), texts)
        }
        Input::MessageWithdrawn { author, message } => {
            by(author, &say!(texts, "journal-message-withdrawn", message = message.as_str()), texts)
        }
        Input::EndSeen { author } => by(author, &say!(texts, "journal-end-seen"), texts),
        Input::DecisionCommented { author, call, comment } => {
            by(author, &say!(texts, "journal-commented", call = call.as_str(), comment = comment), texts)
        }
        Input::SessionOpened(opening) => {
            let key = if opening.asks_slot { "journal-asks-slot" } else { "journal-opened" };
            by(&opening.author, &texts.render(key, &[]), texts)
        }
        Input::SessionLeft { author, .. } => by(author, &say!(texts, "journal-left"), texts),
        Input::NetworkAvailable | Input::TimeReached | Input::SchedulerHeartbeat => String::new(),
    }
}

fn changes(change: &RulesChange, texts: &LocalizedTexts) -> String {
    let mut parts: Vec<String> = change.notice.iter().cloned().collect();
    let named = change.name.as_ref();
    parts.extend(named.map(|given| say!(texts, "journal-name", name = &given.name, author = &given.author)));
    parts.extend(
        change
            .voice
            .as_ref()
            .map(|voice| say!(texts, "journal-voice", model = &voice.model, provider = &voice.provider)),
    );
    parts.extend(change.require_validation.map(|asks| match asks {
        true => say!(texts, "journal-every-action"),
        false => say!(texts, "journal-no-approval"),
    }));
    parts.extend(change.mode.map(|mode| mode_words(mode, texts)));
    parts.extend(change.restriction.as_ref().map(|restriction| {
        match crate::command_restriction::words(restriction) {
            Some(all) => say!(texts, "journal-commands", commands = all),
            None => say!(texts, "journal-every-command"),
        }
    }));
    parts.extend(
        change.rechecks.iter().map(|recheck| say!(texts, "journal-rechecked", call = recheck.call.as_str())),
    );
    let joined = |says: String, more: String| say!(texts, "config-and", says = says, more = more);
    parts.into_iter().reduce(joined).unwrap_or_default()
}

fn slot_words(slot: Slot, texts: &LocalizedTexts) -> String {
    match slot {
        Slot::None => say!(texts, "journal-no-slot"),
        Slot::Held => word("standing", "active", texts),
        Slot::Queued(_) => word("standing", "queued", texts),
        Slot::Suspended(_) => word("standing", "suspended", texts),
    }
}

/// An act of a person, with the author.
fn by(author: &str, what: &str, texts: &LocalizedTexts) -> String {
    say!(texts, "journal-by", author = author, what = what)
}

/// The answer of the policy hook about a call.
fn policy_answer(call: &CallId, answer: &PolicyAnswer, texts: &LocalizedTexts) -> String {
    let call = call.as_str();
    let what = match answer.decision {
        PolicyDecision::Allow => say!(texts, "journal-policy-allow", call = call),
        PolicyDecision::Ask => say!(texts, "journal-policy-ask", call = call),
        PolicyDecision::Deny => say!(texts, "journal-policy-deny", call = call),
        PolicyDecision::NoAnswer => say!(texts, "journal-policy-no-answer", call = call),
    };
    let what = match &answer.version {
        Some(version) => say!(texts, "journal-policy-version", what = what, version = version),
        None => what,
    };
    noted(what, answer.reason.as_deref(), texts)
}

/// The text with the given reason, if any.
fn noted(what: String, note: Option<&str>, texts: &LocalizedTexts) -> String {
    match note {
        Some(note) => say!(texts, "journal-noted", what = what, note = note),
        None => what,
    }
}

fn reply(response: &AiResponse, texts: &LocalizedTexts) -> String {
    let said = &response.message;
    if !response.faults.is_empty() {
        let faults: Vec<&str> = response.faults.iter().map(|fault| fault.text.as_str()).collect();
        let faults = faults.join("; ");
        return say!(texts, "journal-unreadable", faults = faults, text = &said.original);
    }
    let mut parts = vec![said.pre_text.clone()];
    if !said.plan.is_empty() {
        parts.push(format!("{} {}", say!(texts, "plan-head"), said.plan.join("; ")));
    }
    let calls = response
        .calls
        .iter()
        .map(|call| format!("→ {} {}", call.command.name, call.command.arguments.to_json()));
    parts.extend(calls);
    parts.extend(said.question.as_ref().map(|question| format!("? {}", question.text())));
    parts.extend(super::messages::agent_of_reply(said, texts));
    if said.completed {
        parts.push(say!(texts, "journal-completed"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn decision(decision: &Decision, texts: &LocalizedTexts) -> String {
    let verdict = verdict(decision, texts);
    match &decision.rule {
        Some(rule) => say!(texts, "journal-and-similar", verdict = verdict, rule = rule),
        None => verdict,
    }
}

fn verdict(decision: &Decision, texts: &LocalizedTexts) -> String {
    let call = decision.call.as_str();
    match &decision.verdict {
        DecisionVerdict::Approve { edited: None } => say!(texts, "journal-approved", call = call),
        DecisionVerdict::Approve { edited: Some(edit) } => {
            let arguments = edit.command.arguments.to_json();
            say!(texts, "journal-approved-edited", call = call, arguments = arguments)
        }
        DecisionVerdict::Reject { reason: None } => say!(texts, "journal-rejected", call = call),
        DecisionVerdict::Reject { reason: Some(reason) } => {
            noted(say!(texts, "journal-rejected", call = call), Some(reason), texts)
        }
    }
}

fn outcome(outcome: &CallOutcome, texts: &LocalizedTexts) -> String {
    match outcome {
        CallOutcome::Succeeded { content, .. } => format!("{} {content}", word("state", "succeeded", texts)),
        CallOutcome::Accepted { task, content, .. } => {
            say!(texts, "journal-accepted", task = task.as_str(), content = content)
        }
        CallOutcome::Failed(failure) => {
            say!(texts, "journal-failed", code = &failure.code, why = &failure.message)
        }
        CallOutcome::Reported { report, .. } => reported(report, texts),
        CallOutcome::TimedOut => say!(texts, "outcome-timed-out"),
        CallOutcome::Lost { found_by_start: Some(_), .. } => say!(texts, "outcome-cut-off"),
        CallOutcome::Lost { found_by_start: None, .. } => say!(texts, "outcome-lost"),
        CallOutcome::Probed { happened, .. } => match happened {
            Some(true) => say!(texts, "outcome-happened"),
            Some(false) => say!(texts, "outcome-did-not-happen"),
            None => say!(texts, "outcome-still-unknown"),
        },
    }
}

/// An agent's report, in a line.
fn reported(report: &AgentReport, texts: &LocalizedTexts) -> String {
    let said = match (&report.question, &report.exit) {
        (Some(question), _) => question,
        (None, Some(exit)) => &exit.conclusion,
        (None, None) => &report.last.said,
    };
    let (agent, status) = (report.agent.as_str(), report.status.word());
    say!(texts, "journal-agent-reports", agent = agent, status = status, said = said)
}

fn spending_refusal(why: &SpendingRefusal, texts: &LocalizedTexts) -> String {
    match why {
        SpendingRefusal::Cap(excess) => say!(texts, "journal-spending-cap", key = excess.scope.word()),
        SpendingRefusal::SoftLine(question) => {
            say!(texts, "journal-spending-soft-line", key = question.excess.scope.word())
        }
        SpendingRefusal::UnknownPrice { message, .. } => message.clone(),
    }
}

fn trouble(failure: &ModelFailure, texts: &LocalizedTexts) -> String {
    noted(word("failure", failure.class.word(), texts), Some(&failure.message), texts)
}

fn appended(session: &SessionId, appended: &LogAppend, texts: &LocalizedTexts) -> Option<String> {
    match appended {
        LogAppend::Message(message) => match &message.body {
            MessageBody::System(system) => {
                Some(format!("{} {}", system.kind.word(), system.summary.to_plain_text()))
            }
            MessageBody::Text(text) => Some(text.to_plain_text().into_owned()),
            MessageBody::Ai(said) => Some(said.pre_text.clone()),
            MessageBody::Rich(said) => Some(said.linear_text()),
            MessageBody::Execution(started) => {
                Some(say!(texts, "journal-started-by", trigger = &started.trigger))
            }
        },
        LogAppend::Note(note) => note_words(session, note, texts),
    }
}

fn note_words(session: &SessionId, note: &JournalNote, texts: &LocalizedTexts) -> Option<String> {
    match note {
        JournalNote::RoundStarted { round, reason, closing, words_only } => {
            let key = match (closing, words_only) {
                (true, _) => "journal-round-closing",
                (false, true) => "journal-round-text",
                (false, false) => "journal-round",
            };
            Some(say!(texts, key, round = *round, reason = reason.word()))
        }
        JournalNote::AttemptStarted { round, attempt } => {
            let call = session.model_call_id(RoundAttempt { round: *round, attempt: *attempt }).to_string();
            Some(match attempt {
                ..=1 => call,
                more => say!(texts, "journal-attempt", attempt = *more, call = call),
            })
        }
        JournalNote::AiResponseParsed | JournalNote::MessagesJoined(_) => None,
        JournalNote::PassedThrough(_)
        | JournalNote::ParseErrorOccurred { .. }
        | JournalNote::LimitReached(_) => None,
        JournalNote::EnrichmentsExecuted => Some(say!(texts, "journal-enrichments")),
        JournalNote::DataQueriesExecuted => Some(say!(texts, "journal-queries")),
        JournalNote::ActionsExecuted => Some(say!(texts, "journal-actions")),
        JournalNote::ActionFailureOccurred => Some(say!(texts, "journal-action-failed")),
        JournalNote::NetworkRetryScheduled { .. } => Some(say!(texts, "journal-retries")),
        JournalNote::RetryScheduled { call, .. } => {
            Some(say!(texts, "journal-call-retries", call = call.as_str()))
        }
        JournalNote::GenerationBegun(number) => {
            Some(say!(texts, "journal-generation", number = number.to_string()))
        }
        JournalNote::FellBack { from, to, .. } => {
            Some(say!(texts, "journal-fell-back", from = from, to = to))
        }
        JournalNote::ApprovedByPolicy { call, by } => {
            let person = by.as_ref().and_then(|by| by.person.as_deref());
            Some(match (by, person) {
                (None, _) => say!(texts, "journal-by-policy", call = call.as_str()),
                (Some(_), None) => say!(texts, "journal-by-policy-configured", call = call.as_str()),
                (Some(_), Some(by)) => say!(texts, "journal-by-policy-of", call = call.as_str(), by = by),
            })
        }
        JournalNote::ApprovedByRule { call, rule } => {
            Some(say!(texts, "journal-by-rule", call = call.as_str(), rule = rule))
        }
        JournalNote::ApprovalAskedAgain { call } => {
            Some(say!(texts, "journal-asked-again", call = call.as_str()))
        }
        JournalNote::PlanApproved(plan) => Some(super::plan::head(&plan.into(), texts)),
        JournalNote::PlanStepped { step, .. } => Some(super::plan::step(&step.into(), texts)),
        JournalNote::WaitExpired => Some(say!(texts, "journal-wait-expired")),
        JournalNote::SessionSuspended => Some(word("standing", "suspended", texts)),
        JournalNote::SessionResumed => Some(say!(texts, "journal-resumed")),
        JournalNote::ReplacedInQueue => Some(say!(texts, "journal-replaced")),
        JournalNote::SessionParked => Some(word("standing", "parked", texts)),
        JournalNote::Quarantined => Some(say!(texts, "journal-quarantined")),
        JournalNote::ClosureDelayElapsed => Some(say!(texts, "journal-closed")),
        JournalNote::SessionCompleted { reason } => {
            Some(say!(texts, "journal-ended", reason = reason.word()))
        }
    }
}
