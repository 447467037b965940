use entracte_application::samples::render_in_each_language as said;

use super::*;

fn error(text: &str) -> String {
    said(&ProviderConfig::from_toml("x", text).unwrap_err().saying())
}

#[test]
fn minimal_entry_of_each_kind_is_valid() {
    for text in [
        "kind = \"claude\"\nmodel = \"claude-opus-5-5\"\napi_key_env = \"K\"\ndialect = \"tools\"\neffort = \"high\"",
        "kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.2",
        "kind = \"groq\"\nmodel = \"openai/gpt-oss-120b\"\nservice_tier = \"flex\"\nstream = false",
        "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://localhost:11434/v1\"\ntop_p = 0.9",
        "kind = \"rehearsal\"\nscript = \"story.toml\"",
        "kind = \"ollama\"\nmodel = \"m\"\nextra_body = { options = { num_ctx = 8192 } }\nbase_url = \"http://h/v1\"",
        "kind = \"vllm\"\nmodel = \"m\"\nextra_headers = { x-team = \"a\" }\nstream_options = false",
        "kind = \"mistral\"\nmodel = \"m\"\napi_key_command = [\"pass\", \"show\", \"mistral\"]",
        "kind = \"mistral\"\nmodel = \"m\"\napi_key_command = [\"./key\"]\napi_key_command_cwd = \"/etc/keys\"",
        "kind = \"gemini\"\nmodel = \"m\"\nmodels.\"gemini-3-pro\".idle_timeout_seconds = 600",
        "kind = \"deepseek\"\nmodel = \"m\"\nfirst_byte_timeout_seconds = 300",
        "kind = \"perplexity\"\nmodel = \"m\"",
        "kind = \"openrouter\"\nmodel = \"m\"\nprompt_cache_key = true\nreported_cost = false",
        "kind = \"azure\"\nmodel = \"m\"\nbase_url = \"https://r.openai.azure.com/openai/v1\"",
        "kind = \"claude\"\nmodel = \"m\"\nauth = \"bearer\"\ncache_ttl = \"1h\"",
        "kind = \"groq\"\nmodel = \"m\"\n[fallback]\nexhausted = [\"y\", \"z\"]\ndown = [\"z\"]",
    ] {
        let config = ProviderConfig::from_toml("x", text).unwrap();
        let again = toml::to_string(&config).unwrap();
        assert_eq!(ProviderConfig::from_toml("x", &again).unwrap(), config);
    }
}

