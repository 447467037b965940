//! Enrichments on the command line: parses, inserts and explains them.

use std::sync::Arc;

use entracte_adapters_http::shapes::command::EnrichmentsShape;
use entracte_application::calendar::Calendar;
use entracte_application::json_value::{self, ExactJson};
use entracte_application::ports::{EnrichmentFormat, ResourceModel, SchemaFault};
use entracte_application::settings::WorkspaceLocale;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::CheckEnrichments;
use entracte_domain::message::{Enrichment, Segment, UserMessage};
use serde_json::Value;

use crate::api_client::ApiClient;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::user_text::{UserText, message};

/// An enrichment, and its JSON as a person wrote it.
#[derive(Clone)]
pub(super) struct WrittenEnrichment {
    pub(super) enrichment: Enrichment,
    /// What the API takes.
    pub(super) written: ExactJson,
}

/// The command that shows the schema.
const SHOWN: &str = "entracte command enrichments";

/// Prints the schema of enrichments with an example of each kind: that of the server that the command names, or of this
/// program, which needs no database.
pub(super) async fn explain(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let (format, examples) = match &context.server {
        Some(_) => {
            let api = ApiClient::open(context).await?;
            let format: EnrichmentsShape = api.get(&api.path(&["enrichments"])).await?;
            let examples = format.examples.iter().map(Value::to_string).collect();
            (format, examples)
        }
        None => format_here()?,
    };
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.enrichments/1", format))?;
        return Ok(CliExitCode::Done);
    }
    let parameters = format.parameters;
    let texts = context.environment.texts();
    let example = say!(texts, "enrich-example");
    let command = format!("entracte chat --message \"{example}\" --enrich '{USE}'");
    context.out.write_data_line(&format!("{}\n\n  {command}", say!(texts, "enrich-explained")))?;
    context.out.write_data_line(&format!("\n{}", say!(texts, "enrich-examples")))?;
    examples.iter().try_for_each(|example| context.out.write_data_line(example))?;
    context.out.write_data_line(&format!("\n{}\n{parameters:#}", say!(texts, "enrich-schema")))?;
    Ok(CliExitCode::Done)
}

/// The format of this program, and its examples as they are written.
fn format_here() -> Result<(EnrichmentsShape, Vec<String>), CliError> {
    let Some(model) = resource_model() else {
        return Err(CliError::new(CliExitCode::Usage, message!("enrichment-none")));
    };
    let EnrichmentFormat { schema: parameters, examples: written } = model.enrichment_format();
    let examples = written.iter().filter_map(|example| serde_json::from_str(example).ok()).collect();
    Ok((EnrichmentsShape { parameters, examples }, written.iter().map(ToString::to_string).collect()))
}

/// An example enrichment.
const USE: &str = "{\"type\": \"USE\", \"id\": \"tool_x_2_0\"}";

/// The enrichments of the flags, each a JSON object, or `@` and a file with it.
pub(super) fn read_all(flags: &[String], texts: &LocalizedTexts) -> Result<Vec<WrittenEnrichment>, CliError> {
    let read = |(index, flag): (usize, &String)| {
        read(flag, texts).map_err(|says| {
            let which = if flags.len() > 1 { format!(" {}", index + 1) } else { String::new() };
            refused(message!("flag-says", flag = format!("--enrich{which}"), says = says))
        })
    };
    flags.iter().enumerate().map(read).collect()
}

/// Refuses references to missing entities before anything is created for the message.
pub(super) async fn check(
    context: &CommandContext,
    services: &AppServices,
    message: &UserMessage,
) -> Result<(), CliError> {
    let enrichments = message.segments.iter().filter_map(|segment| match segment {
        Segment::Enrichment(enrichment) => Some(enrichment.clone()),
        Segment::Text(_) | Segment::File(_) => None,
    });
    let enrichments: Vec<Enrichment> = enrichments.collect();
    if enrichments.is_empty() {
        return Ok(());
    }
    let workspace = &context.settings.workspace;
    let texts = context.texts(services, workspace).await?;
    let checked = CheckEnrichments::new(services.rows.clone(), services.catalog());
    let checked = checked.run(workspace, &enrichments, texts).await;
    checked.map_err(|error| CliError::from(error).or_next("entracte command list"))
}

/// The enrichment in a line of a chat.
pub(super) fn read_line(text: &str, texts: &LocalizedTexts) -> Result<WrittenEnrichment, CliError> {
    read(text, texts).map_err(|says| refused(message!("flag-says", flag = "/enrich", says = says)))
}

fn read(flag: &str, texts: &LocalizedTexts) -> Result<WrittenEnrichment, UserText> {
    let text = match flag.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|fault| message!("cannot-be-read", file = file, why = fault.to_string()))?,
        None => flag.to_owned(),
    };
    let written = json_value::parse(&text)
        .map_err(|fault| message!("enrich-no-json", why = fault.to_string(), given = text.trim()))?;
    // Only the syntax is checked here: a period is resolved when the message is accepted, in the workspace's time
    // zone.
    let calendar = Calendar::from_locale(&WorkspaceLocale::default());
    let model = resource_model().ok_or_else(|| message!("enrichment-none"))?;
    let enrichment = model
        .read_enrichment(&written, &calendar, texts)
        .map_err(|faults| faults.iter().map(SchemaFault::sentence).collect::<Vec<_>>().join("; "))?;
    Ok(WrittenEnrichment { enrichment, written: ExactJson(written) })
}

/// What a message can refer to, if this program has it. It needs no database.
#[cfg(feature = "resources")]
fn resource_model() -> Option<Arc<dyn ResourceModel>> {
    Some(Arc::new(entracte_adapters_commands::resources::WorkspaceDataModel::default()))
}

#[cfg(not(feature = "resources"))]
fn resource_model() -> Option<Arc<dyn ResourceModel>> {
    None
}

fn refused(says: UserText) -> CliError {
    CliError::with_next(CliExitCode::Usage, says, SHOWN)
}
