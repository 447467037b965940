//! `doctor`: checks everything that Entracte depends on, one line a check.

mod approvers;
mod data_folder;
mod database;
mod disabled_targets;
mod project;
mod secret_files;
mod selection;
mod services;
mod sessions;
mod upgrade;

use std::path::Path;

use entracte_adapters_db::Database;
use entracte_application::ports::HealthCheckResult;
use entracte_application::texts::{LocalizedTexts, ReaderLanguage, say};
use entracte_application::use_cases::stored_settings_of;
use serde_json::{Value, json};

pub(crate) use self::upgrade::print_view;

use self::selection::{DoctorLine, GradeCounts};

use crate::args::DoctorArgs;
use crate::colour::paint;
use crate::command_context::CommandContext;
use crate::config::{AppSettings, ConfigFault};
use crate::environment::ProcessEnvironment;
use crate::error::{CliError, CliExitCode};
use crate::output::TerminalOutput;
use crate::progress_display::ProgressDisplay;
use crate::render::text::one_line;
use crate::user_text::{UserText, message};

entracte_domain::words! {
    /// The result of a check, the worst last.
    #[derive(PartialOrd, Ord)]
    enum CheckStatus {
        /// No action is needed.
        Ok = "ok",
        /// There may be a fault.
        Warn = "warn",
        /// There is a fault.
        Fail = "fail",
    }
}

/// How much of a database is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DoctorExtent {
    /// The sessions that wait, then the latest, up to a number and for some seconds; of a large database only its
    /// structure.
    Sample,
    /// Everything.
    Everything,
}

/// What is looked at, and where that is shown.
#[derive(Clone, Copy)]
struct DoctorLook<'a> {
    /// Whether services are asked.
    online: bool,
    extent: DoctorExtent,
    progress: ProgressDisplay<'a>,
}

/// A check: its subject, its finding and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DoctorCheck {
    /// Its name in JSON: untranslated words, and its subject.
    check: String,
    grade: CheckStatus,
    says: UserText,
    /// `None` if no action is needed.
    fix: Option<UserText>,
}

impl DoctorCheck {
    fn ok(check: &str, says: impl Into<UserText>) -> Self {
        Self { check: check.to_owned(), grade: CheckStatus::Ok, says: says.into(), fix: None }
    }

    fn warn(check: &str, says: impl Into<UserText>, fix: impl Into<UserText>) -> Self {
        Self { check: check.to_owned(), grade: CheckStatus::Warn, says: says.into(), fix: Some(fix.into()) }
    }

    fn fail(check: &str, says: impl Into<UserText>, fix: impl Into<UserText>) -> Self {
        Self { check: check.to_owned(), grade: CheckStatus::Fail, says: says.into(), fix: Some(fix.into()) }
    }
}

/// Runs all checks; contacts providers over the network only on request. With `--upgrade` it only compares what the
/// upgrade would change.
pub(crate) async fn run(
    context: &CommandContext,
    args: &DoctorArgs,
    config: Option<&Path>,
) -> Result<CliExitCode, CliError> {
    if let Some(other) = &args.upgrade.upgrade {
        return upgrade::run(context, &args.upgrade, other, config).await;
    }
    let extent = if args.all { DoctorExtent::Everything } else { DoctorExtent::Sample };
    let look = DoctorLook { online: args.online, extent, progress: context.progress() };
    let (checks, texts) = gather(context, look, context.environment.reader()).await;
    report(&context.out, &checks, args.all, texts)
}

/// Runs the checks; also returns the texts to render them with, those of the reader.
async fn gather(
    context: &CommandContext,
    look: DoctorLook<'_>,
    reader: ReaderLanguage,
) -> (Vec<DoctorCheck>, &'static LocalizedTexts) {
    let (settings, online) = (&context.settings, look.online);
    let mut checks = vec![DoctorCheck::ok("configuration", sources(settings)), project::folder(context)];
    checks.extend(common(&context.environment, &settings.key_variables()));
    checks.extend(data_folder::checks(settings));
    checks.extend(secret_files::check(settings));
    checks.extend(secret_files::short(settings));
    checks.extend(services::providers(context, online).await);
    if online {
        checks.extend(project::http_tools(context).await);
    } else {
        checks.extend(project::http_addresses(context).await);
    }
    checks.extend(project::tasks(context, online).await);
    let (opened, of_database) = database::checks(context, look).await;
    checks.extend(of_database);
    let mut texts = context.texts_for(reader, None);
    if let Some(database) = opened {
        let stored = stored_settings_of(&*database.store(), &context.settings.workspace).await;
        texts = context.texts_for(reader, stored.ok().flatten().as_ref());
        checks.extend(in_database(context, database, look, texts).await);
    } else {
        checks.extend(project::unasked_servers(context));
    }
    (checks, texts)
}

/// The same checks for the operator of a server.
pub(crate) async fn looked(
    context: &CommandContext,
    online: bool,
    reader: ReaderLanguage,
) -> Vec<HealthCheckResult> {
    let progress = context.progress().hidden();
    let look = DoctorLook { online, extent: DoctorExtent::Sample, progress };
    let (checks, texts) = gather(context, look, reader).await;
    let looked = |check: DoctorCheck| HealthCheckResult {
        says: check.says.localize(texts),
        fix: check.fix.map(|fix| fix.localize(texts)),
        grade: check.grade.word(),
        check: check.check,
    };
    checks.into_iter().map(looked).collect()
}

