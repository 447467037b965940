//! `--set KEY=VALUE`: the type of a value comes from the schema of an entry. A secret is refused and never repeated.

use entracte_adapters_providers::config::ProviderConfig;
use serde_json::Value as Json;
use toml_edit::Value;

use crate::config::ConfigFault;
use crate::error::{CliError, CliExitCode};
use crate::user_text::{UserText, message};

/// A key and its value, from `KEY=VALUE`.
pub(super) fn pair(text: &str) -> Result<(String, Value), CliError> {
    refuse_secret("--set", text)?;
    let Some((key, value)) = text.split_once('=') else {
        return Err(usage(message!("provider-set-missing", given = text)));
    };
    let (key, value) = (key.trim(), value.trim());
    refuse_secret_key(key)?;
    Ok((key.to_owned(), value_of(key, value)?))
}

/// Parses the value of a key from a flag.
pub(super) fn value_of(key: &str, text: &str) -> Result<Value, CliError> {
    refuse_secret(key, text)?;
    let expected = |what: UserText| usage(message!("provider-takes", key = key, what = what, given = text));
    let text_of = |value: Option<Value>, what: UserText| value.ok_or_else(|| expected(what));
    match kind_of(key)? {
        ProviderValueType::Whole => {
            text_of(text.parse::<i64>().ok().map(Value::from), message!("config-takes-whole"))
        }
        ProviderValueType::Number => {
            text_of(text.parse::<f64>().ok().map(Value::from), message!("config-takes-number"))
        }
        ProviderValueType::Flag => {
            text_of(text.parse::<bool>().ok().map(Value::from), message!("config-takes-flag"))
        }
        ProviderValueType::Parts => text_of(text.parse::<Value>().ok(), message!("config-takes-parts")),
        ProviderValueType::Text if text.is_empty() => Err(expected(message!("config-takes-some-text"))),
        // A shell keeps escaped quotes; the value in a file must not contain them.
        ProviderValueType::Text => Ok(Value::from(text.trim_matches('"'))),
    }
}

/// Refuses a key that no entry has.
pub(super) fn known(key: &str) -> Result<(), CliError> {
    kind_of(key).map(drop)
}

/// Refuses a text that looks like a secret, without writing or showing it.
pub(super) fn refuse_secret(place: &str, text: &str) -> Result<(), CliError> {
    if looks_secret(place, text) { Err(secret(place)) } else { Ok(()) }
}

/// A secret must be stored elsewhere, with a reference in the entry.
pub(super) fn secret(place: &str) -> CliError {
    let text = message!("provider-secret", place = place);
    CliError::with_next(CliExitCode::Usage, text, "entracte provider show --schema")
}

fn refuse_secret_key(key: &str) -> Result<(), CliError> {
    if names_secret(key) { Err(secret(key)) } else { Ok(()) }
}

/// Whether a key or a header of this name contains a secret, rather than the place of one.
pub(in crate::commands) fn names_secret(key: &str) -> bool {
    let plain = key.to_lowercase().replace(['-', '_'], "");
    let holds = ["apikey", "secret", "password", "bearer", "authorization"];
    let kept = ["apikeyenv", "apikeyfile", "apikeycommand", "apikeycommandcwd"].contains(&plain.as_str());
    let named = plain == "key" || plain == "token" || holds.iter().any(|word| plain.contains(word));
    named && !kept
}

/// The prefixes of keys that providers issue.
const KEYS: [&str; 9] = ["sk-", "sk_", "gsk_", "xai-", "aiza", "hf_", "ghp_", "nvapi-", "bearer "];

/// The fewest letters and digits in a row that are taken for a key in a reference.
const KEY_CHARS: usize = 32;

/// Whether a text looks like a secret; `place` is what it was given for.
pub(in crate::commands) fn looks_secret(place: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let begins = |at: usize| at == 0 || !lower.as_bytes()[at - 1].is_ascii_alphanumeric();
    if KEYS.iter().any(|key| lower.match_indices(key).any(|(at, _)| begins(at))) {
        return true;
    }
    let run = |character: char| character.is_ascii_alphanumeric();
    place.contains("key") && text.len() >= KEY_CHARS && text.chars().all(run)
}

