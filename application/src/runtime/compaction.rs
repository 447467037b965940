//! A summary that is under way: what the model is asked, what becomes of its answer, and what stays of the
//! conversation ([adr 59](../../../docs/adr/0059-nothing-is-sent-beyond-the-budget.md)).

use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::plan::{Plan, PlanStep};
use entracte_domain::session::{
    ContextSummary, Dialect, SummaryFault, SummaryItem, SummaryMethod, SummaryPiece, SummaryProgress,
    SummaryRequest,
};
use entracte_domain::usage::Usage;

use crate::context::{
    CompactionBudget, IdentifierSource, SummaryItemsLocation, SummaryOptions, SummaryRecord,
    SummaryStateText, apply, notes_most, patch_instruction, read_patch, retry_instruction, shares,
    slice_instruction, summary_text,
};
use crate::ports::{ModelReply, ModelRequest, PromptTurn, ReplyEnd, UserTurnPart};
use crate::prompt::{
    Projection, RetainedHistory, RetentionBudget, begins_at, length_in_words, piece_in_words, summing_request,
};
use crate::protocol::envelope;
use crate::texts::{LocalizedTexts, say};

/// A summary to be made, with all it is made of.
pub struct CompactionJob {
    /// How.
    pub summing: SummaryProgress,
    /// The dialect of the session.
    pub dialect: Dialect,
    /// The conversation as it is in the round's request.
    pub conversation: Projection,
    /// What code carries into the summary, of the session's log up to there.
    pub record: Arc<SummaryRecord>,
    /// What stands before it in every request.
    pub blocks: Vec<Arc<str>>,
    /// The plan that a person approved, with how far its steps are.
    pub plan: Option<Plan>,
    /// IANA time zone of the dates.
    pub zone: String,
    /// What the model calls the query that searches what was said; none where it has none.
    pub search: Option<String>,
    /// Most tokens that may be sent.
    pub budget: u64,
    /// Most turns; none where only tokens count.
    pub turns: Option<usize>,
    /// Most pieces that a conversation is read in where it is larger than the model reads at once; of a longer one only
    /// the end is read.
    pub pieces: u64,
}

/// A summary, and what it was made with.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionResult {
    /// The summary.
    pub summary: ContextSummary,
    /// What a model was asked with; none where none was asked.
    pub asked: Option<SummaryRequest>,
    /// Tokens, when they are known.
    pub usage: Option<Usage>,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionFailure {
    /// For people.
    pub message: String,
    /// For what follows.
    pub fault: SummaryFault,
    /// What a model was asked with.
    pub asked: Option<SummaryRequest>,
    /// Tokens, when they are known.
    pub usage: Option<Usage>,
}

/// The most characters of a faulty answer that is told again.
const ANSWER_MAX: usize = 4_000;

impl CompactionJob {
    fn items(&self) -> &[SummaryItem] {
        if let Some(piece) = &self.summing.piece {
            return &piece.items;
        }
        self.conversation.summary().map_or(&[], |summary| &summary.items)
    }

    fn shares(&self) -> CompactionBudget {
        shares(self.budget, self.conversation.prefix_tokens())
    }

    fn notes_most(&self) -> usize {
        notes_most(self.conversation.ruler(), self.shares().summary)
    }

    /// What the model is asked with; none where none is asked.
    pub fn summary_request(&self) -> Option<SummaryRequest> {
        let language = self.conversation.language();
        let has_notes = !self.items().is_empty();
        let (dialect, notes, piece) = match self.summing.method {
            SummaryMethod::Mechanical => return None,
            SummaryMethod::Patch if has_notes => (self.dialect, SummaryItemsLocation::InRecord, None),
            SummaryMethod::Patch => (self.dialect, SummaryItemsLocation::None, None),
            SummaryMethod::Words => {
                (Dialect::Tools, SummaryItemsLocation::Here(self.items()), Some(self.next_slice()))
            }
        };
        let mut text = patch_instruction(language, dialect, notes, self.notes_most());
        if piece.is_some_and(|piece| !piece.is_whole()) {
            text = format!("{}\n{text}", slice_instruction(language));
        }
        for fault in &self.summing.faults {
            text.push_str("\n\n");
            text.push_str(fault);
        }
        let (in_words, from) = (piece.map(|piece| piece.most), piece.map(|piece| piece.from));
        Some(SummaryRequest { ask: text, in_words, from, body: None })
    }

