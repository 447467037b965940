//! Renders the agents below a session.

use entracte_adapters_http::shapes::agent::AgentShape;
use entracte_application::texts::{LocalizedTexts, say};

use super::text::{fold_text, one_line};

/// The most characters of a mission.
const MISSION_WIDTH: usize = 66;

/// A line for each agent, indented by depth.
pub(crate) fn tree(agents: &[AgentShape], texts: &LocalizedTexts) -> Vec<String> {
    let line = |agent: &AgentShape| {
        let usage = &agent.usage;
        let tokens = usage.input + usage.cache_read + usage.cache_write + usage.output;
        let inset = "  ".repeat(agent.depth.saturating_sub(1));
        let said = say!(
            texts,
            "agents-line",
            agent = one_line(&agent.agent),
            session = &agent.session,
            state = &**agent.status.as_ref().unwrap_or(&agent.phase),
            rounds = agent.rounds,
            tokens = tokens
        );
        format!("{inset}{said}\n{inset}  {}", fold_text(&agent.mission, MISSION_WIDTH, texts))
    };
    agents.iter().map(line).collect()
}
