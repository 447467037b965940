//! `retention`: shows and applies retention limits, and manages holds.

use std::sync::Arc;

use entracte_adapters_http::shapes::retention::{RetentionShape, RetentionTotalsShape};
use entracte_application::instructions::InstructionScope;
use entracte_application::retention::{RetentionCount, RetentionTable, RetentionTotals};
use entracte_application::settings::RetentionSubject;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    FindAutomation, HoldRetention, ReadRetention, ReleaseRetention, RetentionView, RunRetention,
};

use crate::app_services::AppServices;
use crate::args::{InstructionsScopeArgs, RetentionCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::json::VersionedShape;
use crate::render::listing::{heads, write_table};
use crate::render::text::one_line;
use crate::render::time::moment;
use crate::runtime_access::RuntimeAccess;

/// Runs `retention …`.
pub(crate) async fn run(
    context: &CommandContext,
    command: RetentionCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        RetentionCommand::Show => show(context).await,
        RetentionCommand::Run { dry: true } => preview(context).await,
        RetentionCommand::Run { dry: false } => remove(context).await,
        RetentionCommand::Hold { of, reason } => hold(context, &of.into(), reason).await,
        RetentionCommand::Release { of } => release(context, &of.into()).await,
        RetentionCommand::Holds => holds(context).await,
    }
}

async fn read(context: &CommandContext, services: &AppServices) -> Result<RetentionView, CliError> {
    let settings = services.runtime.retention.clone();
    Ok(ReadRetention::new(services.store.clone(), settings).run(&context.settings.workspace).await?)
}

fn json_of(view: &RetentionView) -> VersionedShape<RetentionShape> {
    VersionedShape::new("entracte.retention/1", RetentionShape::from(view))
}

