//! `automation list | show | next`.

use entracte_adapters_http::shapes::automation::{
    AutomationPageShape, AutomationShape, ComingShape, DamagedAutomationShape, TriggerShape,
};
use entracte_adapters_http::shapes::instant;
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use super::{named_shape, print_object};
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::automation;
use crate::render::listing::write_table;
use crate::render::text::one_line;
use crate::render::time::{TimeFormatter, relative};

/// What `automation list --json` prints: automations, those that need attention first.
#[derive(Serialize)]
pub(super) struct AutomationsObject {
    pub(super) automations: Vec<AutomationShape>,
    /// Automations that cannot be read.
    damaged: Vec<DamagedAutomationShape>,
}

/// Lists them with those that cannot be read.
pub(super) async fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let AutomationsObject { automations, damaged } = read_all(&api).await?;
    if context.out.json {
        let object = AutomationsObject { automations, damaged };
        context.out.write_json_line(&VersionedShape::new("entracte.automations/2", object))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if automations.is_empty() && damaged.is_empty() {
        context.out.write_notice(&say!(texts, "automation-none", workspace = api.workspace().as_str()));
    }
    let row = |shape: &AutomationShape| automation::row(shape, texts, &context.zone);
    let mut rows: Vec<Vec<String>> = damaged.iter().map(|one| automation::damaged(one, texts)).collect();
    rows.extend(automations.iter().map(row));
    let names = ["automation", "name", "state", "when", "next", "last"];
    write_table(
        &context.out,
        &names.map(|name| texts.render(&format!("automation-fact-{name}"), &[])),
        &rows,
    )?;
    Ok(CliExitCode::Done)
}

/// Reads all automations, page after page: those that need attention first, then in the order in which they were created.
pub(super) async fn read_all(api: &ApiClient<'_>) -> Result<AutomationsObject, CliError> {
    let path = api.path(&["automations"]);
    let pages = api.pages(&path, |page: &AutomationPageShape| page.next.as_deref()).await?;
    let damaged = pages.last().map(|page| page.damaged.clone()).unwrap_or_default();
    let mut automations: Vec<AutomationShape> = pages.into_iter().flat_map(|page| page.items).collect();
    // Ids sort by creation.
    automations.sort_by_cached_key(|one| (one.attention.is_none(), one.id.clone()));
    Ok(AutomationsObject { automations, damaged })
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
