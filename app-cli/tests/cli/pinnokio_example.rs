//! An office with real processes: the agents and the services of `examples/pinnokio.toml`, with the task server of
//! `examples/task-server`; and the worked example of `docs/TASKS.md`, killed in the middle.

use serde_json::{Value, json};

use crate::agents::{PINNOKIO, pinnokio_fixture};
use crate::cli_fixture::CliFixture;
use crate::server::{ServeServerProcess, end, free_address, serve_at, serve_on};
use crate::tasks::{ExampleTaskServerProcess, KEY};

/// The turn in which an agent of the office ends with this result.
fn exit_turn(result: &Value) -> String {
    let exit = json!({ "reason": "done", "result": result, "conclusion": "It is done." });
    envelope_turn(&json!({ "pre_text": "", "EXIT_WITH_RESULT": exit }))
}

fn envelope_turn(envelope: &Value) -> String {
    format!("envelope = '''{envelope}'''\n")
}

fn actions_turn(actions: &Value) -> String {
    envelope_turn(&json!({ "pre_text": "", "actions": actions, "keep_control": true }))
}

/// The office, with its services at `books`, and its own public address `address`.
fn office(books: &str, address: &str, main: &str, small: &str) -> CliFixture {
    let stage = pinnokio_fixture(main, small);
    stage.write("tasks.key", KEY);
    let config = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    let mut config = config.replace(
        "secret_env = \"PINNOKIO_TASKS\"",
        &format!("secret_file = \"{}/tasks.key\"", stage.folder.path().display()),
    );
    for host in ["books", "bank", "router", "admin", "erp"] {
        let service = format!("https://{host}.example/tasks");
        assert!(config.contains(&service), "{service}");
        config = config.replace(&service, &format!("http://{books}/tasks"));
    }
    let reached =
        format!("[server]\npublic_url = \"http://{address}\"\n[tools.http]\nallow = [\"127.0.0.1\"]\n");
    stage.write("entracte.toml", &format!("{config}\n{reached}"));
    stage
}

/// Approves everything that a turn waits for. Returns the session of the person.
fn approve_all_of_chat(stage: &CliFixture, message: &str) -> String {
    let asked = stage.run(&["--json", "chat", "--message", message]).expect(3).json();
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let items = inbox["items"].as_array().unwrap();
    let ids: Vec<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
    assert!(!ids.is_empty(), "{inbox}");
    stage.run(&[&["approve", "--no-wait"], ids.as_slice()].concat()).expect(0);
    asked["session"].as_str().unwrap().to_owned()
}

