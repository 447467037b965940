//! Converts a tool's declaration and its configuration into a command of the catalog.

use entracte_application::json_value::to_text;
use entracte_application::ports::{CommandSpec, TaskSpec};
use entracte_application::schema::{Schema, SchemaDocument, SchemaRefusal};
use entracte_application::settings::SchemaBounds;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::task::TaskProtocol;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use serde_json::{Value, json};

use super::config::{McpServerConfig, McpToolConfig, McpToolEffect, McpToolKind};
use super::declaration::{McpToolAnnotations, McpToolDeclaration};
use super::text::visible;
use super::tool_names::McpToolNames;
use super::tool_offer::ToolSizeExcess;
use crate::secret::meanings;

/// The traits of a tool that the catalog needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct McpToolTraits {
    pub(super) kind: CommandKind,
    pub(super) effect: EffectClass,
    pub(super) destructive: bool,
    pub(super) egress: bool,
}

impl McpToolTraits {
    /// Whether the catalog requires approval for these traits.
    pub(super) fn requires_approval(self) -> bool {
        self.destructive || self.egress
    }
}

/// Why a tool cannot be a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum McpToolSpecError {
    /// Its declaration is too large for a prompt.
    TooLarge(ToolSizeExcess),
    /// Its schema is not a JSON object.
    NoObject,
    /// Its schema describes a type other than an object.
    Type(String),
    /// Its schema is invalid, or exceeds the bounds.
    Schema {
        /// The path of the argument whose schema is the reason; `None` if it is no single argument.
        argument: Option<String>,
        /// The reason.
        why: SchemaRefusal,
    },
}

/// The command for a tool with these settings.
///
/// # Errors
/// When the tool cannot be a command.
pub(super) fn spec(
    server: &str,
    config: &McpServerConfig,
    bounds: &SchemaBounds,
    declaration: &McpToolDeclaration,
    names: &McpToolNames,
    known: &McpToolConfig,
) -> Result<CommandSpec, McpToolSpecError> {
    let McpToolTraits { kind, effect, destructive, egress } = rule(&declaration.annotations, known);
    let seconds = known.timeout_seconds.or(config.call_timeout_seconds);
    Ok(CommandSpec {
        word: names.word.clone(),
        name: names.name.clone(),
        kind,
        effect,
        schema: schema(declaration, config.declaration_max_bytes(), bounds)?,
        // A server's data changes without Entracte noticing.
        cacheable: false,
        independent: kind == CommandKind::Query,
        state_scopes: vec![format!("mcp:{server}")],
        destructive,
        egress,
        asks: false,
        four_eyes: known.four_eyes == Some(true),
        approvers: known.tool_approvers().required().map(Box::new),
        server: Some(server.to_owned()),
        agent: None,
        target: target(server, config, declaration),
        timeout: seconds.map(|seconds| Millis::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 1000))),
        settle: Millis(0),
        key_lifetime: if effect == EffectClass::Idempotent { REPEATABLE_FOR } else { Millis(0) },
        doc: doc(server, declaration),
        example: None,
        // Only the server's answer tells whether the call becomes a task.
        task: Some(TaskSpec {
            gateway: TaskProtocol::Mcp,
            is_registered: false,
            deadline: config.task_deadline(),
        }),
    })
}

/// The program or address that a call reaches, with its environment or headers: an approval is bound to it.
pub(super) fn target(server: &str, config: &McpServerConfig, declaration: &McpToolDeclaration) -> Value {
    json!({
        "server": server,
        "tool": declaration.name,
        "declaration": declaration.hash().as_str(),
        "program": config.command,
        "arguments": config.args,
        "environment": meanings(&config.env),
        "inherited": config.inherited(),
        // A relative name is resolved in this folder, so another folder means another program.
        "folder": config.command.as_ref().map(|_| config.folder()),
        "url": config.url,
        "headers": meanings(&config.headers),
    })
}

/// The traits of a tool: the configuration's, else the server's, else the most cautious reading.
pub(super) fn rule(hints: &McpToolAnnotations, known: &McpToolConfig) -> McpToolTraits {
    let reads = hints.read_only == Some(true);
    if is_query(reads, known) {
        return McpToolTraits {
            kind: CommandKind::Query,
            effect: EffectClass::Read,
            destructive: false,
            egress: query_needs_approval(hints, known),
        };
    }
    // A read-only tool that the configuration made an action does no harm by itself.
    let quiet = reads || known.validation == Some(false);
    let destructive = known.destructive.unwrap_or(!quiet && hints.destructive != Some(false));
    let egress = known.egress.unwrap_or(!quiet && hints.open_world != Some(false));
    McpToolTraits {
        kind: CommandKind::Action,
        effect: effect(hints, known, reads),
        destructive,
        // The catalog requires approval only for these two flags, so a tool that needs approval has at least one of
        // them.
        egress: egress || (known.validation == Some(true) && !destructive),
    }
}

