//! Requests about automations: create, change, delete, run now.

use entracte_domain::automation::{Automation, AutomationGrant, RunCause, SkipReason, Trigger};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Timestamp;

use super::is_seed;
use crate::instructions::InstructionScope;
use crate::journal::OccurrenceOutcome;
use crate::mail::{
    AutomationChangeRequest, MailAnswer, MailRefusal, NewAutomationRequest, NewSeedRequest, NewSessionRequest,
};
use crate::permissions::{
    AutomationPermissionChange, AutomationPermissions, ChangeRequester, InheritedPolicy,
    compute_grant_after_change,
};
use crate::protocol::relay;
use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::turn::automation_run::AutomationRunRequest;
use crate::runtime::turn::{RequestNotApplied, TurnStop, WorkspaceTurn};
use crate::runtime::turn_draft::TurnDraft;
use crate::texts::saying;

impl WorkspaceTurn<'_> {
    pub(super) fn create_automation(
        &self,
        draft: &mut TurnDraft,
        asker: ChangeRequester<'_>,
        new: &NewAutomationRequest,
    ) -> Result<MailAnswer, RequestNotApplied> {
        if self.automation_of(draft, &new.id).is_some() {
            return Ok(MailAnswer::Made { id: new.id.as_str().to_owned() });
        }
        self.check_name(draft, &new.id, &new.name)?;
        let wanted = AutomationPermissionChange {
            policy: new.policies.run,
            require_validation: new.seed.require_validation,
            seed: new.seed.id.clone(),
            grants: true,
            instructions: self.instructions_known(draft, &new.id)?,
        };
        let grant = compute_grant_after_change(self.automation_ceiling(), None, wanted, asker, draft.now)
            .map_err(MailRefusal::from)?;
        let next_at = self.first_due(draft, &new.trigger)?;
        self.create_seed_session(draft, asker.person, &new.name, &new.seed)?;
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
            grant,
        };
        draft.put_automation(automation, None);
        Ok(MailAnswer::Made { id: new.id.as_str().to_owned() })
    }

    pub(super) fn edit_automation(
        &self,
        draft: &mut TurnDraft,
        asker: ChangeRequester<'_>,
        id: &AutomationId,
        change: &AutomationChangeRequest,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let Some(ScheduledAutomation { mut automation, revision }) = self.automation_of(draft, id) else {
            return Err(MailRefusal::no_automation(id).into());
        };
        // An automation that shares its name from before names were unique may keep it.
        if let Some(name) = change.name.as_ref().filter(|name| **name != automation.name) {
            self.check_name(draft, id, name)?;
            automation.name.clone_from(name);
        }
        let before = automation.clone();
        automation.enabled = change.enabled.unwrap_or(before.enabled);
        let trigger = change.trigger.as_ref().filter(|trigger| **trigger != before.trigger);
        if let Some(trigger) = trigger {
            automation.trigger = trigger.clone();
        }
        // Instants while it was switched off are no occurrences of it.
        let begins_anew = trigger.is_some() || (automation.enabled && !before.enabled);
        if begins_anew || automation.attention.is_some() {
            automation.next_at = match (&automation.trigger, trigger) {
                // The instant of a one-time trigger may have passed: the automation is switched on without a next
                // occurrence.
                (once @ Trigger::Once { .. }, None) => self.next_due(once, draft.now)?.unwrap_or_default(),
                (trigger, _) => self.first_due(draft, trigger)?,
            };
            automation.attention = None;
        }
        automation.grant = self.grant_after_edit(draft, asker, &automation, change)?;
        if let Some(policies) = &change.policies {
            automation.policies = policies.clone();
        }
        if let Some(seed) = &change.seed {
            let author = self.author_of_words(draft, asker.person, &automation.seed, seed)?;
            self.create_seed_session(draft, &author, &automation.name, seed)?;
            let old = std::mem::replace(&mut automation.seed, seed.id.clone());
            if old != seed.id && self.draft_session(draft, &old)? {
                draft.delete(&old);
            }
        }
        if !automation.enabled {
            Self::skip_due(draft, &before, SkipReason::SwitchedOff);
        } else if begins_anew {
            Self::skip_due(draft, &before, SkipReason::Rescheduled);
        }
        automation.version = automation.version.saturating_add(1);
        automation.updated_at = draft.now;
        draft.put_automation(automation, revision);
        Ok(MailAnswer::Done)
    }

    /// The grant of an automation after a change.
    fn grant_after_edit(
        &self,
        draft: &mut TurnDraft,
        asker: ChangeRequester<'_>,
        automation: &Automation,
        change: &AutomationChangeRequest,
    ) -> Result<Option<AutomationGrant>, RequestNotApplied> {
        let has_seed = self.draft_session(draft, &automation.seed)?;
        let seed = draft.sessions.get(&automation.seed).filter(|_| has_seed);
        let require_validation = seed.is_some_and(|seed| seed.facts.require_validation);
        let before = AutomationPermissions {
            policy: automation.policies.run,
            require_validation,
            seed: automation.seed.clone(),
            grant: automation.grant.clone(),
        };
        let wanted = AutomationPermissionChange {
            policy: change.policies.as_ref().map_or(before.policy, |policies| policies.run),
            require_validation: change
                .seed
                .as_ref()
                .map_or(require_validation, |seed| seed.require_validation),
            seed: change.seed.as_ref().map_or(&automation.seed, |seed| &seed.id).clone(),
            grants: change.grants,
            instructions: self.instructions_known(draft, &automation.id)?,
        };
        let grant =
            compute_grant_after_change(self.automation_ceiling(), Some(&before), wanted, asker, draft.now);
        Ok(grant.map_err(MailRefusal::from)?)
    }

    /// The policy that the runs of automations inherit.
    fn automation_ceiling(&self) -> InheritedPolicy {
        InheritedPolicy::from_rules(self.memory.rules.rules_for_kind(SessionKind::Automation))
    }

    /// The versions of the instructions that the runs of an automation read now.
    fn instructions_known(
        &self,
        draft: &mut TurnDraft,
        id: &AutomationId,
    ) -> Result<Vec<(String, u64)>, TurnStop> {
        let told = self.instructions(draft, &InstructionScope::scopes_of_run(Some(id.as_str())))?;
        Ok(told.iter().map(|told| (told.scope.name().to_owned(), told.version)).collect())
    }

    /// The author of a new seed's words: unchanged words keep their author, whatever else of the seed changes.
    fn author_of_words(
        &self,
        draft: &mut TurnDraft,
        editor: &str,
        old: &SessionId,
        new: &NewSeedRequest,
    ) -> Result<String, TurnStop> {
        if !self.draft_session(draft, old)? {
            return Ok(editor.to_owned());
        }
        let written = self.messages_of_seed(draft, old)?;
        let [(author, message)] = written.as_slice() else { return Ok(editor.to_owned()) };
        Ok(if *message == new.message { author.clone() } else { editor.to_owned() })
    }

    pub(super) fn delete_automation(
        &self,
        draft: &mut TurnDraft,
        id: &AutomationId,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let Some(ScheduledAutomation { automation, revision }) = self.automation_of(draft, id) else {
            return Err(MailRefusal::no_automation(id).into());
        };
        Self::skip_due(draft, &automation, SkipReason::Deleted);
        draft.automations.remove(id);
        draft.deleted_automations.push((id.clone(), revision));
        draft.instructions.retain(|told| told.scope != InstructionScope::Automation(id.clone()));
        if self.draft_session(draft, &automation.seed)? {
            draft.delete(&automation.seed);
        }
        Ok(MailAnswer::Done)
    }

    pub(super) fn run_automation(
        &self,
        draft: &mut TurnDraft,
        author: &str,
        id: &AutomationId,
        session: &SessionId,
        event: Option<&str>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        if self.draft_session(draft, session)? {
            return Ok(MailAnswer::accept_message(None, session));
        }
        let Some(ScheduledAutomation { automation, .. }) = self.automation_of(draft, id) else {
            return Err(MailRefusal::no_automation(id).into());
        };
        self.check_id(session)?;
        event.map_or(Ok(()), |event| self.check_event(event))?;
        let cause = if event.is_some() { RunCause::Event } else { RunCause::Manual };
        let at = self.free_instant(draft, &automation)?;
        let (event, reporter) = (event.map(str::to_owned), event.map(|_| author));
        let run = AutomationRunRequest { automation: &automation, session, at, cause, event, reporter };
        self.begin_run(draft, &run).map_err(|why| match why {
            // The fault is in the automation, not in this request.
            RequestNotApplied::Refused(refusal) => MailRefusal::NotApplicable(refusal.saying()).into(),
            stop @ RequestNotApplied::Stop(_) => stop,
        })?;
        draft.record_occurrence(&automation, at, cause, OccurrenceOutcome::Run(session.clone()));
        Ok(MailAnswer::accept_message(None, session))
    }

    /// Creates the seed session with its message.
    fn create_seed_session(
        &self,
        draft: &mut TurnDraft,
        author: &str,
        name: &str,
        seed: &NewSeedRequest,
    ) -> Result<(), RequestNotApplied> {
        if let Some(why) = relay::cannot_converse(&seed.voice.provider) {
            return Err(MailRefusal::Invalid(why).into());
        }
        let session = NewSessionRequest {
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
            return Err(MailRefusal::session_exists(&seed.id).into());
        }
        self.start_session(draft, &session)?;
        let input = self.message_input(draft, &seed.id, author, &seed.message, None);
        if let Err(RequestNotApplied::Refused(_)) = &input {
            draft.delete(&seed.id);
        }
        Ok(self.apply_input(draft, &seed.id, input?)?)
    }

    /// The automation including this draft.
    pub(super) fn automation_of(&self, draft: &TurnDraft, id: &AutomationId) -> Option<ScheduledAutomation> {
        if draft.is_automation_deleted(id) {
            return None;
        }
        draft.automations.get(id).or_else(|| self.memory.schedule.find(id)).cloned()
    }

    /// Refuses a name that the automation cannot have.
    fn check_name(&self, draft: &TurnDraft, id: &AutomationId, name: &str) -> Result<(), RequestNotApplied> {
        if name.trim().is_empty() {
            return Err(MailRefusal::Invalid(saying!("automation-no-name")).into());
        }
        let is_called_so = |other: &AutomationIdentity| other.id != *id && other.name.trim() == name.trim();
        let Some(other) = self.automation_identities(draft)?.into_iter().find(is_called_so) else {
            return Ok(());
        };
        let (name, other) = (name.trim(), other.id.as_str());
        Err(MailRefusal::Conflict(saying!("automation-name-taken", name = name, automation = other)).into())
    }

    /// Refuses to delete the seed session of an automation.
    pub(super) fn check_seed_is_free(
        &self,
        draft: &TurnDraft,
        session: &SessionId,
    ) -> Result<(), RequestNotApplied> {
        if !is_seed(draft, session) {
            return Ok(());
        }
        let of = self.automation_identities(draft)?.into_iter().find(|living| living.seed == *session);
        let Some(of) = of else { return Ok(()) };
        let (session, id, name) = (session.as_str(), of.id.as_str(), of.name.as_str());
        let lives = saying!("request-seed-lives", session = session, automation = id, name = name);
        Err(MailRefusal::Conflict(lives).into())
    }

    /// The automations of the workspace including this draft.
    fn automation_identities(&self, draft: &TurnDraft) -> Result<Vec<AutomationIdentity>, TurnStop> {
        let rows = self.automation_rows()?;
        let is_stored =
            |id: &AutomationId| !draft.is_automation_deleted(id) && !draft.automations.contains_key(id);
        let stored = rows.iter().filter(|row| is_stored(&row.id)).map(|row| AutomationIdentity {
            id: row.id.clone(),
            name: row.name.clone(),
            seed: row.seed.clone(),
        });
        let drafted =
            draft.automations.values().map(|ScheduledAutomation { automation, .. }| AutomationIdentity {
                id: automation.id.clone(),
                name: automation.name.clone(),
                seed: automation.seed.clone(),
            });
        Ok(stored.chain(drafted).collect())
    }

    fn first_due(
        &self,
        draft: &TurnDraft,
        trigger: &Trigger,
    ) -> Result<Option<Timestamp>, RequestNotApplied> {
        let wrong = match self.next_due(trigger, draft.now)? {
            Ok(None) if trigger.is_scheduled() => saying!("automation-never-due"),
            Ok(next_at) => return Ok(next_at),
            Err(why) => saying!("automation-trigger", why = why),
        };
        Err(MailRefusal::Invalid(wrong).into())
    }

    fn check_event(&self, event: &str) -> Result<(), MailRefusal> {
        let (length, most) = (event.chars().count(), self.memory.runtime.event_max_chars);
        if length > most {
            return Err(MailRefusal::Invalid(saying!("automation-event-long", length = length, most = most)));
        }
        let Err(why) = crate::json_value::parse(event) else { return Ok(()) };
        Err(MailRefusal::Invalid(saying!("automation-event-no-json", why = why.to_string())))
    }
}

/// The properties of an automation that must be unique, even if its row cannot be read.
struct AutomationIdentity {
    id: AutomationId,
    name: String,
    seed: SessionId,
}
