//! Use cases of automations: create, change, run, list and show.

mod change;
mod create;
mod dry_run;
mod find;
mod history;
mod list;
mod next_occurrences;
mod preview;
mod run;
mod show;

pub use change::{AutomationUpdate, DeleteAutomation, EditAutomation, PolicyUpdate, SeedUpdate};
pub use create::{AutomationParams, CreateAutomation};
pub use dry_run::{
    DryRunAutomation, DryRunCall, DryRunCommand, DryRunFinding, DryRunOptions, DryRunPorts, DryRunReport,
    DryRunRequest, DryRunScriptSource,
};
pub use find::FindAutomation;
pub use history::{OccurrenceView, ReadAutomationHistory};
pub use list::{AutomationList, AutomationView, DamagedAutomation, ListAutomations};
pub use next_occurrences::{PreviewNextOccurrences, UpcomingOccurrences};
pub use preview::{PreviewSchedule, SchedulePreview};
pub use run::RunAutomation;
pub use show::{AutomationDetails, SeedView, ShowAutomation};
