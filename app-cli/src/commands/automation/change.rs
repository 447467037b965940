//! `automation create | edit | enable | disable | delete`.

use entracte_adapters_http::shapes::automation::{AutomationShape, TriggerShape};
use entracte_adapters_http::shapes::automation_edit::AutomationEditShape;
use entracte_application::commands::compose_message;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    AutomationParams, AutomationUpdate, CreateAutomation, EditAutomation, SeedUpdate, settings_or_first_of,
};
use entracte_domain::automation::AutomationPolicies;
use entracte_domain::message::UserMessage;
use entracte_domain::session::Dialect;
use serde_json::json;

use super::super::chat::standard_input;
use super::super::confirmation::confirm;
use super::super::enrichment;
use super::super::model_selection::new_voice;
use super::{finish_request, named, named_shape, policies, print_object, shape, trigger};
use crate::api_client::{ApiClient, delete as delete_request, patch};
use crate::app_services::AppServices;
use crate::args::{self, DialectName, YesNo};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::automation;
use crate::render::text::one_line;
use crate::render::time::TimeFormatter;
use crate::runtime_access::RuntimeAccess;

/// The command whose help explains the flags.
const EDIT_HELP: &str = "entracte automation edit --help";
const CREATE_HELP: &str = "entracte automation create --help";

pub(super) async fn create(
    context: &CommandContext,
    args: args::CreateAutomationArgs,
) -> Result<CliExitCode, CliError> {
    let message = message(context, &args.message, &args.enrich)?;
    let services = context.open_services()?;
    enrichment::check(context, &services, &message).await?;
    let workspace = &context.settings.workspace;
    let locale = settings_or_first_of(&*services.store, workspace, &context.settings.runtime).await?.locale();
    let texts = context.texts(&services, workspace).await?;
    let Some(trigger) = trigger::read(&args.trigger, &locale, services.clock.now(), None)? else {
        return Err(CliError::with_next(
            CliExitCode::Usage,
            say!(texts, "automation-no-trigger"),
            CREATE_HELP,
        ));
    };
    let policies = policies::read(&args.policies, false, texts)?.apply_to(&AutomationPolicies::default());
    if !trigger::is_meant(context, &args.trigger, &trigger, texts).await? {
        context.out.write_notice(&say!(texts, "automation-cron-not-made"));
        return Ok(CliExitCode::Interrupted);
    }
    let plan = AutomationParams {
        name: args.name,
        trigger,
        policies,
        enabled: !args.disabled,
        message,
        voice: new_voice(context, &services, args.provider.as_deref(), args.model.as_deref())?,
        require_validation: args.require_approval,
        restriction: args
            .commands
            .as_deref()
            .map(crate::command_restriction::restriction)
            .transpose()?
            .unwrap_or_default(),
    };
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let create = CreateAutomation::new(runtime.clone(), services.ids.clone());
    let made = create.run(workspace, context.settings.author.clone(), plan).await;
    let id = finish_request(context, &services, &runtime, made)
        .await
        .map_err(|error| error.or_next(CREATE_HELP))?;
    let automation = named(context, &services, id.as_str()).await?;
    let shape = shape(context, &services, automation).await?;
    if context.out.json {
        return print_object(context, shape);
    }
    context.out.write_data_line(id.as_str())?;
    context.out.write_notice(&coming(context, &shape, texts));
    Ok(CliExitCode::Done)
}

