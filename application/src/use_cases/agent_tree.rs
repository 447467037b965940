//! Agent trees for display: the chain of sessions from a person to a call, and the agents below a session.

use std::sync::Arc;

use entracte_domain::agent::MissionStatus;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{
    EndReason, Phase, PhaseLabel, SessionFacts, Standing, agent_report, descendant_usage,
};
use entracte_domain::usage::Usage;
use entracte_domain::value::JsonValue;

use super::{SessionView, ShowSession, UseCaseError};
use crate::agents::agent_name_of_command;
use crate::codec::{CodecError, decode_call};
use crate::ports::{CallRow, LogReader, WorkspaceStore};
use crate::stream::{PendingInteraction, PendingSubject};

/// One session in the chain of delegation from a person to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegationStep {
    /// Unique id of the session.
    pub session: SessionId,
    /// Display name of the session.
    pub name: String,
    /// The name of the agent; `None` for the root session.
    pub agent: Option<String>,
    /// The mission the agent was called with.
    pub mission: Option<String>,
}

/// An agent below a session.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTreeNode {
    /// The agent's session.
    pub session: SessionId,
    /// The name of its declaration.
    pub agent: String,
    /// The session that called it.
    pub from: SessionId,
    /// The call that created it.
    pub call: CallId,
    /// The number of levels below the requested session, from 1.
    pub depth: usize,
    /// The mission it was called with.
    pub mission: String,
    /// The phase of its session.
    pub phase: PhaseLabel,
    /// The standing of its session, which says whether it may work.
    pub standing: Standing,
    /// The last report to its caller; `None` while it works, or waits for a person, and of a copy.
    pub status: Option<MissionStatus>,
    /// The end reason, once it has ended.
    pub end_reason: Option<EndReason>,
    /// Number of its own rounds.
    pub rounds: u32,
    /// Tokens and cost, including all agents below it.
    pub usage: Usage,
}

use_case! {
    /// Lists all agents below a session in call order: each precedes the agents below it.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let read = ReadAgentTree::new(Arc::new(samples::store()), Arc::new(samples::empty_log()));
    /// assert_eq!(read.run(&samples::workspace(), &samples::session()).await?, []);
    /// # Ok(()) });
    /// ```
    pub struct ReadAgentTree reads (store: dyn WorkspaceStore, log: dyn LogReader)
}

impl ReadAgentTree {
    /// The agents below a session.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<AgentTreeNode>, UseCaseError> {
        let show = ShowSession::new(self.store.clone());
        show.run(workspace, session).await?;
        let mut nodes = Vec::new();
        // The last one is taken first, so that each agent precedes those below it.
        let mut todo = self.called(workspace, session, 1).await?;
        while let Some(AgentCall { from, row, depth }) = todo.pop() {
            let child = row.id.child_session_id();
            let view = match show.run(workspace, &child).await {
                Ok(view) => view,
                // A call that was refused, or that waits, created no session.
                Err(UseCaseError::NotFound(_)) => continue,
                Err(error) => return Err(error),
            };
            todo.extend(self.called(workspace, &child, depth + 1).await?);
            nodes.extend(node(&view, AgentCall { from, row, depth })?);
        }
        Ok(nodes)
    }

    async fn called(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        depth: usize,
    ) -> Result<Vec<AgentCall>, UseCaseError> {
        let mut rows = self.log.calls(workspace, session).await?;
        rows.retain(|row| agent_name_of_command(&row.command).is_some());
        rows.sort_by_key(|row| std::cmp::Reverse((row.sequence, row.ordinal)));
        Ok(rows.into_iter().map(|row| AgentCall { from: session.clone(), row, depth }).collect())
    }
}

/// A call that may have begun an agent.
struct AgentCall {
    from: SessionId,
    row: CallRow,
    /// The number of levels of the agent below the requested session.
    depth: usize,
}

fn node(view: &SessionView, called: AgentCall) -> Result<Option<AgentTreeNode>, CodecError> {
    let AgentCall { from, row, depth } = called;
    let facts = &view.facts;
    if !facts.is_called_by(&from) {
        return Ok(None);
    }
    let (agent, mission) = match &facts.agent {
        Some(agent) => (agent.name.clone(), agent.mission.clone()),
        // A copy of an agent is none itself; the copied call says what its original was.
        None => {
            let call = decode_call(&row)?;
            let mission = call.effective_command().arguments.get("query").and_then(JsonValue::as_text);
            let name = agent_name_of_command(&row.command).unwrap_or_default().to_owned();
            (name, mission.unwrap_or_default().to_owned())
        }
    };
    let mut usage = facts.usage;
    usage.add(descendant_usage(facts));
    Ok(Some(AgentTreeNode {
        session: facts.id.clone(),
        agent,
        from,
        call: row.id,
        depth,
        mission,
        phase: view.phase.label(),
        standing: view.standing,
        status: agent_report(facts, &view.phase).map(|report| report.status),
        end_reason: view.phase.end_reason(),
        rounds: facts.counters.rounds_total,
        usage,
    }))
}

/// A session whose call of an agent runs, or an agent below it that runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunningSession {
    /// The session.
    pub view: SessionView,
    /// The names of the agents from the first one below the root of the tree that was read down to this one; empty for
    /// the root.
    pub agents: Vec<String>,
    /// The call of the root through which it runs; `None` for the root.
    pub call: Option<CallId>,
}

