//! A compaction under way: the request to the model, the handling of its reply, and the part of the conversation
//! that stays ([adr 59](../../../docs/adr/0059-nothing-is-sent-beyond-the-budget.md)).

use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::plan::{Plan, PlanStep};
use entracte_domain::session::{
    ContextSummary, Dialect, SummaryFault, SummaryItem, SummaryMethod, SummaryPiece, SummaryProgress,
    SummaryRequest,
};
use entracte_domain::usage::Usage;

use crate::context::{
    CompactionBudget, ContentSize, IdentifierSource, PromptBudget, SummaryItemsLocation, SummaryOmissions,
    SummaryOptions, SummaryRecord, SummaryStateText, apply, insert_left_out, left_out_line,
    longest_left_out_line, notes_most, patch_instruction, read_patch, retry_instruction, slice_instruction,
    summary_text,
};
use crate::ports::{ModelReply, ModelRequest, PromptTurn, ReplyEnd, UserTurnPart};
use crate::prompt::texts::compaction_role;
use crate::prompt::{
    Projection, RetainedHistory, RetentionBudget, SliceBounds, begins_at, length_in_words, piece_in_words,
    summing_request,
};
use crate::protocol::envelope;
use crate::texts::{LocalizedTexts, say};

/// A summary to make, with all its source data.
pub struct CompactionJob {
    /// Method and progress of the summary.
    pub summing: SummaryProgress,
    /// The dialect of the session.
    pub dialect: Dialect,
    /// The conversation as in the round's request.
    pub conversation: Projection,
    /// The facts that code carries into the summary, from the session's log up to that point.
    pub record: Arc<SummaryRecord>,
    /// The prefix blocks that precede the conversation in every request.
    pub blocks: Vec<Arc<str>>,
    /// The plan that a person approved, with the state of its steps.
    pub plan: Option<Plan>,
    /// IANA time zone of the dates.
    pub zone: String,
    /// The model's name for the query that searches earlier messages; `None` if the session has no such query.
    pub search: Option<String>,
    /// Maximum tokens of the next request: the conversation is reduced to half of it.
    pub budget: u64,
    /// Maximum tokens of the request for the summary itself.
    pub request_most: u64,
    /// Maximum turns of a request; `None` if only tokens count.
    pub turns: Option<usize>,
    /// Maximum number of slices in which a conversation larger than the context window is read; of a longer one only
    /// the end is read.
    pub pieces: u64,
}

/// A summary and the request that it was made with.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionResult {
    /// The summary of the replaced turns.
    pub summary: ContextSummary,
    /// The request to the model; `None` if code made the summary alone.
    pub asked: Option<SummaryRequest>,
    /// Token usage, if known.
    pub usage: Option<Usage>,
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionFailure {
    /// Message for people.
    pub message: String,
    /// Class of the fault; decides the next step.
    pub fault: SummaryFault,
    /// The request that failed, if a model was called.
    pub asked: Option<SummaryRequest>,
    /// Token usage, if known.
    pub usage: Option<Usage>,
}

/// Maximum characters of a faulty reply that are quoted to the model.
const ANSWER_MAX: usize = 4_000;

/// Share of a request that a slice of the conversation must have at least, in percent; with less, a model would read
/// more instructions than conversation.
const SLICE_SHARE: u64 = 10;

/// Share of the room beside the instructions that a slice may have, in percent.
const ROOM_SHARE: u64 = 80;

impl CompactionJob {
    fn items(&self) -> &[SummaryItem] {
        if let Some(piece) = &self.summing.piece {
            return &piece.items;
        }
        self.conversation.summary().map_or(&[], |summary| &summary.items)
    }

    fn shares(&self) -> CompactionBudget {
        PromptBudget { most: self.budget, prefix: self.conversation.prefix_tokens() }.shares()
    }

    fn notes_most(&self) -> usize {
        notes_most(self.conversation.ruler(), self.shares().summary)
    }

    /// The same job with a method whose request has at most [`Self::request_most`] tokens: what is too large at the end
    /// of the round's own request is read as text, and if not even a slice of the text has room, code makes the
    /// summary alone.
    #[must_use]
    pub fn within_request_limit(mut self) -> Self {
        let is_patch = self.summing.method == SummaryMethod::Patch;
        if is_patch && (self.summing.piece.is_some() || self.patch_turns().is_none()) {
            self.summing.method = SummaryMethod::Words;
        }
        if self.summing.method == SummaryMethod::Words
            && self.slice_tokens() < self.request_most / 100 * SLICE_SHARE
        {
            self.summing.method = SummaryMethod::Mechanical;
        }
        self
    }

