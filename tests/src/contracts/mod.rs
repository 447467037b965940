//! Contract suites: the behaviours that every store, provider and executor must have, as tests for any implementation.
//!
//! A store is tested with one line in a test file, where `open` is an `async fn() -> StoreFixture` that returns fresh,
//! empty stores each time:
//!
//! ```ignore
//! entracte_tests::store_contracts!(open);
//! ```
//!
//! A store that outlives its process is also reopened and killed, with `durable_contracts!` ([`durable`]). A
//! [`provider`] has `provider_contracts!`, and one that calls a server also `wire_contracts!` ([`wire`]); an
//! [`executor`] has `executor_contracts!`.
//!
//! Each macro creates one test per behaviour, named after it. Each behaviour is also an exported function that can be
//! run alone; as a list ([`ContractCheck`]) they can be run on an adapter that is broken on purpose. No check sleeps; a
//! clock only bounds the wait for something that must not happen, and each check as a whole ([`time_limit`]).
//!
//! `sentences.tsv` beside this file names, for each sentence of the ports, the checks that fail when an adapter breaks
//! it, or why no check can look at it.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests, in a library")]

pub mod access_store;
pub mod atomic_commit;
pub mod automation_reader;
pub mod changes;
pub mod derived_reads;
pub mod durable;
pub mod exact_values;
pub mod executor;
pub mod file_store;
pub mod inbox_rows;
pub mod inbox_triage;
pub mod instructions;
pub mod knowledge_store;
pub mod log_reader;
pub mod mail_store;
pub mod outbox_store;
pub mod ownership;
pub mod provider;
pub mod readable;
pub mod receipts;
pub mod resource_reader;
pub mod rows;
pub mod store;
pub mod task_reader;
pub mod time_limit;
pub mod visible_commits;
pub mod wire;
pub mod workspace_isolation;
pub mod workspace_ownership;

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

use entracte_application::ports::{
    AutomationReader, LogReader, MailStore, Ownership, ResourceReader, TaskReader, WorkspaceStore,
};
use time_limit::{CheckFailure, CheckLimits};

