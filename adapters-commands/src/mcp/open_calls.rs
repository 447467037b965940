//! The calls that are open on one connection, and the questions that their server asks meanwhile
//! (`elicitation/create`).
//!
//! Neither the protocol nor its transports say to which call such a question belongs. So a question is taken only
//! while exactly one call is open; any other is declined in words, because a person would answer it for a call that
//! did not ask.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use entracte_application::ports::{CallProgress, CallProgressSink};
use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest};
use tokio::sync::{Notify, oneshot};

use super::input_request;

/// The open calls of a connection.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Mutex<Vec<Weak<OpenCall>>>);

/// An open call and its unanswered questions.
#[derive(Debug)]
pub(super) struct OpenCall {
    state: Mutex<OpenCallState>,
    asked: Notify,
    progress: CallProgressSink,
}

#[derive(Debug)]
struct OpenCallState {
    is_open: bool,
    /// Whether somebody follows the call, so that its questions reach a person.
    may_ask: bool,
    asked_so_far: u64,
    questions: VecDeque<OpenQuestion>,
}

#[derive(Debug)]
struct OpenQuestion {
    number: u64,
    request: InputRequest,
    reply: oneshot::Sender<ElicitResult>,
}

/// Keeps a call open; dropping it closes the call and drops its questions.
#[derive(Debug)]
pub(super) struct OpenCallGuard(Arc<OpenCall>);

/// A question that waits for its answer; dropping it withdraws the question.
#[derive(Debug)]
pub(super) struct AskedQuestion {
    call: Weak<OpenCall>,
    number: u64,
    reply: oneshot::Receiver<ElicitResult>,
}

/// Why a question reaches nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuestionRefusal {
    /// No call is open.
    NoCall,
    /// Several calls are open, and the question names none.
    SeveralCalls,
    /// Nobody follows the call.
    NotFollowed,
    /// The call has too many open questions.
    TooMany,
    /// A person could not see all of it.
    Unshowable,
}

impl QuestionRefusal {
    /// The error text for the server; `None` if it gets the answer that a person declined.
    pub(super) const fn words(self) -> Option<&'static str> {
        match self {
            Self::NoCall => Some("no call is open that this question could belong to"),
            Self::SeveralCalls => {
                Some("several calls are open, and the protocol does not say which of them asks this")
            }
            Self::TooMany => Some("the call has too many open questions"),
            Self::Unshowable => Some("the question is too long, or its address is no web address"),
            Self::NotFollowed => None,
        }
    }
}

impl OpenCalls {
    /// Registers a call that begins. `may_ask`: whether its questions reach a person. `progress` receives what its server
    /// says while it runs.
    pub(super) fn open(&self, may_ask: bool, progress: CallProgressSink) -> OpenCallGuard {
        let state = OpenCallState { is_open: true, may_ask, asked_so_far: 0, questions: VecDeque::new() };
        let call = Arc::new(OpenCall { state: Mutex::new(state), asked: Notify::new(), progress });
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|known| known.upgrade().is_some_and(|known| known.state().is_open));
        calls.push(Arc::downgrade(&call));
        OpenCallGuard(call)
    }

    /// The calls that are open now.
    fn open_now(&self) -> Vec<Arc<OpenCall>> {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter_map(Weak::upgrade).filter(|call| call.state().is_open).collect()
    }

    /// Gives what the server says of its progress to the one open call. With several open calls it is not known which of
    /// them it is about, and nothing is shown.
    pub(super) fn report(&self, progress: CallProgress) {
        if let [call] = self.open_now().as_slice() {
            call.progress.report(progress);
        }
    }

    /// Gives a question to the one open call.
    pub(super) fn ask(&self, params: ElicitRequestParams) -> Result<AskedQuestion, QuestionRefusal> {
        match self.open_now().as_slice() {
            [] => Err(QuestionRefusal::NoCall),
            [call] => call.ask(InputRequest::Elicitation(ElicitRequest::new(params))),
            _ => Err(QuestionRefusal::SeveralCalls),
        }
    }
}

impl OpenCallGuard {
    pub(super) fn call(&self) -> Arc<OpenCall> {
        Arc::clone(&self.0)
    }
}

impl Drop for OpenCallGuard {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_open = false;
        state.questions.clear();
    }
}

