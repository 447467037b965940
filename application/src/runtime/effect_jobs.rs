//! Builds effect jobs: reads everything a job needs from committed state.

use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{CallId, Digest, SessionId};
use entracte_domain::session::{
    Dialect, Effect, Phase, RoundReason, SessionFacts, SummaryMethod, SummaryProgress,
};

use super::call_timeout::call_timeout;
use super::compaction::CompactionJob;
use super::context_budget::ContextBudget;
use super::conversation::read_conversation;
use super::effects::EffectJob;
use super::error::TurnError;
use super::loaded_workspace::LoadedWorkspace;
use super::policy_check::policy_question;
use super::prefix_cache::voice_of;
use super::round_spans::trace_of;
use crate::codec::decode_entry;
use crate::commands::{CallAttempt, CatalogEntry, HistoryExecutor, request_for};
use crate::context::{SummaryRecord, least_budget};
use crate::ports::{CommandRequestPolicy, ContextWindowSource, ModelRequest};
use crate::prompt::{Projection, PromptPrefix, PromptStyle, model_request, read_files};
use crate::texts::saying;

/// Entries read per page.
const PAGE: u32 = 200;

impl LoadedWorkspace {
    /// The job of an effect that a committed state desires; `None` if the state no longer desires it.
    ///
    /// # Errors
    /// When the conversation or the prefix cannot be read.
    pub async fn build_job(
        &mut self,
        session: &SessionId,
        effect: &Effect,
    ) -> Result<Option<EffectJob>, TurnError> {
        let Some(live) = self.sessions.get(session) else { return Ok(None) };
        let (facts, known) = (live.session.facts.clone(), live.round.clone());
        let relaunch = is_relaunch(&live.session.phase);
        let commands = allowed_command_use(&live.session.phase);
        let by_hand = live.session.phase.round().is_some_and(|round| round.reason == RoundReason::Compaction);
        let is_compacted = live.session.phase.round().is_some_and(|round| round.compacted);
        Ok(match effect {
            Effect::CallModel { round, attempt, closing, words_only } => {
                let commands = CommandRequestPolicy::for_round(*closing, *words_only);
                let request = self.request(&facts, commands, relaunch).await?;
                let budget = self.budget(&facts).await?;
                let file_bytes = self.services.settings.files.request_bytes;
                let conversation = self.conversation(&facts.id).await?;
                let excess = budget.and_then(|budget| {
                    let of_files = budget.file_excess(conversation, file_bytes);
                    of_files.or_else(|| budget.request_excess(conversation, is_compacted))
                });
                if let Some(excess) = excess {
                    return Ok(Some(EffectJob::TooLarge { round: *round, attempt: *attempt, excess }));
                }
                Some(EffectJob::Model {
                    round: *round,
                    attempt: *attempt,
                    provider: facts.provider.clone(),
                    tree: agent_tree_root(&facts),
                    acts_as: facts.asked_by.acts_as.clone(),
                    request: Box::new(request),
                    envelope: facts.dialect == Dialect::Envelope,
                    time: self.rules.rules_for_session(&facts).model_time,
                    trace: trace_of(session, *round, known.as_ref()),
                })
            }
            Effect::Compact { round, attempt, summing } => {
                let (round, attempt) = (*round, *attempt);
                let work = self.build_compaction_job(&facts, summing, by_hand).await?;
                let asked = work.summary_request();
                let request = match &asked {
                    Some(asked) => {
                        let own = self.request(&facts, commands, relaunch).await?;
                        Some(Box::new(work.build_model_request(own, asked)))
                    }
                    None => None,
                };
                let (tree, provider, asked) =
                    (agent_tree_root(&facts), facts.provider.clone(), asked.zip(request));
                let acts_as = facts.asked_by.acts_as.clone();
                Some(EffectJob::Compact {
                    round,
                    attempt,
                    provider,
                    tree,
                    acts_as,
                    asked,
                    work: Box::new(work),
                    trace: trace_of(session, round, known.as_ref()),
                })
            }
            Effect::RunCall { call, attempt } => self.call_job(&facts, call, *attempt, false),
            Effect::AskCall { call, attempt } => self.call_job(&facts, call, *attempt, true),
            Effect::AskPolicy { call, command_id } => self.policy_job(&facts, call, command_id),
            Effect::PlanCall { .. } => None,
        })
    }

