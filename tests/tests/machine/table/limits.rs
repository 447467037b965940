//! Each limit, for each kind of session, under both profiles.

use super::check;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    Dialect, EndReason, IgnoreReason, Input, LimitProfile, ParkReason, Phase, RelaunchCommandPolicy,
    RoundReason, SessionKind, SessionRules, TextOnlyEndPolicy, desired_effects,
};
use entracte_domain::spending::{
    SpendingAmount, SpendingAnswer, SpendingCap, SpendingQuestion, SpendingRefusal, SpendingScope,
    SpendingTotals,
};
use entracte_domain::time::Millis;
use entracte_tests::machine::{ActCallOutcome::*, *};

/// The model reads something new in every round.
fn reads(times: usize) -> Vec<MachineAct> {
    (0..times)
        .flat_map(|n| {
            let argument = i64::try_from(n).expect("small");
            [calls([query("a").with(argument)]).into(), outcome(0, Succeeds)]
        })
        .collect()
}

fn after(session: MachineRun, acts: &[MachineAct]) -> MachineRun {
    session.after_repeated_acts(1, acts)
}

const CLOSING: &str = "CALLING_AI LIMIT_NOTIFICATION";

#[test]
fn chat_has_default_budget() {
    let rules = SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous);
    assert_eq!(rules.rounds, 25);
    let before = after(chat().after_user_message(), &reads(24));
    assert_eq!(before.show(), "DATA_ADDED[a=succeeded] -> CALLING_AI DATA_RESPONSE");
    let at_limit = || after(chat().after_user_message(), &reads(25));
    assert_eq!(at_limit().show(), format!("DATA_ADDED[a=succeeded], LIMIT_REACHED -> {CLOSING}"));
    assert_eq!(at_limit().facts.counters.rounds_since_human, 26, "limit + 1 by name");
    check(at_limit(), text(), "IDLE");
    check(at_limit(), calls([once()]), "ACTIONS_EXECUTED[once=over_limit] -> IDLE");
    check(at_limit(), fails(FailureClass::Refused), "PROVIDER_ERROR, fixed text -> IDLE");
    check(at_limit(), fails(FailureClass::Unreachable), "NETWORK_ERROR, fixed text -> IDLE");
    check(at_limit(), MachineAct::SystemError, "PROVIDER_ERROR, fixed text -> IDLE");
    check(at_limit(), malformed("json"), "fixed text -> IDLE");
    check(at_limit().after_act(text()), message(), "CALLING_AI USER_MESSAGE");
    assert_eq!(at_limit().after_act(text()).after_user_message().facts.counters.rounds_since_human, 1);
}

const CLOSES: &str = "AWAITING_SESSION_CLOSURE LIMIT_REACHED";

#[test]
fn runs_and_agents_close_at_round_limit() {
    let at_limit = || after(automation().after_user_message(), &reads(20));
    assert_eq!(at_limit().show(), format!("DATA_ADDED[a=succeeded], LIMIT_REACHED -> {CLOSING}"));
    check(at_limit(), text(), CLOSES);
    check(at_limit(), calls([once()]), &format!("ACTIONS_EXECUTED[once=over_limit] -> {CLOSES}"));
    check(at_limit(), fails(FailureClass::Refused), &format!("PROVIDER_ERROR, fixed text -> {CLOSES}"));
    check(at_limit(), malformed("json"), &format!("fixed text -> {CLOSES}"));
    let closes = format!("DATA_ADDED[a=succeeded], LIMIT_REACHED -> {CLOSES}");
    assert_eq!(after(agent().after_user_message(), &reads(7)).show(), closes);
    let whole_run = at_limit().after_act(text()).after_user_message();
    assert_eq!(
        whole_run.show(),
        "LIMIT_REACHED -> AWAITING_SESSION_CLOSURE LIMIT_REACHED",
        "counts the whole run"
    );
}

#[test]
fn strict_limits_rounds() {
    let strict = |kind| SessionRules::new(kind, LimitProfile::Strict);
    assert_eq!(strict(SessionKind::Chat).rounds, 10);
    assert_eq!(strict(SessionKind::Automation).rounds, 20);
}

