//! Shapes of the catalog of commands.

use std::borrow::Cow;

use entracte_application::command_naming::CommandNaming;
use entracte_application::context::TokenEstimator;
use entracte_application::ports::{CommandSpec, command_doc};
use entracte_application::prompt::description_bytes;
use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_domain::session::Dialect;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::wire_words;

/// A command of the catalog.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CommandShape {
    /// Its name.
    pub name: String,
    /// The word of the envelope.
    pub word: String,
    /// `query` or `action`.
    pub kind: Cow<'static, str>,
    /// What may be done when its outcome is not known.
    pub effect: Cow<'static, str>,
    /// It destroys something.
    pub destructive: bool,
    /// Something leaves the workspace.
    pub egress: bool,
    /// Needs an approval each time; no rule gives it in advance.
    pub asks: bool,
    /// Somebody must approve it whose message is not in the exchange.
    pub four_eyes: bool,
    /// What it does.
    pub doc: String,
    /// The JSON Schema of its parameters.
    #[schema(value_type = Value)]
    pub parameters: SchemaDocument,
    /// Parameters as an example.
    pub example: Option<Value>,
    /// The MCP server that offers it; null for other commands.
    #[serde(default)]
    pub server: Option<String>,
    /// By how many tokens it makes a prompt longer as a native tool, estimated; in an envelope it takes more.
    #[serde(default)]
    pub tokens: u64,
}

impl CommandShape {
    /// The shape of a command, described in the language of a reader; its tokens are those of a prompt in the language of
    /// the workspace.
    pub fn new(spec: &CommandSpec, reader: Language, workspace: Language) -> Self {
        Self {
            name: spec.name.clone(),
            word: spec.word.clone(),
            kind: wire_words::kind(spec.kind).into(),
            effect: wire_words::effect(spec.effect).into(),
            destructive: spec.destructive,
            egress: spec.egress,
            asks: spec.asks,
            four_eyes: spec.four_eyes,
            doc: command_doc(spec, CommandNaming::Types, reader),
            parameters: spec.schema.clone(),
            example: spec.example.clone(),
            server: spec.server.clone(),
            tokens: TokenEstimator::GUESS.tokens(description_bytes(spec, Dialect::Tools, workspace)),
        }
    }
}

/// A page of commands.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Page_CommandShape)]
pub struct CommandPageShape {
    /// Its items.
    pub items: Vec<CommandShape>,
    /// Where the next page begins: `?after=`; null after the last.
    pub next: Option<String>,
    /// Declarations that are out of use, because they cannot be used; the same on every page.
    #[serde(default)]
    pub out_of_use: Vec<DeclarationRemarkShape>,
    /// Parts of command schemas that are not checked, or not as declared; the same on every page.
    #[serde(default)]
    pub unchecked: Vec<DeclarationRemarkShape>,
    /// The MCP servers whose tools are not known, because nothing has listed them yet; the same on every page.
    #[serde(default)]
    pub unlisted_servers: Vec<String>,
}

/// A remark on the declaration of a command.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DeclarationRemarkShape {
    /// The name of the command, or `server.tool` where it is none.
    pub name: String,
    /// The path of the argument that the remark is about; null where it is no single argument.
    pub argument: Option<String>,
    /// The remark.
    pub why: String,
}

/// The shape of enrichments.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EnrichmentsShape {
    /// The JSON Schema of one.
    pub parameters: Value,
    /// One of each kind.
    pub examples: Vec<Value>,
}
