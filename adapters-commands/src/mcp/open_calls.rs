//! The calls that are open on one connection, and the questions that their server asks meanwhile
//! (`elicitation/create`).
//!
//! Neither the protocol nor its transports say to which call such a question belongs. So a question is taken only
//! while exactly one call is open; any other is declined in words, because a person would answer it for a call that
//! did not ask.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use entracte_application::ports::{CallProgress, CallProgressSink};
use entracte_domain::id::SessionId;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, ProgressToken,
};
use tokio::sync::{Notify, oneshot};

use super::input_request;

/// The open calls of a connection.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: Mutex<Vec<Weak<OpenCall>>>,
    callers: Mutex<ConnectionCallers>,
}

/// The sessions that have called over a connection.
#[derive(Debug, Default, PartialEq)]
enum ConnectionCallers {
    #[default]
    Nobody,
    One(SessionId),
    Several,
}

/// The session of a call, and what receives the call's progress.
#[derive(Debug, Default)]
pub(super) struct CallProgressReceiver {
    /// The session; `None` for a call that goes on beside its session.
    pub(super) session: Option<SessionId>,
    pub(super) sink: CallProgressSink,
}

/// An open call and its unanswered questions.
#[derive(Debug)]
pub(super) struct OpenCall {
    state: Mutex<OpenCallState>,
    asked: Notify,
}

#[derive(Debug)]
struct OpenCallState {
    is_open: bool,
    /// Whether somebody follows the call, so that its questions reach a person.
    may_ask: bool,
    asked_so_far: u64,
    questions: VecDeque<OpenQuestion>,
    /// What receives its progress; `None` once nobody follows it.
    progress: Option<CallProgressSink>,
    /// The token under which the server reports its progress; `None` until it was sent.
    progress_token: Option<ProgressToken>,
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
    /// Registers a call that begins. `may_ask`: whether its questions reach a person. `caller` receives what its server
    /// says while it runs.
    pub(super) fn open(&self, may_ask: bool, caller: CallProgressReceiver) -> OpenCallGuard {
        let CallProgressReceiver { session, sink } = caller;
        let state = OpenCallState {
            is_open: true,
            may_ask,
            asked_so_far: 0,
            questions: VecDeque::new(),
            progress: Some(sink),
            progress_token: None,
        };
        let call = Arc::new(OpenCall { state: Mutex::new(state), asked: Notify::new() });
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        *callers = match (std::mem::take(&mut *callers), session) {
            (ConnectionCallers::Nobody, Some(session)) => ConnectionCallers::One(session),
            (ConnectionCallers::One(known), Some(session)) if known == session => {
                ConnectionCallers::One(known)
            }
            (ConnectionCallers::Nobody | ConnectionCallers::One(_) | ConnectionCallers::Several, _) => {
                ConnectionCallers::Several
            }
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|known| known.upgrade().is_some_and(|known| known.state().is_open));
        calls.push(Arc::downgrade(&call));
        OpenCallGuard(call)
    }

    /// The calls that are open now.
    fn open_now(&self) -> Vec<Arc<OpenCall>> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter_map(Weak::upgrade).filter(|call| call.state().is_open).collect()
    }

    /// Gives what the server says of the progress of a request to the call that sent it, if it is open.
    pub(super) fn report_progress(&self, token: &ProgressToken, progress: CallProgress) {
        for call in self.open_now() {
            let state = call.state();
            if state.progress_token.as_ref() == Some(token) {
                let sink = state.progress.clone();
                drop(state);
                return sink.unwrap_or_default().report(progress);
            }
        }
    }

    /// Gives a message of the server's log to the one open call. Such a message names no call, and a call that has ended
    /// may still be at work: with several calls, or where other sessions have called, it is shown to nobody.
    pub(super) fn report_log(&self, text: String) {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*callers, ConnectionCallers::One(_)) {
            return;
        }
        drop(callers);
        if let [call] = self.open_now().as_slice() {
            let sink = call.state().progress.clone();
            sink.unwrap_or_default().report(CallProgress { text, percent: None });
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

    /// Records under which token the server reports the progress of this call.
    pub(super) fn set_progress_token(&self, token: ProgressToken) {
        self.state().progress_token = Some(token);
    }

    /// Reports no more progress: the session has gone on without the call.
    pub(super) fn stop_progress(&self) {
        self.state().progress = None;
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

    fn silent(session: &str) -> CallProgressReceiver {
        CallProgressReceiver { session: Some(SessionId::new(session)), ..CallProgressReceiver::default() }
    }

    fn accepted() -> ElicitResult {
        ElicitResult::new(ElicitationAction::Accept).with_content(json!({"iban": "FR76"}))
    }

    #[test]
    fn question_belongs_to_the_only_open_call() {
        let calls = OpenCalls::default();
        assert_eq!(calls.ask(form("a")).unwrap_err(), QuestionRefusal::NoCall);
        let one = calls.open(true, silent("ses_1"));
        let _asked = calls.ask(form("a")).unwrap();
        let two = calls.open(true, silent("ses_1"));
        assert_eq!(calls.ask(form("b")).unwrap_err(), QuestionRefusal::SeveralCalls);
        drop(two);
        let _second = calls.ask(form("b")).unwrap();
        drop(one);
        assert_eq!(calls.ask(form("c")).unwrap_err(), QuestionRefusal::NoCall);
        let _old = calls.open(false, silent("ses_1"));
        assert_eq!(calls.ask(form("d")).unwrap_err(), QuestionRefusal::NotFollowed);
    }

    /// Input: two sessions call over one connection, and one of the calls ends while its server goes on reporting; expected:
    /// each report reaches the call whose token it names, or nobody, and a message of the log reaches a call only as long
    /// as no other session has called.
    #[test]
    fn progress_belongs_to_the_call_of_its_token() {
        let calls = OpenCalls::default();
        let told = Arc::new(Mutex::new(Vec::new()));
        let caller = |session: &'static str| {
            let told = told.clone();
            let sink =
                CallProgressSink::new(move |progress| told.lock().unwrap().push((session, progress.text)));
            CallProgressReceiver { session: Some(SessionId::new(session)), sink }
        };
        let token = |number: i64| ProgressToken(rmcp::model::NumberOrString::Number(number));
        let say = |number: i64, text: &str| {
            let progress = CallProgress { text: text.to_owned(), percent: None };
            calls.report_progress(&token(number), progress);
        };
        let ann = calls.open(false, caller("ann"));
        ann.call().set_progress_token(token(1));
        calls.report_log("hers".to_owned());
        let bob = calls.open(false, caller("bob"));
        bob.call().set_progress_token(token(2));
        say(2, "a");
        say(1, "b");
        drop(ann);
        say(1, "payroll");
        calls.report_log("payroll".to_owned());
        say(2, "c");
        bob.call().stop_progress();
        say(2, "d");
        let expected = [("ann", "hers"), ("bob", "a"), ("ann", "b"), ("bob", "c")];
        assert_eq!(*told.lock().unwrap(), expected.map(|(session, text)| (session, text.to_owned())));
    }

    #[tokio::test]
    async fn answer_reaches_the_question_it_was_given_to() {
        let calls = OpenCalls::default();
        let guard = calls.open(true, silent("ses_1"));
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
        let _guard = calls.open(true, silent("ses_1"));
        let _asked: Vec<AskedQuestion> = (0..QUESTIONS_MAX).map(|_| calls.ask(form("a")).unwrap()).collect();
        assert_eq!(calls.ask(form("a")).unwrap_err(), QuestionRefusal::TooMany);
    }
}
