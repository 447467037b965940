//! A running session, whose every request is checked by a strict server.

use std::sync::Arc;

use entracte_application::command_naming::CommandNaming;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::{CommandRequestPolicy, EncodedRequestCache, ModelRequest};
use entracte_application::prompt::{
    Projection, PromptPrefix, PromptStyle, RetentionBudget, generation_prefix, model_request,
};
use entracte_application::settings::Language;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::failure::{FailureClass, FallbackModel, ModelFailure};
use entracte_domain::session::{
    AiResponse, ContextSummary, Dialect, Effect, Input, JournalNote, LimitProfile, LogAppend, ModelSelection,
    Phase, RulesChange, RunPolicy, SessionCreation, SessionFacts, SessionKind, SessionRules, Slot,
    SummaryFault, SummaryMethod, UserMessageSent, desired_effects, transition,
};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{Decision, DecisionVerdict};
use entracte_tests::strict::{FakeProviderServer, StrictApiPeer, StrictApiRefusal};

use super::replies::{ReplyShapeBits, reply, taken};
use super::servers::{SERVERS, prefix, voice};

/// The style of the conversation before a prefix defines it.
fn style() -> PromptStyle {
    PromptStyle {
        language: Language::En,
        zone: "UTC".into(),
        result_max_chars: 40,
        layers: None,
        read_on: None,
        naming: None,
    }
}

/// A running session.
#[derive(Clone)]
pub(crate) struct HistorySession {
    pub(crate) facts: SessionFacts,
    phase: Phase,
    rules: SessionRules,
    now: Timestamp,
    pub(crate) entries: Vec<JournalEntry>,
    projection: Projection,
    /// The prefix of each generation.
    prefixes: Vec<Arc<PromptPrefix>>,
    /// The conversation state of each server.
    peers: Vec<StrictApiPeer>,
    /// The attempt whose request was sent, and the server that has it.
    sent: Option<(u32, u32, usize)>,
    /// Number of sent requests.
    pub(crate) requests: usize,
}

impl HistorySession {
    pub(crate) fn new(kind: SessionKind, server: usize, dialect: Dialect) -> Self {
        let now = Timestamp(1_795_199_529_000_000);
        let facts = SessionFacts::new(SessionId::new("ses_a"), WorkspaceKey::new("ana:home"), kind, now);
        let mut rules = SessionRules::new(kind, LimitProfile::Autonomous);
        (rules.equal_failures, rules.without_progress) = (0, 0);
        let mut story = Self {
            facts,
            phase: Phase::Idle,
            rules,
            now,
            entries: Vec::new(),
            projection: Projection::new(&style()),
            prefixes: Vec::new(),
            peers: SERVERS.iter().map(|server| StrictApiPeer::new(server.api)).collect(),
            sent: None,
            requests: 0,
        };
        let ModelSelection { provider, model, dialect } = voice(server, dialect);
        let prefix = story.new_prefix(server, dialect);
        let automation = (kind == SessionKind::Automation).then(|| "aut_a".to_owned());
        let parent = (kind == SessionKind::Agent).then(|| CallId::new("call_p"));
        story.feed(Input::SessionCreated(Box::new(SessionCreation {
            name: "a".into(),
            mode: None,
            require_validation: false,
            restriction: Restriction::Open,
            automation,
            scheduled_at: None,
            parent,
            provider,
            model,
            dialect,
            prefix,
            told: Vec::new(),
            agent: None,
            policy: RunPolicy::default(),
            prompt_authors: None,
            grant: None,
            run: None,
        })));
        story.feed(Input::StandingChanged { slot: Slot::Held });
        story.say("m");
        story
    }

    /// A prefix for a new generation; its number is its name.
    fn new_prefix(&mut self, server: usize, dialect: Dialect) -> Digest {
        let number = self.prefixes.len();
        self.prefixes.push(Arc::new(prefix(server, self.facts.kind, dialect, number)));
        Digest::new(number.to_string())
    }

    fn prefix_of(&self, digest: &Digest) -> Arc<PromptPrefix> {
        self.prefixes[digest.as_str().parse::<usize>().unwrap()].clone()
    }

    /// Applies an input, and sends the resulting request.
    pub(crate) fn feed(&mut self, input: Input) {
        self.now = self.now.plus(Millis::seconds(1));
        let taken = transition(&mut self.facts, &mut self.phase, input.clone(), self.now, &self.rules);
        let Ok(mut record) = taken else { return };
        LocalizedTexts::for_language(Language::En)
            .render_appended_messages(CommandNaming::from_dialect(self.facts.dialect), &mut record.appended);
        let entry = JournalEntry {
            seq: self.entries.len() as u64 + 1,
            session: self.facts.id.clone(),
            sequence: self.facts.sequence,
            at: self.now,
            rules: Digest::new("rules"),
            input,
            appended: record.appended,
        };
        let begun = generation_prefix(&entry).map(|digest| self.prefix_of(digest));
        self.projection.push(&entry, begun.as_deref());
        self.entries.push(entry);
        self.send();
    }

