//! The rehearsal: a provider without a network that plays a script, for demos, tests and dry runs.
//!
//! Its replay is deterministic. The turn is chosen by the number of assistant turns in the request, so a restarted
//! process gets the same answer again, and every session plays the script from its start. Only the failure count of a
//! failing turn (`times`) is held in memory, per session and turn; after a restart the turn fails that often again.
//!
//! ```toml
//! [[turn]]
//! expect = "weigh"                     # or a list: parts of the system prompt or of the last user turn
//! text = "I look it up."               # or envelope = { … }, or malformed = "broken text"
//! calls = [{ name = "tool_data_read", arguments = { tool = "weight" } }]
//! delay_ms = 400                       # before the first word; word_delay_ms between words
//! usage = { input = 900, output = 12 } # end = "cut" for an answer at the output limit
//!
//! [[turn]]
//! fail = "throttled"                   # the word of a failure class; retry_after_ms beside it
//! times = 2                            # then it answers; always fails when it has no answer
//! text = "You weigh 71 kg."
//!
//! [[turn]]
//! text = "Cut in the midst, whole the next time."
//! cut = 10                             # characters
//! ```
//!
//! In a session of the `envelope` dialect a plain `text` is sent as an envelope that contains only that text, so a
//! script does not depend on the dialect; a text that contains an object, and `malformed`, are sent unchanged. Native
//! `calls` belong to the `tools` dialect; in an envelope session they fail with an explanation.
//!
//! `{session}` in a text or in arguments stands for the part of the session's id after `ses_`, which the ids of things
//! that a session created contain. [`record_script`] writes the script of a past session; `docs/SCRIPTS.md` describes
//! every field.
//!
//! Delays use the clock port. The rehearsal never opens a connection and reads its file once.

mod body;
mod ngram_embeddings;
mod recorder;
mod script;
mod script_entry;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    CallCeiling, CallSize, Clock, DryRunScript, ModelReply, ModelRequest, OutputShape, PromptTurn, Provider,
    ProviderDescription, ProviderFailure, ReplySink, UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::id::SessionId;
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use crate::prices::{CallTokens, TokenPrices};

pub(crate) use ngram_embeddings::CharacterNgramEmbeddings;

pub use recorder::{RecordingOptions, SESSION, record_script};
pub use script::{RehearsalScript, ScriptError, ScriptFailure, ScriptTurn};

/// Provider that plays a script.
pub struct RehearsalProvider {
    name: String,
    model: String,
    context_tokens: Option<u64>,
    max_output_tokens: Option<u32>,
    prices: Option<TokenPrices>,
    script: RehearsalScript,
    clock: Arc<dyn Clock>,
    failed: Mutex<HashMap<(SessionId, usize), u32>>,
}

impl RehearsalProvider {
    /// A rehearsal of this script (TOML), named `rehearsal`.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the script does not parse; it names the line.
    pub fn from_script(script: &str, clock: Arc<dyn Clock>) -> Result<Self, ScriptError> {
        Ok(Self::of(RehearsalScript::parse(script)?, clock))
    }

    /// A rehearsal of the script in this file, named `rehearsal`.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the file cannot be read, or the script does not parse.
    pub fn from_file(path: impl AsRef<Path>, clock: Arc<dyn Clock>) -> Result<Self, ScriptError> {
        Ok(Self::of(RehearsalScript::read(path.as_ref())?, clock))
    }

    /// A rehearsal of an already parsed dry-run script, named `rehearsal`.
    ///
    /// # Errors
    ///
    /// [`ScriptError`] if the script does not parse.
    pub fn from_play(play: DryRunScript, clock: Arc<dyn Clock>) -> Result<Self, ScriptError> {
        Ok(match play {
            DryRunScript::Script(script) => Self::from_script(&script, clock)?,
            DryRunScript::Turns(turns) => {
                Self::of(RehearsalScript { turns: turns.into_iter().map(ScriptTurn::from).collect() }, clock)
            }
        })
    }

