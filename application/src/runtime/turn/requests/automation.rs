//! Requests about automations: make, change, delete, run now.

use entracte_domain::automation::{Automation, Cause, Trigger};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Timestamp;

use super::{is_seed, refused, texts};
use crate::instructions::Scope;
use crate::journal::Became;
use crate::mail::{AutomationChange, MailAnswer, NewAutomation, NewSeed, NewSession};
use crate::runtime::draft::Draft;
use crate::runtime::schedule::Kept;
use crate::runtime::turn::run::Run;
use crate::runtime::turn::{Stop, Turn};
use crate::texts::say;

impl Turn<'_> {
    pub(super) fn create_automation(
        &self,
        draft: &mut Draft,
        author: &str,
        new: &NewAutomation,
    ) -> Result<MailAnswer, Stop> {
        if self.automation_of(draft, &new.id).is_some() {
            return Ok(MailAnswer::Made { id: new.id.as_str().to_owned() });
        }
        if let Some(refusal) = self.name_fault(draft, &new.id, &new.name)? {
            return Ok(refusal);
        }
        let next_at = match self.first_due(draft, &new.trigger)? {
            Ok(next_at) => next_at,
            Err(refusal) => return Ok(refusal),
        };
        if let Err(refusal) = self.plant(draft, author, &new.name, &new.seed)? {
            return Ok(refusal);
        }
        let automation = Automation {
            id: new.id.clone(),
            name: new.name.clone(),
            seed: new.seed.id.clone(),
            trigger: new.trigger.clone(),
            policies: new.policies.clone(),
            enabled: new.enabled,
            version: 1,
            attention: None,
            next_at,
            created_at: draft.now,
            updated_at: draft.now,
        };
        draft.put_automation(automation, None);
        Ok(MailAnswer::Made { id: new.id.as_str().to_owned() })
    }

    pub(super) fn edit_automation(
        &self,
        draft: &mut Draft,
        author: &str,
        id: &AutomationId,
        change: &AutomationChange,
    ) -> Result<MailAnswer, Stop> {
        let Some(Kept { mut automation, revision }) = self.automation_of(draft, id) else {
            return Ok(no_automation(draft, id));
        };
        // One that shares its name since before names were unique may keep it.
        if let Some(name) = change.name.as_ref().filter(|name| **name != automation.name) {
            if let Some(refusal) = self.name_fault(draft, id, name)? {
                return Ok(refusal);
            }
            automation.name.clone_from(name);
        }
        let was_enabled = automation.enabled;
        automation.enabled = change.enabled.unwrap_or(was_enabled);
        if let Some(trigger) = &change.trigger {
            automation.trigger = trigger.clone();
        }
        // What was due while it was switched off, or under another trigger, is no occurrence of it.
        let begins_anew = change.trigger.is_some() || (automation.enabled && !was_enabled);
        if begins_anew || automation.attention.is_some() {
            match self.first_due(draft, &automation.trigger)? {
                Ok(next_at) => automation.next_at = next_at,
                Err(refusal) => return Ok(refusal),
            }
            automation.attention = None;
        }
        if let Some(policies) = &change.policies {
            automation.policies = policies.clone();
        }
        if let Some(seed) = &change.seed {
            if let Err(refusal) = self.plant(draft, author, &automation.name, seed)? {
                return Ok(refusal);
            }
            let old = std::mem::replace(&mut automation.seed, seed.id.clone());
            if old != seed.id && self.draft_session(draft, &old)? {
                draft.delete(&old);
            }
        }
        automation.version = automation.version.saturating_add(1);
        automation.updated_at = draft.now;
        draft.put_automation(automation, revision);
        Ok(MailAnswer::Done)
    }

    pub(super) fn delete_automation(&self, draft: &mut Draft, id: &AutomationId) -> Result<MailAnswer, Stop> {
        let Some(Kept { automation, revision }) = self.automation_of(draft, id) else {
            return Ok(no_automation(draft, id));
        };
        draft.automations.remove(id);
        draft.deleted_automations.push((id.clone(), revision));
        draft.instructions.retain(|told| told.scope != Scope::Automation(id.clone()));
        if self.draft_session(draft, &automation.seed)? {
            draft.delete(&automation.seed);
        }
        Ok(MailAnswer::Done)
    }

    pub(super) fn run_automation(
        &self,
        draft: &mut Draft,
        author: &str,
        id: &AutomationId,
        session: &SessionId,
        event: Option<&str>,
    ) -> Result<MailAnswer, Stop> {
        if self.draft_session(draft, session)? {
            return Ok(MailAnswer::taken(None, session));
        }
        let Some(Kept { automation, .. }) = self.automation_of(draft, id) else {
            return Ok(no_automation(draft, id));
        };
        if let Some(refusal) = self.id_fault(draft, session)? {
            return Ok(refusal);
        }
        if let Some(refusal) = event.and_then(|event| self.event_fault(draft, event)) {
            return Ok(refusal);
        }
        let cause = if event.is_some() { Cause::Event } else { Cause::Manual };
        let at = self.free_instant(draft, &automation)?;
        let (event, reporter) = (event.map(str::to_owned), event.map(|_| author));
        let run = Run { automation: &automation, session, at, cause, event, reporter };
        match self.begin_run(draft, &run)? {
            Ok(()) => {
                draft.decide(&automation, at, cause, Became::Run(session.clone()));
                Ok(MailAnswer::taken(None, session))
            }
            Err(why) => Ok(refused("not_applicable", &why)),
        }
    }

    /// Makes the seed session with its message.
    fn plant(
        &self,
        draft: &mut Draft,
        author: &str,
        name: &str,
        seed: &NewSeed,
    ) -> Result<Result<(), MailAnswer>, Stop> {
        let session = NewSession {
            id: seed.id.clone(),
            kind: SessionKind::Seed,
            name: name.to_owned(),
            provider: seed.voice.provider.clone(),
            model: seed.voice.model.clone(),
            dialect: seed.voice.dialect,
            require_validation: seed.require_validation,
            mode: None,
            restriction: seed.restriction.clone(),
        };
        if self.draft_session(draft, &seed.id)? {
            let text = say!(texts(draft), "request-session-exists", session = seed.id.as_str());
            return Ok(Err(refused("conflict", &text)));
        }
        if let refusal @ MailAnswer::Refused { .. } = self.start_session(draft, &session)? {
            return Ok(Err(refusal));
        }
        match self.message_input(draft, &seed.id, author, &seed.message, None)? {
            Ok(input) => {
                self.feed(draft, &seed.id, input)?;
                Ok(Ok(()))
            }
            Err(refusal) => {
                draft.delete(&seed.id);
                Ok(Err(refusal))
            }
        }
    }

    /// The automation as it is with this draft.
    pub(super) fn automation_of(&self, draft: &Draft, id: &AutomationId) -> Option<Kept> {
        if draft.is_automation_deleted(id) {
            return None;
        }
        draft.automations.get(id).or_else(|| self.memory.schedule.find(id)).cloned()
    }

    /// Why the automation cannot be called so.
    fn name_fault(&self, draft: &Draft, id: &AutomationId, name: &str) -> Result<Option<MailAnswer>, Stop> {
        if name.trim().is_empty() {
            return Ok(Some(refused("invalid", &say!(texts(draft), "automation-no-name"))));
        }
        let is_called_so = |other: &Living| other.id != *id && other.name.trim() == name.trim();
        let other = self.living(draft)?.into_iter().find(is_called_so);
        Ok(other.map(|other| {
            let (name, other) = (name.trim(), other.id.as_str());
            refused("conflict", &say!(texts(draft), "automation-name-taken", name = name, automation = other))
        }))
    }

    /// Why a session cannot be deleted: the runs of an automation begin with it.
    pub(super) fn seed_fault(&self, draft: &Draft, session: &SessionId) -> Result<Option<MailAnswer>, Stop> {
        if !is_seed(draft, session) {
            return Ok(None);
        }
        let of = self.living(draft)?.into_iter().find(|living| living.seed == *session);
        Ok(of.map(|of| {
            let (session, id, name) = (session.as_str(), of.id.as_str(), of.name.as_str());
            let text =
                say!(texts(draft), "request-seed-lives", session = session, automation = id, name = name);
            refused("conflict", &text)
        }))
    }

    /// The automations of the workspace as they are with this draft.
    fn living(&self, draft: &Draft) -> Result<Vec<Living>, Stop> {
        let rows = self.automation_rows()?;
        let is_stored =
            |id: &AutomationId| !draft.is_automation_deleted(id) && !draft.automations.contains_key(id);
        let stored = rows.iter().filter(|row| is_stored(&row.id)).map(|row| Living {
            id: row.id.clone(),
            name: row.name.clone(),
            seed: row.seed.clone(),
        });
        let drafted = draft.automations.values().map(|Kept { automation, .. }| Living {
            id: automation.id.clone(),
            name: automation.name.clone(),
            seed: automation.seed.clone(),
        });
        Ok(stored.chain(drafted).collect())
    }

    fn first_due(
        &self,
        draft: &Draft,
        trigger: &Trigger,
    ) -> Result<Result<Option<Timestamp>, MailAnswer>, Stop> {
        Ok(match self.next_due(trigger, draft.now)? {
            Ok(None) if trigger.is_scheduled() => {
                Err(refused("invalid", &say!(texts(draft), "automation-never-due")))
            }
            Ok(next_at) => Ok(next_at),
            Err(why) => Err(refused("invalid", &say!(texts(draft), "automation-trigger", why = why))),
        })
    }

    fn event_fault(&self, draft: &Draft, event: &str) -> Option<MailAnswer> {
        let (length, most) = (event.chars().count(), self.memory.runtime.event_max_chars);
        if length > most {
            let text = say!(texts(draft), "automation-event-long", length = length, most = most);
            return Some(refused("invalid", &text));
        }
        let why = crate::json::parse(event).err()?.to_string();
        Some(refused("invalid", &say!(texts(draft), "automation-event-no-json", why = why)))
    }
}

/// What must be unique of an automation, also of one whose row cannot be read.
struct Living {
    id: AutomationId,
    name: String,
    seed: SessionId,
}

pub(super) fn no_automation(draft: &Draft, id: &AutomationId) -> MailAnswer {
    refused("not_found", &say!(texts(draft), "request-no-automation", automation = id.as_str()))
}
