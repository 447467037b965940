//! Adapters that are broken on purpose, each in one place: the contract suites detect every one of them, by the check
//! that is named after the fault.

#![expect(clippy::expect_used, reason = "a mutant that cannot be made has failed")]

mod letter_executor;
mod line_log_store;
mod plain_provider;
mod plain_wire;

use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_domain::command::EffectClass;
use entracte_tests::contracts::durable::{DurableStoreFixture, child};
use entracte_tests::contracts::executor::ExecutorFixture;
use entracte_tests::contracts::wire::WireFixture;
use entracte_tests::contracts::{ContractCheck, StoreFixture};

use letter_executor::ExecutorFault;
use line_log_store::fault::StoreFault;
use plain_provider::ProviderFault;
use plain_wire::PlainWireFixture;

async fn sound_wire() -> Arc<dyn WireFixture> {
    Arc::new(PlainWireFixture(None))
}

entracte_tests::wire_contracts!(sound_wire);

async fn sound_idempotent() -> ExecutorFixture {
    letter_executor::commands(EffectClass::Idempotent, None)
}

entracte_tests::executor_contracts!(sound_idempotent);

mod asked_first {
    use super::*;

    async fn sound_probe() -> ExecutorFixture {
        letter_executor::commands(EffectClass::Probe, None)
    }

    entracte_tests::executor_contracts!(sound_probe);
}

/// Each fault, and the check that detects it.
const PROVIDERS: &[(ProviderFault, &str)] = &[
    (ProviderFault::SendsAnotherBody, "what_is_sent_is_the_wire"),
    (ProviderFault::NamesNoModel, "every_part_of_a_request_is_in_its_wire"),
    (ProviderFault::PutsItsKeyIntoTheBody, "the_key_goes_to_the_server_alone"),
    (ProviderFault::DeclaresNoSchemas, "tools_are_declared"),
    (ProviderFault::LeavesOutWhatIsAnswered, "results_stand_by_their_calls"),
    (ProviderFault::TurnsResultsRound, "results_keep_their_order"),
    (ProviderFault::WritesItsTurnsAnew, "a_turn_goes_back_as_it_came"),
    (ProviderFault::SendsTurnsOfOthers, "a_turn_of_another_dialect_is_written_anew"),
    (ProviderFault::LeavesOutTheShape, "a_shape_is_asked_for"),
    (ProviderFault::ShowsTheFirstWordOnly, "words_and_reply_are_all_that_was_said"),
    (ProviderFault::ShowsAllAtTheEnd, "words_are_heard_as_they_come"),
    (ProviderFault::TakesPiecesForEvents, "however_it_is_split_it_says_the_same"),
    (ProviderFault::KeepsTheFirstCall, "native_calls_come_back"),
    (ProviderFault::TakesTheLimitForTheEnd, "an_answer_at_its_limit_is_cut"),
    (ProviderFault::TakesARefusalForAnAnswer, "a_refusal_to_say_more_is_refused"),
    (ProviderFault::CountsNoTokens, "tokens_are_those_that_the_server_told"),
    (ProviderFault::GivesNoSignOfLife, "signs_of_life_are_passed_on"),
    (ProviderFault::WritesJsonAnew, "an_answer_in_json_is_its_text"),
    (ProviderFault::TakesACutForTheEnd, "a_cut_answer_is_lost"),
    (ProviderFault::TakesAnythingForAnAnswer, "what_is_not_an_answer_is_a_failure"),
    (ProviderFault::TakesNoConnectionForLost, "no_connection_is_unreachable"),
    (ProviderFault::TakesNoAnswerForUnreachable, "no_answer_is_lost"),
    (ProviderFault::TakesSilenceForTheEnd, "silence_is_no_answer"),
    (ProviderFault::KnowsOneClass, "statuses_have_their_classes"),
    (ProviderFault::ForgetsWhenToComeBack, "a_failure_says_when_to_come_back"),
    (ProviderFault::AsksAgain, "one_call_is_one_request"),
    (ProviderFault::FollowsRedirects, "a_redirect_is_not_followed"),
    (ProviderFault::GoesOnUnheard, "a_dropped_call_closes_its_connection"),
    (ProviderFault::ShowsItsKey, "the_key_is_in_no_failure"),
    (ProviderFault::ReadsWithoutEnd, "an_answer_without_end_is_given_up"),
    (ProviderFault::ForgetsHowItBegan, "a_changed_entry_changes_no_conversation"),
    (ProviderFault::WritesOldEncodingsAnew, "former_encodings_are_written_as_they_were"),
];

const STORES: &[(StoreFault, &str)] = &[
    (StoreFault::LeavesOutBlobs, "a_commit_is_read_back_as_it_was_written"),
    (StoreFault::LooksAtNoEpoch, "a_commit_of_an_earlier_epoch_is_refused_and_writes_nothing"),
    (StoreFault::WritesInTwo, "nothing_of_a_refused_commit_is_there"),
    (StoreFault::SaysThatItIsWritten, "another_seq_of_the_workspace_is_a_conflict"),
    (StoreFault::TakesConflictsForDamage, "another_sequence_of_a_session_is_a_conflict"),
    (StoreFault::SaysNotWhatChanged, "a_conflict_says_what_was_changed"),
    (StoreFault::ListsInNoOrder, "workspaces_come_by_key"),
    (StoreFault::HasNoWalls, "what_another_workspace_has_is_not_found"),
    (StoreFault::WakesNobody, "due_gives_what_works_and_what_must_wake_once_each"),
    (StoreFault::SortsMailByNothing, "mail_comes_in_the_order_it_was_posted"),
    (StoreFault::HasManyOwners, "second_owner_is_refused"),
];