async fn in_database(
    context: &CommandContext,
    database: Database,
    look: DoctorLook<'_>,
    texts: &LocalizedTexts,
) -> Vec<DoctorCheck> {
    let mut checks = services::workspaces(&database, &context.settings).await;
    match context.open_services() {
        Ok(app_services) => {
            checks.extend(project::servers(context, &app_services, look.online).await);
            checks.extend(services::commands(context, &app_services.catalog()));
            checks.extend(approvers::checks(&database, &app_services.catalog()).await);
            let (examined, of_sessions) = sessions::checks(&app_services, look).await;
            checks.extend(of_sessions);
            checks.extend(sessions::prefixes(context, &app_services, look, examined, texts).await);
            checks.extend(sessions::automations(&app_services).await);
            checks.extend(disabled_targets::checks(context, &app_services).await);
        }
        Err(error) => checks.push(DoctorCheck::fail("commands", error.to_text(), error.next)),
    }
    checks
}

/// The checks that are possible with an invalid configuration.
pub(crate) fn without_settings(
    out: &TerminalOutput,
    environment: &ProcessEnvironment,
    fault: &ConfigFault,
) -> Result<CliExitCode, CliError> {
    let says = fault.clone();
    let mut checks = vec![DoctorCheck::fail("configuration", says, message!("doctor-configuration-fix"))];
    checks.extend(common(environment, &[]));
    report(out, &checks, true, environment.texts())
}

fn common(environment: &ProcessEnvironment, keys: &[String]) -> Vec<DoctorCheck> {
    vec![services::variables(environment, keys), data_folder::clock()]
}

fn sources(settings: &AppSettings) -> UserText {
    let sources = settings.sources();
    match sources.as_slice() {
        [] => message!("doctor-configuration-none"),
        sources => message!("doctor-configuration-from", sources = sources.join(", ")),
    }
}

/// Prints the checks: as JSON all of them, for people the worst of each kind, or `all`.
fn report(
    out: &TerminalOutput,
    checks: &[DoctorCheck],
    all: bool,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    if out.json {
        let checks: Vec<Value> = checks.iter().map(|check| object(check, texts)).collect();
        out.write_json_line(&json!({ "schema": "entracte.doctor/2", "checks": checks }))?;
    } else {
        let names = checks.iter().map(|check| name(&check.check, texts).chars().count());
        let width = names.max().unwrap_or_default();
        for shown in selection::lines(checks, all) {
            out.write_data_line(&match shown {
                DoctorLine::Check(check) => line(check, width, out.style.colour, texts),
                DoctorLine::LeftOut { kind, grades } => left_out(kind, grades, texts),
            })?;
        }
        let GradeCounts { ok, warn, fail } = GradeCounts::of(checks);
        out.write_notice(&say!(texts, "doctor-totals", ok = ok, warn = warn, fail = fail));
    }
    let failed = checks.iter().any(|check| check.grade == CheckStatus::Fail);
    Ok(if failed { CliExitCode::Failure } else { CliExitCode::Done })
}

/// The line about the checks of a kind that are not printed.
fn left_out(kind: &str, grades: GradeCounts, texts: &LocalizedTexts) -> String {
    let GradeCounts { ok, warn, fail } = grades;
    format!(
        "  {}",
        say!(texts, "doctor-left-out", kind = name(kind, texts), ok = ok, warn = warn, fail = fail)
    )
}

fn object(check: &DoctorCheck, texts: &LocalizedTexts) -> Value {
    json!({
        "check": check.check,
        "grade": check.grade.word(),
        "says": check.says.localize(texts),
        "fix": check.fix.as_ref().map(|fix| fix.localize(texts)),
    })
}

/// The name of a check for people: `provider stage` is the provider called stage.
fn name(check: &str, texts: &LocalizedTexts) -> String {
    let key = |name: &str| format!("doctor-check-{}", name.replace(' ', "-"));
    let whole = key(check);
    if texts.has(&whole) {
        return texts.render(&whole, &[]);
    }
    match check.split_once(' ') {
        Some((kind, of)) if texts.has(&key(kind)) => format!("{} {of}", texts.render(&key(kind), &[])),
        Some(_) | None => check.to_owned(),
    }
}

fn line(check: &DoctorCheck, width: usize, colour: bool, texts: &LocalizedTexts) -> String {
    let paint_as = match check.grade {
        CheckStatus::Ok => "32",
        CheckStatus::Warn => "33",
        CheckStatus::Fail => "31;1",
    };
    let words = [CheckStatus::Ok, CheckStatus::Warn, CheckStatus::Fail]
        .map(|grade| grade_word(grade, texts).chars().count());
    let grades = words.into_iter().max().unwrap_or_default();
    let word = format!("{:<grades$}", grade_word(check.grade, texts));
    let fix = check.fix.as_ref().map(|fix| format!(" · {}", fix.localize(texts))).unwrap_or_default();
    let says = one_line(&format!("{}{fix}", check.says.localize(texts)));
    format!("{}  {:<width$}  {says}", paint(&word, paint_as, colour), name(&check.check, texts))
}

fn grade_word(grade: CheckStatus, texts: &LocalizedTexts) -> String {
    texts.render(&format!("doctor-grade-{}", grade.word()), &[])
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    #[test]
    fn check_is_one_line_ending_with_fix() {
        let english = LocalizedTexts::for_language(Language::En);
        let warn = DoctorCheck::warn("clock", "it is the year 1970", "set the clock");
        assert_eq!(line(&warn, 8, false, english), "warn  clock     it is the year 1970 · set the clock");
        assert_eq!(line(&DoctorCheck::ok("clock", "fine"), 5, false, english), "ok    clock  fine");
    }
}
