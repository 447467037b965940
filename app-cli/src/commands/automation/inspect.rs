//! `automation list | show | next`.

use entracte_adapters_http::shapes::automation::{AutomationShape, ComingShape, TriggerShape};
use entracte_adapters_http::shapes::instant;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::ListAutomations;
use serde::Serialize;

use super::{named_shape, print_object};
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{AutomationsObject, VersionedShape};
use crate::render::automation;
use crate::render::listing::write_table;
use crate::render::text::one_line;
use crate::render::time::{TimeFormatter, relative};

/// Lists them with those that cannot be read, which the API leaves out.
pub(super) async fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let list = ListAutomations::new(services.automations.clone()).run(workspace).await?;
    if context.out.json {
        context.out.write_json_line(&AutomationsObject::new(&list))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if list.views.is_empty() && list.damaged.is_empty() {
        context.out.write_notice(&say!(texts, "automation-none", workspace = workspace.as_str()));
    }
    let shapes: Vec<AutomationShape> = list.views.iter().map(AutomationShape::from).collect();
    let row = |shape: &AutomationShape| automation::row(shape, texts, &context.zone);
    let mut rows: Vec<Vec<String>> = list.damaged.iter().map(|one| automation::damaged(one, texts)).collect();
    rows.extend(shapes.iter().map(row));
    let names = ["automation", "name", "state", "when", "next", "last"];
    write_table(
        &context.out,
        &names.map(|name| texts.render(&format!("automation-fact-{name}"), &[])),
        &rows,
    )?;
    Ok(CliExitCode::Done)
}

pub(super) async fn show(context: &CommandContext, name: &str) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let shape = named_shape(&api, name).await?;
    if context.out.json {
        return print_object(context, shape);
    }
    let texts = api.texts().await?;
    for line in automation::sheet(&shape, texts, &context.zone) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

/// What `automation next --json` prints.
#[derive(Serialize)]
struct NextOccurrencesObject {
    automation: String,
    enabled: bool,
    #[serde(flatten)]
    coming: ComingShape,
}

pub(super) async fn next(
    context: &CommandContext,
    name: &str,
    count: usize,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let shape = named_shape(&api, name).await?;
    let path = api.path(&["automations", &shape.id, "next"]).with("count", &count.to_string());
    let coming: ComingShape = api.get(&path).await?;
    let fault = coming.fault.clone();
    if context.out.json {
        let (automation, enabled) = (shape.id.clone(), shape.enabled);
        let object = NextOccurrencesObject { automation, enabled, coming };
        context.out.write_json_line(&VersionedShape::new("entracte.next/2", object))?;
    } else {
        let texts = api.texts().await?;
        let now = TimeFormatter::from(&context.zone).now;
        for (at, local) in coming.instants.iter().zip(&coming.local) {
            let beside = instant(at).zip(now).map(|(at, now)| relative(at, now, texts));
            context.out.write_data_line(&format!("{local}  {}", beside.unwrap_or_default()))?;
        }
        if let Some(words) = remark(&shape, coming.instants.is_empty(), texts) {
            context.out.write_notice(&words);
        }
    }
    let Some(fault) = fault else { return Ok(CliExitCode::Done) };
    let again = format!("entracte automation edit {} --cron EXPR", shape.id);
    let error = CliError::with_next(CliExitCode::Failure, fault, again);
    if context.out.json {
        context.out.write_error_text(&context.localize_error(error.clone()).await);
        return Ok(error.exit);
    }
    Err(error)
}

/// A remark on an automation without scheduled instants.
fn remark(shape: &AutomationShape, is_empty: bool, texts: &LocalizedTexts) -> Option<String> {
    let (id, name) = (&shape.id, one_line(&shape.name));
    match &shape.trigger {
        TriggerShape::Event => Some(say!(texts, "automation-comes-event", automation = id, name = name)),
        TriggerShape::Manual => Some(say!(texts, "automation-comes-asked", automation = id, name = name)),
        _ if !shape.enabled => Some(say!(texts, "automation-comes-off", automation = id, name = name)),
        TriggerShape::Once { .. } if is_empty => {
            Some(say!(texts, "automation-comes-passed", automation = id, name = name))
        }
        TriggerShape::Once { .. } | TriggerShape::Cron { .. } | TriggerShape::Every { .. } => None,
    }
}
