//! The same calls in French, and in another time zone.

use entracte_application::command_naming::CommandNaming;
use entracte_application::ports::{CommandExecutor as _, builtin_command_doc};
use entracte_application::settings::{Language, WorkspaceLocale};
use entracte_application::texts::LocalizedTexts;
use serde_json::json;

use super::ResourcesFixture;

async fn paris() -> ResourcesFixture {
    let locale =
        WorkspaceLocale { language: Language::Fr, zone: "Europe/Paris".into(), ..WorkspaceLocale::default() };
    ResourcesFixture::health().await.in_locale(locale)
}

#[tokio::test]
async fn sentences_and_warnings_are_french_and_fields_keep_their_keys() {
    let world = paris().await;
    let entries = json!([{"data": {"value": 72.5}, "timestamp": "2026-11-20T08:30"}, {"data": {"value": 71}, "name": "soir"}]);
    let create = json!({"tool_id": "tool_x_2_0", "entries": entries});
    insta::assert_snapshot!(world.describes("tool_data.batch_create", create).await, @"
    Créer 2 entrées dans « Weight » : 72.5 kg le 2026-11-20 08:30 CET ; soir : 71 kg maintenant
    + entry.1: 72.5 kg le 2026-11-20 08:30 CET
    + entry.2: soir : 71 kg maintenant
    ");
    for (n, a) in [
        (
            "tool_data.update",
            json!({"entry_id": "ent_x_3_0_0", "data": {"value": 71}, "timestamp": "2026-11-18T10:00"}),
        ),
        (
            "tools.update",
            json!({"tool_id": "tool_x_2_0", "config": {"max": 150}, "require_validation": true}),
        ),
        ("zones.delete", json!({"zone_id": "zon_x_1_0"})),
        ("tools.delete", json!({"tool_id": "tool_y"})),
    ] {
        println!("{}\n", world.describes(n, a).await);
    }
    let change = json!({"entry_id": "ent_x_3_0_0", "data": {"value": 71}, "timestamp": "2026-11-18T10:00"});
    insta::assert_snapshot!(world.describes("tool_data.update", change).await, @"
    Modifier l’entrée 72.5 kg le 2026-11-18 01:00 CET dans « Weight » : date, donnée value
    - timestamp: 2026-11-18T01:00:00+01:00
    - data.value: 72.5
    + timestamp: 2026-11-18T10:00:00+01:00
    + data.value: 71
    ");
    let tool = json!({"tool_id": "tool_x_2_0", "config": {"max": 150}, "require_validation": true});
    insta::assert_snapshot!(world.describes("tools.update", tool).await, @"
    Modifier l’outil « Weight » : approbation demandée, réglage max
    - require_validation: non
    - config.max: 200
    + require_validation: oui
    + config.max: 150
    ! toute action sur cet outil demandera une approbation
    ! modifie la configuration d’un outil qui a 1 entrée
    ");
    insta::assert_snapshot!(world.describes("zones.delete", json!({"zone_id": "zon_x_1_0"})).await, @"
    Supprimer la zone « Health » et l’outil qu’elle contient (1 entrée) : « Weight »
    - tool_x_2_0: outil « Weight », entrées : 1, empreinte cc1c52c4c4f7ebe7
    - name: Health
    - description: Body
    - require_validation: non
    ");
    insta::assert_snapshot!(world.describes("tools.delete", json!({"tool_id": "tool_y"})).await, @r#"
    tools.delete {"tool_id":"tool_y"}
    ! serait refusé maintenant : il n’y a pas d’outil « tool_y » ; TOOL_INSTANCES donne la liste
    "#);
}

#[tokio::test]
async fn refusals_are_french() {
    let world = paris().await;
    let cases = [
        (
            "zones.get",
            json!({"zone_id": "z"}),
            "NOT_FOUND /zone_id il n’y a pas de zone «\u{a0}z\u{a0}»\u{a0}; ZONES donne la liste",
        ),
        (
            "zones.create",
            json!({"name": "health"}),
            "NAME_TAKEN /name la zone zon_x_1_0 porte déjà le nom «\u{a0}Health\u{a0}»\u{a0}; choisissez-en un autre",
        ),
        (
            "tools.create",
            json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "A", "config": {"kind": "scale", "min": 1}}),
            "INVALID_CONFIG /config/max la configuration n’est pas valide pour un outil de type tracking\u{a0}: /config/max: ce champ est obligatoire",
        ),
        (
            "tool_data.batch_create",
            json!({"tool_id": "tool_x_2_0", "entries": [{"data": {"value": 250}}]}),
            "INVALID_ENTRY /entries/0/data/value rien n’a été créé, car des entrées ne sont pas valides pour «\u{a0}Weight\u{a0}»\u{a0}: /entries/0/data/value: 250 est supérieur au maximum de 200",
        ),
        (
            "tool_data.get",
            json!({"tool_id": "tool_x_2_0", "from": "hier"}),
            "INVALID_PERIOD /from «\u{a0}hier\u{a0}» n’est pas une date valide\u{a0}; ",
        ),
    ];
    for (name, arguments, expected) in cases {
        let said = world.does(name, arguments.clone()).await;
        assert!(said.starts_with(expected), "{name} {arguments}: {said}");
    }
}

#[tokio::test]
async fn instants_use_workspace_zone_and_are_stored_utc() {
    let world = paris().await;
    let entries = json!([{"data": {"value": 70}, "timestamp": "2026-07-01T00:30"}]);
    world.does("tool_data.batch_create", json!({"tool_id": "tool_x_2_0", "entries": entries})).await;
    let shown =
        world.does("tool_data.get", json!({"tool_id": "tool_x_2_0", "order": "oldest", "limit": 1})).await;
    assert!(shown.contains(r#""timestamp":"2026-07-01T00:30:00+02:00""#), "{shown}");
    assert_eq!(world.rows.at("ent_x_4_0_0"), Some(super::instant("2026-06-30T22:30:00Z")));
}

#[test]
fn every_command_has_complete_doc_in_each_language() {
    for spec in ResourcesFixture::empty().executor.commands() {
        let key = format!("doc-{}", spec.word);
        let [english, french] = Language::ALL.map(|language| {
            assert!(LocalizedTexts::for_language(language).has(&key), "{key} in {language:?}");
            builtin_command_doc(&spec.word, CommandNaming::Types, language)
        });
        assert_eq!(english, spec.doc);
        assert_ne!(english, french);
        for (name, _) in spec.schema.get("properties").unwrap().as_object().unwrap() {
            let paged = ["limit", "offset"].contains(&name.as_str());
            assert!(paged || french.contains(name.as_str()), "{key}: {name}");
        }
    }
}
