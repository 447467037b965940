use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::id::{ApprovalId, CallId, Digest, MessageId, SessionId, WorkspaceKey};
use entracte_domain::message::{AiMessage, MessageBody, SystemKind};
use entracte_domain::question::Question;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Input, JournalNote, LogAppend, Phase, SessionKind};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use entracte_domain::validation::{
    ApprovalReason, Approver, ArgumentCondition, DecisionVerdict, RuleWidth, ValidationLevel, needs_person,
};

use super::agent_tree::{DelegationStep, delegation_chain, with_inherited_rights};
use super::{ReadLog, SessionView, ShowSession, UseCaseError};
use crate::attempt_costs::asks_model;
use crate::codec::WorkspaceBody;
use crate::commands::{
    CallAttempt, CallLookupContext, Catalog, CommandPipeline, MemoizedResourceReader, request_for, resolver,
    standing_approval_conditions, standing_approval_widths,
};
use crate::journal::JournalEntry;
use crate::ports::{ActionDescription, Clock, LogReader, ResourceReader, WorkspaceStore};
use crate::settings::{Language, WorkspaceLocale};
use crate::texts::{LocalizedTexts, ReaderLanguage, say};

/// One turn of a session: its entries since a message, and the decision it waits for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TurnView {
    /// The current session.
    pub session: SessionView,
    /// Number of rounds of this turn.
    pub rounds: u32,
    /// The last reply of the model in this turn.
    pub reply: Option<ModelReplyView>,
    /// The decision a person is asked for.
    pub waiting: Option<PendingDecision>,
    /// The chain from this session to the agent that waits for the decision; empty if the session itself waits.
    pub waits_in: Vec<DelegationStep>,
    /// The calls of this turn.
    pub calls: Vec<CallStatusView>,
    /// Token usage of this turn.
    pub usage: Usage,
    /// The failures of this turn, for people: errors of provider and network, limits.
    pub troubles: Vec<(SystemKind, String)>,
    /// The messages about failed providers that were replaced by a fallback, in order.
    pub fell_back: Vec<String>,
    /// The interruption of the turn, if nothing continued after it.
    pub halted: Option<TurnInterruption>,
    /// Whether a later chat replaced it in the slot queue, and nothing continued after that.
    pub replaced: bool,
}

/// The interruption of a turn by a person.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TurnInterruption {
    /// The person who interrupted.
    pub author: String,
    /// Whether they stopped the session's work; otherwise they interrupted the round.
    pub is_stop: bool,
}

/// A reply of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelReplyView {
    /// Unique id of the message.
    pub message: MessageId,
    /// The text of the reply.
    pub text: String,
    /// The planned steps, as last stated in this turn.
    pub plan: Vec<String>,
}

/// The decision a person is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingDecision {
    /// Approval of calls.
    Validation(Vec<ApprovalView>),
    /// An answer to a question.
    Question(Question),
}

/// A call that needs approval, described for people.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalView {
    /// Unique id of the approval.
    pub id: ApprovalId,
    /// The hash of the card, to which a decision is bound. `None` if the command was removed before it was known.
    pub digest: Option<Digest>,
    /// Whether the card changed since approval was requested: a new card must be shown before a decision.
    pub is_changed: bool,
    /// The calls of the same reply that finish before it starts.
    pub starts_after: Vec<CallId>,
    /// The call that needs approval.
    pub call: Call,
    /// A description of its current effect.
    pub description: ActionDescription,
    /// Why approval is needed.
    pub reasons: Vec<LocalizedReason>,
    /// The conditions that a standing approval created with the decision would require of later arguments; `None` if
    /// no such rule can be created, or it would not apply: where the policy hook asks, or named or several people must
    /// approve, each call is shown.
    pub always: Option<Vec<(String, ArgumentCondition)>>,
    /// The narrower standing approvals that the card offers, the narrowest first; empty where `always` is
    /// `None`.
    pub widths: Vec<RuleWidth>,
    /// How many calls of the same command people approved in a row without a change.
    pub approved_before: u32,
    /// When the approval expires.
    pub expires_at: Timestamp,
    /// The language of the texts.
    pub language: Language,
    /// The chain from the session that a person began to the requesting agent, included; empty if no agent requests
    /// it.
    pub chain: Vec<DelegationStep>,
}

/// The reason why one validation level requires approval, in the language of the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalizedReason {
    /// The validation level.
    pub level: ValidationLevel,
    /// The reason, for people.
    pub text: String,
}

impl LocalizedReason {
    /// The reasons in the order of a card.
    pub(super) fn for_card(reasons: &[ApprovalReason], texts: &LocalizedTexts) -> Vec<Self> {
        let localize =
            |reason: &ApprovalReason| Self { level: reason.level, text: texts.render_speech(&reason.text) };
        let mut localized: Vec<Self> = reasons.iter().map(localize).collect();
        localized.sort_by_key(|reason| reason.level.card_position());
        localized
    }
}

/// A call of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallStatusView {
    /// Unique id of the call.
    pub id: CallId,
    /// The name of the command.
    pub command: String,
    /// The stored word of its state.
    pub status: String,
}

/// Builds the views of turns.
pub(super) struct TurnViewBuilder {
    pub(super) store: Arc<dyn WorkspaceStore>,
    pub(super) log: Arc<dyn LogReader>,
    pub(super) rows: Arc<dyn ResourceReader>,
    pub(super) catalog: Arc<Catalog>,
    pub(super) clock: Arc<dyn Clock>,
    /// The language of cards and reasons; their digests have none.
    pub(super) reader: ReaderLanguage,
}

