//! Requests about the open question of a session.

use entracte_domain::id::MessageId;
use entracte_domain::question::{AnswerFault, Question};
use entracte_domain::session::{Input, Phase};

use crate::journal::JournalEntry;
use crate::mail::{AnswerQuestionRequest, CancelQuestionRequest, MailAnswer, MailRefusal};
use crate::runtime::turn::commands::session::conversation::refuse_manual_call_session;
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::context::TurnStop;
use crate::runtime::turn::draft::texts;
use crate::runtime::turn::lookups::entries_from;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::{LocalizedMessage, saying};

impl ApplyToSession for AnswerQuestionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        refuse_manual_call_session(edit)?;
        edit.refresh()?;
        let question = open_question(edit, self.question.as_ref())?;
        let answer = question.read_answer(&self.text);
        let answer = answer.map_err(|fault| MailRefusal::Invalid(answer_fault(fault)))?;
        let answer = texts(edit.draft()).render_speech(&answer);
        let input = Input::CommunicationResponseReceived { author: self.author.clone(), answer };
        edit.apply_message(input)
    }
}

impl ApplyToSession for CancelQuestionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        open_question(edit, Some(&self.question))?;
        edit.stop_agents(&self.author)?;
        let author = self.author.clone();
        // An agent that is interrupted would rest, and its caller would wait for ever.
        let input = match edit.drafted()?.facts.agent.is_some() {
            true => Input::StopRequested { author, end: false, reply: None },
            false => Input::RoundInterrupted { author, reply: None },
        };
        edit.apply_or_refuse(input, "request-no-question")
    }
}

/// The open question of the session. Refuses the request if there is none, or if it names another message than the one
/// that asks.
fn open_question(
    edit: &SessionDraftEdit<'_>,
    named: Option<&MessageId>,
) -> Result<Question, RequestNotApplied> {
    let Phase::WaitingCommunicationResponse { question, .. } = &edit.drafted()?.phase else {
        return Err(MailRefusal::NotApplicable(saying!("request-no-question")).into());
    };
    if let Some(named) = named
        && !is_latest_reply(edit, named)?
    {
        return Err(MailRefusal::NotApplicable(saying!("request-question-changed")).into());
    }
    Ok(question.clone())
}

/// Whether a message is the session's latest reply of a model: that asks the question which the session waits for.
fn is_latest_reply(edit: &SessionDraftEdit<'_>, message: &MessageId) -> Result<bool, TurnStop> {
    let session = edit.session();
    let Some(sequence) = message.sequence().filter(|sequence| session.message_id(*sequence, 0) == *message)
    else {
        return Ok(false);
    };
    let is_reply = |entry: &&JournalEntry| matches!(entry.input, Input::AiResponseReceived(_));
    let stored = entries_from(edit.turn(), session, sequence)?;
    let drafted = edit.draft().entries.iter().map(AsRef::as_ref);
    let drafted = drafted.filter(|entry: &&JournalEntry| entry.session == *session);
    let mut replies =
        stored.iter().chain(drafted).filter(|entry| entry.sequence >= sequence).filter(is_reply);
    Ok(replies.next().is_some_and(|first| first.sequence == sequence) && replies.next().is_none())
}

fn answer_fault(fault: AnswerFault) -> LocalizedMessage {
    match fault {
        AnswerFault::NotAnOption { given, options } => {
            let list: Vec<String> =
                options.iter().enumerate().map(|(index, option)| format!("{} {option}", index + 1)).collect();
            saying!("request-no-option", given = given, options = list.join(", "))
        }
        AnswerFault::NotYesOrNo { given } => saying!("request-not-yes-or-no", given = given),
        AnswerFault::Empty => saying!("request-empty-answer"),
    }
}
