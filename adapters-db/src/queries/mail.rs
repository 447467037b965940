//! Queries on `mail`.

use diesel::prelude::*;
use entracte_application::ports::{MailId, MailRow};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::mail;

/// Posts a piece of mail; returns its number.
pub(crate) fn post(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    body: &[u8],
    now: Timestamp,
) -> Result<MailId, DbError> {
    let number = diesel::insert_into(mail::table)
        .values((mail::workspace.eq(workspace.as_str()), mail::body.eq(body), mail::posted_at.eq(now.0)))
        .returning(mail::id)
        .get_result(conn)?;
    Ok(MailId(number))
}

/// Whether exactly this piece exists: another process may have posted another one under the number meanwhile.
pub(crate) fn has_mail(
    conn: &mut DbConnection,
    id: MailId,
    workspace: &WorkspaceKey,
    body: &[u8],
    posted_at: Timestamp,
) -> Result<bool, DbError> {
    let piece = mail::table
        .find(id.0)
        .filter(mail::workspace.eq(workspace.as_str()))
        .filter(mail::body.eq(body))
        .filter(mail::posted_at.eq(posted_at.0));
    Ok(piece.select(mail::id).get_result::<i64>(conn).optional()?.is_some())
}

/// All unanswered mail, in order.
pub(crate) fn unanswered(conn: &mut DbConnection) -> Result<Vec<MailRow>, DbError> {
    let query = mail::table.filter(mail::answer.is_null()).order(mail::id).select((
        mail::id,
        mail::workspace,
        mail::body,
        mail::posted_at,
    ));
    let rows: Vec<(i64, String, Vec<u8>, i64)> = query.load(conn)?;
    let row = |(id, workspace, body, posted_at): (i64, String, Vec<u8>, i64)| MailRow {
        id: MailId(id),
        workspace: WorkspaceKey::new(workspace),
        body,
        posted_at: Timestamp(posted_at),
    };
    Ok(rows.into_iter().map(row).collect())
}

/// The answer to a piece of mail.
pub(crate) fn answer(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: MailId,
) -> Result<Option<Vec<u8>>, DbError> {
    let query = mail::table.find(id.0).filter(mail::workspace.eq(workspace.as_str())).select(mail::answer);
    Ok(query.get_result::<Option<Vec<u8>>>(conn).optional()?.flatten())
}

/// Answers an unanswered piece; returns whether it existed without an answer. The first answer stands.
pub(crate) fn set_answer(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: MailId,
    answer: &[u8],
) -> Result<bool, DbError> {
    let open = mail::table
        .filter(mail::id.eq(id.0))
        .filter(mail::workspace.eq(workspace.as_str()))
        .filter(mail::answer.is_null());
    Ok(diesel::update(open).set(mail::answer.eq(answer)).execute(conn)? == 1)
}

/// Deletes answered mail posted before `before`.
pub(crate) fn delete_answered_before(conn: &mut DbConnection, before: Timestamp) -> Result<(), DbError> {
    let old = mail::table.filter(mail::answer.is_not_null()).filter(mail::posted_at.lt(before.0));
    diesel::delete(old).execute(conn)?;
    Ok(())
}

/// Deletes a piece unless it was answered: then its request was carried out, and the answer stands.
pub(crate) fn delete_unanswered(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: MailId,
) -> Result<(), DbError> {
    let open = mail::table
        .filter(mail::id.eq(id.0))
        .filter(mail::workspace.eq(workspace.as_str()))
        .filter(mail::answer.is_null());
    diesel::delete(open).execute(conn)?;
    Ok(())
}