/// The type of a key's value.
enum ProviderValueType {
    Whole,
    Number,
    Flag,
    Parts,
    Text,
}

fn kind_of(key: &str) -> Result<ProviderValueType, CliError> {
    let schema = ProviderConfig::json_schema();
    let keys = schema["properties"].as_object().cloned().unwrap_or_default();
    let Some(property) = keys.get(key) else {
        let all: Vec<String> = keys.keys().cloned().collect();
        let fault = ConfigFault::new(message!("provider-no-key", key = key)).allowing(key, all);
        return Err(usage(fault.into()));
    };
    let is = |shape: &Json, word: &str| match &shape["type"] {
        Json::String(kind) => kind == word,
        Json::Array(kinds) => kinds.iter().any(|kind| kind == word),
        _ => false,
    };
    // A named type is elsewhere in the schema, next to null for an optional key.
    let named = property["anyOf"].as_array().into_iter().flatten();
    let named = named.filter_map(|shape| schema.pointer(shape["$ref"].as_str()?.trim_start_matches('#')));
    let shapes: Vec<&Json> = std::iter::once(property).chain(named).collect();
    let takes = |word: &str| shapes.iter().any(|shape| is(shape, word));
    Ok(match () {
        () if takes("integer") => ProviderValueType::Whole,
        () if takes("number") => ProviderValueType::Number,
        () if takes("boolean") => ProviderValueType::Flag,
        () if takes("array") || takes("object") => ProviderValueType::Parts,
        () => ProviderValueType::Text,
    })
}

fn usage(text: UserText) -> CliError {
    CliError::with_next(CliExitCode::Usage, text, "entracte provider show --schema")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_parsed_by_its_key_type() {
        for (text, written) in [
            ("max_output_tokens=4000", "4000"),
            ("temperature=0.5", "0.5"),
            ("temperature=1", "1.0"),
            ("stream=false", "false"),
            ("model=gpt-6-sol", "\"gpt-6-sol\""),
            ("model = \"1.5\"", "\"1.5\""),
            ("dialect=tools", "\"tools\""),
            ("api_key_command=[\"pass\", \"show\"]", "[\"pass\", \"show\"]"),
            ("extra_body={ top_k = 4 }", "{ top_k = 4 }"),
            ("prices={ input = \"4\", output = 20 }", "{ input = \"4\", output = 20 }"),
            ("auth=bearer", "\"bearer\""),
            ("base_url=http://h/v1?a=b", "\"http://h/v1?a=b\""),
        ] {
            assert_eq!(pair(text).unwrap().1.to_string(), written, "{text}");
        }
        for (text, says) in [
            ("max_output_tokens=many", "“max_output_tokens” must be a whole number, not “many”"),
            ("temperature=warm", "“temperature” must be a number, not “warm”"),
            ("stream=1", "“stream” must be true or false, not “1”"),
            ("model=", "“model” must be a text; to remove it, use --unset, not “”"),
            ("modle=x", "a provider has no key “modle”; did you mean “model”?"),
            ("model", "--set model: a value is missing; write --set KEY=VALUE"),
        ] {
            let message = pair(text).unwrap_err().message;
            assert!(message.starts_with(says), "{message}");
        }
    }

    #[test]
    fn secret_is_refused_and_not_repeated() {
        for text in [
            "api_key=abc-SECRET",
            "api-key=abc-SECRET",
            "password=abc-SECRET",
            "token=abc-SECRET",
            "model=sk-ant-SECRET",
            "gsk_SECRET",
            "base_url=https://h/v1?key=sk-SECRET",
            "base_url=Bearer SECRET",
            "api_key_file=0123456789abcdefSECRET0123456789abcd",
            "nonsense=gsk_SECRET",
        ] {
            let error = pair(text).unwrap_err();
            assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
            assert!(error.message.contains("--api-key-env"), "{}", error.message);
        }
        for fine in [
            "model=task-sk",
            "model=risk-1",
            "api_key_env=KEY",
            "api_key_file=/run/keys/claude",
            "api_key_command_cwd=/run/keys",
        ] {
            pair(fine).unwrap();
        }
    }
}