    /// The server that the session uses.
    fn server(&self) -> usize {
        SERVERS.iter().position(|server| server.name == self.facts.provider).unwrap()
    }

    fn effects(&self) -> Vec<Effect> {
        desired_effects(&self.facts, &self.phase, self.now)
    }

    /// Sends the request of an attempt that has just started; the server must accept it.
    fn send(&mut self) {
        let wanted = self.effects().into_iter().find_map(|effect| match effect {
            Effect::CallModel { round, attempt, closing, words_only } => {
                Some((round, attempt, CommandRequestPolicy::for_round(closing, words_only)))
            }
            _ => None,
        });
        let Some((round, attempt, commands)) = wanted else { return };
        if self.sent.is_some_and(|(sent, tried, _)| (sent, tried) == (round, attempt)) {
            return;
        }
        self.sent = Some((round, attempt, self.server()));
        self.requests += 1;
        if let Err((refusal, body)) = self.ask(commands) {
            let inputs: Vec<&str> = self.entries.iter().map(|entry| entry.input.label()).collect();
            panic!("{} refuses: {refusal:?}\nafter {inputs:?}\n{body}", SERVERS[self.server()].name);
        }
    }

    fn ask(&mut self, commands: CommandRequestPolicy) -> Result<(), (StrictApiRefusal, String)> {
        let (facts, server) = (&self.facts, self.server());
        let prefix = self.prefix_of(facts.prefix.as_ref().unwrap());
        let (provider, model) = (facts.provider.clone(), facts.model.clone());
        let voice = ModelSelection { provider, model, dialect: facts.dialect };
        let request = model_request(facts.id.clone(), &voice, &prefix, &self.projection, commands, false);
        let body = SERVERS[server].provider.body(&request).unwrap();
        let anew = ModelRequest { written: EncodedRequestCache::default(), ..request };
        assert_eq!(body, SERVERS[server].provider.body(&anew).unwrap(), "what is kept changes no byte");
        let fake = FakeProviderServer::ALL.iter().find(|fake| fake.kind == SERVERS[server].name);
        let taken = fake.map_or(Ok(()), |fake| fake.check(&body));
        let taken = taken.and_then(|()| self.peers[server].accept_body(facts.generation, &body));
        taken.map_err(|refusal| (refusal, String::from_utf8(body).unwrap()))
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.feed(Input::UserMessageSent(UserMessageSent {
            author: "ana".into(),
            message: UserMessage::text(text),
            client_key: None,
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        }));
    }

    /// The server with the open request answers.
    pub(crate) fn reply(&mut self, shape: ReplyShapeBits, guarded: bool) {
        let Some((round, attempt, server)) = self.open() else { return };
        // The server cannot know that the session uses another dialect by now.
        let reply = reply(shape, server, self.facts.dialect, &self.peers[server]);
        let (message, faults, calls) = taken(&reply, self.facts.dialect, guarded);
        let request = Some(Digest::new("body"));
        self.feed(Input::AiResponseReceived(Box::new(AiResponse {
            round,
            attempt,
            message,
            end: reply.end,
            asks_at_limit: true,
            faults,
            calls,
            usage: None,
            request,
            handle: None,
        })));
    }

    fn open(&self) -> Option<(u32, u32, usize)> {
        let round = self.phase.round()?;
        self.sent.filter(|(sent, tried, _)| (*sent, *tried) == (round.number, round.attempt))
    }

    /// Ends the next running call.
    pub(crate) fn finish(&mut self, well: bool, text: &str) {
        let call = self.effects().into_iter().find_map(|effect| match effect {
            Effect::RunCall { call, attempt } | Effect::AskCall { call, attempt } => Some((call, attempt)),
            Effect::PlanCall { call } => Some((call, 0)),
            Effect::CallModel { .. } | Effect::Compact { .. } | Effect::AskPolicy { .. } => None,
        });
        let Some((call, attempt)) = call else { return };
        let outcome = if well {
            CallOutcome::Succeeded { content: text.into(), digest: Digest::new(text), files: Vec::new() }
        } else {
            let message = text.into();
            CallOutcome::Failed(CallFailure {
                code: "NOT_FOUND".into(),
                message,
                path: None,
                retryable: false,
            })
        };
        self.feed(Input::CallFinished { call, attempt, outcome });
    }

    pub(crate) fn decide(&mut self, verdict: &DecisionVerdict) {
        let Some(batch) = self.phase.batch() else { return };
        let decide = |call: CallId| Decision { call, card: None, verdict: verdict.clone(), rule: None };
        let decisions = batch.undecided().map(|call| decide(call.id.clone())).collect();
        self.feed(Input::ValidationReceived { author: "ana".into(), decisions });
    }

