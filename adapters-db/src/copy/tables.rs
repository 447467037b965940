//! All tables of a copy, parents before children. A test compares them with the tables of the database.

use diesel::prelude::*;

use super::table::{LARGE_ROWS_PAGE, PAGE, RowCopyError, TableCopier, for_each_page, table};
use crate::connection::DbConnection;
use crate::schema::{
    automations, blobs, calls, changes, chunk_vectors, chunks, costs, deletions, document_reads, documents,
    file_uses, files, hashes, inbox_assignments, inbox_items, inbox_snoozes, instructions, libraries, links,
    log, mail, occurrences, outbox, owner, people, prefix_uses, receipts, resources, retention_marks,
    sessions, stream_tickets, targets, task_arrivals, tasks, terms, tokens, uncounted_sessions, workers,
    workspaces,
};

pub(crate) const TABLES: &[TableCopier] = &[
    table!(workspaces {
        workspace_id: i64, key: String, seq: i64, body: Vec<u8>, created_at: i64, epoch: i64,
        owner_id: Option<i64>,
    } number Some("workspace_id"), key (workspace_id),
    after |last| workspaces::workspace_id.gt(last.workspace_id)),
    table!(sessions {
        session_id: i64, workspace_id: i64, id: String, kind: String, name: String, standing: String,
        phase: String, sequence: i64, placed: bool, working: bool, rank: i32, wake_at: Option<i64>,
        end_reason: Option<String>, created_at: i64, last_activity: i64, body: Vec<u8>,
    } number Some("session_id"), key (session_id),
    after |last| sessions::session_id.gt(last.session_id)),
    table!(log {
        place: i64, workspace_id: i64, seq: i64, session_id: i64, sequence: i64, at: i64, label: String,
        client_key: Option<String>, body: Vec<u8>,
    } number None, key (place), after |last| log::place.gt(last.place)),
    table!(calls {
        session_id: i64, sequence: i64, ordinal: i64, id: String, workspace_id: i64, command: String,
        command_id: Vec<u8>, kind: String, state: String, attempt: i64, exchange: i64, requested_at: i64,
        finished_at: Option<i64>, result_seq: Option<i64>, body: Vec<u8>,
    } number None, key (session_id, sequence, ordinal),
    after |last| calls::session_id.gt(last.session_id)
        .or(calls::session_id.eq(last.session_id).and(calls::sequence.gt(last.sequence)))
        .or(calls::session_id.eq(last.session_id).and(calls::sequence.eq(last.sequence))
            .and(calls::ordinal.gt(last.ordinal)))),
    table!(costs {
        workspace_id: i64, session_id: i64, round: i64, attempt: i64, at: i64, automation: Option<String>,
        provider: String, model: String, person: String, commands: String, input: i64, cache_read: i64,
        cache_write: i64, output: i64, unknown_attempts: i64, micros: i64, rest: i64, priced: i64,
        hold: i64, held_tokens: i64, held_micros: i64, held_rest: i64,
    } number None, key (workspace_id, session_id, round, attempt),
    after |last| costs::workspace_id.gt(last.workspace_id)
        .or(costs::workspace_id.eq(last.workspace_id).and(costs::session_id.gt(last.session_id)))
        .or(costs::workspace_id.eq(last.workspace_id).and(costs::session_id.eq(last.session_id))
            .and(costs::round.gt(last.round)))
        .or(costs::workspace_id.eq(last.workspace_id).and(costs::session_id.eq(last.session_id))
            .and(costs::round.eq(last.round)).and(costs::attempt.gt(last.attempt)))),
    table!(uncounted_sessions {
        session_id: i64, workspace_id: i64, tried: bool,
    } number None, key (session_id), after |last| uncounted_sessions::session_id.gt(last.session_id)),
    table!(retention_marks {
        session_id: i64, kind: String, through: i64,
    } number None, key (session_id, kind),
    after |last| retention_marks::session_id.gt(last.session_id)
        .or(retention_marks::session_id.eq(last.session_id).and(retention_marks::kind.gt(&last.kind)))),
    table!(inbox_items {
        session_id: i64, item: String, workspace_id: i64, kind: String, asked_at: i64, due_at: Option<i64>,
        command: Option<String>,
    } number None, key (session_id, item),
    after |last| inbox_items::session_id.gt(last.session_id)
        .or(inbox_items::session_id.eq(last.session_id).and(inbox_items::item.gt(&last.item)))),
    table!(inbox_snoozes {
        session_id: i64, item: String, person: String, workspace_id: i64, version: String, until: i64, at: i64,
    } number None, key (session_id, item, person),
    after |last| inbox_snoozes::session_id.gt(last.session_id)
        .or(inbox_snoozes::session_id.eq(last.session_id).and(inbox_snoozes::item.gt(&last.item)))
        .or(inbox_snoozes::session_id.eq(last.session_id).and(inbox_snoozes::item.eq(&last.item))
            .and(inbox_snoozes::person.gt(&last.person)))),
    table!(inbox_assignments {
        session_id: i64, item: String, workspace_id: i64, person: String, author: String, at: i64,
    } number None, key (session_id, item),
    after |last| inbox_assignments::session_id.gt(last.session_id)
        .or(inbox_assignments::session_id.eq(last.session_id).and(inbox_assignments::item.gt(&last.item)))),
    table!(files {
        file_id: i64, workspace: String, digest: String, media_type: String, name: String, size: i64,
        width: Option<i64>, height: Option<i64>, pages: Option<i64>, author: String, stored_at: i64,
        bytes: Vec<u8>, form: Option<String>, first_frame: bool,
    } number Some("file_id"), key (file_id), rows LARGE_ROWS_PAGE,
    after |last| files::file_id.gt(last.file_id)),
    table!(file_uses {
        session_id: i64, file_id: i64, name: String, in_message: bool, author: String, at: i64,
    } number None, key (session_id, file_id),
    after |last| file_uses::session_id.gt(last.session_id)
        .or(file_uses::session_id.eq(last.session_id).and(file_uses::file_id.gt(last.file_id)))),
    table!(hashes {
        hash_id: i64, hash: Vec<u8>,
    } number Some("hash_id"), key (hash_id), after |last| hashes::hash_id.gt(last.hash_id)),
    table!(blobs {
        blob_id: i64, digest: String, bytes: Vec<u8>, shared: bool,
    } number Some("blob_id"), key (blob_id),
    after |last| blobs::blob_id.gt(last.blob_id)),
    table!(prefix_uses {
        session_id: i64, blob_id: i64,
    } number None, key (session_id, blob_id),
    after |last| prefix_uses::session_id.gt(last.session_id)
        .or(prefix_uses::session_id.eq(last.session_id).and(prefix_uses::blob_id.gt(last.blob_id)))),
    table!(resources {
        workspace_id: i64, kind: String, id: String, parent_kind: Option<String>, parent: Option<String>,
        name: String, at: Option<i64>, version: i64, body: String, created_at: i64, updated_at: i64,
    } number None, key (workspace_id, kind, id),
    after |last| resources::workspace_id.gt(last.workspace_id)
        .or(resources::workspace_id.eq(last.workspace_id).and(resources::kind.gt(&last.kind)))
        .or(resources::workspace_id.eq(last.workspace_id).and(resources::kind.eq(&last.kind))
            .and(resources::id.gt(&last.id)))),
    table!(automations {
        automation_id: i64, workspace_id: i64, id: String, seed: String, name: String, next_at: Option<i64>,
        revision: i64, body: Vec<u8>,
    } number Some("automation_id"), key (automation_id),
    after |last| automations::automation_id.gt(last.automation_id)),
    table!(occurrences {
        automation: String, at: i64, workspace_id: i64, outcome: String, session: Option<String>,
        decided_at: i64, body: Vec<u8>,
    } number None, key (automation, at),
    after |last| occurrences::automation.gt(&last.automation)
        .or(occurrences::automation.eq(&last.automation).and(occurrences::at.gt(last.at)))),
    table!(mail {
        id: i64, workspace: String, body: Vec<u8>, posted_at: i64, answer: Option<Vec<u8>>,
    } number Some("id"), key (id), after |last| mail::id.gt(last.id)),
    table!(deletions {
        deletion_id: i64, workspace_id: i64, session: String, at: i64, author: String, body: Vec<u8>,
    } number Some("deletion_id"), key (deletion_id),
    after |last| deletions::deletion_id.gt(last.deletion_id)),
    table!(instructions {
        workspace_id: i64, scope: String, target: String, version: i64, text: String, digest: String,
        author: String, source: String, at: i64,
    } number None, key (workspace_id, scope, target, version),
    after |last| instructions::workspace_id.gt(last.workspace_id)
        .or(instructions::workspace_id.eq(last.workspace_id).and(instructions::scope.gt(&last.scope)))
        .or(instructions::workspace_id.eq(last.workspace_id).and(instructions::scope.eq(&last.scope))
            .and(instructions::target.gt(&last.target)))
        .or(instructions::workspace_id.eq(last.workspace_id).and(instructions::scope.eq(&last.scope))
            .and(instructions::target.eq(&last.target)).and(instructions::version.gt(last.version)))),
    table!(tasks {
        id: String, workspace_id: i64, session: String, call: String, command: String, state: String,
        open: bool, wake_at: Option<i64>, created_at: i64, body: Vec<u8>,
    } number None, key (id), after |last| tasks::id.gt(&last.id)),
    table!(task_arrivals {
        task: String, webhook_id: String, digest: String, verdict: String, at: i64,
    } number None, key (task, webhook_id),
    after |last| task_arrivals::task.gt(&last.task)
        .or(task_arrivals::task.eq(&last.task).and(task_arrivals::webhook_id.gt(&last.webhook_id)))),
    table!(changes {
        workspace_id: i64, seq: i64, kind: String, id: String, revision: Option<i64>, gone: bool,
    } number None, key (workspace_id, seq),
    after |last| changes::workspace_id.gt(last.workspace_id)
        .or(changes::workspace_id.eq(last.workspace_id).and(changes::seq.gt(last.seq)))),
    table!(people {
        id: String, reach: String, name: String, created_at: i64, removed_at: Option<i64>,
    } number None, key (id), after |last| people::id.gt(&last.id)),
    table!(tokens {
        id: String, person: String, reach: String, kind: String, name: String, hash: String,
        proof: Option<String>, scopes: String, created_at: i64, expires_at: Option<i64>,
        revoked_at: Option<i64>, last_used: Option<i64>, session: Option<String>, origins: Option<String>,
        made_by: Option<String>, login_until: Option<i64>,
    } number None, key (id), after |last| tokens::id.gt(&last.id)),
    table!(stream_tickets {
        hash: String, token: String, path: String, created_at: i64, expires_at: i64,
    } number None, key (hash), after |last| stream_tickets::hash.gt(&last.hash)),
    table!(receipts {
        workspace: String, person: String, key: String, fingerprint: String, answer: Vec<u8>, created_at: i64,
    } number None, key (workspace, person, key),
    after |last| receipts::workspace.gt(&last.workspace)
        .or(receipts::workspace.eq(&last.workspace).and(receipts::person.gt(&last.person)))
        .or(receipts::workspace.eq(&last.workspace).and(receipts::person.eq(&last.person))
            .and(receipts::key.gt(&last.key)))),
    table!(targets {
        id: String, workspace: String, name: String, disabled: Option<String>, cursor: i64, looked_at: i64,
        revision: i64, created_at: i64, body: Vec<u8>,
    } number None, key (id), after |last| targets::id.gt(&last.id)),
    table!(outbox {
        id: String, workspace: String, target: String, item: String, kind: String, session: Option<String>,
        message: Option<String>, created_at: i64, due_at: i64, tried_at: Option<i64>, attempts: i64,
        state: String, error: Option<String>,
    } number None, key (id), after |last| outbox::id.gt(&last.id)),
    table!(links {
        hash: String, workspace: String, target: String, person: String, private: bool, session: String,
        approval: String, digest: String, created_at: i64, expires_at: i64, used_at: Option<i64>,
    } number None, key (hash), after |last| links::hash.gt(&last.hash)),
    table!(libraries {
        library_id: i64, workspace: String, documents: i64, chunks: i64, terms: i64, revision: i64,
    } number Some("library_id"), key (library_id),
    after |last| libraries::library_id.gt(last.library_id)),
    table!(documents {
        document_id: i64, library_id: i64, id: String, name: String, source: String, format: String,
        title: String, language: String, digest: String, bytes: i64, chunks: i64, author: String,
        added_at: i64, changed_at: i64, body: Option<String>, gaps: Option<String>,
    } number Some("document_id"), key (document_id),
    after |last| documents::document_id.gt(last.document_id)),
    table!(document_reads {
        document_id: i64, last_read_at: i64,
    } number None, key (document_id), after |last| document_reads::document_id.gt(last.document_id)),
    table!(chunks {
        chunk_id: i64, library_id: i64, document_id: i64, ordinal: i64, heading: String, begins: i64,
        ends: i64, heading_terms: String, terms: String, text: String,
    } number Some("chunk_id"), key (chunk_id), after |last| chunks::chunk_id.gt(last.chunk_id)),
    table!(chunk_vectors {
        chunk_id: i64, model: String, digest: String, bytes: Vec<u8>,
    } number None, key (chunk_id, model),
    after |last| chunk_vectors::chunk_id.gt(last.chunk_id)
        .or(chunk_vectors::chunk_id.eq(last.chunk_id).and(chunk_vectors::model.gt(&last.model)))),
    table!(terms {
        library_id: i64, term: String, chunks: i64,
    } number None, key (library_id, term),
    after |last| terms::library_id.gt(last.library_id)
        .or(terms::library_id.eq(last.library_id).and(terms::term.gt(&last.term)))),
    table!(owner {
        id: i64, epoch: i64, holder: String, since: i64, kind: String, host: Option<String>, pid: Option<i64>,
        url: Option<String>, wanted_by: Option<String>, timeline: Option<String>, departures: i64,
    } number None, key (id), after |last| owner::id.gt(last.id)),
    table!(workers {
        worker_id: i64, kind: String, host: Option<String>, pid: Option<i64>, url: Option<String>,
        version: String, configuration: String, since: i64, beats: i64, until: i64,
    } number Some("worker_id"), key (worker_id), after |last| workers::worker_id.gt(last.worker_id)),
];
