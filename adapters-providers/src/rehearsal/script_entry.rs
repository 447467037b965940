//! The TOML form of a script and its turns.

use crate::call_id_format::NativeCallPosition;
use entracte_application::ports::{NativeCall, ReplyEnd};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;
use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::script::{ScriptFailure, ScriptTurn};

/// A script file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptFile {
    #[serde(default)]
    pub(super) turn: Vec<toml::Spanned<ScriptTurnEntry>>,
}

/// A `[[turn]]` table before validation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScriptTurnEntry {
    #[serde(default)]
    expect: StringOrList,
    text: Option<String>,
    envelope: Option<toml::Value>,
    malformed: Option<String>,
    #[serde(default)]
    calls: Vec<ScriptCallEntry>,
    #[serde(default)]
    end: ScriptEndEntry,
    usage: Option<ScriptUsageEntry>,
    #[serde(default)]
    delay_ms: u32,
    #[serde(default)]
    word_delay_ms: u32,
    fail: Option<ScriptFailureEntry>,
    retry_after_ms: Option<u32>,
    cut: Option<usize>,
    times: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptCallEntry {
    id: Option<String>,
    name: String,
    arguments: Option<toml::Value>,
}

#[derive(Default, Deserialize)]
#[serde(untagged)]
enum StringOrList {
    One(String),
    Many(Vec<String>),
    #[default]
    Nothing,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScriptEndEntry {
    #[default]
    Done,
    Cut,
    Paused,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ScriptFailureEntry {
    Unreachable,
    Lost,
    Throttled,
    Overloaded,
    Exhausted,
    Refused,
    ContextTooLong,
    Repairable,
    Misconfigured,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ScriptUsageEntry {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
}

impl ScriptTurnEntry {
    /// Validates the turn; an error includes the fix.
    pub(super) fn turn(self, index: usize) -> Result<ScriptTurn, String> {
        let answers = self.text.is_some() || self.envelope.is_some() || self.malformed.is_some();
        let answers = answers || !self.calls.is_empty();
        let fault = self.fault()?;
        let times = self.times(fault.as_ref(), answers)?;
        let calls = self.calls.into_iter().enumerate();
        let plain = self.text.is_some();
        Ok(ScriptTurn {
            plain,
            expect: self.expect.into_vec(),
            calls: calls
                .map(|(place, call)| call.call(NativeCallPosition { turn: index, place }))
                .collect::<Result<_, _>>()?,
            text: text(self.text, self.envelope, self.malformed)?,
            end: match self.end {
                ScriptEndEntry::Done => ReplyEnd::Done,
                ScriptEndEntry::Cut => ReplyEnd::OutputLimit { limit: None },
                ScriptEndEntry::Paused => ReplyEnd::Paused,
            },
            usage: self.usage.map(ScriptUsageEntry::usage),
            delay: Millis(i64::from(self.delay_ms)),
            word_delay: Millis(i64::from(self.word_delay_ms)),
            fault,
            times,
        })
    }

    fn fault(&self) -> Result<Option<ScriptFailure>, String> {
        let retry_after = self.retry_after_ms.map(|ms| Millis(i64::from(ms)));
        match (self.fail, self.cut) {
            (Some(_), Some(_)) => Err("it has both fail and cut; keep one".to_owned()),
            (Some(fail), None) => Ok(Some(ScriptFailure::Class { class: fail.class(), retry_after })),
            (None, Some(_)) if self.text.is_none() && self.envelope.is_none() => {
                Err("cut needs something to cut; add text or envelope".to_owned())
            }
            (None, Some(characters)) => Ok(Some(ScriptFailure::CutAfter(characters))),
            (None, None) if retry_after.is_some() => {
                Err("retry_after_ms is only for a turn that fails; add fail = \"throttled\"".to_owned())
            }
            (None, None) => Ok(None),
        }
    }

    /// Number of failures: one by default if the turn has an answer to give afterwards, `None` (always) if it has none.
    fn times(&self, fault: Option<&ScriptFailure>, answers: bool) -> Result<Option<u32>, String> {
        match (fault, self.times) {
            (None, Some(_)) => Err("times is only for a turn that fails; add fail or cut".to_owned()),
            (None, None) if !answers => {
                Err("it is empty; add text, envelope, calls, malformed or fail".to_owned())
            }
            (Some(_), Some(times)) if !answers => {
                Err(format!("it fails {times} times and then has no answer; add text, envelope or calls"))
            }
            (Some(_), Some(times)) => Ok(Some(times)),
            (Some(_), None) if answers => Ok(Some(1)),
            (_, None) => Ok(None),
        }
    }
}

fn text(
    text: Option<String>,
    envelope: Option<toml::Value>,
    malformed: Option<String>,
) -> Result<String, String> {
    match (text, envelope, malformed) {
        (None, Some(envelope), None) => json_text(envelope, "envelope"),
        (Some(text), None, None) | (None, None, Some(text)) => Ok(text),
        (None, None, None) => Ok(String::new()),
        _ => Err("it has more than one of text, envelope and malformed; keep one".to_owned()),
    }
}

impl ScriptCallEntry {
    fn call(self, position: NativeCallPosition) -> Result<NativeCall, String> {
        let arguments = match self.arguments {
            Some(arguments) => json_text(arguments, &format!("arguments of {}", self.name))?,
            None => "{}".to_owned(),
        };
        let provider_call_id =
            self.id.unwrap_or_else(|| format!("call_{}_{}", position.turn + 1, position.place + 1));
        Ok(NativeCall { provider_call_id, name: self.name, arguments })
    }
}

impl StringOrList {
    fn into_vec(self) -> Vec<String> {
        match self {
            StringOrList::One(one) => vec![one],
            StringOrList::Many(many) => many,
            StringOrList::Nothing => Vec::new(),
        }
    }
}

impl ScriptFailureEntry {
    fn class(self) -> FailureClass {
        match self {
            ScriptFailureEntry::Unreachable => FailureClass::Unreachable,
            ScriptFailureEntry::Lost => FailureClass::Lost,
            ScriptFailureEntry::Throttled => FailureClass::Throttled,
            ScriptFailureEntry::Overloaded => FailureClass::Overloaded,
            ScriptFailureEntry::Exhausted => FailureClass::Exhausted,
            ScriptFailureEntry::Refused => FailureClass::Refused,
            ScriptFailureEntry::ContextTooLong => FailureClass::ContextTooLong,
            ScriptFailureEntry::Repairable => FailureClass::Repairable,
            ScriptFailureEntry::Misconfigured => FailureClass::Misconfigured,
        }
    }
}

impl ScriptUsageEntry {
    fn usage(self) -> Usage {
        let Self { input, cache_read, cache_write, output } = self;
        Usage { input, cache_read, cache_write, output, ..Usage::default() }
    }
}

/// Converts a table to JSON text; a string is used as JSON text itself, byte for byte.
fn json_text(value: toml::Value, what: &str) -> Result<String, String> {
    match value {
        // Its numbers may be of any size, as those of a model.
        toml::Value::String(text) => match serde_json::from_str::<&RawValue>(&text) {
            Ok(_) => Ok(text.trim().to_owned()),
            Err(error) => {
                Err(format!("{what} is a string but not JSON ({error}); for broken text use malformed"))
            }
        },
        table @ toml::Value::Table(_) => Ok(json(table).to_string()),
        _ => Err(format!("{what} must be a table or a string of JSON")),
    }
}

fn json(value: toml::Value) -> Json {
    match value {
        toml::Value::String(text) => Json::String(text),
        toml::Value::Integer(number) => Json::from(number),
        toml::Value::Float(number) => Json::from(number),
        toml::Value::Boolean(truth) => Json::Bool(truth),
        toml::Value::Datetime(instant) => Json::String(instant.to_string()),
        toml::Value::Array(all) => all.into_iter().map(json).collect(),
        toml::Value::Table(fields) => fields.into_iter().map(|(name, value)| (name, json(value))).collect(),
    }
}
