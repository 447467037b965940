use super::*;

const NOW: Timestamp = Timestamp(10_000_000_000);

fn seat(name: &str, kind: SessionKind, slot: Slot, needs: bool) -> PlacementCandidate {
    PlacementCandidate {
        session: SessionId::new(name),
        kind,
        root: None,
        from: None,
        has_children: false,
        is_of_calls: false,
        slot,
        needs,
        acting: false,
        asks: None,
        open: Some(Deadline { armed_at: Timestamp(0), due_at: ago(-60) }),
        may_rest: true,
        begun: false,
        acted: 0,
        lined_up: 0,
        last_human_at: NOW,
        last_event_at: NOW,
    }
}

fn ago(minutes: i64) -> Timestamp {
    NOW.plus(Millis::minutes(-minutes))
}

/// Checks the slot changes for these candidates, and that applying them leads to no further change.
fn check(rules: SlotRules, seats: Vec<PlacementCandidate>, expected: &[(&str, Slot)]) {
    let moves = assign_slots(&seats, &rules, NOW);
    let found: Vec<(&str, Slot)> = moves.iter().map(|step| (step.session.as_str(), step.slot)).collect();
    assert_eq!(found, expected);
    let mut after = seats;
    for step in &moves {
        for seat in after.iter_mut().filter(|seat| seat.session == step.session) {
            seat.slot = step.slot;
        }
    }
    assert_eq!(assign_slots(&after, &rules, NOW), [], "placement is at rest after its moves");
}

#[test]
fn free_slot_goes_to_requester() {
    check(
        SlotRules::default(),
        vec![seat("chat", SessionKind::Chat, Slot::None, true)],
        &[("chat", Slot::Held)],
    );
    check(
        SlotRules::default(),
        vec![seat("run", SessionKind::Automation, Slot::None, true)],
        &[("run", Slot::Held)],
    );
}

#[test]
fn chat_takes_slot_of_resting_chat() {
    let old =
        PlacementCandidate { last_human_at: ago(1), ..seat("old", SessionKind::Chat, Slot::Held, false) };
    let new = seat("new", SessionKind::Chat, Slot::None, true);
    check(SlotRules::default(), vec![old, new], &[("old", Slot::None), ("new", Slot::Held)]);
}

#[test]
fn working_chat_yields_to_newer_chat_and_resumes() {
    let old =
        PlacementCandidate { last_human_at: ago(1), ..seat("old", SessionKind::Chat, Slot::Held, true) };
    let new = seat("new", SessionKind::Chat, Slot::None, true);
    check(SlotRules::default(), vec![old, new], &[("old", Slot::Suspended(NOW)), ("new", Slot::Held)]);
}

#[test]
fn chat_preempts_run_after_its_started_action() {
    let run = seat("run", SessionKind::Automation, Slot::Held, true);
    let chat = seat("chat", SessionKind::Chat, Slot::None, true);
    check(
        SlotRules::default(),
        vec![run.clone(), chat.clone()],
        &[("run", Slot::Suspended(NOW)), ("chat", Slot::Held)],
    );
    let acting = PlacementCandidate { acting: true, ..run.clone() };
    check(SlotRules::default(), vec![acting, chat.clone()], &[("chat", Slot::Queued(NOW))]);
    let patient = SlotRules { chat_preempts: false, ..SlotRules::default() };
    check(patient, vec![run, chat], &[("chat", Slot::Queued(NOW))]);
}

#[test]
fn idle_chat_yields_to_run_after_five_minutes() {
    let run = seat("run", SessionKind::Automation, Slot::None, true);
    let fresh =
        PlacementCandidate { last_event_at: ago(4), ..seat("chat", SessionKind::Chat, Slot::Held, false) };
    check(SlotRules::default(), vec![fresh, run.clone()], &[("run", Slot::Queued(NOW))]);
    let idle =
        PlacementCandidate { last_event_at: ago(5), ..seat("chat", SessionKind::Chat, Slot::Held, false) };
    check(SlotRules::default(), vec![idle, run], &[("chat", Slot::None), ("run", Slot::Held)]);
}

#[test]
fn runs_queue_in_order_and_parked_run_yields() {
    let parked = seat("parked", SessionKind::Automation, Slot::Held, false);
    let first = seat("first", SessionKind::Automation, Slot::Queued(ago(2)), true);
    let second = seat("second", SessionKind::Automation, Slot::Queued(ago(1)), true);
    check(
        SlotRules::default(),
        vec![second, parked, first],
        &[("parked", Slot::None), ("first", Slot::Held)],
    );
}

