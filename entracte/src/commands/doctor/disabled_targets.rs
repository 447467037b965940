//! Checks for notification targets and personal secrets that are disabled because they are invalid.

use std::collections::BTreeSet;

use entracte_application::use_cases::{DisabledItem, DisabledItemKind};
use entracte_domain::id::WorkspaceKey;

use super::DoctorCheck;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::render::text::one_line;
use crate::user_text::{UserText, message};

/// One check for each disabled item in every workspace; empty if there is none.
pub(super) async fn checks(context: &CommandContext, services: &AppServices) -> Vec<DoctorCheck> {
    let read = crate::notifier::read_switched_off(context, services);
    let mut checks = Vec::new();
    // An unreadable database is reported by its own check.
    let rows = services.store.workspaces().await.unwrap_or_default();
    let targets = services.outbox.targets(None).await.unwrap_or_default();
    // A target may exist before its workspace.
    let keys = rows.into_iter().map(|row| row.key).chain(targets.into_iter().map(|row| row.workspace));
    let workspaces: BTreeSet<WorkspaceKey> = keys.chain([context.settings.workspace.clone()]).collect();
    for workspace in &workspaces {
        let off = read.run(workspace).await.unwrap_or_default();
        checks.extend(off.iter().map(|off| check(off, workspace)));
    }
    checks
}

fn check(off: &DisabledItem, workspace: &WorkspaceKey) -> DoctorCheck {
    let (name, person, workspace) = (one_line(&off.name), one_line(&off.person), workspace.as_str());
    let why = UserText::from(off.why.clone());
    let named = format!("{} {name}", off.kind.word());
    match off.kind {
        DisabledItemKind::Target => DoctorCheck::warn(
            &named,
            message!("doctor-off-target", name = &name, person = person, workspace = workspace, why = why),
            message!("doctor-off-target-fix", name = &name),
        ),
        DisabledItemKind::Secret => DoctorCheck::warn(
            &named,
            message!("doctor-off-secret", name = &name, person = person, workspace = workspace, why = why),
            message!("doctor-off-secret-fix", name = &name),
        ),
    }
}
