//! Requests about automations: create, change, delete, run now.

use entracte_domain::automation::{Automation, AutomationGrant, RunCause, SkipReason, Trigger};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Timestamp;

use crate::instructions::InstructionScope;
use crate::mail::{
    AutomationChangeRequest, CreateAutomationRequest, DeleteAutomationRequest, EditAutomationRequest,
    MailAnswer, MailRefusal, NewSeedRequest, NewSessionRequest, RunAutomationRequest,
};
use crate::permissions::{
    AutomationPermissionChange, AutomationPermissions, ChangeRequester, InheritedPolicy,
    compute_grant_after_change,
};
use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::questions::{AutomationRowsQuestion, NextDueQuestion};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::schedule::{
    AutomationRunRequest, find_automation, find_free_instant, read_seed_messages,
};
use crate::runtime::turn::session_creation::{FirstMessage, check_id};
use crate::runtime::turn::session_kinds::is_seed;
use crate::texts::saying;

impl ApplyToWorkspace for CreateAutomationRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, new } = self;
        let asker = ChangeRequester { person: author, may_approve: edit.may_approve() };
        if find_automation(edit.turn(), edit.draft(), &new.id).is_some() {
            return Ok(MailAnswer::Made { id: new.id.as_str().to_owned() });
        }
        check_name(edit.turn(), edit.draft(), &new.id, &new.name)?;
        let wanted = AutomationPermissionChange {
            policy: new.policies.run,
            require_validation: new.seed.require_validation,
            seed: new.seed.id.clone(),
            grants: true,
            instructions: list_known_instructions(edit, &new.id)?,
        };
        let grant =
            compute_grant_after_change(inherited_policy(edit.turn()), None, wanted, asker, edit.draft().now)
                .map_err(MailRefusal::from)?;
        let next_at = compute_first_due(edit.turn(), edit.draft(), &new.trigger)?;
        create_seed_session(edit, asker.person, &new.name, &new.seed)?;
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
            created_at: edit.draft().now,
            updated_at: edit.draft().now,
            grant,
        };
        edit.put_automation(automation, None);
        Ok(MailAnswer::Made { id: new.id.as_str().to_owned() })
    }
}

impl ApplyToWorkspace for EditAutomationRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, automation: id, change } = self;
        let asker = ChangeRequester { person: author, may_approve: edit.may_approve() };
        let Some(ScheduledAutomation { mut automation, revision }) =
            find_automation(edit.turn(), edit.draft(), id)
        else {
            return Err(MailRefusal::no_automation(id).into());
        };
        // An automation that shares its name from before names were unique may keep it.
        if let Some(name) = change.name.as_ref().filter(|name| **name != automation.name) {
            check_name(edit.turn(), edit.draft(), id, name)?;
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
                (once @ Trigger::Once { .. }, None) => edit
                    .turn()
                    .ask(NextDueQuestion { trigger: once.clone(), after: edit.draft().now })?
                    .clone()
                    .unwrap_or_default(),
                (trigger, _) => compute_first_due(edit.turn(), edit.draft(), trigger)?,
            };
            automation.attention = None;
        }
        automation.grant = compute_grant_after_edit(edit, asker, &automation, change)?;
        if let Some(policies) = &change.policies {
            automation.policies = policies.clone();
        }
        if let Some(seed) = &change.seed {
            let author = find_seed_author(edit, asker.person, &automation.seed, seed)?;
            create_seed_session(edit, &author, &automation.name, seed)?;
            let old = std::mem::replace(&mut automation.seed, seed.id.clone());
            if old != seed.id {
                edit.delete_seed(&old)?;
            }
        }
        if !automation.enabled {
            edit.skip_due(&before, SkipReason::SwitchedOff);
        } else if begins_anew {
            edit.skip_due(&before, SkipReason::Rescheduled);
        }
        automation.version = automation.version.saturating_add(1);
        automation.updated_at = edit.draft().now;
        edit.put_automation(automation, revision);
        Ok(MailAnswer::Done)
    }
}