use_case! {
    /// Lists a session, and the agents below it whose calls run: the sessions that work or wait for it now.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let read = ReadRunningTree::new(Arc::new(samples::store()));
    /// let running = read.run(&samples::workspace(), &samples::session()).await?;
    /// assert_eq!(running[0].view.facts.id, samples::session());
    /// # Ok(()) });
    /// ```
    pub struct ReadRunningTree reads (store: dyn WorkspaceStore)
}

impl ReadRunningTree {
    /// The session first, then the agents below it in call order: each precedes the agents below it.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<RunningSession>, UseCaseError> {
        let view = ShowSession::new(self.store.clone()).run(workspace, session).await?;
        self.below(view).await
    }

    /// Like [`run`](Self::run), for a session that was read already.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub async fn below(&self, root: SessionView) -> Result<Vec<RunningSession>, UseCaseError> {
        let show = ShowSession::new(self.store.clone());
        let mut running = Vec::new();
        let mut todo = vec![RunningSession { view: root, agents: Vec::new(), call: None }];
        while let Some(next) = todo.pop() {
            let facts = &next.view.facts;
            // The last one is taken first, so that each agent precedes those below it.
            for call in running_agents(&next.view).into_iter().rev() {
                match show.run(&facts.workspace, &call.child_session_id()).await {
                    Ok(view) => {
                        let own = view.facts.agent.as_ref().map(|agent| agent.name.clone());
                        let agents = next.agents.iter().cloned().chain(own).collect();
                        let call = Some(next.call.clone().unwrap_or(call));
                        todo.push(RunningSession { view, agents, call });
                    }
                    // The call has started, but its session is not there yet.
                    Err(UseCaseError::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            running.push(next);
        }
        Ok(running)
    }
}

impl RunningSession {
    /// What this session waits for from a person.
    pub fn pending(&self) -> Vec<PendingInteraction> {
        let Self { view, agents, .. } = self;
        let pending =
            |subject| PendingInteraction { session: view.facts.id.clone(), agents: agents.clone(), subject };
        if let Phase::WaitingCommunicationResponse { question, .. } = &view.phase {
            return vec![pending(PendingSubject::Question { text: question.text().to_owned() })];
        }
        let Some((batch, _)) = view.phase.batch_awaiting_decision() else { return Vec::new() };
        let approvals = batch.undecided();
        approvals
            .map(|call| {
                pending(PendingSubject::Approval { id: call.approval_id(), digest: call.card.clone() })
            })
            .collect()
    }
}

/// Tokens and cost of the first of these sessions with all agents below it, as of now: of an agent that runs its own
/// numbers count, of one that rests those of its last report.
pub fn running_tree_usage(running: &[RunningSession]) -> Usage {
    let is_running = |child: &SessionId| running.iter().any(|other| other.view.facts.id == *child);
    let mut usage = Usage::default();
    for RunningSession { view, .. } in running {
        usage.add(view.facts.usage);
        usage.add(view.facts.below.usage);
        let resting = view.facts.children.iter().filter(|child| !is_running(&child.session));
        resting.for_each(|child| usage.add(child.usage));
    }
    usage
}

/// The calls of agents that run in the current reply.
pub(super) fn running_agents(view: &SessionView) -> Vec<CallId> {
    let calls = view.phase.batch().map(|batch| batch.calls.as_slice()).unwrap_or_default();
    let agents = calls.iter().filter(|call| {
        agent_name_of_command(&call.command.name).is_some() && call.ledger_state() == LedgerState::Started
    });
    agents.map(|call| call.id.clone()).collect()
}

/// The ancestors of a session, nearest first.
async fn ancestor_views(
    store: &Arc<dyn WorkspaceStore>,
    facts: &SessionFacts,
) -> Result<Vec<SessionView>, UseCaseError> {
    let show = ShowSession::new(store.clone());
    let mut views: Vec<SessionView> = Vec::new();
    let mut from = facts.agent.as_ref().map(|agent| agent.from.clone());
    while let Some(id) = from {
        match show.run(&facts.workspace, &id).await {
            Ok(view) => {
                from = view.facts.agent.as_ref().map(|agent| agent.from.clone());
                views.push(view);
            }
            // The ancestor was deleted meanwhile.
            Err(UseCaseError::NotFound(_)) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(views)
}

fn step(facts: &SessionFacts) -> DelegationStep {
    DelegationStep {
        session: facts.id.clone(),
        name: facts.name.clone(),
        agent: facts.agent.as_ref().map(|agent| agent.name.clone()),
        mission: facts.agent.as_ref().map(|agent| agent.mission.clone()),
    }
}

/// The chain from the session that a person, or an automation, began to this one; empty if it is not an agent's.
pub(super) async fn delegation_chain(
    store: &Arc<dyn WorkspaceStore>,
    facts: &SessionFacts,
) -> Result<Vec<DelegationStep>, UseCaseError> {
    if facts.agent.is_none() {
        return Ok(Vec::new());
    }
    let above = ancestor_views(store, facts).await?;
    Ok(above.iter().rev().map(|view| step(&view.facts)).chain([step(facts)]).collect())
}

/// The facts with the current effective rights: rights that any ancestor lost are lost here, too.
pub(super) async fn with_inherited_rights(
    store: &Arc<dyn WorkspaceStore>,
    facts: &SessionFacts,
) -> Result<SessionFacts, UseCaseError> {
    let mut now = facts.clone();
    for view in ancestor_views(store, facts).await? {
        now.restrict_to_ancestor(&view.facts);
    }
    Ok(now)
}