async fn show(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let view = read(context, &services).await?;
    if context.out.json {
        context.out.write_json_line(&json_of(&view))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    let row = |subject: RetentionSubject| {
        let about = texts.render(&format!("retention-{}", subject.word()), &[]);
        vec![subject.word().to_owned(), view.policy.limit(subject).text(), about]
    };
    let rows: Vec<Vec<String>> = RetentionSubject::ALL.into_iter().map(row).collect();
    write_table(
        &context.out,
        &heads(texts, &["retention-subject", "retention-kept", "retention-what"]),
        &rows,
    )?;
    if !view.holds.is_empty() {
        context.out.write_notice(&say!(texts, "retention-has-holds", count = view.holds.len()));
    }
    Ok(CliExitCode::Done)
}

async fn preview(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let totals = runner(&services, &runtime).preview(&context.settings.workspace).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    report(context, &services, &totals?, "retention-would-go").await
}

async fn remove(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let run = runner(&services, &runtime);
    let workspace = &context.settings.workspace;
    let texts = context.texts(&services, workspace).await?;
    let whole = if context.out.is_watched() { run.preview(workspace).await?.rows() } else { 0 };
    let mut tell = |removed: &RetentionTotals| {
        if context.out.is_watched() {
            let bar = bar(removed, whole);
            let line = say!(texts, "retention-progress", bar = bar, rows = removed.rows(), whole = whole);
            context.out.draw_transient_lines(&[line]);
        }
    };
    let removed = run.run(workspace, &mut tell).await;
    context.out.draw_transient_lines(&[]);
    let reclaimed = match &removed {
        Ok(removed) if !removed.is_empty() => Some(run.reclaim_space().await?),
        Ok(_) | Err(_) => None,
    };
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    let code = report(context, &services, &removed?, "retention-went").await?;
    if let Some(reclaimed) = reclaimed.filter(|reclaimed| reclaimed.bytes > 0 && !context.out.json) {
        context.out.write_notice(&say!(texts, "retention-reclaimed", bytes = reclaimed.bytes));
    }
    Ok(code)
}

fn runner(services: &Arc<AppServices>, runtime: &Arc<RuntimeAccess>) -> RunRetention {
    RunRetention::new(
        services.store.clone(),
        services.log.clone(),
        runtime.clone(),
        services.clock.clone(),
        services.runtime.retention.clone(),
    )
}

/// Cells of a progress bar.
const BAR: u64 = 20;

fn bar(removed: &RetentionTotals, whole: u64) -> String {
    let full = (removed.rows() * BAR).checked_div(whole).unwrap_or(BAR).min(BAR);
    (0..BAR).map(|cell| if cell < full { '#' } else { '.' }).collect()
}

async fn report(
    context: &CommandContext,
    services: &AppServices,
    totals: &RetentionTotals,
    key: &str,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let shape = VersionedShape::new("entracte.retention_run/1", RetentionTotalsShape::from(totals));
        context.out.write_json_line(&shape)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(services, &context.settings.workspace).await?;
    if totals.is_empty() {
        context.out.write_notice(&texts.render("retention-nothing", &[]));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = totals.iter().map(|(table, count)| row(texts, table, count)).collect();
    write_table(
        &context.out,
        &heads(texts, &["retention-table", "retention-rows", "retention-bytes"]),
        &rows,
    )?;
    context.out.write_notice(&say!(texts, key, rows = totals.rows(), bytes = totals.bytes()));
    Ok(CliExitCode::Done)
}

fn row(texts: &LocalizedTexts, table: RetentionTable, count: RetentionCount) -> Vec<String> {
    let name = texts.render(&format!("retention-table-{}", table.word()), &[]);
    vec![name, count.rows.to_string(), count.bytes.to_string()]
}

async fn hold(
    context: &CommandContext,
    of: &InstructionsScopeArgs,
    reason: String,
) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let scope = scope(context, &services, of).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let author = context.settings.author.clone();
    let held = HoldRetention::new(runtime.clone()).run(workspace, author, scope.clone(), reason).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    held?;
    changed(context, &services, "retention-held", scope.name()).await
}

async fn release(context: &CommandContext, of: &InstructionsScopeArgs) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let workspace = &context.settings.workspace;
    let scope = scope(context, &services, of).await?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let author = context.settings.author.clone();
    let released = ReleaseRetention::new(runtime.clone()).run(workspace, author, scope.clone()).await;
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    released.map_err(|error| CliError::from(error).or_next("entracte retention holds"))?;
    changed(context, &services, "retention-released", scope.name()).await
}

async fn changed(
    context: &CommandContext,
    services: &AppServices,
    key: &str,
    what: &str,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        context.out.write_json_line(&json_of(&read(context, services).await?))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(services, &context.settings.workspace).await?;
    context.out.write_notice(&say!(texts, key, what = what));
    Ok(CliExitCode::Done)
}

async fn holds(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let view = read(context, &services).await?;
    if context.out.json {
        context.out.write_json_line(&json_of(&view))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if view.holds.is_empty() {
        context.out.write_notice(&texts.render("retention-no-holds", &[]));
        return Ok(CliExitCode::Done);
    }
    let row = |hold: &entracte_application::retention::RetentionHold| {
        vec![
            hold.scope.name().to_owned(),
            moment(hold.at, &context.zone),
            hold.author.clone(),
            one_line(&hold.reason).to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = view.holds.iter().map(row).collect();
    let names = ["retention-held-what", "retention-since", "retention-author", "retention-reason"];
    write_table(&context.out, &heads(texts, &names), &rows)?;
    Ok(CliExitCode::Done)
}

/// The scope that the options name: the workspace unless they name another one.
async fn scope(
    context: &CommandContext,
    services: &AppServices,
    of: &InstructionsScopeArgs,
) -> Result<InstructionScope, CliError> {
    let workspace = &context.settings.workspace;
    if let Some(named) = &of.session {
        return Ok(InstructionScope::Session(services.named_session(workspace, named).await?));
    }
    let Some(named) = &of.automation else { return Ok(InstructionScope::Workspace) };
    let find = FindAutomation::new(services.store.clone(), services.automations.clone());
    Ok(InstructionScope::Automation(find.run(workspace, named).await?.id))
}
