//! Updates of long tasks, and requests about them.

use entracte_domain::task::TaskUpdate;

use super::request_kinds;

request_kinds! {
    /// An update of a long task, or a request about it.
    pub enum TaskRequest {
        /// Processes an update.
        ReceiveUpdate(ReceiveTaskUpdateRequest),
        /// Cancels the task.
        Cancel(CancelTaskRequest),
        /// Answers the question of the task.
        AnswerQuestion(AnswerTaskRequest),
        /// Records that a person has seen the notice of the task.
        MarkNoticeSeen(MarkTaskSeenRequest),
    }
}

/// An update of a task, from its server or from the poller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiveTaskUpdateRequest {
    /// The sender's message id, under which it is processed once; `None` if it has none.
    pub webhook_id: Option<String>,
    /// The update.
    pub arrival: TaskUpdate,
}

/// The cancellation of a task by a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelTaskRequest {
    /// The requesting person.
    pub author: String,
}

/// A person's answer to the question of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerTaskRequest {
    /// The person who answers.
    pub author: String,
    /// The answer, in the form its server expects.
    pub answer: String,
    /// SHA-256, in hex, of the question that the person read: another one is not answered. `None` answers whatever is
    /// asked.
    pub question: Option<String>,
}

/// The acknowledgement of a task's notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkTaskSeenRequest {
    /// The person who has seen it.
    pub author: String,
}
