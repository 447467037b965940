//! Usage of agents is counted up the tree.

use crate::session::{descendant_usage, remaining_budget};

use super::agent_tree_fixture::{AgentTreeFixture, ROOT, agent, chat, declared, exits};

fn tokens(world: &AgentTreeFixture, session: &str) -> (u64, u64) {
    (world.facts(session).usage.tokens(), descendant_usage(world.facts(session)).tokens())
}

#[test]
fn usage_counts_up_the_tree() {
    let mut world = chat();
    world.says(ROOT, vec![agent("One.", declared(1)), agent("Two.", declared(0))]);
    let [one, two] = world.children(ROOT).try_into().expect("two");
    world.says(&one, agent("Below.", declared(0)));
    let below = world.child(&one);
    world.says(&below, exits());
    world.says(&one, exits());
    world.says(&two, exits());
    // A reply is 11 tokens: two replies of the first agent, one of each other agent.
    assert_eq!(tokens(&world, &below), (11, 0));
    assert_eq!(tokens(&world, &one), (22, 11));
    assert_eq!(tokens(&world, ROOT), (11, 44));
    let spent = world.facts(ROOT).below.spent;
    assert_eq!((spent.agents, spent.rounds), (3, 4));
    world.says(ROOT, "All is booked.");
    assert_eq!(tokens(&world, ROOT), (22, 44));
}

#[test]
fn lent_budget_is_reserved_and_its_rest_returns() {
    let mut world = chat();
    let rules = crate::session::SessionRules::new(
        crate::session::SessionKind::Chat,
        crate::session::LimitProfile::Autonomous,
    );
    world.says(ROOT, agent("One.", declared(2)));
    let child = world.child(ROOT);
    let now = remaining_budget(world.facts(ROOT), &rules);
    assert_eq!((now.agents, now.rounds), (32 - 3, 224 - 21), "itself and two below; 21 rounds for the three");
    world.says(&child, exits());
    let after = remaining_budget(world.facts(ROOT), &rules);
    assert_eq!((after.agents, after.rounds), (32 - 1, 224 - 1), "one agent was started, one round made");
    world.says(ROOT, "Done.");
    world.act(ROOT, super::agent_tree_fixture::said("And November."));
    let anew = remaining_budget(world.facts(ROOT), &rules);
    assert_eq!((anew.agents, anew.rounds), (32, 224), "a person asked for something else");
}
