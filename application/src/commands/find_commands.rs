//! Describes commands that a prompt only lists: what they do and which arguments they take.

use std::cmp::Reverse;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::FIND_COMMANDS;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_outcomes::{doc, object, outcome};
use crate::command_naming::tool_name;
use crate::json_value::to_text;
use crate::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError, command_doc,
    schema_for_model,
};
use crate::texts::{LocalizedTexts, say};

/// `commands.find`: declarations of commands, by name or by words. It exists if a server declares commands, or if so many
/// are configured that a model's server may not accept all of them as tools.
pub struct FindCommandsExecutor {
    /// The commands that may be found, by name.
    commands: Vec<CommandSpec>,
}

/// The word of `commands.find`.
pub const FIND_WORD: &str = "FIND_COMMANDS";

/// Number of configured commands of no server from which on they are found too. No model's server accepts fewer tools.
const CONFIGURED_MIN: usize = 40;
/// Maximum commands that one answer describes.
const FOUND_MAX: usize = 20;
/// The bytes of descriptions beyond which an answer only names the other commands.
const DESCRIBED_BYTES_MAX: usize = 15_000;
/// Maximum names of further commands in an answer.
const NAMED_MAX: usize = 200;

/// What a call looks for.
struct CommandQuery<'a> {
    names: Vec<&'a str>,
    words: Vec<String>,
    server: Option<&'a str>,
}

impl FindCommandsExecutor {
    /// Finds the commands of servers among those of these executors, and the other configured ones if they are many;
    /// `None` if there are none.
    pub fn for_executors(executors: &[Arc<dyn CommandExecutor>]) -> Option<Self> {
        let all = executors.iter().flat_map(|executor| executor.commands());
        let mut commands: Vec<CommandSpec> = all.filter(CommandSpec::is_configured).collect();
        let others = commands.iter().filter(|spec| spec.server.is_none()).count();
        if others < CONFIGURED_MIN {
            commands.retain(|spec| spec.server.is_some());
        }
        commands.sort_by(|one, other| one.name.cmp(&other.name));
        (!commands.is_empty()).then_some(Self { commands })
    }

    fn find(&self, request: &CallRequest) -> Result<String, CallFailure> {
        let query = CommandQuery::from_arguments(&request.command.arguments);
        if query.names.is_empty() && query.words.is_empty() && query.server.is_none() {
            let texts = LocalizedTexts::for_language(request.locale.language);
            let message = say!(texts, "find-commands-nothing-asked");
            return Err(CallFailure {
                code: "INVALID_ARGUMENTS".into(),
                message,
                path: None,
                retryable: false,
            });
        }
        let describe = |spec: &CommandSpec| {
            // Of members in the order of their names, as every answer.
            JsonValue::from([
                ("arguments", schema_for_model(spec).into_owned().into_value()),
                ("command", request.naming.format_call(&spec.word, &spec.name).into()),
                ("description", command_doc(spec, request.naming, request.locale.language).into()),
                ("kind", spec.kind.word().into()),
            ])
        };
        let allowed: Vec<&CommandSpec> =
            self.commands.iter().filter(|spec| request.restriction.allows_command(&spec.name)).collect();
        let (found, unknown) = if query.names.is_empty() {
            (query.rank(&allowed), Vec::new())
        } else {
            query.resolve_names(&allowed)
        };
        let (mut described, mut bytes): (Vec<JsonValue>, usize) = (Vec::new(), 0);
        for spec in found.iter().take(FOUND_MAX) {
            let description = describe(spec);
            bytes += to_text(&description).len();
            if bytes > DESCRIBED_BYTES_MAX && !described.is_empty() {
                break;
            }
            described.push(description);
        }
        let others = &found[described.len()..];
        let mut answer = JsonValue::from([("commands", JsonValue::List(described))]);
        if !others.is_empty() {
            let name =
                |spec: &&CommandSpec| JsonValue::from(request.naming.format_call(&spec.word, &spec.name));
            answer.set("more", JsonValue::Number(others.len().saturating_sub(NAMED_MAX).to_string()));
            answer.set("others", JsonValue::List(others.iter().take(NAMED_MAX).map(name).collect()));
        }
        if !unknown.is_empty() {
            answer.set("unknown", JsonValue::List(unknown.into_iter().map(JsonValue::from).collect()));
        }
        Ok(to_text(&answer))
    }
}

impl<'a> CommandQuery<'a> {
    fn from_arguments(arguments: &'a JsonValue) -> Self {
        let text = |name: &str| arguments.get(name).and_then(JsonValue::as_text).map(str::trim);
        let names = arguments.get("names").and_then(JsonValue::as_list).unwrap_or_default();
        let words = text("query").unwrap_or_default().to_lowercase();
        Self {
            names: names.iter().filter_map(JsonValue::as_text).collect(),
            words: words
                .split(|letter: char| !letter.is_alphanumeric())
                .map(str::to_owned)
                .filter(|word| !word.is_empty())
                .collect(),
            server: text("server").filter(|server| !server.is_empty()),
        }
    }

    /// The named commands, and the names that no command has.
    fn resolve_names<'c>(&self, commands: &[&'c CommandSpec]) -> (Vec<&'c CommandSpec>, Vec<&'a str>) {
        let has_name = |spec: &CommandSpec, name: &str| {
            spec.name == name || spec.word == name || tool_name(&spec.name) == name
        };
        let (mut found, mut unknown) = (Vec::new(), Vec::new());
        for name in &self.names {
            match commands.iter().find(|spec| has_name(spec, name)) {
                Some(spec) => found.push(*spec),
                None => unknown.push(*name),
            }
        }
        (found, unknown)
    }

    /// The commands that match, the best first: a word in the name counts more than one in the description.
    fn rank<'c>(&self, commands: &[&'c CommandSpec]) -> Vec<&'c CommandSpec> {
        let of_server = |spec: &&CommandSpec| self.server.is_none() || spec.server.as_deref() == self.server;
        let mut ranked: Vec<(usize, &CommandSpec)> =
            commands.iter().copied().filter(of_server).map(|spec| (self.score(spec), spec)).collect();
        if !self.words.is_empty() {
            ranked.retain(|(score, _)| *score > 0);
        }
        ranked.sort_by_key(|(score, _)| Reverse(*score));
        ranked.into_iter().map(|(_, spec)| spec).collect()
    }

    fn score(&self, spec: &CommandSpec) -> usize {
        let (name, doc) = (spec.name.to_lowercase(), spec.doc.to_lowercase());
        let points =
            |word: &String| NAME_POINTS * usize::from(name.contains(word)) + usize::from(doc.contains(word));
        self.words.iter().map(points).sum()
    }
}

/// How much more a word in the name of a command counts than one in its description.
const NAME_POINTS: usize = 3;

#[async_trait]
impl CommandExecutor for FindCommandsExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let text = json!({ "type": "string", "minLength": 1, "maxLength": 200 });
        let names = json!({ "type": "array", "items": text, "minItems": 1, "maxItems": FOUND_MAX });
        let properties = json!({ "names": names, "query": text, "server": text });
        vec![CommandSpec::query(FIND_WORD, FIND_COMMANDS, &doc(FIND_WORD), object(&properties, &[]))]
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        outcome(self.find(&request))
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}
