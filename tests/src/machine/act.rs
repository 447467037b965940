//! What can happen to a session, in short words. An act becomes inputs when a [`super::Run`] takes it in: rounds,
//! attempts and call ids are looked up in the state it meets.

use entracte_domain::call::{CallStatus, Failure};
use entracte_domain::command::{Command, CommandKind, EffectClass, Terms};
use entracte_domain::id::{CallId, Digest, TaskId};
use entracte_domain::message::{AiMessage, UserMessage};
use entracte_domain::plan::{PlanCommand, StepState};
use entracte_domain::question::Question;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    Creation, Dialect, FormatFault, Input, Lookup, RequestedCall, Slot, Twin, UserMessageSent,
};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{Level, Reason};
use entracte_domain::value::Value;

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// A user message with the queries of its enrichments.
    Message(Vec<Ask>),
    /// The slot is given, taken, queued for or suspended.
    Slot(Slot),
    /// A person lets it go on.
    Activate,
    /// The model answers the open attempt.
    Reply(Box<Reply>),
    /// The open attempt, or the compaction, fails.
    ModelFails {
        /// The class of the failure.
        class: FailureClass,
        /// When the provider says to come back, in milliseconds.
        retry_after: Option<i64>,
    },
    /// The open attempt fails, and this provider is named to go on.
    FallsBack {
        /// The class of the failure.
        class: FailureClass,
        /// Who goes on.
        to: &'static str,
    },
    /// The request of the open attempt is larger than it may be, and was not sent.
    TooLarge,
    /// The context was summed up.
    Compacted,
    /// The answer to the request for a summary is of no use.
    SummaryIsFaulty,
    /// There is no summary.
    CompactionFails,
    /// The call at this place of the batch comes to an end.
    Outcome {
        /// Its place.
        at: usize,
        /// What came of it.
        what: Outcome,
    },
    /// A person decides on the calls at these places.
    Decide(Vec<(usize, Choice)>),
    /// A person answers the question.
    Answer,
    /// A person says what became of the first call of unknown outcome.
    Settle,
    /// A person agrees that the work is done.
    Confirm,
    /// A person says it is not.
    RejectCompletion,
    /// The network is back.
    NetworkBack,
    /// Something of Entracte failed.
    SystemError,
    /// A person stops the work; `true` ends the session.
    Stop(bool),
    /// A person interrupts the round.
    Interrupt,
    /// Time passes, in milliseconds; nothing is fed.
    Wait(i64),
    /// Time passes to the next deadline, which is fed.
    Wake,
    /// `TimeReached` now.
    Time,
    /// The first open task ends.
    TaskEnds,
    /// The first open task is called off.
    TaskCalledOff,
    /// The end of a task that was called off comes after all.
    TaskEndsLate,
    /// The scheduler looks.
    Heartbeat,
    /// The process dies and starts again: what was started is found lost.
    Restart,
    /// An input as it is.
    Raw(Box<Input>),
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words of `CallOutcome`")]
pub enum Outcome {
    Succeeds,
    Accepted,
    Fails,
    FailsForNow,
    TimesOut,
    Lost,
    LostInCrash,
    Happened,
    DidNotHappen,
    NobodyKnows,
}

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Yes.
    Yes,
    /// Yes, with this argument instead.
    Edit(i64),
    /// No.
    No,
    /// No, and why.
    NoBecause,
}

/// One requested command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Name.
    pub name: &'static str,
    /// Query or action.
    pub kind: CommandKind,
    /// Effect class.
    pub effect: EffectClass,
    /// Its one argument.
    pub argument: i64,
    /// Needs approval.
    pub guarded: bool,
    /// May run beside its siblings.
    pub independent: bool,
    /// Refused by the look-up.
    pub refused: Option<CallStatus>,
    /// Age of a twin that succeeded, in milliseconds, and whether it is fresh.
    pub twin: Option<(i64, bool)>,
}

/// How long the tests' probes wait before a "no" counts, in milliseconds.
pub const SETTLE_MS: i64 = 2_000;
/// How long the tests' idempotency keys hold, in milliseconds.
pub const KEY_LIFETIME_MS: i64 = 60_000;

/// A query.
pub fn query(name: &'static str) -> Ask {
    ask(name, CommandKind::Query, EffectClass::Read)
}

/// An action, named after its effect class.
pub fn action(effect: EffectClass) -> Ask {
    let name = match effect {
        EffectClass::Read => "read",
        EffectClass::Local => "local",
        EffectClass::Idempotent => "idem",
        EffectClass::Probe => "probe",
        EffectClass::Once => "once",
    };
    ask(name, CommandKind::Action, effect)
}