pub(super) async fn edit(
    context: &CommandContext,
    args: args::EditAutomationArgs,
) -> Result<CliExitCode, CliError> {
    let message = args.message.as_deref().map(|text| message(context, text, &args.enrich)).transpose()?;
    let services = context.open_services()?;
    if let Some(message) = &message {
        enrichment::check(context, &services, message).await?;
    }
    let automation = named(context, &services, &args.automation).await?;
    let locale =
        settings_or_first_of(&*services.store, &context.settings.workspace, &context.settings.runtime)
            .await?
            .locale();
    let texts = context.texts(&services, &context.settings.workspace).await?;
    let now = services.clock.now();
    let edit = AutomationUpdate {
        name: args.name.clone(),
        trigger: trigger::read(&args.trigger, &locale, now, Some(&automation.trigger))?,
        policies: policies::read(&args.policies, args.latest_only, texts)?,
        enabled: None,
        seed: seed(context, &services, &args, message)?,
    };
    if edit == AutomationUpdate::default() {
        return Err(CliError::with_next(CliExitCode::Usage, say!(texts, "automation-no-change"), EDIT_HELP));
    }
    if let Some(trigger) = &edit.trigger
        && !trigger::is_meant(context, &args.trigger, trigger, texts).await?
    {
        context.out.write_notice(&say!(texts, "automation-cron-not-made"));
        return Ok(CliExitCode::Interrupted);
    }
    change(context, automation.id.as_str(), edit).await
}

/// The changes of the flags to the seed. Another provider uses its own model and dialect unless the flags name
/// others.
fn seed(
    context: &CommandContext,
    services: &AppServices,
    args: &args::EditAutomationArgs,
    message: Option<UserMessage>,
) -> Result<SeedUpdate, CliError> {
    let mut seed = SeedUpdate {
        message,
        provider: args.provider.clone(),
        model: args.model.clone(),
        dialect: args.dialect.map(|name| match name {
            DialectName::Envelope => Dialect::Envelope,
            DialectName::Tools => Dialect::Tools,
        }),
        require_validation: args.require_approval.map(|answer| answer == YesNo::Yes),
        restriction: args.commands.as_deref().map(crate::command_restriction::restriction).transpose()?,
    };
    if args.provider.is_some() {
        let voice = new_voice(context, services, args.provider.as_deref(), args.model.as_deref())?;
        seed.model = Some(voice.model);
        seed.dialect = seed.dialect.or(Some(voice.dialect));
    }
    Ok(seed)
}

/// Applies a change and reports the result.
async fn change(
    context: &CommandContext,
    name: &str,
    edit: AutomationUpdate,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let automation = named(context, &services, name).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let (store, log) = (services.store.clone(), services.log.clone());
    let changing = EditAutomation::new(runtime.clone(), services.ids.clone(), store, log);
    let workspace = &context.settings.workspace;
    let changed = changing.run(workspace, context.settings.author.clone(), &automation, edit).await;
    finish_request(context, &services, &runtime, changed).await.map_err(|error| error.or_next(EDIT_HELP))?;
    let automation = named(context, &services, automation.id.as_str()).await?;
    let texts = context.texts(&services, workspace).await?;
    report(context, shape(context, &services, automation).await?, texts)
}

/// Switches an automation on or off, and reports the result.
pub(super) async fn switch(
    context: &CommandContext,
    name: &str,
    enabled: bool,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let path = api.path(&["automations", &named_shape(&api, name).await?.id]);
    let edit = AutomationEditShape { enabled: Some(enabled), ..AutomationEditShape::default() };
    let changed = api.change_latest(&path, patch(&path, &edit)).await;
    let shape = changed.map_err(|error| error.or_next(EDIT_HELP))?;
    report(context, shape, api.texts().await?)
}

/// Reports a changed automation.
fn report(
    context: &CommandContext,
    shape: AutomationShape,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        return print_object(context, shape);
    }
    context.out.write_notice(&coming(context, &shape, texts));
    Ok(CliExitCode::Done)
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

/// The message from the flags.
fn message(context: &CommandContext, text: &str, enrich: &[String]) -> Result<UserMessage, CliError> {
    let enrichments = enrichment::read_all(enrich, context.environment.texts())?;
    let text = if text == "-" { standard_input()? } else { text.to_owned() };
    let enrichments = enrichments.into_iter().map(|one| one.enrichment).collect();
    Ok(compose_message(&text, enrichments))
}
