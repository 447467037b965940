use entracte_application::calendar::Calendar;
use entracte_application::json_value;
use entracte_application::ports::SchemaFault;
use entracte_application::settings::{Language, WorkspaceLocale};
use entracte_application::texts::LocalizedTexts;
use entracte_domain::message::EnrichmentKind;
use entracte_domain::time::Timestamp;
use serde_json::json;

use super::read::{read_enrichment, read_reference};
use super::schema::{ENRICHMENT_EXAMPLES, enrichment_schema};
use super::transform::{commands_of, config, resolve_period};

/// 2026-11-20T12:00:00Z, a Friday.
const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

fn paris() -> Calendar {
    Calendar::from_locale(&WorkspaceLocale {
        zone: "Europe/Paris".into(),
        day_start: 4,
        ..WorkspaceLocale::default()
    })
}

/// The commands of an enrichment sent at noon, one per line.
fn commands(written: &str) -> Vec<String> {
    let (calendar, texts) = (paris(), LocalizedTexts::for_language(Language::En));
    let enrichment = read_enrichment(&json_value::parse(written).unwrap(), &calendar, texts).unwrap();
    let reference = read_reference(&enrichment, &calendar, texts).unwrap();
    let reference = resolve_period(reference, &calendar, NOON).unwrap();
    let line = |command: &entracte_domain::command::Command| {
        format!("{} {}", command.name, command.arguments.to_json())
    };
    commands_of(&reference, &calendar).iter().map(line).collect()
}

fn faults(written: &str) -> Vec<SchemaFault> {
    let written = json_value::parse(written).unwrap();
    read_enrichment(&written, &paris(), LocalizedTexts::for_language(Language::En)).unwrap_err()
}

