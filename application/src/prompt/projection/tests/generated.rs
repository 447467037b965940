//! Properties over generated logs: random inputs through the real state machine.

use std::sync::Arc;

use entracte_domain::command::CommandKind;
use entracte_domain::message::AiMessage;
use entracte_domain::question::Question;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    Dialect, FormatFault, Input, JournalNote, LogAppend, RequestedCall, RulesChange, SessionKind, Slot,
};
use entracte_domain::time::Millis;
use entracte_domain::validation::DecisionVerdict;
use proptest::prelude::*;

use super::fixture::{ProjectionFixture, call, said, show, style};
use super::legal::check_legal;
use crate::journal::JournalEntry;
use crate::ports::PromptTurn;
use crate::prompt::Projection;

/// A random step; the state machine ignores steps that do not apply.
#[derive(Clone, Copy, Debug)]
enum ProjectionScenarioStep {
    Say { enriched: bool },
    Reply { shape: u8 },
    Finish { well: bool },
    Decide { yes: bool },
    Answer,
    Interrupt,
    Fail { class: usize },
    Overflow,
    Compact,
    TimePasses,
    Activate,
    RulesChange { generation: bool },
    Slot { held: bool },
}

fn moves() -> impl Strategy<Value = Vec<ProjectionScenarioStep>> {
    let one = prop_oneof![
        4 => any::<bool>().prop_map(|enriched| ProjectionScenarioStep::Say { enriched }),
        12 => any::<u8>().prop_map(|shape| ProjectionScenarioStep::Reply { shape }),
        12 => prop::bool::weighted(0.8).prop_map(|well| ProjectionScenarioStep::Finish { well }),
        3 => any::<bool>().prop_map(|yes| ProjectionScenarioStep::Decide { yes }),
        2 => Just(ProjectionScenarioStep::Answer),
        1 => Just(ProjectionScenarioStep::Interrupt),
        2 => (0..FailureClass::ALL.len()).prop_map(|class| ProjectionScenarioStep::Fail { class }),
        2 => Just(ProjectionScenarioStep::Overflow),
        3 => Just(ProjectionScenarioStep::Compact),
        1 => Just(ProjectionScenarioStep::TimePasses),
        1 => Just(ProjectionScenarioStep::Activate),
        1 => any::<bool>().prop_map(|generation| ProjectionScenarioStep::RulesChange { generation }),
        1 => prop::bool::weighted(0.9).prop_map(|held| ProjectionScenarioStep::Slot { held }),
    ];
    proptest::collection::vec(one, 0..200)
}

fn play(
    story: &mut ProjectionFixture,
    happens: ProjectionScenarioStep,
    index: usize,
) -> Option<JournalEntry> {
    match happens {
        ProjectionScenarioStep::Say { enriched: false } => {
            story.say(if index.is_multiple_of(5) { "bob" } else { "ana" }, &format!("m{index}"))
        }
        ProjectionScenarioStep::Say { enriched: true } => story.say_with_query(&format!("m{index}")),
        ProjectionScenarioStep::Reply { shape } => reply(story, shape, index),
        ProjectionScenarioStep::Finish { well } => {
            let content = format!("r{index}");
            story.finish(if well { Ok(&content) } else { Err(&content) })
        }
        ProjectionScenarioStep::Decide { yes: true } => {
            story.decide(DecisionVerdict::Approve { edited: None })
        }
        ProjectionScenarioStep::Decide { yes: false } => {
            story.decide(DecisionVerdict::Reject { reason: index.is_multiple_of(2).then(|| "no".into()) })
        }
        ProjectionScenarioStep::Answer => story
            .feed(Input::CommunicationResponseReceived { author: "ana".into(), answer: format!("a{index}") }),
        ProjectionScenarioStep::Interrupt => {
            story.feed(Input::RoundInterrupted { author: "ana".into(), reply: None })
        }
        ProjectionScenarioStep::Fail { class } => story.fail(FailureClass::ALL[class]),
        ProjectionScenarioStep::Overflow => story.fail(FailureClass::ContextTooLong),
        ProjectionScenarioStep::Compact => story.compact(&format!("s{index}")),
        ProjectionScenarioStep::TimePasses => {
            story.wait(Millis::hours(30));
            story.feed(Input::TimeReached)
        }
        ProjectionScenarioStep::Activate => {
            story.feed(Input::SessionActivationRequested { author: "ana".into() })
        }
        ProjectionScenarioStep::RulesChange { generation } => {
            story.feed(Input::RulesChanged(Box::new(RulesChange {
                notice: Some(format!("n{index}")),
                prefix: generation.then(|| entracte_domain::id::Digest::new(format!("p{index}"))),
                ..RulesChange::default()
            })))
        }
        ProjectionScenarioStep::Slot { held } => {
            story.feed(Input::StandingChanged { slot: if held { Slot::Held } else { Slot::None } })
        }
    }
}

fn reply(story: &mut ProjectionFixture, shape: u8, index: usize) -> Option<JournalEntry> {
    let text = format!("{index}");
    let faults = vec![FormatFault { code: format!("f{index}"), place: None, text: "bad".into() }];
    let question = Question::Validation { message: "Go?".into() };
    match shape % 16 {
        0 | 1 => story.reply(said(&text), Vec::new()),
        2 => story.reply(said(""), Vec::new()),
        3 => story.reply_with(said(&text), Vec::new(), faults),
        4 => {
            let calls = calls(story, shape, index);
            story.reply_with(said(&text), calls, faults)
        }
        5 => story.reply(AiMessage { question: Some(question), ..said(&text) }, Vec::new()),
        6 => story.reply(AiMessage { completed: true, ..said(&text) }, Vec::new()),
        _ => {
            let calls = calls(story, shape, index);
            story.reply(AiMessage { keep_control: shape.is_multiple_of(2), ..said(&text) }, calls)
        }
    }
}

