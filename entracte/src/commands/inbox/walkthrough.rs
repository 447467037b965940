//! The inbox with keys: the items of all sessions, one after the other. A decision is bound to the card on the
//! screen.

use std::collections::BTreeSet;

use entracte_adapters_http::shapes::call::SettlementShape;
use entracte_adapters_http::shapes::card::{
    CardShape, DecidedShape, DecisionShape, InboxShape, PlaceShape, folded_approvals,
};
use entracte_adapters_http::shapes::cost::{SpendingAnswerShape, SpendingQuestionShape};
use entracte_adapters_http::shapes::message::AnswerShape;
use entracte_adapters_http::shapes::session::AcceptedShape;
use entracte_adapters_http::shapes::task::TaskAnswerShape;
use entracte_adapters_http::shapes::triage::{AssignItemsShape, SnoozeItemsShape, TriagedItemsShape};
use entracte_application::json_value::ExactJson;
use entracte_application::texts::{LocalizedTexts, say};

use super::super::card_decisions::decide_one;
use super::super::confirmation::is_yes;
use super::super::decisions::{arguments, report_rules, whole_seconds, write_fitted_notice};
use super::super::reviewed_cards::ReviewedCards;
use super::{draw, mark_one, read_items, renderer};
use crate::api_client::{ApiClient, post, post_empty};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::raw_keyboard::{KeyPress, read_key};
use crate::render::approval::full_card_text;
use crate::render::rule;
use crate::render::text::{escape_json, one_line};
use crate::render::wrap::{choice_rows, fitted_prompt};
use crate::user_text::message;

/// Who walks, in place of the name of a person.
const ME: &str = "me";
/// In place of the name of a person, to assign an item to nobody.
const NOBODY: &str = "nobody";

/// The state of a walk through the inbox.
struct InboxWalkthrough<'a> {
    context: &'a CommandContext,
    api: &'a ApiClient<'a>,
    texts: &'static LocalizedTexts,
    keyboard: LineReader,
    /// The index of the shown item.
    at: usize,
    /// The cards that the person has read in full.
    seen: ReviewedCards,
}

/// Where an item stands in a walk.
#[derive(Clone, Copy)]
struct WalkPlace {
    number: usize,
    count: usize,
}

/// The navigation of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InboxNavigation {
    /// To the item at this index, which may have changed.
    Shows,
    /// The same item stays on the screen.
    Stays,
    /// The walk ends.
    Leaves,
}

/// Walks through the inbox.
pub(super) async fn run(context: &CommandContext, api: &ApiClient<'_>) -> Result<CliExitCode, CliError> {
    let texts = api.texts().await?;
    let items = WalkedItems::read(api).await?;
    if items.steps().is_empty() {
        for item in items.unfolded() {
            context.out.write_notice(&draw(context, item, &items.all, texts));
        }
        if items.all.is_empty() {
            context.out.write_notice(&say!(texts, "inbox-none", workspace = api.workspace().as_str()));
        }
        return Ok(CliExitCode::Done);
    }
    let keyboard = LineReader::new(true).with_colour(context.out.message_style.colour);
    let seen = ReviewedCards::default();
    let mut walk = InboxWalkthrough { context, api, texts, keyboard, at: 0, seen };
    let walked = walk.run_loop().await;
    // The work that was approved here runs in this process.
    api.drain().await?;
    walked.map(|()| CliExitCode::Done)
}

/// Whether an item is answered by keys; a server's tools, and what is off, by commands.
fn has_keys(item: &InboxShape) -> bool {
    !matches!(item, InboxShape::Off { .. } | InboxShape::Tools { .. })
}

/// What waits: all of it, and the items of a walk among it, in the order of the API.
struct WalkedItems {
    all: Vec<InboxShape>,
    folded: BTreeSet<String>,
}

impl WalkedItems {
    async fn read(api: &ApiClient<'_>) -> Result<Self, CliError> {
        let all = read_items(api).await?;
        Ok(Self { folded: folded_approvals(&all), all })
    }

    /// What does not stand on the card of a server.
    fn unfolded(&self) -> impl Iterator<Item = &InboxShape> {
        self.all.iter().filter(|item| !self.folded.contains(item.id()))
    }

    /// The items of a walk; none if no item is answered by keys.
    fn steps(&self) -> Vec<&InboxShape> {
        if self.unfolded().any(has_keys) { self.unfolded().collect() } else { Vec::new() }
    }
}

