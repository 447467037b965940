//! `doctor`: looks at everything that Entracte stands on, one line a check.

mod database;
mod house;
mod places;
mod sessions;

use entracte_adapters_db::Database;
use serde::Serialize;
use serde_json::json;

use crate::config::{ConfigFault, Settings};
use crate::desk::Desk;
use crate::environment::Environment;
use crate::error::{CliError, Exit};
use crate::output::Output;
use crate::render::colour::paint;
use crate::render::text::one_line;

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    Ok,
    Warn,
    Fail,
}

/// A check: what was looked at, what was found, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Check {
    check: String,
    grade: Grade,
    says: String,
    /// None when there is nothing to do.
    mend: Option<String>,
}

impl Check {
    fn ok(check: &str, says: impl Into<String>) -> Self {
        Self { check: check.to_owned(), grade: Grade::Ok, says: says.into(), mend: None }
    }

    fn warn(check: &str, says: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { check: check.to_owned(), grade: Grade::Warn, says: says.into(), mend: Some(mend.into()) }
    }

    fn fail(check: &str, says: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { check: check.to_owned(), grade: Grade::Fail, says: says.into(), mend: Some(mend.into()) }
    }
}

/// Looks at everything; asks providers over the network only where that was asked for.
pub(crate) async fn run(desk: &Desk, online: bool) -> Result<Exit, CliError> {
    let settings = &desk.settings;
    let mut checks = vec![Check::ok("configuration", sources(settings))];
    checks.extend(common(&desk.environment, &settings.key_variables()));
    checks.extend(places::checks(settings));
    checks.extend(house::providers(desk, online).await);
    let (opened, of_database) = database::checks(settings).await;
    checks.extend(of_database);
    if let Some(database) = opened {
        checks.extend(in_database(desk, database).await);
    }
    report(&desk.out, &checks)
}

async fn in_database(desk: &Desk, database: Database) -> Vec<Check> {
    let mut checks = house::workspaces(&database, &desk.settings).await;
    match desk.wire() {
        Ok(wiring) => {
            checks.push(Check::ok("commands", format!("{} commands", wiring.catalog.all().count())));
            checks.extend(sessions::checks(&wiring).await);
            checks.extend(sessions::automations(&wiring).await);
        }
        Err(error) => checks.push(Check::fail("commands", error.message, error.next)),
    }
    checks
}

/// What can be said when the configuration cannot be read.
pub(crate) fn without_settings(
    out: &Output,
    environment: &Environment,
    fault: &ConfigFault,
) -> Result<Exit, CliError> {
    let says = fault.to_string();
    let mut checks =
        vec![Check::fail("configuration", says, "correct it; what it depends on was not looked at")];
    checks.extend(common(environment, &[]));
    report(out, &checks)
}

fn common(environment: &Environment, keys: &[String]) -> Vec<Check> {
    vec![house::variables(environment, keys), places::clock()]
}

fn sources(settings: &Settings) -> String {
    let sources = settings.sources();
    match sources.as_slice() {
        [] => "nothing is set, the defaults are in force".to_owned(),
        sources => format!("read from {}", sources.join(", ")),
    }
}

fn report(out: &Output, checks: &[Check]) -> Result<Exit, CliError> {
    if out.json {
        out.object(&json!({ "schema": "entracte.doctor/1", "checks": checks }))?;
    } else {
        let width = checks.iter().map(|check| check.check.chars().count()).max().unwrap_or_default();
        for check in checks {
            out.data(&line(check, width, out.style.colour))?;
        }
    }
    let failed = checks.iter().any(|check| check.grade == Grade::Fail);
    Ok(if failed { Exit::Failure } else { Exit::Done })
}

fn line(check: &Check, width: usize, colour: bool) -> String {
    let (word, paint_as) = match check.grade {
        Grade::Ok => ("ok  ", "32"),
        Grade::Warn => ("warn", "33"),
        Grade::Fail => ("fail", "31;1"),
    };
    let mend = check.mend.as_ref().map(|mend| format!(" · {mend}")).unwrap_or_default();
    let says = one_line(&format!("{}{mend}", check.says));
    format!("{}  {:<width$}  {says}", paint(word, paint_as, colour), check.check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_a_line_and_ends_with_its_mend() {
        let warn = Check::warn("clock", "it is the year 1970", "set the clock");
        assert_eq!(line(&warn, 8, false), "warn  clock     it is the year 1970 · set the clock");
        assert_eq!(line(&Check::ok("clock", "fine"), 5, false), "ok    clock  fine");
    }
}
