//! The tables for Diesel, the same for every dialect. Written by hand beside the migrations; a test selects every
//! column of every table. Contains no queries.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    workspaces (workspace_id) {
        workspace_id -> BigInt,
        key -> Text,
        seq -> BigInt,
        body -> Binary,
        created_at -> BigInt,
        epoch -> BigInt,
        owner_id -> Nullable<BigInt>,
    }
}

table! {
    /// The processes that handle workspaces at the same time.
    workers (worker_id) {
        worker_id -> BigInt,
        kind -> Text,
        host -> Nullable<Text>,
        pid -> Nullable<BigInt>,
        url -> Nullable<Text>,
        version -> Text,
        configuration -> Text,
        since -> BigInt,
        beats -> BigInt,
        until -> BigInt,
    }
}

table! {
    sessions (session_id) {
        session_id -> BigInt,
        workspace_id -> BigInt,
        id -> Text,
        kind -> Text,
        name -> Text,
        standing -> Text,
        phase -> Text,
        sequence -> BigInt,
        placed -> Bool,
        working -> Bool,
        rank -> Integer,
        wake_at -> Nullable<BigInt>,
        end_reason -> Nullable<Text>,
        created_at -> BigInt,
        last_activity -> BigInt,
        body -> Binary,
    }
}

table! {
    log (place) {
        place -> BigInt,
        workspace_id -> BigInt,
        seq -> BigInt,
        session_id -> BigInt,
        sequence -> BigInt,
        at -> BigInt,
        label -> Text,
        client_key -> Nullable<Text>,
        body -> Binary,
    }
}

table! {
    calls (session_id, sequence, ordinal) {
        session_id -> BigInt,
        sequence -> BigInt,
        ordinal -> BigInt,
        id -> Text,
        workspace_id -> BigInt,
        command -> Text,
        command_id -> Binary,
        kind -> Text,
        state -> Text,
        attempt -> BigInt,
        exchange -> BigInt,
        requested_at -> BigInt,
        finished_at -> Nullable<BigInt>,
        result_seq -> Nullable<BigInt>,
        body -> Binary,
    }
}

table! {
    blobs (blob_id) {
        blob_id -> BigInt,
        digest -> Text,
        bytes -> Binary,
        shared -> Bool,
    }
}

table! {
    /// The frozen prefixes that sessions name.
    prefix_uses (session_id, blob_id) {
        session_id -> BigInt,
        blob_id -> BigInt,
    }
}

table! {
    /// Recurring hashes of bodies, each once.
    hashes (hash_id) {
        hash_id -> BigInt,
        hash -> Binary,
    }
}

table! {
    resources (workspace_id, kind, id) {
        workspace_id -> BigInt,
        kind -> Text,
        id -> Text,
        parent_kind -> Nullable<Text>,
        parent -> Nullable<Text>,
        name -> Text,
        at -> Nullable<BigInt>,
        version -> BigInt,
        body -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
    }
}

table! {
    mail (id) {
        id -> BigInt,
        workspace -> Text,
        body -> Binary,
        posted_at -> BigInt,
        answer -> Nullable<Binary>,
    }
}

table! {
    automations (automation_id) {
        automation_id -> BigInt,
        workspace_id -> BigInt,
        id -> Text,
        seed -> Text,
        name -> Text,
        next_at -> Nullable<BigInt>,
        revision -> BigInt,
        body -> Binary,
    }
}

table! {
    occurrences (automation, at) {
        automation -> Text,
        at -> BigInt,
        workspace_id -> BigInt,
        outcome -> Text,
        session -> Nullable<Text>,
        decided_at -> BigInt,
        body -> Binary,
    }
}

table! {
    deletions (deletion_id) {
        deletion_id -> BigInt,
        workspace_id -> BigInt,
        session -> Text,
        at -> BigInt,
        author -> Text,
        body -> Binary,
    }
}

table! {
    instructions (workspace_id, scope, target, version) {
        workspace_id -> BigInt,
        scope -> Text,
        target -> Text,
        version -> BigInt,
        text -> Text,
        digest -> Text,
        author -> Text,
        source -> Text,
        at -> BigInt,
    }
}

table! {
    tasks (id) {
        id -> Text,
        workspace_id -> BigInt,
        session -> Text,
        call -> Text,
        command -> Text,
        state -> Text,
        open -> Bool,
        wake_at -> Nullable<BigInt>,
        created_at -> BigInt,
        body -> Binary,
    }
}