impl ApplyToWorkspace for DeleteAutomationRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let id = &self.automation;
        let Some(ScheduledAutomation { automation, revision }) =
            find_automation(edit.turn(), edit.draft(), id)
        else {
            return Err(MailRefusal::no_automation(id).into());
        };
        let mut holds = edit.draft().body.holds.iter();
        if let Some(hold) = holds.find(|hold| hold.keeps_automation(id, &automation.seed)) {
            return Err(MailRefusal::held(hold).into());
        }
        edit.skip_due(&automation, SkipReason::Deleted);
        edit.delete_automation(id, revision);
        edit.delete_seed(&automation.seed)?;
        Ok(MailAnswer::Done)
    }
}

impl ApplyToWorkspace for RunAutomationRequest {
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, automation: id, session, event } = self;
        let event = event.as_deref();
        if edit.draft_session(session)? {
            return Ok(MailAnswer::accept_message(None, session));
        }
        let Some(ScheduledAutomation { automation, .. }) = find_automation(edit.turn(), edit.draft(), id)
        else {
            return Err(MailRefusal::no_automation(id).into());
        };
        check_id(edit.turn(), session)?;
        event.map_or(Ok(()), |event| check_event(edit.turn(), event))?;
        let cause = if event.is_some() { RunCause::Event } else { RunCause::Manual };
        let at = find_free_instant(edit.turn(), edit.draft(), &automation)?;
        let (event, reporter) = (event.map(str::to_owned), event.map(|_| author.as_str()));
        let run = AutomationRunRequest { automation: &automation, session, at, cause, event, reporter };
        edit.begin_run(&run).map_err(|why| match why {
            // The fault is in the automation, not in this request.
            RequestNotApplied::Refused(refusal) => MailRefusal::NotApplicable(refusal.saying()).into(),
            stop @ RequestNotApplied::Stop(_) => stop,
        })?;
        Ok(MailAnswer::accept_message(None, session))
    }
}

/// The grant of an automation after a change.
fn compute_grant_after_edit(
    edit: &mut WorkspaceDraftEdit<'_>,
    asker: ChangeRequester<'_>,
    automation: &Automation,
    change: &AutomationChangeRequest,
) -> Result<Option<AutomationGrant>, RequestNotApplied> {
    let has_seed = edit.draft_session(&automation.seed)?;
    let seed = edit.draft().sessions.get(&automation.seed).filter(|_| has_seed);
    let require_validation = seed.is_some_and(|seed| seed.facts.require_validation);
    let before = AutomationPermissions {
        policy: automation.policies.run,
        require_validation,
        seed: automation.seed.clone(),
        grant: automation.grant.clone(),
    };
    let wanted = AutomationPermissionChange {
        policy: change.policies.as_ref().map_or(before.policy, |policies| policies.run),
        require_validation: change.seed.as_ref().map_or(require_validation, |seed| seed.require_validation),
        seed: change.seed.as_ref().map_or(&automation.seed, |seed| &seed.id).clone(),
        grants: change.grants,
        instructions: list_known_instructions(edit, &automation.id)?,
    };
    let grant = compute_grant_after_change(
        inherited_policy(edit.turn()),
        Some(&before),
        wanted,
        asker,
        edit.draft().now,
    );
    Ok(grant.map_err(MailRefusal::from)?)
}

/// The policy that the runs of automations inherit.
fn inherited_policy(turn: &TurnContext<'_>) -> InheritedPolicy {
    InheritedPolicy::from_rules(turn.memory.rules.rules_for_kind(SessionKind::Automation))
}

