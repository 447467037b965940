//! Asks the person in the chat for approvals and answers.

use entracte_adapters_http::shapes::card::{AllDecidedShape, CardShape, DecisionShape, QuestionShape};
use entracte_adapters_http::shapes::message::AnswerShape;
use entracte_adapters_http::shapes::session::AcceptedShape;
use entracte_application::json_value::ExactJson;
use entracte_application::texts::say;
use entracte_domain::id::CallId;
use entracte_domain::time::Millis;

use super::super::card_decisions::{bound, decide_together};
use super::super::confirmation::is_yes;
use super::super::decisions::{arguments, report_rules, whole_seconds};
use super::{ChatLoop, QuestionFollowUp};
use crate::api_client::post;
use crate::error::CliError;
use crate::line_reader::{InputPurpose, LineInput};
use crate::render::approval::{card, full_card_text, question};
use crate::render::rule::width;
use crate::render::text::escape_json;
use crate::render::wrap::fitted_prompt;
use crate::user_text::message;

impl ChatLoop<'_> {
    /// The asking session: this one, or an agent below it.
    fn asking_session(&self) -> &str {
        self.asking.as_deref().unwrap_or(&self.stage.session)
    }

    /// Asks a question.
    pub(super) async fn ask(&mut self, asked: &[QuestionShape]) -> Result<QuestionFollowUp, CliError> {
        let colour = self.stage.context.out.message_style.colour;
        for asked in asked {
            self.screen.print_wrapped(&question(asked, colour, self.texts));
        }
        let text = match self.read(InputPurpose::Answer, &say!(self.texts, "talk-answer")).await? {
            None => return Ok(QuestionFollowUp::Works),
            Some(LineInput::Line(text)) if text.trim().is_empty() => return Ok(QuestionFollowUp::Again),
            Some(LineInput::Line(text)) => text,
            Some(LineInput::Interrupted) => return Ok(self.hint()),
            Some(LineInput::End) => return Ok(QuestionFollowUp::Leaves),
        };
        self.attached.refresh().await;
        let api = self.stage.api;
        let path = api.path(&["sessions", self.asking_session(), "answer"]);
        let answered = api.send::<AcceptedShape>(post(&path, &AnswerShape { text, message: None })).await;
        if answered.is_ok() {
            self.screen.own.record_answer();
        }
        Ok(self.report_outcome(answered))
    }

    /// Asks for the first open approval; the others follow.
    pub(super) async fn ask_approval(
        &mut self,
        approvals: &[CardShape],
    ) -> Result<QuestionFollowUp, CliError> {
        let Some(approval) = approvals.first() else { return Ok(QuestionFollowUp::Again) };
        self.show(approval, approvals);
        let lasts = self.stage.context.settings.runtime.always_expires;
        if let Some(width) = width(approval, self.texts, false, false, lasts) {
            self.screen.print_wrapped(&width);
        }
        loop {
            let prompt = self.choices(approval, approvals.len());
            let typed = match self.read(InputPurpose::Answer, &prompt).await? {
                None => return Ok(QuestionFollowUp::Works),
                Some(LineInput::Line(text)) => text,
                Some(LineInput::Interrupted) => return Ok(self.hint()),
                Some(LineInput::End) => return Ok(QuestionFollowUp::Leaves),
            };
            let one = std::slice::from_ref(approval);
            let Some(key) = DecisionKey::read(&typed) else { return Ok(QuestionFollowUp::Again) };
            return match key {
                DecisionKey::More => {
                    self.show_whole(approval);
                    continue;
                }
                DecisionKey::Reject => self.reject(one).await,
                DecisionKey::Answer => self.answer_instead(one).await,
                DecisionKey::ApproveAll => self.approve_all(approvals).await,
                DecisionKey::Approve | DecisionKey::Always | DecisionKey::Edit
                    if self.tells_hidden(approval) =>
                {
                    continue;
                }
                DecisionKey::Approve => self.decide(one, DecisionShape::Approve).await,
                DecisionKey::Always if approval.always.is_none() => Ok(QuestionFollowUp::Again),
                DecisionKey::Always => self.approve_always(one, lasts).await,
                DecisionKey::Edit => self.edit(approval).await,
            };
        }
    }

    /// Shows the full card, whatever its length.
    fn show_whole(&mut self, approval: &CardShape) {
        self.screen.print_wrapped(&full_card_text(approval, self.texts));
        self.seen.add(approval);
    }

    /// Reports how much of a card the person has not seen; returns whether there was anything.
    fn tells_hidden(&self, approval: &CardShape) -> bool {
        let Some(count) = self.unseen_part_count(approval) else { return false };
        self.screen.print_wrapped(&say!(self.texts, "talk-hidden", count = count));
        true
    }

    /// Shows a card, and from then on reports decisions of other people on these calls.
    fn show(&mut self, approval: &CardShape, approvals: &[CardShape]) {
        self.screen.print_wrapped(&self.drawn(approval));
        let says = |approval: &CardShape| (CallId::new(&*approval.call), approval.says.clone());
        self.screen.cards = approvals.iter().map(says).collect();
    }

    /// The card as the screen shows it.
    fn drawn(&self, approval: &CardShape) -> String {
        let context = self.stage.context;
        card(approval, self.texts, context.out.message_style.colour, &context.zone).text
    }

    /// How much of a card the person has not seen; `None` if nothing.
    fn unseen_part_count(&self, approval: &CardShape) -> Option<usize> {
        self.seen.unseen_part_count(approval, self.texts)
    }

    fn choices(&self, approval: &CardShape, count: usize) -> String {
        let mut choices = vec![say!(self.texts, "talk-choices")];
        let is_unseen = self.unseen_part_count(approval).is_some();
        choices.extend(is_unseen.then(|| say!(self.texts, "talk-choice-whole")));
        choices.extend(approval.always.is_some().then(|| say!(self.texts, "talk-choice-always")));
        choices.extend((count > 1).then(|| say!(self.texts, "talk-choice-all", count = count)));
        let choices = format!("{}> ", choices.join(", "));
        fitted_prompt(&choices, self.stage.context.out.message_style.width)
    }

    /// Rejects calls with the reason that the person writes; no reason counts once it is said twice.
    async fn reject(&mut self, cards: &[CardShape]) -> Result<QuestionFollowUp, CliError> {
        for prompt in ["talk-why", "talk-why-none"] {
            let prompt =
                fitted_prompt(&self.texts.render(prompt, &[]), self.stage.context.out.message_style.width);
            match self.read(InputPurpose::Answer, &prompt).await? {
                None => return Ok(QuestionFollowUp::Works),
                Some(LineInput::Line(reason)) if reason.trim().is_empty() => {}
                Some(LineInput::Line(reason)) => {
                    let reason = Some(reason.trim().to_owned());
                    return self.decide(cards, DecisionShape::Reject { reason }).await;
                }
                Some(LineInput::Interrupted | LineInput::End) => return Ok(QuestionFollowUp::Again),
            }
        }
        self.decide(cards, DecisionShape::Reject { reason: None }).await
    }

    /// Sends words to the model in place of a decision.
    async fn answer_instead(&mut self, cards: &[CardShape]) -> Result<QuestionFollowUp, CliError> {
        match self.read(InputPurpose::Answer, &say!(self.texts, "talk-instead")).await? {
            None => Ok(QuestionFollowUp::Works),
            Some(LineInput::Line(text)) if !text.trim().is_empty() => {
                let text = text.trim().to_owned();
                self.decide(cards, DecisionShape::Answer { text }).await
            }
            Some(LineInput::Line(_) | LineInput::Interrupted | LineInput::End) => Ok(QuestionFollowUp::Again),
        }
    }

    /// Approves all, once each full card was shown.
    async fn approve_all(&mut self, approvals: &[CardShape]) -> Result<QuestionFollowUp, CliError> {
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
                self.decide(approvals, DecisionShape::Approve).await
            }
            Some(LineInput::Line(_) | LineInput::Interrupted | LineInput::End) => Ok(QuestionFollowUp::Again),
        }
    }

    /// Approves this call and all similar ones in the workspace, for the shown duration.
    async fn approve_always(
        &mut self,
        cards: &[CardShape],
        lasts: Millis,
    ) -> Result<QuestionFollowUp, CliError> {
        let lasts_seconds = Some(whole_seconds(lasts));
        self.decide(
            cards,
            DecisionShape::Always { in_session: false, lasts_seconds, agents: false, width: None },
        )
        .await
    }

    async fn edit(&mut self, approval: &CardShape) -> Result<QuestionFollowUp, CliError> {
        let before = escape_json(&approval.arguments_text);
        let LineInput::Line(text) =
            self.keyboard.read_prefilled_line(&say!(self.texts, "talk-parameters"), &before).await?
        else {
            return Ok(QuestionFollowUp::Again);
        };
        match arguments(message!("talk-written"), &text) {
            Ok(edited) => {
                let decision = DecisionShape::Edit { arguments: ExactJson(edited) };
                self.decide(std::slice::from_ref(approval), decision).await
            }
            Err(error) => Ok(self.report_outcome::<()>(Err(error))),
        }
    }

    async fn decide(
        &mut self,
        cards: &[CardShape],
        decision: DecisionShape,
    ) -> Result<QuestionFollowUp, CliError> {
        self.attached.refresh().await;
        let api = self.stage.api;
        self.screen.own.record_decisions(cards.iter().map(|card| CallId::new(&*card.call)));
        let asked = decide_together(api, self.asking_session(), cards.iter().map(bound), &decision);
        let decided = api.send::<AllDecidedShape>(asked).await;
        match &decided {
            Ok(decided) => report_rules(self.stage.context, api, &decided.decisions).await?,
            Err(_) => self.screen.own.clear_decisions(),
        }
        Ok(self.report_outcome(decided))
    }
}