#[test]
fn strict_limit_stops_next_query_round() {
    let read = |session: MachineRun, times| after(session.strict().after_user_message(), &reads(times));
    assert_eq!(read(chat(), 3).show(), "DATA_ADDED[a=succeeded] -> CALLING_AI DATA_RESPONSE");
    let refused = "DATA_ADDED[b=over_limit], LIMIT_REACHED";
    check(read(chat(), 3), calls([query("b")]), &format!("{refused} -> {CLOSING}"));
    check(read(automation(), 5), calls([query("b")]), &format!("{refused} -> {CLOSING}"));
    check(read(chat(), 3), calls([once()]), "EXECUTING_ACTIONS [once=started]");
    let acted = read(chat(), 3).after_act(calls([local()]).keep_control()).after_act(outcome(0, Succeeds));
    check(acted, calls([query("b")]), "EXECUTING_DATA_QUERIES [b=started]");
}

fn failing(times: usize) -> Vec<MachineAct> {
    (0..times)
        .flat_map(|n| {
            let name = ["p", "q", "r", "s", "t", "u"][n % 6];
            [calls([local().named(name)]).into(), outcome(0, Fails)]
        })
        .collect()
}

#[test]
fn strict_limits_rounds_whose_actions_failed() {
    let failed = |session: MachineRun, times| after(session.strict().after_user_message(), &failing(times));
    assert!(failed(chat(), 2).show().ends_with("CALLING_AI ACTION_FAILURE"));
    assert_eq!(failed(chat(), 3).show(), format!("ACTIONS_EXECUTED[r=failed], LIMIT_REACHED -> {CLOSING}"));
    assert!(failed(automation(), 5).show().ends_with(&format!("LIMIT_REACHED -> {CLOSING}")));
    let read_between =
        failed(chat(), 2).after_repeated_acts(1, &reads(1)).after_repeated_acts(1, &failing(2));
    assert!(
        read_between.show().ends_with("CALLING_AI ACTION_FAILURE"),
        "a query round begins the count anew"
    );
}

#[test]
fn strict_limits_format_errors() {
    let broken = |session: MachineRun, codes: &[&'static str]| {
        codes.iter().fold(session.strict().after_user_message(), |run, code| run.after_act(malformed(code)))
    };
    assert!(broken(chat(), &["a", "b"]).show().ends_with("CALLING_AI FORMAT_ERROR_CORRECTION"));
    assert_eq!(broken(chat(), &["a", "b", "c"]).show(), format!("FORMAT_ERROR, LIMIT_REACHED -> {CLOSING}"));
    let five = broken(automation(), &["a", "b", "c", "d", "e"]);
    assert_eq!(five.show(), format!("FORMAT_ERROR, LIMIT_REACHED -> {CLOSING}"));
    let mended = broken(chat(), &["a", "b"])
        .after_repeated_acts(1, &reads(1))
        .after_act(malformed("c"))
        .after_act(malformed("d"));
    assert!(mended.show().ends_with("FORMAT_ERROR_CORRECTION"), "a well-formed reply begins the count anew");
}

#[test]
fn three_equal_failures_stop() {
    let fail = [calls([local()]).into(), outcome(0, Fails)];
    let equal = |session: MachineRun, times| session.after_user_message().after_repeated_acts(times, &fail);
    assert!(equal(chat(), 2).show().ends_with("CALLING_AI ACTION_FAILURE"));
    let stopped = equal(chat(), 3);
    assert_eq!(stopped.show(), format!("ACTIONS_EXECUTED[local=failed], LIMIT_REACHED -> {CLOSING}"));
    assert!(format!("{:?}", stopped.last).contains("local BROKEN"), "the message names the failure");
    assert!(equal(automation(), 3).show().ends_with(CLOSING));
    let formats = |codes: [&'static str; 3]| {
        codes.into_iter().fold(chat().after_user_message(), |run, code| run.after_act(malformed(code)))
    };
    assert_eq!(formats(["a", "a", "a"]).show(), format!("FORMAT_ERROR, LIMIT_REACHED -> {CLOSING}"));
    assert!(formats(["a", "b", "a"]).show().ends_with("FORMAT_ERROR_CORRECTION"));
    let between = equal(chat(), 2).after_repeated_acts(1, &reads(1)).after_repeated_acts(2, &fail);
    assert!(between.show().ends_with("CALLING_AI ACTION_FAILURE"), "in a row");
}