table! {
    task_arrivals (task, webhook_id) {
        task -> Text,
        webhook_id -> Text,
        digest -> Text,
        verdict -> Text,
        at -> BigInt,
    }
}

table! {
    /// Workspace changes outside of sessions.
    changes (workspace_id, seq) {
        workspace_id -> BigInt,
        seq -> BigInt,
        kind -> Text,
        id -> Text,
        revision -> Nullable<BigInt>,
        gone -> Bool,
    }
}

table! {
    owner (id) {
        id -> BigInt,
        epoch -> BigInt,
        holder -> Text,
        since -> BigInt,
        kind -> Text,
        host -> Nullable<Text>,
        pid -> Nullable<BigInt>,
        url -> Nullable<Text>,
        wanted_by -> Nullable<Text>,
        timeline -> Nullable<Text>,
        departures -> BigInt,
    }
}

table! {
    /// People with access to the server.
    people (id) {
        id -> Text,
        reach -> Text,
        name -> Text,
        created_at -> BigInt,
        removed_at -> Nullable<BigInt>,
    }
}

table! {
    /// Access tokens of people.
    tokens (id) {
        id -> Text,
        person -> Text,
        reach -> Text,
        kind -> Text,
        name -> Text,
        hash -> Text,
        proof -> Nullable<Text>,
        scopes -> Text,
        created_at -> BigInt,
        expires_at -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
        last_used -> Nullable<BigInt>,
        session -> Nullable<Text>,
        origins -> Nullable<Text>,
        made_by -> Nullable<Text>,
        login_until -> Nullable<BigInt>,
    }
}

table! {
    /// Tickets that open a stream as a token.
    stream_tickets (hash) {
        hash -> Text,
        token -> Text,
        path -> Text,
        created_at -> BigInt,
        expires_at -> BigInt,
    }
}

table! {
    /// Stored answers by idempotency key.
    receipts (workspace, person, key) {
        workspace -> Text,
        person -> Text,
        key -> Text,
        fingerprint -> Text,
        answer -> Binary,
        created_at -> BigInt,
    }
}

table! {
    /// Notification targets.
    targets (id) {
        id -> Text,
        workspace -> Text,
        name -> Text,
        disabled -> Nullable<Text>,
        cursor -> BigInt,
        looked_at -> BigInt,
        revision -> BigInt,
        created_at -> BigInt,
        body -> Binary,
    }
}

table! {
    /// Notifications of each target.
    outbox (id) {
        id -> Text,
        workspace -> Text,
        target -> Text,
        item -> Text,
        kind -> Text,
        session -> Nullable<Text>,
        message -> Nullable<Text>,
        created_at -> BigInt,
        due_at -> BigInt,
        tried_at -> Nullable<BigInt>,
        attempts -> BigInt,
        state -> Text,
        error -> Nullable<Text>,
    }
}

table! {
    /// Links to single approval cards.
    links (hash) {
        hash -> Text,
        workspace -> Text,
        target -> Text,
        person -> Text,
        private -> Bool,
        session -> Text,
        approval -> Text,
        digest -> Text,
        created_at -> BigInt,
        expires_at -> BigInt,
        used_at -> Nullable<BigInt>,
    }
}

table! {
    /// Counts of each workspace's knowledge.
    libraries (library_id) {
        library_id -> BigInt,
        workspace -> Text,
        documents -> BigInt,
        chunks -> BigInt,
        terms -> BigInt,
        revision -> BigInt,
    }
}

table! {
    /// Documents.
    documents (document_id) {
        document_id -> BigInt,
        library_id -> BigInt,
        id -> Text,
        name -> Text,
        source -> Text,
        format -> Text,
        title -> Text,
        language -> Text,
        digest -> Text,
        bytes -> BigInt,
        chunks -> BigInt,
        author -> Text,
        added_at -> BigInt,
        changed_at -> BigInt,
        body -> Nullable<Text>,
        gaps -> Nullable<Text>,
    }
}

table! {
    /// When documents were last read.
    document_reads (document_id) {
        document_id -> BigInt,
        last_read_at -> BigInt,
    }
}

table! {
    /// Chunks of documents; the term index is specific to each database.
    chunks (chunk_id) {
        chunk_id -> BigInt,
        library_id -> BigInt,
        document_id -> BigInt,
        ordinal -> BigInt,
        heading -> Text,
        begins -> BigInt,
        ends -> BigInt,
        heading_terms -> Text,
        terms -> Text,
        text -> Text,
    }
}

table! {
    /// Number of chunks that contain each term.
    terms (library_id, term) {
        library_id -> BigInt,
        term -> Text,
        chunks -> BigInt,
    }
}

