use super::*;

const DAY: i64 = 86_400_000_000;

fn number(text: &str) -> Decimal {
    text.parse().unwrap()
}

fn arguments(amount: &str) -> JsonValue {
    JsonValue::Object(vec![("amount".into(), JsonValue::Number(amount.into()))])
}

fn call(number: u32) -> CallId {
    CallId::new(format!("cal_a_{number}_0"))
}

fn limit(calls: Option<u32>, sum: Option<&str>) -> UseLimit {
    UseLimit { calls, sum: sum.map(number) }
}

/// At most 3 calls and 100 in a run, 5 calls and 150 on a day, 12 calls and 400 in all.
fn limits() -> UseLimits {
    UseLimits {
        run: limit(Some(3), Some("100")),
        day: limit(Some(5), Some("150")),
        total: limit(Some(12), Some("400")),
        summed: Some("amount".into()),
    }
}

fn claim<'a>(call: &'a CallId, arguments: &'a JsonValue, run: &'a SessionId, now: i64) -> UseClaim<'a> {
    UseClaim { call, arguments, run, day: Timestamp(now - now.rem_euclid(DAY)), now: Timestamp(now) }
}

/// Input: amounts that are missing, no numbers, written unusually or negative, or that exceed what is left by the least;
/// expected: none is admitted, and what fits exactly is.
#[test]
fn sum_admits_exact_amounts_only() {
    let uses = RuleUses::new(UseLimits {
        total: limit(None, Some("0.3")),
        run: UseLimit::default(),
        day: UseLimit::default(),
        ..limits()
    });
    let (run, id) = (SessionId::new("ses_a"), call(1));
    let object = |value: JsonValue| JsonValue::Object(vec![("amount".into(), value)]);
    let twice = JsonValue::Object(vec![
        ("amount".into(), JsonValue::Number("0.1".into())),
        ("amount".into(), JsonValue::Number("9".into())),
    ]);
    let refused = [
        arguments("0.300000000001"),
        arguments("1e-1"),
        arguments("-0.1"),
        arguments("-0"),
        object(JsonValue::Null),
        object("0.1".into()),
        object(JsonValue::List(vec![JsonValue::Number("0.1".into())])),
        JsonValue::Object(Vec::new()),
        JsonValue::Null,
        twice,
    ];
    for wrong in refused {
        assert!(!uses.admits(&claim(&id, &wrong, &run, 0)), "{wrong:?}");
    }
    let mut uses = uses;
    for (number, amount) in [(1, "0.1"), (2, "0.1"), (3, "0.1"), (4, "0")] {
        let (id, amount) = (call(number), arguments(amount));
        assert!(uses.reserve(&claim(&id, &amount, &run, 0)), "three tenths are 0.3: {amount:?}");
    }
    assert!(uses.is_used_up() && !uses.admits(&claim(&call(5), &arguments("0.000000000001"), &run, 0)));
}

/// Input: an account that cannot count further; expected: the refusal of a call, and an unchanged account.
#[test]
fn overflow_is_a_refusal() {
    let total = UseTally { calls: u32::MAX, sum: number("1") };
    let mut uses = RuleUses { total, ..RuleUses::default() };
    let (run, id) = (SessionId::new("ses_a"), call(1));
    assert!(!uses.reserve(&claim(&id, &arguments("1"), &run, 0)));
    assert_eq!(uses, RuleUses { total, ..RuleUses::default() });
    let mut largest = total;
    while let Some(more) = (UseTally { calls: 0, ..largest }).plus(largest.sum) {
        largest = more;
    }
    assert_eq!(UseTally { calls: 0, ..largest }.plus(largest.sum), None, "a sum never wraps");
}

/// Input: a use that is reserved on one day and starts on the next; expected: it counts for the day that it starts on, and
/// before that for every day.
#[test]
fn reserved_use_counts_for_every_day() {
    let day = UseLimit { calls: Some(2), sum: None };
    let mut uses = RuleUses::new(UseLimits { day, ..UseLimits::default() });
    let (run, none) = (SessionId::new("ses_a"), JsonValue::Object(Vec::new()));
    let reserve = |uses: &mut RuleUses, number, now| uses.reserve(&claim(&call(number), &none, &run, now));
    assert!(reserve(&mut uses, 1, 0) && reserve(&mut uses, 2, 0) && !reserve(&mut uses, 3, 0));
    assert!(uses.start(&call(1), Timestamp(0), Timestamp(1)));
    assert!(reserve(&mut uses, 4, DAY), "the first one is of yesterday");
    assert!(!reserve(&mut uses, 5, DAY), "the second one may start today");
    assert!(uses.start(&call(2), Timestamp(DAY), Timestamp(DAY)));
    assert!(uses.start(&call(4), Timestamp(DAY), Timestamp(DAY)));
    assert!(!uses.start(&call(4), Timestamp(DAY), Timestamp(DAY)), "another attempt is the same call");
    assert_eq!(uses.used_on(Timestamp(DAY)).calls, 2);
    assert!(!uses.release(&call(4), &run), "what was started is never given back");
    // The clock was set back, or the zone of the workspace changed.
    for now in [0, -3 * DAY, DAY + 1, DAY + DAY / 2] {
        let day = Timestamp(now);
        let opened = uses.admits(&UseClaim { day, ..claim(&call(6), &none, &run, now) });
        assert!(!opened, "{now}");
    }
    assert!(reserve(&mut uses, 6, 2 * DAY));
}

