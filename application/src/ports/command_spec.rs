use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use entracte_domain::validation::Approver;
use entracte_domain::value::JsonValue;

use super::TaskSpec;
use crate::agents::AgentDeclaration;
use crate::command_naming::{CommandNaming, CommandPointer};
use crate::schema::SchemaDocument;
use crate::texts::{Language, LocalizedTexts, TextValue};

/// One command, declared once. The parser, checks, prompt documentation, verbalisation and native tools derive from
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    /// The word the model writes in the envelope: `CREATE_DATA`.
    pub word: String,
    /// `resource.operation`: `tool_data.batch_create`.
    pub name: String,
    /// Whether it is a query or an action.
    pub kind: CommandKind,
    /// The effect class: how the command is handled when its outcome is unknown.
    pub effect: EffectClass,
    /// JSON Schema of its arguments: an object with `additionalProperties: false`.
    pub schema: SchemaDocument,
    /// Whether an identical query within the window may be answered from the ledger.
    pub cacheable: bool,
    /// Whether it may run concurrently with its siblings.
    pub independent: bool,
    /// The servers and resources whose state it reads or changes, such as `mcp:files` or `zones`. A query waits for the
    /// earlier actions of a reply that share one with it; empty if it waits for none.
    pub state_scopes: Vec<String>,
    /// Whether it cannot be undone; it then always needs approval.
    pub destructive: bool,
    /// Whether it sends data out of the workspace; it then always needs approval.
    pub egress: bool,
    /// Whether each call needs its own approval, which no rule gives in advance.
    pub asks: bool,
    /// Whether it always needs approval by a person whose words are not in the exchange.
    pub four_eyes: bool,
    /// The people of whom it always needs approval, beside those of the workspace; `None` if it names none.
    pub approvers: Option<Box<CommandApprovers>>,
    /// What it contacts and sends besides its arguments, as declared by its executor: method, address, header names,
    /// the program and its arguments. An approval is bound to it. It names secrets only by where they are stored. Null
    /// for commands that change the workspace's own data.
    pub target: serde_json::Value,
    /// The MCP server that declares it; `None` for other commands. Where the commands of a session do not fit in its
    /// prompt, those of servers are found on demand.
    pub server: Option<String>,
    /// The agent it calls, if any.
    pub agent: Option<Arc<AgentDeclaration>>,
    /// Its own time-out, overriding the general one.
    pub timeout: Option<Millis>,
    /// For class `probe`: how long after a lost outcome a negative probe becomes conclusive. The catalog refuses 0.
    pub settle: Millis,
    /// For class `idempotent`: how long its key is valid.
    pub key_lifetime: Millis,
    /// The task the command becomes; `None` if it ends with its answer.
    pub task: Option<TaskSpec>,
    /// The documentation the model reads.
    pub doc: String,
    /// Example arguments as JSON; must be executable unchanged if the rows it names exist.
    pub example: Option<serde_json::Value>,
}

/// The people who must approve every call of a command. Their roles, absences and stand-ins are those of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandApprovers {
    /// Who may approve; empty if everybody may.
    pub named: Vec<Approver>,
    /// How many different people must approve, from 1.
    pub quorum: u32,
    /// How long after the request those to whom the workspace escalates may approve, too, 0 = never; `None` if the workspace
    /// says it.
    pub escalate_after: Option<Millis>,
}

impl CommandApprovers {
    /// The most different people that these can be; `None` if a role is named, or everybody may approve.
    pub fn most_people(&self) -> Option<u32> {
        let is_person = |approver: &Approver| matches!(approver, Approver::Person(_));
        let people: BTreeSet<&Approver> = self.named.iter().collect();
        let all_named = !people.is_empty() && self.named.iter().all(is_person);
        all_named.then(|| u32::try_from(people.len()).unwrap_or(u32::MAX))
    }

    /// The demand as text, for the version of a command.
    pub(crate) fn canonical(&self) -> String {
        let named = self.named.iter().map(Approver::text).collect::<Vec<_>>().join(",");
        let after = self.escalate_after.map_or_else(String::new, |after| after.0.to_string());
        format!("{} of {named} after {after}", self.quorum)
    }
}

impl CommandSpec {
    /// Declares a query that may run concurrently with its siblings; `schema` is an object schema that names every
    /// property.
    ///
    /// ```
    /// use entracte_application::ports::CommandSpec;
    /// use serde_json::json;
    ///
    /// let schema = json!({ "type": "object", "additionalProperties": false });
    /// let ping = CommandSpec::query("PING", "ping.send", "Answers pong.", schema);
    /// assert!(ping.independent && !ping.destructive);
    /// ```
    pub fn query(word: &str, name: &str, doc: &str, schema: impl Into<SchemaDocument>) -> Self {
        Self {
            independent: true,
            ..Self::of(CommandKind::Query, EffectClass::Read, [word, name, doc], schema.into())
        }
    }