/// The ports of one store, all on the same data.
pub struct StoreFixture {
    /// Writes commits.
    pub store: Arc<dyn WorkspaceStore>,
    /// Reads log, ledger and lists.
    pub log: Arc<dyn LogReader>,
    /// Reads a workspace's own data.
    pub resources: Arc<dyn ResourceReader>,
    /// Stores mail.
    pub mail: Arc<dyn MailStore>,
    /// Reads automations.
    pub automations: Arc<dyn AutomationReader>,
    /// Reads long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Decides which process handles their events.
    pub ownership: Arc<dyn Ownership>,
    /// Resources that must outlive the store: a temporary directory, a server.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// One behaviour of a suite, to be run by hand, for example on an adapter that is broken on purpose.
pub struct ContractCheck<T> {
    /// Its name.
    pub name: &'static str,
    /// Runs it; panics if the behaviour is violated.
    pub run: fn(T) -> Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl<T: Send + 'static> ContractCheck<T> {
    /// Runs it on an adapter within these limits.
    ///
    /// # Errors
    /// Why the adapter does not pass.
    pub fn run_within(&self, limits: CheckLimits, adapter: T) -> Result<(), CheckFailure> {
        let run = self.run;
        time_limit::run_within(self.name, limits, move || run(adapter))
    }
}

/// The fixture that `open` returned; `None` if `open` returned no fixture and reported why.
pub fn opened_fixture<T>(opened: impl Into<Option<T>>) -> Option<T> {
    opened.into()
}

/// One test per behaviour of every store port. Takes the name of an `async fn() -> StoreFixture`, or of one that
/// returns an `Option` of it: without its server, nothing is tested.
#[macro_export]
macro_rules! store_contracts {
    ($open:ident) => {
        $crate::store_suites!(contract_suites, $open);
    };
}

/// Passes the behaviours of every store port to another macro.
#[macro_export]
macro_rules! store_suites {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            $($open,)?
            [
                store: [
                    a_commit_is_read_back_as_it_was_written,
                    a_second_commit_replaces_the_rows,
                    a_new_workspace_that_is_there_is_a_conflict,
                    another_seq_of_the_workspace_is_a_conflict,
                    a_new_session_that_is_there_is_a_conflict,
                    another_sequence_of_a_session_is_a_conflict,
                    a_session_that_is_not_there_is_a_conflict,
                    a_conflict_writes_nothing,
                    nothing_of_a_refused_commit_is_there,
                    a_conflict_says_what_was_changed,
                    a_gap_in_the_log_is_refused,
                    changes_are_numbered_with_the_log_and_the_latest_are_kept,
                    a_seq_beyond_the_log_is_refused,
                    two_entries_of_one_sequence_are_a_conflict,
                    two_entries_of_one_client_key_are_a_conflict,
                    one_client_key_in_two_sessions_is_fine,
                    a_session_in_the_commit_of_another_workspace_is_refused,
                    a_call_is_changed_in_its_place,
                    a_call_in_the_place_of_another_is_refused,
                    a_deleted_session_is_gone_with_its_entries_and_calls,
                    a_deletion_of_another_sequence_is_a_conflict,
                    of_deleted_sessions_the_latest_records_are_kept,
                    records_of_the_policy_push_out_no_persons,
                    instructions_are_kept_in_versions,
                    instructions_go_with_what_they_are_about,
                    a_receipt_is_kept_once_until_it_is_forgotten,
                    commits_at_once_on_one_version_one_wins,
                    commits_of_many_workspaces_at_once_are_all_there,
                    workspaces_come_by_key,
                    what_was_never_committed_is_none,
                    placed_gives_the_sessions_of_its_workspace_that_hold_or_want_a_slot,
                    due_gives_what_works_and_what_must_wake_once_each,
                    a_clock_that_was_set_back_makes_deadlines_due,
                    due_in_gives_those_of_its_workspace,
                    next_wake_is_the_earliest_of_its_workspace,
                    agenda_gives_the_workspaces_that_are_due_and_the_next_instant,
                    waiting_gives_the_workspaces_where_a_placed_session_waits,
                    numbers_keep_every_digit,
                    numbers_are_ordered_as_numbers,
                    texts_and_bodies_are_kept_whole,
                    texts_differ_by_every_byte,
                    a_reader_sees_no_half_of_a_commit,
                    calls_of_a_store_block_no_other_task,
                    a_dropped_read_leaves_nothing_behind,
                ],
                derived_reads: [
                    costs_are_added_up_once,
                    reservations_are_settled_by_usage,
                    pages_of_sessions_join,
                    a_search_leaves_no_match_out,
                    a_search_knows_the_present_name,
                    sessions_rest_by_age,
                    the_extent_of_a_log_is_that_of_its_entries,
                    the_end_of_a_list_is_its_last_rows,
                    a_name_finds_its_rows_whatever_its_case,
                    a_repeated_commit_is_a_conflict,
                    maintenance_changes_no_row,
                ],
                log_reader: [
                    entries_come_in_order_after_a_number_up_to_a_limit,
                    entries_come_after_a_sequence_of_their_session,
                    entries_of_all_sessions_come_in_order_after_a_number,
                    an_entry_is_found_by_its_number,
                    an_entry_is_found_by_its_client_key,
                    calls_come_in_the_order_they_were_asked_for,
                    a_call_is_found_by_its_id,
                    a_call_with_an_id_of_another_form_is_found,
                    twins_are_of_the_same_command_and_exchange_latest_first,
                    sessions_that_wait_come_first_then_open_ones_then_those_that_ended,
                    the_filter_of_sessions_lets_through_what_it_says,
                    lines_are_the_sessions_that_the_filter_lets_through,
                    a_prefix_finds_at_most_ten_sessions_by_id,
                    a_prefix_is_taken_literally,
                    unsettled_calls_are_the_unknown_ones_of_the_workspace_latest_first,
                    a_census_counts_phases_and_what_waits,
                    a_blob_is_kept_as_it_was_first_given,
                    a_prefix_stays_while_a_session_names_it,
                ],
                resource_reader: [
                    a_resource_is_read_back_as_it_was_written,
                    a_resource_that_is_there_is_a_conflict,
                    a_resource_in_a_parent_that_is_not_there_is_a_conflict,
                    an_update_of_another_version_is_a_conflict,
                    an_update_of_what_is_gone_is_a_conflict,
                    a_deletion_of_another_version_is_a_conflict,
                    an_update_replaces_the_row_and_its_parent,
                    a_deletion_takes_all_that_lives_in_it,
                    one_id_in_two_workspaces_is_two_rows,
                    resources_come_by_instant_then_name_then_id,
                    the_filter_of_resources_lets_through_what_it_says,
                    limit_and_offset_cut_the_list_and_not_the_count,
                    versions_are_those_of_the_rows_that_the_filter_lets_through,
                ],
                automation_reader: [
                    automations_come_in_the_order_they_were_made,
                    an_automation_is_changed_from_the_revision_that_is_there,
                    a_deleted_automation_leaves_its_occurrences,
                    an_occurrence_is_decided_once,
                    occurrences_come_latest_first,
                    scheduled_gives_the_workspaces_that_are_due_and_the_next_instant,
                ],
                task_reader: [
                    a_task_is_read_back_and_replaced,
                    tasks_come_latest_first,
                    tasks_are_due_when_they_say,
                    an_arrival_is_kept_once,
                    tasks_go_with_their_session,
                ],
                inbox_rows: [
                    inbox_rows_follow_what_waits,
                    inbox_rows_go_with_their_session,
                ],
                inbox_triage: [
                    a_snooze_is_one_persons,
                    an_item_is_assigned_to_one_person,
                    notes_go_with_their_session,
                    notes_of_another_workspace_are_not_found,
                ],
                ownership: [
                    second_owner_is_refused,
                    epochs_grow,
                    an_owner_that_was_followed_has_lost_for_good,
                    a_commit_of_an_earlier_epoch_is_refused_and_writes_nothing,
                    a_workspace_has_the_epoch_of_who_wrote_it_last,
                    a_lost_owner_commits_nothing_and_stops,
                    frozen_owner_sends_nothing,
                    an_owner_that_was_frozen_and_not_followed_goes_on,
                    a_call_whose_time_is_over_is_not_sent,
                    a_successor_asks_only_when_the_old_call_can_land_no_more,
                    a_release_is_requested_until_there_is_a_new_owner,
                ],
                workspace_isolation: [
                    what_another_workspace_has_is_not_found,
                    an_id_is_taken_for_all_workspaces,
                    a_commit_changes_nothing_of_another_workspace,
                    mail_of_another_workspace_is_neither_answered_nor_taken_back,
                ],
                mail_store: [
                    mail_comes_in_the_order_it_was_posted,
                    mail_answered_by_a_commit_is_unanswered_no_more,
                    mail_of_a_commit_that_conflicts_stays_unanswered,
                    refused_mail_has_its_answer,
                    the_first_answer_stands,
                    answered_mail_is_forgotten_when_it_is_old,
                    mail_taken_back_is_gone,
                    mail_answered_already_is_not_taken_back,
                    a_commit_that_answers_mail_taken_back_is_a_conflict,
                    a_commit_that_answers_answered_mail_is_a_conflict,
                    refusing_mail_taken_back_is_no_failure,
                    numbers_of_mail_are_never_given_twice,
                ],
            ]
        }
    };
}

