//! Submits the answers to a run's interrupts, each bound to what was shown. Others decide too: what was decided elsewhere
//! meanwhile stays decided, and the run reports it.

use entracte_application::ports::TokenScope;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_application::use_cases::{AnswerQuestion, CancelQuestion, ReadLog, UseCaseError};
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::session::Input;
use serde_json::{Value, json};

use super::{OpenInterrupt, open_interrupts};
use crate::agui::{InterruptAnswer, ResumeEntry, approval_interrupt_id, parse_interrupt_answer, question_id};
use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::routes::approvals::decide::outcome;
use crate::routes::approvals::decide_all::decide_each;
use crate::routes::approvals::find_approval_subject;
use crate::server_state::ServerState;
use crate::shapes::card::CardDecisionShape;

/// How often an answer is compared with what waits, when somebody else decides at the same moment.
const TRIES: usize = 3;

/// The principal, and the session of the thread.
#[derive(Clone, Copy)]
pub(super) struct InterruptAnswerContext<'a> {
    pub(super) state: &'a ServerState,
    pub(super) caller: &'a WorkspacePrincipal,
    pub(super) session: &'a SessionId,
}

/// Submits the answers to what still waits. Returns those that came late, each with what became of its interrupt: somebody
/// else decided or answered it, its card changed, it waits for nobody any more, or the answer was refused while others
/// were accepted. An own answer that was accepted before, by this request or an earlier one, is not late.
pub(super) async fn answer_interrupts(
    answering: InterruptAnswerContext<'_>,
    resume: &[ResumeEntry],
) -> Result<Vec<Value>, Problem> {
    let invalid = |text: LocalizedMessage| Problem::new(ProblemCode::Invalid, text);
    let answers =
        resume.iter().map(parse_interrupt_answer).collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    require_one_answer_each(&answers)?;
    let mut late = Vec::new();
    let mut refused = Vec::new();
    for answer in &answers {
        let mut tries = 1;
        let submitted = loop {
            match answering.submit(answer).await {
                // Somebody else was faster: what waits is read again.
                Err(problem) if is_race(problem.code()) && tries < TRIES => tries += 1,
                submitted => break submitted,
            }
        };
        match submitted {
            Ok(report) => late.extend(report),
            Err(problem) => refused.push((answer, problem)),
        }
    }
    // Where nothing was accepted, the refusal is that of the run.
    if refused.len() == answers.len()
        && let Some((_, problem)) = refused.pop()
    {
        return Err(problem);
    }
    let texts = answering.state.texts_for(answering.caller.workspace(), answering.caller.reader()).await?;
    late.extend(refused.into_iter().map(|(answer, problem)| {
        let (code, says) = (problem.code().word(), problem.detail().render(texts));
        json!({ "interruptId": answer.interrupt_id(), "outcome": "refused", "code": code, "message": says })
    }));
    Ok(late)
}

fn is_race(code: ProblemCode) -> bool {
    matches!(
        code,
        ProblemCode::AlreadyDecided | ProblemCode::Ended | ProblemCode::Changed | ProblemCode::NotApplicable
    )
}

fn require_one_answer_each(answers: &[InterruptAnswer]) -> Result<(), Problem> {
    let mut subjects: Vec<&str> = answers.iter().map(InterruptAnswer::subject).collect();
    subjects.sort_unstable();
    let Some(twice) = subjects.windows(2).find(|two| two[0] == two[1]) else { return Ok(()) };
    let text = saying!("refusal-answered-twice", given = one_line(twice[0]));
    Err(Problem::new(ProblemCode::Invalid, text))
}