impl InboxWalkthrough<'_> {
    async fn run_loop(&mut self) -> Result<(), CliError> {
        loop {
            let items = WalkedItems::read(self.api).await?;
            let steps = items.steps();
            let Some(last) = steps.len().checked_sub(1) else {
                self.says(&say!(self.texts, "walk-empty"));
                return Ok(());
            };
            self.at = self.at.min(last);
            let Some(item) = steps.get(self.at) else { return Ok(()) };
            self.show(item, &items.all, WalkPlace { number: self.at + 1, count: steps.len() });
            loop {
                match self.key(item, last).await? {
                    InboxNavigation::Shows => break,
                    InboxNavigation::Stays => {}
                    InboxNavigation::Leaves => return Ok(()),
                }
            }
        }
    }

    fn show(&self, item: &InboxShape, all: &[InboxShape], place: WalkPlace) {
        let place = say!(self.texts, "walk-place", number = place.number, count = place.count);
        let renderer = renderer(self.context, self.context.out.message_style, self.texts);
        let content = if has_keys(item) { renderer.content(item) } else { renderer.draw(item, all) };
        self.says(&format!("\n{place}\n{}", content.trim_end()));
    }

    fn says(&self, text: &str) {
        write_fitted_notice(self.context, text);
    }

    /// Reads a key, and runs its action.
    async fn key(&mut self, item: &InboxShape, last: usize) -> Result<InboxNavigation, CliError> {
        let prompt = format!("{}, {}", keys_of(item, self.texts), say!(self.texts, "walk-keys"));
        let width = self.context.out.message_style.width.unwrap_or(80);
        let pressed =
            read_key(self.context.out.clone(), choice_rows(&prompt, width.saturating_sub(1))).await?;
        match pressed {
            KeyPress::Leaves | KeyPress::Key('q') => Ok(InboxNavigation::Leaves),
            KeyPress::Next | KeyPress::Key('j') => Ok(self.move_to(self.at.saturating_add(1).min(last))),
            KeyPress::Back | KeyPress::Key('k') => Ok(self.move_to(self.at.saturating_sub(1))),
            KeyPress::Key('?') => {
                self.says(&details(item, self.texts));
                if let InboxShape::Approval(card) = item {
                    self.seen.add(card);
                }
                Ok(InboxNavigation::Stays)
            }
            KeyPress::Key(key) => self.handle_key(item, key).await,
            KeyPress::Other => Ok(InboxNavigation::Stays),
        }
    }

    fn move_to(&mut self, at: usize) -> InboxNavigation {
        let step = if at == self.at { InboxNavigation::Stays } else { InboxNavigation::Shows };
        self.at = at;
        step
    }

    async fn handle_key(&mut self, item: &InboxShape, key: char) -> Result<InboxNavigation, CliError> {
        // Only approvals tell A from a.
        let key = if matches!(item, InboxShape::Approval(_)) { key } else { key.to_ascii_lowercase() };
        match key {
            'z' if has_keys(item) => return self.snooze(item).await,
            'o' if has_keys(item) => return self.assign(item).await,
            _ => {}
        }
        if let (InboxShape::Approval(card), 'a' | 'A' | 'e') = (item, key)
            && let Some(count) = self.seen.unseen_part_count(card, self.texts)
        {
            self.says(&say!(self.texts, "walk-hidden", count = count));
            return Ok(InboxNavigation::Stays);
        }
        match (item, key) {
            (InboxShape::Approval(card), 'a') => self.decide(card, DecisionShape::Approve).await,
            (InboxShape::Approval(card), 'A') => self.approve_always(card).await,
            (InboxShape::Approval(card), 'e') => self.edit(card).await,
            (InboxShape::Approval(card), 'r') => {
                let Some(rejection) = self.rejection().await? else { return Ok(InboxNavigation::Stays) };
                self.decide(card, rejection).await
            }
            (InboxShape::Approval(card), 'i') if !card.by_hand => {
                let text = self.line("talk-instead", "").await?.map(|text| text.trim().to_owned());
                let Some(text) = text.filter(|text| !text.is_empty()) else {
                    return Ok(InboxNavigation::Stays);
                };
                self.decide(card, DecisionShape::Answer { text }).await
            }
            (InboxShape::Question { place, .. }, 'a') => {
                let Some(text) = self.answer_line().await? else { return Ok(InboxNavigation::Stays) };
                let path = self.api.path(&["sessions", &place.session, "answer"]);
                let asked = post(&path, &AnswerShape { text, message: None });
                Ok(self.done(self.api.send::<AcceptedShape>(asked).await, "walk-answered"))
            }
            (InboxShape::Unsettled { call, .. }, 'h' | 'n') => {
                let found = SettlementShape { happened: key == 'h', note: None };
                let asked = post(&self.api.path(&["calls", call, "settlement"]), &found);
                Ok(self.done(self.api.send::<AcceptedShape>(asked).await, "walk-settled"))
            }
            (InboxShape::Parked { place, spending: Some(question), .. }, 'a' | 'e' | 'r') => {
                self.answer_spending(place, question, key).await
            }
            (InboxShape::Parked { place, spending: None, .. }, 'a') => {
                let path = self.api.path(&["sessions", &place.session, "resume"]);
                Ok(self.done(self.api.send::<AcceptedShape>(post_empty(&path)).await, "walk-resumed"))
            }
            (InboxShape::Ended { place, .. } | InboxShape::Failed { place, .. }, 's') => {
                Ok(self.done(mark_one(self.api, "sessions", &place.session).await, "walk-seen"))
            }
            (InboxShape::Task { why, task, question, .. }, 'a') if why == "asks" => {
                let Some(text) = self.answer_line().await? else { return Ok(InboxNavigation::Stays) };
                let path = self.api.path(&["tasks", task, "answer"]);
                let asked = post(&path, &TaskAnswerShape { text, question: question.clone() });
                Ok(self.done(self.api.send_only(asked).await, "walk-answered"))
            }
            (InboxShape::Task { why, .. }, _) if why == "asks" => Ok(InboxNavigation::Stays),
            (InboxShape::Task { task, .. }, 's') => {
                Ok(self.done(mark_one(self.api, "tasks", task).await, "walk-seen"))
            }
            _ => Ok(InboxNavigation::Stays),
        }
    }

    async fn snooze(&mut self, item: &InboxShape) -> Result<InboxNavigation, CliError> {
        let Some(until) = self.filled_line("talk-snooze", "tomorrow").await? else {
            return Ok(InboxNavigation::Stays);
        };
        let asked = SnoozeItemsShape { items: vec![item.id().to_owned()], until };
        let asked = post(&self.api.path(&["inbox", "snooze"]), &asked);
        Ok(self.done(self.api.send::<TriagedItemsShape>(asked).await, "walk-snoozed"))
    }

    async fn assign(&mut self, item: &InboxShape) -> Result<InboxNavigation, CliError> {
        let Some(person) = self.filled_line("talk-assign", ME).await? else {
            return Ok(InboxNavigation::Stays);
        };
        let person = Some(person).filter(|person| person != NOBODY);
        let asked = AssignItemsShape { items: vec![item.id().to_owned()], person };
        let asked = post(&self.api.path(&["inbox", "assign"]), &asked);
        Ok(self.done(self.api.send::<TriagedItemsShape>(asked).await, "walk-assigned"))
    }

    /// Answers whether a session may use more of a cap: as much as the question proposes, less, or nothing.
    async fn answer_spending(
        &mut self,
        place: &PlaceShape,
        question: &SpendingQuestionShape,
        key: char,
    ) -> Result<InboxNavigation, CliError> {
        let answer = match key {
            'e' => self.edited_spending(question).await?,
            'a' => Some(SpendingAnswerShape::as_proposed(question)),
            _ => Some(SpendingAnswerShape { go_on: false, cost_usd: None, tokens: None }),
        };
        let Some(answer) = answer else { return Ok(InboxNavigation::Stays) };
        let asked = post(&self.api.path(&["sessions", &place.session, "spending"]), &answer);
        let key = if answer.go_on { "walk-extended" } else { "walk-declined" };
        Ok(self.done(self.api.send::<AcceptedShape>(asked).await, key))
    }

    /// Reads how much more a session may use, from the least that lets it go on; `None` if the person cancels.
    async fn edited_spending(
        &mut self,
        question: &SpendingQuestionShape,
    ) -> Result<Option<SpendingAnswerShape>, CliError> {
        if question.extra.tokens == 0 {
            let cost_usd = self.filled_line("talk-spending-usd", &question.least.cost_usd).await?;
            return Ok(cost_usd.map(|usd| SpendingAnswerShape {
                go_on: true,
                cost_usd: Some(usd),
                tokens: None,
            }));
        }
        let Some(text) = self.filled_line("talk-spending-tokens", &question.least.tokens.to_string()).await?
        else {
            return Ok(None);
        };
        // What is no number allows nothing, which the server refuses with what it takes.
        let tokens = Some(text.parse().unwrap_or_default());
        Ok(Some(SpendingAnswerShape { go_on: true, cost_usd: None, tokens }))
    }

    /// Reads a line that begins with a usual answer; `None` if the person cancels, or writes nothing.
    async fn filled_line(&mut self, prompt: &'static str, usual: &str) -> Result<Option<String>, CliError> {
        let line = self.line(prompt, usual).await?.map(|text| text.trim().to_owned());
        Ok(line.filter(|text| !text.is_empty()))
    }

    /// Approves a call and later ones like it, once the person has read which these are.
    async fn approve_always(&mut self, card: &CardShape) -> Result<InboxNavigation, CliError> {
        let lasts = self.context.settings.runtime.always_expires;
        let Some(width) = rule::width(card, self.texts, false, false, lasts) else {
            return Ok(InboxNavigation::Stays);
        };
        self.says(&width);
        match self.line("approve-always-ask", "").await? {
            Some(typed) if is_yes(&typed) => {
                let lasts_seconds = Some(whole_seconds(lasts));
                self.decide(
                    card,
                    DecisionShape::Always { in_session: false, lasts_seconds, agents: false, width: None },
                )
                .await
            }
            Some(_) | None => {
                self.says(&say!(self.texts, "approve-always-not"));
                Ok(InboxNavigation::Stays)
            }
        }
    }

    async fn edit(&mut self, card: &CardShape) -> Result<InboxNavigation, CliError> {
        let before = escape_json(&card.arguments_text);
        let Some(text) = self.line("talk-parameters", &before).await? else {
            return Ok(InboxNavigation::Stays);
        };
        match arguments(message!("talk-written"), &text) {
            Ok(edited) => self.decide(card, DecisionShape::Edit { arguments: ExactJson(edited) }).await,
            Err(error) => {
                self.context.out.write_error_text(&error.localized(self.texts));
                Ok(InboxNavigation::Stays)
            }
        }
    }

    async fn decide(
        &mut self,
        card: &CardShape,
        decision: DecisionShape,
    ) -> Result<InboxNavigation, CliError> {
        let key = match &decision {
            DecisionShape::Approve | DecisionShape::Edit { .. } | DecisionShape::Always { .. } => {
                "walk-approved"
            }
            DecisionShape::Reject { .. } => "walk-rejected",
            DecisionShape::Answer { .. } => "walk-answered",
        };
        let decided = self.api.send::<DecidedShape>(decide_one(self.api, card, &decision)).await;
        if let Ok(decided) = &decided {
            report_rules(self.context, self.api, std::slice::from_ref(decided)).await?;
        }
        Ok(self.done(decided, key))
    }

    /// Reports the result of a request. After a refusal the inbox is read again, because it may have changed.
    fn done<T>(&self, answer: Result<T, CliError>, key: &'static str) -> InboxNavigation {
        match answer {
            Ok(_) => self.says(&self.texts.render(key, &[])),
            Err(error) => {
                let error = error.or_next("entracte inbox").localized(self.texts);
                self.context.out.write_error_text(&error);
            }
        }
        InboxNavigation::Shows
    }

    /// Reads why a call is rejected; no reason counts once it is said twice. `None` if the person cancels.
    async fn rejection(&mut self) -> Result<Option<DecisionShape>, CliError> {
        for prompt in ["talk-why", "talk-why-none"] {
            let Some(text) = self.line(prompt, "").await? else { return Ok(None) };
            let reason = text.trim();
            if !reason.is_empty() {
                return Ok(Some(DecisionShape::Reject { reason: Some(reason.to_owned()) }));
            }
        }
        Ok(Some(DecisionShape::Reject { reason: None }))
    }

    /// Reads an answer; `None` if the person cancels, or writes nothing.
    async fn answer_line(&mut self) -> Result<Option<String>, CliError> {
        Ok(self.line("talk-answer", "").await?.filter(|text| !text.trim().is_empty()))
    }

    /// Reads a line; `None` if the person cancels.
    async fn line(&mut self, prompt: &'static str, begin: &str) -> Result<Option<String>, CliError> {
        let prompt = fitted_prompt(&self.texts.render(prompt, &[]), self.context.out.message_style.width);
        match self.keyboard.read_prefilled_line(&prompt, begin).await? {
            LineInput::Line(text) => Ok(Some(text)),
            LineInput::Interrupted | LineInput::End => Ok(None),
        }
    }
}

