use entracte_application::ports::ProviderFailure;
use entracte_domain::usage::{Cost, Usage};
use serde_json::{Value, json};

use super::table::{TEXT, read};
use super::{CallTariff, CallTokens, PriceOrigin, origin};
use crate::answer_decoding;
use crate::config::ProviderConfig;
use crate::profiles::ProviderProfile;

const CLAUDE: &str = "kind = \"claude\"\nmodel = \"claude-opus-5-5\"\n";
const OPENAI: &str = "kind = \"openai\"\nmodel = \"gpt-6.1-sol\"\n";
const GROQ: &str = "kind = \"groq\"\nmodel = \"openai/gpt-oss-120b\"\n";

fn entry(text: &str) -> ProviderConfig {
    ProviderConfig::from_toml("x", text).unwrap()
}

fn used(entry_text: &str, answer: &Value) -> Usage {
    let reply: Result<_, ProviderFailure> =
        answer_decoding::decode_whole_answer(&entry(entry_text), answer.to_string().as_bytes());
    reply.unwrap().usage.unwrap()
}

/// The cost of an answer as a decimal text; `None` if unknown.
fn cost(entry_text: &str, answer: &Value) -> Option<String> {
    match used(entry_text, answer).known_cost() {
        Cost::Exactly(cost) => Some(cost.to_string()),
        Cost::AtLeast(_) | Cost::Unknown => None,
    }
}

fn of_claude(model: &str, usage: Value) -> Value {
    json!({"model": model, "stop_reason": "end_turn", "content": [{"type": "text", "text": "a"}], "usage": usage})
}

fn of_openai(tier: &str, usage: Value) -> Value {
    json!({"model": "gpt-6.1-sol", "status": "completed", "service_tier": tier, "usage": usage,
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]})
}

fn of_chat(more: Value) -> Value {
    let mut answer =
        json!({"model": "m", "choices": [{"finish_reason": "stop", "message": {"content": "a"}}]});
    answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    answer
}

#[test]
fn table_is_complete_and_has_date_and_source() {
    let table = read(TEXT).unwrap();
    for kind in ["claude", "openai", "groq", "mistral", "gemini", "deepseek"] {
        assert!(!table.profiles[kind].is_empty(), "{kind}");
    }
    for model in table.profiles.values().flat_map(|models| models.values()) {
        let prices = model.prices(None, 1).unwrap();
        assert!(prices.input.is_some() && prices.output.is_some(), "{model:?}");
    }
    assert!(super::date() >= "2026-11-22", "{}", super::date());
    assert!(super::source().starts_with("litellm "), "{}", super::source());
}

/// Input: calls of a million tokens each way; expected: the most they can cost, as if no token came from a cache and each
/// went into one; none where a price is unknown or the server alone tells the bill.
#[test]
fn ceiling_takes_the_dearest_kind_of_each_token() {
    let ceiling = |text: &str, tier: Option<&str>| {
        let config = entry(text);
        let profile = ProviderProfile::of_kind(config.kind).unwrap();
        let model = config.model.clone().unwrap();
        let tariff = CallTariff::of(profile, &config, &model, config.cache_ttl.unwrap_or_default());
        let tokens = CallTokens { input: 1_000_000, output: 1_000_000 };
        tariff.ceiling(tier, tokens).map(|cost| cost.to_string())
    };
    assert_eq!(ceiling(CLAUDE, None).as_deref(), Some("25"), "5 for a cache write, 20 for the answer");
    let hour = format!("{CLAUDE}cache_ttl = \"1h\"\n");
    assert_eq!(ceiling(&hour, None).as_deref(), Some("28"));
    assert_eq!(ceiling(CLAUDE, Some("no-such-tier")), None);
    let own = format!("{CLAUDE}prices = {{ input = \"1\", output = \"2\" }}\n");
    assert_eq!(ceiling(&own, None).as_deref(), Some("3"));
    let unknown = "kind = \"claude\"\nmodel = \"claude-of-tomorrow\"\n";
    assert_eq!(ceiling(unknown, None), None);
    let told = "kind = \"openrouter\"\nmodel = \"openai/gpt-oss-120b\"\n";
    assert_eq!(ceiling(told, None), None, "the server tells the bill");
}

