//! `notify`: manages the notification targets for items that wait for a person.

use entracte_adapters_http::shapes::target::{
    NewTargetShape, NotificationShape, TargetShape, TestedShape, WantsShape,
};
use entracte_application::ports::TARGET_GONE;
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;
use serde_json::json;

use super::decisions::duration;
use crate::api_client::{ApiClient, ShortIdKind, delete, post, post_empty};
use crate::args::{AddTargetArgs, NotifyCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, write_table};
use crate::render::text::one_line;
use crate::render::time::{day, shown_instant};
use crate::user_text::message;

const LIST: &str = "entracte notify list";

/// Runs `notify …`.
pub(crate) async fn run(context: &CommandContext, command: NotifyCommand) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        NotifyCommand::List { limit } => list(context, &api, limit).await,
        NotifyCommand::Test { target } => test(context, &api, &target).await,
        NotifyCommand::Add(args) => add(context, &api, *args).await,
        NotifyCommand::Remove { target } => remove(context, &api, &target).await,
    }
}

/// What `notify list --json` prints.
#[derive(Serialize)]
struct NotifyObject {
    targets: Vec<TargetShape>,
    notifications: Vec<NotificationShape>,
}

async fn named(api: &ApiClient<'_>, target: &str) -> Result<TargetShape, CliError> {
    let hint = |error: CliError| error.or_next(LIST);
    let id = api.find(ShortIdKind::Target, target).await.map_err(hint)?;
    api.get(&api.path(&["targets", &id])).await.map_err(hint)
}

async fn list(context: &CommandContext, api: &ApiClient<'_>, limit: usize) -> Result<CliExitCode, CliError> {
    let targets: Vec<TargetShape> = api.list(&api.path(&["targets"])).await?;
    let told: Vec<NotificationShape> = api.list_first(&api.path(&["notifications"]), limit).await?;
    if context.out.json {
        let shape = NotifyObject { targets, notifications: told };
        context.out.write_json_line(&VersionedShape::new("entracte.notify/2", shape))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if targets.is_empty() {
        context.out.write_notice(&say!(texts, "notify-none"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = targets.iter().map(|target| row(target, texts)).collect();
    let heads = heads_of(texts, "notify", &["target", "way", "where", "kinds", "state"]);
    write_table(&context.out, &heads, &rows)?;
    if told.is_empty() {
        return Ok(CliExitCode::Done);
    }
    context.out.write_data_line("")?;
    let name = |id: &str| {
        let target = targets.iter().find(|target| target.id == id);
        target.map_or_else(|| id.to_owned(), |target| target.name.clone())
    };
    let rows: Vec<Vec<String>> =
        told.iter().map(|row| told_row(context, row, &name(&row.target), texts)).collect();
    let heads = heads_of(texts, "notify", &["target", "at", "kind", "item", "state"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

fn row(target: &TargetShape, texts: &LocalizedTexts) -> Vec<String> {
    let kinds = &target.kinds;
    vec![
        one_line(&target.name),
        target.way.to_string(),
        one_line(&target.place),
        if kinds.is_empty() { say!(texts, "notify-all-kinds") } else { kinds.join(", ") },
        match target.disabled.as_deref() {
            None => say!(texts, "notify-on"),
            // Otherwise it is the name of the person who disabled it.
            Some(TARGET_GONE) => say!(texts, "notify-gone"),
            Some(by) => say!(texts, "notify-off", by = by),
        },
    ]
}

fn told_row(
    context: &CommandContext,
    row: &NotificationShape,
    target: &str,
    texts: &LocalizedTexts,
) -> Vec<String> {
    let state = texts.render(&format!("notify-state-{}", row.state), &[]);
    vec![
        one_line(target),
        shown_instant(row.tried_at.as_ref().unwrap_or(&row.created_at), |at| day(at, &context.zone)),
        row.kind.clone(),
        // A card's digest is long, and not useful to a person.
        row.item.split('@').next().unwrap_or_default().to_owned(),
        match &row.error {
            None => state,
            Some(why) => format!("{state}: {}", one_line(why)),
        },
    ]
}

async fn test(context: &CommandContext, api: &ApiClient<'_>, target: &str) -> Result<CliExitCode, CliError> {
    let target = named(api, target).await?;
    let request = post_empty(&api.path(&["targets", &target.id, "test"]));
    let TestedShape { taken, why } = api.change(request).await?;
    if context.out.json {
        let schema = "entracte.notify_test/1";
        context
            .out
            .write_json_line(&json!({ "schema": schema, "target": target.id, "taken": taken, "why": why }))?;
        return Ok(if taken { CliExitCode::Done } else { CliExitCode::Failure });
    }
    let texts = api.texts().await?;
    match why {
        None => context.out.write_notice(&say!(texts, "notify-tested", target = one_line(&target.name))),
        Some(why) => {
            let text = message!("notify-not-taken", target = one_line(&target.name), why = one_line(&why));
            return Err(CliError::with_next(CliExitCode::Failure, text, LIST));
        }
    }
    Ok(CliExitCode::Done)
}

async fn add(
    context: &CommandContext,
    api: &ApiClient<'_>,
    args: AddTargetArgs,
) -> Result<CliExitCode, CliError> {
    let new = new_target(args)?;
    let added = api.change::<TargetShape>(post(&api.path(&["targets"]), &new)).await;
    let target = added.map_err(|error| match error.exit {
        CliExitCode::Usage => error.or_next("entracte notify add --help"),
        _ => error,
    })?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.notify_target/2", target))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&say!(texts, "notify-added", target = one_line(&target.name)));
    // Only the operator of a server knows its address.
    if context.server.is_none() && context.settings.server.public_url.is_none() {
        context.out.write_notice(&say!(texts, "notify-no-url"));
    }
    Ok(CliExitCode::Done)
}

fn new_target(args: AddTargetArgs) -> Result<NewTargetShape, CliError> {
    let gather = args.gather.as_deref().map(duration).transpose()?;
    let wants = WantsShape {
        kinds: Some(args.kinds),
        quiet_hours: args.quiet_hours,
        gather_seconds: gather.map(|gather| u32::try_from(gather.0 / 1000).unwrap_or(u32::MAX)),
        private: Some(args.private),
        full: Some(args.full),
        links: Some(args.links),
        language: args.language,
    };
    let place = args.secret.or(args.token);
    let variable =
        place.as_deref().and_then(|place| place.strip_prefix("env:")).filter(|name| !name.is_empty());
    let (secret_env, secret) = match variable {
        Some(variable) => (Some(variable.to_owned()), None),
        None => (None, place),
    };
    Ok(NewTargetShape {
        name: args.name,
        command: Some(args.command).filter(|command| !command.is_empty()),
        webhook: args.webhook,
        ntfy: args.ntfy,
        secret_env,
        secret,
        push: None,
        wants: Some(wants),
    })
}

async fn remove(
    context: &CommandContext,
    api: &ApiClient<'_>,
    target: &str,
) -> Result<CliExitCode, CliError> {
    let target = named(api, target).await?;
    api.change_only(delete(&api.path(&["targets", &target.id]))).await?;
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.notify_removed/1", "id": target.id }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&say!(texts, "notify-removed", target = one_line(&target.name)));
    Ok(CliExitCode::Done)
}