/// The keys of an item besides those for navigation.
fn keys_of(item: &InboxShape, texts: &LocalizedTexts) -> String {
    let own = texts.render(own_keys(item), &[]);
    if has_keys(item) { format!("{own}, {}", say!(texts, "walk-keys-triage")) } else { own }
}

/// The text of the keys of this kind of item.
fn own_keys(item: &InboxShape) -> &'static str {
    match item {
        InboxShape::Approval(card) => match (card.always.is_some(), card.by_hand) {
            (true, false) => "walk-keys-approval-always",
            (false, false) => "walk-keys-approval",
            (true, true) => "walk-keys-by-hand-always",
            (false, true) => "walk-keys-by-hand",
        },
        InboxShape::Question { .. } => "walk-keys-question",
        InboxShape::Task { why, .. } if why == "asks" => "walk-keys-question",
        InboxShape::Unsettled { .. } => "walk-keys-unsettled",
        InboxShape::Parked { spending: Some(_), .. } => "walk-keys-spending",
        InboxShape::Parked { .. } => "walk-keys-parked",
        InboxShape::Ended { .. } | InboxShape::Failed { .. } | InboxShape::Task { .. } => "walk-keys-ended",
        InboxShape::Ungranted { .. } | InboxShape::Off { .. } | InboxShape::Tools { .. } => "walk-keys-none",
    }
}