/// The versions of the instructions that the runs of an automation read now.
fn list_known_instructions(
    edit: &mut WorkspaceDraftEdit<'_>,
    id: &AutomationId,
) -> Result<Vec<(String, u64)>, TurnStop> {
    let told = edit.read_instructions(&InstructionScope::scopes_of_run(Some(id.as_str())))?;
    Ok(told.iter().map(|told| (told.scope.name().to_owned(), told.version)).collect())
}

/// The author of a new seed's words: unchanged words keep their author, whatever else of the seed changes.
fn find_seed_author(
    edit: &mut WorkspaceDraftEdit<'_>,
    editor: &str,
    old: &SessionId,
    new: &NewSeedRequest,
) -> Result<String, TurnStop> {
    if !edit.draft_session(old)? {
        return Ok(editor.to_owned());
    }
    let written = read_seed_messages(edit.turn(), edit.draft(), old)?;
    let [(author, message)] = written.as_slice() else { return Ok(editor.to_owned()) };
    Ok(if *message == new.message { author.clone() } else { editor.to_owned() })
}

/// Creates the seed session with its message.
fn create_seed_session(
    edit: &mut WorkspaceDraftEdit<'_>,
    author: &str,
    name: &str,
    seed: &NewSeedRequest,
) -> Result<(), RequestNotApplied> {
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
    let first = FirstMessage { author, message: &seed.message, client_key: None };
    edit.start_with_message(&session, &first).map(drop)
}

/// Refuses a name that the automation cannot have.
fn check_name(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    id: &AutomationId,
    name: &str,
) -> Result<(), RequestNotApplied> {
    if name.trim().is_empty() {
        return Err(MailRefusal::Invalid(saying!("automation-no-name")).into());
    }
    let is_called_so = |other: &AutomationIdentity| other.id != *id && other.name.trim() == name.trim();
    let Some(other) = list_automation_identities(turn, draft)?.into_iter().find(is_called_so) else {
        return Ok(());
    };
    let (name, other) = (name.trim(), other.id.as_str());
    Err(MailRefusal::Conflict(saying!("automation-name-taken", name = name, automation = other)).into())
}

/// Refuses to delete the seed session of an automation.
pub(crate) fn check_seed_is_free(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
) -> Result<(), RequestNotApplied> {
    if !is_seed(draft, session) {
        return Ok(());
    }
    let of = list_automation_identities(turn, draft)?.into_iter().find(|living| living.seed == *session);
    let Some(of) = of else { return Ok(()) };
    let (session, id, name) = (session.as_str(), of.id.as_str(), of.name.as_str());
    let lives = saying!("request-seed-lives", session = session, automation = id, name = name);
    Err(MailRefusal::Conflict(lives).into())
}

/// The automations of the workspace including this draft.
fn list_automation_identities(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
) -> Result<Vec<AutomationIdentity>, TurnStop> {
    let rows = turn.ask(AutomationRowsQuestion)?;
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

fn compute_first_due(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    trigger: &Trigger,
) -> Result<Option<Timestamp>, RequestNotApplied> {
    let wrong = match turn.ask(NextDueQuestion { trigger: trigger.clone(), after: draft.now })?.clone() {
        Ok(None) if trigger.is_scheduled() => saying!("automation-never-due"),
        Ok(next_at) => return Ok(next_at),
        Err(why) => saying!("automation-trigger", why = why),
    };
    Err(MailRefusal::Invalid(wrong).into())
}

fn check_event(turn: &TurnContext<'_>, event: &str) -> Result<(), MailRefusal> {
    let (length, most) = (event.chars().count(), turn.memory.runtime.event_max_chars);
    if length > most {
        return Err(MailRefusal::Invalid(saying!("automation-event-long", length = length, most = most)));
    }
    let Err(why) = crate::json_value::parse(event) else { return Ok(()) };
    Err(MailRefusal::Invalid(saying!("automation-event-no-json", why = why.to_string())))
}

/// The properties of an automation that must be unique, even if its row cannot be read.
struct AutomationIdentity {
    id: AutomationId,
    name: String,
    seed: SessionId,
}
