//! Fixtures of this crate's unit tests: a few commands, sessions moved by the real machine, a clock that a test may
//! pause.

mod clocks;
mod empty;
mod sample_commands;

pub(crate) use clocks::{HangingExecutor, PausedClock};
pub(crate) use empty::no_rows;
pub(crate) use sample_commands::few_commands;

use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::localizable_text::sentences;
use entracte_domain::message::{AiMessage, UserMessage};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Standing;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    AiResponse, CallLookup, Dialect, Input, LimitProfile, Phase, ReplyEnd, RequestedCall, RunPolicy,
    SessionCreation, SessionFacts, SessionKind, SessionRules, Slot, UserMessageSent, transition_as_entry,
    unseen_end, wake_at,
};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::usage::Usage;
use entracte_domain::validation::{ApprovalCard, ApprovalReason, PromptAuthors, ValidationLevel};
use entracte_domain::value::JsonValue;
use serde_json::json;

use crate::codec::{CallPosition, encode_call, encode_entry, encode_rules, encode_snapshot};
use crate::commands::{Catalog, CurrentCatalog};
use crate::journal::JournalEntry;
use crate::ports::CommandSpec;
use crate::ports::{
    CallRow, CommandExecutor, InProcessOwnership, LogRow, MockAutomationReader, MockCommandExecutor,
    MockEventFeed, MockIdGenerator, MockLogReader, MockMailStore, MockProviderRegistry,
    MockScheduleCalculator, MockWorkspaceStore, NoopObserver, NoopScrubber, ProviderFailure, SessionRow,
    StoreError, WakeSchedule,
};
use crate::rule_book::RuleBook;
use crate::runtime::{DualClockInstant, EffectContext, OwnershipLease, RuntimeServices};
use crate::settings::{Language, RuntimeSettings};
use crate::system::sha256;
use crate::texts::LocalizedTexts;

/// 2026-11-20T12:00:00Z.
pub(crate) const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

pub(crate) fn workspace() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

pub(crate) fn session() -> SessionId {
    SessionId::new("ses_k1")
}

pub(crate) fn unavailable() -> StoreError {
    StoreError::Unavailable("the disk is full".into())
}

pub(crate) const LIST: &str = "entries.list";
pub(crate) const CREATE: &str = "entries.create";
pub(crate) const SEND: &str = "mail.send";

/// `LIST_ENTRIES`, a query.
pub(crate) fn list() -> CommandSpec {
    CommandSpec {
        word: "LIST_ENTRIES".into(),
        name: LIST.into(),
        kind: CommandKind::Query,
        effect: EffectClass::Read,
        schema: schema(json!({ "tool": { "type": "string" } })),
        cacheable: true,
        independent: false,
        state_scopes: Vec::new(),
        destructive: false,
        egress: false,
        asks: false,
        four_eyes: false,
        approvers: None,
        server: None,
        agent: None,
        target: serde_json::Value::Null,
        timeout: None,
        settle: Millis(0),
        key_lifetime: Millis(0),
        task: None,
        doc: "Lists the entries of a tool.".into(),
        example: None,
    }
}

/// `CREATE_ENTRY`, a local action.
pub(crate) fn create() -> CommandSpec {
    CommandSpec {
        word: "CREATE_ENTRY".into(),
        name: CREATE.into(),
        kind: CommandKind::Action,
        effect: EffectClass::Local,
        schema: schema(json!({ "tool": { "type": "string" }, "kg": { "type": "number" } })),
        cacheable: false,
        doc: "Creates an entry.".into(),
        ..list()
    }
}

/// `SEND_MAIL`, an external action that is never repeated automatically.
pub(crate) fn send() -> CommandSpec {
    CommandSpec {
        word: "SEND_MAIL".into(),
        name: SEND.into(),
        effect: EffectClass::Once,
        egress: true,
        four_eyes: false,
        approvers: None,
        doc: "Sends a mail.".into(),
        ..create()
    }
}

