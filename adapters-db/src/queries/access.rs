//! Queries on `people` and `tokens`.

use diesel::prelude::*;
use entracte_application::ports::{
    AccessReach, EmbedRestriction, Person, STREAM_TICKETS_MAX, StreamTicketRow, TokenKind, TokenRow,
    TokenScopes,
};
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::db_error::{DbError, to_conflict};
use crate::prepared_statements::PreparedQuery;
use crate::schema::{people, stream_tickets, tokens};

type PersonColumns = (String, String, String, i64, Option<i64>);

/// The columns of a token and its person.
#[derive(Queryable)]
struct TokenColumns {
    id: String,
    person: String,
    reach: String,
    kind: String,
    name: String,
    hash: String,
    proof: Option<String>,
    scopes: String,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    last_used: Option<i64>,
    session: Option<String>,
    origins: Option<String>,
    made_by: Option<String>,
    login_until: Option<i64>,
    owner: PersonColumns,
}

/// Selects the columns of [`TokenColumns`].
macro_rules! columns {
    () => {
        (
            tokens::id,
            tokens::person,
            tokens::reach,
            tokens::kind,
            tokens::name,
            tokens::hash,
            tokens::proof,
            tokens::scopes,
            tokens::created_at,
            tokens::expires_at,
            tokens::revoked_at,
            tokens::last_used,
            tokens::session,
            tokens::origins,
            tokens::made_by,
            tokens::login_until,
            people::all_columns,
        )
    };
}

/// Adds a person, or returns the existing one with that name and reach. If that person was removed, the name with the
/// next number is used. A concurrent addition by another process is a conflict.
pub(crate) fn add_person(conn: &mut DbConnection, person: &Person) -> Result<Person, DbError> {
    let mut name = person.name.clone();
    for number in 2_u64.. {
        let same = people::table.filter(people::reach.eq(person.reach.word())).filter(people::name.eq(&name));
        match same.select(people::all_columns).get_result::<PersonColumns>(conn).optional()? {
            None => break,
            Some(known) if known.4.is_none() => return Ok(person_of(known)),
            Some(_) => name = format!("{} ({number})", person.name),
        }
    }
    diesel::insert_into(people::table)
        .values((
            people::id.eq(&person.id),
            people::reach.eq(person.reach.word()),
            people::name.eq(&name),
            people::created_at.eq(person.created_at.0),
            people::removed_at.eq(person.removed_at.map(|at| at.0)),
        ))
        .execute(conn)
        .map_err(|error| to_conflict(error, || format!("person {name}")))?;
    Ok(Person { name, ..person.clone() })
}

/// Marks a person as removed; the first time stands.
pub(crate) fn remove_person(conn: &mut DbConnection, id: &str, at: Timestamp) -> Result<(), DbError> {
    let there = people::table.filter(people::id.eq(id)).filter(people::removed_at.is_null());
    diesel::update(there).set(people::removed_at.eq(at.0)).execute(conn)?;
    Ok(())
}

/// The people with exactly this reach, by name.
pub(crate) fn people(conn: &mut DbConnection, reach: &AccessReach) -> Result<Vec<Person>, DbError> {
    let here = people::table.filter(people::reach.eq(reach.word())).order(people::name);
    let rows: Vec<PersonColumns> = here.select(people::all_columns).load(conn)?;
    Ok(rows.into_iter().map(person_of).collect())
}