    /// The summary request to send; `None` if no model is called.
    pub fn summary_request(&self) -> Option<SummaryRequest> {
        let request = SummaryRequest {
            ask: self.ask(self.summing.method),
            in_words: None,
            from: None,
            turns: None,
            body: None,
        };
        match self.summing.method {
            SummaryMethod::Mechanical => None,
            SummaryMethod::Patch => {
                let turns = self.patch_turns().filter(|turns| *turns < self.conversation.length());
                Some(SummaryRequest { turns: turns.map(|turns| turns as u64), ..request })
            }
            SummaryMethod::Words => {
                let piece = self.next_slice();
                let ask = match piece.is_whole() {
                    true => request.ask,
                    false => format!("{}\n{}", slice_instruction(self.conversation.language()), request.ask),
                };
                Some(SummaryRequest { ask, in_words: Some(piece.most), from: Some(piece.from), ..request })
            }
        }
    }

    /// The text that asks for a summary by this method.
    fn ask(&self, method: SummaryMethod) -> String {
        let language = self.conversation.language();
        let (dialect, notes) = match method {
            SummaryMethod::Patch if self.items().is_empty() => (self.dialect, SummaryItemsLocation::None),
            SummaryMethod::Patch => (self.dialect, SummaryItemsLocation::InRecord),
            SummaryMethod::Words | SummaryMethod::Mechanical => {
                (Dialect::Tools, SummaryItemsLocation::Here(self.items()))
            }
        };
        let mut text = patch_instruction(language, dialect, notes, self.notes_most());
        for fault in &self.summing.faults {
            text.push_str("\n\n");
            text.push_str(fault);
        }
        text
    }

    /// Number of first turns of the round's own request that fit in the request for a patch; `None` if none of them is
    /// new, or if a turn after them would not stay in the prompt: no summary would cover it.
    fn patch_turns(&self) -> Option<usize> {
        let conversation = &self.conversation;
        let ask = self.ask(SummaryMethod::Patch);
        let ask = conversation.ruler().request_tokens(ContentSize::of_part(ask.len()));
        let turns = conversation.first_turns_within(self.request_most.saturating_sub(ask))?;
        if turns == conversation.length() {
            return Some(turns);
        }
        let covered = conversation.summary().map_or(0, |summary| summary.covers_to);
        let taken = conversation.prefix_tokens().saturating_add(self.shares().summary);
        let kept = conversation.select_retained_history(self.retention(taken));
        let is_read_or_kept = kept.from <= conversation.first_reply_after(turns);
        (turns > conversation.unread_from(covered) && is_read_or_kept).then_some(turns)
    }

    /// Tokens of a slice of the conversation as text.
    fn slice_tokens(&self) -> u64 {
        let (ruler, language) = (self.conversation.ruler(), self.conversation.language());
        let own = [compaction_role(language), slice_instruction(language), self.ask(SummaryMethod::Words)];
        let own = own.iter().map(|text| ruler.request_tokens(ContentSize::of_part(text.len()))).sum();
        // Part of the room, because each turn adds tokens of the wire format; half of the budget, because the provider
        // may count differently.
        (self.request_most.saturating_sub(own) / 100 * ROOM_SHARE).min(self.budget / 2)
    }

    /// The next slice of the conversation to summarize as text.
    fn next_slice(&self) -> ConversationSlice {
        let (turns, language) = (self.conversation.turns(), self.conversation.language());
        let most = (self.conversation.ruler().bytes(self.slice_tokens()) as u64).max(1);
        let whole = length_in_words(&turns, language);
        let from = match &self.summing.piece {
            Some(before) => before.read,
            None => {
                let covered = self.conversation.summary().map_or(0, |summary| summary.covers_to);
                let unread = begins_at(&turns, self.conversation.unread_from(covered), language);
                unread.max(whole.saturating_sub(most.saturating_mul(self.pieces.max(1))))
            }
        };
        ConversationSlice { from, most, whole }
    }

    /// Builds the model request of a summary; `own` is the round's own request.
    pub fn build_model_request(&self, own: ModelRequest, asked: &SummaryRequest) -> ModelRequest {
        summing_request(own, asked, self.conversation.language())
    }

