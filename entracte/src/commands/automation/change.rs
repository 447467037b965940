//! `automation create | edit | enable | disable | delete`.

use entracte_adapters_http::shapes::automation::{AutomationShape, TriggerShape};
use entracte_adapters_http::shapes::automation_edit::{AutomationEditShape, NewAutomationShape};
use entracte_adapters_http::shapes::wire_words;
use entracte_application::json_value::ExactJson;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::session::Dialect;
use serde_json::json;

use super::super::chat::standard_input;
use super::super::confirmation::confirm;
use super::super::enrichment;
use super::super::model_selection::new_voice;
use super::{named_shape, policies, print_object, trigger};
use crate::api_client::{ApiClient, delete as delete_request, patch, post};
use crate::args::{self, DialectName, YesNo};
use crate::command_context::CommandContext;
use crate::command_restriction::api_patterns;
use crate::error::{CliError, CliExitCode};
use crate::render::automation;
use crate::render::text::one_line;
use crate::render::time::TimeFormatter;

/// The command whose help explains the flags.
const EDIT_HELP: &str = "entracte automation edit --help";
const CREATE_HELP: &str = "entracte automation create --help";

pub(super) async fn create(
    context: &CommandContext,
    args: args::CreateAutomationArgs,
) -> Result<CliExitCode, CliError> {
    let AutomationMessage { text, enrichments } = message(context, &args.message, &args.enrich)?;
    let api = ApiClient::open(context).await?;
    let (locale, texts) = (api.locale().await?, api.texts().await?);
    let Some(trigger) = trigger::read(&args.trigger, &locale, None)? else {
        return Err(CliError::with_next(
            CliExitCode::Usage,
            say!(texts, "automation-no-trigger"),
            CREATE_HELP,
        ));
    };
    let policies = policies::read(&args.policies, false, texts)?;
    if !trigger::is_meant(context, &args.trigger, &trigger, texts).await? {
        context.out.write_notice(&say!(texts, "automation-cron-not-made"));
        return Ok(CliExitCode::Interrupted);
    }
    check_model(context, &api, args.provider.as_deref(), args.model.as_deref())?;
    let new = NewAutomationShape {
        name: args.name,
        trigger,
        message: text,
        enrichments,
        enabled: Some(!args.disabled),
        provider: args.provider,
        model: args.model,
        require_validation: args.require_approval,
        commands: args.commands.as_deref().map(api_patterns).transpose()?,
        policies,
    };
    let made = api.change::<AutomationShape>(post(&api.path(&["automations"]), &new)).await;
    let shape = made.map_err(|error| error.or_next(CREATE_HELP))?;
    if context.out.json {
        return print_object(context, shape);
    }
    context.out.write_data_line(&shape.id)?;
    context.out.write_notice(&coming(context, &shape, texts));
    Ok(CliExitCode::Done)
}

pub(super) async fn edit(
    context: &CommandContext,
    args: args::EditAutomationArgs,
) -> Result<CliExitCode, CliError> {
    let message = args.message.as_deref().map(|text| message(context, text, &args.enrich)).transpose()?;
    let api = ApiClient::open(context).await?;
    let shape = named_shape(&api, &args.automation).await?;
    let (locale, texts) = (api.locale().await?, api.texts().await?);
    let (message, enrichments) =
        message.map_or_else(Default::default, |message| (Some(message.text), message.enrichments));
    if args.provider.is_some() {
        check_model(context, &api, args.provider.as_deref(), args.model.as_deref())?;
    }
    let edit = AutomationEditShape {
        name: args.name,
        enabled: None,
        trigger: trigger::read(&args.trigger, &locale, Some(&shape.trigger))?,
        message,
        enrichments,
        provider: args.provider,
        model: args.model,
        dialect: args.dialect.map(|name| dialect_word(name).to_owned()),
        require_validation: args.require_approval.map(|answer| answer == YesNo::Yes),
        commands: args.commands.as_deref().map(api_patterns).transpose()?,
        policies: policies::read(&args.policies, args.latest_only, texts)?,
    };
    if edit == AutomationEditShape::default() {
        return Err(CliError::with_next(CliExitCode::Usage, say!(texts, "automation-no-change"), EDIT_HELP));
    }
    if let Some(trigger) = &edit.trigger
        && !trigger::is_meant(context, &args.trigger, trigger, texts).await?
    {
        context.out.write_notice(&say!(texts, "automation-cron-not-made"));
        return Ok(CliExitCode::Interrupted);
    }
    change(context, &api, &shape.id, &edit).await
}