#[test]
fn enrichment_makes_the_seed_commands() {
    let last_week = r#""from":"2026-11-09T04:00:00+01:00","until":"2026-11-16T04:00:00+01:00""#;
    let november = r#""from":"2026-11-01T04:00:00+01:00","until":"2026-11-20T08:30:00+01:00""#;
    let cases: [(&str, Vec<String>); 8] = [
        (
            r#"{"type": "POINTER", "target": "zone", "id": "z1"}"#,
            vec![r#"zones.get {"zone_id":"z1"}"#.into()],
        ),
        (
            r#"{"type": "POINTER", "target": "tool", "id": "t1"}"#,
            vec![r#"tools.get {"tool_id":"t1"}"#.into()],
        ),
        (
            r#"{"type": "POINTER", "target": "tool", "id": "t1", "period": "-1_WEEK"}"#,
            vec![
                r#"tools.get {"tool_id":"t1"}"#.into(),
                format!(r#"tool_data.get {{"tool_id":"t1",{last_week}}}"#),
            ],
        ),
        (
            r#"{"type": "USE", "id": "t1", "period": "-1_WEEK"}"#,
            vec![
                r#"tools.get {"tool_id":"t1"}"#.into(),
                r#"schemas.get {"tool_id":"t1"}"#.into(),
                format!(r#"tool_data.get {{"tool_id":"t1",{last_week}}}"#),
                format!(r#"tool_data.stats {{"tool_id":"t1",{last_week}}}"#),
            ],
        ),
        (
            r#"{"type": "USE", "id": "t1", "period": {"from": "2026-11-01", "until": "2026-11-20T07:30:00Z"}}"#,
            vec![
                r#"tools.get {"tool_id":"t1"}"#.into(),
                r#"schemas.get {"tool_id":"t1"}"#.into(),
                format!(r#"tool_data.get {{"tool_id":"t1",{november}}}"#),
                format!(r#"tool_data.stats {{"tool_id":"t1",{november}}}"#),
            ],
        ),
        (
            r#"{"type": "USE", "id": "t1"}"#,
            vec![
                r#"tools.get {"tool_id":"t1"}"#.into(),
                r#"schemas.get {"tool_id":"t1"}"#.into(),
                r#"tool_data.get {"tool_id":"t1"}"#.into(),
                r#"tool_data.stats {"tool_id":"t1"}"#.into(),
            ],
        ),
        (
            r#"{"type": "CREATE", "tool_type": "tracking", "zone": "z1"}"#,
            vec![r#"schemas.get {"tool_type":"tracking"}"#.into()],
        ),
        (
            r#"{"type": "MODIFY_CONFIG", "id": "t1"}"#,
            vec![r#"schemas.get {"tool_id":"t1"}"#.into(), r#"tools.get {"tool_id":"t1"}"#.into()],
        ),
    ];
    for (written, expected) in cases {
        assert_eq!(commands(written), expected, "{written}");
    }
}

#[test]
fn enrichment_faults_name_their_paths() {
    let cases = [
        (r#""USE""#, "", "an enrichment must be a JSON object"),
        (r#"{"id": "t1"}"#, "", "\"type\" is missing"),
        (
            r#"{"type": "DELETE", "id": "t1"}"#,
            "/type",
            "\"DELETE\" is not a type of enrichment; use one of POINTER, USE",
        ),
        (r#"{"type": "use", "id": "t1"}"#, "/type", "\"use\" is not a"),
        (r#"{"type": "USE"}"#, "", "\"id\" is a required property"),
        (r#"{"type": "USE", "id": ""}"#, "/id", "shorter than 1"),
        (r#"{"type": "USE", "id": 7}"#, "/id", "not of type \"string\""),
        (r#"{"type": "USE", "id": "t1", "span": "0_DAY"}"#, "", "'span' was unexpected"),
        (r#"{"type": "POINTER", "id": "t1"}"#, "", "\"target\" is a required property"),
        (r#"{"type": "POINTER", "target": "entry", "id": "t1"}"#, "/target", "\"entry\""),
        (
            r#"{"type": "POINTER", "target": "zone", "id": "z1", "period": "0_DAY"}"#,
            "/period",
            "a zone has no entries",
        ),
        (
            r#"{"type": "USE", "id": "t1", "period": "last week"}"#,
            "/period",
            "“last week” is not a valid period",
        ),
        (r#"{"type": "USE", "id": "t1", "period": "0_DAYS"}"#, "/period", "“DAYS”"),
        (r#"{"type": "USE", "id": "t1", "period": 7}"#, "/period", "7"),
        (r#"{"type": "USE", "id": "t1", "period": {"from": "2026-11-01"}}"#, "/period", "\"until\""),
        (
            r#"{"type": "USE", "id": "t1", "period": {"from": "soon", "until": "2026-11-01"}}"#,
            "/period/from",
            "“soon”",
        ),
        (
            r#"{"type": "USE", "id": "t1", "period": {"from": "2026-11-02", "until": "2026-11-01"}}"#,
            "/period/until",
            "before",
        ),
        (r#"{"type": "CREATE", "zone": "z1"}"#, "", "\"tool_type\" is a required property"),
        (r#"{"type": "MODIFY_CONFIG", "id": "t1", "period": "0_DAY"}"#, "", "'period' was unexpected"),
    ];
    for (written, path, words) in cases {
        let faults = faults(written);
        assert_eq!(faults.len(), 1, "{written}: {faults:?}");
        assert_eq!(faults[0].path, path, "{written}: {faults:?}");
        assert!(faults[0].text.contains(words), "{written}: {faults:?}");
    }
}

#[test]
fn schema_accepts_one_example_of_each_kind() {
    let validator = jsonschema::validator_for(&enrichment_schema()).unwrap();
    let mut kinds = Vec::new();
    for example in ENRICHMENT_EXAMPLES {
        let written = json_value::parse(example).unwrap();
        assert!(validator.is_valid(&json_value::to_serde(&written)), "{example}");
        kinds.push(
            read_enrichment(&written, &paris(), LocalizedTexts::for_language(Language::En)).unwrap().kind,
        );
    }
    assert!(EnrichmentKind::ALL.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    assert!(!validator.is_valid(&json!({"type": "USE", "id": "t1", "also": 1})));
    assert!(!validator.is_valid(&json!({"type": "POINTER", "target": "zone", "id": "z", "period": "0_DAY"})));
}

#[test]
fn stored_enrichment_equals_sent_one() {
    let (calendar, texts) = (paris(), LocalizedTexts::for_language(Language::En));
    for example in ENRICHMENT_EXAMPLES {
        let enrichment = read_enrichment(&json_value::parse(example).unwrap(), &calendar, texts).unwrap();
        let sent =
            resolve_period(read_reference(&enrichment, &calendar, texts).unwrap(), &calendar, NOON).unwrap();
        let stored = entracte_domain::message::Enrichment { config: config(&sent, &calendar), ..enrichment };
        assert_eq!(read_reference(&stored, &calendar, texts), Ok(sent), "{example}");
    }
}