impl InterruptAnswerContext<'_> {
    /// Submits one answer; returns what became of its interrupt if it came late.
    async fn submit(self, answer: &InterruptAnswer) -> Result<Option<Value>, Problem> {
        match answer {
            InterruptAnswer::Call(decision) => self.submit_decision(decision).await,
            InterruptAnswer::Question(message, text) => self.submit_answer(message, text.clone()).await,
        }
    }

    async fn submit_decision(self, decision: &CardDecisionShape) -> Result<Option<Value>, Problem> {
        let (workspace, reader) = (self.caller.workspace(), self.caller.reader());
        let subject = find_approval_subject(self.state, workspace, &decision.approval, reader).await?;
        if !subject.session().is_in_tree_of(self.session) {
            let text = saying!("refusal-no-thread-approval", given = one_line(&decision.approval));
            return Err(Problem::new(ProblemCode::NotFound, text));
        }
        let interrupt = approval_interrupt_id(&decision.approval, &decision.digest);
        match &subject.card {
            Some(card) if card.id == decision.approval && card.digest.as_ref() == Some(&decision.digest) => {
                if !self.caller.principal().scopes().allow(TokenScope::Approve) {
                    let text = saying!("refusal-approve-scope");
                    return Err(Problem::new(ProblemCode::ScopeMissing, text));
                }
                let session = subject.session();
                decide_each(self.state, self.caller, session, std::slice::from_ref(decision)).await?;
                Ok(None)
            }
            // Another card waits in its place: it is told at the end of the run.
            Some(_) => Ok(Some(json!({ "interruptId": interrupt, "outcome": "changed" }))),
            None => {
                let found = outcome(self.state, workspace, &subject, &decision.approval).await?.shape;
                if found.decided_by.as_deref() == Some(self.caller.author().as_str()) {
                    return Ok(None);
                }
                let outcome = if found.decision.is_some() { "decided" } else { "ended" };
                Ok(Some(json!({
                    "interruptId": interrupt,
                    "outcome": outcome,
                    "decision": found.decision,
                    "decidedBy": found.decided_by,
                    "state": found.state,
                })))
            }
        }
    }

    async fn submit_answer(
        self,
        message: &MessageId,
        text: Option<String>,
    ) -> Result<Option<Value>, Problem> {
        let (workspace, author) = (self.caller.workspace(), self.caller.author());
        // The answer names its question: if another one is open when it is committed, it is refused, and read again here.
        let open = open_interrupts(self.state, workspace, self.session, self.caller.reader()).await?;
        let Some(session) = asked_by(&open, message) else { return self.late_answer(message).await };
        let sender = self.caller.mail_sender(self.state);
        match text {
            Some(text) => {
                let question = Some(message.clone());
                AnswerQuestion::new(sender).run(workspace, &session, author, text, question).await?
            }
            None => CancelQuestion::new(sender).run(workspace, &session, author, message.clone()).await?,
        };
        Ok(None)
    }

    /// What became of a question that waits for nobody any more; nothing if this person has answered it.
    async fn late_answer(self, message: &MessageId) -> Result<Option<Value>, Problem> {
        let named = question_id(message.as_str());
        let asker = message.session_id().filter(|session| session.is_in_tree_of(self.session));
        let Some(asker) = asker else {
            let text = saying!("refusal-no-thread-question", given = one_line(&named));
            return Err(Problem::new(ProblemCode::NotFound, text));
        };
        let log = ReadLog::new(self.state.ports.log.clone());
        let entries = match log.entries_since(self.caller.workspace(), &asker, 0).await {
            Ok(entries) => entries,
            // The agent is gone with its journal.
            Err(UseCaseError::NotFound(_)) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let after = entries.iter().skip_while(|entry| !entry.messages().iter().any(|one| one.id == *message));
        let answered_by = after.skip(1).find_map(|entry| match &entry.input {
            Input::CommunicationResponseReceived { .. }
            | Input::RoundInterrupted { .. }
            | Input::StopRequested { .. } => entry.input.properties().author.map(str::to_owned),
            _ => None,
        });
        let is_own = answered_by.as_deref() == Some(self.caller.author().as_str());
        let report = json!({ "interruptId": named, "outcome": "ended", "answeredBy": answered_by });
        Ok((!is_own).then_some(report))
    }
}

/// The session that waits for an answer to this question.
fn asked_by(open: &[OpenInterrupt], message: &MessageId) -> Option<SessionId> {
    let interrupt = open.iter().find(|interrupt| interrupt.question.as_ref() == Some(message));
    interrupt.map(|interrupt| interrupt.session.clone())
}
