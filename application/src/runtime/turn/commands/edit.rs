//! What a request may read and change: the whole turn for reading, and only these parts of the draft for writing.

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::automation::{Automation, SkipReason};
use entracte_domain::call::Call;
use entracte_domain::command::Command;
use entracte_domain::id::{AutomationId, CallId, Digest, RoundAttempt, SessionId, TaskId};
use entracte_domain::session::{
    AlwaysSendSection, ApprovalRecheck, IgnoreReason, Input, Phase, SessionFacts, StoppedReply,
};
use entracte_domain::spending::{SpendingAmount, SpendingQuestion};
use entracte_domain::task::{Task, TaskUpdate, TaskUpdateVerdict};
use entracte_domain::validation::{ExchangePrincipal, RuleScope, StandingApprovalRule};

use crate::instructions::{InstructionScope, InstructionVersion};
use crate::journal::OccurrenceOutcome;
use crate::mail::{Mail, MailAnswer, MailRefusal, NewSessionRequest};
use crate::ports::{TaskArrivalRow, TriageChange, TriageRows};
use crate::retention::{RetentionHold, RetentionStep};
use crate::runtime::partial_reply::stopped_reply;
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::session_draft::SessionDraft;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::prefix::{
    begin_generation, check_prefix_size, current_sections, read_instructions,
};
use crate::runtime::turn::questions::{ShownTextQuestion, TriageQuestion};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::runtime::turn::schedule::{AutomationRunRequest, begin_run, skip_due};
use crate::runtime::turn::session_copy::{SessionForkPlan, SessionImportPlan, fork_session, import_session};
use crate::runtime::turn::session_creation::{FirstMessage, start_session, start_with_message};
use crate::runtime::turn::session_kinds::{is_manual_call_session, is_seed};
use crate::runtime::turn::standing_rules::{
    StandingRuleRequest, build_standing_rule, revoke_rule, store_rules,
};
use crate::runtime::turn::{
    deletion, family, lookups, placement, rechecks, refresh, retention, settlement, soft_lines, tasks,
};
use crate::settings::WorkspaceSettings;
use crate::texts::{LocalizedMessage, LocalizedTexts, ReaderLanguage, saying};

/// One session of the draft, as a request to it may change it.
pub(super) struct SessionDraftEdit<'e> {
    turn: &'e TurnContext<'e>,
    draft: &'e mut TurnDraft,
    session: &'e SessionId,
    may_approve: bool,
    reader: ReaderLanguage,
}

impl<'e> SessionDraftEdit<'e> {
    /// Puts the session into the draft, or refuses the request because the workspace has no such session.
    pub(super) fn open(
        turn: &'e TurnContext<'e>,
        draft: &'e mut TurnDraft,
        session: &'e SessionId,
        mail: &Mail,
    ) -> Result<Self, RequestNotApplied> {
        match placement::draft_session(turn, draft, session)? {
            true => {
                let Mail { may_approve, reader, .. } = *mail;
                Ok(Self { turn, draft, session, may_approve, reader })
            }
            false => Err(MailRefusal::no_session(session).into()),
        }
    }

    pub(super) fn turn(&self) -> &'e TurnContext<'e> {
        self.turn
    }

    pub(super) fn draft(&self) -> &TurnDraft {
        self.draft
    }

