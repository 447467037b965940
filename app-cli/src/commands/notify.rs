//! `notify`: manages the notification targets for items that wait for a person.

use entracte_application::notify::{
    NotificationKind, QuietHours, TargetPreferences, format_secret_reference, parse_secret_reference,
};
use entracte_application::ports::{DeliveryChannel, DeliveryOutcome, OutboxRow, SecretReference};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    AddNotificationTarget, NewNotificationTarget, NotificationTargetView, ReadNotificationTargets,
    RemoveNotificationTarget,
};
use serde_json::{Value, json};

use super::decisions::duration;
use crate::app_services::AppServices;
use crate::args::{AddTargetArgs, NotifyCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::notifier;
use crate::render::listing::table;
use crate::render::text::one_line;
use crate::render::time::{day, iso};
use crate::user_text::message;

const LIST: &str = "entracte notify list";

/// Runs `notify …`.
pub(crate) async fn run(context: &CommandContext, command: NotifyCommand) -> Result<CliExitCode, CliError> {
    match command {
        NotifyCommand::List { limit } => list(context, limit).await,
        NotifyCommand::Test { target } => test(context, &target).await,
        NotifyCommand::Add(args) => add(context, args).await,
        NotifyCommand::Remove { target } => remove(context, &target).await,
    }
}

fn reader(services: &AppServices) -> ReadNotificationTargets {
    ReadNotificationTargets::new(services.database.outbox_store(), services.store.clone())
}

async fn named(
    context: &CommandContext,
    services: &AppServices,
    target: &str,
) -> Result<NotificationTargetView, CliError> {
    let found = reader(services).one(&context.settings.workspace, target).await;
    found.map_err(|error| CliError::from(error).or_next(LIST))
}

async fn list(context: &CommandContext, limit: usize) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let (read, workspace) = (reader(&services), &context.settings.workspace);
    let (targets, mut told) = (read.all(workspace).await?, read.notifications(workspace).await?);
    told.truncate(limit);
    if context.out.json {
        let targets: Vec<Value> = targets.iter().map(object).collect();
        let told: Vec<Value> = told.iter().map(told_object).collect();
        let schema = "entracte.notify/1";
        context
            .out
            .write_json_line(&json!({ "schema": schema, "targets": targets, "notifications": told }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, workspace).await?;
    if targets.is_empty() {
        context.out.write_notice(&say!(texts, "notify-none"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = targets.iter().map(|view| row(view, texts)).collect();
    print(context, texts, &["target", "way", "where", "kinds", "state"], &rows)?;
    if told.is_empty() {
        return Ok(CliExitCode::Done);
    }
    context.out.write_data_line("")?;
    let name = |id: &str| {
        let view = targets.iter().find(|view| view.target.id == id);
        view.map_or_else(|| id.to_owned(), |view| view.target.name.clone())
    };
    let rows: Vec<Vec<String>> =
        told.iter().map(|row| told_row(context, row, &name(&row.target), texts)).collect();
    print(context, texts, &["target", "at", "kind", "item", "state"], &rows)?;
    Ok(CliExitCode::Done)
}

fn print(
    context: &CommandContext,
    texts: &LocalizedTexts,
    head: &[&str; 5],
    rows: &[Vec<String>],
) -> Result<(), CliError> {
    let head = head.map(|name| texts.render(&format!("notify-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(())
}

fn row(view: &NotificationTargetView, texts: &LocalizedTexts) -> Vec<String> {
    let (target, kinds) = (&view.target, &view.target.wants.kinds);
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    vec![
        one_line(&target.name),
        target.way.word().to_owned(),
        one_line(place(&target.way)),
        if kinds.is_empty() { say!(texts, "notify-all-kinds") } else { kinds.join(", ") },
        match view.row.disabled.as_deref() {
            None => say!(texts, "notify-on"),
            // The code with which the target answered; otherwise the name of the person who disabled it.
            Some("410") => say!(texts, "notify-gone"),
            Some(by) => say!(texts, "notify-off", by = by),
        },
    ]
}

fn place(channel: &DeliveryChannel) -> &str {
    match channel {
        DeliveryChannel::Webhook { url, .. } | DeliveryChannel::Ntfy { url, .. } => url,
        DeliveryChannel::Command { program, .. } => program,
    }
}

fn told_row(context: &CommandContext, row: &OutboxRow, target: &str, texts: &LocalizedTexts) -> Vec<String> {
    let state = texts.render(&format!("notify-state-{}", row.state.word()), &[]);
    vec![
        one_line(target),
        day(row.tried_at.unwrap_or(row.created_at), &context.zone),
        row.kind.clone(),
        // A card's digest is long, and not useful to a person.
        row.item.split('@').next().unwrap_or_default().to_owned(),
        match &row.error {
            None => state,
            Some(why) => format!("{state}: {}", one_line(why)),
        },
    ]
}

async fn test(context: &CommandContext, target: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let view = named(context, &services, target).await?;
    let delivery = notifier::build_notifier(context, &services).test(&view.target).await?;
    let (name, is_taken) = (&view.target.name, delivery == DeliveryOutcome::Taken);
    let why = match delivery {
        DeliveryOutcome::Taken => None,
        DeliveryOutcome::Gone => Some("HTTP 410".to_owned()),
        DeliveryOutcome::Refused(why) => Some(why),
    };
    if context.out.json {
        let schema = "entracte.notify_test/1";
        context.out.write_json_line(
            &json!({ "schema": schema, "target": view.target.id, "taken": is_taken, "why": why }),
        )?;
        return Ok(if is_taken { CliExitCode::Done } else { CliExitCode::Failure });
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    match why {
        None => context.out.write_notice(&say!(texts, "notify-tested", target = one_line(name))),
        Some(why) => {
            let text = message!("notify-not-taken", target = one_line(name), why = one_line(&why));
            return Err(CliError::with_next(CliExitCode::Failure, text, LIST));
        }
    }
    Ok(CliExitCode::Done)
}

async fn add(context: &CommandContext, args: AddTargetArgs) -> Result<CliExitCode, CliError> {
    let new = NewNotificationTarget {
        person: context.settings.author.clone(),
        way: delivery_channel(&args)?,
        wants: wants(&args)?,
        name: args.name,
        is_operators: true,
    };
    let services = context.open_services()?;
    let add = AddNotificationTarget::new(
        services.database.outbox_store(),
        services.store.clone(),
        notifier::sender(context),
        services.clock.clone(),
        services.ids.clone(),
        context.settings.notify.targets,
    );
    let view = add.run(&context.settings.workspace, new).await?;
    if context.out.json {
        let mut object = object(&view);
        object["schema"] = json!("entracte.notify_target/1");
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    context.out.write_notice(&say!(texts, "notify-added", target = one_line(&view.target.name)));
    if context.settings.server.public_url.is_none() {
        context.out.write_notice(&say!(texts, "notify-no-url"));
    }
    Ok(CliExitCode::Done)
}

fn delivery_channel(args: &AddTargetArgs) -> Result<DeliveryChannel, CliError> {
    let usage = |given: &str| {
        let text = message!("notify-fault-secret", given = given);
        CliError::with_next(CliExitCode::Usage, text, "entracte notify add --help")
    };
    let place = |text: &str| -> Result<SecretReference, CliError> {
        parse_secret_reference(text).ok_or_else(|| usage(text))
    };
    if let Some(url) = &args.webhook {
        let secret = place(args.secret.as_deref().unwrap_or_default())?;
        return Ok(DeliveryChannel::Webhook { url: url.clone(), secret });
    }
    if let Some(url) = &args.ntfy {
        return Ok(DeliveryChannel::Ntfy {
            url: url.clone(),
            token: args.token.as_deref().map(place).transpose()?,
        });
    }
    let mut words = args.command.iter().cloned();
    Ok(DeliveryChannel::Command { program: words.next().unwrap_or_default(), arguments: words.collect() })
}

fn wants(args: &AddTargetArgs) -> Result<TargetPreferences, CliError> {
    let usage = |text| CliError::with_next(CliExitCode::Usage, text, "entracte notify add --help");
    let kind = |word: &String| {
        let known: Vec<&str> = NotificationKind::ALL
            .into_iter()
            .filter(|kind| *kind != NotificationKind::Test)
            .map(NotificationKind::word)
            .collect();
        let found = NotificationKind::from_word(word).filter(|kind| *kind != NotificationKind::Test);
        found.ok_or_else(|| usage(message!("notify-fault-kind", given = word, known = known.join(", "))))
    };
    let quiet = |text: &String| {
        QuietHours::parse(text).ok_or_else(|| usage(message!("notify-fault-quiet", given = text)))
    };
    Ok(TargetPreferences {
        kinds: args.kinds.iter().map(kind).collect::<Result<_, _>>()?,
        quiet: args.quiet_hours.as_ref().map(quiet).transpose()?,
        gather: args.gather.as_deref().map(duration).transpose()?.unwrap_or_default(),
        is_private: args.private,
        is_full: args.full,
        has_links: args.links,
    })
}

async fn remove(context: &CommandContext, target: &str) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let view = named(context, &services, target).await?;
    let remove = RemoveNotificationTarget::new(services.database.outbox_store(), services.store.clone());
    remove.run(&context.settings.workspace, &view.target.id).await?;
    if context.out.json {
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.notify_removed/1", "id": view.target.id }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    context.out.write_notice(&say!(texts, "notify-removed", target = one_line(&view.target.name)));
    Ok(CliExitCode::Done)
}

fn object(view: &NotificationTargetView) -> Value {
    let (target, row) = (&view.target, &view.row);
    let secrets: Vec<String> = target.way.references().into_iter().map(format_secret_reference).collect();
    json!({
        "id": target.id,
        "name": target.name,
        "person": target.person,
        "way": target.way.word(),
        "where": place(&target.way),
        "secret": secrets.first(),
        "kinds": target.wants.kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
        "quiet_hours": target.wants.quiet.map(QuietHours::to_text),
        "gather_seconds": target.wants.gather.0 / 1000,
        "private": target.wants.is_private,
        "full": target.wants.is_full,
        "links": target.wants.has_links,
        "disabled": row.disabled,
        "created_at": iso(row.created_at),
    })
}

fn told_object(row: &OutboxRow) -> Value {
    json!({
        "id": row.message.as_ref().unwrap_or(&row.id),
        "target": row.target,
        "item": row.item,
        "kind": row.kind,
        "session": row.session.as_ref().map(|id| id.as_str()),
        "state": row.state.word(),
        "attempts": row.attempts,
        "created_at": iso(row.created_at),
        "due_at": iso(row.due_at),
        "error": row.error,
    })
}
