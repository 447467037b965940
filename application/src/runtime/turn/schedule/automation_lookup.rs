//! Automations including the draft.

use entracte_domain::id::AutomationId;

use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::turn::context::TurnContext;
use crate::runtime::turn::draft::TurnDraft;

/// The automation including this draft.
pub(crate) fn find_automation(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    id: &AutomationId,
) -> Option<ScheduledAutomation> {
    if draft.is_automation_deleted(id) {
        return None;
    }
    draft.automations.get(id).or_else(|| turn.memory.schedule.find(id)).cloned()
}