#[test]
fn error_names_entry_key_value_and_fix() {
    let cases = [
        ("kind = \"claude\"", "providers.x.model: is missing; add model = \"claude-opus-5-5\""),
        ("kind = \"rehearsal\"", "providers.x.script: is missing; add script = \"story.toml\""),
        (
            "kind = \"claude\"\nmodel = \"m\"\ntemperature = 0.5",
            "providers.x.temperature: 0.5 is set, but Claude refuses temperature for “m”; remove it",
        ),
        (
            "kind = \"openai\"\nmodel = \"gpt-6-sol\"\ntop_p = 0.5",
            "providers.x.top_p: 0.5 is set, but OpenAI refuses top_p for “gpt-6-sol”; remove it, or set effort = \"none\"",
        ),
        (
            "kind = \"claude\"\nmodel = \"m\"\nrelaunch_temperature = 0.2",
            "providers.x.relaunch_temperature: 0.2 is set, but Claude refuses relaunch_temperature for “m”; remove it",
        ),
        (
            "kind = \"groq\"\nmodel = \"m\"\nrelaunch_max_output_tokens = 0",
            "providers.x.relaunch_max_output_tokens: 0 allows nothing; use 1 or more, or remove it",
        ),
        (
            "kind = \"claude\"\nmodel = \"claude-opus-5-5\"\nrelaunch_max_output_tokens = 999999",
            "providers.x.relaunch_max_output_tokens: 999999 is more than “claude-opus-5-5” can write; use 128000 or less",
        ),
        (
            "kind = \"rehearsal\"\nscript = \"s\"\nfallback.down = [\"y\", \"x\"]",
            "providers.x.fallback.down: “x” is the entry itself; name other providers",
        ),
        (
            "kind = \"groq\"\nmodel = \"m\"\nfallback = { exhausted = [\"y\", \"z\", \"y\"] }",
            "providers.x.fallback.exhausted: “y” is named twice; name it once",
        ),
        (
            "kind = \"rehearsal\"\nscript = \"s\"\nrelaunch_temperature = 0.2",
            "providers.x.relaunch_temperature: is set, but a rehearsal has no network; remove it, or change kind",
        ),
        (
            "kind = \"groq\"\nmodel = \"m\"\ntemperature = 3.0",
            "providers.x.temperature: 3 is out of range; use 0 to 2",
        ),
        (
            "kind = \"claude\"\nmodel = \"m\"\neffort = \"minimal\"",
            "providers.x.effort: “minimal” is not supported by “m”; use one of: low, medium, high, xhigh, max",
        ),
        (
            "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"localhost:11434\"",
            "providers.x.base_url: “localhost:11434” is not an address; write it like https://host/v1",
        ),
        (
            "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://me:pw@host/v1\"",
            "providers.x.base_url: holds a user or password; put the key into api_key_env",
        ),
        (
            // The key itself, pasted: it must not be repeated.
            "kind = \"claude\"\nmodel = \"m\"\napi_key_env = \"sk-ant-1234\"",
            "providers.x.api_key_env: is not a valid variable name; export NAME=… and write NAME here, never the key",
        ),
        (
            "kind = \"claude\"\nmodel = \"m\"\ncall_timeout_seconds = 0",
            "providers.x.call_timeout_seconds: 0 allows nothing; use 1 or more, or remove it",
        ),
        (
            "kind = \"claude\"\nmodel = \"m\"\ncontext_tokens = 0",
            "providers.x.context_tokens: 0 allows nothing; use 1 or more, or remove it",
        ),
        (
            "kind = \"rehearsal\"\nscript = \"s\"\ncontext_tokens = 100\nmax_output_tokens = 100",
            "providers.x.max_output_tokens: 100 leaves no room in context_tokens (100); make it smaller",
        ),
        (
            "kind = \"rehearsal\"\nscript = \"s\"\ntemperature = 0.5",
            "providers.x.temperature: is set, but a rehearsal has no network; remove it, or change kind",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected);
    }
}