/// An action on Entracte's own data.
pub fn local() -> Ask {
    action(EffectClass::Local)
}

/// An external action that accepts a key.
pub fn idem() -> Ask {
    action(EffectClass::Idempotent)
}

/// An external action that can be asked about.
pub fn probe() -> Ask {
    action(EffectClass::Probe)
}

/// An external action that is never repeated.
pub fn once() -> Ask {
    action(EffectClass::Once)
}

fn ask(name: &'static str, kind: CommandKind, effect: EffectClass) -> Ask {
    Ask { name, kind, effect, argument: 1, guarded: false, independent: false, refused: None, twin: None }
}

impl Ask {
    /// Under another name.
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// With another argument.
    pub fn with(mut self, argument: i64) -> Self {
        self.argument = argument;
        self
    }

    /// Needs approval.
    pub fn guarded(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// May run beside its siblings.
    pub fn independent(mut self) -> Self {
        self.independent = true;
        self
    }

    /// Refused by the look-up.
    pub fn refused(mut self, status: CallStatus) -> Self {
        self.refused = Some(status);
        self
    }

    /// Has a twin of this age that succeeded.
    pub fn twin(mut self, age_ms: i64, fresh: bool) -> Self {
        self.twin = Some((age_ms, fresh));
        self
    }

    /// The request as the pipeline hands it over at `now`.
    pub fn request(&self, now: Timestamp) -> RequestedCall {
        let command = command(self.name, self.argument);
        RequestedCall {
            provider_call_id: None,
            command_id: command_id(&command),
            command,
            kind: self.kind,
            lookup: self.lookup(now),
        }
    }

    fn lookup(&self, now: Timestamp) -> Lookup {
        if let Some(status) = self.refused {
            return Lookup::Refused {
                status,
                message: "refused".into(),
                path: Some("/n".into()),
                shows: None,
            };
        }
        let twin = self.twin.map(|(age_ms, fresh)| Twin {
            call: CallId::new("cal_earlier"),
            finished_at: Timestamp(now.0 - age_ms * 1000),
            content: "as before".into(),
            fresh,
        });
        Lookup::Known { terms: self.terms(), reasons: reasons(self.guarded), twin, rule: None, card: None }
    }

    fn terms(&self) -> Terms {
        Terms {
            version: Digest::new("v1"),
            effect: self.effect,
            independent: self.independent,
            destructive: false,
            asks: false,
            settle_ms: SETTLE_MS,
            key_lifetime_ms: KEY_LIFETIME_MS,
            shows: Vec::new(),
            task: None,
        }
    }
}

/// The reasons why approval is needed, or none.
pub fn reasons(guarded: bool) -> Vec<Reason> {
    if guarded {
        vec![Reason { level: Level::Catalog, about: None, text: "careful".into() }]
    } else {
        Vec::new()
    }
}

/// A plan of two steps, `1` and `2`; the argument is part of its title.
pub fn propose() -> Ask {
    local().named(PlanCommand::Propose.word()).guarded()
}

/// How far a step of the plan is.
pub fn stepped(step: i64, state: StepState) -> Ask {
    let place = StepState::ALL.iter().position(|known| *known == state).unwrap_or_default();
    local().named(PlanCommand::Step.word()).with(step * 10 + i64::try_from(place).unwrap_or_default())
}

/// A command of the tests.
pub fn command(name: &str, argument: i64) -> Command {
    let text = |text: String| Value::from(text);
    let arguments = match PlanCommand::from_word(name) {
        Some(PlanCommand::Propose) => {
            let step =
                |id: i64| Value::from([("id", text(id.to_string())), ("text", text(format!("Step {id}")))]);
            let steps = Value::List(vec![step(1), step(2)]);
            Value::from([("title", text(format!("Plan {argument}"))), ("steps", steps)])
        }
        Some(PlanCommand::Step) => {
            let place = usize::try_from(argument % 10).unwrap_or_default();
            let state = StepState::ALL[place % StepState::ALL.len()].word();
            Value::from([("id", text((argument / 10).to_string())), ("state", Value::from(state))])
        }
        None => Value::from([("n", Value::from(argument))]),
    };
    Command { name: name.into(), arguments }
}

/// A stand-in for the hash of a command.
pub fn command_id(command: &Command) -> Digest {
    Digest::new(command.canonical())
}

/// An answer of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reply {
    /// What it asks for.
    pub calls: Vec<Ask>,
    /// Code of what is wrong with it.
    pub fault: Option<&'static str>,
    /// A question.
    pub question: bool,
    /// The work is done.
    pub completed: bool,
    /// Wants to speak again.
    pub keep_control: bool,
    /// Wants a person to be asked.
    pub validation_request: bool,
    /// Text for after its actions.
    pub post_text: bool,
    /// It says nothing at all.
    pub silent: bool,
}