fn schema(properties: serde_json::Value) -> crate::schema::SchemaDocument {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": ["tool"],
        "additionalProperties": false,
    });
    schema.into()
}

/// An executor that declares these commands; a test adds its behaviour.
pub(crate) fn executor(specs: Vec<CommandSpec>) -> MockCommandExecutor {
    let mut executor = MockCommandExecutor::new();
    executor.expect_resource_model().returning(|| None);
    executor.expect_schema().returning(|_, _| Ok(None));
    executor.expect_overwrites().returning(|_, _| Ok(Vec::new()));
    executor.expect_precheck().returning(|_| None);
    executor.expect_commands().return_const(specs);
    executor.expect_schemas_are_tested().return_const(false);
    executor
}

pub(crate) fn catalog_of(executor: impl CommandExecutor + 'static) -> Arc<Catalog> {
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(executor)];
    Arc::new(Catalog::new(&executors).unwrap())
}

/// The catalog of the three commands, with an executor that must not be called.
pub(crate) fn catalog() -> Arc<Catalog> {
    catalog_of(executor(vec![list(), create(), send()]))
}

pub(crate) fn arguments() -> JsonValue {
    JsonValue::from([("tool", JsonValue::from("weight"))])
}

pub(crate) fn command(name: &str) -> Command {
    Command { name: name.into(), arguments: arguments() }
}

/// A call after its lookup, of the command in [`catalog`].
pub(crate) fn requested_call(name: &str, guarded: bool) -> RequestedCall {
    let catalog = catalog();
    let known = catalog.find(name).unwrap();
    let command = command(name);
    let reason = ApprovalReason {
        level: ValidationLevel::AiRequest,
        about: None,
        text: sentences::approval_model(),
        approvers: None,
    };
    RequestedCall {
        provider_call_id: None,
        command_id: sha256(command.canonical_bytes().as_bytes()),
        command,
        kind: known.spec.kind,
        lookup: CallLookup::Known {
            terms: known.terms(),
            reasons: guarded.then_some(reason).into_iter().collect(),
            twin: None,
            rule: None,
            card: None,
            policy: false,
        },
    }
}

/// A session moved by the real machine, with everything a store would contain of it.
pub(crate) struct MachineSessionFixture {
    pub(crate) facts: SessionFacts,
    pub(crate) phase: Phase,
    pub(crate) entries: Vec<JournalEntry>,
    pub(crate) calls: Vec<CallRow>,
    pub(crate) rules: SessionRules,
    now: Timestamp,
}

