//! The trigger of an automation, from the command line.

use entracte_adapters_http::shapes::automation::TriggerShape;
use entracte_adapters_http::shapes::automation_edit::NewTriggerShape;
use entracte_adapters_http::shapes::iso;
use entracte_application::calendar::Calendar;
use entracte_application::ports::ScheduleError;
use entracte_application::settings::WorkspaceLocale;
use entracte_application::system::CronScheduleCalculator;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::super::confirmation::is_yes;
use crate::args::TriggerArgs;
use crate::command_context::CommandContext;
use crate::config::span;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::user_text::UserText;

/// The command whose help explains triggers.
const SHOWN: &str = "entracte automation create --help";

/// The trigger that the flags define, completed from the existing one; `None` if they define none.
pub(super) fn read(
    args: &TriggerArgs,
    locale: &WorkspaceLocale,
    old: Option<&TriggerShape>,
) -> Result<Option<NewTriggerShape>, CliError> {
    let zone = zone(args, locale, old)?;
    let calendar = Calendar::from_locale(&WorkspaceLocale { zone: zone.clone(), ..locale.clone() });
    let texts = LocalizedTexts::for_language(locale.language);
    if let Some(expression) = &args.cron {
        return Ok(Some(NewTriggerShape::Cron {
            expression: expression.trim().to_owned(),
            zone: Some(zone),
        }));
    }
    if let Some(line) = &args.crontab {
        let expression =
            CronScheduleCalculator::cron_from_crontab_line(line).map_err(|fault| refused(fault.saying()))?;
        return Ok(Some(NewTriggerShape::Cron { expression, zone: Some(zone) }));
    }
    if let Some(at) = &args.at {
        return Ok(Some(NewTriggerShape::Once { at: iso(instant(&calendar, "--at", at, texts)?) }));
    }
    if args.manual {
        return Ok(Some(NewTriggerShape::Manual));
    }
    if args.on_event {
        return Ok(Some(NewTriggerShape::Event));
    }
    if args.every.is_some() || args.from.is_some() {
        return every(args, &calendar, texts, old).map(Some);
    }
    match (&args.zone, old) {
        (None, _) => Ok(None),
        (Some(_), Some(TriggerShape::Cron { expression, .. })) => {
            Ok(Some(NewTriggerShape::Cron { expression: expression.clone(), zone: Some(zone) }))
        }
        (Some(_), _) => Err(refused(say!(texts, "automation-zone-alone"))),
    }
}

fn every(
    args: &TriggerArgs,
    calendar: &Calendar,
    texts: &LocalizedTexts,
    old: Option<&TriggerShape>,
) -> Result<NewTriggerShape, CliError> {
    let interval_ms = match (&args.every, old) {
        (Some(text), _) => length("--every", text, texts)?.0,
        (None, Some(TriggerShape::Every { interval_ms, .. })) => *interval_ms,
        (None, _) => return Err(refused(say!(texts, "automation-from-alone"))),
    };
    let from = args.from.as_deref().map(|text| instant(calendar, "--from", text, texts));
    Ok(NewTriggerShape::Every { interval_ms, from: from.transpose()?.map(iso) })
}

/// The time zone: from the flags, else the existing trigger, else the workspace.
fn zone(
    args: &TriggerArgs,
    locale: &WorkspaceLocale,
    old: Option<&TriggerShape>,
) -> Result<String, CliError> {
    let Some(zone) = &args.zone else {
        let own = match old {
            Some(TriggerShape::Cron { zone, .. }) => Some(zone.clone()),
            _ => None,
        };
        return Ok(own.unwrap_or_else(|| locale.zone.clone()));
    };
    let zone = zone.trim();
    match TimeZone::get(zone) {
        Ok(_) => Ok(zone.to_owned()),
        Err(_) => Err(refused(ScheduleError::Zone { zone: zone.to_owned() }.saying())),
    }
}

/// Explains a new cron expression that people may read in another way; asks for confirmation on a terminal if a
/// crontab would mean other days. Returns false if the person declines.
pub(super) async fn is_meant(
    context: &CommandContext,
    args: &TriggerArgs,
    trigger: &NewTriggerShape,
    texts: &LocalizedTexts,
) -> Result<bool, CliError> {
    let NewTriggerShape::Cron { expression, .. } = trigger else { return Ok(true) };
    if args.cron.is_none() && args.crontab.is_none() {
        return Ok(true);
    }
    let reading = CronScheduleCalculator::interpret_cron(expression);
    if let (Some(days), Ok(spoken)) =
        (&reading.days, CronScheduleCalculator::describe_cron(expression, texts.language()))
    {
        context.out.write_notice(&format!("{spoken} {}", days.render(texts)));
    }
    for warning in &reading.warnings {
        context.out.write_notice(&say!(texts, "automation-cron-warning", warning = warning.render(texts)));
    }
    let terminal = context.environment.stdin_terminal;
    if reading.crontab.is_none() || !terminal || context.out.json {
        return Ok(true);
    }
    let prompt = say!(texts, "automation-cron-ask", expression = expression.as_str());
    match LineReader::new(terminal).read_message_line(&prompt).await? {
        LineInput::Line(text) => Ok(is_yes(&text)),
        LineInput::Interrupted | LineInput::End => Ok(false),
    }
}