/// Input: more uses than are remembered one by one; expected: started ones are forgotten and still counted, and reserved
/// ones are never forgotten.
#[test]
fn forgotten_uses_stay_counted() {
    let most = 2 * u32::try_from(RuleUses::LATEST_MAX).unwrap() + 1;
    let mut uses = RuleUses::new(UseLimits::calls_in_all(most));
    let (run, none) = (SessionId::new("ses_a"), JsonValue::Object(Vec::new()));
    for number in 0..most {
        assert!(uses.reserve(&claim(&call(number), &none, &run, 0)), "{number}");
        if number != 7 {
            assert!(uses.start(&call(number), Timestamp(0), Timestamp(0)));
        }
    }
    assert_eq!((uses.latest.len(), uses.total.calls), (RuleUses::LATEST_MAX, most));
    assert!(uses.has_use_of(&call(7)) && !uses.has_use_of(&call(8)));
    assert!(!uses.reserve(&claim(&call(8), &none, &run, 0)), "it is used up");
    assert!(uses.release(&call(7), &run));
    assert_eq!(uses.total.calls, most - 1);

    let mut waiting = RuleUses::new(UseLimits::calls_in_all(most));
    let reserved = (0..most).filter(|number| waiting.reserve(&claim(&call(*number), &none, &run, 0)));
    assert_eq!(reserved.count(), RuleUses::LATEST_MAX, "more that wait need an approval");
}

/// What the calls of the model below did, counted anew from all that happened.
struct Model {
    /// Calls that are reserved or started: run, amount and the day that they started on.
    calls: Vec<(u32, usize, Decimal, Option<i64>)>,
    /// The latest day that the clock showed to a request or a start.
    day: i64,
}

impl Model {
    fn check(&self, uses: &RuleUses, runs: &[SessionId]) {
        let limits = limits();
        let tally = |keep: &dyn Fn(usize, Option<i64>) -> bool| {
            let of = self.calls.iter().filter(|(_, run, _, started)| keep(*run, *started));
            of.fold(UseTally::default(), |tally, (_, _, amount, _)| tally.plus(*amount).unwrap())
        };
        let all = tally(&|_, _| true);
        assert_eq!(uses.total, all);
        assert!(limits.total.admits(all), "{all:?}");
        for (number, run) in runs.iter().enumerate() {
            let in_run = tally(&|of, _| of == number);
            assert_eq!(uses.used_in(run), in_run);
            assert!(limits.run.admits(in_run), "{in_run:?}");
        }
        let days: std::collections::BTreeSet<i64> =
            self.calls.iter().filter_map(|(_, _, _, started)| *started).collect();
        for day in days {
            let on_day = tally(&|_, started| started == Some(day));
            assert!(limits.day.admits(on_day), "day {day}: {on_day:?}");
        }
    }
}

/// Input: ten thousand random steps for each of many seeds: calls of parallel runs are requested, requested again, started,
/// tried again and given back, while the clock goes on and back; expected: after each step nothing exceeds a limit, and
/// the account says what happened.
#[test]
fn limits_hold_whatever_happens() {
    let runs: Vec<SessionId> = (0..5).map(|run| SessionId::new(format!("ses_{run}"))).collect();
    for seed in 1..60_u64 {
        let mut state = seed;
        let mut draw = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % most).unwrap()
        };
        let (mut uses, mut model, mut now) =
            (RuleUses::new(limits()), Model { calls: Vec::new(), day: i64::MIN }, DAY);
        for _ in 0..400 {
            let number = u32::try_from(draw(30)).unwrap();
            let (id, run) = (call(number), usize::try_from(number).unwrap() % runs.len());
            let known = model.calls.iter().position(|(of, ..)| *of == number);
            match draw(6) {
                0 | 1 => {
                    let amount = arguments(["0", "9.99", "33.34", "50", "100.01"][draw(5)]);
                    let reserved = uses.reserve(&claim(&id, &amount, &runs[run], now));
                    if reserved && known.is_none() {
                        let amount = limits().amount_of(&amount).unwrap();
                        model.calls.push((number, run, amount, None));
                        model.day = model.day.max(now.div_euclid(DAY));
                    }
                }
                2 => {
                    let day = Timestamp(now - now.rem_euclid(DAY));
                    if uses.start(&id, day, Timestamp(now)) {
                        model.day = model.day.max(now.div_euclid(DAY));
                        model.calls[known.unwrap()].3 = Some(model.day);
                    }
                }
                3 => {
                    if uses.release(&id, &runs[run]) {
                        model.calls.remove(known.unwrap());
                    }
                }
                4 => now += i64::try_from(draw(20)).unwrap() * DAY / 16,
                _ => now -= i64::try_from(draw(24)).unwrap() * DAY / 16,
            }
            model.check(&uses, &runs);
        }
    }
}
