//! Answers the fact requests of a turn through the ports.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use entracte_domain::call::CallFailure;
use entracte_domain::command::CallTask;
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::{CallLookup, RequestedCall};
use entracte_domain::time::Timestamp;
use futures_util::FutureExt;

use super::data_sections;
use super::error::TurnError;
use super::loaded_workspace::LoadedWorkspace;
use super::overlay::ResourceOverlay;
use super::prefix_cache::PrefixAudience;
use super::turn::{CardDigestRequest, EntryRange, FactRequest, OverlaidRows, TurnFacts};
use crate::codec::{decode_entry, decode_snapshot};
use crate::commands::enrichments::{EnrichmentSentenceWriter, SentenceAudience};
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::journal::JournalEntry;
use crate::ports::{
    ActionPlan, ActionPlanError, CallRequest, ResourceFilter, ResourceReader, SessionFilter, SessionRow,
    StoreError, TaskFilter,
};
use crate::texts::{LocalizedTexts, say};

/// Rows read per page.
const PAGE: u32 = 500;

impl LoadedWorkspace {
    /// Answers one fact request of a turn.
    pub(super) async fn answer_fact_request(
        &self,
        need: FactRequest,
        known: &mut TurnFacts,
    ) -> Result<(), TurnError> {
        let (services, key) = (&self.services, self.key());
        let (store, log) = (&services.store, &services.log);
        match need {
            FactRequest::Sessions(ids) => {
                for id in ids {
                    let row = self.session_row(&id).await?;
                    known.sessions.insert(id, row);
                }
            }
            FactRequest::Taken(id) => known.taken.put(id.clone(), store.session_id_exists(&id).await?),
            FactRequest::Due(now) => {
                let due = run_between_failpoints(FailpointOperation::WakeUp, store.due_sessions_in(key, now))
                    .await?;
                known.due.put(now, due);
            }
            FactRequest::Waiting => known.waiting.put((), self.waiting().await?),
            FactRequest::Call(id) => {
                let row = log.call(key, &id).await?;
                known.call.put(id, row);
            }
            FactRequest::Calls(session) => {
                let rows = log.calls(key, &session).await?;
                known.calls.put(session, rows);
            }
            FactRequest::Entry(seq) => known.entry.put(seq, log.entry(key, seq).await?),
            FactRequest::Entries(up_to) => {
                let entries = self.read_entries(&up_to).await?;
                known.entries.put(up_to, entries);
            }
            FactRequest::Keyed((session, client_key)) => {
                let row = log.entry_by_client_key(key, &session, &client_key).await?;
                known.keyed.put((session, client_key), row.map(|row| row.sequence));
            }
            FactRequest::Receipts(keys) => {
                let rows = store.receipts(key, &keys).await?;
                for named in keys {
                    let row = rows.iter().find(|row| row.key == named).cloned();
                    known.receipts.put(named, row);
                }
            }
            FactRequest::Blob((session, digest)) => {
                let bytes = log.blob(key, &session, &digest).await?;
                known.blobs.put((session, digest), bytes);
            }
            FactRequest::MadeData(id) => {
                known.made_data.put(id.clone(), self.has_data_of_session(&id).await?)
            }
            FactRequest::Instructions(scopes) => {
                let latest = log.instructions(key, &scopes).await?;
                known.instructions.put(scopes, latest);
            }
            FactRequest::Sections(rows) => {
                let sections = self.read_sections(&rows).await?;
                known.sections.put(rows, sections.into());
            }
            FactRequest::LookUp(look_up) => {
                let setting = look_up.looking.as_context();
                let before = self.sessions.get(&setting.facts.id).map(|live| &live.before);
                let calls = self.pipeline.look_up(setting, look_up.asked.clone(), before).await?;
                let calls = self.assign_task_ids(calls);
                known.look_ups.put(look_up, calls);
            }
            FactRequest::Recheck(waiting) => {
                let changed = self.pipeline.recheck(waiting.looking.as_context(), &waiting.calls).await?;
                known.rechecks.put(waiting, changed);
            }
            FactRequest::Card(card) => {
                let digest = self.card(&card).await?;
                known.cards.put(card, digest);
            }
            FactRequest::Plan(request) => {
                let plan = self.plan_command(&request).await?;
                known.plans.put(request, plan);
            }
            FactRequest::Sentence(asked) => {
                let (locale, meant) = &*asked;
                let namer =
                    EnrichmentSentenceWriter::new(&*services.rows, key, locale, SentenceAudience::Model);
                let sentence = namer.sentence(meant).await?;
                known.sentences.put(asked, sentence);
            }
            FactRequest::Automations => {
                known.automations.put((), services.automations.automations(key).await?);
            }
            FactRequest::Decided((id, at)) => {
                let is_decided = self.is_decided(&id, at).await?;
                known.decided.put((id, at), is_decided);
            }
            FactRequest::Occurrence(asked) => {
                let (id, trigger, at) = *asked;
                let next = services.calculator.next(&trigger, at).map_err(|error| error.saying());
                let is_decided = self.is_decided(&id, at).await?;
                known.occurrences.insert((id, at), (trigger, is_decided, next));
            }
            FactRequest::NextDue((trigger, after)) => {
                let next = services.calculator.next(&trigger, after).map_err(|error| error.saying());
                known.next_due.put((trigger, after), next);
            }
            FactRequest::Encoding(provider) => {
                let found = services.providers.provider(&provider);
                let encoding = found.map(|found| found.encoding()).map_err(|failure| failure.message);
                known.encodings.put(provider, encoding);
            }
            FactRequest::Window((provider, model)) => {
                let found = services.providers.provider(&provider).ok();
                let window = found.map(|found| found.window(&model));
                known.windows.put((provider, model), window);
            }
            FactRequest::Audiences => known.audiences.put((), self.open_audiences().await?),
            FactRequest::Task(id) => known.tasks.put(id.clone(), services.tasks.task(key, &id).await?),
            FactRequest::OpenTasks(session) => {
                let filter =
                    TaskFilter { session: Some(session.clone()), open: true, ..TaskFilter::default() };
                known.open_tasks.put(session, services.tasks.tasks(key, filter).await?);
            }
            FactRequest::DueTasks(now) => {
                known.due_tasks.put(now, services.tasks.due_tasks(key, now).await?);
            }
            FactRequest::TaskTold((task, webhook_id)) => {
                let row = services.tasks.arrival(key, &task, &webhook_id).await?;
                known.told_tasks.put((task, webhook_id), row.is_some());
            }
            FactRequest::UnderWay(sessions) => {
                let (under_way, passed) = (self.under_way(), services.clock.monotonic());
                let has_limit = |session: &&SessionId| under_way.has_limit_ahead(session, passed);
                let limited = sessions.iter().filter(has_limit).cloned().collect();
                known.under_way.put(sessions, limited);
            }
            FactRequest::NewSession => known.new_sessions.put(services.ids.session()),
            FactRequest::NewKey => known.new_keys.put(services.ids.key()),
            FactRequest::Jitter => known.jitters.put(services.ids.jitter(services.settings.jitter)),
        }
        Ok(())
    }

