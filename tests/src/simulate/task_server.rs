//! The external side of long tasks: it accepts requests, and answers at random.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::ports::{
    CallRequest, CallbackVerifier, CommandExecutor, CommandSpec, SignedMessage, TaskGateway,
    TaskGatewayRequest, TaskSpec,
};
use entracte_application::system::sha256;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::EffectClass;
use entracte_domain::id::TaskId;
use entracte_domain::task::{CancelResponse, TaskHandle, TaskOutcome, TaskProtocol, TaskUpdate};
use entracte_domain::time::{Millis, Timestamp};

use super::rng::SeededRng;

/// The maximum duration of a task.
const DEADLINE: Millis = Millis::hours(2);

/// The signature of authorized senders of task messages.
pub(super) const SIGNED: &str = "signed";

/// The result of a task that is done at once.
pub(super) const DONE_AT_ONCE: &str = "done at once";

/// A text that no authorized sender ever sends.
pub(super) const FORGED: &str = "forged";

/// The task messages so far.
#[derive(Default)]
pub(super) struct TaskDeliveryLog {
    /// The messages of each task: id and body.
    pub(super) messages: BTreeMap<TaskId, Vec<(String, String)>>,
    /// The messages that were answered.
    pub(super) answered: BTreeSet<(TaskId, String)>,
    /// The ends that were acknowledged as new: their content must stay.
    pub(super) ends: Vec<(TaskId, String)>,
}

/// The outcome of the request that dispatches a task.
#[derive(Clone, Copy)]
pub(super) enum TaskDispatchFate {
    /// It is accepted; `asks_to_be_asked`: its state should be polled.
    Taken { asks_to_be_asked: bool },
    /// The connection is cut; `was_taken`: it was accepted before.
    Cut { was_taken: bool },
    /// It is done at once.
    Done,
    /// It is definitely refused.
    Refused,
}

impl TaskDispatchFate {
    pub(super) fn draw_from(chance: &mut SeededRng) -> Self {
        match chance.below(10) {
            0..=6 => Self::Taken { asks_to_be_asked: chance.percent(50) },
            7 => Self::Cut { was_taken: chance.percent(70) },
            8 => Self::Done,
            _ => Self::Refused,
        }
    }
}

/// The simulated task server. It outlives every process.
#[derive(Default)]
pub(super) struct SimulatedTaskServer {
    /// The outcome of the next request.
    next: Mutex<Option<TaskDispatchFate>>,
    /// The next answer to a poll; the best possible one if none is set.
    says: Mutex<Option<TaskUpdate>>,
    /// The accepted tasks.
    taken: Mutex<Vec<TaskId>>,
}

impl SimulatedTaskServer {
    /// Sets the outcome of the next request.
    pub(super) fn set_next_dispatch(&self, dispatch: TaskDispatchFate) {
        *self.next.lock().unwrap() = Some(dispatch);
    }

    /// Sets the next answer to a poll, a stop or an answer.
    pub(super) fn set_next_arrival(&self, arrival: TaskUpdate) {
        *self.says.lock().unwrap() = Some(arrival);
    }

    /// The accepted tasks, in order.
    pub(super) fn taken(&self) -> Vec<TaskId> {
        self.taken.lock().unwrap().clone()
    }

    fn take(&self, task: &TaskId) {
        let mut taken = self.taken.lock().unwrap();
        if !taken.contains(task) {
            taken.push(task.clone());
        }
    }

    fn answers(&self, best: TaskUpdate) -> TaskUpdate {
        self.says.lock().unwrap().take().unwrap_or(best)
    }
}

/// The end of a task.
pub(super) fn final_arrival(outcome: TaskOutcome, content: &str) -> TaskUpdate {
    TaskUpdate::Final { outcome, content: content.to_owned(), digest: sha256(content.as_bytes()) }
}

/// Calls the task server.
pub(super) struct SimulatedTaskExecutor(pub(super) Arc<SimulatedTaskServer>);

#[async_trait]
impl CommandExecutor for SimulatedTaskExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let of = |word, name, effect| {
            let task = TaskSpec { gateway: TaskProtocol::Http, is_registered: true, deadline: DEADLINE };
            let schema = serde_json::json!({ "type": "object" });
            let spec = CommandSpec::action(word, name, "Gives work away.", effect, schema);
            CommandSpec { task: Some(task), key_lifetime: Millis::hours(24), ..spec }
        };
        vec![of("CLOSE", "works.close", EffectClass::Once), of("FILE", "works.file", EffectClass::Idempotent)]
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let task = request.task.unwrap();
        let next = self.0.next.lock().unwrap().take();
        match next.unwrap_or(TaskDispatchFate::Taken { asks_to_be_asked: true }) {
            TaskDispatchFate::Taken { asks_to_be_asked } => {
                self.0.take(&task);
                let remote = Some(task.as_str().to_owned());
                let poll_after = asks_to_be_asked.then_some(Millis::minutes(1));
                let handle = TaskHandle { remote, poll_after, until: None };
                CallOutcome::Accepted { content: format!("{task} has begun"), task, handle }
            }
            TaskDispatchFate::Cut { was_taken } => {
                if was_taken {
                    self.0.take(&task);
                }
                CallOutcome::Lost { found_by_start: None, lands_by: None }
            }
            TaskDispatchFate::Done => {
                let content = DONE_AT_ONCE.to_owned();
                CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: Vec::new() }
            }
            TaskDispatchFate::Refused => CallOutcome::Failed(CallFailure {
                code: "REFUSED".into(),
                message: "it is not wanted".into(),
                path: None,
                retryable: false,
            }),
        }
    }

    fn gateway(&self) -> Option<Arc<dyn TaskGateway>> {
        Some(Arc::new(SimulatedTaskGateway(self.0.clone())))
    }
}

struct SimulatedTaskGateway(Arc<SimulatedTaskServer>);

#[async_trait]
impl TaskGateway for SimulatedTaskGateway {
    async fn poll(&self, request: TaskGatewayRequest) -> TaskUpdate {
        if !self.0.taken().contains(&request.task.id) {
            return TaskUpdate::Gone;
        }
        self.0.answers(final_arrival(TaskOutcome::Completed, "made in the end"))
    }

    async fn cancel(&self, _: TaskGatewayRequest) -> TaskUpdate {
        self.0.answers(TaskUpdate::CancelAnswered(CancelResponse::Confirmed))
    }

    async fn answer(&self, _: TaskGatewayRequest) -> TaskUpdate {
        self.0.answers(TaskUpdate::answer_taken())
    }
}

/// Accepts exactly the signature of authorized senders.
pub(super) struct SimulatedSignatureVerifier;

impl CallbackVerifier for SimulatedSignatureVerifier {
    fn verify(&self, command: Option<String>, message: &SignedMessage, _: Timestamp) -> bool {
        command.is_some() && message.signature == SIGNED
    }
}
