//! Searches the messages of the session itself: the log holds all of them, including those that left the prompt.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::message::{AiMessage, Author, CommandResult, Message, MessageBody, SystemKind};
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_outcomes::{LogReadError, doc, outcome, read_failure};
use crate::calendar::Calendar;
use crate::codec;
use crate::command_naming::CommandNaming;
use crate::journal::JournalEntry;
use crate::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, LogReader, ResourceReader, StoreError,
};
use crate::settings::WorkspaceLocale;
use crate::texts::{LocalizedTexts, say};

/// Maximum excerpts of one answer.
const EXCERPTS_MAX: usize = 10;
/// Maximum characters of the search text.
const TEXT_MAX: usize = 200;
/// Characters of a message shown before a match, and from it on.
const BEFORE: usize = 80;
const FROM_THERE: usize = 240;
/// Entries read per page.
const PAGE: u32 = 200;

/// `history.find`: searches the session's own log. A summary leaves most of a long conversation out; with this
/// command the model finds it again. It reads the log and not the prompt, so a message always reads the same.
pub struct HistoryExecutor {
    log: Arc<dyn LogReader>,
}

impl HistoryExecutor {
    /// Name of the command.
    pub const NAME: &'static str = "history.find";
    const WORD: &'static str = "FIND_HISTORY";

    /// Searches this log.
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        Self { log }
    }

    /// The model's name for this command, if it is among these commands.
    pub fn search_command_name(commands: &[CommandSpec], naming: CommandNaming) -> Option<String> {
        let spec = commands.iter().find(|spec| spec.name == Self::NAME)?;
        Some(naming.format_call(&spec.word, &spec.name))
    }

    /// The latest messages of this session that contain the text, and the total number of matches.
    async fn find(
        &self,
        request: &CallRequest,
        wanted: &str,
    ) -> Result<(VecDeque<String>, usize), LogReadError> {
        let wanted = wanted.to_lowercase();
        let (mut latest, mut count, mut after) = (VecDeque::new(), 0, 0);
        loop {
            let page = self.log.entries(&request.workspace, &request.session, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok((latest, count)) };
            after = last.seq;
            for row in &page {
                let entry = codec::decode_entry(row)?;
                for excerpt in excerpts(&entry, &wanted, &request.locale) {
                    count += 1;
                    latest.push_back(excerpt);
                    if latest.len() > EXCERPTS_MAX {
                        latest.pop_front();
                    }
                }
            }
        }
    }
}

/// The excerpts of an entry that contain the text, each below a line that names its message.
fn excerpts(entry: &JournalEntry, wanted: &str, locale: &WorkspaceLocale) -> Vec<String> {
    let texts = LocalizedTexts::for_language(locale.language);
    let at = Calendar::from_locale(locale).format_for_people(entry.at);
    let mut found = Vec::new();
    for message in entry.messages().iter().filter(|message| !message.exclude_from_prompt) {
        let who = match &message.author {
            Author::Person(name) => name.clone(),
            Author::Model => say!(texts, "history-model"),
            Author::System => say!(texts, "history-system"),
        };
        let (words, results) = message_text(message);
        if let Some(excerpt) = excerpt(&words, wanted) {
            found.push(say!(
                texts,
                "history-said",
                message = message.id.as_str(),
                at = &at,
                who = who,
                text = excerpt
            ));
        }
        for result in results.iter().filter(|result| result.command != HistoryExecutor::NAME) {
            if let Some(excerpt) = excerpt(&result.to_plain_text(), wanted) {
                let (message, call) = (message.id.as_str(), result.call.as_str());
                let command = &result.command;
                found.push(say!(
                    texts,
                    "history-result",
                    message = message,
                    at = &at,
                    command = command,
                    call = call,
                    text = excerpt
                ));
            }
        }
    }
    found
}