/// Parses the duration of a flag.
pub(super) fn length(flag: &str, text: &str, texts: &LocalizedTexts) -> Result<Millis, CliError> {
    let found = span(text.trim()).filter(|span| span.0 > 0);
    found.ok_or_else(|| refused(say!(texts, "automation-no-span", flag = flag, given = text)))
}

/// Parses the instant of a flag.
pub(super) fn instant(
    calendar: &Calendar,
    flag: &str,
    text: &str,
    texts: &LocalizedTexts,
) -> Result<Timestamp, CliError> {
    calendar.parse_instant(text).map_err(|fault| refused(format!("{flag}: {}", fault.describe(texts))))
}

fn refused(text: impl Into<UserText>) -> CliError {
    CliError::with_next(CliExitCode::Usage, text, SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args() -> TriggerArgs {
        TriggerArgs {
            cron: None,
            crontab: None,
            zone: None,
            every: None,
            from: None,
            at: None,
            manual: false,
            on_event: false,
        }
    }

    fn paris() -> WorkspaceLocale {
        WorkspaceLocale { zone: "Europe/Paris".into(), ..WorkspaceLocale::default() }
    }

    fn cron(expression: &str, zone: &str) -> NewTriggerShape {
        NewTriggerShape::Cron { expression: expression.into(), zone: Some(zone.into()) }
    }

    #[test]
    fn omitted_flags_use_existing_trigger_or_workspace() {
        let old = TriggerShape::Cron { expression: "0 9 * * 1".into(), zone: "Asia/Tokyo".into() };
        let hours = TriggerShape::Every { interval_ms: 3_600_000, from: "1970-01-01T00:00:00Z".into() };
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            (args(), None, None),
            (args(), Some(&old), None),
            (
                TriggerArgs { cron: some("0 8 * * *"), ..args() },
                None,
                Some(cron("0 8 * * *", "Europe/Paris")),
            ),
            (
                TriggerArgs { cron: some("0 8 * * *"), ..args() },
                Some(&old),
                Some(cron("0 8 * * *", "Asia/Tokyo")),
            ),
            (
                TriggerArgs { crontab: some("0 0 */2 * 1"), ..args() },
                None,
                Some(cron("0 0 */2 * +1", "Europe/Paris")),
            ),
            (TriggerArgs { zone: some("UTC"), ..args() }, Some(&old), Some(cron("0 9 * * 1", "UTC"))),
            (
                TriggerArgs { every: some("15m"), ..args() },
                None,
                Some(NewTriggerShape::Every { interval_ms: 900_000, from: None }),
            ),
            (
                TriggerArgs { from: some("2026-12-24T18:00"), ..args() },
                Some(&hours),
                Some(NewTriggerShape::Every { interval_ms: 3_600_000, from: some("2026-12-24T17:00:00Z") }),
            ),
            (
                TriggerArgs { at: some("2026-12-24T18:00"), zone: some("UTC"), ..args() },
                None,
                Some(NewTriggerShape::Once { at: "2026-12-24T18:00:00Z".into() }),
            ),
            (TriggerArgs { manual: true, ..args() }, Some(&old), Some(NewTriggerShape::Manual)),
            (TriggerArgs { on_event: true, ..args() }, None, Some(NewTriggerShape::Event)),
        ];
        for (args, old, expected) in cases {
            assert_eq!(read(&args, &paris(), old).unwrap(), expected, "{args:?}");
        }
    }

    #[test]
    fn invalid_value_is_named_with_its_flag() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            (TriggerArgs { zone: some("Mars"), ..args() }, "“Mars” is not a valid IANA time zone"),
            (TriggerArgs { zone: some("UTC"), ..args() }, "--zone"),
            (TriggerArgs { every: some("often"), ..args() }, "--every: “often”"),
            (TriggerArgs { every: some("0s"), ..args() }, "--every: “0s”"),
            (TriggerArgs { from: some("2026-12-24"), ..args() }, "--from"),
            (TriggerArgs { at: some("soon"), ..args() }, "--at: “soon”"),
        ];
        for (args, expected) in cases {
            let error = read(&args, &paris(), None).unwrap_err();
            assert!(error.message.contains(expected), "{}", error.message);
            assert_eq!((error.exit, error.next.as_str()), (CliExitCode::Usage, SHOWN));
        }
    }
}
