//! Random acts on long tasks: the task server sends messages early, in time, twice, late, with other content, or never;
//! a stranger sends forged ones; people cancel and answer; and polls get any answer.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::codec::decode_task;
use entracte_application::mail::{
    AnswerTaskRequest, CancelTaskRequest, Mail, MailAnswer, MailRequest, SettleCallRequest,
};
use entracte_application::ports::{
    MailPostError, MailSender, NoopScrubber, SignedMessage, TaskFilter, TaskReader,
};
use entracte_application::use_cases::{ReceiveTaskCallback, TaskCallbackPorts};
use entracte_domain::id::{TaskId, WorkspaceKey};
use entracte_domain::task::{CancelResponse, Task, TaskOutcome, TaskUpdate, TaskUpdateVerdict, TaskWork};
use entracte_domain::time::Millis;
use serde_json::json;

use super::rng::SeededRng;
use super::task_server::{FORGED, SIGNED, SimulatedSignatureVerifier, final_arrival};
use super::workspace::SimulatedWorkspace;
use crate::virtual_workspace::home;

/// Captures mail instead of posting it.
#[derive(Default)]
struct MailCapturingSender(Mutex<Option<Mail>>);

#[async_trait]
impl MailSender for MailCapturingSender {
    async fn post(&self, _: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        *self.0.lock().unwrap() = Some(mail);
        Err(MailPostError::NotOwner)
    }
}

impl SimulatedWorkspace {
    /// Performs a random act on a task.
    pub(super) async fn act_on_tasks(&mut self, chance: &mut SeededRng) -> String {
        match chance.below(15) {
            0..=4 => self.deliver_callback(chance).await,
            5..=8 => self.run_errand(chance).await,
            9 => self.call_off(chance).await,
            10 => self.settle_call(chance).await,
            11..=12 => self.deliver_outcome(chance).await,
            13 => self.halt_a_caller(chance).await,
            _ => self.answer_task(chance).await,
        }
    }

    /// The stored tasks.
    pub(super) async fn tasks(&self) -> Vec<Task> {
        let rows = self.world.store.tasks(&home(), TaskFilter::default()).await.unwrap();
        rows.iter().map(|row| decode_task(row).unwrap()).collect()
    }

    /// The task server, or a stranger, calls the callback of a task.
    async fn deliver_callback(&mut self, chance: &mut SeededRng) -> String {
        let Some(task) = chance.pick(&self.bureau.taken()).cloned() else {
            return "no task to tell of".into();
        };
        if chance.percent(10) {
            let body = body(&task, "completed", FORGED);
            let about = if chance.percent(50) { task } else { TaskId::new("tsk_nobody") };
            let id = self.name("msg_");
            self.call_back(&about, (&id, &body), "somebody").await;
            return format!("a forged callback of {about}");
        }
        let (id, body) = self.message(chance, &task);
        let answer = self.call_back(&task, (&id, &body), SIGNED).await;
        let is_known = !self.told.answered.insert((task.clone(), id.clone()));
        match answer {
            None => {
                // No answer was given, so the message will be sent again.
                if !is_known {
                    self.told.answered.remove(&(task.clone(), id.clone()));
                }
            }
            Some(verdict) if is_known && verdict != TaskUpdateVerdict::Duplicate => {
                self.faults
                    .push(format!("{id} of {task} was answered before, and is {} now", verdict.word()));
            }
            Some(TaskUpdateVerdict::Early | TaskUpdateVerdict::Normal | TaskUpdateVerdict::Late) => {
                self.told.ends.push((task.clone(), content(&body)));
            }
            Some(
                TaskUpdateVerdict::Progress
                | TaskUpdateVerdict::Duplicate
                | TaskUpdateVerdict::Contradictory
                | TaskUpdateVerdict::Past,
            ) => {}
        }
        format!("{id} of {task} ({body}): {}", answer.map_or("no answer", |verdict| verdict.word()))
    }

    /// A new message, one that was sent before, or the same under another id.
    fn message(&mut self, chance: &mut SeededRng, task: &TaskId) -> (String, String) {
        let known = self.told.messages.get(task).and_then(|all| chance.pick(all)).cloned();
        let again = known.filter(|_| chance.percent(35));
        if let Some(again) = again.clone().filter(|_| chance.percent(60)) {
            return again;
        }
        let id = self.name("msg_");
        let said = format!("made {}", chance.below(3));
        let body = match (again, chance.below(8)) {
            (Some((_, body)), _) => body,
            (None, 0..=3) => body(task, "completed", &said),
            (None, 4) => body(task, "failed", &said),
            (None, 5) => body(task, "cancelled", &said),
            (None, _) => {
                json!({ "task_id": task.as_str(), "status": "running", "progress": said }).to_string()
            }
        };
        self.told.messages.entry(task.clone()).or_default().push((id.clone(), body.clone()));
        (id, body)
    }

