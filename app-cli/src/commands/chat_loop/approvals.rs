//! Asks the person in the chat for approvals and answers.

use entracte_adapters_http::shapes::card::CardShape;
use entracte_application::texts::say;
use entracte_application::use_cases::{
    AnswerQuestion, ApprovalChoice, ApprovalSelection, ApprovalView, DecideApprovals,
};
use entracte_domain::id::SessionId;
use entracte_domain::question::Question;
use entracte_domain::time::Millis;

use super::super::confirmation::is_yes;
use super::super::decisions::{arguments, report_created_rules};
use super::{ChatLoop, QuestionFollowUp};
use crate::error::CliError;
use crate::line_reader::{InputPurpose, LineInput};
use crate::render::approval::{card, full_card_text, question};
use crate::render::rule::width;
use crate::render::text::escape_json;
use crate::user_text::message;

impl ChatLoop<'_> {
    /// The asking session: this one, or an agent below it.
    fn asking_session(&self) -> &SessionId {
        self.asking.as_ref().unwrap_or(&self.stage.session)
    }

    /// Asks a question.
    pub(super) async fn ask(&mut self, asked: &Question) -> Result<QuestionFollowUp, CliError> {
        let colour = self.stage.context.out.message_style.colour;
        self.screen.print_wrapped(&question(&asked.into(), colour, self.texts));
        let text = match self.read(InputPurpose::Answer, &say!(self.texts, "talk-answer")).await? {
            None => return Ok(QuestionFollowUp::Works),
            Some(LineInput::Line(text)) if text.trim().is_empty() => return Ok(QuestionFollowUp::Again),
            Some(LineInput::Line(text)) => text,
            Some(LineInput::Interrupted) => return Ok(self.hint()),
            Some(LineInput::End) => return Ok(QuestionFollowUp::Leaves),
        };
        self.attached.refresh().await;
        let answer = AnswerQuestion::new(self.stage.runtime.clone());
        let (workspace, session) = (&self.stage.workspace, self.asking_session());
        let answered = answer.run(workspace, session, self.stage.author(), text, None).await;
        if answered.is_ok() {
            self.screen.own.record_answer();
        }
        Ok(self.report_outcome(answered.map_err(CliError::from)))
    }

    /// Asks for the first open approval; the others follow.
    pub(super) async fn ask_approval(
        &mut self,
        approvals: &[ApprovalView],
    ) -> Result<QuestionFollowUp, CliError> {
        let Some(approval) = approvals.first() else { return Ok(QuestionFollowUp::Again) };
        self.show(approval, approvals);
        let lasts = self.stage.context.settings.runtime.always_expires;
        if let Some(width) = width(&approval.into(), self.texts, false, false, lasts) {
            self.screen.print_wrapped(&width);
        }
        loop {
            let prompt = self.choices(approval, approvals.len());
            let typed = match self.read(InputPurpose::Answer, &prompt).await? {
                None => return Ok(QuestionFollowUp::Works),
                Some(LineInput::Line(text)) => text.trim().to_lowercase(),
                Some(LineInput::Interrupted) => return Ok(self.hint()),
                Some(LineInput::End) => return Ok(QuestionFollowUp::Leaves),
            };
            let one = vec![ApprovalSelection::from_approval(approval)];
            return match typed.as_str() {
                "?" => {
                    self.show_whole(approval);
                    continue;
                }
                "n" | "no" | "non" => self.reject(one).await,
                "a" | "all" | "t" | "tous" => self.approve_all(approvals).await,
                yes if gives_yes(yes) && self.tells_hidden(approval) => continue,
                "y" | "yes" | "o" | "oui" => self.decide(one, ApprovalChoice::Approve).await,
                "w" | "always" | "j" | "toujours" if approval.always.is_some() => {
                    self.approve_always(one, lasts).await
                }
                "e" | "edit" | "m" | "modifier" => self.edit(approval).await,
                _ => Ok(QuestionFollowUp::Again),
            };
        }
    }

    /// Shows the full card, whatever its length.
    fn show_whole(&mut self, approval: &ApprovalView) {
        let card = CardShape::from(approval);
        self.screen.print_wrapped(&full_card_text(&card, self.texts));
        self.seen.add(&card);
    }

    /// Reports how much of a card the person has not seen; returns whether there was anything.
    fn tells_hidden(&self, approval: &ApprovalView) -> bool {
        let Some(count) = self.unseen_part_count(approval) else { return false };
        self.screen.print_wrapped(&say!(self.texts, "talk-hidden", count = count));
        true
    }

    /// Shows a card, and from then on reports decisions of other people on these calls.
    fn show(&mut self, approval: &ApprovalView, approvals: &[ApprovalView]) {
        self.screen.print_wrapped(&self.drawn(approval));
        let says = |approval: &ApprovalView| (approval.call.id.clone(), approval.description.says.clone());
        self.screen.cards = approvals.iter().map(says).collect();
    }

    /// The card as the screen shows it.
    fn drawn(&self, approval: &ApprovalView) -> String {
        let context = self.stage.context;
        card(&approval.into(), self.texts, context.out.message_style.colour, &context.zone).text
    }

    /// How much of a card the person has not seen; `None` if nothing.
    fn unseen_part_count(&self, approval: &ApprovalView) -> Option<usize> {
        self.seen.unseen_part_count(&approval.into(), self.texts)
    }

    fn choices(&self, approval: &ApprovalView, count: usize) -> String {
        let mut choices = vec![say!(self.texts, "talk-choices")];
        let is_unseen = self.unseen_part_count(approval).is_some();
        choices.extend(is_unseen.then(|| say!(self.texts, "talk-choice-whole")));
        choices.extend(approval.always.is_some().then(|| say!(self.texts, "talk-choice-always")));
        choices.extend((count > 1).then(|| say!(self.texts, "talk-choice-all", count = count)));
        format!("{}> ", choices.join(", "))
    }

    async fn reject(&mut self, calls: Vec<ApprovalSelection>) -> Result<QuestionFollowUp, CliError> {
        match self.read(InputPurpose::Answer, &say!(self.texts, "talk-why")).await? {
            None => Ok(QuestionFollowUp::Works),
            Some(LineInput::Line(reason)) => {
                let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
                self.decide(calls, ApprovalChoice::Reject(reason)).await
            }
            Some(LineInput::Interrupted | LineInput::End) => Ok(QuestionFollowUp::Again),
        }
    }

    /// Approves all, once each full card was shown.
    async fn approve_all(&mut self, approvals: &[ApprovalView]) -> Result<QuestionFollowUp, CliError> {
        for (index, approval) in approvals.iter().enumerate() {
            if index > 0 {
                self.screen.print_wrapped(&self.drawn(approval));
            }
            if self.unseen_part_count(approval).is_some() {
                self.show_whole(approval);
            }
        }
        let prompt = say!(self.texts, "talk-all", count = approvals.len());
        match self.read(InputPurpose::Answer, &prompt).await? {
            None => Ok(QuestionFollowUp::Works),
            Some(LineInput::Line(text)) if is_yes(&text) => {
                self.decide(
                    approvals.iter().map(ApprovalSelection::from_approval).collect(),
                    ApprovalChoice::Approve,
                )
                .await
            }
            Some(LineInput::Line(_) | LineInput::Interrupted | LineInput::End) => Ok(QuestionFollowUp::Again),
        }
    }

    /// Approves this call and all similar ones in the workspace, for the shown duration.
    async fn approve_always(
        &mut self,
        calls: Vec<ApprovalSelection>,
        lasts: Millis,
    ) -> Result<QuestionFollowUp, CliError> {
        let after = self.reading.last;
        let choice = ApprovalChoice::Always { in_session: false, lasts: Some(lasts), agents: false };
        let step = self.decide(calls, choice).await?;
        if matches!(step, QuestionFollowUp::Works) {
            report_created_rules(self.stage, after).await?;
        }
        Ok(step)
    }

    async fn edit(&mut self, approval: &ApprovalView) -> Result<QuestionFollowUp, CliError> {
        let before = escape_json(&approval.call.effective_command().arguments.to_json());
        let LineInput::Line(text) =
            self.keyboard.read_prefilled_line(&say!(self.texts, "talk-parameters"), &before).await?
        else {
            return Ok(QuestionFollowUp::Again);
        };
        match arguments(message!("talk-written"), &text) {
            Ok(edited) => {
                self.decide(
                    vec![ApprovalSelection::from_approval(approval)],
                    ApprovalChoice::ApproveEdited(edited),
                )
                .await
            }
            Err(error) => Ok(self.report_outcome::<()>(Err(error))),
        }
    }

    async fn decide(
        &mut self,
        calls: Vec<ApprovalSelection>,
        choice: ApprovalChoice,
    ) -> Result<QuestionFollowUp, CliError> {
        self.attached.refresh().await;
        let decide = DecideApprovals::new(self.stage.runtime.clone(), self.stage.services.store.clone());
        let (workspace, session) = (&self.stage.workspace, self.asking_session().clone());
        self.screen.own.record_decisions(calls.iter().map(|shown| shown.call.clone()));
        let decided =
            decide.run_for_selection(workspace, &session, self.stage.author(), &calls, &choice).await;
        if decided.is_err() {
            self.screen.own.clear_decisions();
        }
        Ok(self.report_outcome(decided.map_err(CliError::from)))
    }
}

/// Whether the input approves a call, unchanged or edited.
fn gives_yes(typed: &str) -> bool {
    matches!(
        typed,
        "y" | "yes" | "o" | "oui" | "w" | "always" | "j" | "toujours" | "e" | "edit" | "m" | "modifier"
    )
}
