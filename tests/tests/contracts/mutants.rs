//! Adapters that are broken on purpose, each in one place: the contract suites detect every one of them, by the check
//! that is named beside the fault. Most stores are lines of `altered_store`, which deviates from the memory store.

#![expect(clippy::expect_used, reason = "a mutant that cannot be made has failed")]

mod altered_store;
mod letter_executor;
mod line_log_store;
mod plain_provider;
mod plain_wire;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::StoreError;
use entracte_domain::command::EffectClass;
use entracte_tests::contracts::durable::{DurableStoreFixture, child};
use entracte_tests::contracts::executor::ExecutorFixture;
use entracte_tests::contracts::time_limit::{CheckFailure, CheckLimits, assert_passes};
use entracte_tests::contracts::wire::WireFixture;
use entracte_tests::contracts::{ContractCheck, StoreFixture};

use altered_store::deviation::{StoreDeviation, StoreMutant};
use altered_store::{method_mutants, written_mutants};
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

mod unaltered {
    use super::*;

    async fn sound_store() -> StoreFixture {
        altered_store::stores(StoreDeviation::Sound)
    }

    entracte_tests::store_contracts!(sound_store);
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
    (ProviderFault::LeavesOutNotes, "no_part_of_a_conversation_is_left_out"),
    (ProviderFault::LeavesOutLaterBlocks, "no_part_of_a_conversation_is_left_out"),
    (ProviderFault::LeavesOutWordsBesideCalls, "no_part_of_a_conversation_is_left_out"),
    (ProviderFault::KeepsTheLastTurns, "no_part_of_a_conversation_is_left_out"),
    (ProviderFault::IgnoresTheOutputLimit, "every_limit_of_a_request_is_in_its_wire"),
    (ProviderFault::LetsCallsBeMade, "every_limit_of_a_request_is_in_its_wire"),
    (ProviderFault::TakesFailuresForResults, "a_failed_result_is_told_apart"),
    (ProviderFault::RequiresNothing, "tools_keep_what_they_allow"),
    (ProviderFault::LeavesOutValues, "tools_keep_what_they_allow"),
    (ProviderFault::TakesNumbersForFloats, "numbers_of_calls_keep_their_digits"),
    (ProviderFault::TakesAnErrorForTheEnd, "an_error_after_words_is_a_failure"),
    (ProviderFault::AsksForItsWindow, "what_is_known_of_a_model_needs_no_request"),
    (ProviderFault::ChecksNothing, "a_failed_check_names_the_provider_alone"),
    (ProviderFault::ShowsItsKey, "a_failed_check_names_the_provider_alone"),
    (ProviderFault::BlocksTheRuntime, "calls_of_a_wire_block_no_other_task"),
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
    ((ExecutorFault::DeclaresTwice, EffectClass::Once), "commands_are_declared_once_and_whole"),
    ((ExecutorFault::SaysNotWhatItDoes, EffectClass::Once), "commands_are_declared_once_and_whole"),
    ((ExecutorFault::SettlesAtOnce, EffectClass::Probe), "commands_are_declared_once_and_whole"),
    ((ExecutorFault::AnswersOtherwise, EffectClass::Once), "a_query_run_twice_changes_nothing"),
    (
        (ExecutorFault::ForgetsItsKey, EffectClass::Idempotent),
        "an_action_run_twice_is_done_as_its_class_says",
    ),
    ((ExecutorFault::DoesNothing, EffectClass::Once), "an_action_run_twice_is_done_as_its_class_says"),
    ((ExecutorFault::DoesItTwice, EffectClass::Once), "an_action_run_twice_is_done_as_its_class_says"),
    ((ExecutorFault::RefusesWithoutReason, EffectClass::Once), "a_failure_is_one_attempt"),
    ((ExecutorFault::TakesARefusalForDone, EffectClass::Once), "a_failure_is_one_attempt"),
    ((ExecutorFault::AsksByDoing, EffectClass::Probe), "asking_tells_whether_it_happened"),
    ((ExecutorFault::NeverFinds, EffectClass::Probe), "asking_tells_whether_it_happened"),
    ((ExecutorFault::TellsWhatNobodyCanKnow, EffectClass::Once), "asking_tells_whether_it_happened"),
    ((ExecutorFault::FindsWhatOthersDid, EffectClass::Probe), "a_look_up_finds_only_its_own_effect"),
    ((ExecutorFault::DescribesByDoing, EffectClass::Once), "an_action_is_described_before_it_is_done"),
    ((ExecutorFault::DescribesOtherwise, EffectClass::Once), "an_action_is_described_before_it_is_done"),
    ((ExecutorFault::ChecksByDoing, EffectClass::Once), "a_call_is_checked_without_being_done"),
    ((ExecutorFault::PlansByDoing, EffectClass::Once), "an_action_outside_has_no_plan"),
    ((ExecutorFault::TakesARefusalForAnOutage, EffectClass::Once), "an_action_outside_has_no_plan"),
    ((ExecutorFault::LosesWhatItDoesNotKnow, EffectClass::Once), "what_it_does_not_know_is_failed"),
    ((ExecutorFault::BlocksTheRuntime, EffectClass::Once), "calls_of_an_executor_block_no_other_task"),
];

