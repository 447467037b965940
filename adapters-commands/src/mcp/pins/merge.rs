//! What becomes of a server's pins when it says what tools it has, and when a person accepts one. Pure.

use std::collections::BTreeMap;

use entracte_domain::id::Digest;

use super::{AcceptError, Pin, PinnedServer, PinnedTool};
use crate::mcp::declaration::Declaration;

/// The pins after a comparison with what the server offers now.
pub(super) fn merged(known: Option<&PinnedServer>, live: &[Declaration]) -> PinnedServer {
    let mut offers: BTreeMap<String, Pin> = BTreeMap::new();
    for declaration in live {
        // Of two tools with one name the first is the one; the other could only confuse.
        offers.entry(declaration.name.clone()).or_insert_with(|| declaration.clone().into());
    }
    let Some(known) = known else {
        return PinnedServer {
            tools: offers.into_iter().map(|(name, pin)| (name, first_met(pin))).collect(),
        };
    };
    let mut tools = BTreeMap::new();
    for (name, tool) in &known.tools {
        let offer = offers.remove(name);
        // A new tool that went away before anybody decided leaves nothing behind.
        if offer.is_some() || tool.accepted.is_some() {
            tools.insert(name.clone(), compared(tool, offer));
        }
    }
    for (name, offer) in offers {
        tools.insert(name, PinnedTool { accepted: None, offered: Some(offer), gone: false });
    }
    PinnedServer { tools }
}

fn first_met(pin: Pin) -> PinnedTool {
    PinnedTool { accepted: Some(pin), offered: None, gone: false }
}

fn compared(known: &PinnedTool, offer: Option<Pin>) -> PinnedTool {
    let gone = offer.is_none();
    let same = |offer: &Pin| known.accepted.as_ref().is_some_and(|accepted| accepted.hash == offer.hash);
    PinnedTool { accepted: known.accepted.clone(), offered: offer.filter(|offer| !same(offer)), gone }
}

/// Makes what is offered what is accepted.
pub(super) fn accept(known: &mut PinnedTool, tool: &str, seen: Option<&Digest>) -> Result<(), AcceptError> {
    let Some(offered) = &known.offered else { return Err(AcceptError::Nothing(tool.to_owned())) };
    if seen.is_some_and(|seen| seen.as_str() != offered.hash) {
        return Err(AcceptError::Changed(tool.to_owned()));
    }
    known.accepted = known.offered.take();
    Ok(())
}
