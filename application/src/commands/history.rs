//! Searches what was said in the session itself: the log has all of it, also what left the prompt.

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

/// The most excerpts of one answer.
const EXCERPTS_MAX: usize = 10;
/// The most characters of what is searched for.
const TEXT_MAX: usize = 200;
/// The characters of a message that are shown before what was found, and from there on.
const BEFORE: usize = 80;
const FROM_THERE: usize = 240;
/// Entries that are read at a time.
const PAGE: u32 = 200;

/// `history.find`: where in the session's own log something was said. A summary leaves most of a long conversation out;
/// this is how the model finds it again. It reads the log and not the prompt, so a message reads the same for ever.
pub struct HistoryExecutor {
    log: Arc<dyn LogReader>,
}

impl HistoryExecutor {
    /// The name of its command.
    pub const NAME: &'static str = "history.find";
    const WORD: &'static str = "FIND_HISTORY";

    /// Over this log.
    pub fn new(log: Arc<dyn LogReader>) -> Self {
        Self { log }
    }

    /// What a model calls it, where it is among these commands.
    pub fn search_command_name(commands: &[CommandSpec], naming: CommandNaming) -> Option<String> {
        let spec = commands.iter().find(|spec| spec.name == Self::NAME)?;
        Some(naming.format_call(&spec.word, &spec.name))
    }

    /// The latest messages of this session that say it, and how many there are.
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

/// The places of an entry that say it, each under a line that names its message.
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
            if let Some(excerpt) = excerpt(&result.content.to_plain_text(), wanted) {
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

/// What a message says, and the results that it brings. A summary says nothing that was not said before.
fn message_text(message: &Message) -> (String, &[CommandResult]) {
    match &message.body {
        MessageBody::Rich(said) => (said.linear_text(), &[]),
        MessageBody::Text(text) => (text.to_plain_text().into_owned(), &[]),
        MessageBody::Ai(said) => (words_of(said), &[]),
        MessageBody::Execution(_) => (String::new(), &[]),
        MessageBody::System(system) => match system.kind {
            SystemKind::ContextSummary => (String::new(), &[]),
            // What was added is what the results say.
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

/// What stands around the first place where a text says it, letter case aside.
fn excerpt(text: &str, wanted: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    // Some letters are several in lower case: each one's place is that of the letter that it was.
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
        // The conversation goes on: what was not found a moment ago may be there now.
        vec![CommandSpec::query(Self::WORD, Self::NAME, &doc(Self::WORD), schema)]
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
    fn an_excerpt_is_what_stands_around_the_place() {
        assert_eq!(excerpt("Pay INV-42,\nplease", "inv-42").as_deref(), Some("Pay INV-42, please"));
        assert_eq!(excerpt("Pay", "inv"), None);
        let long = format!("{} ÉTÉ {}", "a".repeat(300), "b".repeat(300));
        let expected = format!("…{} ÉTÉ {}…", "a".repeat(79), "b".repeat(236));
        assert_eq!(excerpt(&long, "été"), Some(expected));
        assert_eq!(excerpt("İİİ x", "x").as_deref(), Some("İİİ x"));
    }
}