    /// Makes the summary by code, without a model.
    pub fn build_mechanical_summary(&self) -> CompactionResult {
        let covers_to = self.conversation.summary().map_or(0, |summary| summary.covers_to);
        let summary = self.summary(self.items().to_vec(), covers_to, SummaryMethod::Mechanical);
        CompactionResult { summary, asked: None, usage: None }
    }

    /// Makes the summary from a reply. A faulty reply is corrected once; of the second reply, the valid items count.
    /// `texts` word a failure for people.
    pub fn apply_reply(
        &self,
        reply: &ModelReply,
        asked: SummaryRequest,
        texts: &LocalizedTexts,
    ) -> Result<Box<CompactionResult>, Box<CompactionFailure>> {
        let asked = SummaryRequest { body: reply.body_digest.clone().map(Digest::new), ..asked };
        let is_first = self.summing.faults.is_empty();
        let failed = |fault: SummaryFault, asked: &SummaryRequest| {
            Box::new(CompactionFailure {
                message: say!(texts, "summary-unusable"),
                fault,
                asked: Some(asked.clone()),
                usage: reply.usage,
            })
        };
        let answer = match self.answer(reply) {
            Ok(answer) => answer,
            Err(why) if is_first => return Err(failed(self.faulty(&reply.text, why), &asked)),
            Err(_) => return Err(failed(SummaryFault::NoAnswer, &asked)),
        };
        let turns = self.conversation.turns();
        let source = IdentifierSource::of(
            self.blocks.iter().map(|block| &**block).chain(turns.iter().flat_map(|turn| texts_of(turn))),
        );
        let checked = read_patch(&answer, self.items(), &source, self.notes_most());
        if !checked.faults.is_empty() {
            if is_first {
                let why = retry_instruction(self.conversation.language(), self.asked_in(), &checked.faults);
                return Err(failed(self.faulty(&answer, why), &asked));
            }
            if checked.patch.is_empty() {
                return Err(failed(SummaryFault::NoAnswer, &asked));
            }
        }
        let items = apply(self.items(), &checked.patch);
        if let (Some(from), Some(most)) = (asked.from, asked.in_words) {
            let language = self.conversation.language();
            let (_, read) = piece_in_words(&turns, SliceBounds { from, most }, language);
            if read < length_in_words(&turns, language) {
                let fault = SummaryFault::Unfinished(Box::new(SummaryPiece { items, read }));
                let message = say!(texts, "summary-unfinished");
                return Err(Box::new(CompactionFailure {
                    message,
                    fault,
                    asked: Some(asked),
                    usage: reply.usage,
                }));
            }
        }
        let covers_to = match asked.turns.and_then(|turns| usize::try_from(turns).ok()) {
            Some(turns) => self.conversation.first_reply_after(turns).saturating_sub(1),
            None => self.conversation.sequence(),
        };
        let summary = self.summary(items, covers_to, self.summing.method);
        Ok(Box::new(CompactionResult { summary, asked: Some(asked), usage: reply.usage }))
    }

    fn asked_in(&self) -> Dialect {
        match self.summing.method {
            SummaryMethod::Patch => self.dialect,
            SummaryMethod::Words | SummaryMethod::Mechanical => Dialect::Tools,
        }
    }

    fn faulty(&self, answer: &str, why: String) -> SummaryFault {
        let texts = LocalizedTexts::for_language(self.conversation.language());
        let answer: String = answer.chars().take(ANSWER_MAX).collect();
        SummaryFault::Faulty(vec![say!(texts, "prompt-compaction-answered", answer = answer), why])
    }

    /// The text of the reply, or why it cannot be used. Commands in it are not run.
    fn answer(&self, reply: &ModelReply) -> Result<String, String> {
        let texts = LocalizedTexts::for_language(self.conversation.language());
        match reply.end {
            ReplyEnd::Done => {}
            ReplyEnd::OutputLimit { .. } | ReplyEnd::Paused | ReplyEnd::Unknown(_) => {
                return Err(say!(texts, "prompt-compaction-cut"));
            }
        }
        let commands = || say!(texts, "prompt-compaction-commands");
        if !reply.calls.is_empty() {
            return Err(commands());
        }
        match self.dialect {
            Dialect::Tools => Ok(reply.text.clone()),
            Dialect::Envelope => {
                let reading = envelope::parse_reply(&reply.text, self.conversation.language());
                let said = reading.message;
                if !(said.queries.is_empty() && said.actions.is_empty()) {
                    return Err(commands());
                }
                // The patch may stand alone, without its envelope.
                let is_inside = reading.faults.is_empty() && !said.pre_text.trim().is_empty();
                Ok(if is_inside { said.pre_text } else { reply.text.clone() })
            }
        }
    }

