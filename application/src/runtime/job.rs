//! Makes jobs of effects: everything a job needs is read here, from committed state.

use entracte_domain::call::Call;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Dialect, Effect, Phase, SessionFacts};

use super::call_time::time_of;
use super::compaction;
use super::error::TurnError;
use super::perform::Job;
use super::prefixes::voice_of;
use super::workspace::Workspace;
use crate::codec::decode_entry;
use crate::commands::{Attempt, request_for};
use crate::ports::{CommandUse, ModelRequest, OutputShape, Written};
use crate::prompt::{Projection, PromptStyle, begins, model_request, texts};

/// Entries read at once when a conversation is built.
const PAGE: u32 = 500;

impl Workspace {
    /// The job of an effect that a committed state wants; none when the state wants it no longer.
    ///
    /// # Errors
    /// When the conversation or the prefix cannot be read.
    pub async fn job(&mut self, session: &SessionId, effect: &Effect) -> Result<Option<Job>, TurnError> {
        let Some(live) = self.sessions.get(session) else { return Ok(None) };
        let facts = live.session.facts.clone();
        let relaunch = is_relaunch(&live.session.phase);
        Ok(match effect {
            Effect::CallModel { round, attempt, closing, words_only } => {
                let commands = CommandUse::of_round(*closing, *words_only);
                let request = self.request(&facts, (commands, relaunch)).await?;
                Some(Job::Model {
                    round: *round,
                    attempt: *attempt,
                    provider: facts.provider,
                    request: Box::new(request),
                    envelope: facts.dialect == Dialect::Envelope,
                })
            }
            Effect::Compact { round, attempt } => {
                let request = self.compaction_request(&facts).await?;
                let provider = facts.provider;
                Some(Job::Compact { round: *round, attempt: *attempt, provider, request: Box::new(request) })
            }
            Effect::RunCall { call, attempt } => self.call_job(&facts, call, *attempt, false),
            Effect::AskCall { call, attempt } => self.call_job(&facts, call, *attempt, true),
            Effect::PlanCall { .. } => None,
        })
    }

    fn call_job(&self, facts: &SessionFacts, id: &CallId, attempt: u32, ask: bool) -> Option<Job> {
        let call: &Call = self.sessions.get(&facts.id)?.session.phase.batch()?.call(id)?;
        // A command that is another kind of thing now is not what was looked up.
        let known =
            self.services.catalog.find(&call.command.name).filter(|known| known.spec.kind == call.kind);
        let timeout = time_of(&self.services.catalog, &self.rules, facts, call);
        let key = call.idempotency_key(&facts.id);
        let now = self.services.clock.now();
        let locale = self.settings.locale();
        Some(Job::Call {
            call: id.clone(),
            attempt,
            ask,
            executor: known.map(|known| known.executor.clone()),
            request: Box::new(request_for(
                facts,
                call.acts_as(),
                locale,
                id,
                call.effective(),
                Attempt { key, number: attempt },
                now,
            )),
            timeout,
            name: call.command.name.clone(),
        })
    }

    async fn request(
        &mut self,
        facts: &SessionFacts,
        asked: (CommandUse, bool),
    ) -> Result<ModelRequest, TurnError> {
        let digest =
            facts.prefix.clone().ok_or_else(|| TurnError::Damaged(format!("{} has no prefix", facts.id)))?;
        let prefix = self.prefixes.of(&self.services, (&facts.workspace, &facts.id), &digest).await?;
        let conversation = self.conversation(&facts.id).await?;
        Ok(model_request(facts.id.clone(), &voice_of(facts), &prefix, conversation, asked))
    }

    /// The request for a summary: the later half of the conversation, because the whole is too long.
    async fn compaction_request(&mut self, facts: &SessionFacts) -> Result<ModelRequest, TurnError> {
        let language = self.settings.language;
        let turns = self.conversation(&facts.id).await?.turns();
        Ok(ModelRequest {
            session: facts.id.clone(),
            model: facts.model.clone(),
            encoding: "".into(),
            system: vec![texts::compaction_role(language).into()],
            turns: compaction::request(&turns, language),
            tools: Vec::new().into(),
            commands: CommandUse::None,
            relaunch: false,
            output: OutputShape::Text,
            written: Written::default(),
        })
    }

    /// The conversation of a session in memory, read from the log when it is not there yet.
    async fn conversation(&mut self, session: &SessionId) -> Result<&Projection, TurnError> {
        let needed = self.sessions.get(session).is_some_and(|live| live.conversation.is_none());
        if needed {
            let projection = self.read_conversation(session).await?;
            if let Some(live) = self.sessions.get_mut(session) {
                live.conversation = Some(projection);
            }
        }
        self.sessions
            .get(session)
            .and_then(|live| live.conversation.as_ref())
            .ok_or_else(|| TurnError::gone(session))
    }

    async fn read_conversation(&mut self, session: &SessionId) -> Result<Projection, TurnError> {
        // For a conversation whose prefix does not say how it is written.
        let style = PromptStyle::of(&self.settings, &self.services.settings);
        let mut projection = Projection::new(&style);
        let (key, mut after) = (self.key().clone(), 0);
        loop {
            let rows = self.services.log.entries(&key, session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(projection) };
            after = last.seq;
            for row in &rows {
                let entry = decode_entry(row)?;
                let prefix = match begins(&entry.input) {
                    Some(digest) => Some(self.prefixes.of(&self.services, (&key, session), digest).await?),
                    None => None,
                };
                projection.push(&entry, prefix.as_deref());
            }
        }
    }
}

/// Whether the results of calls began the round that is under way.
fn is_relaunch(phase: &Phase) -> bool {
    phase.round().is_some_and(|round| round.reason.follows_results())
}