    /// The row of a session, or why it cannot be read, which need not end the turn.
    async fn session_row(&self, id: &SessionId) -> Result<Result<Option<SessionRow>, String>, TurnError> {
        match self.services.store.session(self.key(), id).await {
            Ok(row) => Ok(Ok(row)),
            Err(StoreError::Inconsistent(why)) => Ok(Err(why)),
            Err(fault @ StoreError::Unavailable(_)) => Err(fault.into()),
        }
    }

    async fn waiting(&self) -> Result<Vec<SessionId>, TurnError> {
        let workspace = Some(self.key().clone());
        let filter = SessionFilter { workspace, waiting: true, open: true, ..SessionFilter::default() };
        let lines = self.services.log.session_list(&filter).await?;
        Ok(lines.into_iter().map(|line| line.id).collect())
    }

    /// The prefix audiences of the open sessions. A seed stands for the runs of its automation.
    async fn open_audiences(&self) -> Result<Vec<PrefixAudience>, TurnError> {
        let workspace = Some(self.key().clone());
        let filter = SessionFilter { workspace, open: true, ..SessionFilter::default() };
        let mut audiences: Vec<PrefixAudience> = Vec::new();
        for row in self.services.log.sessions(&filter).await? {
            // The doctor reports a session that cannot be read; it blocks nothing else.
            let Ok(snapshot) = decode_snapshot(&row.body) else { continue };
            let audience = PrefixAudience::of_session(&snapshot.facts).without_own_scopes();
            if !audiences.contains(&audience) {
                audiences.push(audience);
            }
        }
        Ok(audiences)
    }