/// The folded and left-out parts of the card, all arguments, and where to read more.
fn details(item: &InboxShape, texts: &LocalizedTexts) -> String {
    let more = match item {
        InboxShape::Approval(card) => {
            let session = &card.session;
            return format!(
                "{}\n  entracte session calls {session} {}\n  entracte session messages {session}",
                full_card_text(card, texts),
                card.call
            );
        }
        InboxShape::Unsettled { place, call, .. } | InboxShape::Failed { place, call, .. } => {
            format!("entracte session calls {} {call}", place.session)
        }
        InboxShape::Task { task, .. } => format!("entracte task show {task}"),
        InboxShape::Ungranted { place } => {
            format!("entracte automation show {}", place.automation.as_deref().unwrap_or_default())
        }
        InboxShape::Tools { server, .. } => format!("entracte mcp tools {}", one_line(server)),
        InboxShape::Off { what, .. } if what == "secret" => "entracte secret list".to_owned(),
        InboxShape::Off { .. } => "entracte notify list".to_owned(),
        InboxShape::Question { place, .. }
        | InboxShape::Parked { place, .. }
        | InboxShape::Ended { place, .. } => format!("entracte session messages {}", place.session),
    };
    say!(texts, "walk-more", next = more)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: every kind of item, in both languages; expected: its prompt fits in three rows of 52 columns, and offers words in
    /// place of a decision only for approvals that are not by hand.
    #[test]
    fn keys_fit_narrow_terminal() {
        use entracte_application::settings::Language;
        for language in [Language::En, Language::Fr] {
            let texts = LocalizedTexts::for_language(language);
            let by_hand = ["by-hand", "by-hand-always"];
            for kind in
                ["approval", "approval-always", "question", "unsettled", "parked", "spending", "ended"]
                    .into_iter()
                    .chain(by_hand)
            {
                let prompt = format!(
                    "{}, {}, {}",
                    texts.render(&format!("walk-keys-{kind}"), &[]),
                    say!(texts, "walk-keys-triage"),
                    say!(texts, "walk-keys")
                );
                let offers_words = prompt.contains(", i ");
                assert_eq!(offers_words, kind.starts_with("approval"), "{language:?} {kind}: {prompt}");
                let rows = choice_rows(&prompt, 51);
                assert!(rows.len() <= 3, "{language:?} {kind}: {prompt}");
                assert!(rows.iter().all(|row| row.chars().count() <= 51), "{rows:?}");
            }
        }
    }
}
