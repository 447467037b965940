//! Merges a server's pins with its offered tools, and accepts an offer. Pure.

use std::collections::BTreeMap;

use entracte_domain::id::Digest;

use super::{DeclarationPin, PinAcceptError, PinnedServer, PinnedTool};
use crate::mcp::tool_offer::{ToolOfferList, ToolSizeExcess};

/// The offer under one name.
enum PinCandidate {
    Pin(DeclarationPin),
    Refused(ToolSizeExcess),
}

/// The pins after a comparison with the server's current offer.
pub(super) fn merged(known: Option<&PinnedServer>, live: &ToolOfferList) -> PinnedServer {
    let mut offers: BTreeMap<String, PinCandidate> = BTreeMap::new();
    for declaration in &live.whole {
        // Of two tools with one name the first counts; the second could only confuse.
        offers
            .entry(declaration.name.clone())
            .or_insert_with(|| PinCandidate::Pin(declaration.clone().into()));
    }
    for (name, why) in &live.refused {
        offers.entry(name.clone()).or_insert_with(|| PinCandidate::Refused(why.clone()));
    }
    let Some(known) = known else {
        return PinnedServer {
            tools: offers.into_iter().map(|(name, offer)| (name, first_met(offer))).collect(),
            ..PinnedServer::default()
        };
    };
    let mut tools = BTreeMap::new();
    for (name, tool) in &known.tools {
        let offer = offers.remove(name);
        // A new tool that was withdrawn before a decision leaves no pin.
        if offer.is_some() || tool.accepted.is_some() {
            tools.insert(name.clone(), compared(tool, offer));
        }
    }
    for (name, offer) in offers {
        tools.insert(name, compared(&PinnedTool::default(), Some(offer)));
    }
    PinnedServer { tools, ..PinnedServer::default() }
}

fn first_met(offer: PinCandidate) -> PinnedTool {
    match offer {
        PinCandidate::Pin(pin) => PinnedTool { accepted: Some(pin), ..PinnedTool::default() },
        PinCandidate::Refused(why) => PinnedTool { refused: Some(why), ..PinnedTool::default() },
    }
}

fn compared(known: &PinnedTool, offer: Option<PinCandidate>) -> PinnedTool {
    let accepted = known.accepted.clone();
    let is_same =
        |offer: &DeclarationPin| accepted.as_ref().is_some_and(|accepted| accepted.hash == offer.hash);
    let (offered, refused, gone) = match offer {
        None => (None, None, true),
        Some(PinCandidate::Refused(why)) => (None, Some(why), false),
        Some(PinCandidate::Pin(pin)) => (Some(pin).filter(|pin| !is_same(pin)), None, false),
    };
    PinnedTool { accepted, offered, refused, validation: known.validation, gone }
}

/// Makes the offered declaration the accepted one. A decision about the earlier one does not count for it.
pub(super) fn accept(
    known: &mut PinnedTool,
    tool: &str,
    seen: Option<&Digest>,
) -> Result<(), PinAcceptError> {
    if let Some(why) = &known.refused {
        return Err(PinAcceptError::Refused { tool: tool.to_owned(), why: why.clone() });
    }
    let Some(offered) = &known.offered else { return Err(PinAcceptError::Nothing(tool.to_owned())) };
    if seen.is_some_and(|seen| seen.as_str() != offered.hash) {
        return Err(PinAcceptError::Changed(tool.to_owned()));
    }
    known.accepted = known.offered.take();
    known.validation = None;
    Ok(())
}