/// Cases of the keys under `kind` and `model`, with the expected error; an empty error means that they are valid.
#[test]
fn forbidden_model_parameters_are_refused() {
    let refused = |key: &str, value: &str, who: &str, model: &str, fix: &str| {
        Some(format!("providers.x.{key}: {value} is set, but {who} refuses {key} for “{model}”; {fix}"))
    };
    let unknown = |value: &str, model: &str, words: &str| {
        Some(format!("providers.x.effort: “{value}” is not supported by “{model}”; use one of: {words}"))
    };
    let too_much = |tokens: u32, model: &str, most: u32| {
        let problem = format!("{tokens} is more than “{model}” can write");
        Some(format!("providers.x.max_output_tokens: {problem}; use {most} or less"))
    };
    let or_none = "remove it, or set effort = \"none\"";
    let rows = [
        ("claude", "claude-opus-5-5", "effort = \"max\"\nmax_output_tokens = 128000", None),
        (
            "claude",
            "claude-opus-5-5",
            "top_p = 1",
            refused("top_p", "1", "Claude", "claude-opus-5-5", "remove it"),
        ),
        (
            "claude",
            "claude-haiku-4-5",
            "effort = \"low\"",
            refused("effort", "“low”", "Claude", "claude-haiku-4-5", "remove it"),
        ),
        (
            "claude",
            "claude-haiku-4-5",
            "max_output_tokens = 65000",
            too_much(65_000, "claude-haiku-4-5", 64_000),
        ),
        (
            "claude",
            "claude-sonnet-5",
            "max_output_tokens = 128001",
            too_much(128_001, "claude-sonnet-5", 128_000),
        ),
        ("claude", "mine", "max_output_tokens = 500000", None),
        (
            "claude",
            "claude-sonnet-5",
            "structured_output = \"json\"",
            Some(
                "providers.x.structured_output: “json” is not supported by Claude; use one of: schema, none"
                    .to_owned(),
            ),
        ),
        (
            "claude",
            "claude-sonnet-5",
            "service_tier = \"flex\"",
            Some(
                "providers.x.service_tier: “flex” is not supported by Claude; use one of: auto, standard_only"
                    .to_owned(),
            ),
        ),
        ("openai", "gpt-4.1", "temperature = 0.2", None),
        ("openai", "ft:gpt-4o:us:1", "temperature = 0.2", None),
        (
            "openai",
            "gpt-4.1",
            "effort = \"low\"",
            refused("effort", "“low”", "OpenAI", "gpt-4.1", "remove it"),
        ),
        (
            "openai",
            "gpt-6-sol",
            "temperature = 1",
            refused("temperature", "1", "OpenAI", "gpt-6-sol", or_none),
        ),
        (
            "openai",
            "gpt-6-sol",
            "effort = \"low\"\ntemperature = 1",
            refused("temperature", "1", "OpenAI", "gpt-6-sol", or_none),
        ),
        ("openai", "gpt-6-sol", "effort = \"none\"\ntemperature = 1", None),
        (
            "openai",
            "gpt-6-astra",
            "effort = \"none\"",
            unknown("none", "gpt-6-astra", "minimal, low, medium, high, xhigh, max"),
        ),
        (
            "openai",
            "gpt-6.1-sol",
            "temperature = 1",
            refused("temperature", "1", "OpenAI", "gpt-6.1-sol", "remove it"),
        ),
        (
            "openai",
            "gpt-5.6-luna",
            "effort = \"minimal\"",
            unknown("minimal", "gpt-5.6-luna", "none, low, medium, high, xhigh, max"),
        ),
        ("openai", "gpt-6-sol", "max_output_tokens = 200000", too_much(200_000, "gpt-6-sol", 128_000)),
        ("openai", "o4-mini", "effort = \"xhigh\"", unknown("xhigh", "o4-mini", "low, medium, high")),
        (
            "groq",
            "openai/gpt-oss-120b",
            "effort = \"none\"",
            unknown("none", "openai/gpt-oss-120b", "low, medium, high"),
        ),
        (
            "groq",
            "openai/gpt-oss-20b",
            "max_output_tokens = 70000",
            too_much(70_000, "openai/gpt-oss-20b", 65_536),
        ),
        ("groq", "qwen/qwen3-32b", "effort = \"high\"", unknown("high", "qwen/qwen3-32b", "none, default")),
        ("groq", "qwen/qwen3.8-27b", "effort = \"high\"\ntemperature = 0.6", None),
        (
            "groq",
            "qwen/qwen3.8-27b",
            "top_p = 1.5",
            Some("providers.x.top_p: 1.5 is out of range; use 0 to 1".to_owned()),
        ),
        ("compatible", "m", "base_url = \"http://h/v1\"\neffort = \"any\"\nservice_tier = \"any\"", None),
        (
            "compatible",
            "m",
            "base_url = \"http://h/v1\"\ntemperature = nan",
            Some("providers.x.temperature: NaN is out of range; use 0 to 2".to_owned()),
        ),
    ];
    for (kind, model, rest, expected) in rows {
        let text = format!("kind = \"{kind}\"\nmodel = \"{model}\"\n{rest}");
        let says = ProviderConfig::from_toml("x", &text).err().map(|error| error.to_string());
        assert_eq!(says, expected, "{text}");
    }
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let error = error("kind = \"claude\"\nmodle = \"m\"");
    assert!(
        error.contains("modle") && error.contains("line 2") && error.contains("[providers.x]"),
        "{error}"
    );
}

