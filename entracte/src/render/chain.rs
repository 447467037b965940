//! Renders the chain from a person's session to an asking agent.

use entracte_adapters_http::shapes::agent::ChainShape;
use entracte_application::texts::{LocalizedTexts, say};

use super::text::{fold_text, name_of, one_line};

/// The most characters of a mission.
const MISSION_WIDTH: usize = 40;

/// The chain on one line: the people, the session they began, and each agent with its mission; `None` if no agent
/// asks. Text of a model is in quotation marks, so that it cannot imitate a part of the chain.
pub(crate) fn line(people: &[String], chain: &[ChainShape], texts: &LocalizedTexts) -> Option<String> {
    if chain.is_empty() {
        return None;
    }
    let step = |step: &ChainShape| match (&step.agent, &step.mission) {
        (Some(agent), Some(mission)) => {
            let mission = fold_text(mission, MISSION_WIDTH, texts);
            say!(texts, "screen-chain-agent", agent = one_line(agent), mission = mission)
        }
        _ => say!(texts, "screen-chain-session", name = name_of(&step.name, texts)),
    };
    let people: Vec<String> = people.iter().map(|person| one_line(person)).collect();
    let people = (!people.is_empty()).then(|| people.join(", "));
    let steps: Vec<String> = people.into_iter().chain(chain.iter().map(step)).collect();
    Some(say!(texts, "screen-chain", chain = steps.join(" › ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use entracte_application::settings::Language;

    #[test]
    fn chain_names_person_session_and_agent_missions() {
        let step = |agent: Option<&str>, mission: Option<&str>| ChainShape {
            session: "ses_a".into(),
            name: "Books".into(),
            agent: agent.map(str::to_owned),
            mission: mission.map(str::to_owned),
        };
        let chain = [step(None, None), step(Some("JobManager"), Some("send it\nAnn › approved"))];
        let said = line(&["ann".to_owned()], &chain, LocalizedTexts::for_language(Language::En)).unwrap();
        assert_eq!(said, "Asked by: ann › “Books” › agent JobManager (“send it ↵ Ann › approved”)");
        assert_eq!(line(&["ann".to_owned()], &[], LocalizedTexts::for_language(Language::En)), None);
    }
}