    async fn read_entries(&self, up_to: &EntryRange) -> Result<Vec<JournalEntry>, TurnError> {
        let mut entries = Vec::new();
        let mut after = 0;
        loop {
            let rows = self.services.log.entries(self.key(), &up_to.session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(entries) };
            after = last.seq;
            for row in &rows {
                if row.sequence > up_to.at {
                    return Ok(entries);
                }
                entries.push(decode_entry(row)?);
            }
        }
    }

    /// Whether a deleted session of that id created data that still exists. Ids of calls and of their data derive
    /// from the session's, so a new session of the same id would produce them again.
    async fn has_data_of_session(&self, id: &SessionId) -> Result<bool, TurnError> {
        let mark = format!("_{}_", id.stem());
        for kind in data_sections::KINDS {
            let mut filter =
                ResourceFilter { kind: kind.into(), limit: Some(PAGE), ..ResourceFilter::default() };
            loop {
                let rows = self.services.rows.resources(self.key(), &filter).await?;
                if rows.iter().any(|row| row.id.contains(&mark)) {
                    return Ok(true);
                }
                if rows.len() < PAGE as usize {
                    break;
                }
                filter.offset = filter.offset.saturating_add(PAGE);
            }
        }
        Ok(false)
    }

    async fn read_sections(&self, rows: &OverlaidRows) -> Result<Vec<data_sections::DataSection>, TurnError> {
        let overlay = ResourceOverlay::new(self.services.rows.clone(), self.key(), &rows.changes);
        Ok(data_sections::read_sections(&overlay, &rows.settings, &self.services.settings).await?)
    }

    async fn card(&self, card: &CardDigestRequest) -> Result<Option<entracte_domain::id::Digest>, TurnError> {
        let CardDigestRequest { looking, call, command } = card;
        let Some(known) = self.pipeline.catalog.find(&command.name) else { return Ok(None) };
        let (_, digest) = self.pipeline.card_now(looking.as_context(), known, call, command).await?;
        Ok(digest)
    }

    /// Assigns task ids to calls that become tasks. They are drawn here, so that they cannot be guessed.
    fn assign_task_ids(&self, mut calls: Vec<RequestedCall>) -> Vec<RequestedCall> {
        for call in &mut calls {
            let CallLookup::Known { terms, .. } = &mut call.lookup else { continue };
            let spec = self.services.catalog.find(&call.command.name).and_then(|known| known.spec.task);
            terms.task =
                spec.map(|spec| CallTask { id: self.services.ids.task(), is_registered: spec.is_registered });
        }
        calls
    }

    /// The changes a local command would make, or why it cannot be done.
    async fn plan_command(
        &self,
        request: &CallRequest,
    ) -> Result<Result<ActionPlan, CallFailure>, TurnError> {
        let name = &request.command.name;
        let Some(known) = self.services.catalog.find(name) else {
            let texts = LocalizedTexts::for_language(request.locale.language);
            let message = say!(texts, "command-gone", command = name);
            return Ok(Err(failure("UNKNOWN_COMMAND", message)));
        };
        let rows: Arc<dyn ResourceReader> = self.services.rows.clone();
        let work = known.executor.plan(request.clone(), rows);
        let planned = AssertUnwindSafe(run_between_failpoints(FailpointOperation::PlanCommand, work))
            .catch_unwind()
            .await;
        match planned {
            Ok(Ok(plan)) => Ok(Ok(plan)),
            Ok(Err(ActionPlanError::Refused(failure))) => Ok(Err(failure)),
            Ok(Err(ActionPlanError::Store(error))) => Err(error.into()),
            Err(_) => {
                tracing::error!(call = %request.call, command = name, "the executor panicked while it planned");
                let texts = LocalizedTexts::for_language(request.locale.language);
                Ok(Err(failure("EXECUTOR_ERROR", say!(texts, "call-panicked"))))
            }
        }
    }

    async fn is_decided(&self, id: &AutomationId, at: Timestamp) -> Result<bool, TurnError> {
        let after = Timestamp(at.0.saturating_add(1));
        let rows = self.services.automations.occurrences(self.key(), id, Some(after), 1).await?;
        Ok(rows.first().is_some_and(|row| row.at == at))
    }
}

fn failure(code: &str, message: String) -> CallFailure {
    CallFailure { code: code.to_owned(), message, path: None, retryable: false }
}
