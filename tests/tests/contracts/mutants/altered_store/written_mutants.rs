//! Mutants of the altered store that write something else than they were given, each with the check that finds it.

use entracte_application::ports::{ResourceChange, ResourceRow, WorkspaceCommit};
use entracte_domain::id::Digest;
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{PhaseLabel, Standing};
use entracte_domain::task::TaskState;
use entracte_domain::time::Timestamp;

use super::deviation::StoreDeviation::Writes;
use super::deviation::StoreMutant;

/// The rows that a commit creates or replaces.
fn resource_rows(commit: &mut WorkspaceCommit) -> impl Iterator<Item = &mut ResourceRow> {
    commit.resources.iter_mut().filter_map(|change| match change {
        ResourceChange::Create(row) | ResourceChange::Update { row, .. } => Some(row),
        ResourceChange::Delete { .. } => None,
    })
}

/// JSON with numbers as members alone, as a reader with floating-point numbers writes it again.
fn through_floating_point(json: &str) -> String {
    let read = serde_json::from_str::<std::collections::BTreeMap<String, f64>>(json);
    read.ok().and_then(|members| serde_json::to_string(&members).ok()).unwrap_or_else(|| json.to_owned())
}

/// Other commits than were given.
pub(crate) const WRITES: &[StoreMutant] = &[
    (
        "drops client keys",
        Writes(|commit| commit.log.iter_mut().for_each(|row| row.client_key = None)),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops deadlines",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.wake_at = None)),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops end reasons",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.end_reason = None)),
        "a_commit_is_read_back_as_it_was_written",
    ),
    ("drops calls", Writes(|commit| commit.calls.clear()), "a_commit_is_read_back_as_it_was_written"),
    ("drops blobs", Writes(|commit| commit.blobs.clear()), "a_commit_is_read_back_as_it_was_written"),
    (
        "cuts labels",
        Writes(|commit| commit.log.iter_mut().for_each(|row| row.label.truncate(8))),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops bodies of entries",
        Writes(|commit| commit.log.iter_mut().for_each(|row| row.body.clear())),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops instants of entries",
        Writes(|commit| commit.log.iter_mut().for_each(|row| row.at = Timestamp(0))),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "takes bodies for text",
        Writes(|commit| {
            commit
                .sessions
                .iter_mut()
                .for_each(|(row, _)| row.body = String::from_utf8_lossy(&row.body).into_owned().into_bytes())
        }),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "lowers names",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.name = row.name.to_lowercase())),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops the age of sessions",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.created_at = Timestamp(0))),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops settings",
        Writes(|commit| commit.workspace.body.clear()),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops the age of workspaces",
        Writes(|commit| commit.workspace.created_at = Timestamp(0)),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops bodies of calls",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.body.clear())),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "drops commands of calls",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.command.clear())),
        "a_commit_is_read_back_as_it_was_written",
    ),
    (
        "counts no epochs",
        Writes(|commit| commit.workspace.epoch = 0),
        "a_commit_of_an_earlier_epoch_is_refused_and_writes_nothing",
    ),
    (
        "places no session",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.placed = false)),
        "placed_gives_the_sessions_of_its_workspace_that_hold_or_want_a_slot",
    ),
    (
        "lets no session wait",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.waiting = false)),
        "sessions_that_wait_come_first_then_open_ones_then_those_that_ended",
    ),
    (
        "lets no session work",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.working = false)),
        "due_gives_what_works_and_what_must_wake_once_each",
    ),
    (
        "keeps every session open",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.standing = Standing::Open)),
        "sessions_that_wait_come_first_then_open_ones_then_those_that_ended",
    ),
    (
        "keeps every session idle",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.phase = PhaseLabel::Idle)),
        "a_census_counts_phases_and_what_waits",
    ),
    (
        "drops the last activity",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.last_activity = Timestamp(0))),
        "a_clock_that_was_set_back_makes_deadlines_due",
    ),
    (
        "counts no attempts",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.attempt = 0)),
        "a_call_is_changed_in_its_place",
    ),
    (
        "drops numbers of results",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.result_seq = None)),
        "a_call_is_changed_in_its_place",
    ),
    (
        "drops ends of calls",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.finished_at = None)),
        "a_call_is_changed_in_its_place",
    ),
    (
        "leaves calls proposed",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.state = LedgerState::Proposed)),
        "a_call_is_changed_in_its_place",
    ),
    (
        "has one exchange",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.exchange = 1)),
        "twins_are_of_the_same_command_and_exchange_latest_first",
    ),
    (
        "has one command",
        Writes(|commit| commit.calls.iter_mut().for_each(|row| row.command_id = Digest::new("d1"))),
        "twins_are_of_the_same_command_and_exchange_latest_first",
    ),
    (
        "derives ids of calls",
        Writes(|commit| {
            commit
                .calls
                .iter_mut()
                .for_each(|row| row.id = row.session.call_id(row.sequence, row.ordinal as usize))
        }),
        "a_call_with_an_id_of_another_form_is_found",
    ),
    (
        "deletes no session",
        Writes(|commit| commit.deleted.clear()),
        "a_deleted_session_is_gone_with_its_entries_and_calls",
    ),
    (
        "answers no mail",
        Writes(|commit| commit.answers.clear()),
        "mail_answered_by_a_commit_is_unanswered_no_more",
    ),
    (
        "records no deletion",
        Writes(|commit| commit.deletions.clear()),
        "of_deleted_sessions_the_latest_records_are_kept",
    ),
    (
        "keeps every deletion",
        Writes(|commit| commit.deletions.iter_mut().for_each(|(_, keep)| *keep = 0)),
        "of_deleted_sessions_the_latest_records_are_kept",
    ),
    (
        "forgets who deleted",
        Writes(|commit| commit.deletions.iter_mut().for_each(|(row, _)| row.author.clear())),
        "of_deleted_sessions_the_latest_records_are_kept",
    ),
    (
        "drops bodies of deletions",
        Writes(|commit| commit.deletions.iter_mut().for_each(|(row, _)| row.body.clear())),
        "of_deleted_sessions_the_latest_records_are_kept",
    ),
    (
        "keeps no receipt",
        Writes(|commit| commit.receipts.clear()),
        "a_receipt_is_kept_once_until_it_is_forgotten",
    ),
    (
        "keeps receipts for ever",
        Writes(|commit| commit.receipts.iter_mut().for_each(|(_, before)| *before = Timestamp(i64::MIN))),
        "a_receipt_is_kept_once_until_it_is_forgotten",
    ),
    (
        "drops answers of receipts",
        Writes(|commit| commit.receipts.iter_mut().for_each(|(row, _)| row.answer.clear())),
        "a_receipt_is_kept_once_until_it_is_forgotten",
    ),
    (
        "drops fingerprints",
        Writes(|commit| commit.receipts.iter_mut().for_each(|(row, _)| row.fingerprint = Digest::new(""))),
        "a_receipt_is_kept_once_until_it_is_forgotten",
    ),
    (
        "drops changes",
        Writes(|commit| commit.changes.clear()),
        "changes_are_numbered_with_the_log_and_the_latest_are_kept",
    ),
    (
        "keeps every change",
        Writes(|commit| commit.changes.iter_mut().for_each(|(_, keep)| *keep = 0)),
        "changes_are_numbered_with_the_log_and_the_latest_are_kept",
    ),
    (
        "drops revisions of changes",
        Writes(|commit| commit.changes.iter_mut().for_each(|(row, _)| row.revision = None)),
        "changes_are_numbered_with_the_log_and_the_latest_are_kept",
    ),
    (
        "takes what is gone for changed",
        Writes(|commit| commit.changes.iter_mut().for_each(|(row, _)| row.gone = false)),
        "changes_are_numbered_with_the_log_and_the_latest_are_kept",
    ),
    ("drops instructions", Writes(|commit| commit.instructions.clear()), "instructions_are_kept_in_versions"),
    (
        "keeps every version",
        Writes(|commit| commit.instructions.iter_mut().for_each(|(_, keep)| *keep = 0)),
        "instructions_are_kept_in_versions",
    ),
    (
        "drops authors of instructions",
        Writes(|commit| commit.instructions.iter_mut().for_each(|(row, _)| row.author.clear())),
        "instructions_are_kept_in_versions",
    ),
    (
        "drops automations",
        Writes(|commit| commit.automations.clear()),
        "automations_come_in_the_order_they_were_made",
    ),
    (
        "drops bodies of automations",
        Writes(|commit| commit.automations.iter_mut().for_each(|(row, _)| row.body.clear())),
        "automations_come_in_the_order_they_were_made",
    ),
    (
        "schedules nothing",
        Writes(|commit| commit.automations.iter_mut().for_each(|(row, _)| row.next_at = None)),
        "scheduled_gives_the_workspaces_that_are_due_and_the_next_instant",
    ),
    (
        "deletes no automation",
        Writes(|commit| commit.deleted_automations.clear()),
        "a_deleted_automation_leaves_its_occurrences",
    ),
    ("drops occurrences", Writes(|commit| commit.occurrences.clear()), "occurrences_come_latest_first"),
    (
        "forgets runs",
        Writes(|commit| commit.occurrences.iter_mut().for_each(|row| row.session = None)),
        "a_deleted_automation_leaves_its_occurrences",
    ),
    (
        "forgets when it decided",
        Writes(|commit| commit.occurrences.iter_mut().for_each(|row| row.decided_at = row.at)),
        "a_deleted_automation_leaves_its_occurrences",
    ),
    ("drops tasks", Writes(|commit| commit.tasks.clear()), "a_task_is_read_back_and_replaced"),
    (
        "ends no task",
        Writes(|commit| commit.tasks.iter_mut().for_each(|row| row.open = true)),
        "tasks_come_latest_first",
    ),
    (
        "wakes no task",
        Writes(|commit| commit.tasks.iter_mut().for_each(|row| row.wake_at = None)),
        "tasks_are_due_when_they_say",
    ),
    (
        "drops states of tasks",
        Writes(|commit| commit.tasks.iter_mut().for_each(|row| row.state = TaskState::Registered)),
        "a_task_is_read_back_and_replaced",
    ),
    ("drops arrivals", Writes(|commit| commit.arrivals.clear()), "an_arrival_is_kept_once"),
    (
        "drops verdicts",
        Writes(|commit| commit.arrivals.iter_mut().for_each(|row| row.verdict.clear())),
        "an_arrival_is_kept_once",
    ),
    (
        "drops resources",
        Writes(|commit| commit.resources.clear()),
        "a_resource_is_read_back_as_it_was_written",
    ),
    (
        "drops parents",
        Writes(|commit| resource_rows(commit).for_each(|row| (row.parent, row.parent_kind) = (None, None))),
        "a_resource_is_read_back_as_it_was_written",
    ),
    (
        "knows no instant before 1970",
        Writes(|commit| {
            resource_rows(commit).for_each(|row| row.at = row.at.map(|at| Timestamp(at.0.max(0))))
        }),
        "a_resource_is_read_back_as_it_was_written",
    ),
    (
        "begins every row at version 1",
        Writes(|commit| resource_rows(commit).for_each(|row| row.version = 1)),
        "a_resource_is_read_back_as_it_was_written",
    ),
    (
        "forgets when it changed",
        Writes(|commit| resource_rows(commit).for_each(|row| row.updated_at = row.created_at)),
        "an_update_replaces_the_row_and_its_parent",
    ),
    (
        "sorts without case",
        Writes(|commit| resource_rows(commit).for_each(|row| row.name = row.name.to_lowercase())),
        "resources_come_by_instant_then_name_then_id",
    ),
    (
        "takes versions through floating point",
        Writes(|commit| resource_rows(commit).for_each(|row| row.version = row.version as f64 as u64)),
        "numbers_keep_every_digit",
    ),
    (
        "takes instants of rows through floating point",
        Writes(|commit| {
            resource_rows(commit).for_each(|row| row.at = row.at.map(|at| Timestamp(at.0 as f64 as i64)))
        }),
        "numbers_keep_every_digit",
    ),
    (
        "takes numbers in bodies through floating point",
        Writes(|commit| resource_rows(commit).for_each(|row| row.body = through_floating_point(&row.body))),
        "numbers_keep_every_digit",
    ),
    (
        "takes revisions through floating point",
        Writes(|commit| {
            commit.automations.iter_mut().for_each(|(row, _)| row.revision = row.revision as f64 as u64)
        }),
        "numbers_keep_every_digit",
    ),
    (
        "counts milliseconds",
        Writes(|commit| {
            commit
                .sessions
                .iter_mut()
                .for_each(|(row, _)| row.last_activity = Timestamp(row.last_activity.0 / 1000 * 1000))
        }),
        "numbers_keep_every_digit",
    ),
    (
        "takes deadlines through floating point",
        Writes(|commit| {
            commit
                .sessions
                .iter_mut()
                .for_each(|(row, _)| row.wake_at = row.wake_at.map(|at| Timestamp(at.0 as f64 as i64)))
        }),
        "numbers_keep_every_digit",
    ),
    (
        "takes instants of calls through floating point",
        Writes(|commit| {
            commit
                .calls
                .iter_mut()
                .for_each(|row| row.requested_at = Timestamp(row.requested_at.0 as f64 as i64))
        }),
        "numbers_keep_every_digit",
    ),
    (
        "cuts names",
        Writes(|commit| {
            commit.sessions.iter_mut().for_each(|(row, _)| row.name = row.name.chars().take(255).collect())
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "trims names",
        Writes(|commit| {
            commit.sessions.iter_mut().for_each(|(row, _)| row.name = row.name.trim().to_owned())
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "has characters of 16 bits",
        Writes(|commit| {
            commit.sessions.iter_mut().for_each(|(row, _)| {
                row.name = row.name.chars().map(|c| if c > '\u{ffff}' { '?' } else { c }).collect()
            })
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "unites line ends",
        Writes(|commit| {
            commit.sessions.iter_mut().for_each(|(row, _)| row.name = row.name.replace("\r\n", "\n"))
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "composes characters",
        Writes(|commit| {
            commit.sessions.iter_mut().for_each(|(row, _)| row.name = row.name.replace("e\u{301}", "\u{e9}"))
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "cuts bodies of sessions",
        Writes(|commit| commit.sessions.iter_mut().for_each(|(row, _)| row.body.truncate(65_535))),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "cuts bodies of entries",
        Writes(|commit| commit.log.iter_mut().for_each(|row| row.body.truncate(65_535))),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "cuts blobs",
        Writes(|commit| commit.blobs.iter_mut().for_each(|blob| blob.bytes.truncate(65_535))),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "cuts instructions",
        Writes(|commit| {
            commit
                .instructions
                .iter_mut()
                .for_each(|(row, _)| row.text = row.text.chars().take(4_000).collect())
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "cuts client keys",
        Writes(|commit| {
            commit.log.iter_mut().for_each(|row| {
                row.client_key = row.client_key.take().map(|text| text.chars().take(255).collect())
            })
        }),
        "texts_and_bodies_are_kept_whole",
    ),
    (
        "compares keys without case",
        Writes(|commit| {
            commit
                .log
                .iter_mut()
                .for_each(|row| row.client_key = row.client_key.take().map(|text| text.to_lowercase()))
        }),
        "texts_differ_by_every_byte",
    ),
    (
        "compares keys without spaces",
        Writes(|commit| {
            commit
                .log
                .iter_mut()
                .for_each(|row| row.client_key = row.client_key.take().map(|text| text.trim().to_owned()))
        }),
        "texts_differ_by_every_byte",
    ),
    (
        "compares ids without case",
        Writes(|commit| resource_rows(commit).for_each(|row| row.id = row.id.to_lowercase())),
        "texts_differ_by_every_byte",
    ),
    ("counts no costs", Writes(|commit| commit.costs.clear()), "costs_are_added_up_once"),
    (
        "keeps no reservations",
        Writes(|commit| commit.costs.iter_mut().for_each(|row| row.reservation = None)),
        "reservations_are_settled_by_usage",
    ),
    ("withdraws no costs", Writes(|commit| commit.withdrawn_costs.clear()), "costs_are_added_up_once"),
    (
        "counts no bytes of entries",
        Writes(|commit| commit.log.iter_mut().for_each(|row| row.body.clear())),
        "the_extent_of_a_log_is_that_of_its_entries",
    ),
];
