//! Stored text of the encoder settings at the beginning of a prompt generation.
//!
//! Contains the part of an entry that goes into bodies, and the encoder version. A generation stores this text, so that
//! its later requests begin with the same bytes even if the entry changes, and a past request can be rebuilt. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::encoder_settings::{EncoderSettings, ModelFileSupport};
use crate::encoder_version::EncoderVersion;
use crate::profiles::ProviderProfile;
use crate::provider_kind::{CacheTtl, ProviderKind, StructuredOutput};

/// Stored form of the settings.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEncoding {
    version: u32,
    kind: ProviderKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effort: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service_tier: Option<String>,
    // Text, because a number may change its last digit in a JSON round trip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    temperature: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    top_p: Option<String>,
    // Absent if relaunches use the settings of other rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relaunch_temperature: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relaunch_max_output_tokens: Option<u32>,
    structured_output: StructuredOutput,
    stream: bool,
    // Fields unknown to version 1; absent means its behaviour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stream_options: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    // As sent; absent is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_description_chars: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt_cache_key: Option<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    reasoning_summary: bool,
    #[serde(default, skip_serializing_if = "CacheTtl::is_default")]
    cache_ttl: CacheTtl,
    // Absent if the entry says nothing about files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    model_files: BTreeMap<String, ModelFileSupport>,
    // Text, for the same reason as the numbers above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extra_body: Option<String>,
}

/// The version field, which every encoding has.
#[derive(Deserialize)]
struct EncodingHeader {
    version: u32,
}

/// Encodes the settings as text.
pub(crate) fn encode_settings(settings: &EncoderSettings) -> Arc<str> {
    let encoding = StoredEncoding {
        version: settings.writing.number(),
        kind: settings.profile.kind,
        max_output_tokens: settings.max_output_tokens,
        effort: settings.effort.clone(),
        service_tier: settings.service_tier.clone(),
        temperature: settings.temperature.map(|number| number.to_string()),
        top_p: settings.top_p.map(|number| number.to_string()),
        relaunch_temperature: settings.relaunch_temperature.map(|number| number.to_string()),
        relaunch_max_output_tokens: settings.relaunch_max_output_tokens,
        structured_output: settings.structured_output,
        stream: settings.stream,
        stream_options: override_of(settings.stream_options, settings.profile.stream_options),
        parallel_tool_calls: settings.parallel_tool_calls,
        tool_description_chars: settings.tool_description_chars,
        prompt_cache_key: override_of(settings.prompt_cache_key, settings.profile.prompt_cache_key),
        reasoning_summary: settings.reasoning_summary,
        cache_ttl: settings.cache_ttl,
        model_files: settings.model_files.clone(),
        extra_body: settings.extra_body.as_deref().map(str::to_owned),
    };
    // Plain fields only, so JSON can represent everything.
    serde_json::to_string(&encoding).unwrap_or_default().into()
}

/// Decodes the settings from their text, or explains why they are invalid.
pub(crate) fn decode_settings(text: &str) -> Result<EncoderSettings, String> {
    let unreadable = |error: serde_json::Error| format!("its encoding cannot be read: {error}");
    let EncodingHeader { version } = serde_json::from_str(text).map_err(unreadable)?;
    let writing = EncoderVersion::of(version).ok_or_else(|| {
        let latest = EncoderVersion::LATEST.number();
        format!("its encoding has version {version}, but this Entracte writes version {latest}")
    })?;
    let encoding: StoredEncoding = serde_json::from_str(text).map_err(unreadable)?;
    let profile = ProviderProfile::of_kind(encoding.kind)
        .ok_or_else(|| format!("its encoding is of kind {}, which has no network", encoding.kind.word()))?;
    Ok(EncoderSettings {
        profile,
        writing,
        max_output_tokens: encoding.max_output_tokens,
        effort: encoding.effort,
        service_tier: encoding.service_tier,
        temperature: number("temperature", encoding.temperature)?,
        top_p: number("top_p", encoding.top_p)?,
        relaunch_temperature: number("relaunch_temperature", encoding.relaunch_temperature)?,
        relaunch_max_output_tokens: encoding.relaunch_max_output_tokens,
        structured_output: encoding.structured_output,
        stream: encoding.stream,
        stream_options: encoding.stream_options.unwrap_or(profile.stream_options),
        parallel_tool_calls: encoding.parallel_tool_calls,
        tool_description_chars: encoding.tool_description_chars,
        prompt_cache_key: encoding.prompt_cache_key.unwrap_or(profile.prompt_cache_key),
        reasoning_summary: encoding.reasoning_summary,
        cache_ttl: encoding.cache_ttl,
        images: profile.images,
        pdf: profile.pdf,
        model_files: encoding.model_files,
        extra_body: encoding.extra_body.map(Into::into),
    })
}

