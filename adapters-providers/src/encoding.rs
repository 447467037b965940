//! How requests were written when a prompt generation began, kept as text.
//!
//! What of an entry goes into a body, and the version of the code that writes it. A generation keeps this text, so
//! its later requests begin with the same bytes whatever becomes of the entry, and a past request can be written
//! again. Pure.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::config::{Kind, StructuredOutput};
use crate::dialect::Settings;
use crate::profiles::Profile;

/// The version of the encoders of this crate. It grows when a request would be written in other bytes than
/// before; the old way then stays for the old number.
const VERSION: u32 = 1;

/// The text's shape.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Encoding {
    version: u32,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effort: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service_tier: Option<String>,
    // Text, because a number may come back from JSON one digit off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    temperature: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    top_p: Option<String>,
    structured_output: StructuredOutput,
    stream: bool,
}

/// The version alone, which every encoding has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// The text of these settings.
pub(crate) fn text(settings: &Settings) -> Arc<str> {
    let encoding = Encoding {
        version: VERSION,
        kind: settings.profile.kind,
        max_output_tokens: settings.max_output_tokens,
        effort: settings.effort.clone(),
        service_tier: settings.service_tier.clone(),
        temperature: settings.temperature.map(|number| number.to_string()),
        top_p: settings.top_p.map(|number| number.to_string()),
        structured_output: settings.structured_output,
        stream: settings.stream,
    };
    // Plain fields: there is nothing in them that JSON cannot write.
    serde_json::to_string(&encoding).unwrap_or_default().into()
}

/// The settings of such a text, or why there are none.
pub(crate) fn settings(text: &str) -> Result<Settings, String> {
    let unreadable = |error: serde_json::Error| format!("its encoding cannot be read: {error}");
    let Versioned { version } = serde_json::from_str(text).map_err(unreadable)?;
    if version != VERSION {
        return Err(format!(
            "its encoding has version {version}, and this Entracte writes version {VERSION}"
        ));
    }
    let encoding: Encoding = serde_json::from_str(text).map_err(unreadable)?;
    let profile = Profile::of(encoding.kind)
        .ok_or_else(|| format!("its encoding is of kind {}, which has no network", encoding.kind.word()))?;
    Ok(Settings {
        profile,
        max_output_tokens: encoding.max_output_tokens,
        effort: encoding.effort,
        service_tier: encoding.service_tier,
        temperature: number("temperature", encoding.temperature)?,
        top_p: number("top_p", encoding.top_p)?,
        structured_output: encoding.structured_output,
        stream: encoding.stream,
    })
}

fn number(key: &str, text: Option<String>) -> Result<Option<f64>, String> {
    let parsed = text.map(|text| text.parse().map_err(|_| format!("its encoding has {key} “{text}”")));
    parsed.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::settings as settings_of;

    #[test]
    fn settings_come_back_as_they_were() {
        for entry in [
            "kind = \"claude\"\nmodel = \"m\"\neffort = \"high\"\nmax_output_tokens = 9",
            "kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.30000000000000004\ntop_p = 1",
            "kind = \"groq\"\nmodel = \"m\"\nstream = false\nservice_tier = \"flex\"",
            "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"http://h/v1\"\nstructured_output = \"json\"",
        ] {
            let entry = settings_of(entry);
            assert_eq!(settings(&text(&entry)), Ok(entry));
        }
    }

    #[test]
    fn the_text_of_version_1_stays_as_it_is() {
        let entry = settings_of("kind = \"openai\"\nmodel = \"gpt-4.1\"\ntemperature = 0.2");
        let expected =
            r#"{"version":1,"kind":"openai","temperature":"0.2","structured_output":"schema","stream":true}"#;
        assert_eq!(&*text(&entry), expected);
    }

    #[test]
    fn an_encoding_that_is_not_ours_is_refused_by_what_is_wrong() {
        for (text, expected) in [
            ("{", "its encoding cannot be read: "),
            (r#"{"kind":"claude"}"#, "its encoding cannot be read: missing field `version`"),
            (
                r#"{"version":2,"verse":"x"}"#,
                "its encoding has version 2, and this Entracte writes version 1",
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
            let says = settings(text).unwrap_err();
            assert!(says.starts_with(expected), "{says}");
        }
    }
}
