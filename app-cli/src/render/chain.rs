//! The way from a person to what an agent asks for.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::DelegationStep;

use super::text::{fold_text, name_of, one_line};

/// Characters of a mission.
const MISSION_WIDTH: usize = 40;

/// The way in one line: the people, the session that they began, and each agent with its mission; none where no agent asks.
/// What a model wrote stands in quotation marks, so that it cannot look like a step of the way.
pub(crate) fn line(people: &[String], chain: &[DelegationStep], texts: &LocalizedTexts) -> Option<String> {
    if chain.is_empty() {
        return None;
    }
    let step = |step: &DelegationStep| match (&step.agent, &step.mission) {
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
    use entracte_application::settings::Language;
    use entracte_domain::id::SessionId;

    use super::*;

    #[test]
    fn the_way_names_the_person_the_session_and_each_agent_with_its_mission() {
        let step = |agent: Option<&str>, mission: Option<&str>| DelegationStep {
            session: SessionId::new("ses_a"),
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
