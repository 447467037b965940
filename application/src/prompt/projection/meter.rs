//! Measures the next request: the provider's token count of the last answer, plus an estimate of the rest.

use entracte_domain::file::{FileKind, FileReference};
use entracte_domain::usage::Usage;

use super::closed_turn::ClosedTurn;
use crate::context::{ContentSize, TokenEstimator, TokenSample};
use crate::ports::{PromptTurn, UserTurnPart};
use crate::prompt::PromptPrefix;

/// Size measurements of a conversation. All of them are derived from the entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConversationMeter {
    /// Estimates tokens from bytes, calibrated by the model's last count.
    ruler: TokenEstimator,
    /// Bytes of the frozen prefix, including tools and schemas.
    prefix: usize,
    /// The last answered call of this generation: its input and output tokens, and the turns that they cover.
    counted: Option<PromptUsageSample>,
}

#[derive(Clone, Copy, Debug)]
struct PromptUsageSample {
    /// Input and output.
    tokens: u64,
    /// Input alone: the turns before the reply.
    input: u64,
    turns: usize,
    /// Bytes of these turns: they stay unchanged, and are not measured again at every answer.
    bytes: usize,
}

/// The size of the next request, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptSize {
    /// All tokens.
    pub tokens: u64,
    /// The tokens that the provider counted; the others are estimated.
    pub counted: u64,
}

impl ConversationMeter {
    pub(super) fn new() -> Self {
        Self { ruler: TokenEstimator::GUESS, prefix: 0, counted: None }
    }

    /// Starts a generation with this prefix.
    pub(super) fn begin(&mut self, prefix: &PromptPrefix) {
        self.prefix = prefix.bytes();
    }

    /// Discards the last count, which does not apply to later requests.
    pub(super) fn forget(&mut self) {
        self.counted = None;
    }

    /// Resets the calibration, because another model counts differently.
    pub(super) fn change_model(&mut self) {
        self.counted = None;
        self.ruler = TokenEstimator::GUESS;
    }

    /// Records the usage of an answer; the turns end with its reply.
    pub(super) fn count(&mut self, turns: &[ClosedTurn], usage: &Usage) {
        let input = usage.all_input();
        let Some((reply, _)) = turns.split_last().filter(|_| input > 0) else { return };
        let (before, from) = self.counted.map_or((0, 0), |counted| (counted.bytes, counted.turns));
        let new = measure_turns(turns.get(from..turns.len() - 1).unwrap_or_default());
        let sent = before + new.bytes;
        self.ruler =
            TokenEstimator::from_sample(TokenSample { tokens: input, bytes: (sent + self.prefix) as u64 });
        let bytes = sent + measure_turn(&reply.turn).bytes;
        let tokens = input.saturating_add(usage.output);
        self.counted = Some(PromptUsageSample { tokens, input, turns: turns.len(), bytes });
    }

    pub(super) fn ruler(&self) -> TokenEstimator {
        self.ruler
    }

    /// The estimated tokens of the frozen prefix.
    pub(super) fn prefix(&self) -> u64 {
        self.ruler.tokens(self.prefix)
    }

    /// The size of a request that ends with these turns.
    pub(super) fn size(&self, turns: &[ClosedTurn]) -> PromptSize {
        let (counted, from) = self.counted.map_or((0, 0), |counted| (counted.tokens, counted.turns));
        let new = self.ruler.request_tokens(measure_turns(turns.get(from..).unwrap_or_default()));
        let prefix = if self.counted.is_some() { 0 } else { self.prefix() };
        PromptSize { tokens: counted.saturating_add(prefix).saturating_add(new), counted }
    }

    /// The tokens of a request that ends with the first `count` of these turns.
    pub(super) fn tokens_of_first(&self, turns: &[ClosedTurn], count: usize) -> u64 {
        let first = turns.get(..count).unwrap_or(turns);
        match self.counted {
            Some(counted) if first.len() + 1 == counted.turns => counted.input,
            Some(counted) if first.len() < counted.turns => {
                let estimate = self.prefix().saturating_add(self.ruler.request_tokens(measure_turns(first)));
                estimate.min(counted.input)
            }
            Some(_) | None => self.size(first).tokens,
        }
    }
}

/// The size of turns, as sent.
fn measure_turns(turns: &[ClosedTurn]) -> ContentSize {
    turns.iter().map(|closed| measure_turn(&closed.turn)).fold(ContentSize::default(), ContentSize::plus)
}