    /// The same rehearsal with this name and, if given, this model name.
    #[must_use]
    pub fn with_name(mut self, name: &str, model: Option<&str>) -> Self {
        name.clone_into(&mut self.name);
        if let Some(model) = model {
            model.clone_into(&mut self.model);
        }
        self
    }

    /// The same rehearsal that reports these limits of its model; it enforces none of them.
    #[must_use]
    pub fn with_limits(self, context_tokens: Option<u64>, max_output_tokens: Option<u32>) -> Self {
        Self { context_tokens, max_output_tokens, ..self }
    }

    /// The same rehearsal with these prices for the tokens in its script.
    #[must_use]
    pub fn with_prices(self, prices: Option<TokenPrices>) -> Self {
        Self { prices, ..self }
    }

    fn of(script: RehearsalScript, clock: Arc<dyn Clock>) -> Self {
        Self {
            name: "rehearsal".to_owned(),
            model: "rehearsal".to_owned(),
            context_tokens: None,
            max_output_tokens: None,
            prices: None,
            script,
            clock,
            failed: Mutex::default(),
        }
    }

    fn turn(&self, index: usize) -> Result<&ScriptTurn, ProviderFailure> {
        self.script.turns.get(index).ok_or_else(|| {
            let turns = self.script.turns.len();
            let fix = "Add a [[turn]] to the script.";
            self.misconfigured(format!("the script has run out after {turns} turns. {fix}"))
        })
    }

    fn expect(&self, index: usize, turn: &ScriptTurn, request: &ModelRequest) -> Result<(), ProviderFailure> {
        let heard = last_user_text(request);
        let system = request.system.join("\n");
        let missing = turn.expect.iter().find(|part| !heard.contains(*part) && !system.contains(*part));
        match missing {
            None => Ok(()),
            Some(part) => Err(self.misconfigured(format!(
                "turn {} of the script expects “{part}”, but neither the system prompt nor the last user turn \
                 contains it; the turn says: “{heard}”",
                index + 1
            ))),
        }
    }

    /// Whether this turn fails now; counts the failure.
    fn take_failure(&self, index: usize, turn: &ScriptTurn, session: &SessionId) -> bool {
        let Some(times) = turn.fault.as_ref().map(|_| turn.times) else { return false };
        let Some(times) = times else { return true };
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failed.entry((session.clone(), index)).or_default();
        let fails = *count < times;
        *count = count.saturating_add(1).min(times);
        fails
    }

    async fn stream_text(&self, text: &str, turn: &ScriptTurn, sink: &dyn ReplySink) {
        for (place, word) in words(text).enumerate() {
            if place > 0 && turn.word_delay.0 > 0 {
                self.clock.sleep(turn.word_delay).await;
            }
            sink.text(word);
        }
    }

    async fn fail(
        &self,
        fault: &ScriptFailure,
        turn: &ScriptTurn,
        text: &str,
        sink: &dyn ReplySink,
    ) -> ProviderFailure {
        match fault {
            ScriptFailure::CutAfter(characters) => {
                let end = text.char_indices().nth(*characters).map_or(text.len(), |(at, _)| at);
                self.stream_text(&text[..end], turn, sink).await;
                self.failure(FailureClass::Lost, "the stream ended before its closing event", None)
            }
            ScriptFailure::Class { class, retry_after } => {
                let words = format!("the script says that this call fails as “{}”", class.word());
                self.failure(*class, &words, *retry_after)
            }
        }
    }

    /// The text of a turn in this session: a plain text becomes an envelope if the session's dialect requires one.
    fn reply_text(
        &self,
        index: usize,
        turn: &ScriptTurn,
        output: &OutputShape,
    ) -> Result<String, ProviderFailure> {
        match output {
            OutputShape::Text => Ok(turn.text.clone()),
            OutputShape::Json { .. } if !turn.calls.is_empty() => Err(self.misconfigured(format!(
                "turn {} of the script has native calls, but this session uses the envelope; write \
                 envelope = {{ pre_text = …, queries = [{{ type = …, params = … }}] }}",
                index + 1
            ))),
            OutputShape::Json { .. } if turn.plain && !turn.text.contains('{') => {
                Ok(serde_json::json!({ "pre_text": turn.text }).to_string())
            }
            OutputShape::Json { .. } => Ok(turn.text.clone()),
        }
    }

