//! The agents of a simulation, and the replies of models that call them or are one.

use std::sync::Arc;

use entracte_application::agents::{AgentDeclaration, AgentInstructions};
use entracte_application::commands::AgentsExecutor;
use entracte_application::ports::CommandExecutor;
use entracte_domain::session::SessionFacts;
use serde_json::{Value, json};

use super::rng::SeededRng;
use crate::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};

/// The callable agents: one that only reads, one that acts externally and dispatches tasks, and one that calls others
/// and may request all rights of its caller.
const NAMES: [(&str, &[&str]); 3] =
    [("Scout", &["outside.look"]), ("Sender", &["outside.*", "works.*", "tasks.*"]), ("Leader", &["*"])];

/// The commands that call them.
pub(super) fn executor() -> Arc<dyn CommandExecutor> {
    let declared = |(name, commands): (&str, &[&str])| {
        let role = format!("You are {name}.");
        AgentDeclaration {
            description: format!("What {name} is for."),
            instructions: AgentInstructions { role, ..AgentInstructions::default() },
            commands: commands.iter().map(|&command| command.to_owned()).collect(),
            ..AgentDeclaration::default()
        }
        .with_name(name)
    };
    Arc::new(AgentsExecutor::new(NAMES.map(declared)))
}

fn action(word: &str, params: Value) -> Value {
    json!({ "type": word, "params": params })
}

fn acts(actions: &[Value]) -> FakeModelLine {
    FakeModelLine::Says(json!({ "pre_text": "", "actions": actions, "keep_control": true }).to_string())
}

/// One to four agents at once.
fn calls(chance: &mut SeededRng) -> FakeModelLine {
    let each = |number: usize, chance: &mut SeededRng| {
        let name = NAMES[chance.below(NAMES.len())].0;
        action(name, json!({ "query": format!("mission {number}") }))
    };
    let number = chance.below(1_000_000);
    let many = 1 + chance.below(4);
    let all: Vec<Value> = (0..many).map(|at| each(number + at, chance)).collect();
    acts(&all)
}

/// A random reply of a session that only tasks and agents use; `None` if it replies like any session. `strangers` are
/// agents of other sessions.
pub(super) fn line(
    chance: &mut SeededRng,
    facts: &SessionFacts,
    strangers: &[String],
) -> Option<FakeModelLine> {
    let resting = facts.children.iter().find(|child| child.rests).map(|child| child.session.to_string());
    if let Some(child) = resting.filter(|_| chance.percent(50)) {
        return Some(continues(&child));
    }
    let of_agent = facts.agent.is_some() && chance.percent(65);
    if of_agent {
        return Some(says_upwards(chance));
    }
    match chance.below(12) {
        0..=2 => Some(calls(chance)),
        3..=4 => Some(acts(&[action("CLOSE", json!({ "month": chance.below(1_000_000) }))])),
        5 => Some(acts(&[action("FILE", json!({ "page": chance.below(1_000_000) }))])),
        6 => {
            let task = facts.tasks.first()?;
            Some(acts(&[action("STOP_TASK", json!({ "task": task.as_str() }))]))
        }
        7 => chance.pick(strangers).map(|stranger| continues(stranger)),
        _ => None,
    }
}

fn continues(child: &str) -> FakeModelLine {
    acts(&[action("AGENT_CONTINUE", json!({ "child": child, "answer": "Go on." }))])
}

/// A reply of an agent to its caller, or to the user.
fn says_upwards(chance: &mut SeededRng) -> FakeModelLine {
    let number = chance.below(1_000_000);
    let exit = json!({ "reason": "done", "result": { "number": number }, "conclusion": "It is done." });
    match chance.below(12) {
        0..=5 => FakeModelLine::Says(json!({ "pre_text": "", "EXIT_WITH_RESULT": exit }).to_string()),
        6 => {
            let look = json!([{ "type": "LOOK", "params": { "at": number } }]);
            let both = json!({ "pre_text": "", "EXIT_WITH_RESULT": exit, "queries": look });
            FakeModelLine::Says(both.to_string())
        }
        7 => envelope_line("Which one do you mean?"),
        8 => asks_for("agent"),
        9 => asks_for("user"),
        // Not declared for any agent, but permitted to one that has all rights of its caller.
        10 => command_request_line("actions", &[("CREATE_ZONE", json!({ "name": number.to_string() }))]),
        _ => FakeModelLine::Says(r#"{"pre_text":""}"#.into()),
    }
}

fn asks_for(whom: &str) -> FakeModelLine {
    let asks = json!({ "question": "Which?", "for": whom });
    FakeModelLine::Says(json!({ "pre_text": "", "ASK_PRINCIPAL_AGENT": asks }).to_string())
}