    pub(super) fn session(&self) -> &'e SessionId {
        self.session
    }

    /// Whether the requester has the scope `approve`.
    pub(super) fn may_approve(&self) -> bool {
        self.may_approve
    }

    /// The texts of a refusal, in the language of the requester.
    pub(super) fn refusal_texts(&self) -> &'static LocalizedTexts {
        self.draft.body.settings.texts_for(self.reader)
    }

    /// Facts and phase of the session.
    pub(super) fn drafted(&self) -> Result<&SessionDraft, TurnStop> {
        let drafted = self.draft.sessions.get(self.session);
        drafted.ok_or_else(|| TurnStop::missing_session(self.session))
    }

    /// The reply that the session's model is writing, as far as it was shown; `None` if nothing was.
    pub(super) fn shown_reply(&self) -> Result<Option<StoppedReply>, TurnStop> {
        let drafted = self.drafted()?;
        let Phase::CallingAi(round) = &drafted.phase else { return Ok(None) };
        let shown = self.turn.ask(ShownTextQuestion(self.session.clone()))?;
        let number = RoundAttempt { round: round.number, attempt: round.attempt };
        Ok(stopped_reply(drafted.facts.dialect, number, shown))
    }

    /// Whether it is the template of runs, which has no conversation.
    pub(super) fn is_seed(&self) -> bool {
        is_seed(self.draft, self.session)
    }

    /// Whether it runs people's manual calls, and so has no conversation either.
    pub(super) fn is_manual_call_session(&self) -> bool {
        is_manual_call_session(self.draft, self.session)
    }

    /// The answer to a request that was applied.
    pub(super) fn accept(&self) -> MailAnswer {
        MailAnswer::accept_message(None, self.session)
    }

    /// Applies an input; returns why the state machine ignored it, if it did.
    pub(super) fn apply_input(&mut self, input: Input) -> Result<Option<IgnoreReason>, TurnStop> {
        Ok(self.draft.apply_input(self.session, input, self.turn.memory.rules)?)
    }

    /// Applies an input, or refuses the request because the state machine ignores it. `not_applicable` is the text key
    /// for an input that does not fit the state of the session. A duplicate is accepted.
    pub(super) fn apply_or_refuse(
        &mut self,
        input: Input,
        not_applicable: &'static str,
    ) -> Result<MailAnswer, RequestNotApplied> {
        match self.apply_input(input)? {
            None => Ok(self.accept()),
            Some(ignored) => self.answer_ignored(ignored, not_applicable),
        }
    }

    /// Applies an input that is a message, and names the message in the answer.
    pub(super) fn apply_message(&mut self, input: Input) -> Result<MailAnswer, RequestNotApplied> {
        if let Some(ignored) = self.apply_input(input)? {
            return self.answer_ignored(ignored, "request-not-applicable");
        }
        let sequence = self.drafted()?.facts.sequence;
        Ok(MailAnswer::accept_message(Some(self.session.message_id(sequence, 0)), self.session))
    }

    /// The answer to a request whose input the state machine ignored.
    pub(super) fn answer_ignored(
        &self,
        ignored: IgnoreReason,
        not_applicable: &'static str,
    ) -> Result<MailAnswer, RequestNotApplied> {
        let session = self.session;
        let refusal = match ignored {
            IgnoreReason::Duplicate => return Ok(self.accept()),
            IgnoreReason::Conflict => {
                MailRefusal::Conflict(saying!("request-conflict", session = session.as_str()))
            }
            IgnoreReason::FourEyes(objection) => MailRefusal::FourEyes(objection),
            IgnoreReason::Ended => MailRefusal::Ended(session.clone()),
            IgnoreReason::QueueFull => MailRefusal::QueueFull,
            IgnoreReason::NeverRun => MailRefusal::NotApplicable(saying!("request-never-run")),
            IgnoreReason::Stale | IgnoreReason::NotApplicable | IgnoreReason::NotDue => {
                let session = session.as_str().into();
                MailRefusal::NotApplicable(LocalizedMessage::new(not_applicable, vec![("session", session)]))
            }
        };
        Err(refusal.into())
    }

    /// Gives the session what changed since it was last touched.
    pub(super) fn refresh(&mut self) -> Result<(), TurnStop> {
        refresh::refresh_session(self.turn, self.draft, self.session)
    }

    /// Checks again which approval its waiting calls need.
    pub(super) fn recheck(&mut self) -> Result<(), TurnStop> {
        rechecks::recheck_session(self.turn, self.draft, self.session).map(drop)
    }

    /// The changes in the approval that the calls of this phase would need with these facts.
    pub(super) fn find_rechecks(
        &mut self,
        facts: &Arc<SessionFacts>,
        phase: &Phase,
    ) -> Result<Vec<ApprovalRecheck>, TurnStop> {
        rechecks::find_rechecks(self.turn, self.draft, facts, phase)
    }

    /// The facts of the session without rights that a session above it has lost.
    pub(super) fn restrict_to_current_rights(
        &mut self,
        facts: &Arc<SessionFacts>,
    ) -> Result<Arc<SessionFacts>, TurnStop> {
        rechecks::restrict_to_current_rights(self.turn, self.draft, facts)
    }

    /// Whether a command would pass words of the speakers to an agent that works for other people.
    pub(super) fn crosses_principals(
        &mut self,
        facts: &SessionFacts,
        speakers: &ExchangePrincipal,
        command: &Command,
    ) -> Result<bool, TurnStop> {
        family::crosses_principals(self.turn, self.draft, facts, speakers, command)
    }

    /// The frozen prefix of a generation that begins now for this audience. A prefix that leaves too little of the
    /// budget is refused if `is_checked`.
    pub(super) fn begin_generation(
        &mut self,
        audience: &PrefixAudience,
        is_checked: bool,
    ) -> Result<(Digest, Vec<AlwaysSendSection>), RequestNotApplied> {
        let sections = current_sections(self.turn, self.draft)?;
        if is_checked {
            check_prefix_size(self.turn, self.draft, audience)?;
        }
        Ok(begin_generation(self.turn, self.draft, audience, &sections)?)
    }

    /// The standing rule that a decision creates, or the id of the same one among those that were just made.
    pub(super) fn build_standing_rule(
        &mut self,
        author: &str,
        wanted: StandingRuleRequest<'_>,
        call: &Call,
        made: &mut Vec<StandingApprovalRule>,
    ) -> Result<String, RequestNotApplied> {
        build_standing_rule(self.turn, self.draft, author, wanted, call, made)
    }

    /// Lets the sessions under a cap use so much more of it.
    pub(super) fn raise_spending_line(
        &mut self,
        question: &SpendingQuestion,
        extra: SpendingAmount,
    ) -> Result<(), TurnStop> {
        soft_lines::raise_line(self.turn, self.draft, self.session, question, extra)
    }

    /// The people who asked for the work that a spending question is about: of this session, and of each other run that rests at
    /// the same line.
    pub(super) fn requesters_at_same_line(
        &mut self,
        question: &SpendingQuestion,
    ) -> Result<Vec<ExchangePrincipal>, TurnStop> {
        let runs = soft_lines::runs_at_same_line(self.turn, self.draft, self.session, question)?;
        let sessions =
            runs.iter().chain([self.session]).filter_map(|session| self.draft.sessions.get(session));
        Ok(sessions.map(|drafted| drafted.facts.asked_by.clone()).collect())
    }

    /// Gives the answer to a spending question to the other runs that rest at the same line.
    pub(super) fn answer_runs_at_same_line(
        &mut self,
        question: &SpendingQuestion,
        answer: &Input,
    ) -> Result<(), TurnStop> {
        for run in soft_lines::runs_at_same_line(self.turn, self.draft, self.session, question)? {
            refresh::refresh_session(self.turn, self.draft, &run)?;
            self.turn.apply_input(self.draft, &run, answer.clone())?;
        }
        Ok(())
    }

    /// Counts a decision on calls of each of these commands, with whether it approves all of them without a change; stores
    /// the rules made with the decisions, and uses up the link they were made with.
    pub(super) fn finish_decisions(
        &mut self,
        counted: &BTreeMap<String, bool>,
        rules: Vec<StandingApprovalRule>,
        link: Option<&Digest>,
    ) {
        for (command, is_unchanged) in counted {
            self.draft.body.count_decision(command, *is_unchanged);
        }
        store_rules(self.turn, self.draft, rules);
        self.draft.spent_links.extend(link.cloned());
    }

    /// Stops all agents that work for the session.
    pub(super) fn stop_agents(&mut self, author: &str) -> Result<(), TurnStop> {
        family::stop_agents_below(self.turn, self.draft, self.session, author)
    }

    /// Records a person's finding about a call of unknown outcome in the ledger and in its task.
    pub(super) fn record_settlement(&mut self, call: &CallId, happened: bool) -> Result<(), TurnStop> {
        settlement::mark_settled(self.turn, self.draft, call, happened)?;
        tasks::follow_settled(self.turn, self.draft, call, happened)
    }

    /// Creates a session that branches off from this one.
    pub(super) fn fork(&mut self, fork: &SessionForkPlan<'_>) -> Result<MailAnswer, RequestNotApplied> {
        fork_session(self.turn, self.draft, self.session, fork)
    }

    /// Deletes the session and the sessions of its agents.
    pub(super) fn delete(&mut self, author: &str) -> Result<MailAnswer, RequestNotApplied> {
        deletion::delete_session(self.turn, self.draft, self.session, author)
    }
}

