//! Decisions on calls: is the call open, are edited arguments right, was it decided before; and rules made with them.

use entracte_domain::command::{Call, CallState, Command};
use entracte_domain::id::SessionId;
use entracte_domain::session::Input;
use entracte_domain::time::Deadline;
use entracte_domain::validation::{AlwaysRule, Decision, Edit, Scope, Verdict, conditions_of};

use super::refused;
use crate::codec::{MailAnswer, MailDecision, MailVerdict, decode_call};
use crate::runtime::draft::Draft;
use crate::runtime::workspace::{Fault, Workspace};
use crate::system::sha256;

impl Workspace {
    pub(super) async fn decision_input(
        &self,
        draft: &mut Draft,
        session: &SessionId,
        author: &str,
        decisions: &[MailDecision],
    ) -> Result<Result<Input, MailAnswer>, Fault> {
        let Some(batch) = draft.sessions.get(session).map(|drafted| drafted.phase.batch().cloned()) else {
            return Ok(Err(refused("not_found", "the session is gone")));
        };
        let mut checked = Vec::with_capacity(decisions.len());
        let mut rules = Vec::new();
        for decision in decisions {
            let Some(call) = batch.as_ref().and_then(|batch| batch.call(&decision.call)) else {
                match self.decided_before(session, decision).await? {
                    MailAnswer::Accepted { .. } | MailAnswer::Done => continue,
                    refusal @ MailAnswer::Refused { .. } => return Ok(Err(refusal)),
                }
            };
            let verdict = match self.verdict_of(&call.command, &decision.verdict) {
                Ok(verdict) => verdict,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let rule = match self.rule_of(draft, author, session, call, &decision.verdict) {
                Ok(rule) => rule,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let id = rule.as_ref().map(|rule| rule.id.clone());
            checked.push(Decision { call: decision.call.clone(), verdict, rule: id });
            rules.extend(rule);
        }
        if checked.is_empty() && !decisions.is_empty() {
            return Ok(Err(MailAnswer::Accepted { message: None, session: session.clone() }));
        }
        if !rules.is_empty() {
            draft.body.rules.extend(rules);
            draft.is_body_changed = true;
        }
        Ok(Ok(Input::ValidationReceived { author: author.to_owned(), decisions: checked }))
    }

    /// The rule that a decision makes: such calls need no leave from now on.
    fn rule_of(
        &self,
        draft: &mut Draft,
        author: &str,
        session: &SessionId,
        call: &Call,
        verdict: &MailVerdict,
    ) -> Result<Option<AlwaysRule>, MailAnswer> {
        let MailVerdict::Always { in_session, lasts } = verdict else { return Ok(None) };
        let name = &call.command.name;
        let Some(terms) = call.terms.as_ref().filter(|terms| !terms.destructive) else {
            let text =
                format!("{name} cannot be undone, so leave is asked each time; approve this call alone");
            return Err(refused("invalid", &text));
        };
        let settings = &self.house.settings;
        draft.body.rules.retain(|rule| !rule.expires.is_due(draft.now));
        let most = settings.always_max;
        if most > 0 && draft.body.rules.len() >= most {
            let text = format!(
                "the workspace keeps {most} rules already (validation.always_max); revoke one: entracte rule list"
            );
            return Err(refused("invalid", &text));
        }
        let lasts = lasts.unwrap_or(settings.always_expires);
        if lasts.0 <= 0 {
            return Err(refused("invalid", "a rule must last longer than nothing; write a span like 30d"));
        }
        Ok(Some(AlwaysRule {
            id: format!("rul_{}", self.house.ids.key()),
            command: name.clone(),
            version: terms.version.clone(),
            arguments: conditions_of(&call.command.arguments),
            scope: if *in_session { Scope::Session(session.clone()) } else { Scope::Workspace },
            author: author.to_owned(),
            expires: Deadline::after(draft.now, lasts),
            revoked: None,
        }))
    }

    fn verdict_of(&self, command: &Command, verdict: &MailVerdict) -> Result<Verdict, MailAnswer> {
        match verdict {
            MailVerdict::Approve | MailVerdict::Always { .. } => Ok(Verdict::Approve { edited: None }),
            MailVerdict::Reject { reason } => Ok(Verdict::Reject { reason: reason.clone() }),
            MailVerdict::Edit { arguments } => {
                let faults = self.pipeline.edit_faults(&command.name, arguments);
                if !faults.is_empty() {
                    let all: Vec<String> = faults.iter().map(|fault| fault.sentence()).collect();
                    let text = format!("the new arguments of {} are wrong: {}", command.name, all.join("; "));
                    return Err(refused("invalid", &text));
                }
                let command = Command { name: command.name.clone(), arguments: arguments.clone() };
                let command_id = sha256(command.canonical().as_bytes());
                Ok(Verdict::Approve { edited: Some(Edit { command, command_id }) })
            }
        }
    }

    /// A decision on a call that is no longer open: the same answer again is the same answer.
    async fn decided_before(
        &self,
        session: &SessionId,
        decision: &MailDecision,
    ) -> Result<MailAnswer, Fault> {
        let Some(row) = self.house.log.call(&decision.call).await? else {
            let text = format!("there is no call {}; list what is open: entracte inbox", decision.call);
            return Ok(refused("not_found", &text));
        };
        let call = decode_call(&row)?;
        let taken = call.decision();
        let same = match &decision.verdict {
            MailVerdict::Approve | MailVerdict::Always { .. } => {
                taken.is_some_and(|taken| taken.edited.is_none())
            }
            MailVerdict::Edit { arguments } => taken
                .and_then(|taken| taken.edited.as_ref())
                .is_some_and(|edit| edit.command.arguments == *arguments),
            MailVerdict::Reject { .. } => row.state == "rejected",
        };
        if same {
            return Ok(MailAnswer::Accepted { message: None, session: session.clone() });
        }
        let by = taken.map(|taken| format!(" (decided by {})", taken.author)).unwrap_or_default();
        let what = match &call.state {
            CallState::Finished { result, .. } => result.status.word(),
            _ => call.state_word(),
        };
        let text = format!("the call {} is no longer open: it is {what}{by}", decision.call);
        Ok(refused("conflict", &text))
    }
}

/// Takes back leave that was given in advance. The rule stays listed until it would have expired.
pub(super) fn revoke_rule(draft: &mut Draft, author: &str, id: &str) -> MailAnswer {
    let now = draft.now;
    match draft.body.rules.iter_mut().find(|rule| rule.id == id) {
        None => {
            let text = format!("there is no rule {id}; list them: entracte rule list");
            refused("not_found", &text)
        }
        Some(rule) => {
            if rule.is_open(now) {
                rule.revoked = Some((author.to_owned(), now));
                draft.is_body_changed = true;
            }
            MailAnswer::Done
        }
    }
}
