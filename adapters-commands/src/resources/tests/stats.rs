//! Statistics over many entries.

use entracte_application::settings::WorkspaceLocale;
use serde_json::{Value as Json, json};

use super::ResourcesFixture;

/// A tool of a kind, `tool_x_4_0`, with these entries: instant and value.
async fn tracked(world: ResourcesFixture, config: Json, entries: &[(&str, Json)]) -> ResourcesFixture {
    let tool = json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "T", "config": config});
    world.does("tools.create", tool).await;
    let entry = |(at, value): &(&str, Json)| json!({"timestamp": at, "data": {"value": value}});
    let entries: Vec<Json> = entries.iter().map(entry).collect();
    let made = world.does("tool_data.batch_create", json!({"tool_id": "tool_x_4_0", "entries": entries}));
    assert!(made.await.starts_with(r#"{"created":"#));
    world
}

async fn stats(world: &ResourcesFixture, mut arguments: Json) -> String {
    arguments["tool_id"] = json!("tool_x_4_0");
    world.does("tool_data.stats", arguments).await
}

#[tokio::test]
async fn number_statistics_are_exact() {
    let entries = [
        ("2026-11-16T08:00:00Z", json!(0.1)),
        ("2026-11-16T20:00:00Z", json!(0.2)),
        ("2026-11-18T08:00:00Z", json!(-0.5)),
    ];
    let world =
        tracked(ResourcesFixture::health().await, json!({"kind": "numeric", "unit": "kg"}), &entries).await;
    assert_eq!(
        stats(&world, json!({})).await,
        concat!(
            r#"{"count":3,"value":{"count":3,"unit":"kg","sum":-0.2,"min":-0.5,"max":0.2,"mean":-0.066667},"#,
            r#""days":2,"more_days":false,"per_day":["#,
            r#"{"date":"2026-11-16","count":2,"value":{"count":2,"unit":"kg","sum":0.3,"min":0.1,"max":0.2,"mean":0.15}},"#,
            r#"{"date":"2026-11-18","count":1,"value":{"count":1,"unit":"kg","sum":-0.5,"min":-0.5,"max":-0.5,"mean":-0.5}}]}"#
        )
    );
    let none = stats(&world, json!({"from": "2026-12-01", "per_day": false})).await;
    assert_eq!(none, r#"{"from":"2026-12-01T00:00:00Z","count":0,"value":{"count":0,"unit":"kg"}}"#);
}

#[tokio::test]
async fn each_value_kind_has_its_statistics() {
    let at = "2026-11-18T08:00:00Z";
    let cases = [
        (
            json!({"kind": "choice", "options": ["good", "bad", "none"]}),
            vec![json!("bad"), json!("good"), json!("bad")],
            r#"{"count":3,"value":{"count":3,"options":{"good":1,"bad":2,"none":0}}}"#,
        ),
        (
            json!({"kind": "boolean"}),
            vec![json!(true), json!(false), json!(true)],
            r#"{"count":3,"value":{"count":3,"true":2,"false":1}}"#,
        ),
        (json!({"kind": "text"}), vec![json!("calm"), json!("calm")], r#"{"count":2,"value":{"count":2}}"#),
        (
            json!({"kind": "scale", "min": 1, "max": 5}),
            vec![json!(2), json!(5)],
            r#"{"count":2,"value":{"count":2,"sum":7,"min":2,"max":5,"mean":3.5}}"#,
        ),
        (
            json!({"kind": "duration", "unit": "min"}),
            vec![json!(7.5)],
            r#"{"count":1,"value":{"count":1,"unit":"min","sum":7.5,"min":7.5,"max":7.5,"mean":7.5}}"#,
        ),
        (
            json!({"kind": "counter"}),
            vec![json!(1), json!(1), json!(2)],
            r#"{"count":3,"value":{"count":3,"sum":4,"min":1,"max":2,"mean":1.333333}}"#,
        ),
        (
            json!({"kind": "numeric"}),
            vec![json!(1e20), json!(1)],
            r#"{"count":2,"value":{"count":1,"sum":1,"min":1,"max":1,"mean":1,"left_out":1}}"#,
        ),
    ];
    for (config, values, expected) in cases {
        let entries: Vec<(&str, Json)> = values.into_iter().map(|value| (at, value)).collect();
        let world = tracked(ResourcesFixture::health().await, config.clone(), &entries).await;
        assert_eq!(stats(&world, json!({"per_day": false})).await, expected, "{config}");
    }
}

#[tokio::test]
async fn days_follow_workspace_calendar() {
    // Days begin at 4 in Paris, and the reference is 2026-11-19 13:00 there.
    let locale = WorkspaceLocale { zone: "Europe/Paris".into(), day_start: 4, ..WorkspaceLocale::default() };
    let entries = [
        ("2026-11-18T03:59", json!(1)),
        ("2026-11-18T04:00", json!(2)),
        ("2026-11-19T03:59", json!(4)),
        ("2026-11-19T04:00", json!(8)),
    ];
    let world = ResourcesFixture::health().await.in_locale(locale);
    let world = tracked(world, json!({"kind": "counter"}), &entries).await;
    let shown = async |arguments: Json| {
        let answer: Json = serde_json::from_str(&stats(&world, arguments).await).unwrap();
        let days = answer["per_day"].as_array().unwrap().iter();
        let days: Vec<String> =
            days.map(|day| format!("{}: {}", day["date"].as_str().unwrap(), day["value"]["sum"])).collect();
        format!("{} {} {}", answer["from"], answer["until"], days.join(", "))
    };
    let cases = [
        (json!({}), "null null 2026-11-17: 1, 2026-11-18: 6, 2026-11-19: 8"),
        (
            json!({"period": "0_DAY"}),
            r#""2026-11-19T04:00:00+01:00" "2026-11-20T04:00:00+01:00" 2026-11-19: 8"#,
        ),
        (
            json!({"period": "-1_DAY"}),
            r#""2026-11-18T04:00:00+01:00" "2026-11-19T04:00:00+01:00" 2026-11-18: 6"#,
        ),
        (json!({"period": "-1_WEEK"}), r#""2026-11-09T04:00:00+01:00" "2026-11-16T04:00:00+01:00" "#),
        (
            json!({"from": "2026-11-18", "until": "2026-11-18T05:00"}),
            r#""2026-11-18T04:00:00+01:00" "2026-11-18T05:00:00+01:00" 2026-11-18: 2"#,
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(shown(arguments.clone()).await, expected, "{arguments}");
    }
}

#[tokio::test]
async fn latest_days_are_shown_and_totals_cover_all() {
    let world =
        tracked(ResourcesFixture::health().await, json!({"kind": "counter"}), &[("2020-01-01", json!(1))])
            .await;
    let day = |n: i64| {
        let at = jiff::Timestamp::from_second(1_600_000_000 + n * 86_400).unwrap().to_string();
        json!({"timestamp": at, "data": {"value": 1}})
    };
    for batch in 0..5 {
        let entries: Vec<Json> = (batch * 100..(batch + 1) * 100).map(day).collect();
        let tool = json!({"tool_id": "tool_x_4_0", "entries": entries});
        world.does("tool_data.batch_create", tool).await;
    }
    let answer: Json = serde_json::from_str(&stats(&world, json!({})).await).unwrap();
    let days = answer["per_day"].as_array().unwrap();
    assert_eq!(
        (days.len(), answer["days"].clone(), answer["more_days"].clone()),
        (400, json!(501), json!(true))
    );
    assert_eq!(answer["value"]["sum"], json!(501));
    assert_eq!(days[399]["date"], json!("2022-01-25"));
}

#[tokio::test]
async fn filters_apply_and_invalid_periods_are_refused() {
    let world = ResourcesFixture::health().await;
    let cases = [
        (json!({"min": 72, "max": 73}), r#"{"count":1,"#),
        (json!({"min": 73}), r#"{"count":0,"#),
        (json!({"equals": 72.50}), r#"{"count":1,"#),
        (
            json!({"period": "0_DAY", "from": "2026-11-01"}),
            "INVALID_PERIOD /period give period, or from and until, not both",
        ),
        (
            json!({"period": "last week"}),
            "INVALID_PERIOD /period “last week” is not a valid period; write offset_TYPE like -1_WEEK or 0_DAY",
        ),
        (
            json!({"period": "-1_MOON"}),
            "INVALID_PERIOD /period “MOON” is not a valid unit of a period; the units are HOUR, DAY, WEEK, MONTH, YEAR",
        ),
        (
            json!({"period": "-9999999_DAY"}),
            "INVALID_PERIOD /period “-9999999” is not a valid offset of a period; write a whole number from -1000000 to 1000000",
        ),
        (json!({"period": "100000_YEAR"}), "INVALID_PERIOD /period this is outside the years -9999 to 9999"),
        (
            json!({"tool_id": "tool_y"}),
            "NOT_FOUND /tool_id there is no tool “tool_y”; TOOL_INSTANCES lists the existing ones",
        ),
    ];
    for (mut arguments, expected) in cases {
        if arguments.get("tool_id").is_none() {
            arguments["tool_id"] = json!("tool_x_2_0");
        }
        let said = world.does("tool_data.stats", arguments.clone()).await;
        assert!(said.starts_with(expected), "{arguments}: {said}");
    }
}
