//! The cost of model calls: fixed when a call is made, and unknown if a part of it is unknown.

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::http_stub::{HttpStubAnswer, http_stub};

const PROVIDER: &str = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\nmodel = \"m1\"\n";
/// Dollars per million tokens.
const PRICES: &str = "prices = { input = \"3\", cache_read = \"0.3\", output = \"15\" }\n";

fn priced(script: &str) -> CliFixture {
    let stage = CliFixture::with_config(&format!("{PROVIDER}{PRICES}"));
    stage.write("story.toml", script);
    stage
}

/// The rows of the report: end of the key, attempts, cost, and whether the cost is complete.
fn rows(stage: &CliFixture, arguments: &[&str]) -> Vec<(String, u64, Value, bool)> {
    let arguments = [&["--json", "cost", "report"], arguments].concat();
    let report = stage.run(&arguments).expect(0).json();
    assert_eq!(report["schema"], "entracte.cost/2");
    let known = |usage: &Value| {
        // The API writes dollars as texts, with all digits.
        let cost = usage["cost_usd"].as_str().map_or(Value::Null, |cost| serde_json::from_str(cost).unwrap());
        (cost, usage["cost_at_least"].as_bool().unwrap())
    };
    let of_row = |row: &Value| {
        let key = row["key"].as_str().filter(|key| !key.is_empty()).unwrap_or("-").to_owned();
        let (cost, at_least) = known(&row["usage"]);
        (key, row["attempts"].as_u64().unwrap(), cost, at_least)
    };
    let (cost, at_least) = known(&report["total"]);
    let total = ("-".to_owned(), report["total_attempts"].as_u64().unwrap(), cost, at_least);
    report["rows"].as_array().unwrap().iter().map(of_row).chain([total]).collect()
}

#[test]
fn cost_of_every_attempt_is_known_or_null() {
    let stage = priced(
        r#"
[[turn]]
text = "One."
usage = { input = 1000, cache_read = 10000, output = 100 }
[[turn]]
text = "Two. No one says what it used."
[[turn]]
text = "Three, at the second attempt."
fail = "lost"
times = 1
usage = { input = 2000, output = 10 }
[[turn]]
text = "Four: written to the cache, which has no price here."
usage = { input = 1000, cache_write = 5, output = 100 }
"#,
    );
    let session = stage.send_in_new_session("One?", 0);
    let turn = |text: &str| {
        stage.run(&["--json", "chat", "--session", &session, "--message", text]).expect(0).json()["usage"]
            .clone()
    };
    let known = |usage: &Value| (usage["cost_usd"].clone(), usage["cost_at_least"].clone());
    assert_eq!(known(&turn("Two?")), (Value::Null, json!(false)), "no usage is no cost of 0");
    assert_eq!(known(&turn("Three?")), (json!("0.00615"), json!(true)), "what was lost is perhaps billed");
    assert_eq!(known(&turn("Four?")), (json!("0.0045"), json!(true)), "one part has no price");

    let attempts = rows(&stage, &["--by", "attempt"]);
    let costs: Vec<&Value> = attempts.iter().map(|(_, _, cost, _)| cost).collect();
    // 0.003 + 0.003 + 0.0015; 0.006 + 0.00015; 0.003 + 0.0015, without what was written to the cache.
    let (one, three, four) = (json!(0.0075), json!(0.00615), json!(0.0045));
    assert_eq!(costs, [&one, &Value::Null, &Value::Null, &three, &four, &json!(0.01815)]);
    assert!(attempts[..5].iter().all(|(key, count, ..)| key.starts_with("mc_") && *count == 1));
    let at_least: Vec<bool> = attempts[..5].iter().map(|(.., at_least)| *at_least).collect();
    assert_eq!(at_least, [false, false, false, false, true]);
    assert!(attempts[5].3, "a sum with unknown parts is a least one");

    let rounds = rows(&stage, &["--by", "round", "--session", &session]);
    assert_eq!((rounds[2].1, &rounds[2].2, rounds[2].3), (2, &three, true), "both attempts of round 3");
    for by in ["session", "model", "provider", "day", "automation"] {
        let sums = rows(&stage, &["--by", by]);
        assert_eq!((sums.len(), sums[0].1, &sums[0].2, sums[0].3), (2, 5, &json!(0.01815), true), "{by}");
    }
    let keys = |by: &str| rows(&stage, &["--by", by])[0].0.clone();
    assert_eq!((keys("model").as_str(), keys("automation").as_str()), ("stage/m1", "-"));

    let shown = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!(known(&shown["usage"]), (json!("0.01815"), json!(true)));
    let shown = stage.run(&["session", "show", &session]).expect(0).out;
    assert!(shown.contains("at least $0.01815"), "{shown}");
    let csv = stage.run(&["cost", "report", "--csv"]).expect(0).out;
    let row = format!("{session},One?,5,4000,10000,5,210,0.01815,true");
    assert_eq!(csv.lines().nth(1), Some(row.as_str()), "{csv}");
}