table! {
    /// Embeddings of chunks, per model.
    chunk_vectors (chunk_id, model) {
        chunk_id -> BigInt,
        model -> Text,
        digest -> Text,
        bytes -> Binary,
    }
}

table! {
    /// Attempts of model calls, with what they used and cost.
    costs (workspace_id, session_id, round, attempt) {
        workspace_id -> BigInt,
        session_id -> BigInt,
        round -> BigInt,
        attempt -> BigInt,
        at -> BigInt,
        automation -> Nullable<Text>,
        provider -> Text,
        model -> Text,
        person -> Text,
        commands -> Text,
        input -> BigInt,
        cache_read -> BigInt,
        cache_write -> BigInt,
        output -> BigInt,
        unknown_attempts -> BigInt,
        micros -> BigInt,
        rest -> BigInt,
        priced -> BigInt,
        hold -> BigInt,
        held_tokens -> BigInt,
        held_micros -> BigInt,
        held_rest -> BigInt,
    }
}

table! {
    /// Sessions whose attempts are not in `costs`.
    uncounted_sessions (session_id) {
        session_id -> BigInt,
        workspace_id -> BigInt,
        tried -> Bool,
    }
}

table! {
    /// What retention removed from sessions that stay.
    retention_marks (session_id, kind) {
        session_id -> BigInt,
        kind -> Text,
        through -> BigInt,
    }
}

table! {
    /// Items of the inbox that a person snoozed.
    inbox_snoozes (session_id, item, person) {
        session_id -> BigInt,
        item -> Text,
        person -> Text,
        workspace_id -> BigInt,
        version -> Text,
        until -> BigInt,
        at -> BigInt,
    }
}

table! {
    /// Items of the inbox that are assigned to a person.
    inbox_assignments (session_id, item) {
        session_id -> BigInt,
        item -> Text,
        workspace_id -> BigInt,
        person -> Text,
        author -> Text,
        at -> BigInt,
    }
}

table! {
    /// Items of the inbox that wait in sessions.
    inbox_items (session_id, item) {
        session_id -> BigInt,
        item -> Text,
        workspace_id -> BigInt,
        kind -> Text,
        asked_at -> BigInt,
        due_at -> Nullable<BigInt>,
        command -> Nullable<Text>,
    }
}

table! {
    /// Files of conversations, once per workspace.
    files (file_id) {
        file_id -> BigInt,
        workspace -> Text,
        digest -> Text,
        media_type -> Text,
        name -> Text,
        size -> BigInt,
        width -> Nullable<BigInt>,
        height -> Nullable<BigInt>,
        pages -> Nullable<BigInt>,
        author -> Text,
        stored_at -> BigInt,
        bytes -> Binary,
        form -> Nullable<Text>,
        first_frame -> Bool,
    }
}

table! {
    /// The files that sessions name.
    file_uses (session_id, file_id) {
        session_id -> BigInt,
        file_id -> BigInt,
        name -> Text,
        in_message -> Bool,
        author -> Text,
        at -> BigInt,
    }
}

joinable!(file_uses -> files (file_id));
joinable!(inbox_items -> sessions (session_id));
joinable!(inbox_snoozes -> sessions (session_id));
joinable!(inbox_assignments -> sessions (session_id));
joinable!(uncounted_sessions -> sessions (session_id));
joinable!(sessions -> workspaces (workspace_id));
joinable!(log -> sessions (session_id));
joinable!(calls -> sessions (session_id));
joinable!(automations -> workspaces (workspace_id));
joinable!(occurrences -> workspaces (workspace_id));
joinable!(tasks -> workspaces (workspace_id));
joinable!(tokens -> people (person));
joinable!(chunks -> documents (document_id));
joinable!(document_reads -> documents (document_id));
joinable!(chunk_vectors -> chunks (chunk_id));
allow_tables_to_appear_in_same_query!(chunks, documents, chunk_vectors);
allow_tables_to_appear_in_same_query!(document_reads, documents);
allow_tables_to_appear_in_same_query!(tokens, people);
allow_tables_to_appear_in_same_query!(uncounted_sessions, sessions);
allow_tables_to_appear_in_same_query!(file_uses, files);
allow_tables_to_appear_in_same_query!(inbox_items, sessions);
allow_tables_to_appear_in_same_query!(inbox_snoozes, sessions);
allow_tables_to_appear_in_same_query!(inbox_assignments, sessions);
allow_tables_to_appear_in_same_query!(workspaces, sessions, log, calls, automations, occurrences, tasks);