impl MachineSessionFixture {
    /// A chat that was just created.
    pub(crate) fn chat() -> Self {
        let facts = SessionFacts::new(session(), workspace(), SessionKind::Chat, NOON);
        let story = Self {
            facts,
            phase: Phase::Idle,
            entries: Vec::new(),
            calls: Vec::new(),
            rules: SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous),
            // The first input, a second later, creates it.
            now: NOON.plus(Millis::seconds(-1)),
        };
        story.with_input(Input::SessionCreated(Box::new(SessionCreation {
            name: "weight".into(),
            require_validation: false,
            mode: None,
            restriction: Restriction::Open,
            automation: None,
            scheduled_at: None,
            parent: None,
            provider: "claude".into(),
            model: "sonnet".into(),
            dialect: Dialect::Envelope,
            prefix: sha256(b"prefix"),
            told: Vec::new(),
            run: None,
            agent: None,
            policy: RunPolicy::default(),
            prompt_authors: Some(PromptAuthors::default()),
            grant: None,
        })))
    }

    /// Adds a user message, and the start of a model call.
    pub(crate) fn with_model_called(self) -> Self {
        self.with_user_message().with_input(Input::StandingChanged { slot: Slot::Held })
    }

    /// Adds a user message.
    pub(crate) fn with_user_message(self) -> Self {
        self.with_input(Input::UserMessageSent(UserMessageSent {
            author: "ann".into(),
            message: UserMessage::text("I weigh 72.5 kg."),
            client_key: None,
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        }))
    }

    /// Adds a reply of the model that requests these calls.
    pub(crate) fn with_reply(self, said: AiMessage, calls: Vec<RequestedCall>) -> Self {
        let round = self.phase.round().unwrap().clone();
        self.with_input(Input::AiResponseReceived(Box::new(AiResponse {
            round: round.number,
            attempt: round.attempt,
            message: said,
            end: ReplyEnd::Done,
            asks_at_limit: true,
            faults: Vec::new(),
            calls,
            usage: Some(Usage { input: 10, output: 5, ..Usage::default() }),
            request: None,
            handle: None,
        })))
    }

    /// Adds a text reply of the model.
    pub(crate) fn with_text_reply(self, text: &str) -> Self {
        self.with_reply(AiMessage { pre_text: text.into(), ..AiMessage::default() }, Vec::new())
    }

    /// Adds a reply that requests these commands, each of which needs approval.
    pub(crate) fn with_approval_requests(self, names: &[&str]) -> Self {
        let calls = names.iter().enumerate().map(|(index, name)| {
            let mut call = requested_call(name, true);
            // Equal commands would be one call.
            call.command.arguments = JsonValue::from([
                ("tool", JsonValue::from("weight")),
                ("kg", JsonValue::from(70 + index as i64)),
            ]);
            call.command_id = sha256(call.command.canonical_bytes().as_bytes());
            self.with_card(call, index)
        });
        let calls = calls.collect();
        self.with_reply(AiMessage { pre_text: "May I?".into(), ..AiMessage::default() }, calls)
    }

    /// The call with its card, as the pipeline creates it.
    fn with_card(&self, mut call: RequestedCall, ordinal: usize) -> RequestedCall {
        let id = self.facts.id.call_id(self.facts.sequence + 1, ordinal);
        if let CallLookup::Known { terms, reasons, card, .. } = &mut call.lookup {
            let shown = ApprovalCard {
                session: &self.facts.id,
                call: &id,
                version: &terms.version,
                command: &call.command,
                reasons,
                acts_as: self.facts.asked_by.acts_as.as_deref(),
                chain: &[],
                before: &[],
            };
            *card = Some(sha256(shown.canonical_bytes().as_bytes()));
        }
        call
    }

    /// The digest of the card of an open call.
    pub(crate) fn card(&self, call: &CallId) -> Option<Digest> {
        self.phase.batch()?.call(call)?.card.clone()
    }

    /// Applies an input one second later.
    pub(crate) fn with_input(mut self, input: Input) -> Self {
        self.now = self.now.plus(Millis::seconds(1));
        let (seq, rules) = (101 + self.facts.sequence, &self.rules);
        let taken =
            transition_as_entry(&mut self.facts, &mut self.phase, input.clone(), seq, self.now, rules);
        assert!(taken.is_ok(), "{}: {taken:?}", input.label());
        let mut record = taken.unwrap_or_default();
        LocalizedTexts::for_language(Language::En)
            .render_appended_messages(crate::command_naming::CommandNaming::Types, &mut record.appended);
        let entry = JournalEntry {
            seq: 100 + self.facts.sequence,
            session: self.facts.id.clone(),
            sequence: self.facts.sequence,
            at: self.now,
            rules: sha256(&self.rules_bytes()),
            input,
            appended: record.appended,
        };
        for call in &record.calls {
            self.note(call, entry.seq);
        }
        self.entries.push(entry);
        self
    }

    fn note(&mut self, call: &Call, seq: u64) {
        let mut numbers = call.id.as_str().rsplit('_');
        let ordinal = numbers.next().unwrap().parse().unwrap();
        let sequence = numbers.next().unwrap().parse().unwrap();
        let result_seq = call.is_finished().then_some(seq);
        let row = encode_call(call, CallPosition { session: &self.facts.id, sequence, ordinal }, result_seq)
            .unwrap();
        self.calls.retain(|known| known.id != row.id);
        self.calls.push(row);
    }

    /// The ids of the calls that wait for approval.
    pub(crate) fn open_call_ids(&self) -> Vec<CallId> {
        self.phase.batch().unwrap().undecided().map(|call| call.id.clone()).collect()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    pub(crate) fn rules_bytes(&self) -> Vec<u8> {
        encode_rules(&self.rules).unwrap()
    }

    pub(crate) fn log(&self) -> Vec<LogRow> {
        self.entries.iter().map(|entry| encode_entry(entry).unwrap()).collect()
    }

    pub(crate) fn row(&self) -> SessionRow {
        let (facts, phase) = (self.facts.clone(), self.phase.clone());
        SessionRow {
            id: facts.id.clone(),
            workspace: facts.workspace.clone(),
            kind: facts.kind,
            name: facts.name.clone(),
            standing: Standing::Active,
            phase: phase.label(),
            sequence: facts.sequence,
            placed: true,
            working: false,
            waiting: phase.waits_for_person()
                || unseen_end(&facts, &phase).is_some()
                || !facts.failed.is_empty(),
            wake_at: wake_at(&facts, &phase, &self.rules),
            end_reason: None,
            created_at: facts.created_at,
            last_activity: facts.last_event_at,
            body: encode_snapshot(&facts, &phase).unwrap(),
        }
    }
}

