//! An executor for the kit's tests: it sends letters, and its external effects are counters. Each [`ExecutorFault`]
//! breaks it in one place.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, CallRequest, CommandExecutor, CommandSpec,
    ResourceReader, StoreError,
};
use entracte_application::system::sha256;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::executor::{ExecutorFixture, ExternalEffectsProbe, no_rows, request};
use serde_json::json;

/// A fault of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExecutorFault {
    TakesAnything,
    CountsItsQueries,
    LooksAtNoKey,
    GoesOnUnheard,
    TakesNoAnswerForNo,
    TriesAgain,
    GuessesWhetherItHappened,
    ShowsNoValues,
    PlansWhatIsOutside,
    DoesSomethingElse,
    DeclaresTwice,
    SaysNotWhatItDoes,
    SettlesAtOnce,
    AnswersOtherwise,
    ForgetsItsKey,
    DoesNothing,
    DoesItTwice,
    RefusesWithoutReason,
    TakesARefusalForDone,
    AsksByDoing,
    NeverFinds,
    FindsWhatOthersDid,
    TellsWhatNobodyCanKnow,
    DescribesByDoing,
    DescribesOtherwise,
    ChecksByDoing,
    PlansByDoing,
    TakesARefusalForAnOutage,
    LosesWhatItDoesNotKnow,
    BlocksTheRuntime,
    NeverAnswers,
}

use ExecutorFault as Fault;

/// Counters of external effects.
#[derive(Default)]
struct LetterCounters {
    sent: BTreeSet<String>,
    changes: usize,
    knocks: usize,
    descriptions: usize,
    at_work: usize,
}

/// Probe and store of the external effects.
#[derive(Clone, Default)]
struct LetterEffectsProbe(Arc<Mutex<LetterCounters>>);

impl LetterEffectsProbe {
    fn with<T>(&self, look: impl FnOnce(&mut LetterCounters) -> T) -> T {
        look(&mut self.0.lock().expect("nobody panics with it"))
    }
}

impl ExternalEffectsProbe for LetterEffectsProbe {
    fn changes(&self) -> usize {
        self.with(|post| post.changes)
    }

    fn request_count(&self) -> usize {
        self.with(|post| post.knocks)
    }

    fn running_calls(&self) -> usize {
        self.with(|post| post.at_work)
    }
}

/// External work that runs until the guard is dropped.
struct LetterWorkGuard(LetterEffectsProbe);

impl LetterWorkGuard {
    fn begin(outside: &LetterEffectsProbe) -> Self {
        outside.with(|post| post.at_work += 1);
        Self(outside.clone())
    }
}

impl Drop for LetterWorkGuard {
    fn drop(&mut self) {
        self.0.with(|post| post.at_work -= 1);
    }
}

/// The executor, whose action has this class.
struct FaultyLetterExecutor {
    outside: LetterEffectsProbe,
    effect: EffectClass,
    fault: Option<Fault>,
}

/// A new executor with its own external effects.
pub(crate) fn commands(effect: EffectClass, fault: Option<Fault>) -> ExecutorFixture {
    let outside = LetterEffectsProbe::default();
    let send = |to: &str| request("letters.send", JsonValue::from([("to", JsonValue::from(to))]));
    ExecutorFixture {
        executor: Arc::new(FaultyLetterExecutor { outside: outside.clone(), effect, fault }),
        query: Some(request("letters.list", JsonValue::Object(Vec::new()))),
        action: Some(send("Bob in Brest")),
        unanswered: Some(send("nobody")),
        refused: Some(send("the moon")),
        rows: no_rows(),
        world: Box::new(outside),
        keep: Box::new(()),
    }
}

impl FaultyLetterExecutor {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn spec(&self, name: &str, word: &str, kind: CommandKind, effect: EffectClass) -> CommandSpec {
        let properties = match kind {
            CommandKind::Query => json!({}),
            CommandKind::Action => json!({ "to": { "type": "string" } }),
        };
        CommandSpec {
            word: word.into(),
            name: name.into(),
            kind,
            effect,
            schema: json!({ "type": "object", "properties": properties,
                "additionalProperties": self.has(Fault::TakesAnything) })
            .into(),
            cacheable: false,
            independent: true,
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
            settle: Millis(if self.has(Fault::SettlesAtOnce) { 0 } else { 1_000 }),
            key_lifetime: Millis::hours(1),
            task: None,
            doc: if self.has(Fault::SaysNotWhatItDoes) {
                String::new()
            } else {
                format!("{word} of the post.")
            },
            example: None,
        }
    }

    fn send(&self, request: &CallRequest) -> CallOutcome {
        let attempt = if self.has(Fault::ForgetsItsKey) { request.attempt } else { 1 };
        let change = match self.fault {
            Some(Fault::DoesNothing) => 0,
            Some(Fault::DoesItTwice) => 2,
            _ => 1,
        };
        self.outside.with(|post| {
            let is_new = post.sent.insert(format!("{} {attempt}", request.key));
            if is_new || self.effect != EffectClass::Idempotent || self.has(Fault::LooksAtNoKey) {
                post.changes += change;
            }
        });
        succeeded("sent")
    }