/// The workspace in the draft, as a request to it may change it.
pub(super) struct WorkspaceDraftEdit<'e> {
    turn: &'e TurnContext<'e>,
    draft: &'e mut TurnDraft,
    may_approve: bool,
    reader: ReaderLanguage,
}

impl<'e> WorkspaceDraftEdit<'e> {
    pub(super) fn new(turn: &'e TurnContext<'e>, draft: &'e mut TurnDraft, mail: &Mail) -> Self {
        let Mail { may_approve, reader, .. } = *mail;
        Self { turn, draft, may_approve, reader }
    }

    pub(super) fn turn(&self) -> &'e TurnContext<'e> {
        self.turn
    }

    pub(super) fn draft(&self) -> &TurnDraft {
        self.draft
    }

    /// Whether the requester has the scope `approve`.
    pub(super) fn may_approve(&self) -> bool {
        self.may_approve
    }

    /// The texts of a refusal, in the language of the requester.
    pub(super) fn refusal_texts(&self) -> &'static LocalizedTexts {
        self.draft.body.settings.texts_for(self.reader)
    }

    /// Puts a session into the draft; `false` if the workspace has no such session.
    pub(super) fn draft_session(&mut self, session: &SessionId) -> Result<bool, TurnStop> {
        placement::draft_session(self.turn, self.draft, session)
    }

    /// Requests all of these sessions together, so that the turn stops once for all of them.
    pub(super) fn request_sessions(&self, sessions: &[SessionId]) -> Result<(), TurnStop> {
        placement::request_sessions_together(self.turn, self.draft, sessions)
    }

    /// Creates a session; one that exists already is accepted.
    pub(super) fn start_session(&mut self, new: &NewSessionRequest) -> Result<MailAnswer, RequestNotApplied> {
        start_session(self.turn, self.draft, new)
    }

    /// Creates a session with its first message, or neither.
    pub(super) fn start_with_message(
        &mut self,
        new: &NewSessionRequest,
        first: &FirstMessage<'_>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        start_with_message(self.turn, self.draft, new, first)
    }

    /// Creates a session from an exported one.
    pub(super) fn import_session(
        &mut self,
        import: &SessionImportPlan<'_>,
    ) -> Result<MailAnswer, RequestNotApplied> {
        import_session(self.turn, self.draft, import)
    }

    /// Deletes a session that only this workspace's automation used.
    pub(super) fn delete_seed(&mut self, seed: &SessionId) -> Result<(), TurnStop> {
        if self.draft_session(seed)? {
            self.draft.delete(seed);
        }
        Ok(())
    }

    /// Makes sure that this commit creates the row of a new workspace.
    pub(super) fn create_if_new(&mut self) {
        self.draft.is_body_changed |= self.draft.expected_seq.is_none();
    }

    /// Replaces the holds of the workspace.
    pub(super) fn change_holds(&mut self, holds: Vec<RetentionHold>) {
        self.draft.body.holds = holds;
        self.draft.is_body_changed = true;
    }

    /// What people noted about inbox items, with the changes of this turn.
    pub(super) fn read_triage(&self) -> Result<TriageRows, TurnStop> {
        let mut rows = self.turn.ask(TriageQuestion)?.clone();
        self.draft.triage.iter().for_each(|change| rows.apply(change.clone()));
        Ok(rows)
    }

    /// Adds changes of what people noted about inbox items.
    pub(super) fn change_triage(&mut self, changes: Vec<TriageChange>) {
        self.draft.triage.extend(changes);
    }

    /// Removes what goes by the retention policy; returns the positions of the steps that apply.
    pub(super) fn apply_retention(&mut self, steps: &[RetentionStep]) -> Result<Vec<u32>, TurnStop> {
        retention::apply_steps(self.turn, self.draft, steps)
    }

    pub(super) fn change_settings(&mut self, settings: WorkspaceSettings) {
        self.draft.body.settings = settings;
        self.draft.is_body_changed = true;
    }

    /// Checks the calls of all waiting sessions again after this request.
    pub(super) fn queue_rechecks(&mut self) -> Result<(), TurnStop> {
        rechecks::queue_rechecks(self.turn, self.draft)
    }

    /// An unguessable id for a new rule.
    pub(super) fn draw_rule_id(&mut self) -> Result<String, TurnStop> {
        lookups::draw_rule_id(self.turn, self.draft)
    }

    pub(super) fn store_rule(&mut self, rule: StandingApprovalRule) {
        store_rules(self.turn, self.draft, vec![rule]);
    }

    /// Revokes a rule; returns whether it was open, or `None` if there is no such rule.
    pub(super) fn revoke_rule(&mut self, author: &str, id: &str) -> Option<bool> {
        revoke_rule(self.draft, author, id)
    }

    /// The latest versions of the instructions of these scopes, in scope order.
    pub(super) fn read_instructions(
        &mut self,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, TurnStop> {
        read_instructions(self.turn, self.draft, scopes)
    }

    /// Adds a version of instructions.
    pub(super) fn append_instructions(&mut self, version: InstructionVersion) {
        self.draft.instructions.push(version);
    }

    /// Checks the prefixes of these audiences as if the version were in force.
    pub(super) fn check_prefix_sizes(
        &mut self,
        version: &InstructionVersion,
        audiences: &[PrefixAudience],
    ) -> Result<(), RequestNotApplied> {
        self.draft.instructions.push(version.clone());
        let checked =
            audiences.iter().try_for_each(|audience| check_prefix_size(self.turn, self.draft, audience));
        self.draft.instructions.pop();
        checked
    }

    /// Stores an automation; `revision` is that of its row, if it has one.
    pub(super) fn put_automation(&mut self, automation: Automation, revision: Option<u64>) {
        self.draft.put_automation(automation, revision);
    }

    /// Deletes an automation, its instructions and the rules for it alone.
    pub(super) fn delete_automation(&mut self, id: &AutomationId, revision: Option<u64>) {
        let rules = self.draft.body.rules.len();
        self.draft.body.rules.retain(|rule| rule.scope != RuleScope::Automation(id.clone()));
        self.draft.is_body_changed |= self.draft.body.rules.len() != rules;
        self.draft.automations.remove(id);
        self.draft.deleted_automations.push((id.clone(), revision));
        self.draft.instructions.retain(|told| told.scope != InstructionScope::Automation(id.clone()));
    }

    /// Skips every occurrence of an automation that was due until now and waits.
    pub(super) fn skip_due(&mut self, automation: &Automation, why: SkipReason) {
        skip_due(self.draft, automation, why);
    }

    /// Creates a run of an automation and records its occurrence.
    pub(super) fn begin_run(&mut self, run: &AutomationRunRequest<'_>) -> Result<(), RequestNotApplied> {
        begin_run(self.turn, self.draft, run)?;
        let outcome = OccurrenceOutcome::Run(run.session.clone());
        self.draft.record_occurrence(run.automation, run.at, run.cause, outcome);
        Ok(())
    }
}

