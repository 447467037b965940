//! Pure validation of new tokens, and of the names of people and tokens.

use entracte_domain::time::{Millis, Timestamp};

use super::{NewToken, UseCaseError};
use crate::ports::{AccessReach, AccessStore, EmbedRestriction, TokenKind, TokenScope, TokenScopes};
use crate::terminal_text::one_line;
use crate::texts::{LocalizedMessage, saying};

/// The maximum length of a person's or token's name, in characters.
const NAME_MAX: usize = 100;
/// The maximum validity of a relay token.
const RELAY_MAX: Millis = Millis::minutes(10);
/// The maximum number of origins of a token.
const ORIGINS_MAX: usize = 20;

/// Refuses a token without scopes, or with more than its kind may have.
pub(super) fn check(new: &NewToken, now: Timestamp) -> Result<(), UseCaseError> {
    let invalid = |why: LocalizedMessage| Err(UseCaseError::Invalid(why.into()));
    check_person(&new.person)?;
    if !is_name(&new.name) {
        return invalid(saying!("token-name", given = one_line(&new.name), most = NAME_MAX));
    }
    if new.scopes == TokenScopes::default() {
        return invalid(saying!("token-no-scope"));
    }
    if new.expires_at.is_some_and(|at| at <= now) {
        return invalid(saying!("token-past"));
    }
    if new.kind == TokenKind::Relay {
        return check_relay(new, now);
    }
    new.embedded.as_ref().map_or(Ok(()), |embedded| check_embedded(new, embedded))
}

/// A relay token may leak: it must read one stream only, for minutes.
fn check_relay(new: &NewToken, now: Timestamp) -> Result<(), UseCaseError> {
    let in_one = new.embedded.as_ref().is_some_and(|embedded| embedded.origins.is_empty());
    let in_time = new.expires_at.is_some_and(|at| at <= now.plus(RELAY_MAX));
    let reads = new.scopes == TokenScopes::new([TokenScope::Read]);
    if in_one && in_time && reads && new.reach != AccessReach::Everywhere {
        return Ok(());
    }
    Err(UseCaseError::Invalid(saying!("token-relay").into()))
}

/// Any visitor of the other site has the token: it may chat in its session, and decide nothing.
fn check_embedded(new: &NewToken, embedded: &EmbedRestriction) -> Result<(), UseCaseError> {
    let invalid = |why: LocalizedMessage| Err(UseCaseError::Invalid(why.into()));
    if new.scopes.iter().any(|scope| !matches!(scope, TokenScope::Read | TokenScope::Chat)) {
        return invalid(saying!("token-embedded-scopes"));
    }
    if new.reach == AccessReach::Everywhere || new.kind != TokenKind::Program {
        return invalid(saying!("token-embedded-reach"));
    }
    if !(1..=ORIGINS_MAX).contains(&embedded.origins.len()) {
        return invalid(saying!("token-origins", most = ORIGINS_MAX));
    }
    match embedded.origins.iter().find(|origin| !is_origin(origin)) {
        Some(origin) => invalid(saying!("token-origin", given = one_line(origin))),
        None => Ok(()),
    }
}

/// Whether a text is an origin exactly as browsers send it: in lower case, without the scheme's default port.
fn is_origin(text: &str) -> bool {
    let (host, usual) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
        (Some(host), _) => (host, ":443"),
        (None, Some(host)) => (host, ":80"),
        (None, None) => return false,
    };
    let is_part =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | ':' | '[' | ']');
    !host.is_empty() && !host.starts_with(':') && !host.ends_with(usual) && host.chars().all(is_part)
}

fn is_name(name: &str) -> bool {
    let chars = name.chars().count();
    name.trim() == name && (1..=NAME_MAX).contains(&chars) && !name.chars().any(char::is_control)
}

/// Refuses a name with a bracket for a new person: such names mark the issuer of a token, or distinguish several
/// people of one name.
pub(super) async fn check_new_person(
    access: &dyn AccessStore,
    reach: &AccessReach,
    name: &str,
) -> Result<(), UseCaseError> {
    if !name.contains(['(', ')']) || access.people(reach).await?.iter().any(|person| person.name == name) {
        return Ok(());
    }
    Err(UseCaseError::Invalid(saying!("person-name-brackets", given = one_line(name)).into()))
}

/// Refuses an invalid name of a person.
pub(super) fn check_person(name: &str) -> Result<(), UseCaseError> {
    if is_name(name) {
        return Ok(());
    }
    Err(UseCaseError::Invalid(saying!("person-name", given = one_line(name), most = NAME_MAX).into()))
}