/// An answer of text alone.
pub fn text() -> Reply {
    Reply::default()
}

/// An answer that asks for these calls.
pub fn calls(calls: impl Into<Vec<Ask>>) -> Reply {
    Reply { calls: calls.into(), ..text() }
}

/// An answer that says nothing.
pub fn silence() -> Reply {
    Reply { silent: true, ..text() }
}

/// An answer that says the work is done.
pub fn completed() -> Reply {
    Reply { completed: true, ..text() }
}

/// An answer that asks the user something.
pub fn question() -> Reply {
    Reply { question: true, ..text() }
}

/// An answer that cannot be read.
pub fn malformed(code: &'static str) -> Reply {
    Reply { fault: Some(code), ..text() }
}

impl Reply {
    /// Wants to speak again after its actions.
    pub fn keep_control(mut self) -> Self {
        self.keep_control = true;
        self
    }

    /// Wants a person to be asked.
    pub fn validation_request(mut self) -> Self {
        self.validation_request = true;
        self
    }

    /// Says the work is done.
    pub fn completed(mut self) -> Self {
        self.completed = true;
        self
    }

    /// With a text for after its actions.
    pub fn post_text(mut self) -> Self {
        self.post_text = true;
        self
    }

    /// Its faults.
    pub fn faults(&self) -> Vec<FormatFault> {
        let fault = |code: &&str| FormatFault { code: (*code).to_owned(), text: "unreadable".into() };
        self.fault.iter().map(fault).collect()
    }

    /// What was said.
    pub fn message(&self) -> AiMessage {
        let said = if self.silent { "" } else { "said" };
        AiMessage {
            pre_text: said.into(),
            validation_request: self.validation_request,
            post_text: self.post_text.then(|| "all done".to_owned()),
            keep_control: self.keep_control,
            question: self.question.then(|| Question::Validation { message: "Go?".into() }),
            completed: self.completed,
            original: said.into(),
            ..AiMessage::default()
        }
    }
}

impl From<Reply> for Act {
    fn from(reply: Reply) -> Self {
        Act::Reply(Box::new(reply))
    }
}

impl From<Input> for Act {
    fn from(input: Input) -> Self {
        Act::Raw(Box::new(input))
    }
}

/// The session is made.
pub fn created() -> Act {
    let creation = Creation {
        name: "a session".into(),
        mode: None,
        require_validation: false,
        restriction: Restriction::Open,
        automation: None,
        scheduled_at: None,
        parent: None,
        provider: "provider".into(),
        model: "model".into(),
        dialect: Dialect::Envelope,
        prefix: Digest::new("p1"),
        told: Vec::new(),
        run: None,
    };
    Input::SessionCreated(Box::new(creation)).into()
}

/// A user message.
pub fn message() -> Act {
    Act::Message(Vec::new())
}

/// A user message with an enrichment.
pub fn message_with(query: Ask) -> Act {
    Act::Message(vec![query])
}

/// The input of a user message at `now`.
pub fn sent(enrichments: &[Ask], now: Timestamp) -> Input {
    Input::UserMessageSent(UserMessageSent {
        author: "ann".into(),
        message: UserMessage::text("hello"),
        client_key: None,
        enrichments: enrichments.iter().map(|ask| ask.request(now)).collect(),
        title: None,
        asks: true,
    })
}

/// The open attempt fails.
pub fn fails(class: FailureClass) -> Act {
    Act::ModelFails { class, retry_after: None }
}

/// The open attempt fails, and this provider is named to go on.
pub fn falls_back(class: FailureClass, to: &'static str) -> Act {
    Act::FallsBack { class, to }
}

/// The open attempt is throttled; the provider says when to come back.
pub fn throttled_ms(retry_after: i64) -> Act {
    Act::ModelFails { class: FailureClass::Throttled, retry_after: Some(retry_after) }
}

/// The call at `at` comes to an end.
pub fn outcome(at: usize, what: Outcome) -> Act {
    Act::Outcome { at, what }
}

/// One decision.
pub fn decide(at: usize, choice: Choice) -> Act {
    Act::Decide(vec![(at, choice)])
}

/// What the tests' tasks are called.
pub fn task() -> TaskId {
    TaskId::new("task")
}

/// The failure of an executor.
pub fn failure(retryable: bool) -> Failure {
    Failure { code: "BROKEN".into(), message: "it broke".into(), path: None, retryable }
}
