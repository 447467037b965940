//! Links to one card: to view it, and to decide on it once.
//!
//! Programs open links before people do. So a GET returns an empty page, and the secret is in the URL fragment; `open`
//! shows the card and spends nothing; `act` needs a value from `open`, and the press of a button.

pub(crate) mod decide;
pub(crate) mod open;

use std::net::IpAddr;

use entracte_application::notify::NotificationTarget;
use entracte_application::ports::{AccessReach, LinkRow, Person, TokenKind, TokenRow, TokenScope};
use entracte_application::system::sha256;
use entracte_application::terminal_text::{block, mixed_words, one_line};
use entracte_application::texts::{ReaderLanguage, saying};
use entracte_application::use_cases::{ReadNotificationTargets, UseCaseError};
use entracte_domain::time::Timestamp;
use http::HeaderMap;

use crate::authentication::authenticate_optional;
use crate::problem::{Problem, ProblemCode};
use crate::routes::approvals::find_approval_subject;
use crate::server_state::ServerState;
use crate::shapes::card::CardShape;

/// Finds the link of a secret, if the caller may use it.
async fn link(
    state: &ServerState,
    headers: &HeaderMap,
    client: IpAddr,
    secret: &str,
) -> Result<LinkRow, Problem> {
    let spent = || Problem::new(ProblemCode::LinkSpent, saying!("refusal-link-spent"));
    let Some(link) = state.ports.outbox.link(&sha256(secret.as_bytes())).await? else {
        return Err(state.count_failure(client, spent()));
    };
    if link.used_at.is_some() || link.expires_at <= state.ports.clock.now() {
        return Err(spent());
    }
    let Some(target) = target_of_link(state, &link).await? else { return Err(spent()) };
    if !may_approve(state, &link).await? {
        return Err(spent());
    }
    // A link that leaked, or was opened elsewhere, needs its person to be logged in. A link sent to a private target
    // works without a login only while the target is still private.
    if !(link.is_private && target.wants.is_private) {
        let visitor = authenticate_optional(headers, state, client).await?;
        let is_theirs = visitor.as_ref().is_some_and(|visitor| {
            visitor.author() == link.person
                && visitor.reach().covers(&link.workspace)
                && visitor.scopes().allow(TokenScope::Approve)
        });
        if !is_theirs {
            let text = saying!("refusal-link-person");
            return Err(Problem::new(ProblemCode::LoginNeeded, text));
        }
    }
    Ok(link)
}

/// The target that a link was sent to, if it still wants links: a person who turned links off may have lost some.
async fn target_of_link(state: &ServerState, link: &LinkRow) -> Result<Option<NotificationTarget>, Problem> {
    let read = ReadNotificationTargets::new(state.ports.outbox.clone(), state.ports.store.clone());
    match read.one(&link.workspace, &link.target).await {
        Ok(view) => Ok(Some(view.target).filter(|target| target.wants.has_links)),
        Err(UseCaseError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the person of a link may still approve. An operator always may, even without a valid token.
async fn may_approve(state: &ServerState, link: &LinkRow) -> Result<bool, Problem> {
    let access = &state.ports.access;
    let operators = access.people(&AccessReach::Everywhere).await?;
    if operators.iter().any(|person| person.name == link.person) {
        return Ok(true);
    }
    let tokens = access.tokens(&AccessReach::Workspace(link.workspace.clone())).await?;
    Ok(has_approving_token(&tokens, &link.person, state.ports.clock.now()))
}

/// Whether one of a person's tokens has the scope `approve`. A person who never had a token is known only on the
/// machine, where the target was added; when all tokens of a person are removed, the links are removed too.
fn has_approving_token(tokens: &[(TokenRow, Person)], person: &str, now: Timestamp) -> bool {
    let is_given = |token: &TokenRow| {
        matches!(token.kind, TokenKind::Program | TokenKind::Browser) && token.embedded.is_none()
    };
    let own = tokens.iter().filter(|(token, whose)| token.author(whose) == person && is_given(token));
    let own: Vec<&TokenRow> = own.map(|(token, _)| token).collect();
    let counts = |token: &&TokenRow| {
        token.revoked_at.is_none()
            && token.expires_at.is_none_or(|at| at > now)
            && token.scopes.allow(TokenScope::Approve)
    };
    own.is_empty() || own.iter().any(counts)
}

/// The pending card of a link, or the reason why it is not pending. Names and warnings are untrusted: invisible
/// characters in them are marked, because the page of a link shows text unchanged.
async fn card(state: &ServerState, link: &LinkRow, reader: ReaderLanguage) -> Result<CardShape, Problem> {
    let found = find_approval_subject(state, &link.workspace, link.approval.as_str(), reader).await?;
    let Some(card) = found.card else {
        let text = saying!("refusal-link-decided");
        return Err(Problem::new(ProblemCode::AlreadyDecided, text));
    };
    if card.id != link.approval.as_str() || card.digest.as_deref() != Some(link.digest.as_str()) {
        let text = saying!("refusal-link-changed");
        return Err(Problem::new(ProblemCode::Changed, text));
    }
    let is_long = card.arguments_text.chars().count() > state.terms.notify.link_max_chars;
    let has_lookalikes =
        [&card.says, &card.arguments_text].into_iter().any(|text| !mixed_words(text).is_empty());
    if card.destructive || card.changed || is_long || has_lookalikes || !card.marks.is_empty() {
        let text = saying!("refusal-link-unfit");
        return Err(Problem::new(ProblemCode::NotApplicable, text));
    }
    Ok(CardShape {
        session_name: one_line(&card.session_name),
        command: one_line(&card.command),
        acts_as: card.acts_as.as_deref().map(one_line),
        warnings: card.warnings.iter().map(|warning| block(warning)).collect(),
        ..card
    })
}
