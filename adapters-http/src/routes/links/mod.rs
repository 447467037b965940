//! Links to one card: to look at it, and to decide on it once.
//!
//! Programs open links before people do. So a GET is an empty page, and the secret stands behind the `#`; `open` shows the
//! card and spends nothing; `act` needs what `open` gave, and the press of a button.

pub(crate) mod act;
pub(crate) mod open;

use std::net::IpAddr;

use entracte_application::ports::{LinkRow, Scope};
use entracte_application::system::sha256;
use http::HeaderMap;

use crate::access::known;
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::approvals::asked;
use crate::shapes::card::CardShape;

/// The link of a secret, for whoever may use it.
async fn link(house: &House, headers: &HeaderMap, client: IpAddr, secret: &str) -> Result<LinkRow, Problem> {
    let spent =
        || Problem::new(Code::LinkSpent, "this link was used or has expired; see what waits in the console");
    let Some(link) = house.ports.outbox.link(&sha256(secret.as_bytes())).await? else {
        return Err(house.count_failure(client, spent()));
    };
    if link.used_at.is_some() || link.expires_at <= house.ports.clock.now() {
        return Err(spent());
    }
    // A link that leaked, or was opened elsewhere, is worth nothing without its person.
    if !link.is_private {
        let visitor = known(headers, house, client).await?;
        let is_theirs = visitor.as_ref().is_some_and(|visitor| {
            visitor.author() == link.person
                && visitor.reach().covers(&link.workspace)
                && visitor.scopes().allow(Scope::Approve)
        });
        if !is_theirs {
            let text = "log in as the person whom this link was sent to, on this browser, and open it again";
            return Err(Problem::new(Code::LoginNeeded, text));
        }
    }
    Ok(link)
}

/// The card of a link, as it waits; or why it does not.
async fn card(house: &House, link: &LinkRow) -> Result<CardShape, Problem> {
    let found = asked(house, &link.workspace, link.approval.as_str()).await?;
    let Some(card) = found.card else {
        let text = "it was decided, or waits for nobody any more";
        return Err(Problem::new(Code::AlreadyDecided, text));
    };
    if card.id != link.approval.as_str() || card.digest.as_deref() != Some(link.digest.as_str()) {
        let text = "what is asked has changed since this link was sent; see what waits in the console";
        return Err(Problem::new(Code::Changed, text));
    }
    let is_long = card.arguments_text.chars().count() > house.terms.notify.link_max_chars;
    if card.destructive || card.changed || is_long || !card.marks.is_empty() {
        let text = "this is not for a link to decide; see it in the console";
        return Err(Problem::new(Code::NotApplicable, text));
    }
    Ok(card)
}