    /// The piece of the conversation that is read next, in words.
    fn next_slice(&self) -> ConversationSlice {
        let (turns, language) = (self.conversation.turns(), self.conversation.language());
        // Half of what may be sent, because the provider may count otherwise.
        let most = (self.conversation.ruler().bytes(self.budget / 2) as u64).max(1);
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

    /// The request, when the round's own one is this.
    pub fn build_model_request(&self, own: ModelRequest, asked: &SummaryRequest) -> ModelRequest {
        summing_request(own, asked, self.conversation.language())
    }

    /// The summary that code makes alone.
    pub fn build_mechanical_summary(&self) -> CompactionResult {
        let covers_to = self.conversation.summary().map_or(0, |summary| summary.covers_to);
        let summary = self.summary(self.items().to_vec(), covers_to, SummaryMethod::Mechanical);
        CompactionResult { summary, asked: None, usage: None }
    }

    /// The summary that an answer makes. A faulty answer is asked about once; of the second one, what is sound counts.
    pub fn apply_reply(
        &self,
        reply: &ModelReply,
        asked: SummaryRequest,
    ) -> Result<Box<CompactionResult>, Box<CompactionFailure>> {
        let asked = SummaryRequest { body: reply.body_digest.clone().map(Digest::new), ..asked };
        let is_first = self.summing.faults.is_empty();
        let failed = |fault: SummaryFault, asked: &SummaryRequest| {
            Box::new(CompactionFailure {
                message: "The model did not write a usable summary.".into(),
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
        if let Some((from, most)) = asked.from.zip(asked.in_words) {
            let language = self.conversation.language();
            let (_, read) = piece_in_words(&turns, (from, most), language);
            if read < length_in_words(&turns, language) {
                let fault = SummaryFault::Unfinished(Box::new(SummaryPiece { items, read }));
                let message = "A piece of the conversation was summarized; the next one follows.".into();
                return Err(Box::new(CompactionFailure {
                    message,
                    fault,
                    asked: Some(asked),
                    usage: reply.usage,
                }));
            }
        }
        let summary = self.summary(items, self.conversation.sequence(), self.summing.method);
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

    /// What the model said to the request, or why that is of no use. Nothing that it asks for is run.
    fn answer(&self, reply: &ModelReply) -> Result<String, String> {
        let texts = LocalizedTexts::for_language(self.conversation.language());
        match reply.end {
            ReplyEnd::Cut => return Err(say!(texts, "prompt-compaction-cut")),
            ReplyEnd::Done => {}
        }
        let commands = || say!(texts, "prompt-compaction-commands");
        if !reply.calls.is_empty() {
            return Err(commands());
        }
        match self.dialect {
            Dialect::Tools => Ok(reply.text.clone()),
            Dialect::Envelope => {
                let reading = envelope::parse_reply(&reply.text);
                let said = reading.message;
                if !(said.queries.is_empty() && said.actions.is_empty()) {
                    return Err(commands());
                }
                // The patch may stand alone, where the envelope was left out.
                let is_inside = reading.faults.is_empty() && !said.pre_text.trim().is_empty();
                Ok(if is_inside { said.pre_text } else { reply.text.clone() })
            }
        }
    }

    /// The summary with these notes, and the end that stays beside it.
    fn summary(&self, items: Vec<SummaryItem>, covers_to: u64, method: SummaryMethod) -> ContextSummary {
        let shares = self.shares();
        let manner = SummaryOptions {
            ruler: self.conversation.ruler(),
            language: self.conversation.language(),
            share: shares.summary,
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
            .saturating_add(self.conversation.ruler().request_tokens(text.len() + MARK, 1));
        let RetainedHistory { from, folded } = self.conversation.select_retained_history(RetentionBudget {
            usual: shares.whole.saturating_sub(taken),
            most: (self.budget / 10 * 9).saturating_sub(taken),
            turns: self.turns.map(|turns| (turns / 2).max(2)),
        });
        ContextSummary { text, items, kept_from: Some(from), folded, covers_to, method }
    }
}

/// A piece of a conversation in words, in bytes.
#[derive(Clone, Copy, Debug)]
struct ConversationSlice {
    from: u64,
    most: u64,
    /// All of the conversation.
    whole: u64,
}

impl ConversationSlice {
    /// Whether nothing is read but this.
    fn is_whole(self) -> bool {
        self.from == 0 && self.whole <= self.most
    }
}

/// The mark that the text of a summary stands in, in bytes.
const MARK: usize = 160;

/// A plan as a model reads it: its title, then a line for each step, with the words that say how far it is.
fn steps_of(plan: &Plan) -> String {
    // A line of its own could pass for another part of the summary.
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let step = |step: &PlanStep| {
        let note = step.note.as_ref().map(|note| format!(": {}", flat(note))).unwrap_or_default();
        format!("\n- {} ({}) {}{note}", flat(&step.id), step.state.word(), flat(&step.text))
    };
    plan.steps.iter().fold(format!("“{}”", flat(&plan.title)), |text, next| text + &step(next))
}

/// What a model reads and said in a turn.
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
    fn an_approved_plan_stands_in_a_summary_line_by_line() {
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
