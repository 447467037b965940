//! Commands on a server: `ENTRACTE_SERVER` and `ENTRACTE_TOKEN`.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Command;

use entracte_tests::test_scale::scaled;

use crate::cli_fixture::{CliFixture, command_output};

/// The stories of commands that run once more: each with a server of its own that its commands are sent to, and with a
/// program that has a store of its own.
const STORIES: &[&str] = &[
    "agents::job_manager_counts_and_caller_reports_result",
    "agents::the_example_is_declared_and_shown",
    "chat_message::a_limit_ends_the_turn_with_7",
    "chat_message::a_reply_without_words_prints_no_line",
    "chat_message::a_streamed_turn_is_one_object_a_line",
    "chat_message::a_turn_is_one_object",
    "chat_message::ctrl_c_interrupts_round_and_exits_130",
    "chat_message::empty_chat_leaves_no_session",
    "chat_message::first_message_with_client_key_is_idempotent",
    "chat_message::plan_is_shown",
    "chat_message::reply_is_data_and_message_from_stdin",
    "chat_message::the_same_client_key_is_the_same_message",
    "chat_names::a_name_that_is_given_stays",
    "chat_names::chat_name_comes_from_first_message",
    "decisions::a_question_is_answered_by_its_number",
    "decisions::an_id_may_be_shortened",
    "decisions::approval_named_twice_is_refused",
    "decisions::edited_arguments_are_checked_and_run",
    "decisions::requested_approval_is_given_and_applied",
    "decisions::second_decision_is_a_conflict",
    "decisions::the_model_reads_why_it_was_refused",
    "plans::a_plan_is_changed_with_the_approval",
    "plans::a_plan_is_shown_approved_and_followed",
    "plans::a_rejected_plan_lets_nothing_run",
    "second_process::lines_on_standard_input_are_a_talk_too",
    "automations::created_automation_runs_and_has_history",
    "automations::event_is_shown_to_run_as_external_data",
    "automations::history_without_name_shows_last_night",
    "automations::one_part_is_edited_and_the_others_stay",
    "dry_runs::a_script_says_what_the_model_would_say",
    "enrichments::unknown_id_is_refused_with_existing_ids",
    "dry_runs::unrun_automation_reports_approvals_and_commands",
    "automations::disabled_is_not_due_and_deleted_leaves_history",
    "automations::the_coming_instants_are_those_of_the_zone",
    "costs::cost_of_every_attempt_is_known_or_null",
    "costs::report_days_are_given_as_dates",
    "instructions::instructions_are_written_imported_listed_and_cleared",
    "knowledge::documents_are_added_found_and_removed",
    "manual_data_changes::plain_commands_need_same_approvals_as_models",
    "manual_data_changes::shared_text_is_proposed_published_and_read",
    "manual_data_changes::zones_tools_and_entries_have_plain_commands",
    "retention::limits_holds_and_runs_are_shown",
    "rules::deny_rule_wins",
    "rebuilt_prompts::a_request_is_printed_as_it_was_sent",
    "rebuilt_prompts::bytes_are_written_to_new_file_only",
    "rebuilt_prompts::the_parts_of_a_prompt_are_counted",
    "rules::rule_is_described_listed_and_revoked",
    "secrets::own_secret_is_read_from_stdin_unshown",
    "session_output::a_session_is_listed_shown_and_verified",
    "session_output::one_call_is_shown_whole",
    "session_output::session_list_filters_by_name_kind_and_waiting",
    "session_output::the_same_as_json",
    "workspace::settings_are_listed_read_changed_and_reset",
    "workspace::settings_speak_the_language_of_the_workspace",
];

#[test]
fn every_command_works_on_a_server() {
    run_stories_on("server");
}

/// Runs the stories with this `ENTRACTE_TEST_ON`.
pub(crate) fn run_stories_on(place: &str) {
    let tests = std::env::current_exe().unwrap();
    // The short form takes every third story.
    let stories: Vec<&str> = STORIES.iter().step_by(scaled(3, 1)).copied().collect();
    let ran = Command::new(tests).args(&stories).arg("--exact").env("ENTRACTE_TEST_ON", place).output();
    let ran = ran.unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}\n{}", String::from_utf8_lossy(&ran.stderr));
    // A story that was renamed would be left out silently.
    assert!(said.contains(&format!("{} passed", stories.len())), "{said}");
}

