//! Automations: made, changed, run, looked at.

mod change;
mod create;
mod dry_run;
mod find;
mod history;
mod list;
mod next;
mod preview;
mod run;
mod show;

pub use change::{AutomationEdit, DeleteAutomation, EditAutomation, PolicyEdit, SeedEdit};
pub use create::{AutomationPlan, CreateAutomation};
pub use dry_run::{
    DryCall, DryCommand, DryFinding, DryPlan, DryPorts, DryRequest, DryRun, DryRunAutomation, Plays,
};
pub use find::FindAutomation;
pub use history::{AutomationHistory, PastOccurrence};
pub use list::{AutomationView, Automations, DamagedAutomation, ListAutomations};
pub use next::{Coming, NextOccurrences};
pub use preview::{Preview, PreviewSchedule};
pub use run::RunAutomation;
pub use show::{AutomationSheet, SeedView, ShowAutomation};
