//! Checks the unfinished sessions.

use entracte_application::permissions::lacks_grant;
use entracte_application::ports::{SessionFilter, SessionListRow};
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::{
    ExamineSessions, ListAutomations, OpenSessionPages, SessionDefect, SessionFinding, UseCaseError,
};
use entracte_domain::time::Millis;

use super::{DoctorCheck, DoctorExtent, DoctorLook};
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::chain;
use crate::progress_display::CountedProgress;
use crate::user_text::{UserText, message};

/// Sessions of a sample.
const SAMPLE: u32 = 500;

/// How long the prompts of a sample are measured, so that it ends within five seconds.
const SAMPLE_TIME: Millis = Millis::seconds(3);

impl DoctorExtent {
    /// Whether a check that has taken this long looks at another session.
    fn continues_after(self, taken: Millis) -> bool {
        self == Self::Everything || taken < SAMPLE_TIME
    }

    /// Whether this number of sessions may leave out some.
    fn leaves_out(self, count: usize) -> bool {
        self == Self::Sample && count >= SAMPLE as usize
    }
}

/// The number of examined sessions, and one line if all is well, else one for each finding; and one that only a sample was
/// looked at.
pub(super) async fn checks(services: &AppServices, look: DoctorLook<'_>) -> (usize, Vec<DoctorCheck>) {
    let extent = look.extent;
    let examine = ExamineSessions::new(services.log.clone(), services.catalog(), services.providers.clone());
    let examined = async {
        match extent {
            DoctorExtent::Sample => examine.run(SAMPLE).await,
            DoctorExtent::Everything => examine.run_all(&*services.store).await,
        }
    };
    let examined = look.progress.show_time("doctor-examines", examined).await;
    let count = examined.as_ref().map_or(0, |(count, _)| *count);
    let checks = match examined {
        Ok((count, findings)) if findings.is_empty() && extent.leaves_out(count) => {
            vec![DoctorCheck::ok("sessions", message!("doctor-sessions-sample-ok", count = count))]
        }
        Ok((count, findings)) if findings.is_empty() => {
            vec![DoctorCheck::ok("sessions", message!("doctor-sessions-ok", count = count))]
        }
        Ok((count, findings)) => {
            let says = || message!("doctor-sessions-sample", count = count);
            let sample = extent.leaves_out(count).then(|| DoctorCheck::ok("sessions", says()));
            findings.iter().map(check).chain(sample).collect()
        }
        Err(error) => vec![DoctorCheck::fail("sessions", chain(&error), "entracte db check")],
    };
    (count, checks)
}

/// The open sessions of an extent, a page at a time.
enum MeasuredSessions {
    Sample(Option<Vec<SessionListRow>>),
    Everything(OpenSessionPages),
}

impl MeasuredSessions {
    async fn begin(services: &AppServices, extent: DoctorExtent) -> Result<Self, UseCaseError> {
        let log = services.log.clone();
        Ok(match extent {
            DoctorExtent::Sample => {
                let filter = SessionFilter { open: true, limit: SAMPLE, ..SessionFilter::default() };
                Self::Sample(Some(log.session_list(&filter).await?))
            }
            DoctorExtent::Everything => {
                Self::Everything(OpenSessionPages::begin(&*services.store, log).await?)
            }
        })
    }

    async fn next_page(&mut self) -> Result<Option<Vec<SessionListRow>>, UseCaseError> {
        match self {
            Self::Sample(lines) => Ok(lines.take()),
            Self::Everything(pages) => pages.next_page().await,
        }
    }
}

/// A line for each open session whose prompt prefix exceeds its share of the budget; and one if the time of a sample ended
/// before all of them were measured. `examined` is their number as far as it is known, for the progress.
pub(super) async fn prefixes(
    context: &CommandContext,
    services: &AppServices,
    look: DoctorLook<'_>,
    examined: usize,
    texts: &LocalizedTexts,
) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    if let Err(error) = measure_prefixes(context, services, look, examined, texts, &mut checks).await {
        checks.push(DoctorCheck::fail("context", chain(&error), "entracte db check"));
    }
    look.progress.clear();
    checks
}