#[test]
fn key_has_default_source() {
    let place = |text: &str| ProviderConfig::from_toml("x", text).unwrap().secret_reference();
    let variable = |name: &str| Some(SecretReference::Environment(name.to_owned()));
    assert_eq!(place("kind = \"groq\"\nmodel = \"m\""), variable("GROQ_API_KEY"));
    assert_eq!(place("kind = \"groq\"\nmodel = \"m\"\napi_key_env = \"K\""), variable("K"));
    assert_eq!(place("kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://h/v1\""), None);
    let file = place("kind = \"claude\"\nmodel = \"m\"\napi_key_file = \"k.txt\"");
    assert_eq!(file, Some(SecretReference::File("k.txt".to_owned())));
    let printed = "kind = \"groq\"\nmodel = \"m\"\napi_key_command = [\"./key\", \"groq\"]\napi_key_command_cwd = \"/k\"";
    let line = vec!["./key".to_owned(), "groq".to_owned()];
    let program = SecretProgramSpec { line, folder: Some("/k".to_owned()) };
    assert_eq!(place(printed), Some(SecretReference::Command(program)), "it works where its entry says");
}

#[test]
fn model_timeouts_override_entry_timeouts() {
    let entry = "kind = \"openai\"\nmodel = \"m\"\nfirst_byte_timeout_seconds = 200\n\
        [models.\"gpt-6-sol\"]\nidle_timeout_seconds = 600\n\
        [models.\"gpt-6-luna\"]\nfirst_byte_timeout_seconds = 5\ncall_timeout_seconds = 50";
    let config = ProviderConfig::from_toml("x", entry).unwrap();
    let waits = |model: &str| {
        let CallTimeouts { first_byte, idle, whole } = config.call_timeouts(model);
        (first_byte.unwrap().as_secs(), idle.unwrap().as_secs(), whole.as_secs())
    };
    assert_eq!(waits("other"), (200, 120, 600));
    assert_eq!(waits("gpt-6-sol"), (600, 600, 600));
    assert_eq!(waits("gpt-6-luna"), (5, 120, 50));
    let whole = ProviderConfig { stream: false, ..config };
    assert_eq!(whole.call_timeouts("other").idle, None, "a whole answer is silent until it is done");
}

#[test]
fn extra_headers_and_fields_may_not_be_reserved() {
    for (rest, expected) in [
        (
            "extra_headers = { Authorization = \"Bearer x\" }",
            "providers.x.extra_headers: “Authorization” is a header that Entracte sets; \
             remove it; keys belong in api_key_env, and auth says how they are sent",
        ),
        (
            "extra_headers = { \"a b\" = \"x\" }",
            "providers.x.extra_headers: “a b” is not a valid header; write NAME = \"VALUE\"",
        ),
        (
            "extra_body = { system = \"x\" }",
            "providers.x.extra_body: “system” is a field that Entracte writes; \
             remove it, or use the setting of the entry that writes it",
        ),
        (
            "api_key_command = []",
            "providers.x.api_key_command: does not name a program; write [\"PROGRAM\", \"ARGUMENT\"]",
        ),
        (
            "api_key_command_cwd = \"/k\"",
            "providers.x.api_key_command_cwd: is only for an entry with api_key_command; remove it",
        ),
        (
            "api_key_command = [\"a\"]\napi_key_file = \"k\"",
            "providers.x.api_key_command: is set together with api_key_file; keep one of the two",
        ),
        (
            "models.m.idle_timeout_seconds = 0",
            "providers.x.models.\"m\": 0 allows nothing; use 1 or more, or remove it",
        ),
    ] {
        assert_eq!(error(&format!("kind = \"claude\"\nmodel = \"m\"\n{rest}")), expected);
    }
    let azure = error("kind = \"azure\"\nmodel = \"m\"");
    assert!(azure.ends_with("add base_url = \"https://RESOURCE.openai.azure.com/openai/v1\""), "{azure}");
}
