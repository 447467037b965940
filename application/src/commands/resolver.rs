//! Gathers the levels of the validation of a call: workspace, touched rows, session, model and catalog. The
//! rule itself is in the domain ([`entracte_domain::validation::approval_reasons`]).

use std::sync::Arc;

use entracte_domain::command::CommandKind;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::plan::PlanCommand;
use entracte_domain::validation::{
    ApprovalReason, ApproverRequirement, FlagSource, PerCallApproval, PolicyAnswer, ValidationFlags,
    approval_reasons,
};

use super::CatalogEntry;
use crate::command_naming::CommandNaming;
use crate::json_value;
use crate::ports::{ActionDescription, CallRequest, CommandSpec, ResourceReader, StoreError, TouchedRow};
use crate::settings::WorkspaceSettings;

/// The sources of approval requirements besides the touched rows.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalSources<'a> {
    /// The workspace's settings.
    pub settings: &'a WorkspaceSettings,
    /// Whether the session requires approval of all its actions.
    pub session: bool,
    /// Whether the model requested approval.
    pub ai_request: bool,
    /// The answer of the policy hook, if there is one.
    pub policy: Option<&'a PolicyAnswer>,
}

/// Whether a person may have to approve calls of a command; the policy hook is asked about these. A step that only reports
/// the progress of a plan needs nobody, because a person approved the plan.
pub fn may_ask_person(spec: &CommandSpec) -> bool {
    let planning = PlanCommand::from_word(&spec.name);
    let is_plan_step = spec.kind == CommandKind::Action && planning == Some(PlanCommand::Step);
    !is_plan_step && spec.may_need_approval()
}

/// The flags that require approval of every call of a command, whatever rows it touches; `None` if the
/// command never needs approval.
pub fn standing_flags(spec: &CommandSpec, asking: ApprovalSources<'_>) -> Option<ValidationFlags> {
    if !may_ask_person(spec) {
        return None;
    }
    let planning = PlanCommand::from_word(&spec.name);
    Some(ValidationFlags {
        app: asking.settings.require_validation,
        session: asking.session,
        ai_request: asking.ai_request,
        destructive: spec.destructive,
        egress: spec.egress,
        command_asks: match planning {
            Some(PlanCommand::Propose | PlanCommand::Step) => Some(PerCallApproval::Plan),
            None => spec.asks.then_some(PerCallApproval::Command),
        },
        policy: asking.policy.cloned(),
        policy_approvers: asking.policy.and_then(|answer| policy_approvers(answer, asking.settings)),
        command_approvers: spec.approvers.as_deref().map(|required| {
            asking.settings.approval.requirement_of(&required.named, required.quorum, required.escalate_after)
        }),
        workspace_approvers: asking.settings.approval.requirement(),
        command_four_eyes: spec.four_eyes,
        workspace_four_eyes: asking.settings.four_eyes,
        ..ValidationFlags::default()
    })
}

/// The people that an answer of the policy hook demands; `None` if anybody may approve.
fn policy_approvers(answer: &PolicyAnswer, settings: &WorkspaceSettings) -> Option<ApproverRequirement> {
    let demands = !answer.approvers.is_empty() || answer.quorum > 1;
    demands.then(|| settings.approval.requirement_of(&answer.approvers, answer.quorum, None))
}

/// Why this call needs approval; empty for most queries, see [`CommandSpec::may_need_approval`]. A plan always does.
///
/// # Errors
/// When the rows it touches cannot be read.
pub async fn resolve(
    known: &CatalogEntry,
    request: CallRequest,
    asking: ApprovalSources<'_>,
    rows: &Arc<dyn ResourceReader>,
) -> Result<Vec<ApprovalReason>, StoreError> {
    let Some(flags) = standing_flags(&known.spec, asking) else { return Ok(Vec::new()) };
    let workspace = request.workspace.clone();
    let target = known.executor.target(request, rows.clone()).await?;
    let container = first_row_requiring_approval(rows, &workspace, &target.containers).await?;
    let contained = first_row_requiring_approval(rows, &workspace, &target.contained).await?;
    Ok(approval_reasons(&ValidationFlags { container, contained, ..flags }))
}

/// Describes an action for the person who decides. Every card is made here, so no card has two fields of the same
/// name.
///
/// # Errors
/// When the rows it touches cannot be read.
pub async fn describe(
    known: &CatalogEntry,
    request: CallRequest,
    rows: &Arc<dyn ResourceReader>,
) -> Result<ActionDescription, StoreError> {
    // A person reads it, so the naming of the model's dialect does not apply.
    let request = CallRequest { naming: CommandNaming::Types, ..request };
    Ok(known.executor.describe(request, rows.clone()).await?.with_unique_field_names())
}

/// The first of these rows whose own flag requires approval.
async fn first_row_requiring_approval(
    rows: &Arc<dyn ResourceReader>,
    workspace: &WorkspaceKey,
    touched: &[TouchedRow],
) -> Result<Option<FlagSource>, StoreError> {
    for TouchedRow { kind, id } in touched {
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