/// Faults of a store that outlives its process.
const DURABLE_STORES: &[(StoreFault, &str)] = &[
    (StoreFault::ForgetsReceipts, "what_was_committed_is_there_after_reopening"),
    (StoreFault::ForgetsMail, "numbers_of_mail_go_on_after_reopening"),
    (StoreFault::CountsEpochsAnew, "epochs_grow_after_reopening"),
    (StoreFault::OpensForEverybody, "two_owners_are_refused"),
    (StoreFault::WritesInTwo, "a_dropped_commit_is_whole_or_none"),
    (StoreFault::KeepsLater, "a_kill_loses_nothing_that_was_written"),
    (StoreFault::WritesInTwo, "a_killed_commit_is_whole_or_none"),
];

const EXECUTORS: &[((ExecutorFault, EffectClass), &str)] = &[
    ((ExecutorFault::TakesAnything, EffectClass::Once), "commands_are_declared_once_and_whole"),
    ((ExecutorFault::CountsItsQueries, EffectClass::Once), "a_query_run_twice_changes_nothing"),
    ((ExecutorFault::LooksAtNoKey, EffectClass::Idempotent), "an_action_run_twice_is_done_as_its_class_says"),
    ((ExecutorFault::GoesOnUnheard, EffectClass::Once), "a_dropped_call_stops_its_work"),
    ((ExecutorFault::TakesNoAnswerForNo, EffectClass::Once), "no_answer_is_no_outcome"),
    ((ExecutorFault::TriesAgain, EffectClass::Once), "a_failure_is_one_attempt"),
    ((ExecutorFault::GuessesWhetherItHappened, EffectClass::Probe), "asking_tells_whether_it_happened"),
    ((ExecutorFault::ShowsNoValues, EffectClass::Once), "an_action_is_described_before_it_is_done"),
    ((ExecutorFault::PlansWhatIsOutside, EffectClass::Once), "an_action_outside_has_no_plan"),
    ((ExecutorFault::DoesSomethingElse, EffectClass::Once), "what_it_does_not_know_is_failed"),
];

/// The child process of a killed store: this program, run again.
mod a_child_of_the_kit {
    #[tokio::test]
    async fn commits_until_it_is_killed() {
        super::child::commit_until_killed(|at| Box::pin(super::line_log_store::open(at))).await;
    }
}

/// A reopenable line log store.
fn kept(engine: &str, fault: Option<StoreFault>) -> DurableStoreFixture {
    DurableStoreFixture {
        place: line_log_store::place(engine, fault),
        open: |at| Box::pin(line_log_store::open(at)),
        child: entracte_tests::contracts::durable::child_test_name(module_path!()),
    }
}

/// The ports of a new, empty store.
fn opened(engine: &str, fault: Option<StoreFault>) -> StoreFixture {
    let place = line_log_store::place(engine, fault);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let stores = runtime.block_on(line_log_store::open(place.at)).expect("an empty store opens");
    StoreFixture { keep: place.keep, ..stores }
}

/// Whether a check detects the fault, that is, panics. Each runs in its own thread and runtime.
fn finds<T: Send + 'static>(check: &ContractCheck<T>, broken: T) -> bool {
    let run = check.run;
    let ran = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(run(broken));
    });
    ran.join().is_err()
}

/// The mutants that their check does not detect, and the checks without a mutant.
fn missed<T: Send + 'static, F: std::fmt::Debug + Copy>(
    checks: &[ContractCheck<T>],
    mutants: &[(F, &str)],
    broken: impl Fn(F) -> T,
) -> Vec<String> {
    let mut missed = Vec::new();
    let mut needed = BTreeSet::new();
    for (fault, name) in mutants {
        needed.insert(*name);
        match checks.iter().find(|check| check.name == *name) {
            Some(check) if finds(check, broken(*fault)) => {}
            Some(_) => missed.push(format!("{fault:?} lives, though {name} looks at it")),
            None => missed.push(format!("{fault:?} names {name}, which is no check")),
        }
    }
    let idle = checks.iter().filter(|check| !needed.contains(check.name));
    missed.extend(idle.map(|check| format!("no mutant needs {}", check.name)));
    missed
}

#[test]
fn every_mutant_is_killed() {
    let wire = |fault| Arc::new(PlainWireFixture(Some(fault))) as Arc<dyn WireFixture>;
    let mut left = missed(&entracte_tests::wire_suite!(contract_table), PROVIDERS, wire);
    let durable = |fault| kept("lines", Some(fault));
    left.extend(missed(&entracte_tests::durable_suite!(contract_table), DURABLE_STORES, durable));
    let stores =
        missed(&entracte_tests::store_suites!(contract_tables), STORES, |fault| opened("lines", Some(fault)));
    // The remaining store checks are about behaviour of a real database, which a line log store cannot get wrong.
    left.extend(stores.into_iter().filter(|missed| !missed.starts_with("no mutant needs")));
    let commands = |(fault, effect)| letter_executor::commands(effect, Some(fault));
    left.extend(missed(&entracte_tests::executor_suite!(contract_table), EXECUTORS, commands));
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn two_stores_of_strangers_pass() {
    for engine in ["redb", "lines"] {
        for check in entracte_tests::store_suites!(contract_tables) {
            assert!(!finds(&check, opened(engine, None)), "{engine} does not pass {}", check.name);
        }
        for check in entracte_tests::durable_suite!(contract_table) {
            assert!(!finds(&check, kept(engine, None)), "{engine} does not pass {}", check.name);
        }
    }
}
