//! The answer whether more of a cap may be used.

use entracte_domain::session::{Input, ParkReason, Phase};
use entracte_domain::spending::{SpendingAnswer, SpendingQuestion};
use entracte_domain::validation::{ApproverObjection, GivenApproval, requester_objection};

use crate::mail::{AnswerSpendingRequest, MailAnswer, MailRefusal};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::context::TurnStop;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

impl ApplyToSession for AnswerSpendingRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.refresh()?;
        let Phase::Parked(ParkReason::Spending(question)) = &edit.drafted()?.phase else {
            let says = saying!("request-no-spending-question", session = edit.session().as_str());
            return Err(MailRefusal::NotApplicable(says).into());
        };
        let question = question.clone();
        let author = self.author.clone();
        if !self.goes_on {
            let stopped = Input::SpendingAnswered { author, answer: SpendingAnswer::Stop };
            return edit.apply_or_refuse(stopped, "request-not-applicable");
        }
        let extra = self.extra.unwrap_or(question.extra);
        if !question.allows(extra) {
            return Err(disallowed(&question).into());
        }
        if let Some(objection) = objection_to(edit, &author, &question)? {
            return Err(MailRefusal::FourEyes(objection).into());
        }
        edit.raise_spending_line(&question, extra)?;
        let answer = Input::SpendingAnswered { author, answer: SpendingAnswer::Continue(extra) };
        edit.answer_runs_at_same_line(&question, &answer)?;
        edit.apply_or_refuse(answer, "request-not-applicable")
    }
}

/// Why this person may not let the sessions at a soft line spend more: under four eyes they asked for the work of one of them,
/// or the workspace names others who approve. Anybody may stop them. The approvers are escalated from the session's last event
/// on, which asked.
fn objection_to(
    edit: &mut SessionDraftEdit<'_>,
    author: &str,
    question: &SpendingQuestion,
) -> Result<Option<ApproverObjection>, TurnStop> {
    let settings = &edit.draft().body.settings;
    let (four_eyes, required) = (settings.four_eyes, settings.approval.requirement());
    let (now, asked_at) = (edit.draft().now, edit.drafted()?.facts.last_event_at);
    if four_eyes {
        let requesters = edit.requesters_at_same_line(question)?;
        if let Some(objection) = requesters.iter().find_map(|asked| requester_objection(asked, author)) {
            return Ok(Some(objection));
        }
    }
    let given = GivenApproval { author: author.to_owned(), at: now };
    let is_listed = required.is_none_or(|required| required.admits(&given, asked_at));
    Ok((!is_listed).then_some(ApproverObjection::Unlisted))
}

/// The refusal of an amount that is too small or too large.
fn disallowed(question: &SpendingQuestion) -> MailRefusal {
    let (least, most) = (question.least().to_string(), question.extra.to_string());
    MailRefusal::Invalid(saying!("request-spending-extra", least = least, most = most))
}
