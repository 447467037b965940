//! Mutants of the altered store that find or report something else than there is, each with the check that finds it.

use std::time::Duration;

use entracte_application::ports::{CommitError, StoreError};

use super::deviation::StoreDeviation::{
    Blind, Blocks, Doubled, Ignores, Inclusive, KeepsPlacesOfDropped, Late, Reports, Reversed, SortsAsText,
    TrustsVersions, Unlimited, WithoutWalls, Writes, WritesLater,
};
use super::deviation::StoreMutant;

/// Other results than happened.
pub(crate) const REPORTS: &[StoreMutant] = &[
    (
        "takes a lost ownership for a conflict",
        Reports(|written| match written {
            Err(CommitError::NotOwner(text)) => Err(CommitError::Conflict(text)),
            written => written,
        }),
        "a_commit_of_an_earlier_epoch_is_refused_and_writes_nothing",
    ),
    (
        "takes what is inconsistent for a conflict",
        Reports(|written| match written {
            Err(CommitError::Store(error)) => Err(CommitError::Conflict(error.to_string())),
            written => written,
        }),
        "a_gap_in_the_log_is_refused",
    ),
    (
        "takes a conflict for an outage",
        Reports(|written| match written {
            Err(CommitError::Conflict(text)) => Err(StoreError::Unavailable(text.into()).into()),
            written => written,
        }),
        "another_seq_of_the_workspace_is_a_conflict",
    ),
    ("keeps places of dropped calls", KeepsPlacesOfDropped, "a_dropped_read_leaves_nothing_behind"),
    ("blocks the runtime", Blocks(Duration::from_millis(50)), "calls_of_a_store_block_no_other_task"),
];