/// Adds a token unless its id exists.
pub(crate) fn add_token(conn: &mut DbConnection, token: &TokenRow) -> Result<(), DbError> {
    if has_token(conn, &token.id)? {
        return Ok(());
    }
    if token.kind == TokenKind::Relay {
        let relays = tokens::table.filter(tokens::kind.eq(TokenKind::Relay.word()));
        let over = relays.filter(tokens::expires_at.le(token.created_at.0));
        diesel::delete(over).execute(conn)?;
    }
    diesel::insert_into(tokens::table)
        .values((
            tokens::id.eq(&token.id),
            tokens::person.eq(&token.person),
            tokens::reach.eq(token.reach.word()),
            tokens::kind.eq(token.kind.word()),
            tokens::name.eq(&token.name),
            tokens::hash.eq(token.hash.as_str()),
            tokens::proof.eq(token.proof.as_ref().map(Digest::as_str)),
            tokens::scopes.eq(token.scopes.words()),
            tokens::created_at.eq(token.created_at.0),
            tokens::expires_at.eq(token.expires_at.map(|at| at.0)),
            tokens::revoked_at.eq(token.revoked_at.map(|at| at.0)),
            tokens::last_used.eq(token.last_used.map(|at| at.0)),
            tokens::session.eq(token.embedded.as_ref().map(|embedded| embedded.session.as_str())),
            tokens::origins.eq(token.embedded.as_ref().map(EmbedRestriction::words)),
            tokens::made_by.eq(&token.made_by),
            tokens::login_until.eq(token.login_until.map(|at| at.0)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Whether a token with this id exists.
pub(crate) fn has_token(conn: &mut DbConnection, id: &str) -> Result<bool, DbError> {
    let found = tokens::table.find(id).select(tokens::id).get_result::<String>(conn).optional()?;
    Ok(found.is_some())
}

/// The token with this id, and its person.
pub(crate) fn token(conn: &mut DbConnection, id: &str) -> Result<Option<(TokenRow, Person)>, DbError> {
    let one = tokens::table.inner_join(people::table).filter(tokens::id.eq(id));
    let columns = one.select(columns!()).get_result::<TokenColumns>(conn).optional()?;
    columns.map(token_of).transpose()
}

/// The tokens of a workspace, or all tokens, latest first.
pub(crate) fn tokens(
    conn: &mut DbConnection,
    reach: &AccessReach,
) -> Result<Vec<(TokenRow, Person)>, DbError> {
    let all = tokens::table.inner_join(people::table).order((tokens::created_at.desc(), tokens::id));
    let rows: Vec<TokenColumns> = match reach {
        AccessReach::Everywhere => all.select(columns!()).load(conn)?,
        AccessReach::Workspace(_) => {
            all.filter(tokens::reach.eq(reach.word())).select(columns!()).load(conn)?
        }
    };
    rows.into_iter().map(token_of).collect()
}

/// Revokes a token within the reach; returns whether it exists. The first revocation stands.
pub(crate) fn revoke(
    conn: &mut DbConnection,
    reach: &AccessReach,
    id: &str,
    at: Timestamp,
) -> Result<bool, DbError> {
    let Some((found, _)) = token(conn, id)? else { return Ok(false) };
    if *reach != AccessReach::Everywhere && found.reach != *reach {
        return Ok(false);
    }
    let open = tokens::table.filter(tokens::id.eq(id)).filter(tokens::revoked_at.is_null());
    PreparedQuery(diesel::update(open).set(tokens::revoked_at.eq(at.0)).returning(tokens::id))
        .get_result::<String>(conn)
        .optional()?;
    Ok(true)
}

/// Revokes an unrevoked token and adds its replacement; returns whether this call did so.
pub(crate) fn exchange_token(conn: &mut DbConnection, id: &str, token: &TokenRow) -> Result<bool, DbError> {
    let open = tokens::table.filter(tokens::id.eq(id)).filter(tokens::revoked_at.is_null());
    let at = token.created_at.0;
    let spent = PreparedQuery(diesel::update(open).set(tokens::revoked_at.eq(at)).returning(tokens::id))
        .get_result::<String>(conn)
        .optional()?;
    if spent.is_some() {
        add_token(conn, token)?;
    }
    Ok(spent.is_some())
}

/// Records the use of a token.
pub(crate) fn record_token_use(conn: &mut DbConnection, id: &str, at: Timestamp) -> Result<(), DbError> {
    diesel::update(tokens::table.find(id)).set(tokens::last_used.eq(at.0)).execute(conn)?;
    Ok(())
}

/// Adds a stream ticket; removes those whose time is over, and the oldest of its token beyond the limit.
pub(crate) fn add_stream_ticket(conn: &mut DbConnection, ticket: &StreamTicketRow) -> Result<(), DbError> {
    let over = stream_tickets::table.filter(stream_tickets::expires_at.le(ticket.created_at.0));
    diesel::delete(over).execute(conn)?;
    let own: Vec<String> = stream_tickets::table
        .filter(stream_tickets::token.eq(&ticket.token))
        .order((stream_tickets::created_at.desc(), stream_tickets::hash.desc()))
        .select(stream_tickets::hash)
        .load(conn)?;
    let oldest = own.get(STREAM_TICKETS_MAX - 1..).unwrap_or_default();
    diesel::delete(stream_tickets::table.filter(stream_tickets::hash.eq_any(oldest))).execute(conn)?;
    diesel::insert_into(stream_tickets::table)
        .values((
            stream_tickets::hash.eq(ticket.hash.as_str()),
            stream_tickets::token.eq(&ticket.token),
            stream_tickets::path.eq(&ticket.path),
            stream_tickets::created_at.eq(ticket.created_at.0),
            stream_tickets::expires_at.eq(ticket.expires_at.0),
        ))
        .execute(conn)?;
    Ok(())
}

/// The stream ticket with this hash.
pub(crate) fn stream_ticket(
    conn: &mut DbConnection,
    hash: &Digest,
) -> Result<Option<StreamTicketRow>, DbError> {
    let one = stream_tickets::table.find(hash.as_str());
    let found = one.get_result::<(String, String, String, i64, i64)>(conn).optional()?;
    Ok(found.map(|(hash, token, path, created_at, expires_at)| StreamTicketRow {
        hash: Digest::new(hash),
        token,
        path,
        created_at: Timestamp(created_at),
        expires_at: Timestamp(expires_at),
    }))
}

fn person_of((id, reach, name, created_at, removed_at): PersonColumns) -> Person {
    Person {
        id,
        reach: AccessReach::from_word(&reach),
        name,
        created_at: Timestamp(created_at),
        removed_at: removed_at.map(Timestamp),
    }
}

fn token_of(columns: TokenColumns) -> Result<(TokenRow, Person), DbError> {
    let damaged = || DbError::Damaged(format!("tokens, {}, kind: {}", columns.id, columns.kind));
    let kind = TokenKind::from_word(&columns.kind).ok_or_else(damaged)?;
    let token = TokenRow {
        id: columns.id,
        person: columns.person,
        reach: AccessReach::from_word(&columns.reach),
        kind,
        name: columns.name,
        hash: Digest::new(columns.hash),
        proof: columns.proof.map(Digest::new),
        scopes: TokenScopes::from_words(&columns.scopes),
        embedded: columns.session.map(|session| {
            EmbedRestriction::from_words(session, columns.origins.as_deref().unwrap_or_default())
        }),
        created_at: Timestamp(columns.created_at),
        expires_at: columns.expires_at.map(Timestamp),
        revoked_at: columns.revoked_at.map(Timestamp),
        last_used: columns.last_used.map(Timestamp),
        made_by: columns.made_by,
        login_until: columns.login_until.map(Timestamp),
    };
    Ok((token, person_of(columns.owner)))
}
