//! Records a past session as a script: the model's output, turn by turn.
//!
//! Only the model's output is taken: its text, its native calls, the end of each answer and the reported tokens.
//! Messages of people, results and data are left out; playing the script produces them anew. Ids of things that the
//! session created contain the session's name, so the script has [`SESSION`] in its place.

use entracte_application::command_naming::tool_name;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Scrubber;
use entracte_domain::command::Command;
use entracte_domain::id::SessionId;
use entracte_domain::session::{AiResponse, Dialect, Input, JournalNote, LogAppend, ReplyEnd};
use entracte_domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

/// Placeholder in a script for the part of a session's id after `ses_`.
pub const SESSION: &str = "{session}";

/// Longest recorded delay before a turn's first word, in milliseconds.
const DELAY_MAX_MS: i64 = 600_000;

/// Options of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingOptions {
    /// Whether turns are delayed by the model's recorded response time.
    pub with_delays: bool,
}

/// The script of a session with these journal entries, in TOML; `None` if no model answered in it. Secrets known to the
/// scrubber are removed.
pub fn record_script(
    session: &SessionId,
    entries: &[JournalEntry],
    recording: RecordingOptions,
    scrubber: &dyn Scrubber,
) -> Option<String> {
    let mut recorder =
        RehearsalRecorder { session, recording, scrubber, dialect: Dialect::Envelope, began: None };
    let turns: Vec<RecordedTurn> = entries.iter().filter_map(|entry| recorder.entry(entry)).collect();
    if turns.is_empty() {
        return None;
    }
    let written = toml::to_string_pretty(&RecordedScript { turn: turns }).ok()?;
    Some(format!(
        "# Recorded from the session {session}. docs/SCRIPTS.md says what each field means.\n\n{written}"
    ))
}

struct RehearsalRecorder<'a> {
    session: &'a SessionId,
    recording: RecordingOptions,
    scrubber: &'a dyn Scrubber,
    /// The session's current dialect.
    dialect: Dialect,
    /// Start of the current attempt, if any.
    began: Option<Timestamp>,
}

#[derive(Serialize)]
struct RecordedScript {
    turn: Vec<RecordedTurn>,
}

#[derive(Default, Serialize)]
struct RecordedTurn {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    envelope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    malformed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<RecordedTokens>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<RecordedCall>,
}

#[derive(Serialize)]
struct RecordedTokens {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
}

#[derive(Serialize)]
struct RecordedCall {
    id: String,
    name: String,
    arguments: String,
}