#[test]
fn every_kind_of_tokens_has_its_price() {
    // Dollars per million: 4 in, 0.20 cache read, 5 and 8 cache write for minutes and for an hour, 20 out.
    let usage = json!({"input_tokens": 1000, "cache_read_input_tokens": 100_000,
        "cache_creation_input_tokens": 3000, "output_tokens": 500,
        "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000}});
    let expected = "0.055"; // 0.004 + 0.020 + 0.005 + 0.016 + 0.010
    assert_eq!(cost(CLAUDE, &of_claude("claude-opus-5-5", usage)).as_deref(), Some(expected));
    // Without a time to live in the answer, the one that the entry requests applies.
    let usage = json!({"input_tokens": 0, "cache_creation_input_tokens": 1_000_000, "output_tokens": 0});
    assert_eq!(cost(CLAUDE, &of_claude("claude-opus-5-5", usage.clone())).as_deref(), Some("5"));
    let hour = format!("{CLAUDE}cache_ttl = \"1h\"\n");
    assert_eq!(cost(&hour, &of_claude("claude-opus-5-5", usage)).as_deref(), Some("8"));
    // The Responses API includes cached tokens and reasoning in its totals.
    let usage = json!({"input_tokens": 10_000, "input_tokens_details": {"cached_tokens": 8000, "cache_write_tokens": 1000},
        "output_tokens": 1000, "output_tokens_details": {"reasoning_tokens": 900}});
    let expected = "0.0153"; // 1000 at 2, 8000 at 0.1, 1000 at 2.5, 1000 at 10
    assert_eq!(cost(OPENAI, &of_openai("default", usage)).as_deref(), Some(expected));
}

#[test]
fn stream_and_whole_answer_cost_the_same() {
    let events = [
        json!({"type": "message_start", "message": {"model": "claude-opus-5-5", "content": [], "usage":
            {"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 100, "service_tier": "standard",
             "cache_creation": {"ephemeral_1h_input_tokens": 100}}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}}),
        json!({"type": "message_stop"}),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let usage =
        answer_decoding::decode_streamed_answer(&entry(CLAUDE), [stream.as_bytes()]).unwrap().usage.unwrap();
    assert_eq!(usage.known_cost(), Cost::Exactly("0.00124".parse().unwrap())); // 10 at 4, 100 at 8, 20 at 20
}

#[test]
fn long_prompts_and_tiers_have_own_prices() {
    let usage = |input: u64| json!({"input_tokens": input, "output_tokens": 0});
    for (tier, input, expected) in [
        ("default", 272_000, Some("0.544")),
        ("default", 300_000, Some("1.2")),
        ("flex", 100_000, Some("0.1")),
        ("flex", 300_000, Some("0.6")),
        ("priority", 100_000, Some("0.4")),
        // No row of the table contains it.
        ("fast", 100_000, None),
    ] {
        assert_eq!(cost(OPENAI, &of_openai(tier, usage(input))).as_deref(), expected, "{tier} {input}");
    }
    // A tier that has only a price for short prompts has none for long ones.
    let table = read(TEXT).unwrap();
    let pro = &table.profiles["gemini"]["gemini-2.5-pro"];
    assert!(pro.prices(Some("flex"), 200_000).unwrap().input.is_some());
    assert!(pro.prices(Some("flex"), 200_001).unwrap().input.is_none());
}

#[test]
fn unknown_price_is_not_free() {
    let usage = json!({"input_tokens": 10, "output_tokens": 20});
    let opus = of_claude("claude-opus-5-5", usage.clone());
    assert_eq!(cost(CLAUDE, &opus).as_deref(), Some("0.00044"));
    for (what, text, answer) in [
        (
            "a model that the table does not have",
            CLAUDE.replace("opus-5-5", "next"),
            of_claude("claude-next", usage.clone()),
        ),
        ("another's server", format!("{CLAUDE}base_url = \"https://gateway.example\"\n"), opus.clone()),
        (
            "a faster answer",
            CLAUDE.into(),
            of_claude("claude-opus-5-5", json!({"input_tokens": 10, "output_tokens": 20, "speed": "fast"})),
        ),
        (
            "a server of one's own",
            "kind = \"ollama\"\nmodel = \"qwen3\"\n".into(),
            of_chat(json!({"usage": {"prompt_tokens": 1, "completion_tokens": 1}})),
        ),
    ] {
        let reply =
            answer_decoding::decode_whole_answer(&entry(&text), answer.to_string().as_bytes()).unwrap();
        let known = reply.usage.map(|usage| usage.known_cost());
        assert!(matches!(known, None | Some(Cost::Unknown)), "{what}: {known:?}");
    }
}

#[test]
fn answering_model_is_billed_and_aliases_are_known() {
    let usage = json!({"input_tokens": 1_000_000, "output_tokens": 0});
    let haiku = of_claude("claude-haiku-4-5", usage.clone());
    assert_eq!(cost(CLAUDE, &haiku).as_deref(), Some("1"), "another model answered, for 1 instead of 4");
    assert_eq!(cost(CLAUDE, &of_claude("claude-opus-5-5@here", usage)).as_deref(), Some("4"));
}

#[test]
fn entry_prices_override_table() {
    let answer = of_claude("claude-opus-5-5", json!({"input_tokens": 1000, "output_tokens": 1000}));
    let of_entry = format!(
        "{CLAUDE}base_url = \"https://gateway.example\"\nprices = {{ input = \"1\", output = 2.5 }}\n"
    );
    assert_eq!(cost(&of_entry, &answer).as_deref(), Some("0.0035"));
    let of_model =
        format!("{of_entry}[models.\"claude-opus-5-5\"]\nprices = {{ input = 0, output = \"0.000001\" }}\n");
    assert_eq!(cost(&of_model, &answer).as_deref(), Some("0.000000001"));
    let free = "kind = \"ollama\"\nmodel = \"qwen3\"\nprices = { input = 0, output = 0 }\n";
    let answer = of_chat(json!({"usage": {"prompt_tokens": 7, "completion_tokens": 9}}));
    assert_eq!(cost(free, &answer).as_deref(), Some("0"), "free is a price");
}

#[test]
fn reported_cost_overrides_table() {
    let router = "kind = \"openrouter\"\nmodel = \"anthropic/claude-sonnet-5.5\"\n";
    let usage = |more: &str| -> Value {
        serde_json::from_str(&format!("{{\"prompt_tokens\": 5, \"completion_tokens\": 5, {more}}}")).unwrap()
    };
    let told = |more: &str| of_chat(json!({"usage": usage(more)}));
    assert_eq!(cost(router, &told("\"cost\": 9.5e-05")).as_deref(), Some("0.000095"));
    assert_eq!(cost(router, &told("\"cost\": 0.01, \"is_byok\": true")), None, "another bill comes");
    assert_eq!(cost(router, &told("\"cost\": -1")), None);
    assert_eq!(cost(router, &told("\"cost\": null")), None);
    let perplexity = "kind = \"perplexity\"\nmodel = \"sonar\"\ndialect = \"envelope\"\n";
    assert_eq!(cost(perplexity, &told("\"cost\": {\"total_cost\": 0.006}")).as_deref(), Some("0.006"));
    assert_eq!(
        cost(GROQ, &told("\"cost\": 1")).as_deref(),
        Some("0.00000375"),
        "its own word for something else"
    );
}

#[test]
fn price_is_formatted_and_invalid_one_named() {
    let wrong = |prices: &str| {
        let text = format!("{CLAUDE}prices = {{ {prices} }}\n");
        ProviderConfig::from_toml("x", &text).unwrap_err().to_string()
    };
    for (prices, says) in [
        ("input = \"4\"", "providers.x.prices: output is missing; add output"),
        ("output = 4", "providers.x.prices: input is missing; add input"),
        ("input = \"-4\", output = 1", "“-4” is not a price; write US dollars for a million tokens"),
        ("input = \"4 €\", output = 1", "“4 €” is not a price"),
        ("input = 0.1234567, output = 1", "“0.1234567” has more than six digits behind the point"),
        ("input = 1, output = 1, thinking = 1", "unknown field `thinking`"),
    ] {
        assert!(wrong(prices).contains(says), "{prices}: {}", wrong(prices));
    }
    let read = entry(&format!("{CLAUDE}prices = {{ input = 4, output = 20.50 }}\n"));
    let written = serde_json::to_value(read.prices).unwrap();
    assert_eq!(written, json!({"input": "4", "output": "20.5"}));
}

#[test]
fn price_origin_is_reported() {
    assert_eq!(origin(&entry(CLAUDE), "claude-opus-5-5"), Some(PriceOrigin::Table));
    assert_eq!(origin(&entry(CLAUDE), "claude-next"), None);
    let own = entry(&format!("{CLAUDE}[models.m]\nprices = {{ input = 0, output = 0 }}\n"));
    assert_eq!(
        (origin(&own, "m"), origin(&own, "claude-opus-5-5")),
        (Some(PriceOrigin::Entry), Some(PriceOrigin::Table))
    );
    let router = entry("kind = \"openrouter\"\nmodel = \"m\"\n");
    assert_eq!(origin(&router, "m"), Some(PriceOrigin::Answers));
}

/// Azure names models by deployment, so only the entry can set their prices.
#[test]
fn an_azure_deployment_costs_what_its_entry_says() {
    let azure = "kind = \"azure\"\nmodel = \"ours\"\nbase_url = \"https://r.openai.azure.com/openai/v1\"\n";
    let answer = of_openai("default", json!({"input_tokens": 1_000_000, "output_tokens": 1_000_000}));
    assert_eq!(cost(azure, &answer), None, "the name that answered is no price of Azure");
    let priced = format!("{azure}prices = {{ input = \"2.50\", output = 10 }}");
    assert_eq!(cost(&priced, &answer).as_deref(), Some("12.5"));
    let per_model = format!("{azure}models.\"ours\".prices = {{ input = \"3\", output = \"4\" }}");
    assert_eq!(cost(&per_model, &answer).as_deref(), Some("7"));
    assert_eq!(origin(&entry(&priced), "ours"), Some(PriceOrigin::Entry));
    assert_eq!(origin(&entry(azure), "ours"), None);
}
