use entracte_domain::command::CallStatus;
use entracte_domain::session::Profile;

use super::*;
use crate::prompt::samples;
use crate::protocol::envelope;

fn written(kind: SessionKind, dialect: Dialect, profile: Profile) -> String {
    let rules = Rules::new(kind, profile);
    level1(&PromptFacts {
        kind,
        dialect,
        rules: &rules,
        catalog: &samples::catalog(),
        workspace: "Home",
        zone: "Europe/Paris",
    })
}

const KINDS: [SessionKind; 4] =
    [SessionKind::Chat, SessionKind::Seed, SessionKind::Automation, SessionKind::Agent];

#[test]
fn level_1_of_a_chat_reads_well() {
    insta::assert_snapshot!(written(SessionKind::Chat, Dialect::Envelope, Profile::Autonomous), @"");
}

#[test]
fn level_1_of_a_run_documents_completed_and_its_limits() {
    let text = written(SessionKind::Automation, Dialect::Tools, Profile::Strict);
    insta::assert_snapshot!(text, @"");
    let text = written(SessionKind::Automation, Dialect::Envelope, Profile::Strict);
    assert!(text.contains("`completed` (true or false)") && !text.contains("MultipleChoice"), "{text}");
}

#[test]
fn every_example_can_be_sent_as_it_stands() {
    let schema = envelope::schema_for(&samples::catalog());
    let validator = jsonschema::validator_for(&schema).unwrap();
    for kind in KINDS {
        let text = examples::text(kind, &samples::catalog());
        let examples: Vec<&str> = text.lines().filter(|line| line.starts_with('{')).collect();
        assert!(examples.len() >= 3, "{text}");
        for example in examples {
            assert_eq!(envelope::read(example).faults, [], "{example}");
            assert!(validator.is_valid(&serde_json::from_str(example).unwrap()), "{example}");
        }
    }
}

#[test]
fn every_code_is_explained() {
    for code in CallStatus::ALL.into_iter().filter_map(CallStatus::code) {
        assert!(texts::RESULTS.contains(code), "{code}");
    }
}

#[test]
fn the_same_facts_give_the_same_bytes_and_every_chunk_has_its_name() {
    for kind in KINDS {
        for dialect in [Dialect::Envelope, Dialect::Tools] {
            let again = || written(kind, dialect, Profile::Autonomous);
            assert_eq!(again(), again());
        }
    }
    let rules = Rules::new(SessionKind::Chat, Profile::Autonomous);
    let facts = PromptFacts {
        kind: SessionKind::Chat,
        dialect: Dialect::Envelope,
        rules: &rules,
        catalog: &[],
        workspace: "Home",
        zone: "UTC",
    };
    let mut names: Vec<&str> = chunks(&facts).iter().map(|chunk| chunk.name).collect();
    assert_eq!(names.len(), 9);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 9);
}