/// Refuses a model that the configuration of this machine does not have, with what helps. A server has its own, and
/// refuses itself.
fn check_model(
    context: &CommandContext,
    api: &ApiClient<'_>,
    provider: Option<&str>,
    model: Option<&str>,
) -> Result<(), CliError> {
    match api.services() {
        Some(services) => new_voice(context, services, provider, model).map(|_| ()),
        None => Ok(()),
    }
}

/// The word of the API.
fn dialect_word(name: DialectName) -> &'static str {
    wire_words::dialect(match name {
        DialectName::Envelope => Dialect::Envelope,
        DialectName::Tools => Dialect::Tools,
    })
}

/// Applies a change and reports the result.
async fn change(
    context: &CommandContext,
    api: &ApiClient<'_>,
    automation: &str,
    edit: &AutomationEditShape,
) -> Result<CliExitCode, CliError> {
    let path = api.path(&["automations", automation]);
    let changed = api.change_latest::<AutomationShape>(&path, patch(&path, edit)).await;
    let shape = changed.map_err(|error| error.or_next(EDIT_HELP))?;
    if context.out.json {
        return print_object(context, shape);
    }
    context.out.write_notice(&coming(context, &shape, api.texts().await?));
    Ok(CliExitCode::Done)
}

/// Switches an automation on or off, and reports the result.
pub(super) async fn switch(
    context: &CommandContext,
    name: &str,
    enabled: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let automation = named_shape(&api, name).await?.id;
    let edit = AutomationEditShape { enabled: Some(enabled), ..AutomationEditShape::default() };
    change(context, &api, &automation, &edit).await
}

pub(super) async fn delete(
    context: &CommandContext,
    name: &str,
    force: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let shape = named_shape(&api, name).await?;
    let (id, texts) = (shape.id.as_str(), api.texts().await?);
    let prompt = say!(texts, "automation-delete-ask", automation = id, name = one_line(&shape.name));
    if !force && !confirm(context, id, &prompt, &format!("entracte automation delete {id}")).await? {
        context.out.write_notice(&say!(texts, "deleted-nothing"));
        return Ok(CliExitCode::Interrupted);
    }
    let path = api.path(&["automations", id]);
    api.change_latest_only(&path, delete_request(&path)).await?;
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.delete/1", "automation": id }))?;
    } else {
        context.out.write_notice(&say!(texts, "automation-deleted", automation = id));
    }
    Ok(CliExitCode::Done)
}

/// The next run of a created or changed automation.
fn coming(context: &CommandContext, shape: &AutomationShape, texts: &LocalizedTexts) -> String {
    let (id, name) = (shape.id.as_str(), one_line(&shape.name));
    match (&shape.next_at, &shape.trigger) {
        (Some(at), _) => {
            let zone = automation::own_zone(&shape.trigger, &context.zone);
            let dial = TimeFormatter { zone: &zone, ..TimeFormatter::from(&context.zone) };
            let at = automation::coming(at, texts, dial);
            say!(texts, "automation-comes", automation = id, name = name, at = at)
        }
        (None, _) if shape.state == "off" => {
            say!(texts, "automation-comes-off", automation = id, name = name)
        }
        (None, TriggerShape::Once { .. }) => {
            say!(texts, "automation-comes-passed", automation = id, name = name)
        }
        (None, TriggerShape::Event) => say!(texts, "automation-comes-event", automation = id, name = name),
        (None, _) => say!(texts, "automation-comes-asked", automation = id, name = name),
    }
}

/// The message of an automation, as the API takes it.
struct AutomationMessage {
    text: String,
    enrichments: Vec<ExactJson>,
}

/// The message from the flags.
fn message(context: &CommandContext, text: &str, enrich: &[String]) -> Result<AutomationMessage, CliError> {
    let enrichments = enrichment::read_all(enrich, context.environment.texts())?;
    let text = if text == "-" { standard_input()? } else { text.to_owned() };
    let enrichments = enrichments.into_iter().map(|one| one.written).collect();
    Ok(AutomationMessage { text, enrichments })
}
