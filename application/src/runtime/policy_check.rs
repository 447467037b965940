//! Asks the policy hook about a call. Whatever goes wrong, the answer is that a person must approve.

use std::panic::AssertUnwindSafe;

use entracte_domain::call::Call;
use entracte_domain::id::Digest;
use entracte_domain::session::SessionFacts;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{Approver, PolicyAnswer, PolicyDecision};
use futures_util::FutureExt;

use super::scrub::scrub_value;
use super::services::RuntimeServices;
use crate::commands::{CatalogEntry, agents_of};
use crate::duration_text::written;
use crate::ports::{
    PolicyHook, PolicyHookError, PolicyQuestion, PolicyReply, PolicyVerdict, Scrubber, SecretOwner,
};
use crate::settings::{ApprovalSettings, PolicyHookSettings};
use crate::terminal_text::one_line;
use crate::texts::{LocalizedTexts, say};

/// The question about a call as it would run. `known` is its command, if the catalog still has it.
pub(super) fn policy_question(
    facts: &SessionFacts,
    call: &Call,
    known: Option<&CatalogEntry>,
    now: Timestamp,
) -> PolicyQuestion {
    let edited = call.decision().filter(|decision| decision.edited.is_some());
    let terms = call.terms.as_ref();
    PolicyQuestion {
        workspace: facts.workspace.clone(),
        session: facts.id.clone(),
        kind: facts.kind,
        automation: facts.automation.clone(),
        via: agents_of(facts),
        call: call.id.clone(),
        command: call.effective_command().clone(),
        command_kind: call.kind,
        version: terms.map(|terms| terms.version.clone()),
        effect: call.effect_class(),
        destructive: terms.is_none_or(|terms| terms.destructive),
        egress: known.is_none_or(|known| known.spec.egress),
        asked_by: call.asked_by.people.clone(),
        acts_as: call.principal().map(str::to_owned),
        edited_by: edited.map(|decision| decision.author.clone()),
        approval: call.reasons.iter().map(|reason| reason.level).collect(),
        at: now,
    }
}

/// Asks the hook, at most for the time that the settings give it. The hook reads no known secret, and neither do people in
/// its answer.
pub(super) async fn ask_policy(
    services: &RuntimeServices,
    question: PolicyQuestion,
    command_id: Digest,
    texts: &LocalizedTexts,
) -> PolicyAnswer {
    let secrets = services.secrets.scrubber(&secret_owners(&question));
    let mut question = question;
    question.command.arguments = scrub_value(&*secrets, &question.command.arguments);
    let settings = services.settings.policy_hook;
    let reply = match &services.policy_hook {
        Some(hook) => ask_in_time(services, &**hook, &question, &*secrets, texts).await,
        // The configuration has changed since the call was requested.
        None => Err(PolicyHookError(say!(texts, "policy-not-configured"))),
    };
    let reply = reply.and_then(|reply| checked_reply(reply, settings, texts));
    let at = services.clock.now();
    match reply {
        Ok(reply) => answer_from_reply(reply, &*secrets, command_id, at),
        Err(PolicyHookError(why)) => no_answer(why, command_id, at),
    }
}

async fn ask_in_time(
    services: &RuntimeServices,
    hook: &dyn PolicyHook,
    question: &PolicyQuestion,
    secrets: &dyn Scrubber,
    texts: &LocalizedTexts,
) -> Result<PolicyReply, PolicyHookError> {
    let settings = services.settings.policy_hook;
    let most = Millis(settings.timeout.0.max(1));
    // A secret is looked for before the text is cut, or a part of it would be left.
    let shown = |PolicyHookError(why)| PolicyHookError(shown_fault(&secrets.scrub_text(&why), settings));
    let asked = AssertUnwindSafe(hook.decide(question, texts)).catch_unwind();
    tokio::select! {
        // A reply that is already there counts, even at the time limit.
        biased;
        reply = asked => match reply {
            Ok(reply) => reply.map_err(shown),
            Err(_) => {
                tracing::error!(call = %question.call, "the policy hook panicked");
                Err(PolicyHookError(say!(texts, "policy-panicked")))
            }
        },
        () = services.clock.sleep(most) => {
            tracing::warn!(call = %question.call, limit_ms = most.0, "the policy hook gave no answer in time");
            Err(PolicyHookError(say!(texts, "policy-timed-out", limit = written(most))))
        }
    }
}

/// The people whose own secrets may be in the arguments.
fn secret_owners(question: &PolicyQuestion) -> Vec<SecretOwner> {
    let people = question.asked_by.iter().chain(&question.acts_as).chain(&question.edited_by);
    let owner =
        |person: &String| SecretOwner { workspace: question.workspace.clone(), person: person.clone() };
    people.map(owner).collect()
}

/// The reply with each text on one line, and none for a text without words. The approvers are few, and their names are
/// short and on one line: cards and journals repeat them.
fn checked_reply(
    reply: PolicyReply,
    settings: PolicyHookSettings,
    texts: &LocalizedTexts,
) -> Result<PolicyReply, PolicyHookError> {
    let most = settings.reason_max_chars;
    let checked = |text: Option<String>| match text.map(|text| one_line(&text)) {
        Some(text) if text.chars().count() > most => {
            Err(PolicyHookError(say!(texts, "policy-reason-long", most = most)))
        }
        text => Ok(text.filter(|text| !text.is_empty())),
    };
    let is_shown_whole = |approver: &Approver| {
        let text = approver.text();
        text.chars().count() <= most && one_line(&text) == text
    };
    let people = ApprovalSettings::LIST_MAX;
    if reply.approvers.len() > people || !reply.approvers.iter().all(is_shown_whole) {
        return Err(PolicyHookError(say!(texts, "policy-approvers", people = people, most = most)));
    }
    Ok(PolicyReply { reason: checked(reply.reason)?, version: checked(reply.version)?, ..reply })
}

/// Why a hook gave no usable reply, on one line. It may quote the reply, so its end is left out where it is too long.
fn shown_fault(why: &str, settings: PolicyHookSettings) -> String {
    let (line, most) = (one_line(why), settings.reason_max_chars);
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn answer_from_reply(
    reply: PolicyReply,
    secrets: &dyn Scrubber,
    command_id: Digest,
    at: Timestamp,
) -> PolicyAnswer {
    let clean = |text: Option<String>| text.map(|text| secrets.scrub_text(&text));
    let PolicyReply { verdict, reason, version, approvers, quorum } = reply;
    let approver = |approver: Approver| match approver {
        Approver::Role(name) => Approver::Role(secrets.scrub_text(&name)),
        Approver::Person(name) => Approver::Person(secrets.scrub_text(&name)),
    };
    PolicyAnswer {
        decision: decision_of(verdict),
        reason: clean(reason),
        version: clean(version),
        approvers: approvers.into_iter().map(approver).collect(),
        quorum,
        command_id,
        at,
    }
}

fn no_answer(why: String, command_id: Digest, at: Timestamp) -> PolicyAnswer {
    PolicyAnswer {
        decision: PolicyDecision::NoAnswer,
        reason: Some(why),
        version: None,
        approvers: Vec::new(),
        quorum: 1,
        command_id,
        at,
    }
}

const fn decision_of(verdict: PolicyVerdict) -> PolicyDecision {
    match verdict {
        PolicyVerdict::Allow => PolicyDecision::Allow,
        PolicyVerdict::Ask => PolicyDecision::Ask,
        PolicyVerdict::Deny => PolicyDecision::Deny,
    }
}