/// A chat with an agent: each of their calls has another cost.
fn priced_agents() -> CliFixture {
    let small = "prices = { input = \"1\", output = \"1\" }\n";
    let config = format!(
        "default_provider = \"stage\"\n\
         [limits]\ncompletion_delay = \"1ms\"\nclosing_delay = \"1ms\"\n\
         {PROVIDER}{PRICES}\
         [providers.quiet]\nkind = \"rehearsal\"\nscript = \"quiet.toml\"\nmodel = \"m1\"\n{PRICES}\
         [providers.small]\nkind = \"rehearsal\"\nscript = \"small.toml\"\nmodel = \"s1\"\n{small}\
         [agents.Counter]\ndescription = \"Counts.\"\nprovider = \"small\"\ncommands = [\"zones.list\"]\n\
         [agents.Counter.instructions]\nrole = \"You count.\"\n"
    );
    let stage = CliFixture::with_config(&config);
    stage.write(
        "story.toml",
        r#"
[[turn]]
envelope = { pre_text = "I ask.", actions = [{ type = "Counter", params = { query = "How many?" } }], keep_control = true }
usage = { input = 1000, output = 100 }
[[turn]]
text = "None."
usage = { input = 2000 }
"#,
    );
    stage.write(
        "quiet.toml",
        "[[turn]]\nenvelope = { pre_text = \"All is well.\", completed = true }\nusage = { input = 1000 }\n",
    );
    stage.write(
        "small.toml",
        r#"
[[turn]]
envelope = { pre_text = "", queries = [{ type = "ZONES", params = {} }] }
usage = { input = 1000 }
[[turn]]
envelope = { pre_text = "", EXIT_WITH_RESULT = { reason = "counted", result = { zones = 0 }, conclusion = "None." } }
usage = { input = 1000 }
"#,
    );
    stage
}

/// Input: a chat that calls an agent; expected: the chat costs what both cost, in its sheet, as JSON and in the report,
/// where the agent has a row of its own, too; the total and the tree count every call once.
#[test]
fn chat_cost_includes_agents() {
    let stage = priced_agents();
    let session = stage.send_in_new_session("How many?", 0);
    let below = stage.run(&["--json", "agent", "list", &session]).expect(0).json();
    let agent = below["agents"][0]["session"].as_str().unwrap().to_owned();

    // 0.003 + 0.0015, 0.006; the agent twice 0.001.
    let (all, own, of_agent) = (json!(0.0125), json!(0.0105), json!(0.002));
    let row = |key: &str, attempts: u64, cost: &Value| (key.to_owned(), attempts, cost.clone(), false);
    let total = row("-", 4, &all);
    let by_session = [row(&session, 4, &all), row(&agent, 2, &of_agent), total.clone()];
    assert_eq!(rows(&stage, &["--by", "session"]), by_session);
    assert_eq!(rows(&stage, &["--by", "tree"]), [row(&session, 4, &all), total.clone()]);
    let of_session = ["--by", "model", "--session", &session];
    assert_eq!(
        rows(&stage, &of_session),
        [row("small/s1", 2, &of_agent), row("stage/m1", 2, &own), total.clone()]
    );
    let agent_alone = rows(&stage, &["--by", "session", "--session", &agent]);
    assert_eq!(agent_alone, [row(&agent, 2, &of_agent), row("-", 2, &of_agent)]);

    let usage = |shown: &Value, field: &str| shown[field]["cost_usd"].as_str().unwrap().to_owned();
    let shown = stage.run(&["--json", "session", "show", &session]).expect(0).json();
    assert_eq!((usage(&shown, "usage"), usage(&shown, "own_usage")), ("0.0125".into(), "0.0105".into()));
    let shown = stage.run(&["session", "show", &session]).expect(0).out;
    assert!(shown.contains("$0.0125") && shown.contains("$0.0105"), "{shown}");
    let shown = stage.run(&["--json", "session", "show", &agent]).expect(0).json();
    assert_eq!((usage(&shown, "usage"), usage(&shown, "own_usage")), ("0.002".into(), "0.002".into()));
}