    /// The summary with these items and the retained end of the conversation.
    fn summary(&self, items: Vec<SummaryItem>, covers_to: u64, method: SummaryMethod) -> ContextSummary {
        let (ruler, language) = (self.conversation.ruler(), self.conversation.language());
        let reserved = longest_left_out_line(&self.record, language).len() + 1;
        let manner = SummaryOptions {
            ruler,
            language,
            share: self.shares().summary.saturating_sub(ruler.tokens(reserved)),
            naming: self.conversation.naming(),
            zone: &self.zone,
            kept_from: None,
            message_kept: self.conversation.last_user_message(),
            search: self.search.as_deref(),
        };
        let standing = SummaryStateText { plan: self.plan.as_ref().map(steps_of), open: Vec::new() };
        let text = summary_text(&self.record, &standing, &items, &manner);
        let taken = self
            .conversation
            .prefix_tokens()
            .saturating_add(ruler.request_tokens(ContentSize::of_part(text.len() + reserved + MARK)));
        let RetainedHistory { from, folded, files_from } =
            self.conversation.select_retained_history(self.retention(taken));
        let left_out = SummaryOmissions {
            kept_from: from,
            covers_to,
            messages_kept: self.conversation.user_messages_kept(from),
            shortened: folded.len(),
        };
        let text = match left_out_line(&self.record, language, left_out) {
            Some(line) => insert_left_out(&text, &line, language),
            None => text,
        };
        ContextSummary { text, items, kept_from: Some(from), folded, files_from, covers_to, method }
    }

    /// The limits of the retained history beside `taken` tokens of prefix and summary.
    fn retention(&self, taken: u64) -> RetentionBudget {
        RetentionBudget {
            usual: self.shares().whole.saturating_sub(taken),
            most: (self.budget / 10 * 9).saturating_sub(taken),
            turns: self.turns.map(|turns| (turns / 2).max(2)),
        }
    }
}

/// A slice of a conversation as text, in bytes.
#[derive(Clone, Copy, Debug)]
struct ConversationSlice {
    from: u64,
    most: u64,
    /// Length of the whole conversation.
    whole: u64,
}

impl ConversationSlice {
    /// Whether this slice is the whole conversation.
    fn is_whole(self) -> bool {
        self.from == 0 && self.whole <= self.most
    }
}

/// Size of the marker around the text of a summary, in bytes.
const MARK: usize = 160;

/// A plan as the model reads it: its title, then one line for each step with its state.
fn steps_of(plan: &Plan) -> String {
    // A line break could pass for another section of the summary.
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let step = |step: &PlanStep| {
        let note = step.note.as_ref().map(|note| format!(": {}", flat(note))).unwrap_or_default();
        format!("\n- {} ({}) {}{note}", flat(&step.id), step.state.word(), flat(&step.text))
    };
    plan.steps.iter().fold(format!("“{}”", flat(&plan.title)), |text, next| text + &step(next))
}

/// The texts that a model read or wrote in a turn.
fn texts_of(turn: &PromptTurn) -> Vec<&str> {
    match turn {
        PromptTurn::User(parts) => parts.iter().map(UserTurnPart::text).collect(),
        PromptTurn::Assistant(said) => {
            let calls = said.calls.iter().map(|call| call.arguments.as_str());
            std::iter::once(said.text.as_str()).chain(calls).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::plan::PlanStepState;

    use super::*;

    #[test]
    fn approved_plan_has_one_summary_line_per_step() {
        let step = |id: &str, text: &str, state, note: Option<&str>| PlanStep {
            id: id.into(),
            text: text.into(),
            state,
            note: note.map(Into::into),
        };
        let plan = Plan {
            digest: Digest::new("d"),
            title: "Pay\n## Open".into(),
            steps: vec![
                step("1", "Look", PlanStepState::Done, Some("three\nbills")),
                step("2", "Pay", PlanStepState::Doing, None),
            ],
            approved_by: Some("ann".into()),
        };
        assert_eq!(steps_of(&plan), "“Pay ## Open”\n- 1 (done) Look: three bills\n- 2 (doing) Pay");
    }
}
