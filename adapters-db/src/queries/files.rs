//! Queries on `files` and `file_uses`: the files of a workspace, and the sessions that name them.

use std::collections::BTreeMap;

use diesel::dsl::{exists, not, sql};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use entracte_application::ports::{FileRow, FileUseRow, SessionFile};
use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::{file_uses, files, mail};

/// The file of a workspace with this digest.
macro_rules! with_digest {
    ($workspace:expr, $digest:expr) => {
        files::table
            .filter(files::workspace.eq($workspace.as_str()))
            .filter(files::digest.eq($digest.as_str()))
    };
}

/// The files of a workspace that no session names.
macro_rules! unnamed {
    ($workspace:expr) => {
        files::table
            .filter(files::workspace.eq($workspace.as_str()))
            .filter(not(exists(file_uses::table.filter(file_uses::file_id.eq(files::file_id)))))
    };
}

/// Stores a file. Bytes that the workspace holds stay, and their row is replaced.
pub(crate) fn put(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    row: &FileRow,
    bytes: &[u8],
) -> Result<(), DbError> {
    let FileRow { file, author, stored_at } = row;
    let FileReference { digest, media_type, name, bytes: size, dimensions, pages, model_form } = file;
    let size = to_column(*size)?;
    let width = dimensions.map(|pixels| i64::from(pixels.width));
    let height = dimensions.map(|pixels| i64::from(pixels.height));
    let pages = pages.map(i64::from);
    let form = model_form.as_ref().map(|form| form.digest.as_str());
    let first_frame = model_form.as_ref().is_some_and(|form| form.is_first_frame);
    let columns = || {
        (
            files::media_type.eq(media_type),
            files::name.eq(name),
            files::size.eq(size),
            files::width.eq(width),
            files::height.eq(height),
            files::pages.eq(pages),
            files::author.eq(author),
            files::stored_at.eq(stored_at.0),
            files::form.eq(form),
            files::first_frame.eq(first_frame),
        )
    };
    if diesel::update(with_digest!(workspace, digest)).set(columns()).execute(conn)? > 0 {
        return Ok(());
    }
    let key = (files::workspace.eq(workspace.as_str()), files::digest.eq(digest.as_str()));
    diesel::insert_into(files::table).values((key, columns(), files::bytes.eq(bytes))).execute(conn)?;
    Ok(())
}

type FileColumns =
    (String, String, String, i64, Option<i64>, Option<i64>, Option<i64>, String, i64, Option<String>, bool);

/// The row of a file that this workspace holds.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    digest: &Digest,
) -> Result<Option<FileRow>, DbError> {
    let Some((found, form, is_first_frame)) = columns_of(conn, workspace, digest)? else {
        return Ok(None);
    };
    let Some(form) = form else { return Ok(Some(found)) };
    let form = columns_of(conn, workspace, &Digest::new(form))?.map(|(row, ..)| row.file);
    let model_form = form.and_then(|FileReference { digest, media_type, bytes, dimensions, .. }| {
        let dimensions = dimensions?;
        Some(ModelForm { digest, media_type, bytes, dimensions, is_first_frame })
    });
    Ok(Some(FileRow { file: FileReference { model_form, ..found.file }, ..found }))
}

/// The row of a file without its form for models, the digest of that form, and whether it is a first frame.
fn columns_of(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    digest: &Digest,
) -> Result<Option<(FileRow, Option<String>, bool)>, DbError> {
    let query = with_digest!(workspace, digest).select((
        files::digest,
        files::media_type,
        files::name,
        files::size,
        files::width,
        files::height,
        files::pages,
        files::author,
        files::stored_at,
        files::form,
        files::first_frame,
    ));
    query.get_result::<FileColumns>(conn).optional()?.map(row).transpose()
}

fn row(columns: FileColumns) -> Result<(FileRow, Option<String>, bool), DbError> {
    let (digest, media_type, name, size, width, height, pages, author, stored_at, form, first_frame) =
        columns;
    let place = |column: &'static str| {
        let digest = digest.clone();
        move || format!("files, {digest}, {column}")
    };
    let width = width.map(|number| from_column::<u32>(number, place("width"))).transpose()?;
    let height = height.map(|number| from_column::<u32>(number, place("height"))).transpose()?;
    let pages = pages.map(|number| from_column::<u32>(number, place("pages"))).transpose()?;
    let bytes = from_column(size, place("size"))?;
    let file = FileReference {
        dimensions: width.zip(height).map(|(width, height)| PixelDimensions { width, height }),
        digest: Digest::new(digest),
        media_type,
        name,
        bytes,
        pages,
        model_form: None,
    };
    Ok((FileRow { file, author, stored_at: Timestamp(stored_at) }, form, first_frame))
}

