//! Submits the answers to a run's interrupts: all of them, each once, and bound to what was shown.

use entracte_application::ports::TokenScope;
use entracte_application::use_cases::{AnswerQuestion, InterruptRound};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Input;

use super::{AguiThread, interrupts};
use crate::agui::{
    AguiTranscript, InterruptAnswer, ResumeEntry, approval_id, parse_interrupt_answer, question_id,
};
use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::routes::approvals::decide_all::decide_each;
use crate::server_state::ServerState;
use crate::shapes::card::CardDecisionShape;

/// The principal and the thread that the answers belong to.
pub(super) struct InterruptAnswerContext<'a> {
    pub(super) state: &'a ServerState,
    pub(super) caller: &'a WorkspacePrincipal,
    pub(super) session: &'a SessionId,
    pub(super) thread: &'a AguiThread,
}

/// Submits the answers; all interrupts must be answered, or nothing is done. Repeating the same answers changes
/// nothing.
pub(super) async fn answer_interrupts(
    answering: &InterruptAnswerContext<'_>,
    resume: &[ResumeEntry],
) -> Result<(), Problem> {
    let InterruptAnswerContext { state, caller, session, thread } = *answering;
    let invalid = |text: String| Problem::new(ProblemCode::Invalid, text);
    let answered =
        resume.iter().map(parse_interrupt_answer).collect::<Result<Vec<_>, _>>().map_err(invalid)?;
    let transcript = AguiTranscript::from_entries(&thread.entries);
    require_all_answered(state, caller.workspace(), session, &transcript, resume).await?;
    let calls: Vec<CardDecisionShape> = answered.iter().filter_map(of_call).collect();
    let questions: Vec<_> = answered.iter().filter_map(of_question).collect();
    if !calls.is_empty() {
        if !caller.principal().scopes().allow(TokenScope::Approve) {
            let text = "to decide on calls needs the scope approve; use a token that has it";
            return Err(Problem::new(ProblemCode::ScopeMissing, text));
        }
        decide_each(state, caller, session, &calls).await?;
    }
    for (message, text) in questions {
        answer_open_question(answering, &transcript, message, text).await?;
    }
    Ok(())
}

fn of_call(answered: &InterruptAnswer) -> Option<CardDecisionShape> {
    match answered {
        InterruptAnswer::Call(decision) => Some(decision.clone()),
        InterruptAnswer::Question(..) => None,
    }
}

fn of_question(answered: &InterruptAnswer) -> Option<(&str, Option<&str>)> {
    match answered {
        InterruptAnswer::Question(message, text) => Some((message, text.as_deref())),
        InterruptAnswer::Call(_) => None,
    }
}

/// Requires exactly one answer for each interrupt.
async fn require_all_answered(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: &SessionId,
    transcript: &AguiTranscript,
    resume: &[ResumeEntry],
) -> Result<(), Problem> {
    let mut ids: Vec<&str> = resume.iter().map(|entry| approval_id(&entry.interrupt_id)).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|two| two[0] == two[1]) {
        return Err(Problem::new(
            ProblemCode::Invalid,
            format!("{} is answered twice; answer it once", twice[0]),
        ));
    }
    let open = interrupts(state, workspace, session, transcript).await?;
    let open = open.iter().filter_map(|interrupt| interrupt["id"].as_str());
    let left: Vec<&str> = open.filter(|id| !ids.contains(&approval_id(id))).collect();
    if left.is_empty() {
        return Ok(());
    }
    let text = format!("these wait too: {}; answer all of them in one run", left.join(", "));
    Err(Problem::new(ProblemCode::Invalid, text))
}

async fn answer_open_question(
    answering: &InterruptAnswerContext<'_>,
    transcript: &AguiTranscript,
    message: &str,
    text: Option<&str>,
) -> Result<(), Problem> {
    let InterruptAnswerContext { state, caller, session, thread } = *answering;
    let (workspace, author) = (caller.workspace(), caller.author());
    let is_open = thread.view.phase.waits_for_person()
        && transcript.pending_question().is_some_and(|id| id.as_str() == message);
    if !is_open {
        let named = question_id(message);
        if !transcript.has_asked(message) {
            let named = entracte_application::terminal_text::one_line(&named);
            return Err(Problem::new(
                ProblemCode::NotFound,
                format!("{named} is no question of this thread"),
            ));
        }
        return match is_answered(thread, text) {
            true => Ok(()),
            false => {
                Err(Problem::new(ProblemCode::Ended, format!("{named} waits for nobody any more; run again")))
            }
        };
    }
    let sender = caller.mail_sender(state);
    match text {
        Some(text) => AnswerQuestion::new(sender).run(workspace, session, author, text.to_owned()).await?,
        None => InterruptRound::new(sender).run(workspace, session, author).await?,
    };
    Ok(())
}

/// Whether the latest question already has this answer, so that the request is a repeat.
fn is_answered(thread: &AguiThread, text: Option<&str>) -> bool {
    let last = thread.entries.iter().rev().find_map(|entry| match &entry.input {
        Input::CommunicationResponseReceived { .. } => Some(true),
        Input::RoundInterrupted { .. } | Input::StopRequested { .. } => Some(false),
        _ => None,
    });
    last == Some(text.is_some())
}
