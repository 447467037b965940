//! How much of each prompt repeats the prompt of the previous round byte for byte as its prefix.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::orders;
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerRole};

/// The prompts of one session, compared in order of arrival.
#[derive(Debug, Default)]
pub struct PromptPrefixMeter {
    previous: Vec<String>,
    /// Bytes of all prompts that have a predecessor; bytes of those predecessors; bytes of the common prefixes.
    sent: usize,
    before: usize,
    repeated: usize,
}

/// The parts of a body that form the prompt, in the order in which servers read them.
#[derive(Deserialize)]
struct PromptBodyParts<'a> {
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

impl PromptPrefixMeter {
    /// Adds the next body.
    pub fn push(&mut self, body: &[u8]) {
        let body: PromptBodyParts<'_> = serde_json::from_slice(body).expect("the body is JSON");
        let parts = body.tools.into_iter().chain(body.messages);
        let prompt: Vec<String> = parts.map(|part| part.get().to_owned()).collect();
        if !self.previous.is_empty() {
            self.sent += bytes(&prompt);
            self.before += bytes(&self.previous);
            self.repeated += common(&self.previous, &prompt);
        }
        self.previous = prompt;
    }

    /// The common prefix as a share of the earlier prompts, and as a share of all sent bytes.
    pub fn shares(&self) -> (f64, f64) {
        let share = |of: usize| if of == 0 { 0.0 } else { 100.0 * self.repeated as f64 / of as f64 };
        (share(self.before), share(self.sent))
    }
}

fn bytes(parts: &[String]) -> usize {
    parts.iter().map(String::len).sum()
}

/// Length of the common prefix in bytes.
fn common(one: &[String], other: &[String]) -> usize {
    let mut same = 0;
    for (one, other) in one.iter().zip(other) {
        if one != other {
            return same + one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        }
        same += one.len();
    }
    same
}

/// The row: one session over three turns.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    const TURNS: usize = 3;
    let place = BenchDatabase::make(kind).expect("there is a server");
    bench.model.clear_stats();
    let calls = bench.options.size(20, 5);
    let orders =
        BenchWorkerConfig { calls, ..orders(BenchWorkerRole::Entracte, &place, &bench.model, "prefix") };
    let mut worker = BenchWorkerProcess::start(&orders);
    worker.hear();
    for turn in 1..=TURNS {
        worker.ask("go");
        bench.model.wait_for_requests("prefix", turn * calls);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let (of_before, of_sent) = bench.model.with_matching_stats("prefix", |stories| {
        stories.first().and_then(|story| story.prompts.as_ref()).map_or((0.0, 0.0), PromptPrefixMeter::shares)
    });
    let row = BenchResultRow::new("prefix", format!("{TURNS} turns of {calls}"), kind.word())
        .with("percent_of_what_was_sent", of_sent)
        .held("percent_of_the_prompt_before", of_before, GoalBound::AtLeast(100.0));
    vec![bench.add_raw_commit_rates(row, kind)]
}

#[cfg(test)]
mod tests {
    use super::PromptPrefixMeter;

    #[test]
    fn common_prefix_is_counted_from_beginning() {
        let mut prompts = PromptPrefixMeter::default();
        prompts.push(br#"{"messages":["ab","cd"],"tools":[1]}"#);
        prompts.push(br#"{"messages":["ab","cd","ef"],"tools":[1]}"#);
        assert_eq!(prompts.shares(), (100.0, 100.0 * 11.0 / 15.0));
        prompts.push(br#"{"messages":["ab","xd","ef"],"tools":[1]}"#);
        assert_eq!(prompts.shares().0, 100.0 * (11.0 + 8.0) / (11.0 + 15.0));
    }
}