/// Input: a model that mends one fault and makes another of the same code elsewhere, and runs under strict limits;
/// expected: it goes on, and strict runs reach the limits of their own.
#[test]
fn faults_at_other_places_are_not_equal() {
    let formats = |session: MachineRun, codes: &[&'static str]| {
        codes.iter().fold(session.after_user_message(), |run, code| run.after_act(malformed(code)))
    };
    let mended = formats(chat(), &["a@x", "a@y", "a@z"]);
    assert!(mended.show().ends_with("FORMAT_ERROR_CORRECTION"), "{}", mended.show());
    let same = formats(chat(), &["a@x", "a@x", "a@x"]);
    assert_eq!(same.show(), format!("FORMAT_ERROR, LIMIT_REACHED -> {CLOSING}"));
    let strict = formats(automation().strict(), &["a", "a", "a", "a"]);
    assert!(strict.show().ends_with("FORMAT_ERROR_CORRECTION"), "{}", strict.show());
    let fifth = formats(automation().strict(), &["a", "a", "a", "a", "a"]);
    assert!(fifth.show().ends_with(&format!("LIMIT_REACHED -> {CLOSING}")));
}

#[test]
fn attempts_of_one_round_are_not_equal_failures() {
    let lost = automation()
        .after_user_message()
        .after_repeated_acts(5, &[fails(FailureClass::Unreachable), MachineAct::Wake]);
    assert_eq!(lost.show(), "CALLING_AI USER_MESSAGE #6");
    assert_eq!(lost.facts.counters.rounds_since_human, 1);
    assert_eq!(lost.facts.counters.equal_failures, None);
}

#[test]
fn a_chat_of_tools_is_relaunched_ten_times() {
    let relaunched = after(chat().tools().after_user_message(), &reads(10));
    assert_eq!(relaunched.show(), "DATA_ADDED[a=succeeded] -> CALLING_AI DATA_RESPONSE");
    let broken = || after(chat().tools().after_user_message(), &reads(11));
    assert_eq!(broken().show(), format!("DATA_ADDED[a=succeeded], LIMIT_REACHED -> {CLOSING}"));
    check(broken(), fails(FailureClass::Misconfigured), "PROVIDER_ERROR, fixed text -> IDLE");
    let envelope = after(chat().after_user_message(), &reads(11));
    assert_eq!(envelope.facts.dialect, Dialect::Envelope);
    assert!(envelope.show().ends_with("CALLING_AI DATA_RESPONSE"));
}

#[test]
fn tools_chat_may_be_relaunched_for_text_only() {
    let on_error =
        |session: MachineRun| session.rules(|rules| rules.relaunch_commands = RelaunchCommandPolicy::OnError);
    let words_only = |run: MachineRun| run.phase.round().expect("the model is called").words_only;
    let asked = || on_error(chat().tools()).after_user_message();
    let read = || after(asked(), &reads(1));
    assert!(!words_only(asked()) && words_only(read()));
    check(read(), text(), "IDLE");
    check(read(), calls([once()]), "ACTIONS_EXECUTED[once=over_limit] -> CALLING_AI DATA_RESPONSE");
    assert!(!words_only(read().after_act(calls([once()]))), "that was an error");
    assert!(!words_only(asked().after_act(calls([local()])).after_act(outcome(0, Fails))));
    assert!(words_only(asked().after_act(calls([local()])).after_act(outcome(0, Succeeds))));
    assert!(!words_only(asked().after_act(malformed("cut"))));
    let joined = asked().after_act(calls([query("a")])).after_act(message()).after_act(outcome(0, Succeeds));
    assert!(!words_only(joined), "a person may want more done");
    assert!(
        !words_only(after(on_error(chat()).after_user_message(), &reads(1))),
        "the envelope has no relaunches"
    );
    assert!(!words_only(after(on_error(automation().tools()).after_user_message(), &reads(1))));
    assert!(!words_only(after(chat().tools().after_user_message(), &reads(1))), "always is the default");
}

