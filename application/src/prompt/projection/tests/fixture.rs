//! Logs as the real state machine writes them.

use std::sync::Arc;

use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::{Command, CommandKind, CommandTerms, EffectClass};
use entracte_domain::file::FileReference;
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::message::{AiMessage, ProviderTurn, UserMessage};
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{
    AiResponse, CallLookup, ContextSummary, Dialect, Effect, FormatFault, Input, LimitProfile, Phase,
    ReplyEnd, RequestedCall, SessionFacts, SessionKind, SessionRules, Slot, SummaryMethod, UserMessageSent,
    desired_effects, transition,
};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{ApprovalReason, Decision, DecisionVerdict, ValidationLevel};
use entracte_domain::value::JsonValue;

use crate::commands::RESULT_MAX_CHARS;
use crate::journal::JournalEntry;
use crate::ports::{PromptTurn, UserTurnPart};
use crate::prompt::{Projection, PromptStyle};
use crate::settings::Language;
use crate::texts::LocalizedTexts;

/// An open session.
pub(super) struct ProjectionFixture {
    pub(super) facts: SessionFacts,
    pub(super) phase: Phase,
    pub(super) rules: SessionRules,
    pub(super) entries: Vec<JournalEntry>,
    pub(super) projection: Projection,
    now: Timestamp,
}

impl ProjectionFixture {
    pub(super) fn new(kind: SessionKind, dialect: Dialect) -> Self {
        let now = Timestamp(1_795_199_529_000_000);
        let mut facts = SessionFacts::new(SessionId::new("ses_a"), WorkspaceKey::new("ana:home"), kind, now);
        facts.dialect = dialect;
        let mut story = Self {
            facts,
            phase: Phase::Idle,
            rules: SessionRules::new(kind, LimitProfile::Autonomous),
            entries: Vec::new(),
            projection: Projection::new(&style("Europe/Paris")).with_dialect(dialect),
            now,
        };
        story.feed(Input::StandingChanged { slot: Slot::Held });
        story
    }

    /// Applies an input; returns its entry unless the input was ignored.
    pub(super) fn feed(&mut self, input: Input) -> Option<JournalEntry> {
        self.now = self.now.plus(Millis::seconds(1));
        let taken = transition(&mut self.facts, &mut self.phase, input.clone(), self.now, &self.rules);
        let mut record = taken.ok()?;
        LocalizedTexts::for_language(Language::En)
            .render_appended_messages(crate::command_naming::CommandNaming::Types, &mut record.appended);
        let entry = JournalEntry {
            seq: self.entries.len() as u64 + 1,
            session: self.facts.id.clone(),
            sequence: self.facts.sequence,
            at: self.now,
            rules: Digest::new("rules"),
            input,
            appended: record.appended,
        };
        self.projection.push(&entry, None);
        self.entries.push(entry.clone());
        Some(entry)
    }

    pub(super) fn wait(&mut self, span: Millis) {
        self.now = self.now.plus(span);
    }

    pub(super) fn say(&mut self, author: &str, text: &str) -> Option<JournalEntry> {
        self.send(author, UserMessage::text(text))
    }

    pub(super) fn send(&mut self, author: &str, message: UserMessage) -> Option<JournalEntry> {
        self.feed(Input::UserMessageSent(UserMessageSent {
            author: author.into(),
            message,
            client_key: None,
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        }))
    }

    pub(super) fn say_with_query(&mut self, text: &str) -> Option<JournalEntry> {
        self.feed(Input::UserMessageSent(UserMessageSent {
            author: "ana".into(),
            message: UserMessage::text(text),
            client_key: None,
            enrichments: vec![call(None, CommandKind::Query, text, false)],
            title: None,
            asks: true,
            instead_of: Vec::new(),
        }))
    }

    pub(super) fn reply(&mut self, message: AiMessage, calls: Vec<RequestedCall>) -> Option<JournalEntry> {
        self.reply_with(message, calls, Vec::new())
    }

    pub(super) fn reply_with(
        &mut self,
        message: AiMessage,
        calls: Vec<RequestedCall>,
        faults: Vec<FormatFault>,
    ) -> Option<JournalEntry> {
        let round = self.phase.round()?.clone();
        let request = Some(Digest::new("body"));
        self.feed(Input::AiResponseReceived(Box::new(AiResponse {
            round: round.number,
            attempt: round.attempt,
            message,
            end: ReplyEnd::Done,
            asks_at_limit: true,
            faults,
            calls,
            usage: None,
            request,
            handle: None,
        })))
    }

    /// Ends the next call under way.
    pub(super) fn finish(&mut self, content: Result<&str, &str>) -> Option<JournalEntry> {
        self.end_call(match content {
            Ok(content) => CallOutcome::Succeeded {
                content: content.into(),
                digest: Digest::new(content),
                files: Vec::new(),
            },
            Err(message) => CallOutcome::Failed(CallFailure {
                code: "NOT_FOUND".into(),
                message: message.into(),
                path: None,
                retryable: false,
            }),
        })
    }

    /// Ends the next call under way with a result that has files.
    pub(super) fn finish_with_files(
        &mut self,
        content: &str,
        files: Vec<FileReference>,
    ) -> Option<JournalEntry> {
        let digest = Digest::new(content);
        self.end_call(CallOutcome::Succeeded { content: content.into(), files, digest })
    }