/// Services whose ports do nothing: a test replaces those it needs. The clock is tokio's.
pub(crate) fn services() -> RuntimeServices {
    RuntimeServices {
        store: Arc::new(MockWorkspaceStore::new()),
        log: Arc::new(MockLogReader::new()),
        rows: Arc::new(no_rows()),
        mail_store: Arc::new(MockMailStore::new()),
        automations: Arc::new(no_automations()),
        tasks: Arc::new(empty::no_tasks()),
        ownership: Arc::new(InProcessOwnership::default()),
        knowledge: None,
        files: None,
        calculator: Arc::new(MockScheduleCalculator::new()),
        prompt_parts: Arc::default(),
        accounts: Arc::default(),
        connectivity: None,
        secrets: Arc::new(NoopScrubber),
        policy_hook: None,
        policy_queue: Arc::default(),
        providers: Arc::new(no_providers()),
        catalog: CurrentCatalog::new(catalog()),
        clock: Arc::new(PausedClock::default()),
        ids: Arc::new(MockIdGenerator::new()),
        feed: Arc::new(MockEventFeed::new()),
        observer: Arc::new(NoopObserver),
        rules: RuleBook::default(),
        settings: RuntimeSettings::default(),
        started_at: NOON,
    }
}

/// A workspace without automations.
pub(crate) fn no_automations() -> MockAutomationReader {
    let mut automations = MockAutomationReader::new();
    automations.expect_automations().returning(|_| Ok(Vec::new()));
    automations.expect_wake_schedule().returning(|_| Ok(WakeSchedule::default()));
    automations
}

/// A configuration without providers.
pub(crate) fn no_providers() -> MockProviderRegistry {
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(|name| {
        Err(ProviderFailure {
            class: FailureClass::Misconfigured,
            message: format!("there is no provider {name}"),
            retry_after: None,
            usage: None,
        })
    });
    providers
}

/// The owner of these services' store.
pub(crate) async fn owner(services: &RuntimeServices) -> Arc<OwnershipLease> {
    Arc::new(services.acquire_ownership().await.unwrap())
}

/// The context of an effect of these services, requested now.
pub(crate) async fn effect_context(services: Arc<RuntimeServices>) -> EffectContext {
    let (owner, begun) = (owner(&services).await, DualClockInstant::now(&*services.clock));
    EffectContext { services, owner, begun, under_way: Arc::default(), language: Language::En }
}