/// Methods that deviate in one of the common ways.
pub(crate) const METHODS: &[StoreMutant] = &[
    ("turns round resting_sessions", Reversed("resting_sessions"), "sessions_rest_by_age"),
    ("turns round last_resources", Reversed("last_resources"), "the_end_of_a_list_is_its_last_rows"),
    ("turns round resources_named", Reversed("resources_named"), "a_name_finds_its_rows_whatever_its_case"),
    ("is blind in cost_sums", Blind("cost_sums"), "costs_are_added_up_once"),
    ("is blind in inbox_triage", Blind("inbox_triage"), "a_snooze_is_one_persons"),
    ("keeps no notes", Writes(|commit| commit.triage.clear()), "an_item_is_assigned_to_one_person"),
    (
        "has no walls in inbox_triage",
        WithoutWalls("inbox_triage"),
        "notes_of_another_workspace_are_not_found",
    ),
    ("is blind in pages", Blind("session_list"), "pages_of_sessions_join"),
    (
        "trusts the versions of sessions",
        TrustsVersions("sessions"),
        "another_sequence_of_a_session_is_a_conflict",
    ),
    (
        "trusts the versions of deleted",
        TrustsVersions("deleted"),
        "a_deletion_of_another_sequence_is_a_conflict",
    ),
    (
        "trusts the versions of automations",
        TrustsVersions("automations"),
        "an_automation_is_changed_from_the_revision_that_is_there",
    ),
    (
        "trusts the versions of deleted_automations",
        TrustsVersions("deleted_automations"),
        "a_deleted_automation_leaves_its_occurrences",
    ),
    (
        "trusts the versions of resources",
        TrustsVersions("resources"),
        "an_update_of_another_version_is_a_conflict",
    ),
    ("turns round workspaces", Reversed("workspaces"), "workspaces_come_by_key"),
    ("turns round entries", Reversed("entries"), "entries_come_in_order_after_a_number_up_to_a_limit"),
    (
        "turns round entries_since",
        Reversed("entries_since"),
        "entries_come_after_a_sequence_of_their_session",
    ),
    (
        "turns round entries_of_all",
        Reversed("entries_of_all"),
        "entries_of_all_sessions_come_in_order_after_a_number",
    ),
    ("turns round calls", Reversed("calls"), "calls_come_in_the_order_they_were_asked_for"),
    (
        "turns round calls_with_command_id",
        Reversed("calls_with_command_id"),
        "twins_are_of_the_same_command_and_exchange_latest_first",
    ),
    (
        "turns round sessions",
        Reversed("sessions"),
        "sessions_that_wait_come_first_then_open_ones_then_those_that_ended",
    ),
    (
        "turns round session_list",
        Reversed("session_list"),
        "lines_are_the_sessions_that_the_filter_lets_through",
    ),
    (
        "turns round sessions_by_prefix",
        Reversed("sessions_by_prefix"),
        "a_prefix_finds_at_most_ten_sessions_by_id",
    ),
    (
        "turns round calls_with_unknown_outcome",
        Reversed("calls_with_unknown_outcome"),
        "unsettled_calls_are_the_unknown_ones_of_the_workspace_latest_first",
    ),
    ("turns round changes", Reversed("changes"), "changes_are_numbered_with_the_log_and_the_latest_are_kept"),
    ("turns round deletions", Reversed("deletions"), "of_deleted_sessions_the_latest_records_are_kept"),
    ("turns round instructions", Reversed("instructions"), "instructions_are_kept_in_versions"),
    (
        "turns round versions_of_instructions",
        Reversed("versions_of_instructions"),
        "instructions_are_kept_in_versions",
    ),
    ("turns round receipts", Reversed("receipts"), "a_receipt_is_kept_once_until_it_is_forgotten"),
    ("turns round waiting", Reversed("waiting"), "waiting_gives_the_workspaces_where_a_placed_session_waits"),
    ("turns round unanswered", Reversed("unanswered"), "mail_comes_in_the_order_it_was_posted"),
    ("turns round resources", Reversed("resources"), "resources_come_by_instant_then_name_then_id"),
    ("turns round automations", Reversed("automations"), "automations_come_in_the_order_they_were_made"),
    ("turns round occurrences", Reversed("occurrences"), "occurrences_come_latest_first"),
    ("turns round tasks", Reversed("tasks"), "tasks_come_latest_first"),
    ("turns round due_tasks", Reversed("due_tasks"), "tasks_are_due_when_they_say"),
    ("turns round arrivals", Reversed("arrivals"), "an_arrival_is_kept_once"),
    ("sorts as text entries", SortsAsText("entries"), "numbers_are_ordered_as_numbers"),
    ("sorts as text entries_since", SortsAsText("entries_since"), "numbers_are_ordered_as_numbers"),
    ("sorts as text entries_of_all", SortsAsText("entries_of_all"), "numbers_are_ordered_as_numbers"),
    (
        "sorts as text versions_of_instructions",
        SortsAsText("versions_of_instructions"),
        "numbers_are_ordered_as_numbers",
    ),
    ("sorts as text unanswered", SortsAsText("unanswered"), "numbers_are_ordered_as_numbers"),
    ("sorts as text resources", SortsAsText("resources"), "numbers_are_ordered_as_numbers"),
    ("sorts as text occurrences", SortsAsText("occurrences"), "numbers_are_ordered_as_numbers"),
    ("sorts as text tasks", SortsAsText("tasks"), "numbers_are_ordered_as_numbers"),
    ("sorts as text due_tasks", SortsAsText("due_tasks"), "numbers_are_ordered_as_numbers"),
    ("sorts as text calls", SortsAsText("calls"), "calls_come_in_the_order_they_were_asked_for"),
    ("doubles due", Doubled("due"), "due_gives_what_works_and_what_must_wake_once_each"),
    ("doubles waiting", Doubled("waiting"), "waiting_gives_the_workspaces_where_a_placed_session_waits"),
    ("doubles due_sessions_in", Doubled("due_sessions_in"), "due_in_gives_those_of_its_workspace"),
    (
        "ignores the limit of entries",
        Unlimited("entries"),
        "entries_come_in_order_after_a_number_up_to_a_limit",
    ),
    (
        "ignores the limit of entries_since",
        Unlimited("entries_since"),
        "entries_come_after_a_sequence_of_their_session",
    ),
    (
        "ignores the limit of entries_of_all",
        Unlimited("entries_of_all"),
        "entries_of_all_sessions_come_in_order_after_a_number",
    ),
    (
        "ignores the limit of sessions",
        Unlimited("sessions"),
        "the_filter_of_sessions_lets_through_what_it_says",
    ),
    (
        "ignores the limit of session_list",
        Unlimited("session_list"),
        "lines_are_the_sessions_that_the_filter_lets_through",
    ),
    (
        "ignores the limit of changes",
        Unlimited("changes"),
        "changes_are_numbered_with_the_log_and_the_latest_are_kept",
    ),
    (
        "ignores the limit of deletions",
        Unlimited("deletions"),
        "of_deleted_sessions_the_latest_records_are_kept",
    ),
    (
        "ignores the limit of versions_of_instructions",
        Unlimited("versions_of_instructions"),
        "instructions_are_kept_in_versions",
    ),
    (
        "ignores the limit of resources",
        Unlimited("resources"),
        "limit_and_offset_cut_the_list_and_not_the_count",
    ),
    ("ignores the limit of occurrences", Unlimited("occurrences"), "occurrences_come_latest_first"),
    ("ignores the limit of tasks", Unlimited("tasks"), "tasks_come_latest_first"),
    (
        "includes the bound of entries",
        Inclusive("entries"),
        "entries_come_in_order_after_a_number_up_to_a_limit",
    ),
    (
        "includes the bound of entries_since",
        Inclusive("entries_since"),
        "entries_come_after_a_sequence_of_their_session",
    ),
    (
        "includes the bound of entries_of_all",
        Inclusive("entries_of_all"),
        "entries_of_all_sessions_come_in_order_after_a_number",
    ),
    (
        "includes the bound of changes",
        Inclusive("changes"),
        "changes_are_numbered_with_the_log_and_the_latest_are_kept",
    ),
    (
        "includes the bound of versions_of_instructions",
        Inclusive("versions_of_instructions"),
        "instructions_are_kept_in_versions",
    ),
    (
        "includes the bound of resources",
        Inclusive("resources"),
        "the_filter_of_resources_lets_through_what_it_says",
    ),
    ("includes the bound of occurrences", Inclusive("occurrences"), "occurrences_come_latest_first"),
    ("is late with due", Late("due"), "due_gives_what_works_and_what_must_wake_once_each"),
    ("is late with due_sessions_in", Late("due_sessions_in"), "due_in_gives_those_of_its_workspace"),
    (
        "is late with wake_schedule",
        Late("wake_schedule"),
        "agenda_gives_the_workspaces_that_are_due_and_the_next_instant",
    ),
    (
        "is late with automation_schedule",
        Late("automation_schedule"),
        "scheduled_gives_the_workspaces_that_are_due_and_the_next_instant",
    ),
    ("is late with due_tasks", Late("due_tasks"), "tasks_are_due_when_they_say"),
    ("is late with task_wake_schedule", Late("task_wake_schedule"), "tasks_are_due_when_they_say"),
    ("is late with post", Late("post"), "mail_comes_in_the_order_it_was_posted"),
    ("is blind in workspace", Blind("workspace"), "a_commit_is_read_back_as_it_was_written"),
    ("is blind in session", Blind("session"), "a_commit_is_read_back_as_it_was_written"),
    ("is blind in blob", Blind("blob"), "a_commit_is_read_back_as_it_was_written"),
    ("is blind in session_id_exists", Blind("session_id_exists"), "an_id_is_taken_for_all_workspaces"),
    (
        "is blind in sessions_with_slot_demand",
        Blind("sessions_with_slot_demand"),
        "placed_gives_the_sessions_of_its_workspace_that_hold_or_want_a_slot",
    ),
    ("is blind in due_sessions_in", Blind("due_sessions_in"), "due_in_gives_those_of_its_workspace"),
    ("is blind in next_wake", Blind("next_wake"), "next_wake_is_the_earliest_of_its_workspace"),
    (
        "is blind in wake_schedule",
        Blind("wake_schedule"),
        "agenda_gives_the_workspaces_that_are_due_and_the_next_instant",
    ),
    (
        "is blind in automation_schedule",
        Blind("automation_schedule"),
        "scheduled_gives_the_workspaces_that_are_due_and_the_next_instant",
    ),
    ("is blind in task_wake_schedule", Blind("task_wake_schedule"), "tasks_are_due_when_they_say"),
    ("is blind in next_task", Blind("next_task"), "tasks_are_due_when_they_say"),
    ("is blind in task_in_any_workspace", Blind("task_in_any_workspace"), "a_task_is_read_back_and_replaced"),
    ("is blind in answer", Blind("answer"), "refused_mail_has_its_answer"),
    ("is blind in entry", Blind("entry"), "an_entry_is_found_by_its_number"),
    ("is blind in entry_by_client_key", Blind("entry_by_client_key"), "an_entry_is_found_by_its_client_key"),
    ("is blind in call", Blind("call"), "a_call_is_found_by_its_id"),
    ("is blind in session_statistics", Blind("session_statistics"), "a_census_counts_phases_and_what_waits"),
    ("is blind in count", Blind("count"), "limit_and_offset_cut_the_list_and_not_the_count"),
    (
        "is blind in versions",
        Blind("versions"),
        "versions_are_those_of_the_rows_that_the_filter_lets_through",
    ),
    ("is blind in automation", Blind("automation"), "automations_come_in_the_order_they_were_made"),
    ("is blind in arrival", Blind("arrival"), "an_arrival_is_kept_once"),
    ("has no walls in session", WithoutWalls("session"), "what_another_workspace_has_is_not_found"),
    ("has no walls in receipts", WithoutWalls("receipts"), "what_another_workspace_has_is_not_found"),
    ("has no walls in entries", WithoutWalls("entries"), "what_another_workspace_has_is_not_found"),
    (
        "has no walls in entries_since",
        WithoutWalls("entries_since"),
        "what_another_workspace_has_is_not_found",
    ),
    (
        "has no walls in entries_of_all",
        WithoutWalls("entries_of_all"),
        "what_another_workspace_has_is_not_found",
    ),
    (
        "has no walls in entry_by_client_key",
        WithoutWalls("entry_by_client_key"),
        "what_another_workspace_has_is_not_found",
    ),
    ("has no walls in calls", WithoutWalls("calls"), "what_another_workspace_has_is_not_found"),
    ("has no walls in call", WithoutWalls("call"), "what_another_workspace_has_is_not_found"),
    (
        "has no walls in calls_with_command_id",
        WithoutWalls("calls_with_command_id"),
        "what_another_workspace_has_is_not_found",
    ),
    (
        "has no walls in sessions_by_prefix",
        WithoutWalls("sessions_by_prefix"),
        "what_another_workspace_has_is_not_found",
    ),
    (
        "has no walls in calls_with_unknown_outcome",
        WithoutWalls("calls_with_unknown_outcome"),
        "what_another_workspace_has_is_not_found",
    ),
    ("has no walls in blob", WithoutWalls("blob"), "what_another_workspace_has_is_not_found"),
    ("has no walls in sessions", WithoutWalls("sessions"), "what_another_workspace_has_is_not_found"),
    ("has no walls in session_list", WithoutWalls("session_list"), "what_another_workspace_has_is_not_found"),
    ("has no walls in changes", WithoutWalls("changes"), "what_another_workspace_has_is_not_found"),
    ("has no walls in deletions", WithoutWalls("deletions"), "what_another_workspace_has_is_not_found"),
    ("has no walls in instructions", WithoutWalls("instructions"), "what_another_workspace_has_is_not_found"),
    (
        "has no walls in versions_of_instructions",
        WithoutWalls("versions_of_instructions"),
        "what_another_workspace_has_is_not_found",
    ),
    ("has no walls in resource", WithoutWalls("resource"), "what_another_workspace_has_is_not_found"),
    ("has no walls in resources", WithoutWalls("resources"), "what_another_workspace_has_is_not_found"),
    ("has no walls in count", WithoutWalls("count"), "what_another_workspace_has_is_not_found"),
    ("has no walls in versions", WithoutWalls("versions"), "what_another_workspace_has_is_not_found"),
    ("has no walls in automation", WithoutWalls("automation"), "what_another_workspace_has_is_not_found"),
    ("has no walls in automations", WithoutWalls("automations"), "what_another_workspace_has_is_not_found"),
    ("has no walls in occurrences", WithoutWalls("occurrences"), "what_another_workspace_has_is_not_found"),
    ("has no walls in entry", WithoutWalls("entry"), "an_entry_is_found_by_its_number"),
    (
        "has no walls in due_sessions_in",
        WithoutWalls("due_sessions_in"),
        "due_in_gives_those_of_its_workspace",
    ),
    ("has no walls in next_wake", WithoutWalls("next_wake"), "next_wake_is_the_earliest_of_its_workspace"),
    ("has no walls in task", WithoutWalls("task"), "a_task_is_read_back_and_replaced"),
    ("has no walls in due_tasks", WithoutWalls("due_tasks"), "tasks_are_due_when_they_say"),
    ("has no walls in arrival", WithoutWalls("arrival"), "an_arrival_is_kept_once"),
    (
        "has no walls in answer",
        WithoutWalls("answer"),
        "mail_of_another_workspace_is_neither_answered_nor_taken_back",
    ),
    (
        "has no walls in answer_refused",
        WithoutWalls("answer_refused"),
        "mail_of_another_workspace_is_neither_answered_nor_taken_back",
    ),
    (
        "has no walls in withdraw",
        WithoutWalls("withdraw"),
        "mail_of_another_workspace_is_neither_answered_nor_taken_back",
    ),
    (
        "ignores delete_answered_before",
        Ignores("delete_answered_before"),
        "answered_mail_is_forgotten_when_it_is_old",
    ),
    ("ignores withdraw", Ignores("withdraw"), "mail_taken_back_is_gone"),
    ("ignores answer_refused", Ignores("answer_refused"), "refused_mail_has_its_answer"),
    ("ignores release", Ignores("release"), "epochs_grow"),
    ("ignores renew", Ignores("renew"), "an_owner_that_was_followed_has_lost_for_good"),
];