    fn end_call(&mut self, outcome: CallOutcome) -> Option<JournalEntry> {
        let effects = desired_effects(&self.facts, &self.phase, self.now);
        let (call, attempt) = effects.into_iter().find_map(|effect| match effect {
            Effect::RunCall { call, attempt } | Effect::AskCall { call, attempt } => Some((call, attempt)),
            Effect::PlanCall { call } => Some((call, 0)),
            Effect::CallModel { .. } | Effect::Compact { .. } | Effect::AskPolicy { .. } => None,
        })?;
        self.feed(Input::CallFinished { call, attempt, outcome })
    }

    pub(super) fn decide(&mut self, verdict: DecisionVerdict) -> Option<JournalEntry> {
        let open: Vec<CallId> = self.phase.batch()?.undecided().map(|call| call.id.clone()).collect();
        let decisions = open
            .into_iter()
            .map(|call| Decision { call, card: None, verdict: verdict.clone(), rule: None })
            .collect();
        self.feed(Input::ValidationReceived { author: "ana".into(), decisions })
    }

    pub(super) fn fail(&mut self, class: FailureClass) -> Option<JournalEntry> {
        let round = self.phase.round()?.clone();
        let failure = ModelFailure {
            class,
            message: "it failed".into(),
            retry_after: None,
            jitter: Millis(0),
            found_by_start: None,
            instead: None,
        };
        self.feed(Input::ProviderErrorOccurred {
            round: round.number,
            attempt: round.attempt,
            failure,
            usage: None,
        })
    }

    pub(super) fn compact(&mut self, summary: &str) -> Option<JournalEntry> {
        let round = self.phase.round()?.clone();
        self.feed(Input::ContextCompacted {
            round: round.number,
            attempt: round.attempt,
            summary: Box::new(summary_of_before(summary)),
            asked: None,
            usage: None,
            prefix: None,
        })
    }

    pub(super) fn shown(&self) -> String {
        show(&self.projection.turns())
    }
}

/// A summary as older journals have it.
fn summary_of_before(text: &str) -> ContextSummary {
    ContextSummary {
        text: text.into(),
        items: Vec::new(),
        kept_from: None,
        folded: Vec::new(),
        files_from: None,
        covers_to: 0,
        method: SummaryMethod::Words,
    }
}

/// A reply with this text.
pub(super) fn said(text: &str) -> AiMessage {
    AiMessage {
        pre_text: text.into(),
        original: text.into(),
        provider_turn: Some(ProviderTurn { dialect: "test".into(), bytes: format!("[{text}]") }),
        ..AiMessage::default()
    }
}

/// A call of a known command.
pub(super) fn call(id: Option<&str>, kind: CommandKind, argument: &str, guarded: bool) -> RequestedCall {
    let (name, effect) = match kind {
        CommandKind::Query => ("tool_data.list", EffectClass::Read),
        CommandKind::Action => ("tool_data.update", EffectClass::Once),
    };
    let command =
        Command { name: name.into(), arguments: JsonValue::from([("of", JsonValue::from(argument))]) };
    let terms = CommandTerms {
        version: Digest::new("v1"),
        effect,
        independent: false,
        state_scopes: Vec::new(),
        destructive: false,
        asks: false,
        settle_ms: 0,
        key_lifetime_ms: 0,
        shows: Vec::new(),
        agent: None,
        task: None,
    };
    let reasons = if guarded {
        vec![ApprovalReason { level: ValidationLevel::App, about: None, text: "so".into(), approvers: None }]
    } else {
        Vec::new()
    };
    RequestedCall {
        provider_call_id: id.map(str::to_owned),
        command_id: Digest::new(command.canonical_bytes()),
        command,
        kind,
        lookup: CallLookup::Known { terms, reasons, twin: None, rule: None, card: None, policy: false },
    }
}

/// The English style in this time zone.
pub(super) fn style(zone: &str) -> PromptStyle {
    PromptStyle {
        language: Language::En,
        zone: zone.into(),
        result_max_chars: RESULT_MAX_CHARS,
        layers: None,
        read_on: None,
        naming: None,
    }
}

/// Turns as text.
pub(super) fn show(turns: &[Arc<PromptTurn>]) -> String {
    let mut lines = Vec::new();
    for turn in turns {
        match turn.as_ref() {
            PromptTurn::User(parts) => {
                lines.push("USER".to_owned());
                lines.extend(parts.iter().map(show_part));
            }
            PromptTurn::Assistant(said) => {
                let raw = if said.raw.is_some() { " raw" } else { "" };
                lines.push(format!("ASSISTANT{raw}: {}", said.text));
                lines.extend(said.calls.iter().map(|call| {
                    format!("  call {}: {}({})", call.provider_call_id, call.name, call.arguments)
                }));
            }
        }
    }
    lines.join("\n")
}

fn show_part(part: &UserTurnPart) -> String {
    match part {
        UserTurnPart::Text(text) => format!("  text {text}"),
        UserTurnPart::System(text) => format!("  system {}", text.replace('\n', "\n    ")),
        UserTurnPart::File(file) => format!("  file {}", file.digest),
        UserTurnPart::Result { provider_call_id, name: _, content, is_error, files: _ } => {
            let error = if *is_error { " error" } else { "" };
            format!("  result {provider_call_id}{error}: {content}")
        }
    }
}
