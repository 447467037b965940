//! What a command of this executor is: a [`ResourceQuery`] answers, an [`ResourceAction`] decides. One file per command.

use async_trait::async_trait;
use entracte_application::command_naming::CommandNaming;
use entracte_application::ports::{
    ActionDescription, ActionPlanError, ActionTarget, CommandSpec, ResourceChange, SchemaRequirement,
    StoreError, builtin_command_doc,
};
use entracte_application::settings::Language;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use serde_json::Value as Json;

use super::call_context::ResourceCallContext;

/// A command that reads.
#[async_trait]
pub(crate) trait ResourceQuery: Send + Sync {
    /// Its declaration.
    fn spec(&self) -> CommandSpec;

    /// Its answer, for the model.
    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError>;

    /// The schema that its answer shows; most show none.
    async fn schema(&self, _ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        Ok(None)
    }
}

/// A command that changes the workspace's own data.
#[async_trait]
pub(crate) trait ResourceAction: Send + Sync {
    /// Its declaration.
    fn spec(&self) -> CommandSpec;

    /// What it would change now, and that in words: one reading of the rows for both, so the words are those
    /// of the very changes.
    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError>;

    /// The zones and tools it touches; also when `decide` would refuse, because the arguments may be edited.
    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError>;

    /// The values that it overwrites or deletes now, as they are stored; most overwrite nothing.
    async fn overwrites(
        &self,
        _ask: &ResourceCallContext<'_>,
    ) -> Result<Vec<(String, JsonValue)>, StoreError> {
        Ok(Vec::new())
    }

    /// The schema that it needs the session to have seen, or shows it; most do neither.
    async fn schema(&self, _ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        Ok(None)
    }
}

/// What an action comes to.
pub(crate) struct ResourceActionPlan {
    /// The changes, all or none.
    pub(crate) changes: Vec<ResourceChange>,
    /// What the model reads once they are committed.
    pub(crate) content: JsonValue,
    /// What a person reads before.
    pub(crate) description: ActionDescription,
}

/// The parts in which the declarations differ. What the model reads about a command is in the catalogue of
/// texts, as `doc-` and its word.
pub(crate) struct ResourceCommandDeclaration<'a> {
    /// What the model writes.
    pub(crate) word: &'a str,
    /// `resource.operation`.
    pub(crate) name: &'a str,
    /// The arguments: their schemas.
    pub(crate) properties: Json,
    /// Those that must be there.
    pub(crate) required: &'a [&'a str],
    /// An example of them.
    pub(crate) example: Json,
}

/// The declaration of a query.
pub(crate) fn query(declared: ResourceCommandDeclaration<'_>) -> CommandSpec {
    CommandSpec {
        word: declared.word.to_owned(),
        name: declared.name.to_owned(),
        kind: CommandKind::Query,
        effect: EffectClass::Read,
        schema: schema(declared.properties, declared.required),
        cacheable: true,
        independent: true,
        destructive: false,
        egress: false,
        asks: false,
        four_eyes: false,
        agent: None,
        target: serde_json::Value::Null,
        timeout: None,
        settle: Millis(0),
        key_lifetime: Millis(0),
        task: None,
        doc: builtin_command_doc(declared.word, CommandNaming::Types, Language::En),
        example: Some(declared.example),
    }
}

/// The declaration of an action on the workspace's own data.
pub(crate) fn action(declared: ResourceCommandDeclaration<'_>) -> CommandSpec {
    CommandSpec {
        kind: CommandKind::Action,
        effect: EffectClass::Local,
        cacheable: false,
        independent: false,
        ..query(declared)
    }
}

/// The declaration of an action that cannot be undone.
pub(crate) fn deletion(declared: ResourceCommandDeclaration<'_>) -> CommandSpec {
    CommandSpec { destructive: true, ..action(declared) }
}

/// Schema of an arguments object; nothing but `properties` may be in it.
pub(crate) fn schema(properties: Json, required: &[&str]) -> Json {
    serde_json::json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