#[test]
fn five_rounds_without_anything_new_stop() {
    let same = [calls([query("a")]).into(), outcome(0, Succeeds)];
    let stale = |session: MachineRun, times| session.after_user_message().after_repeated_acts(times, &same);
    assert!(stale(chat(), 5).show().ends_with("CALLING_AI DATA_RESPONSE"));
    assert_eq!(stale(chat(), 6).show(), format!("DATA_ADDED[a=succeeded], LIMIT_REACHED -> {CLOSING}"));
    assert!(stale(automation(), 6).show().ends_with(CLOSING));
    let never = |rules: &mut SessionRules| rules.words_end_run = TextOnlyEndPolicy::Never;
    let nothing = automation().rules(never).after_user_message().after_repeated_acts(6, &[text().into()]);
    assert!(nothing.show().ends_with(CLOSING));
}

#[test]
fn a_strict_run_lasts_ten_minutes_at_most() {
    let timed_out = "SESSION_TIMEOUT -> COMPLETED TIMEOUT";
    check(
        automation()
            .strict()
            .after_act(MachineAct::Slot(entracte_domain::session::Slot::None))
            .after_act(held())
            .after_user_message(),
        MachineAct::Wake,
        timed_out,
    );
    let acting = automation()
        .strict()
        .after_act(queued())
        .after_act(held())
        .after_user_message()
        .after_act(calls([once()]));
    let stopping = acting.after_act(MachineAct::Wake);
    assert_eq!(stopping.show(), "SESSION_TIMEOUT -> EXECUTING_ACTIONS [once=started], then end TIMEOUT");
    check(stopping, outcome(0, Succeeds), "ACTIONS_EXECUTED[once=succeeded] -> COMPLETED TIMEOUT");
    let chatting = chat().strict().after_user_message().after_act(MachineAct::Wait(3_600_000));
    check(chatting, MachineAct::Time, "ignored: NotDue");
}

#[test]
fn network_wait_is_not_active_time() {
    let waiting = automation().strict().after_act(queued()).after_act(held()).after_user_message();
    let waiting = waiting.after_repeated_acts(60, &[fails(FailureClass::Unreachable), MachineAct::Wake]);
    assert_eq!(waiting.show(), "CALLING_AI USER_MESSAGE #61", "30 min of waiting");
}

#[test]
fn the_watchdog_closes_a_run_that_does_nothing() {
    let inactive = || automation().after_act(MachineAct::Wait(600_000));
    check(inactive(), MachineAct::Heartbeat, "SESSION_TIMEOUT -> AWAITING_SESSION_CLOSURE TIMEOUT");
    check(automation().after_act(MachineAct::Wait(599_999)), MachineAct::Heartbeat, "ignored: NotDue");
    check(chat().after_act(MachineAct::Wait(600_000)), MachineAct::Heartbeat, "ignored: NotDue");
    let parked = automation()
        .after_user_message()
        .after_act(fails(FailureClass::Exhausted))
        .after_act(MachineAct::Wait(600_000));
    check(parked, MachineAct::Heartbeat, "ignored: NotDue");
    let late = || {
        automation()
            .after_user_message()
            .after_act(calls([once().guarded()]))
            .after_act(MachineAct::Wait(300_000_000))
    };
    check(late(), MachineAct::Heartbeat, "ignored: NotDue");
    check(late(), MachineAct::Time, "VALIDATION_CANCELLED[once=expired] -> CALLING_AI ACTION_RESULT");
}

#[test]
fn watchdog_closes_run_regardless_of_its_work() {
    let hung = |run: MachineRun| run.after_act(MachineAct::Wait(600_000));
    let closes = "SESSION_TIMEOUT -> AWAITING_SESSION_CLOSURE TIMEOUT";
    let calling = || hung(automation().after_user_message());
    check(calling(), MachineAct::Heartbeat, closes);
    assert_eq!(calling().after_act(MachineAct::Heartbeat).facts.usage.unknown_attempts, 1, "perhaps billed");
    check(
        hung(automation().after_user_message().after_act(fails(FailureClass::ContextTooLong))),
        MachineAct::Heartbeat,
        closes,
    );
    check(
        hung(automation().after_user_message().after_act(calls([query("a")]))),
        MachineAct::Heartbeat,
        "SESSION_TIMEOUT, DATA_ADDED[a=cancelled] -> COMPLETED TIMEOUT",
    );
    let acting = || automation().after_user_message().after_act(calls([once(), local()]));
    check(
        hung(acting()),
        MachineAct::Heartbeat,
        "SESSION_TIMEOUT, ACTIONS_EXECUTED[once=unknown local=cancelled] -> COMPLETED TIMEOUT",
    );
    // A session that a person stopped ends as stopped, also if its action never returns.
    check(
        hung(acting().after_act(MachineAct::Stop(true))),
        MachineAct::Heartbeat,
        "SESSION_TIMEOUT, ACTIONS_EXECUTED[once=unknown local=cancelled] -> COMPLETED CANCELLED",
    );
    let waits = automation()
        .after_user_message()
        .after_act(fails(FailureClass::Unreachable))
        .after_act(MachineAct::Wait(600_000));
    check(waits, MachineAct::Heartbeat, "ignored: NotDue");
    check(
        hung(automation().rules(|rules| rules.watchdog = Millis(0)).after_user_message()),
        MachineAct::Heartbeat,
        "ignored: NotDue",
    );
}

