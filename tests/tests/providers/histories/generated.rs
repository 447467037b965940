//! Generated moves.

use std::sync::atomic::{AtomicUsize, Ordering};

use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{Dialect, Input, RulesChange, SessionKind, Slot};
use entracte_domain::time::Millis;
use entracte_domain::validation::DecisionVerdict;
use entracte_tests::test_scale;
use proptest::prelude::*;

use super::replies::ReplyShapeBits;
use super::servers::SERVERS;
use super::session::HistorySession;

/// Number of histories sent to the servers, in the long form and in the short one.
const HISTORIES: u32 = 14_000;
const HISTORIES_SHORT: u32 = 700;
/// Number of histories with a provider of its own in each round.
const CHANGING: u32 = 6_000;
const CHANGING_SHORT: u32 = 300;
/// Maximum number of moves of a history.
const MOVES: usize = 24;

/// One move; the machine ignores a move that is impossible now.
#[derive(Clone, Copy, Debug)]
enum HistoryMove {
    Say,
    Reply { bits: u32, guarded: bool },
    Finish { well: bool },
    Decide { yes: bool },
    Answer,
    Interrupt,
    Fail { class: usize },
    Compact,
    Wait,
    Activate,
    News,
    Generation,
    Slot { held: bool },
    Crash,
}

fn moves() -> impl Strategy<Value = Vec<HistoryMove>> {
    let one = prop_oneof![
        4 => Just(HistoryMove::Say),
        14 => (any::<u32>(), prop::bool::weighted(0.3)).prop_map(|(bits, guarded)| HistoryMove::Reply { bits, guarded }),
        12 => prop::bool::weighted(0.7).prop_map(|well| HistoryMove::Finish { well }),
        3 => any::<bool>().prop_map(|yes| HistoryMove::Decide { yes }),
        2 => Just(HistoryMove::Answer),
        1 => Just(HistoryMove::Interrupt),
        3 => (0..FailureClass::ALL.len()).prop_map(|class| HistoryMove::Fail { class }),
        3 => Just(HistoryMove::Compact),
        1 => Just(HistoryMove::Wait),
        1 => Just(HistoryMove::Activate),
        1 => Just(HistoryMove::News),
        1 => Just(HistoryMove::Generation),
        1 => prop::bool::weighted(0.9).prop_map(|held| HistoryMove::Slot { held }),
        1 => Just(HistoryMove::Crash),
    ];
    proptest::collection::vec(one, 1..MOVES)
}

fn play(story: &mut HistorySession, happens: HistoryMove, index: usize) {
    match happens {
        HistoryMove::Say => story.say(&format!("m{index}")),
        HistoryMove::Reply { bits, guarded } => story.reply(ReplyShapeBits { bits, number: index }, guarded),
        HistoryMove::Finish { well } => story.finish(well, &format!("r{index}")),
        HistoryMove::Decide { yes: true } => story.decide(&DecisionVerdict::Approve { edited: None }),
        HistoryMove::Decide { yes: false } => {
            story.decide(&DecisionVerdict::Reject { reason: Some("no".into()) })
        }
        HistoryMove::Answer => story
            .feed(Input::CommunicationResponseReceived { author: "ana".into(), answer: format!("a{index}") }),
        HistoryMove::Interrupt => story.feed(Input::RoundInterrupted { author: "ana".into(), reply: None }),
        HistoryMove::Fail { class } => story.fail(FailureClass::ALL[class]),
        HistoryMove::Compact => {
            story.fail(FailureClass::ContextTooLong);
            story.compact(&format!("s{index}"));
        }
        HistoryMove::Wait => story.wait(Millis::hours(30)),
        HistoryMove::Activate => story.feed(Input::SessionActivationRequested { author: "ana".into() }),
        HistoryMove::News => {
            let notice = Some(format!("n{index}"));
            story.feed(Input::RulesChanged(Box::new(RulesChange { notice, ..RulesChange::default() })));
        }
        HistoryMove::Generation => story.begin_generation(),
        HistoryMove::Slot { held } => {
            story.feed(Input::StandingChanged { slot: if held { Slot::Held } else { Slot::None } });
        }
        HistoryMove::Crash => story.crash(),
    }
}