    fn policy_job(&self, facts: &SessionFacts, id: &CallId, command_id: &Digest) -> Option<EffectJob> {
        let live = self.sessions.get(&facts.id)?;
        let call: &Call = live.session.phase.batch()?.call(id)?;
        let known = self.pipeline.catalog.find(&call.command.name);
        let now = self.services.clock.now();
        Some(EffectJob::Policy {
            call: id.clone(),
            command_id: command_id.clone(),
            question: Box::new(policy_question(facts, call, known.map(|known| &**known), now)),
        })
    }

    fn call_job(&self, facts: &SessionFacts, id: &CallId, attempt: u32, ask: bool) -> Option<EffectJob> {
        let live = self.sessions.get(&facts.id)?;
        let call: &Call = live.session.phase.batch()?.call(id)?;
        let known = self.pipeline.catalog.find(&call.command.name);
        let known = known.filter(|known| is_same_command_version(known, call));
        let timeout = call_timeout(&self.pipeline.catalog, &self.rules, facts, call);
        let key = call.idempotency_key(&facts.id);
        let now = self.services.clock.now();
        let locale = self.settings.locale();
        Some(EffectJob::Call {
            call: id.clone(),
            trace: trace_of(&facts.id, facts.counters.rounds_total, live.round.as_ref()),
            attempt,
            ask,
            executor: known.map(|known| known.executor.clone()),
            request: Box::new(request_for(
                facts,
                call.principal(),
                locale,
                id,
                call.effective_command(),
                CallAttempt { key, number: attempt, task: call.task().map(|task| task.id.clone()) },
                now,
            )),
            timeout,
            name: call.command.name.clone(),
        })
    }

    async fn request(
        &mut self,
        facts: &SessionFacts,
        commands: CommandRequestPolicy,
        relaunch: bool,
    ) -> Result<ModelRequest, TurnError> {
        let prefix = self.prefix(facts).await?;
        let conversation = self.conversation(&facts.id).await?;
        let request =
            model_request(facts.id.clone(), &voice_of(facts), &prefix, conversation, commands, relaunch);
        let files = self.services.files.clone();
        Ok(read_files(files.as_deref(), &facts.workspace, request).await?)
    }

    async fn prefix(&mut self, facts: &SessionFacts) -> Result<Arc<PromptPrefix>, TurnError> {
        let digest = facts
            .prefix
            .clone()
            .ok_or_else(|| TurnError::Damaged(saying!("turn-no-prefix", session = facts.id.as_str())))?;
        self.prefixes.load_prefix(&self.services, &facts.workspace, &facts.id, &digest).await
    }

    /// The context budget of the session; `None` if the provider is unavailable; the call then fails with that
    /// reason.
    async fn budget(&mut self, facts: &SessionFacts) -> Result<Option<ContextBudget>, TurnError> {
        let Ok(provider) = self.services.providers.provider(&facts.provider) else { return Ok(None) };
        let conversation = self.conversation(&facts.id).await?;
        let (prefix, size) = (conversation.prefix_tokens(), conversation.size().tokens);
        let mut window = provider.window(&facts.model);
        // A guess decides nothing of a request that is small beside it.
        if window.told == ContextWindowSource::Guess && size.saturating_mul(2) > window.tokens {
            window = provider.learn_window(&facts.model).await;
        }
        Ok(Some(ContextBudget::from_rules(self.rules.rules_for_session(facts), window, prefix)))
    }

