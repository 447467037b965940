//! A run of an automation is made: a session of its own, with a copy of what the seed holds.

use entracte_domain::automation::{Automation, Cause};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Creation, Input, Phase, RunStart, SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

use super::draft::{Draft, Drafted};
use super::prefixes::Audience;
use super::requests::{texts, voice_of};
use super::workspace::{TurnError, Workspace};
use crate::mail::MailAnswer;
use crate::texts::say;

/// A run to be made.
pub(super) struct Run<'a> {
    pub(super) automation: &'a Automation,
    /// Its id.
    pub(super) session: &'a SessionId,
    /// The occurrence: "now" of its relative periods.
    pub(super) at: Timestamp,
    pub(super) cause: Cause,
    /// What was reported with the event.
    pub(super) event: Option<String>,
}

impl Workspace {
    /// Makes a run; or says why it cannot be made, for people.
    pub(super) async fn begin_run(
        &mut self,
        draft: &mut Draft,
        run: &Run<'_>,
    ) -> Result<Result<(), String>, TurnError> {
        let automation = run.automation;
        let Some(seed) = self.seed_of(draft, &automation.seed).await? else {
            return Ok(Err(say!(texts(draft), "automation-seed-gone", seed = automation.seed.as_str())));
        };
        let voice = voice_of(&seed);
        let mut facts =
            SessionFacts::new(run.session.clone(), self.key().clone(), SessionKind::Automation, draft.now);
        facts.scheduled_at = Some(run.at);
        facts.restriction.clone_from(&seed.restriction);
        let (mut messages, mut enrichments) = (Vec::new(), Vec::new());
        for (author, message) in self.messages_of_seed(draft, &automation.seed).await? {
            match self.enriched(draft, &facts, &message).await? {
                Ok((message, asked)) => {
                    enrichments.extend(self.look_up_enrichments(draft, &facts, asked).await?);
                    messages.push((author, message));
                }
                Err(MailAnswer::Refused { text, .. }) => return Ok(Err(text)),
                Err(MailAnswer::Accepted { .. } | MailAnswer::Done) => {}
            }
        }
        if messages.is_empty() {
            return Ok(Err(say!(texts(draft), "automation-seed-empty", seed = automation.seed.as_str())));
        }
        let sections = self.sections(draft).await?;
        let audience = Audience {
            kind: SessionKind::Automation,
            voice: voice.clone(),
            restriction: seed.restriction.clone(),
            policy: automation.policies.run,
        };
        let (prefix, told) = self.begin_generation(draft, &audience, &sections);
        draft.sessions.insert(run.session.clone(), Drafted { facts, phase: Phase::Idle, stored: None });
        let creation = Creation {
            name: automation.name.clone(),
            require_validation: seed.require_validation,
            restriction: seed.restriction.clone(),
            automation: Some(automation.id.as_str().to_owned()),
            scheduled_at: Some(run.at),
            parent: None,
            provider: voice.provider,
            model: voice.model,
            dialect: voice.dialect,
            prefix,
            told,
            run: Some(RunStart {
                cause: run.cause,
                version: automation.version,
                messages,
                enrichments,
                event: run.event.clone(),
                policy: automation.policies.run,
            }),
        };
        draft.feed(run.session, Input::SessionCreated(Box::new(creation)), &self.rules)?;
        Ok(Ok(()))
    }

    async fn seed_of(
        &mut self,
        draft: &mut Draft,
        seed: &SessionId,
    ) -> Result<Option<SessionFacts>, TurnError> {
        if !self.draft_session(draft, seed).await? {
            return Ok(None);
        }
        let facts = draft.sessions.get(seed).map(|drafted| drafted.facts.clone());
        Ok(facts.filter(|facts| facts.kind == SessionKind::Seed && facts.end_reason.is_none()))
    }

    /// What people wrote into a seed, in order; each with its author.
    async fn messages_of_seed(
        &self,
        draft: &Draft,
        seed: &SessionId,
    ) -> Result<Vec<(String, UserMessage)>, TurnError> {
        let said = |input: Input| match input {
            Input::UserMessageSent(sent) => Some((sent.author, sent.message)),
            _ => None,
        };
        let stored = self.entries_up_to(seed, u64::MAX).await?;
        // What this turn wrote is not stored yet.
        let drafted = draft.entries.iter().filter(|entry| entry.session == *seed);
        let inputs =
            stored.into_iter().map(|entry| entry.input).chain(drafted.map(|entry| entry.input.clone()));
        Ok(inputs.filter_map(said).collect())
    }

    /// The instant of an occurrence that is made now: no other occurrence of the automation has it.
    pub(super) async fn free_instant(
        &self,
        draft: &Draft,
        automation: &Automation,
    ) -> Result<Timestamp, TurnError> {
        let mut at = draft.now;
        loop {
            let drafted = draft
                .occurrences
                .iter()
                .any(|occurrence| occurrence.automation == automation.id && occurrence.at == at);
            let taken =
                drafted || automation.next_at == Some(at) || self.is_taken(&automation.id, at).await?;
            if !taken {
                return Ok(at);
            }
            at = Timestamp(at.0.saturating_add(1));
        }
    }

    /// Whether an occurrence was decided.
    pub(super) async fn is_taken(&self, id: &AutomationId, at: Timestamp) -> Result<bool, TurnError> {
        let after = Timestamp(at.0.saturating_add(1));
        let rows = self.services.automations.occurrences(self.key(), id, Some(after), 1).await?;
        Ok(rows.first().is_some_and(|row| row.at == at))
    }
}
