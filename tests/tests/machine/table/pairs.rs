//! Every (phase, input) pair, for every kind of session, as one committed table.

use entracte_domain::session::SessionKind;
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
