use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::id::{ApprovalId, CallId, Digest, MessageId, SessionId, WorkspaceKey};
use entracte_domain::message::{AiMessage, MessageBody, SystemKind};
use entracte_domain::question::Question;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, JournalNote, LogAppend, Phase, SessionKind};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use entracte_domain::validation::{ApprovalReason, ArgumentCondition, DecisionVerdict, ValidationLevel};

use super::agent_tree::{DelegationStep, delegation_chain, with_inherited_rights};
use super::cost_report::asks_model;
use super::{ReadLog, SessionView, ShowSession, UseCaseError};
use crate::codec::WorkspaceBody;
use crate::commands::{
    CallAttempt, CallLookupContext, Catalog, CommandPipeline, MemoizedResourceReader, request_for, resolver,
    standing_approval_conditions,
};
use crate::journal::JournalEntry;
use crate::json_value::to_serde;
use crate::ports::{ActionDescription, Clock, LogReader, ResourceReader, WorkspaceStore};
use crate::settings::{Language, WorkspaceLocale};
use crate::texts::{LocalizedTexts, say};

/// One turn of a session: what came since a message, and what it waits for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TurnView {
    /// The session as it stands.
    pub session: SessionView,
    /// Rounds of this turn.
    pub rounds: u32,
    /// The last thing the model said in this turn.
    pub reply: Option<ModelReplyView>,
    /// What a person is asked.
    pub waiting: Option<PendingDecision>,
    /// Where it is asked, from this session to the agent below it that asks; empty where the session itself asks.
    pub waits_in: Vec<DelegationStep>,
    /// The calls of this turn.
    pub calls: Vec<CallStatusView>,
    /// Tokens of this turn.
    pub usage: Usage,
    /// What went wrong in this turn, for people: errors of provider and network, limits.
    pub troubles: Vec<(SystemKind, String)>,
    /// What people were told of providers that failed where others went on, in order.
    pub fell_back: Vec<String>,
    /// Who broke the turn off, when nothing went on after that.
    pub halted: Option<TurnInterruption>,
    /// A later chat took its place among those that wait for a slot, and nothing went on after that.
    pub replaced: bool,
}

/// A person broke a turn off.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnInterruption {
    /// The person.
    pub author: String,
    /// They stopped the session's work; else they interrupted the round.
    pub is_stop: bool,
}

/// What the model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReplyView {
    /// The message.
    pub message: MessageId,
    /// Its text.
    pub text: String,
    /// The steps that it plans, as it told them last in this turn.
    pub plan: Vec<String>,
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingDecision {
    /// Approval of calls.
    Validation(Vec<ApprovalView>),
    /// A question.
    Question(Question),
}

/// A call that needs approval, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalView {
    /// Its id.
    pub id: ApprovalId,
    /// Hash of what is asked: what a decision is bound to. None when the command is gone before it was known.
    pub digest: Option<Digest>,
    /// What would be done now is not what was asked: whoever decides gets another card first.
    pub is_changed: bool,
    /// The calls of the same reply that come to their end before it starts.
    pub starts_after: Vec<CallId>,
    /// The call.
    pub call: Call,
    /// What it would do now.
    pub description: ActionDescription,
    /// Why approval is needed.
    pub reasons: Vec<LocalizedReason>,
    /// What a standing approval given with the decision would ask of the arguments of later calls; none when it cannot be
    /// given with it.
    pub always: Option<Vec<(String, ArgumentCondition)>>,
    /// Until when it may be given.
    pub expires_at: Timestamp,
    /// The language that all of it is said in.
    pub language: Language,
    /// From the session that a person began to the agent that asks, itself last; empty where no agent asks.
    pub chain: Vec<DelegationStep>,
}

/// One level's reason to ask, in the words of the workspace's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalizedReason {
    /// Who asks.
    pub level: ValidationLevel,
    /// Why that level asks, as a person reads it.
    pub text: String,
}

impl LocalizedReason {
    pub(super) fn from_reason(reason: &ApprovalReason, texts: &LocalizedTexts) -> Self {
        Self { level: reason.level, text: texts.render_speech(&reason.text) }
    }
}

/// A call of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallStatusView {
    /// Its id.
    pub id: CallId,
    /// Its command.
    pub command: String,
    /// The word for its state.
    pub status: String,
}

/// Makes views of turns.
pub(super) struct TurnViewBuilder {
    pub(super) store: Arc<dyn WorkspaceStore>,
    pub(super) log: Arc<dyn LogReader>,
    pub(super) rows: Arc<dyn ResourceReader>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) clock: Arc<dyn Clock>,
}

