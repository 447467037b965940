//! Makes jobs of effects: everything a job needs is read here, from committed state.

use entracte_domain::command::Call;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::session::{Dialect, Effect, SessionFacts};

use super::compaction;
use super::intake::voice_of;
use super::perform::Job;
use super::workspace::{Fault, Workspace};
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
    pub async fn job(&mut self, session: &SessionId, effect: &Effect) -> Result<Option<Job>, Fault> {
        let Some(facts) = self.sessions.get(session).map(|live| live.session.facts.clone()) else {
            return Ok(None);
        };
        Ok(match effect {
            Effect::CallModel { round, attempt, closing } => {
                let request = self.request(&facts, *closing).await?;
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
        let known = self.house.catalog.find(&call.command.name).filter(|known| known.spec.kind == call.kind);
        let rules = self.rules.of_session(facts);
        let timeout = known.and_then(|known| known.spec.timeout).unwrap_or(rules.call_timeout);
        let key = call.idempotency_key(&facts.id);
        let now = self.house.clock.now();
        let locale = self.settings.locale();
        Some(Job::Call {
            call: id.clone(),
            attempt,
            ask,
            executor: known.map(|known| known.executor.clone()),
            request: Box::new(request_for(
                facts,
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

    async fn request(&mut self, facts: &SessionFacts, closing: bool) -> Result<ModelRequest, Fault> {
        let digest =
            facts.prefix.clone().ok_or_else(|| Fault::Damaged(format!("{} has no prefix", facts.id)))?;
        let prefix = self.prefixes.of(&self.house, &digest).await?;
        let conversation = self.conversation(&facts.id).await?;
        Ok(model_request(facts.id.clone(), &voice_of(facts), &prefix, conversation, closing))
    }

    /// The request for a summary: the later half of the conversation, because the whole is too long.
    async fn compaction_request(&mut self, facts: &SessionFacts) -> Result<ModelRequest, Fault> {
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
            output: OutputShape::Text,
            written: Written::default(),
        })
    }

    /// The conversation of a session in memory, read from the log when it is not there yet.
    async fn conversation(&mut self, session: &SessionId) -> Result<&Projection, Fault> {
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
            .ok_or_else(|| Fault::gone(session))
    }

    async fn read_conversation(&mut self, session: &SessionId) -> Result<Projection, Fault> {
        // For a conversation whose prefix does not say how it is written.
        let style = PromptStyle::of(&self.settings, &self.house.settings);
        let mut projection = Projection::new(&style);
        let mut after = 0;
        loop {
            let rows = self.house.log.entries(session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(projection) };
            after = last.seq;
            for row in &rows {
                let entry = decode_entry(row)?;
                let prefix = match begins(&entry.input) {
                    Some(digest) => Some(self.prefixes.of(&self.house, digest).await?),
                    None => None,
                };
                projection.push(&entry, prefix.as_deref());
            }
        }
    }
}