/// Input: tokens by commands on a server; expected: they are made for the person of the command's own token, listed and
/// revoked, and those for every workspace only on the machine itself.
#[test]
fn tokens_are_managed_on_a_server() {
    let stage = CliFixture::with_config("").on_a_server();
    let made =
        stage.run(&["--json", "token", "create", "--name", "laptop", "--scope", "read"]).expect(0).json();
    assert_eq!(
        (&made["person"]["name"], &made["workspace"]),
        (&"ann".into(), &"local:main".into()),
        "{made}"
    );
    let listed = stage.run(&["token", "list"]).expect(0).out;
    assert!(listed.contains("laptop"), "{listed}");
    let refused = stage.run(&["token", "create", "--everywhere", "--scope", "read"]).expect(2);
    assert!(refused.err.contains("on the machine that has the database"), "{}", refused.err);
    stage.run(&["token", "revoke", made["id"].as_str().unwrap()]).expect(0);
    let none = stage.run(&["token", "revoke", "tok_nope"]).expect(5);
    assert!(none.err.ends_with("\n  entracte token list\n"), "{}", none.err);
}

/// Input: targets by commands on a server; expected: an address is added, listed without what may be secret of it, and
/// removed; a program is added on the machine itself alone.
#[test]
fn targets_are_managed_on_a_server() {
    let stage = CliFixture::with_config("").on_a_server();
    stage.run(&["notify", "add", "phone", "--ntfy", "https://1.1.1.1/topic"]).expect(0);
    let listed = stage.run(&["--json", "notify", "list"]).expect(0).json();
    let target = &listed["targets"][0];
    assert_eq!((&target["person"], &target["place"]), (&"ann".into(), &"https://1.1.1.1".into()), "{target}");
    let refused = stage.run(&["notify", "add", "file", "--command", "/bin/false"]).expect(2);
    assert!(refused.err.contains("on the machine that has the database"), "{}", refused.err);
    let kind = stage.run(&["notify", "add", "x", "--ntfy", "https://1.1.1.1/x", "--kinds", "all"]).expect(2);
    assert!(kind.err.contains("approval.requested"), "{}", kind.err);
    stage.run(&["notify", "remove", "phone"]).expect(0);
    let none = stage.run(&["notify", "test", "phone"]).expect(5);
    assert!(none.err.ends_with("\n  entracte notify list\n"), "{}", none.err);
}