#[test]
fn a_limit_of_nought_is_none() {
    let free = automation().rules(|rules| {
        rules.rounds = 0;
        rules.without_progress = 0;
        rules.equal_failures = 0;
        rules.words_end_run = TextOnlyEndPolicy::Never;
    });
    let long = free.after_user_message().after_repeated_acts(200, &[text().into()]);
    assert!(matches!(long.phase, Phase::CallingAi(_)));
    assert_eq!(long.phase.end_reason(), None::<EndReason>);
}

fn held() -> MachineAct {
    MachineAct::Slot(entracte_domain::session::Slot::Held)
}

fn queued() -> MachineAct {
    MachineAct::Slot(entracte_domain::session::Slot::Queued(entracte_domain::time::Timestamp(0)))
}

/// The open attempt would pass the soft line of a cap.
fn passes_soft_line(run: &MachineRun) -> Input {
    let number = run.phase.round().expect("a model is called").current_attempt();
    let tokens = |tokens| SpendingAmount { tokens, ..SpendingAmount::ZERO };
    let cap = SpendingCap { tokens: Some(1_000), cost: None };
    let line = cap.soft_line(80, SpendingAmount::ZERO);
    let totals = SpendingTotals { spent: tokens(700), ..SpendingTotals::default() };
    let question = SpendingQuestion::new(SpendingScope::Tree, cap, line, &totals, tokens(200));
    let why = SpendingRefusal::SoftLine(question.expect("the line is passed"));
    Input::SpendingRefused { round: number.round, attempt: number.attempt, why }
}

/// Input: sessions of each kind whose next call would pass the soft line, and a person's answers; expected: they rest with
/// one question until the answer, a yes begins one round and counts once, and a no ends the work as at the cap.
#[test]
fn soft_limit_asks_once() {
    for (kind, end) in [
        (SessionKind::Chat, "IDLE"),
        (SessionKind::Automation, "AWAITING_SESSION_CLOSURE"),
        (SessionKind::Agent, "AWAITING_SESSION_CLOSURE"),
    ] {
        let run = MachineRun::new(kind).after_user_message();
        let rounds = run.facts.counters.rounds_since_human;
        let refused = passes_soft_line(&run);
        let asked = run.after_act(refused.clone());
        assert!(matches!(asked.phase, Phase::Parked(ParkReason::Spending(_))), "{kind:?}: {:?}", asked.phase);
        assert!(desired_effects(&asked.facts, &asked.phase, asked.now).is_empty());
        assert_eq!(asked.clone().after_act(refused).ignored, Some(IgnoreReason::Stale));

        let extra = SpendingAmount { tokens: 200, ..SpendingAmount::ZERO };
        let answer = |answer| Input::SpendingAnswered { author: "ann".into(), answer };
        let yes = answer(SpendingAnswer::Continue(extra));
        let going_on = asked.clone().after_act(yes.clone());
        let round = going_on.phase.round().expect("it goes on");
        assert_eq!(round.reason, RoundReason::Resume);
        assert_eq!(going_on.facts.counters.rounds_since_human, rounds, "{kind:?}: the question is no round");
        assert_eq!(going_on.after_act(yes).ignored, Some(IgnoreReason::NotApplicable));

        let stopped = asked.after_act(answer(SpendingAnswer::Stop));
        assert_eq!(stopped.phase.label().word(), end);
        assert_eq!(stopped.phase.park_reason(), None);
    }
}