async fn measure_prefixes(
    context: &CommandContext,
    services: &AppServices,
    look: DoctorLook<'_>,
    examined: usize,
    texts: &LocalizedTexts,
    checks: &mut Vec<DoctorCheck>,
) -> Result<(), UseCaseError> {
    let (mut done, begun) = (0, services.clock.now());
    let mut sessions = MeasuredSessions::begin(services, look.extent).await?;
    while let Some(lines) = sessions.next_page().await? {
        let total = examined.max(done + lines.len());
        for line in lines {
            if !look.extent.continues_after(services.clock.now().since(begun)) {
                let says = message!("doctor-prompts-sample", done = done, total = total);
                checks.push(DoctorCheck::ok("context", says));
                return Ok(());
            }
            look.progress.show_count("doctor-prompts", CountedProgress { done, total });
            done += 1;
            // An unreadable session is reported by the check of sessions.
            let Ok(full) = context.prompt_fullness(services, &line.workspace, &line.id).await else {
                continue;
            };
            if let Some(heavy) = full.overweight {
                checks.push(DoctorCheck::warn(
                    &format!("context {}", line.id),
                    UserText::Plain(heavy.describe(texts)),
                    UserText::Plain(heavy.describe_fix(texts)),
                ));
            }
        }
    }
    Ok(())
}

/// A line for each unreadable automation.
pub(super) async fn automations(services: &AppServices) -> Vec<DoctorCheck> {
    let unreadable = |text: String| DoctorCheck::fail("automations", text, "entracte db check");
    let rows = match services.store.workspaces().await {
        Ok(rows) => rows,
        Err(error) => return vec![unreadable(chain(&error))],
    };
    let list = ListAutomations::new(services.automations.clone());
    let (mut count, mut checks) = (0, Vec::new());
    for row in rows {
        match list.run(&row.key).await {
            Ok(list) => {
                count += list.views.len();
                let waiting = list.views.iter().filter(|view| lacks_grant(&view.automation));
                checks.extend(waiting.map(|view| {
                    let automation = &view.automation;
                    DoctorCheck::warn(
                        &format!("automation {}", automation.id),
                        message!("doctor-automation-no-grant", name = &automation.name),
                        message!("doctor-automation-no-grant-fix", automation = automation.id.as_str()),
                    )
                }));
                checks.extend(list.damaged.into_iter().map(|one| {
                    let says = message!("doctor-automation-damaged", name = one.name, why = one.why);
                    DoctorCheck::fail(&format!("automation {}", one.id), says, message!("doctor-backup"))
                }));
            }
            Err(error) => checks.push(unreadable(chain(&error))),
        }
    }
    if checks.is_empty() {
        checks.push(DoctorCheck::ok("automations", message!("doctor-automations-ok", count = count)));
    }
    checks
}

fn check(finding: &SessionFinding) -> DoctorCheck {
    let session = &finding.session;
    let check = format!("session {session}");
    match &finding.ailment {
        SessionDefect::Unreadable(why) => DoctorCheck::fail(
            &check,
            message!("doctor-session-unreadable", why = why),
            message!("doctor-backup"),
        ),
        SessionDefect::Quarantined => DoctorCheck::warn(
            &check,
            message!("doctor-session-quarantined"),
            message!("doctor-session-quarantined-fix", session = session.as_str()),
        ),
        SessionDefect::CommandGone { command } => DoctorCheck::warn(
            &check,
            message!("doctor-command-gone", command = command),
            message!("doctor-command-gone-fix"),
        ),
        SessionDefect::CommandChanged { command, what } => DoctorCheck::warn(
            &check,
            message!("doctor-command-changed", command = command, what = listed(what)),
            message!("doctor-command-changed-fix"),
        ),
        SessionDefect::ArgumentsUnfit { command, fault } => DoctorCheck::warn(
            &check,
            message!("doctor-arguments", command = command, fault = fault.to_string()),
            message!("doctor-arguments-fix"),
        ),
        SessionDefect::RestrictionEmpty { pattern } => DoctorCheck::warn(
            &check,
            message!("doctor-restriction", pattern = pattern.to_string()),
            message!("doctor-restriction-fix", session = session.as_str()),
        ),
        SessionDefect::ProviderGone { provider, why } => DoctorCheck::warn(
            &check,
            message!("doctor-provider-gone", provider = provider, why = why),
            message!("doctor-provider-gone-fix", session = session.as_str()),
        ),
    }
}

/// The properties in parentheses: “ (effect class, destructive)”.
fn listed(what: &[&str]) -> String {
    if what.is_empty() { String::new() } else { format!(" ({})", what.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: checks that have taken a while; expected: a sample ends after its time, a check of everything never.
    #[test]
    fn sample_ends_after_its_time() {
        let long = Millis(SAMPLE_TIME.0 * 100);
        assert!(DoctorExtent::Sample.continues_after(Millis(SAMPLE_TIME.0 - 1)));
        assert!(!DoctorExtent::Sample.continues_after(SAMPLE_TIME));
        assert!(DoctorExtent::Everything.continues_after(long));
    }
}
