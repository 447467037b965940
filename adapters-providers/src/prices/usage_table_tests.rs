//! Usage objects with their tokens and bills: `usage_table.json`, each with its source.

use std::collections::BTreeMap;

use entracte_domain::dollars::Dollars;
use entracte_domain::usage::{Cost, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer_decoding;
use crate::config::ProviderConfig;
use crate::token_price::MillionTokenPrice;

/// A usage object with the right numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageTableRow {
    source: String,
    kind: String,
    model: String,
    /// Prices of the entry, in dollars per million tokens; without them, those of the price table.
    #[serde(default)]
    prices: BTreeMap<String, String>,
    /// Whether the entry has the address of a gateway, to which the price table does not apply.
    #[serde(default)]
    gateway: bool,
    /// Whether the entry takes the cost that answers report as the bill.
    reported_cost: Option<bool>,
    usage: Value,
    /// The model that answers, if it is not the requested one.
    answered: Option<String>,
    /// More fields of the answer.
    #[serde(default)]
    beside: Map<String, Value>,
    /// Uncached input, cache reads, cache writes, output.
    tokens: [u64; 4],
    /// Tokens and their price.
    #[serde(default)]
    bill: Vec<(u64, String)>,
    /// The cost, where the server reports it.
    cost: Option<String>,
    /// Whether something is billed beside.
    #[serde(default)]
    at_least: bool,
    /// Whether no price is known at all.
    #[serde(default)]
    unknown: bool,
    #[serde(default, rename = "why")]
    _why: String,
}

impl UsageTableRow {
    fn entry(&self) -> ProviderConfig {
        let Self { kind, model, prices, gateway, reported_cost, .. } = self;
        let prices: Vec<String> =
            prices.iter().map(|(name, price)| format!("{name} = \"{price}\"")).collect();
        let prices =
            if prices.is_empty() { String::new() } else { format!("prices = {{ {} }}\n", prices.join(", ")) };
        let needs_base = *gateway || kind == "compatible";
        let base = if needs_base { "base_url = \"http://localhost/v1\"\n" } else { "" };
        let reported = reported_cost.map(|taken| format!("reported_cost = {taken}\n")).unwrap_or_default();
        let text = format!("kind = \"{kind}\"\nmodel = \"{model}\"\n{base}{prices}{reported}");
        ProviderConfig::from_toml("x", &text).unwrap()
    }

    fn answering_model(&self) -> &str {
        self.answered.as_deref().unwrap_or(&self.model)
    }

    /// The answer in one piece, in the form of its wire.
    fn answer(&self) -> Value {
        let (model, usage) = (self.answering_model(), &self.usage);
        let answer = match self.kind.as_str() {
            "claude" => json!({"model": model, "stop_reason": "end_turn", "usage": usage,
                "content": [{"type": "text", "text": "a"}]}),
            "openai" => json!({"model": model, "status": "completed", "usage": usage,
                "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]}),
            _ => json!({"model": model, "usage": usage,
                "choices": [{"finish_reason": "stop", "message": {"content": "a"}}]}),
        };
        self.with_fields_beside(answer)
    }

    fn with_fields_beside(&self, mut answer: Value) -> Value {
        let beside = self.beside.iter().map(|(name, value)| (name.clone(), value.clone()));
        answer.as_object_mut().unwrap().extend(beside);
        answer
    }

    /// The same answer as a stream.
    fn stream(&self) -> String {
        let (model, usage) = (self.answering_model(), &self.usage);
        let chunk =
            json!({"model": model, "choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]});
        let events = match self.kind.as_str() {
            "claude" => vec![
                json!({"type": "message_start", "message": {"model": model, "content": [], "usage":
                    {"input_tokens": usage["input_tokens"], "output_tokens": 0}}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}),
                json!({"type": "message_stop"}),
            ],
            "openai" => {
                vec![json!({"type": "response.completed", "response": self.answer()})]
            }
            "groq" => {
                let last = json!({"model": model, "choices": [], "x_groq": {"id": "req_1", "usage": usage}});
                vec![chunk, self.with_fields_beside(last)]
            }
            _ => {
                vec![chunk, self.with_fields_beside(json!({"model": model, "choices": [], "usage": usage}))]
            }
        };
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }

    fn expected(&self) -> Cost {
        if self.unknown {
            return Cost::Unknown;
        }
        let priced =
            |(tokens, price): &(u64, String)| MillionTokenPrice::per_million(price).unwrap().times(*tokens);
        let sum = self.bill.iter().map(priced).fold(Dollars::ZERO, Dollars::plus);
        let cost = self.cost.as_ref().map_or(sum, |cost| cost.parse().unwrap());
        if self.at_least { Cost::AtLeast(cost) } else { Cost::Exactly(cost) }
    }
}

#[test]
fn usage_table_costs_are_exact() {
    let rows: Vec<UsageTableRow> = serde_json::from_str(include_str!("usage_table.json")).unwrap();
    for row in &rows {
        let entry = row.entry();
        let whole = answer_decoding::decode_whole_answer(&entry, row.answer().to_string().as_bytes());
        let streamed = answer_decoding::decode_streamed_answer(&entry, [row.stream().as_bytes()]);
        for reply in [whole, streamed] {
            let usage = reply.unwrap().usage.unwrap();
            let Usage { input, cache_read, cache_write, output, .. } = usage;
            assert_eq!([input, cache_read, cache_write, output], row.tokens, "{}", row.source);
            assert_eq!(usage.known_cost(), row.expected(), "{}", row.source);
        }
    }
}