/// The text of a message, and its results. A summary is left out, because it repeats earlier messages.
fn message_text(message: &Message) -> (String, &[CommandResult]) {
    match &message.body {
        MessageBody::Rich(said) => (said.linear_text(), &[]),
        MessageBody::Text(text) => (text.to_plain_text().into_owned(), &[]),
        MessageBody::Ai(said) => (words_of(said), &[]),
        MessageBody::Execution(_) => (String::new(), &[]),
        MessageBody::System(system) => match system.kind {
            SystemKind::ContextSummary => (String::new(), &[]),
            // The added data is the content of the results.
            SystemKind::DataAdded => (String::new(), &system.results),
            _ => {
                let data = system.formatted_data.as_ref().map(|data| format!("\n{}", data.to_plain_text()));
                (format!("{}{}", system.summary.to_plain_text(), data.unwrap_or_default()), &system.results)
            }
        },
    }
}

fn words_of(said: &AiMessage) -> String {
    let question = said.question.as_ref().map(|question| question.text().to_owned());
    let texts = [Some(said.pre_text.clone()), said.post_text.clone(), question].into_iter().flatten();
    texts.chain(said.plan.iter().cloned()).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The text around its first match, ignoring letter case.
fn excerpt(text: &str, wanted: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    // Some letters become several in lower case; each of these has the position of the original letter.
    let lower: Vec<(usize, char)> = characters
        .iter()
        .enumerate()
        .flat_map(|(place, character)| character.to_lowercase().map(move |lower| (place, lower)))
        .collect();
    let lowered: String = lower.iter().map(|(_, character)| character).collect();
    let at = lowered.find(wanted)?;
    let found = lower.get(lowered.get(..at)?.chars().count()).map_or(0, |(place, _)| *place);
    let from = found.saturating_sub(BEFORE);
    let until = found.saturating_add(FROM_THERE).min(characters.len());
    let shown: String = characters.get(from..until)?.iter().collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if until < characters.len() { "…" } else { "" };
    Some(format!("{before}{}{after}", shown.split_whitespace().collect::<Vec<_>>().join(" ")))
}

fn nothing_asked(texts: &LocalizedTexts) -> CallFailure {
    let (code, path) = ("INVALID_ARGUMENTS".to_owned(), Some("/text".to_owned()));
    CallFailure { code, message: say!(texts, "history-nothing-asked"), path, retryable: false }
}

#[async_trait]
impl CommandExecutor for HistoryExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["text"],
            "properties": { "text": { "type": "string", "minLength": 1, "maxLength": TEXT_MAX } },
        });
        // The conversation continues, so a repeated search may find more.
        vec![CommandSpec::query(Self::WORD, Self::NAME, &doc(Self::WORD), schema)]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let texts = LocalizedTexts::for_language(request.locale.language);
        let text =
            request.command.arguments.get("text").and_then(JsonValue::as_text).unwrap_or_default().trim();
        if text.is_empty() {
            return outcome(Err(nothing_asked(texts)));
        }
        let found = self.find(&request, text).await.map_err(|fault| read_failure(&fault));
        outcome(found.map(|(found, count)| {
            if count == 0 {
                return say!(texts, "history-none", text = text);
            }
            let head = say!(texts, "history-found", shown = found.len(), count = count);
            std::iter::once(head).chain(found.into_iter().rev()).collect::<Vec<_>>().join("\n")
        }))
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_shows_text_around_match() {
        assert_eq!(excerpt("Pay INV-42,\nplease", "inv-42").as_deref(), Some("Pay INV-42, please"));
        assert_eq!(excerpt("Pay", "inv"), None);
        let long = format!("{} ÉTÉ {}", "a".repeat(300), "b".repeat(300));
        let expected = format!("…{} ÉTÉ {}…", "a".repeat(79), "b".repeat(236));
        assert_eq!(excerpt(&long, "été"), Some(expected));
        assert_eq!(excerpt("İİİ x", "x").as_deref(), Some("İİİ x"));
    }
}