    pub(crate) fn fail(&mut self, class: FailureClass) {
        let Some((round, attempt, _)) = self.open() else { return };
        let failure = ModelFailure {
            class,
            message: "it failed".into(),
            retry_after: None,
            jitter: Millis(0),
            found_by_start: None,
            instead: None,
        };
        self.feed(Input::ProviderErrorOccurred { round, attempt, failure, usage: None });
    }

    /// The open attempt fails, and a fallback model takes over, if the machine accepts it.
    pub(crate) fn fall_back(&mut self, class: FailureClass, server: usize, dialect: Dialect) {
        let Some((round, attempt, _)) = self.open() else { return };
        let (voice, prefix) = (voice(server, dialect), self.new_prefix(server, dialect));
        let failure = ModelFailure {
            class,
            message: "it failed".into(),
            retry_after: None,
            jitter: Millis(0),
            found_by_start: None,
            instead: Some(Box::new(FallbackModel { voice, prefix, told: Vec::new() })),
        };
        self.feed(Input::ProviderErrorOccurred { round, attempt, failure, usage: None });
    }

    /// The number of fallbacks.
    pub(crate) fn fallback_count(&self) -> usize {
        let noted = self.entries.iter().flat_map(|entry| &entry.appended);
        noted.filter(|one| matches!(one, LogAppend::Note(JournalNote::FellBack { .. }))).count()
    }

    pub(crate) fn compact(&mut self, summary: &str) {
        let compacts = self.effects().into_iter().find_map(|effect| match effect {
            Effect::Compact { round, attempt, .. } => Some((round, attempt)),
            _ => None,
        });
        let Some((round, attempt)) = compacts else { return };
        let prefix = Some((self.new_prefix(self.server(), self.facts.dialect), Vec::new()));
        // Selects the remaining messages as the application does, with a small or a large budget.
        let room = (u64::try_from(summary.len()).unwrap_or_default() % 3) * 60;
        let kept = self.projection.select_retained_history(RetentionBudget {
            usual: room,
            most: room * 2,
            turns: None,
        });
        let summary = Box::new(ContextSummary {
            text: summary.into(),
            items: Vec::new(),
            kept_from: (!summary.ends_with('0')).then_some(kept.from),
            folded: kept.folded,
            files_from: kept.files_from,
            covers_to: 0,
            method: SummaryMethod::Patch,
        });
        self.feed(Input::ContextCompacted { round, attempt, summary, asked: None, usage: None, prefix });
    }

    pub(crate) fn wait(&mut self, span: Millis) {
        self.now = self.now.plus(span);
        self.feed(Input::TimeReached);
    }

    /// Switches the model, unless a model call is open.
    pub(crate) fn switch_voice(&mut self, server: usize, dialect: Dialect) {
        let prefix = Some(self.new_prefix(server, dialect));
        let voice = Some(voice(server, dialect));
        self.feed(Input::RulesChanged(Box::new(RulesChange { prefix, voice, ..RulesChange::default() })));
    }

    pub(crate) fn begin_generation(&mut self) {
        let prefix = Some(self.new_prefix(self.server(), self.facts.dialect));
        self.feed(Input::RulesChanged(Box::new(RulesChange { prefix, ..RulesChange::default() })));
    }

    /// Marks the running work of a crashed process as lost.
    pub(crate) fn crash(&mut self) {
        let found_by_start = Some(self.now);
        for effect in self.effects() {
            match effect {
                Effect::CallModel { .. } => self.fail(FailureClass::Lost),
                Effect::RunCall { call, attempt } | Effect::AskCall { call, attempt } => {
                    self.feed(Input::CallFinished {
                        call,
                        attempt,
                        outcome: CallOutcome::Lost { found_by_start, lands_by: None },
                    });
                }
                Effect::Compact { round, attempt, .. } => {
                    self.feed(Input::CompactionFailed {
                        round,
                        attempt,
                        message: "it died".into(),
                        fault: SummaryFault::NoAnswer,
                        asked: None,
                        usage: None,
                    });
                }
                Effect::PlanCall { .. } | Effect::AskPolicy { .. } => {}
            }
        }
    }

    /// The process crashes here, and a person writes: the session continues until it rests, or waits longer than the
    /// test advances time.
    pub(crate) fn crash_and_run_on(mut self) -> usize {
        let before = self.requests;
        self.crash();
        self.say("still there?");
        for _ in 0..6 {
            self.crash();
            self.wait(Millis::minutes(5));
        }
        self.requests - before
    }

    /// Rebuilds the conversation from the committed rows and compares it.
    pub(crate) fn check_rebuilt(&self) {
        let mut rebuilt = Projection::new(&style());
        for entry in &self.entries {
            let begun = generation_prefix(entry).map(|digest| self.prefix_of(digest));
            rebuilt.push(entry, begun.as_deref());
        }
        assert_eq!(rebuilt.turns(), self.projection.turns());
    }
}
