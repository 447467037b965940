//! The stored size of a round, from a live run of the machine: a message, a reply with one small action, its result.

use entracte_domain::call::CallOutcome;
use entracte_domain::command::{Command, CommandKind, CommandTerms, EffectClass};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::message::{AiMessage, UserMessage};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{
    AiResponse, CallLookup, Dialect, Input, LimitProfile, Phase, ReplyEnd, RequestedCall, RunPolicy,
    SessionCreation, SessionFacts, SessionKind, SessionRules, Slot, UserMessageSent, transition,
};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Usage;
use entracte_domain::value::JsonValue;

use crate::codec::*;
use crate::journal::{JournalEntry, Snapshot};
use crate::settings::Language;
use crate::texts::LocalizedTexts;

pub(super) fn hash(of: u8) -> Digest {
    Digest::new((0..32).map(|byte: u8| format!("{:02x}", byte.wrapping_mul(37) ^ of)).collect::<String>())
}

/// A session with everything its journal would contain.
pub(super) struct SessionSizeFixture {
    pub(super) snapshot: Snapshot,
    pub(super) entries: Vec<JournalEntry>,
    pub(super) calls: Vec<entracte_domain::call::Call>,
    rules: SessionRules,
    now: Timestamp,
}

impl SessionSizeFixture {
    pub(super) fn new() -> Self {
        let now = Timestamp(1_790_000_000_123_456);
        let id = SessionId::new("ses_7k2m9q4x1c8v5b3n");
        let facts = SessionFacts::new(id, WorkspaceKey::new("ana:default"), SessionKind::Chat, now);
        Self {
            snapshot: Snapshot { facts, phase: Phase::Idle },
            entries: Vec::new(),
            calls: Vec::new(),
            rules: SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous),
            now,
        }
    }

    pub(super) fn take(&mut self, input: Input) -> &mut Self {
        self.now = self.now.plus(Millis(1537));
        let Snapshot { facts, phase } = &mut self.snapshot;
        let taken = transition(facts, phase, input.clone(), self.now, &self.rules);
        assert!(taken.is_ok(), "{}: {taken:?}", input.label());
        let mut record = taken.unwrap_or_default();
        self.calls.extend(record.calls);
        LocalizedTexts::for_language(Language::En)
            .render_appended_messages(crate::command_naming::CommandNaming::Types, &mut record.appended);
        self.entries.push(JournalEntry {
            seq: 40 + facts.sequence,
            session: facts.id.clone(),
            sequence: facts.sequence,
            at: self.now,
            rules: hash(1),
            input,
            appended: record.appended,
        });
        self
    }

    /// Runs the session up to its first model call.
    pub(super) fn asked() -> Self {
        let mut life = Self::new();
        life.take(Input::SessionCreated(Box::new(SessionCreation {
            name: "weight".into(),
            require_validation: false,
            mode: None,
            restriction: Restriction::Open,
            automation: None,
            scheduled_at: None,
            parent: None,
            provider: "claude".into(),
            model: "claude-sonnet-4-5".into(),
            dialect: Dialect::Tools,
            prefix: hash(2),
            told: Vec::new(),
            run: None,
            agent: None,
            policy: RunPolicy::default(),
            prompt_authors: None,
            grant: None,
        })));
        life.take(Input::UserMessageSent(UserMessageSent {
            author: "ana".into(),
            message: UserMessage::text("I weighed 72.50 kg this morning."),
            client_key: Some("k-1".into()),
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        }));
        life.take(Input::StandingChanged { slot: Slot::Held });
        life
    }
}

pub(super) fn action() -> RequestedCall {
    RequestedCall {
        provider_call_id: Some("toolu_01A09q90qw90lq917835lq9".into()),
        command: Command {
            name: "tool_data.create".into(),
            arguments: JsonValue::from([
                ("tool", JsonValue::from("weight")),
                ("values", JsonValue::from([("kg", JsonValue::Number("72.50".into()))])),
            ]),
        },
        command_id: hash(3),
        kind: CommandKind::Action,
        lookup: CallLookup::Known {
            terms: CommandTerms {
                version: hash(4),
                effect: EffectClass::Local,
                independent: false,
                state_scopes: Vec::new(),
                destructive: false,
                asks: false,
                settle_ms: 0,
                key_lifetime_ms: 0,
                shows: Vec::new(),
                agent: None,
                task: None,
            },
            reasons: Vec::new(),
            twin: None,
            rule: None,
            card: None,
            policy: false,
        },
    }
}

pub(super) fn reply(calls: Vec<RequestedCall>) -> Input {
    Input::AiResponseReceived(Box::new(AiResponse {
        round: 1,
        attempt: 1,
        message: AiMessage {
            pre_text: "I note that.".into(),
            actions: calls.iter().map(|call| call.command.clone()).collect(),
            original: "I note that.".into(),
            ..AiMessage::default()
        },
        end: ReplyEnd::Done,
        asks_at_limit: true,
        faults: Vec::new(),
        calls,
        usage: Some(Usage { input: 812, cache_read: 6144, output: 63, ..Usage::default() }),
        request: Some(hash(5)),
        handle: None,
    }))
}

pub(super) fn done(life: &SessionSizeFixture) -> Input {
    Input::CallFinished {
        call: life.snapshot.facts.id.call_id(4, 0),
        attempt: 0,
        outcome: CallOutcome::Succeeded {
            content: r#"{"id":"d_9f2k","kg":72.50,"at":"2026-09-21"}"#.into(),
            digest: hash(6),
            files: Vec::new(),
        },
    }
}

#[test]
fn a_round_with_one_small_call_is_small() {
    let mut life = SessionSizeFixture::asked();
    life.take(reply(vec![action()]));
    let ended = done(&life);
    life.take(ended);
    let entries: Vec<usize> =
        life.entries[3..].iter().map(|entry| encode_entry(entry).unwrap().body.len()).collect();
    let call = encode_call(
        life.calls.last().unwrap(),
        CallPosition { session: &life.snapshot.facts.id, sequence: 4, ordinal: 0 },
        Some(45),
    )
    .unwrap();
    let Snapshot { facts, phase } = &life.snapshot;
    let session = encode_snapshot(facts, phase).unwrap().len();
    println!("entries {entries:?}, call {}, session {session}", call.body.len());
    let lasting = entries.iter().sum::<usize>() + call.body.len();
    // 128 of these bytes are hashes that a store stores only once.
    assert!(lasting < 700, "what a round leaves behind: {lasting}");
    assert!(session < 300, "what is written over: {session}");
}