fn kinds() -> impl Strategy<Value = SessionKind> {
    prop_oneof![4 => Just(SessionKind::Chat), 2 => Just(SessionKind::Automation), 1 => Just(SessionKind::Agent)]
}

/// Native tools three times out of four, because the envelope has no order to break.
fn dialects() -> impl Strategy<Value = Dialect> {
    prop_oneof![3 => Just(Dialect::Tools), 1 => Just(Dialect::Envelope)]
}

/// Runs this many histories; returns the number of accepted requests.
fn run<S: Strategy>(histories: u32, strategy: S, history: impl Fn(S::Value) -> usize) -> usize {
    let config = ProptestConfig {
        cases: histories,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        ..ProptestConfig::default()
    };
    let requests = AtomicUsize::new(0);
    let outcome = proptest::test_runner::TestRunner::new(config).run(&strategy, |moves| {
        requests.fetch_add(history(moves), Ordering::Relaxed);
        Ok(())
    });
    if let Err(failed) = outcome {
        panic!("{failed}");
    }
    requests.into_inner()
}

/// After each move the process may crash and the session continue: each prefix of a history is a history.
fn play_all(mut story: HistorySession, moves: impl IntoIterator<Item = HistoryMove>) -> usize {
    let mut beside = 0;
    let mut known = story.entries.len();
    for (index, happens) in moves.into_iter().enumerate() {
        play(&mut story, happens, index);
        if story.entries.len() > known {
            known = story.entries.len();
            beside += story.clone().crash_and_run_on();
        }
    }
    story.check_rebuilt();
    story.requests + beside
}

#[test]
fn history_is_legal_for_every_prefix_and_provider() {
    let histories = (kinds(), 0..SERVERS.len(), dialects(), moves());
    let count = test_scale::scaled(HISTORIES_SHORT, HISTORIES);
    let requests = run(count, histories, |(kind, server, dialect, moves)| {
        play_all(HistorySession::new(kind, server, dialect), moves)
    });
    assert!(requests > 7 * count as usize, "{requests} requests are too few to show anything");
}

#[test]
fn provider_can_change_at_every_round() {
    let voices = proptest::collection::vec((0..SERVERS.len(), dialects()), MOVES);
    let histories = (kinds(), voices, moves());
    let count = test_scale::scaled(CHANGING_SHORT, CHANGING);
    let requests = run(count, histories, |(kind, voices, moves)| {
        let (server, dialect) = voices[0];
        let mut story = HistorySession::new(kind, server, dialect);
        for (index, happens) in moves.into_iter().enumerate() {
            play(&mut story, happens, index);
            let (server, dialect) = voices[index];
            story.switch_voice(server, dialect);
        }
        story.check_rebuilt();
        story.requests + story.crash_and_run_on()
    });
    assert!(requests > 3 * count as usize, "{requests} requests are too few to show anything");
}

/// In every round with an open attempt, its provider may fail so that a fallback takes over.
#[test]
fn fallback_keeps_the_transcript_legal() {
    let failures =
        proptest::collection::vec((0..FailureClass::ALL.len(), 0..SERVERS.len(), dialects()), MOVES);
    let histories = (kinds(), (0..SERVERS.len(), dialects()), failures, moves());
    let count = test_scale::scaled(CHANGING_SHORT, CHANGING);
    let fallen = AtomicUsize::new(0);
    let requests = run(count, histories, |(kind, (server, dialect), failures, moves)| {
        let mut story = HistorySession::new(kind, server, dialect);
        for (index, happens) in moves.into_iter().enumerate() {
            let (class, server, dialect) = failures[index];
            story.fall_back(FailureClass::ALL[class], server, dialect);
            play(&mut story, happens, index);
        }
        story.check_rebuilt();
        fallen.fetch_add(story.fallback_count(), Ordering::Relaxed);
        story.requests + story.crash_and_run_on()
    });
    let fallen = fallen.into_inner();
    assert!(fallen > count as usize, "{fallen} fallbacks are too few to show anything");
    assert!(requests > 3 * count as usize, "{requests} requests are too few to show anything");
}