/// Input: a chat with an agent, then a run of an automation; expected: what the commands cost is what the calls cost that
/// asked for them, and each person and automation has a row.
#[test]
fn costs_are_reported_by_command_and_person() {
    let stage = priced_agents();
    stage.send_in_new_session("How many?", 0);
    let row = |key: &str, attempts: u64, cost: Value| (key.to_owned(), attempts, cost, false);
    let commands = [
        row("-", 2, json!(0.007)),
        row("agents.Counter", 1, json!(0.0045)),
        row("zones.list", 1, json!(0.001)),
        row("-", 4, json!(0.0125)),
    ];
    assert_eq!(rows(&stage, &["--by", "command"]), commands);

    let create =
        ["automation", "create", "Look", "--message", "Is all well?", "--manual", "--provider", "quiet"];
    let automation = stage.run(&create).expect(0).out.trim().to_owned();
    stage.run(&["automation", "run", "Look"]).expect(0);
    let people = rows(&stage, &["--by", "person"]);
    assert_eq!((people[0].1, &people[0].2), (4, &json!(0.0125)));
    assert_eq!(people[1], row(&format!("(automation) {automation}"), 1, json!(0.003)));
    assert_eq!(people[2], row("-", 5, json!(0.0155)));
    let drawn = stage.run(&["cost", "report", "--by", "person"]).expect(0).out;
    assert!(drawn.contains("automation Look") && drawn.contains(&people[0].0), "{drawn}");
    let csv = stage.run(&["cost", "report", "--by", "person", "--csv"]).expect(0).out;
    assert!(csv.lines().any(|line| line.starts_with(&format!("(automation) {automation},Look,"))), "{csv}");
}

/// Input: a zone added by hand, beside a chat; expected: it calls no model, so the report does not contain it.
#[test]
fn manual_action_is_no_model_call() {
    let stage = priced("[[turn]]\ntext = \"One.\"\nusage = { input = 1000, output = 100 }\n");
    stage.send_in_new_session("One?", 0);
    let of_the_chat = rows(&stage, &["--by", "model"]);
    stage.run(&["zone", "add", "Health"]).expect(0);
    assert_eq!(rows(&stage, &["--by", "model"]), of_the_chat);
    assert_eq!(rows(&stage, &["--by", "attempt"]).len(), 2, "one attempt and the total");
}

/// Input: a capped chat with an answer that is lost once; expected: the lost attempt is uncertain in the report and in the
/// session, until a person says what it cost.
#[test]
fn lost_attempt_is_settled_by_hand() {
    let stage = CliFixture::with_config(&format!("{PROVIDER}{PRICES}max_output_tokens = 200\n"));
    stage.write(
        "story.toml",
        "[[turn]]\ntext = \"One.\"\nfail = \"lost\"\ntimes = 1\nusage = { input = 1000, output = 100 }\n",
    );
    stage.run(&["workspace", "settings", "set", "budget.tree", "5 USD"]).expect(0);
    let session = stage.send_in_new_session("One?", 0);
    let report = || stage.run(&["--json", "cost", "report", "--by", "attempt"]).expect(0).json();
    let before = report();
    let lost = &before["rows"][0];
    assert_ne!(lost["reservations"]["uncertain"]["cost_usd"], "0", "{before}");
    let shown = stage.run(&["session", "show", &session]).expect(0).out;
    assert!(shown.contains("uncertain"), "{shown}");

    let call = lost["key"].as_str().unwrap();
    stage.run(&["cost", "settle", call, "--usd", "0.001", "--tokens", "7"]).expect(0);
    let after = report();
    assert_eq!(after["rows"][0]["usage"]["cost_usd"], "0.001", "{after}");
    assert_eq!(after["total_reservations"], Value::Null, "{after}");
    stage.run(&["session", "verify", &session]).expect(0);
}