impl RehearsalRecorder<'_> {
    /// The script turn that a journal entry produces, if any.
    fn entry(&mut self, entry: &JournalEntry) -> Option<RecordedTurn> {
        match &entry.input {
            Input::SessionCreated(creation) => self.dialect = creation.dialect,
            Input::RulesChanged(change) => {
                if let Some(voice) = &change.voice {
                    self.dialect = voice.dialect;
                }
            }
            _ => {}
        }
        let turn = match &entry.input {
            Input::AiResponseReceived(response) => Some(self.turn(response, entry.at)),
            _ => None,
        };
        // A fallback has its own dialect; the attempt that an entry begins comes after its answer.
        if let Input::ProviderErrorOccurred { failure, .. } | Input::NetworkErrorOccurred { failure, .. } =
            &entry.input
            && let Some(instead) = &failure.instead
        {
            self.dialect = instead.voice.dialect;
        }
        let begins =
            |appended: &LogAppend| matches!(appended, LogAppend::Note(JournalNote::AttemptStarted { .. }));
        if entry.appended.iter().any(begins) {
            self.began = Some(entry.at);
        }
        turn
    }

    fn turn(&self, response: &AiResponse, at: Timestamp) -> RecordedTurn {
        let said = self.scrub_text(&response.message.original);
        // Journals of earlier versions have a fault for a cut reply.
        let was_cut = response.faults.iter().any(|fault| fault.code == "cut");
        let end = match response.end {
            ReplyEnd::Done => was_cut.then_some("cut"),
            ReplyEnd::OutputLimit { .. } | ReplyEnd::Unknown(_) => Some("cut"),
            ReplyEnd::Paused => Some("paused"),
        };
        let delay = self.began.filter(|_| self.recording.with_delays).map(|began| at.since(began).0);
        let turn = RecordedTurn {
            end,
            delay_ms: delay.map(|delay| delay.clamp(0, DELAY_MAX_MS)),
            usage: response.usage.map(|usage| RecordedTokens {
                input: usage.input,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                output: usage.output,
            }),
            ..RecordedTurn::default()
        };
        match self.dialect {
            Dialect::Envelope => {
                // Only a complete object is an envelope; any other text is replayed unchanged.
                let is_whole = said.trim().starts_with('{')
                    && serde_json::from_str::<&RawValue>(&said).is_ok()
                    && said.trim() == said;
                match is_whole {
                    true => RecordedTurn { envelope: Some(said), ..turn },
                    false => RecordedTurn { malformed: Some(said), ..turn },
                }
            }
            Dialect::Tools => RecordedTurn { text: Some(said), calls: self.calls(response), ..turn },
        }
    }

    /// The native calls of an answer: those of commands, then those of control tools.
    fn calls(&self, response: &AiResponse) -> Vec<RecordedCall> {
        let call = |id: Option<&str>, place: usize, command: &str, arguments: &str| RecordedCall {
            id: id.map_or_else(|| format!("call_{}_{}", response.round, place + 1), |id| self.scrub_text(id)),
            name: tool_name(command),
            arguments: self.scrub_text(arguments),
        };
        let asked = response.calls.iter().enumerate().map(|(place, asked)| {
            let Command { name, arguments } = &asked.command;
            call(asked.provider_call_id.as_deref(), place, name, &arguments.to_json())
        });
        let own = response.message.own_calls.iter().enumerate().map(|(place, own)| {
            let place = response.calls.len() + place;
            call(Some(&own.provider_call_id), place, &own.name, &own.arguments.to_json())
        });
        asked.chain(own).collect()
    }

    /// A text as it appears in the script: without secrets, and with the session's name replaced.
    fn scrub_text(&self, text: &str) -> String {
        let text = self.scrubber.scrub_text(text);
        text.replace(&format!("_{}_", self.session.stem()), &format!("_{SESSION}_"))
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::NoopScrubber;
    use entracte_domain::message::AiMessage;
    use entracte_domain::usage::Usage;

    use super::*;
    use crate::rehearsal::RehearsalScript;

    struct FixedSecretScrubber;

    impl Scrubber for FixedSecretScrubber {
        fn scrub_text(&self, text: &str) -> String {
            text.replace("sk-12345", "[secret]")
        }

        fn partial_secret_len(&self, _: &str) -> usize {
            0
        }
    }

    fn answers(texts: &[&str]) -> Vec<JournalEntry> {
        let entry = |(index, text): (usize, &&str)| {
            let number = u64::try_from(index).unwrap_or_default() + 1;
            let message = AiMessage { original: (*text).to_owned(), ..AiMessage::default() };
            let response = AiResponse {
                round: 1,
                attempt: 1,
                message,
                end: ReplyEnd::Done,
                asks_at_limit: true,
                faults: Vec::new(),
                calls: Vec::new(),
                usage: Some(Usage { input: 900, output: 12, ..Usage::default() }),
                request: None,
                handle: None,
            };
            JournalEntry {
                seq: number,
                session: SessionId::new("ses_k1"),
                sequence: number,
                at: Timestamp(0),
                rules: entracte_domain::id::Digest::new("r"),
                input: Input::AiResponseReceived(Box::new(response)),
                appended: Vec::new(),
            }
        };
        texts.iter().enumerate().map(entry).collect()
    }

    /// Input: answers in an envelope, in broken text, with a secret and with an id of the session; expected: a script
    /// that parses into the same answers, without the secret and without the session's name.
    #[test]
    fn script_contains_answers_without_secrets() {
        let said = [
            r#"{"pre_text": "It's '''quoted''' \"so\".", "n": 1.50}"#,
            "no JSON\nsk-12345 {",
            r#"{"actions": [{"params": {"zone_id": "zon_k1_3_0"}}]}"#,
        ];
        let script = record_script(
            &SessionId::new("ses_k1"),
            &answers(&said),
            RecordingOptions::default(),
            &FixedSecretScrubber,
        )
        .unwrap();
        assert!(!script.contains("sk-12345"), "{script}");
        let turns = RehearsalScript::parse(&script).unwrap().turns;
        let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        let id = r#"{"actions": [{"params": {"zone_id": "zon_{session}_3_0"}}]}"#;
        assert_eq!(texts, [said[0], "no JSON\n[secret] {", id]);
        assert_eq!(turns[0].usage.unwrap().input, 900);
    }

    #[test]
    fn session_without_answers_has_no_script() {
        let nothing =
            record_script(&SessionId::new("ses_k1"), &[], RecordingOptions::default(), &NoopScrubber);
        assert_eq!(nothing, None);
    }
}
