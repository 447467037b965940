//! A tool's declaration, and what a person knows better, as a command of the catalog.

use entracte_application::commands::CommandSpec;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::time::Millis;
use serde_json::{Value, json};

use super::config::{McpServerConfig, McpToolConfig, ToolEffect, ToolKind};
use super::declaration::{Declaration, Hints};
use super::names::Names;
use super::text::visible;

/// What the catalog must know of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) kind: CommandKind,
    pub(super) effect: EffectClass,
    pub(super) destructive: bool,
    pub(super) egress: bool,
}

/// The command that a tool is.
///
/// # Errors
/// Why it cannot be one, in words.
pub(super) fn spec(
    server: &str,
    config: &McpServerConfig,
    declaration: &Declaration,
    names: &Names,
) -> Result<CommandSpec, String> {
    let known = config.tools.get(&declaration.name).cloned().unwrap_or_default();
    let Rule { kind, effect, destructive, egress } = rule(&declaration.annotations, &known);
    let seconds = known.timeout_seconds.or(config.call_timeout_seconds);
    Ok(CommandSpec {
        word: names.word.clone(),
        name: names.name.clone(),
        kind,
        effect,
        schema: schema(declaration)?,
        // What a server shows changes without Entracte knowing.
        cacheable: false,
        independent: kind == CommandKind::Query,
        destructive,
        egress,
        timeout: seconds.map(|seconds| Millis::seconds(i64::try_from(seconds).unwrap_or(i64::MAX / 1000))),
        settle: Millis(0),
        key_lifetime: if effect == EffectClass::Idempotent { REPEATABLE_FOR } else { Millis(0) },
        doc: doc(server, declaration),
        example: None,
    })
}

/// What may be done with a tool: a person's word first, then the server's, else the most careful reading.
pub(super) fn rule(hints: &Hints, known: &McpToolConfig) -> Rule {
    let reads = hints.read_only == Some(true);
    if is_query(reads, known) {
        return Rule {
            kind: CommandKind::Query,
            effect: EffectClass::Read,
            destructive: false,
            egress: false,
        };
    }
    // A tool that only reads and that a person made an action does no harm by itself.
    let quiet = reads || known.validation == Some(false);
    let destructive = known.destructive.unwrap_or(!quiet && hints.destructive != Some(false));
    let egress = known.egress.unwrap_or(!quiet && hints.open_world != Some(false));
    Rule {
        kind: CommandKind::Action,
        effect: effect(hints, known, reads),
        destructive,
        // The catalog asks for leave by these two flags only; what must be asked for has at least one of them.
        egress: egress || (known.validation == Some(true) && !destructive),
    }
}

fn is_query(reads: bool, known: &McpToolConfig) -> bool {
    match (known.kind, known.effect) {
        (Some(kind), _) => kind == ToolKind::Query,
        (None, Some(effect)) => effect == ToolEffect::Read,
        (None, None) => {
            reads && [known.validation, known.destructive, known.egress].iter().all(|f| *f != Some(true))
        }
    }
}

/// `idempotentHint` says that the same call has no additional effect. That makes it safe to repeat only when
/// nothing else changed the same thing in between, which nobody can know: a repeated overwrite would undo what a
/// person wrote meanwhile. So a tool is repeated only when its server also says that it destroys nothing, and
/// only soon ([`REPEATABLE_FOR`]); else it is `once`.
fn effect(hints: &Hints, known: &McpToolConfig, reads: bool) -> EffectClass {
    let harmless = hints.idempotent == Some(true) && hints.destructive == Some(false);
    match known.effect {
        Some(ToolEffect::Idempotent) => EffectClass::Idempotent,
        Some(ToolEffect::Once | ToolEffect::Read) => EffectClass::Once,
        None if reads || harmless => EffectClass::Idempotent,
        None => EffectClass::Once,
    }
}

/// The tool's own schema, an object; whether it takes other members is left as the server says.
fn schema(declaration: &Declaration) -> Result<Value, String> {
    let size = declaration.size();
    if size > DECLARATION_MAX_BYTES {
        return Err(format!("its declaration has {size} bytes, more than {DECLARATION_MAX_BYTES}"));
    }
    let mut schema = declaration.schema.clone();
    let members = schema.as_object_mut().ok_or("its schema is no object")?;
    match members.get("type") {
        None => members.insert("type".to_owned(), json!("object")),
        Some(kind) if kind == "object" => None,
        Some(other) => return Err(format!("its schema is for {other}, not for an object")),
    };
    members.entry("properties").or_insert_with(|| json!({}));
    // The same check as the catalog's, which would refuse every command for one schema.
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .map_err(|fault| format!("its schema is not a JSON Schema: {fault}"))?;
    Ok(schema)
}

fn doc(server: &str, declaration: &Declaration) -> String {
    let said = [&declaration.description, &declaration.title, &declaration.annotations.title];
    let said = said.into_iter().flatten().find(|text| !text.trim().is_empty());
    match said {
        Some(text) => visible(text.trim()),
        None => format!("The tool {} of the MCP server {server}.", visible(&declaration.name)),
    }
}

/// How long after its first start a tool that may be repeated is repeated.
pub(super) const REPEATABLE_FOR: Millis = Millis::minutes(2);
/// Largest declaration of a tool, in bytes; all of it goes into every prompt.
pub(super) const DECLARATION_MAX_BYTES: usize = 64 * 1024;

#[cfg(test)]
mod tests;
