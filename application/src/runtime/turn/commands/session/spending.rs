//! The answer whether more of a cap may be used.

use entracte_domain::session::{Input, ParkReason, Phase};
use entracte_domain::spending::{SpendingAnswer, SpendingQuestion};

use crate::mail::{AnswerSpendingRequest, MailAnswer, MailRefusal};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
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
        edit.raise_spending_line(&question, extra)?;
        let answer = Input::SpendingAnswered { author, answer: SpendingAnswer::Continue(extra) };
        edit.answer_runs_at_same_line(&question, &answer)?;
        edit.apply_or_refuse(answer, "request-not-applicable")
    }
}

/// The refusal of an amount that is too small or too large.
fn disallowed(question: &SpendingQuestion) -> MailRefusal {
    let (least, most) = (question.least().to_string(), question.extra.to_string());
    MailRefusal::Invalid(saying!("request-spending-extra", least = least, most = most))
}
