use super::*;

fn error(text: &str) -> String {
    ProviderConfig::from_toml("x", text).unwrap_err().to_string()
}

#[test]
fn an_entry_of_each_kind_is_taken() {
    for text in [
        "kind = \"claude\"\nmodel = \"claude-opus-5-5\"\napi_key_env = \"K\"\ndialect = \"tools\"\neffort = \"high\"",
        "kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.2",
        "kind = \"groq\"\nmodel = \"openai/gpt-oss-120b\"\nservice_tier = \"flex\"\nstream = false",
        "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://localhost:11434/v1\"\ntop_p = 0.9",
        "kind = \"rehearsal\"\nscript = \"story.toml\"",
    ] {
        let config = ProviderConfig::from_toml("x", text).unwrap();
        let again = toml::to_string(&config).unwrap();
        assert_eq!(ProviderConfig::from_toml("x", &again).unwrap(), config);
    }
}

#[test]
fn an_error_names_entry_key_value_and_mend() {
    let cases = [
        ("kind = \"claude\"", "providers.x.model: is missing; add model = \"claude-opus-5-5\""),
        ("kind = \"rehearsal\"", "providers.x.script: is missing; add script = \"story.toml\""),
        (
            "kind = \"claude\"\nmodel = \"m\"\ntemperature = 0.5",
            "providers.x.temperature: 0.5 is set, and Claude refuses temperature for “m”; remove it",
        ),
        (
            "kind = \"openai\"\nmodel = \"gpt-6-sol\"\ntop_p = 0.5",
            "providers.x.top_p: 0.5 is set, and OpenAI refuses top_p for “gpt-6-sol”; remove it",
        ),
        (
            "kind = \"groq\"\nmodel = \"m\"\ntemperature = 3.0",
            "providers.x.temperature: 3 is out of range; use 0 to 2",
        ),
        (
            "kind = \"claude\"\nmodel = \"m\"\neffort = \"minimal\"",
            "providers.x.effort: “minimal” is not known to claude; use one of: low, medium, high, xhigh, max",
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
            "providers.x.api_key_env: is no name of a variable; export NAME=… and write NAME here, never the key",
        ),
        (
            "kind = \"claude\"\nmodel = \"m\"\ncall_timeout_seconds = 0",
            "providers.x.call_timeout_seconds: 0 allows nothing; use 1 or more, or remove it",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(error(text), expected);
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
fn the_key_has_a_default_place() {
    let place = |text: &str| ProviderConfig::from_toml("x", text).unwrap().secret_reference();
    let variable = |name: &str| Some(SecretReference::Environment(name.to_owned()));
    assert_eq!(place("kind = \"groq\"\nmodel = \"m\""), variable("GROQ_API_KEY"));
    assert_eq!(place("kind = \"groq\"\nmodel = \"m\"\napi_key_env = \"K\""), variable("K"));
    assert_eq!(place("kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://h/v1\""), None);
    let file = place("kind = \"claude\"\nmodel = \"m\"\napi_key_file = \"k.txt\"");
    assert_eq!(file, Some(SecretReference::File("k.txt".to_owned())));
}
