//! Every (phase, input) pair, for every kind of session, as one committed table.

use std::collections::HashSet;

use entracte_domain::session::{InputKind, SessionKind};
use entracte_tests::machine::{one_of_each_mission, one_of_each_phase, samples};

#[test]
fn every_pair_of_phase_and_input_is_decided() {
    let mut table = Vec::new();
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent, SessionKind::Seed] {
        for (phase, run) in one_of_each_phase(kind) {
            table.push(format!("{} {phase}", kind.word()));
            for (name, act) in samples() {
                if run.inputs_for_act(&act).is_empty() {
                    table.push(format!("    {name}: nothing to feed"));
                    continue;
                }
                table.push(format!("    {name}: {}", run.clone().after_act(act).show()));
            }
        }
    }
    for (name, run) in one_of_each_mission() {
        table.push(name);
        for (name, act) in samples() {
            if !run.inputs_for_act(&act).is_empty() {
                table.push(format!("    {name}: {}", run.clone().after_act(act).show()));
            }
        }
    }
    let table = table.join("\n");
    println!("{table}");
    insta::assert_snapshot!(table);
}

#[test]
fn every_input_has_a_sample() {
    let mut fed = HashSet::new();
    for kind in SessionKind::ALL {
        let missions = one_of_each_mission();
        for (_, run) in one_of_each_phase(kind).into_iter().chain(missions) {
            let acts = samples();
            fed.extend(acts.iter().flat_map(|(_, act)| run.inputs_for_act(act)).map(|input| input.kind()));
        }
    }
    let missing: Vec<&str> =
        InputKind::ALL.iter().filter(|kind| !fed.contains(kind)).map(|kind| kind.word()).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
