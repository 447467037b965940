//! Zones and tools that rows belong to. Missing ones are left out, because an action on them is refused anyway.

use std::collections::BTreeSet;

use entracte_application::ports::{ActionTarget, StoreError, TouchedRow};

use super::call_context::{ResourceCallContext, children_of};
use super::resource_kinds::{ENTRY, TOOL, ZONE};

/// The zone whose id is in `argument`.
pub(crate) async fn zone(ask: &ResourceCallContext<'_>, argument: &str) -> Result<ActionTarget, StoreError> {
    let Some(id) = ask.text(argument) else { return Ok(ActionTarget::default()) };
    let zone = ask.find(ZONE, id).await?;
    Ok(ActionTarget {
        containers: zone.map(|zone| touched(ZONE, zone.row.id)).into_iter().collect(),
        ..ActionTarget::default()
    })
}

/// The zone whose id is in `argument`, and all its tools.
pub(crate) async fn zone_and_tools(
    ask: &ResourceCallContext<'_>,
    argument: &str,
) -> Result<ActionTarget, StoreError> {
    let mut target = zone(ask, argument).await?;
    for TouchedRow { id, .. } in &target.containers {
        let tools = ask.list(&children_of(TOOL, id)).await?;
        target.contained.extend(tools.into_iter().map(|tool| touched(TOOL, tool.row.id)));
    }
    Ok(target)
}

/// The tool whose id is in `argument`, and its zone.
pub(crate) async fn tool(ask: &ResourceCallContext<'_>, argument: &str) -> Result<ActionTarget, StoreError> {
    tools(ask, ask.text(argument)).await
}

/// The tools of entries, and their zones.
pub(crate) async fn entries(
    ask: &ResourceCallContext<'_>,
    ids: impl Iterator<Item = &str>,
) -> Result<ActionTarget, StoreError> {
    let mut parents = BTreeSet::new();
    for id in ids {
        parents.extend(ask.find(ENTRY, id).await?.and_then(|entry| entry.row.parent));
    }
    tools(ask, parents.iter().map(String::as_str)).await
}

async fn tools(
    ask: &ResourceCallContext<'_>,
    ids: impl IntoIterator<Item = &str>,
) -> Result<ActionTarget, StoreError> {
    let (mut zones, mut tools) = (BTreeSet::new(), BTreeSet::new());
    for id in ids {
        if let Some(tool) = ask.find(TOOL, id).await? {
            zones.extend(tool.row.parent.map(|zone| touched(ZONE, zone)));
            tools.insert(touched(TOOL, tool.row.id));
        }
    }
    Ok(ActionTarget { containers: zones.into_iter().collect(), contained: tools.into_iter().collect() })
}

fn touched(kind: &'static str, id: String) -> TouchedRow {
    TouchedRow { kind, id }
}