impl TurnViewBuilder {
    /// The turn of the entries after that number.
    pub(super) async fn view(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<TurnView, UseCaseError> {
        let view = ShowSession::new(self.store.clone()).run(workspace, session).await?;
        let entries = ReadLog::new(self.log.clone()).entries(workspace, session, after).await?;
        let first = entries.first().map_or(u64::MAX, |entry| entry.sequence);
        let calls = self.log.calls(workspace, session).await?;
        let calls = calls
            .into_iter()
            // One that was asked for before and ended in this turn is news of this turn.
            .filter(|row| row.sequence >= first || row.result_seq > Some(after))
            .map(|row| CallStatusView { id: row.id, command: row.command, status: row.state })
            .collect();
        let (waiting, waits_in) = match self.waiting(&view).await? {
            Some(waiting) => (Some(waiting), Vec::new()),
            None => self
                .find_pending_in_agents(&view)
                .await?
                .map_or_else(Default::default, |(waiting, chain)| (Some(waiting), chain)),
        };
        Ok(TurnView {
            waits_in,
            rounds: rounds(&entries),
            reply: reply(&entries),
            waiting,
            calls,
            usage: usage(&entries),
            troubles: troubles(&entries),
            fell_back: fell_back(&entries),
            halted: halted(&entries),
            replaced: replaced(&entries),
            session: view,
        })
    }

    /// What a person is asked by an agent below a session, and the chain to it; none where none asks.
    async fn find_pending_in_agents(
        &self,
        view: &SessionView,
    ) -> Result<Option<(PendingDecision, Vec<DelegationStep>)>, UseCaseError> {
        for child in &view.facts.children {
            let Some(below) = self.child(view, &child.session).await? else { continue };
            if let Some(waiting) = self.waiting(&below).await? {
                return Ok(Some((waiting, delegation_chain(&self.store, &below.facts).await?)));
            }
            if let Some(found) = Box::pin(self.find_pending_in_agents(&below)).await? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether all that a session waits for are agents, none of which goes on before a person did something.
    pub(super) async fn is_waiting_for_idle_agents(&self, view: &SessionView) -> Result<bool, UseCaseError> {
        let Some(batch) = view.phase.batch() else { return Ok(false) };
        let under_way: Vec<&Call> = batch.calls.iter().filter(|call| call.is_under_way()).collect();
        if under_way.is_empty() || !under_way.iter().all(|call| call.is_answered_by_agent()) {
            return Ok(false);
        }
        for child in view.facts.children.iter().filter(|child| !child.rests) {
            let Some(below) = self.child(view, &child.session).await? else { continue };
            let rests = is_idle(&below) || Box::pin(self.is_waiting_for_idle_agents(&below)).await?;
            // One that rests without asking a person has told its parent, which goes on.
            if !rests || matches!(below.phase, Phase::Idle | Phase::Completed { .. }) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn child(
        &self,
        view: &SessionView,
        child: &SessionId,
    ) -> Result<Option<SessionView>, UseCaseError> {
        match ShowSession::new(self.store.clone()).run(&view.facts.workspace, child).await {
            Ok(view) => Ok(Some(view)),
            Err(UseCaseError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What a person is asked, in words as things are now.
    pub(super) async fn waiting(&self, view: &SessionView) -> Result<Option<PendingDecision>, UseCaseError> {
        if let Phase::WaitingCommunicationResponse { question, .. } = &view.phase {
            return Ok(Some(PendingDecision::Question(question.clone())));
        }
        // Expired is expired, also before an owner has written it.
        let now = self.clock.now();
        let Some((batch, expires)) =
            view.phase.batch_awaiting_decision().filter(|(_, expires)| !expires.is_due(now))
        else {
            return Ok(None);
        };
        let body = WorkspaceBody::load(&*self.store, &view.facts.workspace).await?;
        let locale = body.settings.locale();
        let texts = LocalizedTexts::for_language(locale.language);
        let chain = delegation_chain(&self.store, &view.facts).await?;
        // What a person reads here is what a yes to it is bound to.
        let rows = MemoizedResourceReader::wrap(self.rows.clone());
        let mut items = Vec::new();
        for call in batch.undecided() {
            let now = self.current_card(view, &body, call, &rows).await?;
            let mut description = self.describe(view, &locale, call, &rows).await?;
            description.warnings.extend(self.describe_previous_approval(view, call, texts).await?);
            items.push(ApprovalView {
                id: call.approval_id(),
                is_changed: call.card.is_some() && call.card != now,
                digest: call.card.clone().or(now),
                starts_after: batch
                    .calls_before(call)
                    .into_iter()
                    .map(|earlier| earlier.id.clone())
                    .collect(),
                description,
                reasons: call
                    .reasons
                    .iter()
                    .map(|reason| LocalizedReason::from_reason(reason, texts))
                    .collect(),
                always: self
                    .catalog
                    .find(&call.command.name)
                    .and_then(|known| standing_approval_conditions(known, call)),
                expires_at: expires.due_at,
                language: locale.language,
                chain: chain.clone(),
                call: call.clone(),
            });
        }
        Ok(Some(PendingDecision::Validation(items)))
    }

    /// Whoever approved a call that is asked about again is told so, also that what they changed of it is gone.
    async fn describe_previous_approval(
        &self,
        view: &SessionView,
        call: &Call,
        texts: &LocalizedTexts,
    ) -> Result<Option<String>, UseCaseError> {
        if call.withdrawn == 0 {
            return Ok(None);
        }
        let log = ReadLog::new(self.log.clone());
        let entries = log.entries_since(&view.facts.workspace, &view.facts.id, 0).await?;
        let said = |entry: &JournalEntry| {
            let Input::ValidationReceived { author, decisions } = &entry.input else { return None };
            let decision = decisions.iter().rev().find(|decision| decision.call == call.id)?;
            match &decision.verdict {
                DecisionVerdict::Approve { edited } => Some((author.clone(), edited.clone())),
                DecisionVerdict::Reject { .. } => None,
            }
        };
        Ok(entries.iter().rev().find_map(said).map(|(author, edited)| match edited {
            None => say!(texts, "approval-asked-again", author = author),
            Some(edit) => {
                let arguments = to_serde(&edit.command.arguments).to_string();
                say!(texts, "approval-asked-again-edited", author = author, arguments = arguments)
            }
        }))
    }

    /// The digest of a call's card, were it shown as things are now.
    async fn current_card(
        &self,
        view: &SessionView,
        body: &WorkspaceBody,
        call: &Call,
        rows: &Arc<dyn ResourceReader>,
    ) -> Result<Option<Digest>, UseCaseError> {
        let Some(known) = self.catalog.find(&call.command.name) else { return Ok(None) };
        let (catalog, log, rows) = (self.catalog.clone(), self.log.clone(), rows.clone());
        let facts = with_inherited_rights(&self.store, &view.facts).await?;
        let setting = CallLookupContext {
            facts: &facts,
            settings: &body.settings,
            rules: &body.rules,
            asked_by: &call.asked_by,
            acts_as: call.principal(),
            last_action_at: body.last_action_at,
            ai_request: false,
            now: self.clock.now(),
        };
        let pipeline = CommandPipeline { catalog, log, rows };
        let (_, card) = pipeline.card_now(setting, known, call, &call.command).await?;
        Ok(card)
    }

    async fn describe(
        &self,
        view: &SessionView,
        locale: &WorkspaceLocale,
        call: &Call,
        rows: &Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, UseCaseError> {
        let Some(known) = self.catalog.find(&call.command.name) else {
            let says = say!(
                LocalizedTexts::for_language(locale.language),
                "command-gone-card",
                command = &call.command.name
            );
            return Ok(ActionDescription { says, ..ActionDescription::default() });
        };
        let (attempt, now) = (CallAttempt::default(), self.clock.now());
        let request =
            request_for(&view.facts, call.principal(), locale.clone(), &call.id, &call.command, attempt, now);
        Ok(resolver::describe(known, request, rows).await?)
    }
}

/// Whether a session does nothing more by itself: it rests, waits for a person, or has ended.
pub(super) fn is_idle(view: &SessionView) -> bool {
    match &view.phase {
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingTask
        | Phase::Completed { .. } => true,
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::CompactingContext { .. } => view.facts.kind == SessionKind::Seed,
    }
}

fn rounds(entries: &[JournalEntry]) -> u32 {
    let started = entries.iter().flat_map(|entry| &entry.appended).filter(|appended| starts_round(appended));
    u32::try_from(started.count()).unwrap_or(u32::MAX)
}

fn starts_round(appended: &LogAppend) -> bool {
    match appended {
        LogAppend::Note(note) => matches!(note, JournalNote::RoundStarted { .. }),
        LogAppend::Message(_) => false,
    }
}

/// Who broke it off last, unless a round began after that.
fn halted(entries: &[JournalEntry]) -> Option<TurnInterruption> {
    let mut halted = None;
    for entry in entries {
        match &entry.input {
            Input::StopRequested { author, .. } => {
                halted = Some(TurnInterruption { author: author.clone(), is_stop: true });
            }
            Input::RoundInterrupted { author } => {
                halted = Some(TurnInterruption { author: author.clone(), is_stop: false });
            }
            _ if entry.appended.iter().any(starts_round) => halted = None,
            _ => {}
        }
    }
    halted
}

/// Whoever answered in the end: people read who failed on the way.
fn fell_back(entries: &[JournalEntry]) -> Vec<String> {
    let is_note = |one: &LogAppend| matches!(one, LogAppend::Note(JournalNote::FellBack { .. }));
    let fell_back = entries.iter().filter(|entry| entry.appended.iter().any(is_note));
    let words = fell_back.flat_map(JournalEntry::messages).filter_map(|message| match message.body {
        MessageBody::System(system) => Some(system.summary.to_plain_text().into_owned()),
        MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::Execution(_) => None,
    });
    words.collect()
}

fn reply(entries: &[JournalEntry]) -> Option<ModelReplyView> {
    let messages: Vec<_> = entries.iter().flat_map(JournalEntry::messages).collect();
    let plan = messages.iter().rev().find_map(|message| match &message.body {
        MessageBody::Ai(said) if !said.plan.is_empty() => Some(said.plan.clone()),
        _ => None,
    });
    let plan = plan.unwrap_or_default();
    messages
        .into_iter()
        .rev()
        .find_map(|message| match (&message.author, message.body) {
            (entracte_domain::message::Author::Model, MessageBody::Ai(said)) => {
                Some((message.id, words(said)))
            }
            (entracte_domain::message::Author::Model, MessageBody::Text(text)) => {
                Some((message.id, text.to_plain_text().into_owned()))
            }
            _ => None,
        })
        .map(|(message, text)| ModelReplyView { message, text, plan })
}

/// What the model says to whoever reads: an agent that ends or asks in a call says it there.
fn words(said: AiMessage) -> String {
    let told = said.exit.map(|exit| exit.conclusion).or_else(|| said.asks.map(|asks| asks.question));
    match told {
        Some(told) if said.pre_text.trim().is_empty() => told,
        Some(_) | None => said.pre_text,
    }
}

fn replaced(entries: &[JournalEntry]) -> bool {
    let lost_place = |appended: &LogAppend| matches!(appended, LogAppend::Note(JournalNote::ReplacedInQueue));
    let mut told = entries.iter().flat_map(|entry| &entry.appended);
    told.rfind(|appended| lost_place(appended) || starts_round(appended)).is_some_and(lost_place)
}

fn usage(entries: &[JournalEntry]) -> Usage {
    let mut sum = Usage::default();
    for entry in entries {
        let known = match &entry.input {
            Input::AiResponseReceived(response) => Some(response.usage),
            Input::ProviderErrorOccurred { failure, usage, .. } => match failure.class {
                FailureClass::Lost => Some(*usage),
                _ => usage.map(Some),
            },
            Input::ContextCompacted { summary, usage, .. } => {
                (usage.is_some() || asks_model(summary.method)).then_some(*usage)
            }
            Input::CompactionFailed { usage, .. } => Some(*usage),
            _ => None,
        };
        match known {
            Some(Some(usage)) => sum.add(usage),
            Some(None) => sum.add_unknown_attempt(),
            None => {}
        }
    }
    sum
}

fn troubles(entries: &[JournalEntry]) -> Vec<(SystemKind, String)> {
    let mut troubles = Vec::new();
    for message in entries.iter().flat_map(JournalEntry::messages) {
        match message.body {
            MessageBody::System(system) => match system.kind {
                SystemKind::LimitReached
                | SystemKind::NetworkError
                | SystemKind::ProviderError
                | SystemKind::SessionTimeout => {
                    troubles.push((system.kind, system.summary.to_plain_text().into_owned()));
                }
                _ => {}
            },
            // Who was reached after all has no trouble any more; a limit stays one after its closing words.
            MessageBody::Ai(_) | MessageBody::Text(_)
                if message.author == entracte_domain::message::Author::Model =>
            {
                troubles
                    .retain(|(kind, _)| !matches!(kind, SystemKind::NetworkError | SystemKind::ProviderError))
            }
            _ => {}
        }
    }
    troubles
}