#[test]
fn queue_order_prefers_begun_and_aged_runs() {
    let rules = SlotRules::default();
    let run = |name, slot| seat(name, SessionKind::Automation, slot, true);
    let new = run("new", Slot::Queued(ago(9)));
    let again = PlacementCandidate { begun: true, ..run("again", Slot::Queued(ago(1))) };
    let suspended = run("suspended", Slot::Suspended(ago(29)));
    let aged = run("aged", Slot::Suspended(ago(30)));
    let chat = seat("chat", SessionKind::Chat, Slot::Queued(ago(1)), true);
    let order: Vec<String> = waiting_queue(&[suspended, new, aged, again, chat], &rules, NOW)
        .iter()
        .map(|session| session.as_str().to_owned())
        .collect();
    assert_eq!(order, ["chat", "aged", "again", "new", "suspended"]);
}

#[test]
fn due_run_is_created_only_with_free_slot() {
    let rules = SlotRules::default();
    let run = |slot| seat("run", SessionKind::Automation, slot, true);
    let chat = |minutes| PlacementCandidate {
        last_event_at: ago(minutes),
        ..seat("chat", SessionKind::Chat, Slot::Held, false)
    };
    let cases = [
        (vec![], true),
        (vec![run(Slot::Held)], false),
        (vec![run(Slot::Queued(NOW))], false),
        (vec![chat(4)], false),
        (vec![chat(5)], true),
        (vec![chat(5), run(Slot::Suspended(NOW))], false),
    ];
    for (seats, expected) in cases {
        assert_eq!(has_room_for_run(&seats, &rules, NOW), expected, "{seats:?}");
    }
    assert_eq!(next_eviction_at(&[chat(4)], &rules), Some(ago(-1)));
}

/// Input: the slot before, the candidates after; expected: the activation result.
#[test]
fn activation_results_table() {
    let rules = SlotRules::default();
    let own = |slot| seat("own", SessionKind::Automation, slot, true);
    let older = seat("older", SessionKind::Automation, Slot::Queued(ago(1)), true);
    let cases = [
        (Slot::None, vec![own(Slot::Held)], Some(ActivationResult::Activated)),
        (Slot::Suspended(ago(1)), vec![own(Slot::Held)], Some(ActivationResult::Activated)),
        (Slot::Held, vec![own(Slot::Held)], Some(ActivationResult::AlreadyActive)),
        (Slot::None, vec![own(Slot::Queued(NOW))], Some(ActivationResult::Queued { position: 1 })),
        (Slot::None, vec![older, own(Slot::Queued(NOW))], Some(ActivationResult::Queued { position: 2 })),
        (Slot::Held, vec![own(Slot::None)], None),
        (Slot::None, vec![], None),
    ];
    for (before, seats, expected) in cases {
        assert_eq!(
            activation_result(before, &SessionId::new("own"), &seats, &rules, NOW),
            expected,
            "{seats:?}"
        );
    }
}

#[test]
fn two_slots_hold_two_sessions() {
    let rules = SlotRules { slots: 2, ..SlotRules::default() };
    let run = seat("run", SessionKind::Automation, Slot::Held, true);
    let chat = seat("chat", SessionKind::Chat, Slot::None, true);
    check(rules, vec![run, chat], &[("chat", Slot::Held)]);
}

#[test]
fn chat_without_valid_lease_yields_immediately() {
    let run = seat("run", SessionKind::Automation, Slot::None, true);
    let chat = seat("chat", SessionKind::Chat, Slot::Held, false);
    let gives_way = [("chat", Slot::None), ("run", Slot::Held)];
    let waits = [("run", Slot::Queued(NOW))];
    let lease = |armed, due| Some(Deadline { armed_at: ago(armed), due_at: ago(due) });
    // Leases: ends in a minute; ended a minute ago; armed in the future because the clock was set back.
    let cases = [
        (None, &gives_way[..]),
        (lease(1, -1), &waits[..]),
        (lease(2, 1), &gives_way[..]),
        (lease(-9, -10), &gives_way[..]),
    ];
    for (open, expected) in cases {
        check(SlotRules::default(), vec![PlacementCandidate { open, ..chat.clone() }, run.clone()], expected);
    }
    let leaves = PlacementCandidate { open: lease(1, -1), ..chat };
    assert_eq!(
        next_eviction_at(&[leaves], &SlotRules::default()),
        Some(ago(-1)),
        "the lease ends before the rest"
    );
}

