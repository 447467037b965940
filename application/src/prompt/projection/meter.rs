//! Measures the next request: the provider's token count of the last answer, plus an estimate of the rest.

use entracte_domain::file::FileReference;
use entracte_domain::usage::Usage;

use super::closed_turn::ClosedTurn;
use crate::context::{ContentSize, TokenEstimator, TokenSample};
use crate::ports::{FileTokenFormula, PromptTurn, UserTurnPart};
use crate::prompt::PromptPrefix;
use crate::prompt::files::{files_of_part, files_of_turn};

/// Size measurements of a conversation. All of them are derived from the entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConversationMeter {
    /// Estimates tokens from bytes, calibrated by the model's last count.
    ruler: TokenEstimator,
    /// How the model counts files; `None` until somebody asked its provider.
    files: Option<FileTokenFormula>,
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
    /// Size of these turns: they stay unchanged, and are not measured again at every answer.
    content: ContentSize,
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
        Self { ruler: TokenEstimator::GUESS, files: None, prefix: 0, counted: None }
    }

    /// Counts files by this formula until the model changes.
    pub(super) fn count_files_by(&mut self, formula: FileTokenFormula) {
        self.files = Some(formula);
    }

    /// Whether it is known how the model counts files.
    pub(super) fn knows_files(&self) -> bool {
        self.files.is_some()
    }

    /// The tokens of a file.
    fn tokens_of_file(&self, file: &FileReference) -> u64 {
        self.files.unwrap_or(FileTokenFormula::UNPUBLISHED).tokens(file)
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
        (self.counted, self.files) = (None, None);
        self.ruler = TokenEstimator::GUESS;
    }

    /// Records the usage of an answer; the turns end with its reply.
    pub(super) fn count(&mut self, turns: &[ClosedTurn], usage: &Usage) {
        let input = usage.all_input();
        let Some((reply, _)) = turns.split_last().filter(|_| input > 0) else { return };
        let (before, from) =
            self.counted.map_or_else(Default::default, |counted| (counted.content, counted.turns));
        let sent = before.plus(self.measure_turns(turns.get(from..turns.len() - 1).unwrap_or_default()));
        let bytes = (sent.bytes + self.prefix) as u64;
        self.ruler =
            TokenEstimator::from_sample(TokenSample { tokens: input.saturating_sub(sent.files), bytes });
        let content = sent.plus(self.measure_turn(&reply.turn));
        let tokens = input.saturating_add(usage.output);
        self.counted = Some(PromptUsageSample { tokens, input, turns: turns.len(), content });
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
        let new = self.ruler.request_tokens(self.measure_turns(turns.get(from..).unwrap_or_default()));
        let prefix = if self.counted.is_some() { 0 } else { self.prefix() };
        PromptSize { tokens: counted.saturating_add(prefix).saturating_add(new), counted }
    }

    /// The tokens of a request that ends with the first `count` of these turns.
    pub(super) fn tokens_of_first(&self, turns: &[ClosedTurn], count: usize) -> u64 {
        let first = turns.get(..count).unwrap_or(turns);
        match self.counted {
            Some(counted) if first.len() + 1 == counted.turns => counted.input,
            Some(counted) if first.len() < counted.turns => {
                let estimate =
                    self.prefix().saturating_add(self.ruler.request_tokens(self.measure_turns(first)));
                estimate.min(counted.input)
            }
            Some(_) | None => self.size(first).tokens,
        }
    }

    /// The tokens that a turn adds to a request.
    pub(super) fn turn_tokens(&self, turn: &PromptTurn) -> u64 {
        self.ruler.request_tokens(self.measure_turn(turn))
    }

    /// The tokens that a part adds to a request.
    pub(super) fn part_tokens(&self, part: &UserTurnPart) -> u64 {
        self.ruler.request_tokens(self.measure_part(part))
    }

    /// The tokens of the files of turns, by the formula of the model.
    pub(super) fn file_tokens(&self, turns: &[ClosedTurn]) -> u64 {
        let files = turns.iter().flat_map(|closed| files_of_turn(&closed.turn));
        files.fold(0, |sum: u64, file| sum.saturating_add(self.tokens_of_file(file)))
    }

    /// The bytes of the files of turns that the model reads.
    pub(super) fn file_bytes(&self, turns: &[ClosedTurn]) -> u64 {
        let files = turns.iter().flat_map(|closed| files_of_turn(&closed.turn));
        let read = files.filter(|file| self.tokens_of_file(file) > 0);
        read.fold(0, |sum: u64, file| sum.saturating_add(file.request_bytes()))
    }

    /// The size of turns, as sent.
    fn measure_turns(&self, turns: &[ClosedTurn]) -> ContentSize {
        let sizes = turns.iter().map(|closed| self.measure_turn(&closed.turn));
        sizes.fold(ContentSize::default(), ContentSize::plus)
    }

    /// The size of a turn, as sent.
    fn measure_turn(&self, turn: &PromptTurn) -> ContentSize {
        match turn {
            PromptTurn::User(parts) => {
                let sizes = parts.iter().map(|part| self.measure_part(part));
                sizes.fold(ContentSize::default(), ContentSize::plus)
            }
            PromptTurn::Assistant(said) => {
                let calls =
                    said.calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
                let bytes = said.raw.as_ref().map_or(said.text.len() + calls, |raw| raw.bytes.len());
                ContentSize { bytes, parts: 1 + said.calls.len(), files: 0 }
            }
        }
    }

    /// The size of a part, as sent.
    fn measure_part(&self, part: &UserTurnPart) -> ContentSize {
        let bytes = match part {
            UserTurnPart::Text(text) | UserTurnPart::System(text) => text.len(),
            UserTurnPart::Result { provider_call_id, content, .. } => provider_call_id.len() + content.len(),
            UserTurnPart::File(_) => 0,
        };
        let files = files_of_part(part).iter().map(|file| self.tokens_of_file(file));
        let files = files.fold(0, u64::saturating_add);
        ContentSize { files, ..ContentSize::of_part(bytes) }
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::file::PixelDimensions;
    use entracte_domain::id::Digest;

    use super::*;
    use crate::ports::{AssistantTurn, ImageTokenFormula};

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

    /// Input: an image and a text, before and after the provider counted them; expected: the image has the tokens of the
    /// model's formula, and the measure of text is taken from the rest.
    #[test]
    fn images_are_counted_by_formula_beside_text() {
        let shot = FileReference {
            digest: Digest::new("d1"),
            media_type: "image/png".into(),
            name: "shot.png".into(),
            bytes: 48_211,
            dimensions: Some(PixelDimensions { width: 1_092, height: 1_092 }),
            pages: None,
            model_form: None,
        };
        let parts = vec![UserTurnPart::Text("x".repeat(1_000)), UserTurnPart::File(shot)];
        let mut meter = ConversationMeter::new();
        let mut turns = vec![ClosedTurn::from_user_turn(PromptTurn::User(parts))];
        assert_eq!(meter.size(&turns).tokens, 360 + 2 * 8 + 1_521);
        meter.count_files_by(FileTokenFormula { image: None, pdf_page: None });
        assert_eq!(meter.size(&turns).tokens, 360 + 2 * 8, "a model that reads no images");
        let constant = ImageTokenFormula::Constant(1_000);
        meter.count_files_by(FileTokenFormula { image: Some(constant), pdf_page: None });
        assert_eq!((meter.size(&turns).tokens, meter.file_tokens(&turns)), (360 + 2 * 8 + 1_000, 1_000));
        turns.push(said("yes"));
        meter.count(&turns, &Usage { input: 1_300, output: 50, ..Usage::default() });
        turns.push(read(2_000));
        assert_eq!(meter.size(&turns).tokens, 1_350 + 660 + 8, "0.3 a byte of text and a tenth");
        meter.change_model();
        assert!(!meter.knows_files());
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
                let all = meter.measure_turns(&turns).bytes as u64;
                let size = meter.size(&turns).tokens;
                assert!(size * 100 >= counted(all) * 95, "{per_thousand}: {size} for {}", counted(all));
            }
        }
    }
}