/// A task in the draft, as a request about it may change it.
pub(super) struct TaskDraftEdit<'e> {
    turn: &'e TurnContext<'e>,
    draft: &'e mut TurnDraft,
    task: Task,
}

impl<'e> TaskDraftEdit<'e> {
    /// Reads the task with what this turn did to its call, or refuses the request because there is no such task.
    pub(super) fn open(
        turn: &'e TurnContext<'e>,
        draft: &'e mut TurnDraft,
        id: &TaskId,
    ) -> Result<Self, RequestNotApplied> {
        tasks::follow_tasks(turn, draft)?;
        match tasks::find_task(turn, draft, id)? {
            Some(task) => Ok(Self { turn, draft, task }),
            None => Err(MailRefusal::NotFound(saying!("request-no-task", task = id.as_str())).into()),
        }
    }

    pub(super) fn turn(&self) -> &'e TurnContext<'e> {
        self.turn
    }

    pub(super) fn draft(&self) -> &TurnDraft {
        self.draft
    }

    pub(super) fn task(&self) -> &Task {
        &self.task
    }

    /// Applies an update of the task.
    pub(super) fn apply_update(&mut self, update: &TaskUpdate) -> Result<TaskUpdateVerdict, TurnStop> {
        tasks::apply_arrival(self.turn, self.draft, self.task.clone(), update)
    }

    /// Records that an update with an id of its sender was received.
    pub(super) fn record_arrival(&mut self, arrival: TaskArrivalRow) {
        self.draft.arrivals.push(arrival);
    }

    /// Records that a person has seen the notice of the task.
    pub(super) fn mark_seen_by(&mut self, author: &str) -> TaskUpdateVerdict {
        let verdict = self.task.mark_seen_by(author);
        if verdict == TaskUpdateVerdict::Normal {
            self.draft.tasks.insert(self.task.id.clone(), self.task.clone());
        }
        verdict
    }
}