#[test]
fn later_chat_replaces_queued_chat() {
    let patient = SlotRules { chat_preempts: false, ..SlotRules::default() };
    let run = seat("run", SessionKind::Automation, Slot::Held, true);
    let old = PlacementCandidate {
        last_human_at: ago(1),
        ..seat("old", SessionKind::Chat, Slot::Queued(ago(1)), true)
    };
    let new = seat("new", SessionKind::Chat, Slot::None, true);
    let seats = |old: PlacementCandidate| vec![run.clone(), old, new.clone()];
    let moves = assign_slots(&seats(old.clone()), &patient, NOW);
    let to = |name: &str, slot| SlotChange { session: SessionId::new(name), slot };
    assert_eq!(moves, [to("old", Slot::None), to("new", Slot::Queued(NOW))]);
    // A chat that would lose something is suspended instead.
    let approved = PlacementCandidate { may_rest: false, ..old.clone() };
    let moves = assign_slots(&seats(approved), &patient, NOW);
    assert_eq!(moves, [to("old", Slot::Suspended(ago(1))), to("new", Slot::Queued(NOW))]);
    // A session of manual calls keeps its place and replaces no other.
    let calls = PlacementCandidate { is_of_calls: true, ..old.clone() };
    assert_eq!(assign_slots(&seats(calls), &patient, NOW), [to("new", Slot::Queued(NOW))]);
    let calls = PlacementCandidate { is_of_calls: true, ..new.clone() };
    let moves = assign_slots(&[run.clone(), old.clone(), calls], &patient, NOW);
    assert_eq!(moves, [to("new", Slot::Queued(NOW))]);
    // If a slot is free for the later chat, the other one keeps its place.
    let moves = assign_slots(&[old, new], &patient, NOW);
    assert_eq!(moves, [to("new", Slot::Held)]);
}

#[test]
fn slot_request_without_work_waits_until_lease_ends() {
    let run = seat("run", SessionKind::Automation, Slot::Held, true);
    let patient = SlotRules { chat_preempts: false, ..SlotRules::default() };
    let lease = |due| Some(Deadline { armed_at: ago(9), due_at: ago(due) });
    let asking =
        |slot, due| PlacementCandidate { asks: lease(due), ..seat("chat", SessionKind::Chat, slot, false) };
    check(patient, vec![run.clone(), asking(Slot::None, -1)], &[("chat", Slot::Queued(NOW))]);
    check(patient, vec![run.clone(), asking(Slot::Queued(ago(2)), 1)], &[("chat", Slot::None)]);
    check(SlotRules::default(), vec![asking(Slot::Queued(ago(2)), -1)], &[("chat", Slot::Held)]);
    check(
        SlotRules::default(),
        vec![run, asking(Slot::None, -1)],
        &[("run", Slot::Suspended(NOW)), ("chat", Slot::Held)],
    );
}

#[test]
fn stopping_process_takes_all_slots_and_gives_none() {
    let since = ago(3);
    let seats = vec![
        seat("works", SessionKind::Automation, Slot::Held, true),
        seat("rests", SessionKind::Chat, Slot::Held, false),
        seat("asks", SessionKind::Chat, Slot::None, true),
        seat("waits", SessionKind::Automation, Slot::Queued(since), true),
        seat("gave-way", SessionKind::Automation, Slot::Suspended(since), true),
    ];
    let moves = release_all_slots(&seats, NOW);
    let found: Vec<(&str, Slot)> = moves.iter().map(|step| (step.session.as_str(), step.slot)).collect();
    assert_eq!(
        found,
        [("works", Slot::Suspended(NOW)), ("rests", Slot::None), ("asks", Slot::Queued(NOW))],
        "an action under way is let end too: only what is new does not start"
    );
    let mut after = seats;
    for step in moves {
        for seat in after.iter_mut().filter(|seat| seat.session == step.session) {
            seat.slot = step.slot;
        }
    }
    assert_eq!(release_all_slots(&after, NOW), [], "it is at rest after its moves");
}