impl OpenCall {
    fn state(&self) -> MutexGuard<'_, OpenCallState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(self: &Arc<Self>, request: InputRequest) -> Result<AskedQuestion, QuestionRefusal> {
        let mut state = self.state();
        if !state.may_ask {
            return Err(QuestionRefusal::NotFollowed);
        }
        if !input_request::is_showable(&request) {
            return Err(QuestionRefusal::Unshowable);
        }
        if state.questions.len() >= QUESTIONS_MAX {
            return Err(QuestionRefusal::TooMany);
        }
        let (reply, answered) = oneshot::channel();
        let number = state.asked_so_far;
        state.asked_so_far += 1;
        state.questions.push_back(OpenQuestion { number, request, reply });
        self.asked.notify_one();
        Ok(AskedQuestion { call: Arc::downgrade(self), number, reply: answered })
    }

    /// Waits for the next question.
    pub(super) async fn asked(&self) {
        self.asked.notified().await;
    }

    /// The oldest unanswered question.
    pub(super) fn question(&self) -> Option<InputRequest> {
        self.state().questions.front().map(|open| open.request.clone())
    }

    /// Answers the oldest question if it still is this one. Returns whether the server gets the answer.
    pub(super) fn answer(&self, question: &InputRequest, answer: ElicitResult) -> bool {
        let mut state = self.state();
        match state.questions.front() {
            Some(open) if open.request == *question => {}
            Some(_) | None => return false,
        }
        state.questions.pop_front().is_some_and(|open| open.reply.send(answer).is_ok())
    }

    /// Declines what is asked and whatever will be asked, because nobody can follow the call.
    pub(super) fn decline_questions(&self) {
        let mut state = self.state();
        state.may_ask = false;
        for open in state.questions.drain(..) {
            // A question whose server has gone needs no answer.
            let _ = open.reply.send(ElicitResult::new(ElicitationAction::Decline));
        }
    }
}

impl AskedQuestion {
    /// The answer; `cancel` if the call ends before it comes.
    pub(super) async fn answer(mut self) -> ElicitResult {
        (&mut self.reply).await.unwrap_or_else(|_| ElicitResult::new(ElicitationAction::Cancel))
    }
}

impl Drop for AskedQuestion {
    fn drop(&mut self) {
        if let Some(call) = self.call.upgrade() {
            call.state().questions.retain(|open| open.number != self.number);
        }
    }
}

/// The most unanswered questions of one call.
const QUESTIONS_MAX: usize = 10;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(message: &str) -> ElicitRequestParams {
        let schema = json!({"type": "object", "properties": {"iban": {"type": "string"}}});
        serde_json::from_value(json!({"mode": "form", "message": message, "requestedSchema": schema}))
            .unwrap()
    }

    fn accepted() -> ElicitResult {
        ElicitResult::new(ElicitationAction::Accept).with_content(json!({"iban": "FR76"}))
    }

    #[test]
    fn question_belongs_to_the_only_open_call() {
        let calls = OpenCalls::default();
        assert_eq!(calls.ask(form("a")).unwrap_err(), QuestionRefusal::NoCall);
        let one = calls.open(true, CallProgressSink::default());
        let _asked = calls.ask(form("a")).unwrap();
        let two = calls.open(true, CallProgressSink::default());
        assert_eq!(calls.ask(form("b")).unwrap_err(), QuestionRefusal::SeveralCalls);
        drop(two);
        let _second = calls.ask(form("b")).unwrap();
        drop(one);
        assert_eq!(calls.ask(form("c")).unwrap_err(), QuestionRefusal::NoCall);
        let _old = calls.open(false, CallProgressSink::default());
        assert_eq!(calls.ask(form("d")).unwrap_err(), QuestionRefusal::NotFollowed);
    }

    #[test]
    fn progress_belongs_to_the_only_open_call() {
        let calls = OpenCalls::default();
        let told = Arc::new(Mutex::new(Vec::new()));
        let sink = || {
            let told = told.clone();
            CallProgressSink::new(move |progress| told.lock().unwrap().push(progress.text))
        };
        let say = |text: &str| calls.report(CallProgress { text: text.to_owned(), percent: None });
        say("nobody is there");
        let one = calls.open(false, sink());
        say("a");
        let two = calls.open(false, sink());
        say("of which?");
        drop(two);
        say("b");
        drop(one);
        assert_eq!(*told.lock().unwrap(), ["a", "b"]);
    }

    #[tokio::test]
    async fn answer_reaches_the_question_it_was_given_to() {
        let calls = OpenCalls::default();
        let guard = calls.open(true, CallProgressSink::default());
        let call = guard.call();
        let asked = calls.ask(form("a")).unwrap();
        let question = call.question().unwrap();
        let other = InputRequest::Elicitation(ElicitRequest::new(form("b")));
        assert!(!call.answer(&other, accepted()), "it is another question");
        assert!(call.answer(&question, accepted()));
        assert_eq!(asked.answer().await, accepted());
        assert!(!call.answer(&question, accepted()), "it was answered");

        let withdrawn = calls.ask(form("c")).unwrap();
        drop(withdrawn);
        assert_eq!(call.question(), None);
        let unanswered = calls.ask(form("d")).unwrap();
        drop(guard);
        assert_eq!(unanswered.answer().await.action, ElicitationAction::Cancel);
    }

    #[test]
    fn questions_of_one_call_are_bounded() {
        let calls = OpenCalls::default();
        let _guard = calls.open(true, CallProgressSink::default());
        let _asked: Vec<AskedQuestion> = (0..QUESTIONS_MAX).map(|_| calls.ask(form("a")).unwrap()).collect();
        assert_eq!(calls.ask(form("a")).unwrap_err(), QuestionRefusal::TooMany);
    }
}