/// The value set by an entry, if it differs from the profile's default.
fn override_of(said: bool, usual: bool) -> Option<bool> {
    (said != usual).then_some(said)
}

fn number(key: &str, text: Option<String>) -> Result<Option<f64>, String> {
    let parsed = text.map(|text| text.parse().map_err(|_| format!("its encoding has {key} “{text}”")));
    parsed.transpose()
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::{CommandRequestPolicy, OutputShape, ToolDeclaration};
    use entracte_domain::id::SessionId;

    use super::*;
    use crate::testing::{open_shape, request, settings as settings_of, strict_shape};

    #[test]
    fn settings_survive_round_trip() {
        for entry in [
            "kind = \"claude\"\nmodel = \"m\"\neffort = \"high\"\nmax_output_tokens = 9",
            "kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.30000000000000004\ntop_p = 1",
            "kind = \"groq\"\nmodel = \"m\"\nstream = false\nservice_tier = \"flex\"",
            "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://h/v1\"\nstructured_output = \"json\"",
            "kind = \"claude\"\nmodel = \"m\"\ncache_ttl = \"1h\"",
            "kind = \"mistral\"\nmodel = \"m\"\nstream_options = true\nprompt_cache_key = true",
            "kind = \"openai\"\nmodel = \"m\"\nreasoning_summary = false",
            "kind = \"ollama\"\nmodel = \"m\"\nmodels = { llava = { images = true }, m = { pdf = false } }",
            "kind = \"groq\"\nmodel = \"m\"\nrelaunch_temperature = 0.2\nrelaunch_max_output_tokens = 4000",
            "kind = \"ollama\"\nmodel = \"m\"\nextra_body = { options = { num_ctx = 8192, top_k = 0.30000000000000004 } }",
        ] {
            let entry = settings_of(entry);
            assert_eq!(decode_settings(&encode_settings(&entry)), Ok(entry.clone()));
            let before = EncoderSettings { writing: EncoderVersion::V1, ..entry };
            assert_eq!(decode_settings(&encode_settings(&before)), Ok(before));
        }
    }

    #[test]
    fn version_1_text_stays_stable() {
        let stored =
            r#"{"version":1,"kind":"openai","temperature":"0.2","structured_output":"schema","stream":true}"#;
        let before = decode_settings(stored).unwrap();
        let entry = settings_of("kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.2");
        let expected = EncoderSettings { writing: EncoderVersion::V1, reasoning_summary: false, ..entry };
        assert_eq!(before, expected);
        assert_eq!(&*encode_settings(&before), stored);
    }

    #[test]
    fn foreign_encoding_is_refused_with_reason() {
        for (text, expected) in [
            ("{", "its encoding cannot be read: "),
            (r#"{"kind":"claude"}"#, "its encoding cannot be read: missing field `version`"),
            (
                r#"{"version":8,"verse":"x"}"#,
                "its encoding has version 8, but this Entracte writes version 7",
            ),
            (
                r#"{"version":1,"kind":"claude","structured_output":"none","stream":true,"seed":4}"#,
                "its encoding cannot be read: unknown field `seed`",
            ),
            (
                r#"{"version":1,"kind":"rehearsal","structured_output":"none","stream":true}"#,
                "its encoding is of kind rehearsal, which has no network",
            ),
            (
                r#"{"version":1,"kind":"groq","structured_output":"none","stream":true,"top_p":"x"}"#,
                "its encoding has top_p “x”",
            ),
        ] {
            let says = decode_settings(text).unwrap_err();
            assert!(says.starts_with(expected), "{says}");
        }
    }

    #[test]
    fn version_1_bytes_stay_stable() {
        let stored = |kind: &str| {
            let text =
                format!(r#"{{"version":1,"kind":"{kind}","structured_output":"schema","stream":true}}"#);
            decode_settings(&text).unwrap()
        };
        let mut asked = request(None);
        asked.output = open_shape();
        asked.commands = CommandRequestPolicy::WordsOnly;
        let sent = |kind: &str| {
            let settings = stored(kind);
            let body = crate::request_body::encode_body(settings.dialect(), &asked, &settings).unwrap();
            String::from_utf8(body.bytes).unwrap()
        };
        let claude = sent("claude");
        assert!(claude.contains(r#"{"type":"text","text":"<system>limits</system>"}"#), "{claude}");
        assert!(claude.contains(r#""tool_choice":{"type":"none"}"#) && !claude.contains("output_config"));
        let openai = sent("openai");
        assert!(openai.contains(r#""input":[{"role":"user","#) && openai.contains("json_object"), "{openai}");
        assert!(
            openai.contains(r#""tool_choice":"none""#) && openai.contains(r#""prompt_cache_key":"ses_1""#)
        );
        let groq = sent("compatible");
        assert!(groq.contains(r#"{"role":"user","content":"<system>limits</system>\n\nGo on"}"#), "{groq}");
        assert!(groq.contains(r#""tool_choice":"none""#) && groq.contains("stream_options"));
        assert!(groq.contains(r#""schema":{"type":"object"},"strict":false"#), "{groq}");
    }

    /// Input: a request in a generation of version 6 and in a new one; expected: in the older one tools and the shape of the
    /// answer stand after the conversation, in the new one before it, and nothing else differs.
    #[test]
    fn version_6_declares_after_conversation() {
        let mut asked = request(None);
        asked.output = strict_shape();
        for (entry, list, declared) in [
            ("kind = \"claude\"\nmodel = \"m\"", "messages", ["tools", "output_config"]),
            ("kind = \"openai\"\nmodel = \"m\"", "input", ["tools", "text"]),
            (
                "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://h/v1\"",
                "messages",
                ["tools", "response_format"],
            ),
        ] {
            let entry = format!("{entry}\nstructured_output = \"schema\"");
            let sent = |writing| {
                let settings = EncoderSettings { writing, ..settings_of(&entry) };
                let body = crate::request_body::encode_body(settings.dialect(), &asked, &settings).unwrap();
                String::from_utf8(body.bytes).unwrap()
            };
            let (older, newer) = (sent(EncoderVersion::V6), sent(EncoderVersion::V7));
            let place = |body: &str, member: &str| body.find(&format!("\"{member}\":")).unwrap();
            for member in declared {
                assert!(place(&older, member) > place(&older, list), "{older}");
                assert!(place(&newer, member) < place(&newer, list), "{newer}");
            }
            let parsed = |body: &str| serde_json::from_str::<serde_json::Value>(body).unwrap();
            assert_eq!(parsed(&older), parsed(&newer));
        }
    }

    /// Input: a reply shape with more enum values than OpenAI's strict mode accepts; expected: the request is sent without
    /// it being enforced there, and enforced by Claude, which has no such limit.
    #[test]
    fn shape_beyond_strict_limits_is_sent_unenforced() {
        let values: Vec<String> = (0..1_001).map(|number| format!("v{number}")).collect();
        let schema = serde_json::json!({"type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"type": "string", "enum": values}}});
        let mut asked = request(None);
        asked.output = OutputShape::Json { name: "reply".into(), schema: Arc::new(schema.into()) };
        asked.tools = Arc::new([]);
        let sent = |entry: &str| {
            let settings = settings_of(&format!("{entry}\nmodel = \"m\"\nstructured_output = \"schema\""));
            let body = crate::request_body::encode_body(settings.dialect(), &asked, &settings).unwrap().bytes;
            serde_json::from_slice::<serde_json::Value>(&body).unwrap()
        };
        assert_eq!(sent("kind = \"openai\"")["text"]["format"]["type"], "json_object");
        let chat = sent("kind = \"compatible\"\nbase_url = \"https://h/v1\"");
        assert_eq!(chat["response_format"]["json_schema"]["strict"], false);
        assert!(sent("kind = \"claude\"")["output_config"]["format"].is_object());
    }

    #[test]
    fn a_relaunch_has_its_own_temperature_and_limit() {
        let mut asked = request(None);
        let of = |asked: &entracte_application::ports::ModelRequest, entry: &str| {
            let settings = decode_settings(&encode_settings(&settings_of(entry))).unwrap();
            let body = crate::request_body::encode_body(settings.dialect(), asked, &settings).unwrap().bytes;
            serde_json::from_slice::<serde_json::Value>(&body).unwrap()
        };
        for (entry, limit, temperature) in [
            ("kind = \"claude\"\nmodel = \"m\"\nrelaunch_max_output_tokens = 4000", "max_tokens", None),
            (
                "kind = \"openai\"\nmodel = \"gpt-4.1\"\nrelaunch_temperature = 0.2\nrelaunch_max_output_tokens = 4000",
                "max_output_tokens",
                Some(0.2),
            ),
            (
                "kind = \"groq\"\nmodel = \"m\"\ntemperature = 0.7\nrelaunch_temperature = 0.2\nrelaunch_max_output_tokens = 4000",
                "max_completion_tokens",
                Some(0.2),
            ),
        ] {
            asked.relaunch = false;
            let before = of(&asked, entry);
            assert_ne!(before[limit], 4000, "{entry}");
            assert_ne!(before["temperature"].as_f64(), Some(0.2), "{entry}");
            asked.relaunch = true;
            let mut after = of(&asked, entry);
            assert_eq!(
                (&after[limit], after["temperature"].as_f64()),
                (&4000.into(), temperature),
                "{entry}"
            );
            // Everything else is unchanged, so the server's cache remains valid.
            for key in [limit, "temperature"] {
                match before.get(key) {
                    Some(value) => after[key] = value.clone(),
                    None => drop(after.as_object_mut().unwrap().remove(key)),
                }
            }
            assert_eq!(after, before, "{entry}");
        }
    }

    #[test]
    fn text_only_round_sends_no_tool_choice() {
        let mut asked = request(None);
        asked.commands = CommandRequestPolicy::WordsOnly;
        for kind in ["claude", "openai", "groq"] {
            let settings = settings_of(&format!("kind = \"{kind}\"\nmodel = \"m\""));
            let body = crate::request_body::encode_body(settings.dialect(), &asked, &settings).unwrap().bytes;
            assert!(!String::from_utf8(body).unwrap().contains("tool_choice"), "{kind}");
        }
    }

    /// Input: an entry that is valid for its own model, used for others; expected: parameters that those are known to
    /// refuse are left out, and requests of earlier generations are unchanged.
    #[test]
    fn parameters_refused_by_other_model_are_omitted() {
        let body = |settings: &EncoderSettings, model: &str| {
            let mut asked = request(None);
            asked.model = model.to_owned();
            let body = crate::request_body::encode_body(settings.dialect(), &asked, settings).unwrap().bytes;
            serde_json::from_slice::<serde_json::Value>(&body).unwrap()
        };
        let claude = settings_of(
            "kind = \"claude\"\nmodel = \"claude-opus-5-5\"\neffort = \"high\"\nmax_output_tokens = 100000",
        );
        for model in ["claude-opus-5-5", "model-of-a-gateway"] {
            let sent = body(&claude, model);
            assert_eq!(
                (&sent["output_config"]["effort"], &sent["max_tokens"]),
                (&"high".into(), &100_000.into())
            );
        }
        let small = body(&claude, "claude-haiku-4-5");
        assert_eq!((small.get("output_config"), &small["max_tokens"]), (None, &64_000.into()));
        let before = EncoderSettings { writing: EncoderVersion::V2, ..claude };
        assert_eq!(body(&before, "claude-haiku-4-5")["output_config"]["effort"], "high");

        let sampled = settings_of("kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.2\ntop_p = 0.9");
        assert_eq!(body(&sampled, "gpt-4.1")["temperature"], 0.2);
        let reasoning = body(&sampled, "gpt-6-sol");
        assert_eq!((reasoning.get("temperature"), reasoning.get("top_p")), (None, None));
        let unreasoning =
            settings_of("kind = \"openai\"\nmodel = \"gpt-6-sol\"\neffort = \"none\"\ntemperature = 0.5");
        assert_eq!(body(&unreasoning, "gpt-6-sol")["reasoning"], serde_json::json!({"effort": "none"}));
        let always = body(&unreasoning, "gpt-6-astra");
        assert_eq!(
            (&always["reasoning"]["effort"], always.get("temperature")),
            (&serde_json::Value::Null, None)
        );
        let plain = body(&unreasoning, "gpt-4.1");
        assert_eq!((plain.get("reasoning"), &plain["temperature"]), (None, &0.5.into()));
    }

    /// Input: a tool with a long description and a session with a long id; expected: both are cut to what the server
    /// accepts, other requests stay as they are, and requests of earlier generations are unchanged.
    #[test]
    fn texts_too_long_for_server_are_cut() {
        let mut asked = request(None);
        let long = "Läuft. ".repeat(300);
        let tool = ToolDeclaration { description: long.clone(), ..asked.tools[0].clone() };
        asked.tools = Arc::new([tool]);
        asked.session = SessionId::new("ses_".to_owned() + &"1".repeat(70));
        let sent = |entry: &str, writing| {
            let settings = EncoderSettings { writing, ..settings_of(entry) };
            let body = crate::request_body::encode_body(settings.dialect(), &asked, &settings).unwrap().bytes;
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let tool = &body["tools"][0];
            let words = tool["function"]["description"].as_str().or(tool["description"].as_str());
            let key = body["prompt_cache_key"].as_str().map(str::len);
            (words.unwrap().chars().count(), key)
        };
        let azure = "kind = \"azure\"\nmodel = \"m\"\nbase_url = \"https://h/openai/v1\"";
        assert_eq!(sent(azure, EncoderVersion::LATEST), (1_024, Some(64)));
        assert_eq!(sent(azure, EncoderVersion::V4), (long.chars().count(), Some(74)));
        let gateway =
            "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"https://h/v1\"\nprompt_cache_key = true";
        assert_eq!(sent(gateway, EncoderVersion::LATEST), (long.chars().count(), Some(64)));
        let limited = format!("{gateway}\ntool_description_chars = 100");
        assert_eq!(sent(&limited, EncoderVersion::LATEST).0, 100);
        assert_eq!(
            sent("kind = \"claude\"\nmodel = \"m\"", EncoderVersion::LATEST),
            (long.chars().count(), None)
        );
    }
}