/// A decision on a card, typed by the keys of the inbox and the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecisionKey {
    Approve,
    Always,
    ApproveAll,
    Edit,
    Reject,
    /// Says something else than yes or no.
    Answer,
    /// Shows the whole card.
    More,
}

impl DecisionKey {
    /// Reads a typed key or word; only `a` and `A` differ by their case.
    fn read(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        if typed == "A" {
            return Some(Self::Always);
        }
        Some(match typed.to_lowercase().as_str() {
            "a" | "approve" | "approuver" | "y" | "yes" | "o" | "oui" => Self::Approve,
            "always" | "toujours" | "w" => Self::Always,
            "all" | "tout" | "tous" => Self::ApproveAll,
            "e" | "edit" | "m" | "modifier" => Self::Edit,
            "r" | "reject" | "rejeter" | "n" | "no" | "non" => Self::Reject,
            "i" | "instead" | "répondre" => Self::Answer,
            "?" => Self::More,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: the keys of the inbox and the console, and words of both languages; expected: what each decides; only `a` and
    /// `A` differ by their case, and none approves all by one letter.
    #[test]
    fn keys_are_those_of_the_inbox() {
        use DecisionKey::{Always, Answer, Approve, ApproveAll, Edit, More, Reject};
        let cases = [
            ("a", Some(Approve)),
            ("A", Some(Always)),
            (" oui ", Some(Approve)),
            ("YES", Some(Approve)),
            ("all", Some(ApproveAll)),
            ("tout", Some(ApproveAll)),
            ("e", Some(Edit)),
            ("r", Some(Reject)),
            ("N", Some(Reject)),
            ("I", Some(Answer)),
            ("répondre", Some(Answer)),
            ("?", Some(More)),
            ("", None),
            ("t", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(DecisionKey::read(typed), expected, "{typed:?}");
        }
    }
}