fn is_query(reads: bool, known: &McpToolConfig) -> bool {
    match (known.kind, known.effect) {
        (Some(kind), _) => kind == McpToolKind::Query,
        (None, Some(effect)) => effect == McpToolEffect::Read,
        (None, None) => reads && known.destructive != Some(true),
    }
}

/// Whether a person approves each call of a query. Read-only is not harmless: the arguments of a query carry data to
/// whatever the tool reaches. It runs without approval only if the server says that it reaches nothing outside
/// (`openWorldHint: false`), or if a person said that it may: by `validation`, by `egress`, or by declaring it a query.
fn query_needs_approval(hints: &McpToolAnnotations, known: &McpToolConfig) -> bool {
    if known.validation == Some(true) || known.egress == Some(true) {
        return true;
    }
    let is_allowed = known.validation == Some(false) || known.egress == Some(false);
    let is_declared = known.kind.is_some() || known.effect.is_some();
    !is_allowed && !is_declared && hints.open_world != Some(false)
}

/// `idempotentHint` says that repeating the call has no additional effect. That is safe only if nothing else changed
/// the same thing in between, which is unknowable: a repeated overwrite would undo what a person wrote meanwhile. So
/// a tool is repeated only if its server also says that it is not destructive, and only within [`REPEATABLE_FOR`];
/// otherwise it is `once`.
fn effect(hints: &McpToolAnnotations, known: &McpToolConfig, reads: bool) -> EffectClass {
    let harmless = hints.idempotent == Some(true) && hints.destructive == Some(false);
    match known.effect {
        Some(McpToolEffect::Idempotent) => EffectClass::Idempotent,
        Some(McpToolEffect::Once | McpToolEffect::Read) => EffectClass::Once,
        None if reads || harmless => EffectClass::Idempotent,
        None => EffectClass::Once,
    }
}

/// The tool's own schema, an object; it keeps the server's choice about additional properties.
fn schema(
    declaration: &McpToolDeclaration,
    bytes_max: usize,
    bounds: &SchemaBounds,
) -> Result<SchemaDocument, McpToolSpecError> {
    if !declaration.fits(bytes_max) {
        return Err(McpToolSpecError::TooLarge(ToolSizeExcess::Declaration { bytes_max }));
    }
    let mut schema = declaration.schema.clone().into_value();
    schema.as_object().ok_or(McpToolSpecError::NoObject)?;
    match declaration.schema.get("type") {
        None => schema.set("type", JsonValue::from("object")),
        Some(kind) if kind.as_text() == Some("object") => {}
        Some(other) => return Err(McpToolSpecError::Type(to_text(other))),
    }
    if schema.get("properties").is_none() {
        schema.set("properties", JsonValue::Object(Vec::new()));
    }
    require_only_without_default(&mut schema);
    let schema = SchemaDocument::from(schema);
    // The catalog's check, made here because one invalid schema would make it refuse every command.
    match Schema::of_tool(&schema, bounds) {
        Ok(_) => Ok(schema),
        Err(why) => Err(McpToolSpecError::Schema { argument: why.argument(&schema), why }),
    }
}

/// Lets a property with a default be left out: its server uses the default then. Generators of schemas list such
/// properties as required, because the tool's own code always gets a value.
fn require_only_without_default(schema: &mut JsonValue) {
    let Some(mut required) = schema.remove("required") else { return };
    if let JsonValue::List(names) = &mut required {
        names.retain(|name| {
            let property = name.as_text().and_then(|name| schema.get("properties")?.get(name));
            property.is_none_or(|property| property.get("default").is_none())
        });
    }
    schema.set("required", required);
}

fn doc(server: &str, declaration: &McpToolDeclaration) -> String {
    let said = [&declaration.description, &declaration.title, &declaration.annotations.title];
    let said = said.into_iter().flatten().find(|text| !text.trim().is_empty());
    match said {
        Some(text) => visible(text.trim()),
        None => format!("The tool {} of the MCP server {server}.", visible(&declaration.name)),
    }
}

/// How long after its first attempt a repeatable tool may be repeated.
pub(super) const REPEATABLE_FOR: Millis = Millis::minutes(2);

#[cfg(test)]
mod tests;