/// One test per named behaviour of several suites.
#[macro_export]
macro_rules! contract_suites {
    ($open:ident, [$($suite:ident: [$($case:ident),* $(,)?]),* $(,)?]) => {
        $($crate::contract_cases!($suite, $open, [$($case),*]);)*
    };
}

/// The behaviours of several suites as one list.
#[macro_export]
macro_rules! contract_tables {
    ([$($suite:ident: [$($case:ident),* $(,)?]),* $(,)?]) => {
        [$($crate::contract_table!($suite, [$($case),*])),*].into_iter().flatten().collect::<::std::vec::Vec<_>>()
    };
}

/// One test per behaviour of the store of people and tokens. Takes the name of an `async fn() -> AccessStoreFixture`,
/// or of one that returns an `Option` of it.
#[macro_export]
macro_rules! access_contracts {
    ($open:ident) => {
        $crate::contract_cases!(
            access_store,
            $open,
            [
                a_token_is_read_back_as_it_was_written,
                tokens_of_relays_go_when_their_time_is_over,
                a_name_is_one_persons_in_its_reach,
                name_of_removed_person_is_given_to_nobody,
                a_token_that_is_there_stays_as_it_is,
                a_token_of_nobody_is_refused,
                a_token_is_added_once_under_a_key,
                tokens_come_latest_first,
                the_first_revocation_stands,
                a_token_is_spent_once,
                a_use_is_noted,
                tickets_of_streams_are_kept_until_they_expire,
                what_another_workspace_has_is_neither_listed_nor_revoked,
            ]
        );
    };
}

/// One test per behaviour of a store of documents. Takes the name of an `async fn() -> KnowledgeStoreFixture`, or of
/// one that returns an `Option` of it.
#[macro_export]
macro_rules! knowledge_contracts {
    ($open:ident) => {
        $crate::contract_cases!(
            knowledge_store,
            $open,
            [
                a_document_is_read_back_as_it_was_written,
                a_document_is_replaced_by_its_name,
                a_library_has_as_many_documents_as_it_may,
                chunks_are_found_by_their_terms,
                a_removed_document_is_gone_with_its_chunks,
                reads_of_documents_are_noted,
                only_unread_documents_are_removed_as_unread,
                what_another_workspace_knows_is_not_found,
            ]
        );
    };
}