/// The bytes of a file that this workspace holds.
pub(crate) fn bytes(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    digest: &Digest,
) -> Result<Option<Vec<u8>>, DbError> {
    let query = with_digest!(workspace, digest).select(files::bytes);
    Ok(query.get_result(conn).optional()?)
}

/// The files that a session names.
pub(crate) fn of_session(
    conn: &mut DbConnection,
    session_id: i64,
) -> Result<BTreeMap<Digest, SessionFile>, DbError> {
    let query = file_uses::table
        .inner_join(files::table)
        .filter(file_uses::session_id.eq(session_id))
        .select((files::digest, file_uses::name, files::size));
    let rows: Vec<(String, String, i64)> = query.load(conn)?;
    let named = |(digest, name, size): (String, String, i64)| {
        (Digest::new(digest), SessionFile { name, bytes: size.unsigned_abs() })
    };
    Ok(rows.into_iter().map(named).collect())
}

/// The sum of the sizes of the files of a workspace that no session names.
pub(crate) fn unnamed_bytes(conn: &mut DbConnection, workspace: &WorkspaceKey) -> Result<u64, DbError> {
    let sum = sql::<BigInt>("CAST(coalesce(sum(size), 0) AS BIGINT)");
    let bytes: i64 = unnamed!(workspace).select(sum).get_result(conn)?;
    Ok(bytes.unsigned_abs())
}

/// Deletes the files of a workspace that no session names and that were stored before this instant; none while mail of
/// the workspace is unanswered, because a message in it may name them.
pub(crate) fn delete_unnamed(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    before: Timestamp,
) -> Result<usize, DbError> {
    let waiting = mail::table
        .filter(mail::workspace.eq(workspace.as_str()))
        .filter(mail::answer.is_null())
        .select(mail::id);
    if waiting.limit(1).get_result::<i64>(conn).optional()?.is_some() {
        return Ok(0);
    }
    Ok(diesel::delete(unnamed!(workspace).filter(files::stored_at.lt(before.0))).execute(conn)?)
}

/// Notes that a session names a file, if its workspace holds that. The first note of a session stands; a later one adds
/// only that a message names it.
pub(crate) fn note_use(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session_id: i64,
    row: &FileUseRow,
) -> Result<(), DbError> {
    let Some(file_id) = number(conn, workspace, &row.digest)? else { return Ok(()) };
    let known = || file_uses::table.find((session_id, file_id));
    let in_message = known().select(file_uses::in_message).get_result::<bool>(conn).optional()?;
    if in_message == Some(false) && row.in_message {
        diesel::update(known()).set(file_uses::in_message.eq(true)).execute(conn)?;
    }
    if in_message.is_none() {
        let columns = (
            file_uses::session_id.eq(session_id),
            file_uses::file_id.eq(file_id),
            file_uses::name.eq(&row.name),
            file_uses::in_message.eq(row.in_message),
            file_uses::author.eq(&row.author),
            file_uses::at.eq(row.at.0),
        );
        diesel::insert_into(file_uses::table).values(columns).execute(conn)?;
    }
    Ok(())
}

/// The database number of a workspace's file.
fn number(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    digest: &Digest,
) -> Result<Option<i64>, DbError> {
    let query = with_digest!(workspace, digest).select(files::file_id);
    Ok(query.get_result(conn).optional()?)
}

/// Removes the note that a session names a file, unless a message does, and the file if no session names it any more.
pub(crate) fn release(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session_id: i64,
    digest: &Digest,
) -> Result<(), DbError> {
    let Some(file_id) = number(conn, workspace, digest)? else { return Ok(()) };
    let of_results = file_uses::table
        .filter(file_uses::session_id.eq(session_id))
        .filter(file_uses::file_id.eq(file_id))
        .filter(file_uses::in_message.eq(false));
    match diesel::delete(of_results).execute(conn)? {
        0 => Ok(()),
        _ => delete_unused(conn, &[file_id]),
    }
}

/// The files that a session names.
pub(crate) fn used_by(conn: &mut DbConnection, session_id: i64) -> Result<Vec<i64>, DbError> {
    let query = file_uses::table.filter(file_uses::session_id.eq(session_id));
    Ok(query.select(file_uses::file_id).load(conn)?)
}

/// Deletes those of these files that no session names any more.
pub(crate) fn delete_unused(conn: &mut DbConnection, file_ids: &[i64]) -> Result<(), DbError> {
    for &file_id in file_ids {
        let uses = file_uses::table.filter(file_uses::file_id.eq(file_id)).select(file_uses::file_id);
        if uses.limit(1).get_result::<i64>(conn).optional()?.is_none() {
            diesel::delete(files::table.filter(files::file_id.eq(file_id))).execute(conn)?;
        }
    }
    Ok(())
}
