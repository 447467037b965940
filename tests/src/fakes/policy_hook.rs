//! A policy hook of which the test says what it replies.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{PolicyHook, PolicyHookError, PolicyQuestion, PolicyReply, PolicyVerdict};
use entracte_application::texts::LocalizedTexts;

/// What the hook replies to a question; `None` if it never replies.
type Reply = Box<dyn Fn(&PolicyQuestion) -> Option<PolicyReply> + Send + Sync>;

/// A policy hook that records its questions.
pub struct RecordingPolicyHook {
    reply: Reply,
    asked: Mutex<Vec<PolicyQuestion>>,
}

impl RecordingPolicyHook {
    /// A hook with these replies; a question without one waits for ever.
    pub fn new(reply: impl Fn(&PolicyQuestion) -> Option<PolicyReply> + Send + Sync + 'static) -> Self {
        Self { reply: Box::new(reply), asked: Mutex::default() }
    }

    /// A hook that allows every call.
    pub fn allowing() -> Self {
        Self::new(|_| Some(PolicyReply::new(PolicyVerdict::Allow)))
    }

    /// A hook that decides so about one command, for the reason `by the book`, and allows the others.
    pub fn for_command(command: &'static str, verdict: PolicyVerdict) -> Self {
        Self::new(move |question| {
            let is_it = question.command.name == command;
            let verdict = if is_it { verdict } else { PolicyVerdict::Allow };
            let (reason, version) = (Some("by the book".into()), Some("7".into()));
            Some(PolicyReply { reason, version, ..PolicyReply::new(verdict) })
        })
    }

    /// The questions about a command, in order.
    pub fn questions_about(&self, command: &str) -> Vec<PolicyQuestion> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|question| question.command.name == command).cloned().collect()
    }
}

#[async_trait]
impl PolicyHook for RecordingPolicyHook {
    async fn decide(
        &self,
        question: &PolicyQuestion,
        _texts: &LocalizedTexts,
    ) -> Result<PolicyReply, PolicyHookError> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(question.clone());
        match (self.reply)(question) {
            Some(reply) => Ok(reply),
            None => std::future::pending().await,
        }
    }
}