/// Input: a chat whose first call would pass the soft line of its cap; expected: it asks instead of calling the model, in the
/// inbox too, an amount that the cap does not leave is refused, and once extended it answers; another one is declined.
#[test]
fn session_asks_at_its_soft_line() {
    let stage = CliFixture::with_config(&format!("{PROVIDER}{PRICES}max_output_tokens = 200\n"));
    stage.write("story.toml", "[[turn]]\ntext = \"One.\"\nusage = { input = 1000, output = 100 }\n");
    stage.run(&["workspace", "settings", "set", "budget.session=0.4 USD", "budget.soft_line=1"]).expect(0);
    let session = stage.send_in_new_session("One?", 3);
    let other = stage.send_in_new_session("And here?", 3);
    let inbox = stage.run(&["inbox", "--list"]).expect(0).out;
    assert!(inbox.contains("Go on for 0.356 USD more?"), "{inbox}");
    assert!(inbox.contains(&format!("entracte cost extend {session}")), "{inbox}");
    assert_eq!(rows(&stage, &["--by", "attempt"]).len(), 1, "no call was made");

    stage.run(&["cost", "extend", &session, "--usd", "0.4"]).expect(2);
    let answer = stage.run(&["cost", "extend", &session]).expect(0).out;
    assert!(answer.contains("One."), "{answer}");
    stage.run(&["cost", "decline", &other]).expect(7);
    assert!(!stage.run(&["inbox", "--list"]).expect(0).out.contains("Go on"));
    for session in [session, other] {
        stage.run(&["session", "verify", &session]).expect(0);
    }
}

#[test]
fn a_later_price_changes_no_earlier_cost() {
    let stage = priced(
        "[[turn]]\ntext = \"a\"\nusage = { input = 10000 }\n[[turn]]\ntext = \"b\"\nusage = { input = 10000 }\n",
    );
    let session = stage.send_in_new_session("First", 0);
    stage.write("entracte.toml", &format!("{PROVIDER}{}", PRICES.replace("\"3\"", "5")));
    stage.run(&["chat", "--session", &session, "--message", "Second"]).expect(0);
    let costs: Vec<Value> =
        rows(&stage, &["--by", "round"]).into_iter().map(|(_, _, cost, _)| cost).collect();
    assert_eq!(costs, [json!(0.03), json!(0.05), json!(0.08)]);
    stage.run(&["session", "verify", &session]).expect(0);
}

#[test]
fn a_copy_pays_for_its_own_calls_alone() {
    let stage = priced(
        "[[turn]]\ntext = \"a\"\nusage = { input = 10000 }\n[[turn]]\ntext = \"b\"\nusage = { input = 10000 }\n",
    );
    let session = stage.send_in_new_session("First", 0);
    let fork = stage.run(&["--json", "session", "fork", &session]).expect(0).json();
    let fork = fork["session"].as_str().or_else(|| fork["id"].as_str()).unwrap().to_owned();
    stage.run(&["chat", "--session", &fork, "--message", "Second"]).expect(0);
    let mut costs = rows(&stage, &["--by", "session"]);
    costs.sort_by_key(|(key, ..)| *key != session);
    let costs: Vec<Value> = costs.into_iter().map(|(_, _, cost, _)| cost).collect();
    assert_eq!(costs, [json!(0.03), json!(0.03), json!(0.06)]);
}

#[test]
fn report_days_are_given_as_dates() {
    let stage = priced("[[turn]]\ntext = \"a\"\nusage = { input = 1 }\n");
    stage.send_in_new_session("First", 0);
    assert_eq!(rows(&stage, &["--since", "2999-01-01"]).len(), 1, "only a total");
    assert_eq!(rows(&stage, &["--until", "2000-01-01"]).len(), 1);
    assert_eq!(rows(&stage, &["--since", "2000-01-01", "--until", "2999-01-01"]).len(), 2);
    let wrong = stage.run(&["cost", "report", "--since", "yesterday"]).expect(2);
    assert!(wrong.err.contains("--since takes a day like 2026-11-01, not “yesterday”"), "{}", wrong.err);
    let both = stage.run(&["--json", "cost", "report", "--csv"]).expect(2);
    assert!(both.err.contains("--csv and --json cannot be used together"), "{}", both.err);
    stage.run(&["cost", "report", "--session", "ses_none"]).expect(5);
}