/// The size of a turn, as sent.
pub(super) fn measure_turn(turn: &PromptTurn) -> ContentSize {
    match turn {
        PromptTurn::User(parts) => {
            ContentSize { bytes: parts.iter().map(measure_part).sum(), parts: parts.len() }
        }
        PromptTurn::Assistant(said) => {
            let calls = said.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
            let bytes = said.raw.as_ref().map_or(said.text.len() + calls, |raw| raw.bytes.len());
            ContentSize { bytes, parts: 1 + said.calls.len() }
        }
    }
}

pub(super) fn measure_part(part: &UserTurnPart) -> usize {
    match part {
        UserTurnPart::Text(text) | UserTurnPart::System(text) => text.len(),
        UserTurnPart::Result { provider_call_id, content, files, .. } => {
            provider_call_id.len() + content.len() + files.iter().map(measure_file).sum::<usize>()
        }
        UserTurnPart::File(file) => measure_file(file),
    }
}

/// A file as the bytes of a text with about as many tokens. A model that does not read it counts less; its own count
/// replaces the guess.
fn measure_file(file: &FileReference) -> usize {
    let tokens = match (file.kind(), file.dimensions) {
        (FileKind::Image, Some(dimensions)) => (dimensions.area() / PIXELS_PER_TOKEN).min(IMAGE_TOKENS_MAX),
        (FileKind::Image, None) => IMAGE_TOKENS_MAX,
        (FileKind::Pdf, _) => u64::from(file.pages.unwrap_or(1)).saturating_mul(PAGE_TOKENS),
        (FileKind::Other, _) => 0,
    };
    usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX)
}

/// Pixels of an image per token, and the most tokens of an image, as providers scale a large one down.
const PIXELS_PER_TOKEN: u64 = 750;
const IMAGE_TOKENS_MAX: u64 = 1_600;
/// Tokens of a page: its text, and the page as an image.
const PAGE_TOKENS: u64 = 3_000;
/// Bytes of text per token, of the estimate that is not calibrated yet.
const BYTES_PER_TOKEN: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::AssistantTurn;

    fn read(bytes: usize) -> ClosedTurn {
        ClosedTurn::from_user_turn(PromptTurn::User(vec![UserTurnPart::Text("x".repeat(bytes))]))
    }

    fn said(text: &str) -> ClosedTurn {
        let turn = AssistantTurn { text: text.into(), calls: Vec::new(), raw: None };
        ClosedTurn::from_reply(4, PromptTurn::Assistant(turn))
    }

    #[test]
    fn counted_tokens_are_reused_and_new_parts_estimated() {
        let mut meter = ConversationMeter::new();
        let mut turns = vec![read(1_000)];
        assert_eq!(meter.size(&turns), PromptSize { tokens: 368, counted: 0 }, "a guess, and 8 for the part");
        turns.push(said("yes"));
        meter.count(&turns, &Usage { input: 200, cache_read: 100, output: 50, ..Usage::default() });
        assert_eq!(meter.size(&turns), PromptSize { tokens: 350, counted: 350 });
        turns.push(read(2_000));
        assert_eq!(
            meter.size(&turns),
            PromptSize { tokens: 350 + 660 + 8, counted: 350 },
            "0.3 a byte and a tenth"
        );
        let of_first = [3, 2, 1].map(|count| meter.tokens_of_first(&turns, count));
        assert_eq!(of_first, [350 + 660 + 8, 350, 300], "the input of the counted call is known");
        meter.forget();
        assert_eq!(meter.size(&turns), PromptSize { tokens: 991 + 3 * 8, counted: 0 });
        assert_eq!(meter.tokens_of_first(&turns, 1), 330 + 8);
    }

    /// Input: models that count between a fifth and a half of a token per byte; expected: never more than a twentieth
    /// too low.
    #[test]
    fn estimate_is_less_than_twentieth_too_low() {
        for per_thousand in [200, 230, 270, 310, 400, 500] {
            let counted = |bytes: u64| bytes * per_thousand / 1_000;
            let mut meter = ConversationMeter::new();
            let mut turns = vec![read(900), said("yes")];
            meter.count(&turns, &Usage { input: counted(900), output: 2, ..Usage::default() });
            for bytes in [50, 700, 20_000] {
                turns.push(read(bytes));
                turns.push(said("on"));
                let all: u64 = turns.iter().map(|closed| measure_turn(&closed.turn).bytes as u64).sum();
                let size = meter.size(&turns).tokens;
                assert!(size * 100 >= counted(all) * 95, "{per_thousand}: {size} for {}", counted(all));
            }
        }
    }
}