/// Queries, guarded and free actions, duplicates; some servers repeat their ids.
fn calls(story: &ProjectionFixture, shape: u8, index: usize) -> Vec<RequestedCall> {
    (0..1 + usize::from(shape) % 3)
        .map(|place| {
            let kind = if (usize::from(shape) + place).is_multiple_of(2) {
                CommandKind::Query
            } else {
                CommandKind::Action
            };
            let id = format!("call_{}", if shape > 128 { place } else { index * 10 + place });
            let id = (story.facts.dialect == Dialect::Tools).then_some(id);
            call(id.as_deref(), kind, &format!("{}", index / 7), shape.is_multiple_of(5))
        })
        .collect()
}

fn notes(entry: &JournalEntry) -> impl Iterator<Item = &JournalNote> {
    entry.appended.iter().filter_map(|appended| match appended {
        LogAppend::Note(note) => Some(note),
        LogAppend::Message(_) => None,
    })
}

/// The request as bytes, in the common beginning of every provider's encoding: no marker at the end of a user
/// turn that may grow.
fn wire(turns: &[Arc<PromptTurn>]) -> String {
    show(turns)
}

fn check(kind: SessionKind, dialect: Dialect, moves: Vec<ProjectionScenarioStep>) {
    let mut story = ProjectionFixture::new(kind, dialect);
    story.rules.equal_failures = 0;
    story.rules.without_progress = 0;
    let moves = std::iter::once(ProjectionScenarioStep::Say { enriched: false }).chain(moves);
    let mut sent: Option<Vec<Arc<PromptTurn>>> = None;
    let mut compacted = false;
    for (index, happens) in moves.enumerate() {
        let Some(entry) = play(&mut story, happens, index) else { continue };
        let turns = story.projection.turns();
        let replied = matches!(entry.input, Input::AiResponseReceived(_));
        let starts = notes(&entry).any(|note| matches!(note, JournalNote::RoundStarted { .. }));
        if notes(&entry).any(|note| matches!(note, JournalNote::GenerationBegun(_))) {
            compacted |= matches!(entry.input, Input::ContextCompacted { .. });
            sent = sent.map(|_| turns.clone());
        } else if let Some(before) = &sent {
            assert!(wire(&turns).starts_with(&wire(before)), "{}\n=>\n{}", show(before), show(&turns));
            match (replied, starts) {
                (false, false) => assert_eq!(turns, *before, "nothing moves while a round is open"),
                (true, true | false) => {
                    assert_eq!(turns[..before.len()], before[..]);
                    assert!(matches!(*turns[before.len()], PromptTurn::Assistant(_)));
                    assert_eq!(turns.len(), before.len() + if starts { 2 } else { 1 });
                }
                (false, true) => assert!(turns.len() <= before.len() + 1),
            }
        }
        if starts || sent.is_some() {
            sent = Some(turns.clone());
        }
        check_legal(&turns);
        if starts {
            assert!(matches!(turns.last().map(|turn| turn.as_ref()), Some(PromptTurn::User(_))));
        }
    }
    check_whole(&story, compacted);
}

fn check_whole(story: &ProjectionFixture, compacted: bool) {
    let shown = story.shown();
    let mut rebuilt = Projection::new(&style("Europe/Paris")).with_dialect(story.facts.dialect);
    story.entries.iter().for_each(|entry| rebuilt.push(entry, None));
    assert_eq!(rebuilt.turns(), story.projection.turns());
    let waits: Vec<_> = story.facts.queue.iter().map(|queued| queued.message.clone()).collect();
    let open = notes_since_last_round(&story.entries);
    for entry in &story.entries {
        let Input::UserMessageSent(sent) = &entry.input else { continue };
        let text = sent.message.linear_text();
        let times = shown
            .lines()
            .filter(|line| line.starts_with("  text ") && line.ends_with(&format!(" {text}")))
            .count();
        let id = story.facts.id.message_id(entry.sequence, 0);
        let expected = usize::from(!waits.contains(&id) && !open.contains(&id));
        if compacted {
            assert!(times <= expected, "{text}\n{shown}");
        } else {
            assert_eq!(times, expected, "{text}\n{shown}");
        }
    }
}

/// Messages that arrived and wait for the next round to start (their enrichments are read first).
fn notes_since_last_round(entries: &[JournalEntry]) -> Vec<entracte_domain::id::MessageId> {
    let mut joined = Vec::new();
    for note in entries.iter().flat_map(notes) {
        match note {
            JournalNote::MessagesJoined(ids) => joined.extend(ids.iter().cloned()),
            JournalNote::RoundStarted { .. } => joined.clear(),
            _ => {}
        }
    }
    joined
}

fn kinds() -> impl Strategy<Value = SessionKind> {
    prop_oneof![3 => Just(SessionKind::Chat), 2 => Just(SessionKind::Automation), 1 => Just(SessionKind::Agent)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn prompt_of_round_n_is_prefix_of_round_n_plus_1_in_the_envelope(kind in kinds(), moves in moves()) {
        check(kind, Dialect::Envelope, moves);
    }

    #[test]
    fn prompt_of_round_n_is_prefix_of_round_n_plus_1_with_tools(kind in kinds(), moves in moves()) {
        check(kind, Dialect::Tools, moves);
    }
}