/// Input: an automation that is due every second on a server, and a watch there; expected: the entries of its runs, until
/// Ctrl-C, after which the server goes on.
#[test]
fn watch_shows_runs_of_a_server() {
    let stage = CliFixture::with_script(
        "[[turn]]\nenvelope = '''{\"pre_text\": \"Done.\", \"completed\": true}'''\n",
    );
    let config = "[limits]\ncompletion_delay = \"1ms\"\nclosing_delay = \"1ms\"\n\
                  [providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    stage.write("entracte.toml", config);
    let stage = stage.on_a_server();
    stage.run(&["automation", "create", "Often", "--message", "Look", "--every", "1s"]).expect(0);
    let mut watch = stage.begin(&["automation", "watch"]);
    let line = watch.line_with("ended: COMPLETED");
    assert!(line.starts_with("ses_"), "{line}");
    let pid = nix::unistd::Pid::from_raw(watch.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    watch.line_with("the server goes on");
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
}

/// Input: a watch of a server that takes the request for its stream and never answers, and Ctrl-C; expected: the watch ends.
#[test]
fn watch_ends_while_it_connects() {
    let stage = CliFixture::with_script("");
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let mut command = stage.command(&["automation", "watch"]);
    let command = command.env("ENTRACTE_SERVER", url).env("ENTRACTE_TOKEN", "ent_any");
    let mut watch = stage.spawn_command(command);
    // Other requests get no answer, and their connections end.
    let _held = loop {
        let (connection, _) = server.accept().unwrap();
        let mut request = BufReader::new(connection);
        let mut line = String::new();
        request.read_line(&mut line).unwrap();
        if line.contains("/events") {
            break request;
        }
    };
    let pid = nix::unistd::Pid::from_raw(watch.child.id().try_into().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    watch.line_with("the server goes on");
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
}

/// Input: the providers of a server; expected: they are listed and checked by it, one that it does not have is not found, and
/// their entries are changed where their file is.
#[test]
fn providers_of_a_server_are_listed_and_checked() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n").on_a_server();
    let listed = stage.run(&["--json", "provider", "list"]).expect(0).json();
    let entry = &listed["providers"][0];
    assert_eq!(
        (&entry["name"], &entry["kind"], &entry["default"]),
        (&"stage".into(), &"rehearsal".into(), &true.into())
    );
    let checked = stage.run(&["--json", "provider", "check"]).expect(0).json();
    assert_eq!(
        (&checked["checks"][0]["name"], &checked["checks"][0]["is_right"]),
        (&"stage".into(), &true.into())
    );
    let none = stage.run(&["provider", "check", "nobody"]).expect(5);
    assert!(none.err.ends_with("\n  entracte provider list\n"), "{}", none.err);
    let (url, token) = stage.server_of_commands();
    let mut there = stage.command(&["provider", "remove", "stage"]);
    let refused =
        command_output(there.env("ENTRACTE_SERVER", url).env("ENTRACTE_TOKEN", token).output().unwrap());
    assert!(refused.expect(2).err.contains("on the machine that has the database"));
}

/// Input: a server whose session waits because nobody decided about the tools of an MCP server; expected: the tools are
/// listed and trusted there, what waited is approved with it, and no offer waits.
#[test]
fn tools_are_decided_on_a_server() {
    let stage = crate::mcp_decisions::stage().on_a_server();
    stage.run(&["chat", "--message", "Look."]).expect(3);
    let tools = stage.run(&["--json", "mcp", "tools", "web"]).expect(0).json();
    let echo = &tools["tools"][0];
    assert_eq!((&echo["tool"], &echo["undecided"]), (&"echo".into(), &true.into()), "{tools}");
    stage.run(&["mcp", "trust", "web", "--approve-waiting", "--yes"]).expect(0);
    let tools = stage.run(&["--json", "mcp", "tools", "web"]).expect(0).json();
    assert_eq!(tools["tools"][0]["asks"], false, "{tools}");
    let waiting = stage.run(&["--json", "inbox"]).expect(0).json();
    assert!(!waiting["items"].to_string().contains("web.echo"), "{waiting}");
    let none = stage.run(&["command", "accept"]).expect(0);
    assert!(none.err.contains("no tool of the MCP servers waits"), "{}", none.err);
    let other = stage.run(&["mcp", "tools", "other"]).expect(5);
    assert!(other.err.ends_with("\n  entracte mcp tools\n"), "{}", other.err);
}

/// Input: commands about what a server does not have; expected: the exit codes and next commands of this machine.
#[test]
fn missing_items_on_a_server_have_remedies() {
    let stage = CliFixture::with_config("").on_a_server();
    assert!(stage.run(&["task", "list"]).expect(0).err.contains("local:main"));
    for (words, next) in [
        (&["task", "show", "tsk_nope"][..], "entracte task list"),
        (&["task", "cancel", "tsk_nope"], "entracte task list"),
        (&["agent", "show", "Nobody"], "entracte agent list"),
        (&["text", "show", "nope"], "entracte text list"),
        (&["knowledge", "show", "nope"], "entracte knowledge list"),
        (&["workspace", "settings", "get", "colour"], "entracte workspace settings list"),
    ] {
        let none = stage.run(words).expect(5);
        assert!(none.err.ends_with(&format!("\n  {next}\n")), "{words:?}: {}", none.err);
    }
}

/// Input: a machine without a database, whose location is named; expected: a command on a server works there, and makes
/// none.
#[test]
fn server_needs_no_database_here() {
    let stage = CliFixture::with_config("").on_a_server();
    let mut there = stage.command(&["workspace", "list"]);
    let here = tempfile::tempdir().unwrap();
    let listed = command_output(there.current_dir(here.path()).env("HOME", here.path()).output().unwrap());
    assert!(listed.expect(0).out.contains("local:main"));
    assert!(!here.path().join("data").exists());
}
