//! Estimates tokens that no provider has counted yet, and divides a prompt's budget among its parts.

/// Estimates a model's tokens from bytes, calibrated by its last count. Integer arithmetic, so that every machine
/// gets the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenEstimator {
    /// Thousandths of a token per byte.
    per_byte: u64,
}

/// A counted request: the tokens of its texts by the provider's count, and their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenSample {
    /// Tokens that the provider counted.
    pub tokens: u64,
    /// Bytes that were sent.
    pub bytes: u64,
}

/// The size of a content within a request, as sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentSize {
    /// Bytes of its texts.
    pub bytes: usize,
    /// Number of its parts; the wire format adds tokens to each.
    pub parts: usize,
    /// Tokens of its files, by the formula of the model.
    pub files: u64,
}

impl ContentSize {
    /// The size of a text that is one part.
    pub const fn of_part(bytes: usize) -> Self {
        Self { bytes, parts: 1, files: 0 }
    }

    /// The size of both contents together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            parts: self.parts + other.parts,
            files: self.files.saturating_add(other.files),
        }
    }
}

/// Plausible range of a calibration, in thousandths of a token per byte: beyond it something else was counted.
const LEAST: u64 = 200;
const MOST: u64 = 500;

/// Tokens of the wire format around a part of a request.
const PART: u64 = 8;

impl TokenEstimator {
    /// The estimator before a model has counted anything.
    pub const GUESS: Self = Self { per_byte: 360 };

    /// Calibrates by a counted call, plus a tenth.
    pub fn from_sample(sample: TokenSample) -> Self {
        let Some(counted) = sample.tokens.saturating_mul(1_000).checked_div(sample.bytes) else {
            return Self::GUESS;
        };
        Self { per_byte: counted.clamp(LEAST, MOST) * 11 / 10 }
    }

    /// The tokens of `bytes`, rounded up.
    pub fn tokens(self, bytes: usize) -> u64 {
        (bytes as u64).saturating_mul(self.per_byte).div_ceil(1_000)
    }

    /// The bytes that have at most `tokens` tokens.
    pub fn bytes(self, tokens: u64) -> usize {
        usize::try_from(tokens.saturating_mul(1_000) / self.per_byte).unwrap_or(usize::MAX)
    }

    /// The tokens that a content adds to a request.
    pub fn request_tokens(self, content: ContentSize) -> u64 {
        let parts = PART.saturating_mul(content.parts as u64);
        self.tokens(content.bytes).saturating_add(parts).saturating_add(content.files)
    }
}

/// The maximum sizes of a prompt after a compaction, in tokens: half of the budget, so that it is not immediately
/// full again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionBudget {
    /// The whole prompt.
    pub whole: u64,
    /// The summary.
    pub summary: u64,
    /// The retained history.
    pub kept: u64,
}

/// Maximum tokens of a summary, whatever the budget.
const SUMMARY_MOST: u64 = 8_000;

/// The tokens of a prompt before it is compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptBudget {
    /// The most that the whole prompt may have.
    pub most: u64,
    /// Its frozen prefix.
    pub prefix: u64,
}

impl PromptBudget {
    /// The sizes of the parts of the compacted prompt.
    pub fn shares(self) -> CompactionBudget {
        let whole = self.most / 2;
        let summary = (self.most / 100 * 15).min(SUMMARY_MOST);
        CompactionBudget { whole, summary, kept: whole.saturating_sub(self.prefix).saturating_sub(summary) }
    }
}

/// Minimum tokens of the retained history at a manual compaction.
const KEPT_LEAST: u64 = 2_000;

/// The smallest budget that leaves this minimum beside a prefix of `prefix` tokens. Without any retained history,
/// the last user message would seem unanswered, and the model would do its work again.
pub fn least_budget(prefix: u64) -> u64 {
    // Prefix and retained history share half of the budget less 15 % for the summary, which is seven twentieths.
    (prefix.saturating_add(KEPT_LEAST) / 7).saturating_add(1).saturating_mul(20).saturating_add(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(tokens: u64, bytes: u64) -> TokenSample {
        TokenSample { tokens, bytes }
    }

    fn shares(most: u64, prefix: u64) -> CompactionBudget {
        PromptBudget { most, prefix }.shares()
    }

    #[test]
    fn usage_is_bounded_and_a_tenth_is_added() {
        assert_eq!(TokenEstimator::from_sample(sample(300, 1_000)).tokens(1_000), 330);
        assert_eq!(TokenEstimator::from_sample(sample(1, 1_000)).tokens(1_000), 220);
        assert_eq!(TokenEstimator::from_sample(sample(9_000, 1_000)).tokens(1_000), 550);
        assert_eq!(TokenEstimator::from_sample(sample(5, 0)), TokenEstimator::GUESS);
        assert_eq!(TokenEstimator::GUESS.tokens(1), 1);
        let content = ContentSize { bytes: 1_000, parts: 3, files: 0 };
        assert_eq!(TokenEstimator::GUESS.request_tokens(content), 384);
        assert_eq!(
            TokenEstimator::GUESS.request_tokens(ContentSize { files: 1_521, ..content }),
            384 + 1_521
        );
    }

    #[test]
    fn least_budget_leaves_retained_history() {
        for prefix in [0, 1, 4_600, 7_900, 32_000, 200_000] {
            let left = shares(least_budget(prefix), prefix).kept;
            assert!(left >= KEPT_LEAST, "{prefix}: {left}");
        }
        assert!(least_budget(4_600) < 20_000);
    }

    #[test]
    fn bytes_of_tokens_have_no_more_than_those_tokens() {
        for tokens in [0, 1, 7, 1_500, 80_000] {
            for ruler in [
                TokenEstimator::GUESS,
                TokenEstimator::from_sample(sample(1, 5)),
                TokenEstimator::from_sample(sample(1, 2)),
            ] {
                assert!(ruler.tokens(ruler.bytes(tokens)) <= tokens, "{tokens}");
            }
        }
    }

    #[test]
    fn compacted_prompt_is_at_most_half_budget() {
        assert_eq!(shares(80_000, 4_000), CompactionBudget { whole: 40_000, summary: 8_000, kept: 28_000 });
        assert_eq!(shares(20_000, 4_000), CompactionBudget { whole: 10_000, summary: 3_000, kept: 3_000 });
        assert_eq!(shares(4_000, 3_000), CompactionBudget { whole: 2_000, summary: 600, kept: 0 });
    }
}