    /// Whether the command comes from a configuration: of a server, a tool with a target, or an agent. All others are
    /// Entracte's own.
    pub fn is_configured(&self) -> bool {
        self.server.is_some() || self.agent.is_some() || !self.target.is_null()
    }

    /// Whether a person may have to approve a call of the command: an action, or a query that sends data out, asks for
    /// each call, needs a second person or names approvers. Levels, rules and four eyes count for these; other queries never ask.
    pub fn may_need_approval(&self) -> bool {
        match self.kind {
            CommandKind::Action => true,
            CommandKind::Query => self.egress || self.asks || self.four_eyes || self.approvers.is_some(),
        }
    }

    /// Declares an action of class `effect`, which waits for its siblings. Set the fields `destructive` and `egress`
    /// where they apply; a `probe` gets a settle time, an `idempotent` action a key lifetime.
    pub fn action(
        word: &str,
        name: &str,
        doc: &str,
        effect: EffectClass,
        schema: impl Into<SchemaDocument>,
    ) -> Self {
        Self::of(CommandKind::Action, effect, [word, name, doc], schema.into())
    }

    fn of(
        kind: CommandKind,
        effect: EffectClass,
        [word, name, doc]: [&str; 3],
        schema: SchemaDocument,
    ) -> Self {
        Self {
            word: word.to_owned(),
            name: name.to_owned(),
            kind,
            effect,
            schema,
            cacheable: false,
            independent: false,
            state_scopes: Vec::new(),
            destructive: false,
            egress: false,
            asks: false,
            four_eyes: false,
            approvers: None,
            target: serde_json::Value::Null,
            server: None,
            agent: None,
            timeout: None,
            settle: Millis(0),
            key_lifetime: Millis(0),
            task: None,
            doc: doc.to_owned(),
            example: None,
        }
    }
}

/// The documentation of a command, with the commands it mentions named as its reader knows them. Executors declare it
/// in English; the text catalogue translates it for the commands of Entracte.
pub fn command_doc(spec: &CommandSpec, naming: CommandNaming, language: Language) -> String {
    if is_ours(spec) { builtin_command_doc(&spec.word, naming, language) } else { spec.doc.clone() }
}

/// Whether the text catalogue documents a command. A foreign command may have the same word as a built-in one, and
/// then keeps its own documentation.
fn is_ours(spec: &CommandSpec) -> bool {
    let key = format!("doc-{}", spec.word);
    LocalizedTexts::for_language(Language::En).has(&key)
        && builtin_command_doc(&spec.word, CommandNaming::Types, Language::En) == spec.doc
}

/// Whether [`command_doc`] explains every argument of a command: it is a command of Entracte, and the text names them
/// all.
pub fn documents_arguments(spec: &CommandSpec) -> bool {
    let properties = spec.schema.get("properties").and_then(JsonValue::as_object).unwrap_or_default();
    is_ours(spec) && properties.iter().all(|(name, _)| spec.doc.contains(name.as_str()))
}

/// The argument schema as a model reads it beside [`command_doc`]: descriptions already in the documentation are not
/// repeated. Arguments are validated against the full schema.
pub fn schema_for_model(spec: &CommandSpec) -> Cow<'_, SchemaDocument> {
    if documents_arguments(spec) {
        Cow::Owned(without_descriptions(&spec.schema).into())
    } else {
        Cow::Borrowed(&spec.schema)
    }
}

/// Removes the descriptions from a schema. A property named `description` is not a description and stays.
fn without_descriptions(schema: &JsonValue) -> JsonValue {
    match schema {
        JsonValue::Object(keywords) => {
            let is_kept =
                |(name, value): &&(String, JsonValue)| name != "description" || value.as_text().is_none();
            let kept = keywords.iter().filter(is_kept);
            JsonValue::Object(kept.map(|(name, value)| (name.clone(), without_descriptions(value))).collect())
        }
        JsonValue::List(items) => JsonValue::List(items.iter().map(without_descriptions).collect()),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => schema.clone(),
    }
}

/// The catalogue text about a command of Entracte.
pub fn builtin_command_doc(word: &str, naming: CommandNaming, language: Language) -> String {
    let places =
        CommandPointer::ALL.map(|pointer| (pointer.word, TextValue::from(naming.format_pointer(pointer))));
    LocalizedTexts::for_language(language).render(&format!("doc-{word}"), &places)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_for_model_omits_documented_descriptions() {
        let schema = json!({"type": "object", "description": "All.", "properties": {
            "description": {"type": "string", "description": "What it is.", "maxLength": 9},
            "of": {"type": "array", "items": {"anyOf": [{"description": "One."}, {"type": "null"}]}},
        }});
        let expected = json!({"type": "object", "properties": {
            "description": {"type": "string", "maxLength": 9},
            "of": {"type": "array", "items": {"anyOf": [{}, {"type": "null"}]}},
        }});
        let kept = without_descriptions(&SchemaDocument::from(schema));
        assert_eq!(SchemaDocument::from(kept), expected);
    }
}