/// The child process of a killed store: this program, run again.
mod a_child_of_the_kit {
    #[test]
    fn commits_until_it_is_killed() {
        super::assert_passes("commits_until_it_is_killed", || {
            super::child::commit_until_killed(|at| Box::pin(super::line_log_store::open(at)))
        });
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

/// Less than a mutant that blocks needs for a poll. One that never answers may not hold up the others for long.
const OF_A_MUTANT: CheckLimits =
    CheckLimits { whole: Duration::from_secs(60), poll: Duration::from_millis(10) };
/// The mutants that never answer: what they are looked at by ends at this limit.
const OF_A_HANGING_MUTANT: CheckLimits =
    CheckLimits { whole: Duration::from_millis(20), poll: CheckLimits::DEFAULT.poll };

/// A mutant: its name, its fault, and the check that finds it.
type NamedMutant<F> = (String, F, &'static str);

/// Whether a check detects the fault.
fn finds<T: Send + 'static>(check: &ContractCheck<T>, broken: T) -> bool {
    check.run_within(OF_A_MUTANT, broken).is_err()
}

/// The mutants that their check does not detect, each with the checks that do.
fn missed<T: Send + 'static, F: Copy>(
    checks: &[ContractCheck<T>],
    mutants: &[NamedMutant<F>],
    broken: impl Fn(F) -> T,
) -> Vec<String> {
    let mut missed = Vec::new();
    for (mutant, fault, name) in mutants {
        match checks.iter().find(|check| check.name == *name) {
            Some(check) if finds(check, broken(*fault)) => {}
            Some(_) => {
                let others = checks.iter().filter(|check| finds(check, broken(*fault)));
                let others: Vec<&str> = others.map(|check| check.name).collect();
                missed.push(format!(
                    "{mutant} lives, though {name} looks at it; others that find it: {others:?}"
                ));
            }
            None => missed.push(format!("{mutant} names {name}, which is no check")),
        }
    }
    missed
}

/// The checks that no mutant needs.
fn idle<T, F>(checks: &[ContractCheck<T>], mutants: &[NamedMutant<F>]) -> Vec<String> {
    let needed: BTreeSet<&str> = mutants.iter().map(|(_, _, name)| *name).collect();
    let idle = checks.iter().filter(|check| !needed.contains(check.name));
    idle.map(|check| format!("no mutant needs {}", check.name)).collect()
}

/// The mutants of a list of faults.
fn named<F: std::fmt::Debug + Copy>(faults: &[(F, &'static str)]) -> Vec<NamedMutant<F>> {
    faults.iter().map(|(fault, name)| (format!("{fault:?}"), *fault, *name)).collect()
}

/// The mutants of the altered store.
fn altered() -> Vec<NamedMutant<StoreDeviation>> {
    let lists: [&[StoreMutant]; 4] = [
        written_mutants::WRITES,
        method_mutants::SECOND_TRANSACTIONS,
        method_mutants::REPORTS,
        method_mutants::METHODS,
    ];
    let all = lists.into_iter().flatten();
    all.map(|(mutant, deviation, name)| ((*mutant).to_owned(), *deviation, *name)).collect()
}

/// How many mutants the kit promises at least.
const MUTANTS_LEAST: usize = 120;

#[test]
fn every_mutant_is_killed() {
    let (wires, durables) = (named(PROVIDERS), named(DURABLE_STORES));
    let (lines, commands, stores) = (named(STORES), named(EXECUTORS), altered());
    let wire_checks = entracte_tests::wire_suite!(contract_table);
    let wire = |fault| Arc::new(PlainWireFixture(Some(fault))) as Arc<dyn WireFixture>;
    let mut left = missed(&wire_checks, &wires, wire);
    left.extend(idle(&wire_checks, &wires));
    let durable_checks = entracte_tests::durable_suite!(contract_table);
    left.extend(missed(&durable_checks, &durables, |fault| kept("lines", Some(fault))));
    left.extend(idle(&durable_checks, &durables));
    // Some store checks are about behaviour of a real database, which no store in memory gets wrong.
    let store_checks = entracte_tests::store_suites!(contract_tables);
    left.extend(missed(&store_checks, &lines, |fault| opened("lines", Some(fault))));
    left.extend(missed(&store_checks, &stores, altered_store::stores));
    let executor_checks = entracte_tests::executor_suite!(contract_table);
    let executor = |(fault, effect)| letter_executor::commands(effect, Some(fault));
    left.extend(missed(&executor_checks, &commands, executor));
    left.extend(idle(&executor_checks, &commands));
    assert_eq!(left, Vec::<String>::new());
    let all = wires.len() + durables.len() + lines.len() + commands.len() + stores.len();
    assert!(all >= MUTANTS_LEAST, "{all} mutants");
    let names: BTreeSet<&str> = stores.iter().map(|(mutant, _, _)| mutant.as_str()).collect();
    assert_eq!(names.len(), stores.len(), "each mutant is listed once");
}

/// Input: adapters that never answer and one that blocks its thread for ever; expected: each check on them ends at its
/// limit, and says so.
#[test]
fn no_check_hangs() {
    let hangs = |ended: Result<(), CheckFailure>| matches!(ended, Err(CheckFailure::TimedOut(_)));
    let store_checks = entracte_tests::store_suites!(contract_tables);
    for check in &store_checks {
        let hanging = altered_store::stores(StoreDeviation::Hangs);
        assert!(hangs(check.run_within(OF_A_HANGING_MUTANT, hanging)), "{}", check.name);
    }
    let blocking = altered_store::stores(StoreDeviation::Blocks(Duration::MAX));
    assert!(hangs(store_checks[0].run_within(OF_A_HANGING_MUTANT, blocking)), "{}", store_checks[0].name);

    // Checks of what is only written or declared pass, or are as slow as this limit is short: they end.
    let wire_checks = entracte_tests::wire_suite!(contract_table);
    let hanging = wire_checks.iter().filter(|check| {
        let wire: Arc<dyn WireFixture> = Arc::new(PlainWireFixture(Some(ProviderFault::NeverAnswers)));
        hangs(check.run_within(OF_A_HANGING_MUTANT, wire))
    });
    assert!(hanging.count() > wire_checks.len() / 2, "most checks of a wire make a call");
    let executor_checks = entracte_tests::executor_suite!(contract_table);
    let hanging = executor_checks.iter().filter(|check| {
        let executor = letter_executor::commands(EffectClass::Once, Some(ExecutorFault::NeverAnswers));
        hangs(check.run_within(OF_A_HANGING_MUTANT, executor))
    });
    assert!(hanging.count() > 0, "some checks of an executor make a call");
    for check in entracte_tests::durable_suite!(contract_table) {
        let durable = DurableStoreFixture {
            open: |_| Box::pin(std::future::pending::<Result<StoreFixture, StoreError>>()),
            child: "there is no such test".to_owned(),
            ..kept("lines", None)
        };
        assert!(check.run_within(OF_A_HANGING_MUTANT, durable).is_err(), "{}", check.name);
    }
}

#[test]
fn two_stores_of_strangers_pass() {
    for engine in ["redb", "lines"] {
        for check in entracte_tests::store_suites!(contract_tables) {
            assert_passes_on(&check, engine, opened(engine, None));
        }
        for check in entracte_tests::durable_suite!(contract_table) {
            assert_passes_on(&check, engine, kept(engine, None));
        }
    }
}

fn assert_passes_on<T: Send + 'static>(check: &ContractCheck<T>, engine: &str, adapter: T) {
    let ended = check.run_within(CheckLimits::DEFAULT, adapter);
    assert!(ended.is_ok(), "{engine} does not pass {}: {ended:?}", check.name);
}