/// One table in a second transaction, whose rows a reader may miss.
pub(crate) const SECOND_TRANSACTIONS: &[StoreMutant] = &[
    (
        "writes blobs later",
        WritesLater(|now, later| later.blobs = std::mem::take(&mut now.blobs)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes calls later",
        WritesLater(|now, later| later.calls = std::mem::take(&mut now.calls)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes resources later",
        WritesLater(|now, later| later.resources = std::mem::take(&mut now.resources)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes answers later",
        WritesLater(|now, later| later.answers = std::mem::take(&mut now.answers)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes deleted later",
        WritesLater(|now, later| later.deleted = std::mem::take(&mut now.deleted)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes automations later",
        WritesLater(|now, later| later.automations = std::mem::take(&mut now.automations)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes occurrences later",
        WritesLater(|now, later| later.occurrences = std::mem::take(&mut now.occurrences)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes deleted automations later",
        WritesLater(|now, later| later.deleted_automations = std::mem::take(&mut now.deleted_automations)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes deletions later",
        WritesLater(|now, later| later.deletions = std::mem::take(&mut now.deletions)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes receipts later",
        WritesLater(|now, later| later.receipts = std::mem::take(&mut now.receipts)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes instructions later",
        WritesLater(|now, later| later.instructions = std::mem::take(&mut now.instructions)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes tasks later",
        WritesLater(|now, later| later.tasks = std::mem::take(&mut now.tasks)),
        "a_reader_sees_no_half_of_a_commit",
    ),
    (
        "writes arrivals later",
        WritesLater(|now, later| later.arrivals = std::mem::take(&mut now.arrivals)),
        "a_reader_sees_no_half_of_a_commit",
    ),
];