    fn reply(&self, index: usize, turn: &ScriptTurn, text: String) -> ModelReply {
        ModelReply {
            text,
            calls: turn.calls.clone(),
            end: turn.end.clone(),
            usage: turn.usage.map(|usage| self.with_cost(usage)),
            model: Some(self.model.clone()),
            raw: Some(ProviderTurn {
                dialect: DIALECT.to_owned(),
                bytes: format!("{{\"turn\":{}}}", index + 1),
            }),
            request_id: Some(format!("rehearsal_{}", index + 1)),
            body_digest: None,
        }
    }

    fn with_cost(&self, usage: Usage) -> Usage {
        self.prices.map_or(usage, |prices| prices.price_tokens(&usage, 0))
    }

    fn misconfigured(&self, words: String) -> ProviderFailure {
        self.failure(FailureClass::Misconfigured, &words, None)
    }

    fn failure(&self, class: FailureClass, words: &str, retry_after: Option<Millis>) -> ProviderFailure {
        ProviderFailure {
            class,
            message: format!("{} (rehearsal): {words}", self.name),
            retry_after,
            usage: None,
        }
    }
}

#[async_trait]
impl Provider for RehearsalProvider {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: self.name.clone(),
            kind: "rehearsal".to_owned(),
            display_name: "Rehearsal".to_owned(),
            default_model: self.model.clone(),
            base_url: None,
            context_tokens: self.context_tokens,
            max_output_tokens: self.max_output_tokens,
        }
    }

    /// Empty: bodies contain nothing from the entry.
    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        let model = if request.model.is_empty() { &self.model } else { &request.model };
        body::body(request, model)
            .map_err(|error| self.misconfigured(format!("the request cannot be written: {error}")))
    }

    fn call_ceiling(&self, size: &CallSize) -> CallCeiling {
        let output = size.output_ceiling(self.window(&size.model));
        let tokens = CallTokens { input: size.input, output };
        let cost = self.prices.and_then(|prices| prices.ceiling(tokens, false));
        CallCeiling { tokens: size.input.saturating_add(output), cost }
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let index =
            request.turns.iter().filter(|turn| matches!(turn.as_ref(), PromptTurn::Assistant(_))).count();
        let turn = self.turn(index)?;
        self.expect(index, turn, &request)?;
        let digest = sha256(&self.body(&request)?);
        let fault = turn.fault.as_ref().filter(|_| self.take_failure(index, turn, &request.session));
        if turn.delay.0 > 0 {
            self.clock.sleep(turn.delay).await;
        }
        let text = in_session(&self.reply_text(index, turn, &request.output)?, &request.session);
        if let Some(fault) = fault {
            return Err(self.fail(fault, turn, &text, sink.as_ref()).await);
        }
        self.stream_text(&text, turn, sink.as_ref()).await;
        let mut reply = self.reply(index, turn, text);
        for call in &mut reply.calls {
            call.arguments = in_session(&call.arguments, &request.session);
        }
        Ok(ModelReply { body_digest: Some(digest.to_string()), ..reply })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        let turns = self.script.turns.len();
        Ok(format!("{}: a rehearsal of {turns} turns, without a network", self.name))
    }
}

impl std::fmt::Debug for RehearsalProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RehearsalProvider").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Replaces [`SESSION`] in a script's text by the session's name inside the ids of things it created.
fn in_session(text: &str, session: &SessionId) -> String {
    text.replace(SESSION, session.stem())
}

/// The complete text of the last user turn.
fn last_user_text(request: &ModelRequest) -> String {
    let last = request.turns.iter().rev().find_map(|turn| match turn.as_ref() {
        PromptTurn::User(parts) => Some(parts),
        PromptTurn::Assistant(_) => None,
    });
    let parts = last.into_iter().flatten().map(UserTurnPart::text);
    parts.collect::<Vec<_>>().join("\n")
}

/// Splits a text into words, each with the whitespace after it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

const DIALECT: &str = "rehearsal/1";