    /// The answer of a task's callback; `None` if there was none, or if the message was not accepted.
    async fn call_back(
        &mut self,
        task: &TaskId,
        (id, body): (&str, &str),
        signature: &str,
    ) -> Option<TaskUpdateVerdict> {
        let caught = Arc::new(MailCapturingSender::default());
        let take = ReceiveTaskCallback::new(TaskCallbackPorts {
            tasks: self.world.store.clone(),
            proof: Arc::new(SimulatedSignatureVerifier),
            secrets: Arc::new(NoopScrubber),
            clock: self.world.clock.clone(),
            mail_sender: caught.clone(),
        });
        let message = SignedMessage {
            id: id.to_owned(),
            timestamp: (self.world.now().0 / 1_000_000).to_string(),
            signature: signature.to_owned(),
            body: body.as_bytes().to_vec(),
        };
        let _refused = take.run(task, message).await;
        let mail = caught.0.lock().unwrap().take()?;
        match self.post_request(mail.request).await? {
            MailAnswer::Heard { verdict } => Some(verdict),
            _ => None,
        }
    }

    /// The work for a task completes; or it completes and the process crashes before it learns so.
    async fn run_errand(&mut self, chance: &mut SeededRng) -> String {
        let errands = self.world.errands();
        let Some((task, work)) = chance.pick(&errands).cloned() else { return "no errand".into() };
        let says = match work {
            TaskWork::Poll => polled(chance),
            TaskWork::Cancel => cancelled(chance),
            TaskWork::Answer if chance.percent(70) => TaskUpdate::answer_taken(),
            TaskWork::Answer => TaskUpdate::AnswerRefused,
        };
        let what = format!("{work:?} of {task}: {says:?}");
        self.bureau.set_next_arrival(says);
        if chance.percent(5) {
            self.world.perform_errand(&task).await;
            self.world.crash();
            return format!("{what}, and death");
        }
        self.world.finish_errand(&task).await;
        what
    }

    /// A person cancels a task.
    async fn call_off(&mut self, chance: &mut SeededRng) -> String {
        let tasks = self.tasks().await;
        let Some(task) = chance.pick(&tasks).map(|task| task.id.clone()) else { return "no task".into() };
        let cancel = CancelTaskRequest { author: "ann".into() };
        self.post_request(MailRequest::task(task.clone(), cancel)).await;
        format!("{task} is called off")
    }

    /// A person answers the question of a task.
    async fn answer_task(&mut self, chance: &mut SeededRng) -> String {
        let asking: Vec<Task> = self.tasks().await.into_iter().filter(Task::is_asking).collect();
        let Some(task) = chance.pick(&asking).map(|task| task.id.clone()) else {
            return "no task asks".into();
        };
        let answer = AnswerTaskRequest { author: "ann".into(), answer: "yes".into(), question: None };
        self.post_request(MailRequest::task(task.clone(), answer)).await;
        format!("{task} is answered")
    }

    /// A person settles a call with an unknown outcome.
    async fn settle_call(&mut self, chance: &mut SeededRng) -> String {
        let mut open = Vec::new();
        for row in self.world.sessions().await {
            let (facts, _) = self.world.session(&row.id).await;
            open.extend(facts.unsettled.into_iter().map(|call| (row.id.clone(), call)));
        }
        let Some((session, call)) = chance.pick(&open).cloned() else { return "nothing to settle".into() };
        let happened = chance.percent(50);
        let settle = MailRequest::session(
            session.clone(),
            SettleCallRequest { author: "ann".into(), call: call.clone(), happened, note: None },
        );
        self.post_request(settle).await;
        format!("{call} happened: {happened}")
    }
}

fn body(task: &TaskId, status: &str, said: &str) -> String {
    json!({ "task_id": task.as_str(), "status": status, "result": { "said": said } }).to_string()
}

/// The content that a session reads from a message.
fn content(body: &str) -> String {
    let said: serde_json::Value = serde_json::from_str(body).unwrap();
    said["result"].to_string()
}

fn polled(chance: &mut SeededRng) -> TaskUpdate {
    match chance.below(8) {
        0..=2 => final_arrival(TaskOutcome::Completed, &format!("made {}", chance.below(3))),
        3 => final_arrival(TaskOutcome::Failed, "not made"),
        4 => TaskUpdate::Gone,
        5 => TaskUpdate::Unreachable,
        6 => TaskUpdate::Asks { question: "Which?".into(), form: None, remote: None },
        _ => TaskUpdate::Progress { text: "half".into(), at: None, poll_after: Some(Millis::minutes(2)) },
    }
}

fn cancelled(chance: &mut SeededRng) -> TaskUpdate {
    match chance.below(6) {
        0..=1 => TaskUpdate::CancelAnswered(CancelResponse::Confirmed),
        2 => TaskUpdate::CancelAnswered(CancelResponse::Pending),
        3 => final_arrival(TaskOutcome::Completed, "made before"),
        4 => TaskUpdate::Unreachable,
        _ => TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed),
    }
}