    async fn deliver(&self, request: &CallRequest) -> CallOutcome {
        self.outside.with(|post| post.knocks += 1);
        match to(request) {
            "nobody" => {
                let work = LetterWorkGuard::begin(&self.outside);
                if self.has(Fault::GoesOnUnheard) {
                    let _ = tokio::spawn(async move {
                        let _work = work;
                        std::future::pending::<()>().await;
                    })
                    .await;
                } else if self.has(Fault::TakesNoAnswerForNo) {
                    tokio::time::sleep(Duration::from_secs(30)).await;
                    return failed("NO_ANSWER", "nobody answered");
                }
                std::future::pending().await
            }
            "the moon" if self.has(Fault::RefusesWithoutReason) => failed("", " "),
            "the moon" if self.has(Fault::TakesARefusalForDone) => succeeded("sent"),
            "the moon" => failed("NO_SUCH_PLACE", "nobody carries letters to the moon"),
            _ => self.send(request),
        }
    }
}

fn to(request: &CallRequest) -> &str {
    request.command.arguments.get("to").and_then(JsonValue::as_text).unwrap_or_default()
}

fn succeeded(content: &str) -> CallOutcome {
    CallOutcome::Succeeded {
        content: content.to_owned(),
        digest: sha256(content.as_bytes()),
        files: Vec::new(),
    }
}

fn failed(code: &str, message: &str) -> CallOutcome {
    let (code, message) = (code.to_owned(), message.to_owned());
    CallOutcome::Failed(CallFailure { code, message, path: None, retryable: false })
}

#[async_trait]
impl CommandExecutor for FaultyLetterExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let list = self.spec("letters.list", "LETTERS", CommandKind::Query, EffectClass::Read);
        let send = self.spec("letters.send", "SEND_LETTER", CommandKind::Action, self.effect);
        let again = self.has(Fault::DeclaresTwice).then(|| send.clone());
        [list, send].into_iter().chain(again).collect()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        match self.fault {
            Some(Fault::NeverAnswers) => std::future::pending().await,
            Some(Fault::BlocksTheRuntime) => std::thread::sleep(Duration::from_millis(50)),
            _ => {}
        }
        match request.command.name.as_str() {
            "letters.list" => {
                if self.has(Fault::CountsItsQueries) {
                    self.outside.with(|post| post.changes += 1);
                }
                match self.has(Fault::AnswersOtherwise) {
                    true => succeeded(&format!("no letters, asked {} times", request.attempt)),
                    false => succeeded("no letters"),
                }
            }
            "letters.send" => {
                let outcome = self.deliver(&request).await;
                match outcome {
                    CallOutcome::Failed(_) if self.has(Fault::TriesAgain) => self.deliver(&request).await,
                    outcome => outcome,
                }
            }
            _ if self.has(Fault::DoesSomethingElse) => succeeded("done"),
            _ if self.has(Fault::LosesWhatItDoesNotKnow) => {
                CallOutcome::Lost { found_by_start: None, lands_by: None }
            }
            _ => failed("UNKNOWN_COMMAND", "the post does not know this"),
        }
    }

    async fn probe_outcome(&self, request: CallRequest) -> CallOutcome {
        if self.effect != EffectClass::Probe && !self.has(Fault::TellsWhatNobodyCanKnow) {
            return CallOutcome::Lost { found_by_start: None, lands_by: None };
        }
        if self.has(Fault::AsksByDoing) {
            self.outside.with(|post| post.changes += 1);
        }
        let own = format!("{} 1", request.key);
        let is_sent = self.outside.with(|post| match self.fault {
            Some(Fault::NeverFinds) => false,
            Some(Fault::FindsWhatOthersDid) => !post.sent.is_empty(),
            _ => post.sent.contains(&own),
        });
        let happened = Some(is_sent || self.has(Fault::GuessesWhetherItHappened));
        CallOutcome::Probed { happened, content: "sent".into(), digest: sha256(b"sent") }
    }

    async fn precheck(&self, _: CallRequest) -> Option<CallFailure> {
        if self.has(Fault::ChecksByDoing) {
            self.outside.with(|post| post.changes += 1);
        }
        None
    }

    async fn plan(
        &self,
        request: CallRequest,
        _: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        if self.has(Fault::PlansByDoing) {
            self.outside.with(|post| post.changes += 1);
        }
        if self.has(Fault::TakesARefusalForAnOutage) {
            return Err(StoreError::Unavailable("nothing is planned here".into()).into());
        }
        if self.has(Fault::PlansWhatIsOutside) {
            return Ok(ActionPlan { changes: Vec::new(), content: "sent".into() });
        }
        let message = format!("{} is done outside", request.command.name);
        let code = "NOT_LOCAL".to_owned();
        Err(ActionPlanError::Refused(CallFailure { code, message, path: None, retryable: false }))
    }

    async fn describe(
        &self,
        request: CallRequest,
        _: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let to = if self.has(Fault::ShowsNoValues) { "somebody" } else { to(&request) };
        if self.has(Fault::DescribesByDoing) {
            self.outside.with(|post| post.changes += 1);
        }
        let asked = self.outside.with(|post| {
            post.descriptions += 1;
            post.descriptions
        });
        let times = if self.has(Fault::DescribesOtherwise) { asked } else { 1 };
        let says = format!("Send a letter to {to}, {times} time");
        Ok(ActionDescription { says, ..ActionDescription::default() })
    }
}