/// Input: a report with two rows and a limit of one; expected: one row and the total of both, the number of rows that are
/// left out, and all of them with 0; the same limit in JSON.
#[test]
fn report_shows_as_many_rows_as_asked_for() {
    let stage = priced("[[turn]]\ntext = \"One.\"\nusage = { input = 1000, output = 100 }\n");
    let sessions = [stage.send_in_new_session("One?", 0), stage.send_in_new_session("Two?", 0)];
    let shown = |limit: &str| {
        let report = stage.run(&["cost", "report", "--limit", limit]).expect(0);
        let rows = sessions.iter().filter(|session| report.out.contains(session.as_str())).count();
        (rows, report)
    };
    let (rows, one) = shown("1");
    assert_eq!(rows, 1, "{}", one.out);
    assert!(one.err.contains("1 of 2 are shown; --limit 0 shows all of them"), "{}", one.err);
    let (rows, all) = shown("0");
    assert_eq!(rows, 2, "{}", all.out);
    assert!(!all.err.contains("are shown"), "{}", all.err);
    let last = |out: &str| out.lines().last().unwrap_or_default().to_owned();
    assert_eq!(
        last(&one.out).split_whitespace().collect::<Vec<_>>(),
        last(&all.out).split_whitespace().collect::<Vec<_>>(),
        "the total is that of all rows"
    );
    let object = stage.run(&["--json", "cost", "report", "--limit", "1"]).expect(0).json();
    assert_eq!(object["rows"].as_array().unwrap().len(), 1);
}

/// A server that answers every chat with this usage; returns its origin.
fn chat_server(usage: Value) -> String {
    let chunk = |choices: Value, usage: &Value| {
        let chunk =
            json!({ "object": "chat.completion.chunk", "id": "c", "choices": choices, "usage": usage });
        format!("data: {chunk}\n\n")
    };
    let said =
        json!([{ "index": 0, "delta": { "role": "assistant", "content": "Hi." }, "finish_reason": "stop" }]);
    let body = [chunk(said, &Value::Null), chunk(json!([]), &usage), "data: [DONE]\n\n".to_owned()].concat();
    http_stub("127.0.0.1:0", move |request| match request.is_post() {
        true => {
            let headers = "content-type: text/event-stream\r\n".to_owned();
            HttpStubAnswer { status: 200, headers, body: body.clone() }
        }
        false => HttpStubAnswer::json(200, &json!({ "object": "list", "data": [] })),
    })
}

/// Input: an answer whose reasoning its server counts beside the output, and one that counts it within; expected: tokens and
/// cost of all that is billed, each once.
#[test]
fn reasoning_is_billed_once() {
    let beside = json!({
        "prompt_tokens": 10_120, "completion_tokens": 1_499, "total_tokens": 14_428,
        "prompt_tokens_details": { "cached_tokens": 128 },
        "completion_tokens_details": { "reasoning_tokens": 2_809 },
    });
    let within = json!({
        "prompt_tokens": 1_000, "completion_tokens": 500, "total_tokens": 1_500,
        "completion_tokens_details": { "reasoning_tokens": 200 },
    });
    for (usage, output, cost) in [(beside, 4_308, "0.0232856"), (within, 500, "0.0025")] {
        let origin = chat_server(usage);
        let stage = CliFixture::with_config(&format!(
            "[providers.chat]\nkind = \"compatible\"\nbase_url = \"{origin}/v1\"\nmodel = \"m\"\ndialect = \"tools\"\n\
             prices = {{ input = \"1.25\", output = \"2.50\", cache_read = \"0.20\" }}\n"
        ));
        let used = stage.run(&["--json", "chat", "--message", "Hello."]).expect(0).json()["usage"].clone();
        assert_eq!((&used["output"], &used["cost_usd"]), (&json!(output), &json!(cost)), "{used}");
    }
}