/// One test per behaviour of a store of targets, notifications and links. Takes the name of an `async fn() ->
/// OutboxStoreFixture`, or of one that returns an `Option` of it.
#[macro_export]
macro_rules! outbox_contracts {
    ($open:ident) => {
        $crate::outbox_suite!(contract_cases, $open);
    };
}

/// Passes the behaviours of a store of targets, notifications and links to another macro.
#[macro_export]
macro_rules! outbox_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            outbox_store,
            $($open,)?
            [
                a_target_is_read_back_as_it_was_written,
                a_target_is_changed_from_the_revision_that_is_there,
                a_target_is_added_once_under_a_key,
                a_removed_target_is_gone_with_all_that_refers_to_it,
                a_target_is_told_an_item_once,
                what_is_pending_and_due_comes_in_order,
                what_became_of_a_row_is_kept_until_it_is_old,
                a_link_is_spent_by_a_commit,
            ]
        }
    };
}

/// One test per behaviour of a store of files. Takes the name of an `async fn() -> FileStoreFixture`, or of one that
/// returns an `Option` of it.
#[macro_export]
macro_rules! file_contracts {
    ($open:ident) => {
        $crate::file_suite!(contract_cases, $open);
    };
}

/// Passes the behaviours of a store of files to another macro.
#[macro_export]
macro_rules! file_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            file_store,
            $($open,)?
            [
                a_file_is_read_back_as_it_was_stored,
                equal_bytes_are_stored_once,
                a_session_keeps_its_name_of_a_file,
                digest_of_other_workspace_is_404,
                a_file_no_session_names_is_deleted_when_it_is_old,
                file_is_deleted_with_its_last_session,
                a_file_stays_while_mail_waits,
                a_file_goes_with_its_results,
                an_image_is_read_back_with_its_form,
                a_missing_file_is_not_noted,
                sizes_of_a_sessions_files_are_added_up,
            ]
        }
    };
}

/// One test per behaviour of a store that several processes work on. Takes the name of an `async fn() ->
/// WorkspaceOwnershipFixture`, or of one that returns an `Option` of it.
#[macro_export]
macro_rules! workspace_ownership_contracts {
    ($open:ident) => {
        $crate::workspace_ownership_suite!(contract_cases, $open);
    };
}

/// Passes the behaviours of a store that several processes work on to another macro.
#[macro_export]
macro_rules! workspace_ownership_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            workspace_ownership,
            $($open,)?
            [
                a_workspace_is_acquired_by_one_process,
                an_absent_workspace_is_acquired_by_nobody,
                an_acquisition_refuses_earlier_commits,
                an_acquisition_follows_the_stored_epoch,
                a_release_of_an_earlier_epoch_does_nothing,
                a_process_that_left_has_nothing,
                a_process_is_removed_after_its_lease,
                a_process_that_beats_stays,
                the_first_process_is_told_so,
                processes_are_told_as_they_entered,
                a_store_has_one_owner_or_processes,
            ]
        }
    };
}

/// One test per named behaviour of one suite.
#[macro_export]
macro_rules! contract_cases {
    ($suite:ident, $open:ident, [$($case:ident),* $(,)?]) => {
        mod $suite {
            $(
                #[test]
                fn $case() {
                    $crate::contracts::time_limit::assert_passes(stringify!($case), || async {
                        if let Some(opened) = $crate::contracts::opened_fixture(super::$open().await) {
                            $crate::contracts::$suite::$case(opened).await;
                        }
                    });
                }
            )*
        }
    };
}

/// The behaviours of one suite as a list of [`ContractCheck`](crate::contracts::ContractCheck)s, each named after it.
#[macro_export]
macro_rules! contract_table {
    ($suite:ident, [$($case:ident),* $(,)?]) => {
        ::std::vec![$($crate::contracts::ContractCheck {
            name: stringify!($case),
            run: |opened| ::std::boxed::Box::pin($crate::contracts::$suite::$case(opened)),
        }),*]
    };
}

/// The names of the behaviours of one suite.
#[macro_export]
macro_rules! contract_names {
    ($suite:ident, [$($case:ident),* $(,)?]) => {
        [$(stringify!($case)),*]
    };
}
