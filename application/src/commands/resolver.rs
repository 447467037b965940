//! Gathers what the levels of the validation say of an action: workspace, zone, tool, session, the model, the
//! catalog. The rule itself is the domain's ([`entracte_domain::validation::approval_reasons`]).

use std::sync::Arc;

use entracte_domain::command::CommandKind;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::plan::PlanCommand;
use entracte_domain::validation::{
    ApprovalReason, FlagSource, PerCallApproval, ValidationFlags, approval_reasons,
};

use super::CatalogEntry;
use crate::command_naming::CommandNaming;
use crate::json_value;
use crate::ports::{ActionDescription, CallRequest, CommandSpec, ResourceReader, StoreError};
use crate::settings::WorkspaceSettings;

/// What asks for approval, beside zone and tool.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalSources<'a> {
    /// The workspace's settings.
    pub settings: &'a WorkspaceSettings,
    /// The session asks for all its actions.
    pub session: bool,
    /// The model asked for it.
    pub ai_request: bool,
}

/// What asks for approval of every call of a command, whichever zone and tool it is about; none where nobody is ever asked.
pub fn standing_flags(spec: &CommandSpec, asking: ApprovalSources<'_>) -> Option<ValidationFlags> {
    let planning = PlanCommand::from_word(&spec.name);
    match spec.kind {
        CommandKind::Query => None,
        // It only says how far a plan is that a person approved.
        CommandKind::Action if planning == Some(PlanCommand::Step) => None,
        CommandKind::Action => Some(ValidationFlags {
            app: asking.settings.require_validation,
            session: asking.session,
            ai_request: asking.ai_request,
            destructive: spec.destructive,
            egress: spec.egress,
            command_asks: match planning {
                Some(PlanCommand::Propose | PlanCommand::Step) => Some(PerCallApproval::Plan),
                None => spec.asks.then_some(PerCallApproval::Command),
            },
            command_four_eyes: spec.four_eyes,
            workspace_four_eyes: asking.settings.four_eyes,
            ..ValidationFlags::default()
        }),
    }
}

/// Why this call needs approval; empty for queries, which never do. A plan always does.
///
/// # Errors
/// When the rows of its zone or tool cannot be read.
pub async fn resolve(
    known: &CatalogEntry,
    request: CallRequest,
    asking: ApprovalSources<'_>,
    rows: &Arc<dyn ResourceReader>,
) -> Result<Vec<ApprovalReason>, StoreError> {
    let Some(flags) = standing_flags(&known.spec, asking) else { return Ok(Vec::new()) };
    let workspace = request.workspace.clone();
    let target = known.executor.target(request, rows.clone()).await?;
    let zone = first_resource_requiring_approval(rows, &workspace, "zone", &target.zones).await?;
    let tool = first_resource_requiring_approval(rows, &workspace, "tool", &target.tools).await?;
    Ok(approval_reasons(&ValidationFlags { zone, tool, ..flags }))
}

/// An action in words, for the person who is asked. Every card is made here, so none has two fields of one name.
///
/// # Errors
/// When the rows it touches cannot be read.
pub async fn describe(
    known: &CatalogEntry,
    request: CallRequest,
    rows: &Arc<dyn ResourceReader>,
) -> Result<ActionDescription, StoreError> {
    // A person reads it, whatever the model calls the commands.
    let request = CallRequest { naming: CommandNaming::Types, ..request };
    Ok(known.executor.describe(request, rows.clone()).await?.with_unique_field_names())
}

/// The first of these resources whose own flag asks for approval.
async fn first_resource_requiring_approval(
    rows: &Arc<dyn ResourceReader>,
    workspace: &WorkspaceKey,
    kind: &str,
    ids: &[String],
) -> Result<Option<FlagSource>, StoreError> {
    for id in ids {
        if let Some(row) = rows.resource(workspace, kind, id).await?
            && asks(&row.body)
        {
            return Ok(Some(FlagSource { id: id.clone(), name: row.name }));
        }
    }
    Ok(None)
}

fn asks(body: &str) -> bool {
    json_value::parse(body)
        .ok()
        .and_then(|body| body.get("require_validation").and_then(|flag| flag.as_bool()))
        .unwrap_or(false)
}