/// Input: the person requests the bookings of October, the job manager gives them to the bookkeeper, whose service
/// works and calls back; expected: the job manager reads the end, and its report contains it.
#[test]
fn the_job_manager_has_a_month_booked() {
    let main = format!(
        "[[turn]]\n{}[[turn]]\nexpect = [\"MISSION_COMPLETED\", \"0 words\"]\ntext = \"October is booked.\"\n",
        actions_turn(
            &json!([{ "type": "JobManager", "params": { "query": "Start the booking of October." } }])
        )
    );
    let result = json!({ "open": 0, "waiting": 0, "late": 0, "started": [{ "manager": "APBookkeeper", "said": "0 words" }] });
    let small = format!(
        "[[turn]]\n{}[[turn]]\ntext = \"I wait for it.\"\n[[turn]]\nexpect = \"0 words\"\n{}",
        actions_turn(&json!([{ "type": "AP_BOOKKEEPER", "params": { "month": "2026-10" } }])),
        exit_turn(&result)
    );
    // The service works so long that the job manager waits for it.
    let (_services, books) = ExampleTaskServerProcess::starts("1");
    let address = free_address();
    let stage = office(&books, &address, &main, &small);
    let mut served = serve_at(&stage, &address);
    let session = approve_all_of_chat(&stage, "Have October booked.");
    stage.wait_for_output(&["--json", "session", "messages", &session], "October is booked.");
    let task = &stage.run(&["--json", "task", "list"]).expect(0).json()["tasks"][0];
    assert_eq!(
        (&task["command"], &task["state"], &task["delivered"]),
        (&json!("managers.ap_bookkeeper"), &json!("completed"), &json!(true)),
        "{task}"
    );
    assert_eq!(end(&mut served), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: one reply with a task for each of the five services; expected: a person sees five cards, and each task ends.
#[test]
fn each_service_of_the_office_gets_its_work() {
    let work = [
        ("managers.ap_bookkeeper", "AP_BOOKKEEPER", json!({ "month": "2026-10" })),
        ("managers.banker", "BANKER", json!({ "account": "FR76", "until": "2026-10-31" })),
        ("managers.router", "ROUTER", json!({ "documents": ["letter.pdf"] })),
        ("managers.admin_manager", "ADMIN_MANAGER", json!({ "request": "Write to the tax office." })),
        ("managers.erp_manager", "ERP_MANAGER", json!({ "client": "Dupont", "request": "Open the year." })),
    ];
    let actions: Vec<Value> =
        work.iter().map(|(_, word, params)| json!({ "type": word, "params": params })).collect();
    let reads = "[[turn]]\ntext = \"I read what came.\"\n".repeat(work.len() + 1);
    let (_services, books) = ExampleTaskServerProcess::starts("0.1");
    let address = free_address();
    let stage = office(&books, &address, &format!("[[turn]]\n{}{reads}", actions_turn(&json!(actions))), "");
    let mut served = serve_at(&stage, &address);
    approve_all_of_chat(&stage, "Do all of it.");
    for (name, ..) in &work {
        stage.wait_for_output(&["--json", "task", "list"], name);
    }
    for task in stage.run(&["--json", "task", "list"]).expect(0).json()["tasks"].as_array().unwrap() {
        stage.wait_for_output(
            &["--json", "task", "show", task["id"].as_str().unwrap()],
            r#""state":"completed""#,
        );
    }
    assert_eq!(end(&mut served), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}

/// Input: the task manager is asked to remember something; expected: it asks its caller until when, and writes a tool
/// entry that a person approved.
#[test]
fn the_task_manager_asks_until_when() {
    let main = format!(
        "[[turn]]\n{}[[turn]]\nexpect = \"Until when?\"\ntext = \"Until when, please?\"\n",
        actions_turn(&json!([{ "type": "TaskManager", "params": { "query": "Call Dupont." } }]))
    );
    let small = format!(
        "[[turn]]\nexpect = [\"You keep the list of things to do\", \"Call Dupont.\"]\n{}",
        envelope_turn(&json!({ "pre_text": "", "ASK_PRINCIPAL_AGENT": { "question": "Until when?" } }))
    );
    let stage = pinnokio_fixture(&main, &small);
    let session = stage.send_in_new_session("remind me to call Dupont", 0);
    let below = stage.run(&["--json", "agent", "list", &session]).expect(0).json();
    let agent = &below["agents"][0];
    assert_eq!(
        (&agent["agent"], &agent["status"]),
        (&json!("TaskManager"), &json!("TEXT_OUTPUT")),
        "{below}"
    );
}

/// Input: the automations as the head of the example creates them; expected: each is created as written there, and
/// would work tonight, also if it calls an agent.
#[test]
fn each_automation_of_the_office_would_work_tonight() {
    let script = format!(
        "[[turn]]\n{}[[turn]]\nenvelope = '''{{\"pre_text\": \"Nothing is late.\", \"completed\": true}}'''\n",
        actions_turn(&json!([
            { "type": "JobManager", "params": { "query": "What is late?" } },
            { "type": "AP_BOOKKEEPER", "params": { "month": "2026-10" } },
        ]))
    );
    let stage = pinnokio_fixture("", "");
    stage.write_untrusted("night.toml", &script);
    let made = PINNOKIO.lines().filter_map(|line| line.strip_prefix("#   entracte automation create "));
    let mut names = Vec::new();
    for line in made {
        // Words separated by spaces; a quoted text is one word.
        let words: Vec<&str> = line
            .split('"')
            .enumerate()
            .flat_map(|(place, part)| match place % 2 {
                0 => part.split_whitespace().collect::<Vec<_>>(),
                _ => vec![part],
            })
            .collect();
        stage.run(&[&["automation", "create"], words.as_slice()].concat()).expect(0);
        names.push(words[0]);
    }
    assert_eq!(names, ["Morning", "MonthEnd"]);
    for name in names {
        let told =
            stage.run(&["--json", "automation", "dry-run", name, "--script", "night.toml"]).expect(0).json();
        assert_eq!(told["would_work"], true, "{told}");
        let calls = told["calls"].as_array().unwrap();
        let held = calls.iter().filter(|call| call["held_back"] == true).count();
        // Each may request one of the two, which is not executed; the other is refused.
        assert_eq!((calls.len(), held), (2, 1), "{told}");
    }
    assert_eq!(
        stage.run(&["--json", "task", "list"]).expect(0).json()["tasks"],
        json!([]),
        "nothing was given"
    );
}

/// The files of the worked example, with these addresses of the task server and of Entracte's server.
fn restart_example_fixture(books: &str, address: &str) -> CliFixture {
    let stage = CliFixture::with_config("");
    stage.write("main.toml", include_str!("../../../examples/restart/main.toml"));
    stage.write("clerk.toml", include_str!("../../../examples/restart/clerk.toml"));
    let config = include_str!("../../../examples/restart/entracte.toml");
    stage.write("entracte.toml", &config.replace("127.0.0.1:8900", books).replace("127.0.0.1:8901", address));
    stage
}

fn start_server_at(stage: &CliFixture, address: &str) -> ServeServerProcess {
    let mut command = stage.command(&["--json", "serve", "--bind", address]);
    let served = serve_on(stage.spawn_command(command.env("TASK_SECRET", KEY)));
    ServeServerProcess { address: address.to_owned(), ..served }
}

/// Input: two tasks of three seconds and an agent that takes longer; the process is killed while all three run, and
/// another one starts. Expected: each of the three ends once.
#[test]
fn two_tasks_and_an_agent_survive_a_kill_and_each_tells_once() {
    let (_services, books) = ExampleTaskServerProcess::starts("1");
    let address = free_address();
    let stage = restart_example_fixture(&books, &address);
    // The agent does not end before the kill, however slow this machine is.
    let clerk = include_str!("../../../examples/restart/clerk.toml");
    assert!(clerk.contains("delay_ms = 3000"));
    stage.write("clerk.toml", &clerk.replace("delay_ms = 3000", "delay_ms = 600000"));
    let mut served = start_server_at(&stage, &address);
    let session = approve_all_of_chat(&stage, "Count the words of both letters, and ask the clerk.");
    stage.wait_for_output(&["--json", "agent", "list", &session], "CALLING_AI");
    let states = || {
        let tasks = stage.run(&["--json", "task", "list"]).expect(0).json();
        let tasks = tasks["tasks"].as_array().unwrap().clone();
        tasks.into_iter().map(|task| task["state"].clone()).collect::<Vec<Value>>()
    };
    let both_given = |_| states().iter().filter(|state| **state != "registered").count() == 2;
    assert!((0..2000).any(both_given), "both tasks are given");
    served.running.child.kill().unwrap();
    served.running.child.wait().unwrap();

    stage.write("clerk.toml", clerk);
    let mut served = start_server_at(&stage, &address);
    let told = ["\\\"3 words\\\"", "\\\"5 words\\\"", "MISSION_COMPLETED"];
    for text in told {
        stage.wait_for_output(&["--json", "session", "messages", &session], text);
    }
    let messages = stage.run(&["--json", "session", "messages", &session]).expect(0).out;
    for text in told {
        assert_eq!(messages.matches(text).count(), 1, "{text}: {messages}");
    }
    let agents = stage.run(&["--json", "agent", "list", &session]).expect(0).json();
    assert_eq!(agents["agents"].as_array().unwrap().len(), 1, "{agents}");
    assert_eq!(states(), ["completed", "completed"]);
    assert_eq!(end(&mut served), 0);
    stage.run(&["session", "verify", "--all"]).expect(0);
}
