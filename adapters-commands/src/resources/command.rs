//! The commands of this executor: a [`ResourceQuery`] answers, a [`ResourceAction`] plans. One file per command.

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
    /// The declaration of the command.
    fn spec(&self) -> CommandSpec;

    /// The answer for the model.
    async fn answer(&self, ask: &ResourceCallContext<'_>) -> Result<JsonValue, ActionPlanError>;

    /// The schema that the answer shows to the session; by default none.
    async fn schema(&self, _ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        Ok(None)
    }
}

/// A command that changes the workspace's own data.
#[async_trait]
pub(crate) trait ResourceAction: Send + Sync {
    /// The declaration of the command.
    fn spec(&self) -> CommandSpec;

    /// The planned changes and their description, from one read of the rows, so that the description matches the
    /// changes.
    async fn decide(&self, ask: &ResourceCallContext<'_>) -> Result<ResourceActionPlan, ActionPlanError>;

    /// The zones and tools it affects. Works even if `decide` would refuse, because the arguments may be edited.
    async fn target(&self, ask: &ResourceCallContext<'_>) -> Result<ActionTarget, StoreError>;

    /// The stored values that it overwrites or deletes; by default none.
    async fn overwrites(
        &self,
        _ask: &ResourceCallContext<'_>,
    ) -> Result<Vec<(String, JsonValue)>, StoreError> {
        Ok(Vec::new())
    }

    /// The schema that the session must have seen before, or that the result shows; by default none.
    async fn schema(&self, _ask: &ResourceCallContext<'_>) -> Result<Option<SchemaRequirement>, StoreError> {
        Ok(None)
    }
}

/// The plan of an action.
pub(crate) struct ResourceActionPlan {
    /// The changes, written all or none.
    pub(crate) changes: Vec<ResourceChange>,
    /// The result for the model, once they are committed.
    pub(crate) content: JsonValue,
    /// The description for the approver.
    pub(crate) description: ActionDescription,
}

/// The variable parts of a declaration. The description for the model is in the catalogue of texts, as `doc-` and the
/// word.
pub(crate) struct ResourceCommandDeclaration<'a> {
    /// The word in the envelope dialect.
    pub(crate) word: &'a str,
    /// The catalog name, `resource.operation`.
    pub(crate) name: &'a str,
    /// The schemas of the arguments.
    pub(crate) properties: Json,
    /// The required arguments.
    pub(crate) required: &'a [&'a str],
    /// Example arguments.
    pub(crate) example: Json,
}

/// The declaration of a query.
pub(crate) fn query(declared: ResourceCommandDeclaration<'_>) -> CommandSpec {
    CommandSpec {
        word: declared.word.to_owned(),
        name: declared.name.to_owned(),
        kind: CommandKind::Query,
        effect: EffectClass::Read,
        schema: schema(declared.properties, declared.required).into(),
        cacheable: true,
        independent: true,
        state_scopes: state_scopes(declared.name),
        destructive: false,
        egress: false,
        asks: false,
        four_eyes: false,
        approvers: None,
        server: None,
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

/// The kinds of rows that a command reads or changes: those of its own resource, and those that it shows or deletes with
/// them.
fn state_scopes(name: &str) -> Vec<String> {
    let own = name.split('.').next().unwrap_or(name);
    let scopes: &[&str] = match name {
        "app.state" => &["zones", "tools"],
        // The schema of entries depends on the configuration of the tool.
        "schemas.get" => &["tools"],
        "zones.delete" => &["zones", "tools", "tool_data"],
        "tools.delete" => &["tools", "tool_data"],
        _ => &[own],
    };
    scopes.iter().map(|scope| (*scope).to_owned()).collect()
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

/// The schema of an arguments object without other members than `properties`.
pub(crate) fn schema(properties: Json, required: &[&str]) -> Json {
    serde_json::json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The schema of an id.
pub(crate) fn id_schema(doc: &str) -> Json {
    serde_json::json!({"type": "string", "minLength": 1, "maxLength": 200, "description": doc})
}