impl TurnViewBuilder {
    /// The turn made of the entries after that number.
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
            // A call that was requested earlier and ended in this turn is part of this turn.
            .filter(|row| row.sequence >= first || row.result_seq > Some(after))
            .map(|row| CallStatusView {
                id: row.id,
                command: row.command,
                status: row.state.word().to_owned(),
            })
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

    /// The pending decision of an agent below a session, and the chain to it; `None` if there is none.
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

    /// Whether a session waits for agents only, none of which continues without an action of a person.
    pub(super) async fn is_waiting_for_idle_agents(&self, view: &SessionView) -> Result<bool, UseCaseError> {
        let Some(batch) = view.phase.batch() else { return Ok(false) };
        let under_way: Vec<&Call> = batch.calls.iter().filter(|call| call.is_under_way()).collect();
        if under_way.is_empty() || !under_way.iter().all(|call| call.is_answered_by_agent()) {
            return Ok(false);
        }
        for child in view.facts.children.iter().filter(|child| !child.rests) {
            let Some(below) = self.child(view, &child.session).await? else { continue };
            let rests = is_idle(&below) || Box::pin(self.is_waiting_for_idle_agents(&below)).await?;
            // An agent that rests without a pending decision has reported to its parent, which continues.
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

    /// The pending decision of a session, with current descriptions.
    pub(super) async fn waiting(&self, view: &SessionView) -> Result<Option<PendingDecision>, UseCaseError> {
        if let Phase::WaitingCommunicationResponse { question, .. } = &view.phase {
            return Ok(Some(PendingDecision::Question(question.clone())));
        }
        // Expiry counts from the deadline, also before an owner has written it.
        let read_at = self.clock.now();
        let Some((batch, expires)) =
            view.phase.batch_awaiting_decision().filter(|(_, expires)| !expires.is_due(read_at))
        else {
            return Ok(None);
        };
        let body = WorkspaceBody::load(&*self.store, &view.facts.workspace).await?;
        let locale = body.settings.locale_for(self.reader);
        let texts = body.settings.texts_for(self.reader);
        let chain = delegation_chain(&self.store, &view.facts).await?;
        // An approval is bound to the card that a person reads here.
        let rows = MemoizedResourceReader::wrap(self.rows.clone());
        let mut items = Vec::new();
        for call in batch.undecided() {
            // Where a person must see each call, no rule would cover a later one.
            let coverable = self.catalog.find(&call.command.name).filter(|_| !needs_person(&call.reasons));
            let is_for_run = view.facts.kind.is_run();
            let now = self.current_card(view, &body, call, &rows).await?;
            let mut description = self.describe(view, &locale, call, &rows).await?;
            description.warnings.extend(self.describe_previous_approval(view, call, texts).await?);
            description.warnings.extend(describe_unattainable_approval(call, read_at, texts));
            items.push(ApprovalView {
                id: call.approval_id(),
                is_changed: call.card.is_some() && call.card != now,
                digest: call.card.clone().or(now),
                starts_after: batch.calls_before(call).map(|earlier| earlier.id.clone()).collect(),
                description,
                reasons: LocalizedReason::for_card(&call.reasons, texts),
                always: coverable.and_then(|known| standing_approval_conditions(known, call)),
                widths: coverable
                    .map(|known| standing_approval_widths(known, call, is_for_run))
                    .unwrap_or_default(),
                approved_before: body.approved.get(&call.command.name).copied().unwrap_or_default(),
                expires_at: expires.due_at,
                language: locale.language,
                chain: chain.clone(),
                call: call.clone(),
            });
        }
        Ok(Some(PendingDecision::Validation(items)))
    }

    /// Describes an earlier approval of a call that needs approval again, including that its edits were discarded.
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
                let arguments = edit.command.arguments.canonical();
                say!(texts, "approval-asked-again-edited", author = author, arguments = arguments)
            }
        }))
    }

    /// The digest of a call's card, if it were shown now.
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
            policy: None,
            now: self.clock.now(),
        };
        let pipeline = CommandPipeline { catalog, log, rows, has_policy_hook: false };
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

/// Says that too few people can approve a call at this instant; `None` if enough can.
fn describe_unattainable_approval(call: &Call, now: Timestamp, texts: &LocalizedTexts) -> Option<String> {
    let (required, most) = call.unattainable_approval(now)?;
    let named = required.named.iter().map(Approver::text).collect::<Vec<_>>().join(", ");
    Some(say!(texts, "approval-unattainable", quorum = required.quorum, most = most, named = named))
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

/// The last interruption, unless a round began after it.
fn halted(entries: &[JournalEntry]) -> Option<TurnInterruption> {
    let mut halted = None;
    for entry in entries {
        match &entry.input {
            Input::StopRequested { author, .. } => {
                halted = Some(TurnInterruption { author: author.clone(), is_stop: true });
            }
            Input::RoundInterrupted { author, .. } => {
                halted = Some(TurnInterruption { author: author.clone(), is_stop: false });
            }
            _ if entry.appended.iter().any(starts_round) => halted = None,
            _ => {}
        }
    }
    halted
}

/// The messages about failed providers, whichever provider finally answered.
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

/// The text of a reply for the reader: an agent that ends or asks by a call has its text in that call.
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
                | SystemKind::SessionTimeout
                | SystemKind::SpendingQuestion => {
                    troubles.push((system.kind, system.summary.to_plain_text().into_owned()));
                }
                _ => {}
            },
            // A reply clears earlier provider failures; a reached limit stays after the closing words.
            MessageBody::Ai(_) | MessageBody::Text(_)
                if message.author == entracte_domain::message::Author::Model =>
            {
                troubles.retain(|(kind, _)| {
                    !matches!(
                        kind,
                        SystemKind::NetworkError | SystemKind::ProviderError | SystemKind::SpendingQuestion
                    )
                })
            }
            _ => {}
        }
    }
    troubles
}
