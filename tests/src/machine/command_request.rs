//! Commands that a model requests, in short words.

use entracte_domain::call::CallStatus;
use entracte_domain::command::{Command, CommandKind, CommandTerms, EffectClass};
use entracte_domain::id::{CallId, Digest};
use entracte_domain::plan::{PlanCommand, PlanStepState};
use entracte_domain::session::{CallLookup, IdenticalCall, RequestedCall};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ApprovalReason, ValidationLevel};
use entracte_domain::value::JsonValue;

use super::agent::{HELPER, helper};

/// One requested command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MachineCommandRequest {
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
    /// Has a card, as calls have since v0.1.
    pub carded: bool,
    /// The policy hook is asked about it.
    pub policed: bool,
    /// May run in parallel with its siblings.
    pub independent: bool,
    /// The server or resource whose state it reads or changes.
    pub scope: Option<&'static str>,
    /// The status with which the look-up refuses it.
    pub refused: Option<CallStatus>,
    /// Age in milliseconds of a twin that succeeded, and whether it is fresh.
    pub twin: Option<(i64, bool)>,
}

/// How long the tests' probes wait before a "no" counts, in milliseconds.
pub const SETTLE_MS: i64 = 2_000;
/// Lifetime of the tests' idempotency keys, in milliseconds.
pub const KEY_LIFETIME_MS: i64 = 60_000;

/// A query.
pub fn query(name: &'static str) -> MachineCommandRequest {
    ask(name, CommandKind::Query, EffectClass::Read)
}

/// An action, named after its effect class.
pub fn action(effect: EffectClass) -> MachineCommandRequest {
    let name = match effect {
        EffectClass::Read => "read",
        EffectClass::Local => "local",
        EffectClass::Idempotent => "idem",
        EffectClass::Probe => "probe",
        EffectClass::Once => "once",
        EffectClass::Child => "child",
    };
    ask(name, CommandKind::Action, effect)
}

/// An action on Entracte's own data.
pub fn local() -> MachineCommandRequest {
    action(EffectClass::Local)
}

/// An external action that accepts an idempotency key.
pub fn idem() -> MachineCommandRequest {
    action(EffectClass::Idempotent)
}

/// An external action whose outcome can be queried.
pub fn probe() -> MachineCommandRequest {
    action(EffectClass::Probe)
}

/// An external action that is never repeated.
pub fn once() -> MachineCommandRequest {
    action(EffectClass::Once)
}

fn ask(name: &'static str, kind: CommandKind, effect: EffectClass) -> MachineCommandRequest {
    MachineCommandRequest {
        name,
        kind,
        effect,
        argument: 1,
        guarded: false,
        carded: false,
        policed: false,
        independent: false,
        scope: None,
        refused: None,
        twin: None,
    }
}

/// A call of this name that an agent answers: [`HELPER`] creates one.
pub fn child(name: &'static str) -> MachineCommandRequest {
    action(EffectClass::Child).named(name)
}

impl MachineCommandRequest {
    /// Sets another name.
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Sets another argument.
    pub fn with(mut self, argument: i64) -> Self {
        self.argument = argument;
        self
    }

    /// Requires approval.
    pub fn guarded(mut self) -> Self {
        self.guarded = true;
        self
    }

    /// Adds a card.
    pub fn carded(mut self) -> Self {
        self.carded = true;
        self
    }

    /// Asks the policy hook about it.
    pub fn policed(mut self) -> Self {
        self.policed = true;
        self
    }

    /// Allows it to run in parallel with its siblings.
    pub fn independent(mut self) -> Self {
        self.independent = true;
        self
    }

    /// Reads or changes the state of this server or resource.
    pub fn of(mut self, scope: &'static str) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Makes the look-up refuse it.
    pub fn refused(mut self, status: CallStatus) -> Self {
        self.refused = Some(status);
        self
    }

    /// Adds a twin of this age that succeeded.
    pub fn twin(mut self, age_ms: i64, fresh: bool) -> Self {
        self.twin = Some((age_ms, fresh));
        self
    }

    /// The request as the pipeline passes it on at `now`.
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

    fn lookup(&self, now: Timestamp) -> CallLookup {
        if let Some(status) = self.refused {
            return CallLookup::Refused {
                status,
                message: "refused".into(),
                path: Some("/n".into()),
                shows: None,
            };
        }
        let twin = self.twin.map(|(age_ms, fresh)| IdenticalCall {
            call: CallId::new("cal_earlier"),
            finished_at: Timestamp(now.0 - age_ms * 1000),
            content: "as before".into(),
            files: Vec::new(),
            fresh,
        });
        let card = self.carded.then(|| Digest::new(format!("card of {} {}", self.name, self.argument)));
        CallLookup::Known {
            terms: self.terms(),
            reasons: reasons(self.guarded),
            twin,
            rule: None,
            card,
            policy: self.policed,
        }
    }

    fn terms(&self) -> CommandTerms {
        CommandTerms {
            version: Digest::new("v1"),
            effect: self.effect,
            independent: self.independent,
            state_scopes: self.scope.map(str::to_owned).into_iter().collect(),
            destructive: false,
            asks: false,
            settle_ms: SETTLE_MS,
            key_lifetime_ms: KEY_LIFETIME_MS,
            shows: Vec::new(),
            agent: (self.name == HELPER).then(|| Box::new(helper())),
            task: None,
        }
    }
}

/// The reasons why approval is needed; empty if it is not.
pub fn reasons(guarded: bool) -> Vec<ApprovalReason> {
    if guarded {
        vec![ApprovalReason {
            level: ValidationLevel::Catalog,
            about: None,
            text: "careful".into(),
            approvers: None,
        }]
    } else {
        Vec::new()
    }
}

/// A plan of two steps, `1` and `2`; the argument is part of its title.
pub fn propose() -> MachineCommandRequest {
    local().named(PlanCommand::Propose.word()).guarded()
}

/// Sets the state of a plan step.
pub fn set_plan_step(step: i64, state: PlanStepState) -> MachineCommandRequest {
    let place = PlanStepState::ALL.iter().position(|known| *known == state).unwrap_or_default();
    local().named(PlanCommand::Step.word()).with(step * 10 + i64::try_from(place).unwrap_or_default())
}

/// A command of the tests.
pub fn command(name: &str, argument: i64) -> Command {
    let text = |text: String| JsonValue::from(text);
    let arguments = match PlanCommand::from_word(name) {
        Some(PlanCommand::Propose) => {
            let step = |id: i64| {
                JsonValue::from([("id", text(id.to_string())), ("text", text(format!("Step {id}")))])
            };
            let steps = JsonValue::List(vec![step(1), step(2)]);
            JsonValue::from([("title", text(format!("Plan {argument}"))), ("steps", steps)])
        }
        Some(PlanCommand::Step) => {
            let place = usize::try_from(argument % 10).unwrap_or_default();
            let state = PlanStepState::ALL[place % PlanStepState::ALL.len()].word();
            JsonValue::from([("id", text((argument / 10).to_string())), ("state", JsonValue::from(state))])
        }
        None => JsonValue::from([("n", JsonValue::from(argument))]),
    };
    Command { name: name.into(), arguments }
}

/// A stand-in for the hash of a command.
pub fn command_id(command: &Command) -> Digest {
    Digest::new(command.canonical_bytes())
}