    /// The job that makes a summary.
    async fn build_compaction_job(
        &mut self,
        facts: &SessionFacts,
        summing: &SummaryProgress,
        by_hand: bool,
    ) -> Result<CompactionJob, TurnError> {
        let budget = self.budget(facts).await?;
        let zone = self.settings.zone.clone();
        let prefix = self.prefix(facts).await?;
        let conversation = self.conversation(&facts.id).await?.clone();
        let record = self.record(&facts.id, conversation.sequence()).await?;
        let size = conversation.size().tokens;
        let most = budget.map_or(size, |budget| budget.tokens);
        // A request of this size was refused as too long, so the new one gets at most four fifths of it.
        let shorter = size / 5 * 4;
        let shorter = if by_hand { shorter.max(least_budget(conversation.prefix_tokens())) } else { shorter };
        let mut summing = summing.clone();
        // A person who requests a summary does not consider windows and caches, so the method is selected here.
        if let Some(budget) = budget.filter(|_| by_hand && summing.method == SummaryMethod::Patch) {
            summing.method = budget.summary_method(&conversation);
        }
        let given = summing.budget;
        // A person may request a summary of a conversation that has room; nothing else is sent beyond the new budget.
        let request_most = given.unwrap_or(if by_hand { most } else { most.min(shorter) });
        let job = CompactionJob {
            summing,
            dialect: facts.dialect,
            blocks: prefix.blocks.clone(),
            // No person approved a plan that came with a copied session.
            plan: facts.plan.clone().filter(|plan| plan.approved_by.is_some()),
            zone,
            search: HistoryExecutor::search_command_name(
                &self.pipeline.catalog.specs(),
                conversation.naming(),
            ),
            budget: given.unwrap_or(most.min(shorter)),
            request_most,
            pieces: self.services.settings.summary_pieces as u64,
            turns: budget.and_then(|budget| budget.turns),
            conversation,
            record,
        };
        Ok(job.within_request_limit())
    }

    /// The conversation of a session in memory, read from the log if it is not loaded yet.
    async fn conversation(&mut self, session: &SessionId) -> Result<&Projection, TurnError> {
        let needed = self.sessions.get(session).is_some_and(|live| live.conversation.is_none());
        if needed {
            // The default style, for a conversation whose prefix does not name one.
            let style = PromptStyle::from_settings(&self.settings, &self.services.settings);
            let key = self.key().clone();
            let projection =
                read_conversation(&self.services, &key, &mut self.prefixes, &style, session).await?;
            if let Some(live) = self.sessions.get_mut(session) {
                live.conversation = Some(projection);
            }
        }
        self.sessions
            .get(session)
            .and_then(|live| live.conversation.as_ref())
            .ok_or_else(|| TurnError::missing_session(session))
    }

    /// The summary record of the log up to input `until`. Only compactions need it, so the first one of a session
    /// reads the whole log, and later ones read only the new entries.
    async fn record(&mut self, session: &SessionId, until: u64) -> Result<Arc<SummaryRecord>, TurnError> {
        let (key, log) = (self.key().clone(), Arc::clone(&self.services.log));
        // Taken out, so that it is not copied; if an entry cannot be read, the next summary rebuilds it.
        let known = self.sessions.get_mut(session).map(|live| std::mem::take(&mut live.record));
        let mut shared = known.unwrap_or_default();
        let record = Arc::make_mut(&mut shared);
        while record.sequence() < until {
            let before = record.sequence();
            let rows = log.entries_since(&key, session, before, PAGE).await?;
            for row in rows.iter().take_while(|row| row.sequence <= until) {
                record.push(&decode_entry(row)?);
            }
            if record.sequence() == before {
                break;
            }
        }
        if let Some(live) = self.sessions.get_mut(session) {
            live.record = Arc::clone(&shared);
        }
        Ok(shared)
    }
}

/// Whether a command is still the one that was resolved and approved: of the same kind and, for an action or an approved
/// query, with the same version. Otherwise nothing is sent again after a restart under another configuration, and the result
/// of the call is unknown.
fn is_same_command_version(known: &CatalogEntry, call: &Call) -> bool {
    let is_same_version = || call.terms.as_ref().is_some_and(|terms| terms.version == known.version);
    let means_the_same = match call.kind {
        // Under this configuration it may need an approval that it did not get, or that was given for something else.
        CommandKind::Query if known.spec.may_need_approval() || call.decision().is_some() => {
            is_same_version()
        }
        CommandKind::Query => true,
        CommandKind::Action => is_same_version(),
    };
    known.spec.kind == call.kind && means_the_same
}

/// Whether results of calls began the current round.
fn is_relaunch(phase: &Phase) -> bool {
    phase.round().is_some_and(|round| round.reason.follows_results())
}

/// The root of the agent tree the session belongs to. The root itself calls no model while an agent below it
/// does.
fn agent_tree_root(facts: &SessionFacts) -> Option<SessionId> {
    facts.agent.as_ref().map(|agent| agent.root.clone())
}

/// The commands that the current round may request.
fn allowed_command_use(phase: &Phase) -> CommandRequestPolicy {
    phase.round().map_or(CommandRequestPolicy::Allowed, |round| {
        CommandRequestPolicy::for_round(round.closing, round.words_only)
    })
}
