//! Everything the command line can do, the server can do: each command has its routes, or the reason why it has none.

use std::collections::BTreeSet;

use clap::{Command, CommandFactory};

use super::Cli;
use HttpCoverage::{Here, Routes};

/// How a command is available over HTTP.
enum HttpCoverage {
    /// By these routes of `docs/openapi.json`.
    Routes(&'static [&'static str]),
    /// Not available, for this reason: it concerns the local machine.
    Here(&'static str),
}

/// All commands.
const COMMANDS: &[(&str, HttpCoverage)] = &[
    ("demo", Here("plays on a temporary database")),
    ("init", Routes(&["set_up_provider", "find_model_servers"])),
    (
        "chat",
        Routes(&[
            "start_chat",
            "store_file",
            "send_message",
            "stream_session",
            "get_turn",
            "attach_session",
            "leave_session",
        ]),
    ),
    ("inbox", Routes(&["list_inbox"])),
    ("inbox seen", Routes(&["mark_seen", "mark_task_seen"])),
    ("inbox snooze", Routes(&["list_inbox", "snooze_items"])),
    ("inbox unsnooze", Routes(&["list_inbox", "wake_items"])),
    ("inbox assign", Routes(&["list_inbox", "assign_items"])),
    ("approve", Routes(&["get_approval", "decide_approval", "decide_all", "list_inbox"])),
    ("reject", Routes(&["decide_approval", "decide_all", "list_inbox"])),
    ("answer", Routes(&["answer_question"])),
    ("settle", Routes(&["settle_call"])),
    ("session list", Routes(&["list_sessions"])),
    ("session deleted", Routes(&["list_deletions"])),
    ("session show", Routes(&["get_session", "get_metrics", "get_queue"])),
    ("session open", Routes(&["open_session"])),
    ("session messages", Routes(&["list_messages", "read_unread", "mark_read"])),
    ("session journal", Routes(&["read_journal"])),
    ("session follow", Routes(&["stream_session", "get_turn"])),
    ("session calls", Routes(&["list_calls", "get_call"])),
    (
        "session prompt",
        Routes(&["list_model_calls", "get_model_call", "get_model_call_parts", "count_model_call"]),
    ),
    ("session stop", Routes(&["stop_session"])),
    ("session compact", Routes(&["compact_session"])),
    ("session interrupt", Routes(&["interrupt_session"])),
    ("session resume", Routes(&["resume_session"])),
    ("session confirm", Routes(&["confirm_completion"])),
    ("session reject-completion", Routes(&["reject_completion"])),
    ("session fork", Routes(&["fork_session"])),
    ("session export", Routes(&["export_session"])),
    ("session record", Routes(&["record_session"])),
    ("session import", Routes(&["import_session"])),
    ("session delete", Routes(&["delete_session"])),
    ("session rename", Routes(&["change_session"])),
    ("session set", Routes(&["change_session"])),
    ("session verify", Routes(&["verify_session", "check_database"])),
    ("task list", Routes(&["list_tasks"])),
    ("task show", Routes(&["get_task"])),
    ("task cancel", Routes(&["cancel_task"])),
    ("task answer", Routes(&["answer_task"])),
    ("automation create", Routes(&["create_automation", "preview_schedule"])),
    ("automation list", Routes(&["list_automations"])),
    ("automation show", Routes(&["get_automation"])),
    ("automation edit", Routes(&["change_automation"])),
    ("automation enable", Routes(&["change_automation"])),
    ("automation disable", Routes(&["change_automation"])),
    ("automation run", Routes(&["run_automation"])),
    ("automation dry-run", Routes(&["dry_run_automation"])),
    ("automation next", Routes(&["next_occurrences"])),
    ("automation history", Routes(&["list_occurrences", "list_all_occurrences"])),
    ("automation watch", Routes(&["read_events"])),
    ("automation delete", Routes(&["delete_automation"])),
    ("command list", Routes(&["list_commands"])),
    ("command show", Routes(&["get_command"])),
    ("command enrichments", Routes(&["get_enrichments"])),
    ("command accept", Routes(&["list_tool_offers", "get_acceptance", "accept_command"])),
    ("command run", Routes(&["run_command"])),
    ("zone list", Routes(&["list_zones"])),
    ("zone show", Routes(&["get_zone"])),
    ("zone add", Routes(&["add_zone"])),
    ("zone edit", Routes(&["change_zone"])),
    ("zone remove", Routes(&["delete_zone"])),
    ("tool list", Routes(&["list_tools"])),
    ("tool show", Routes(&["get_tool", "get_stats"])),
    ("tool add", Routes(&["add_tool"])),
    ("tool edit", Routes(&["change_tool"])),
    ("tool remove", Routes(&["delete_tool"])),
    ("entry list", Routes(&["list_entries", "get_entry"])),
    ("entry add", Routes(&["add_entry"])),
    ("entry edit", Routes(&["change_entry"])),
    ("entry remove", Routes(&["delete_entry"])),
    ("agent list", Routes(&["list_declared_agents", "list_agents"])),
    ("agent show", Routes(&["get_declared_agent"])),
    ("text list", Routes(&["list_texts"])),
    ("text show", Routes(&["get_text"])),
    ("text propose", Routes(&["propose_text"])),
    ("text publish", Routes(&["publish_text"])),
    ("text discard", Routes(&["discard_proposal"])),
    ("text remove", Routes(&["delete_text"])),
    ("retention show", Routes(&["get_retention"])),
    ("retention run", Routes(&["preview_retention", "run_retention"])),
    ("retention hold", Routes(&["hold_retention"])),
    ("retention release", Routes(&["release_retention"])),
    ("retention holds", Routes(&["get_retention"])),
    ("rule list", Routes(&["list_rules"])),
    ("rule show", Routes(&["get_rule"])),
    ("rule add", Routes(&["add_rule"])),
    ("rule revoke", Routes(&["revoke_rule"])),
    ("cost report", Routes(&["report_costs"])),
    ("cost extend", Routes(&["answer_spending"])),
    ("cost decline", Routes(&["answer_spending"])),
    ("cost settle", Routes(&["settle_model_call"])),
    ("cost rebuild", Here("adds up the database of the machine, and may take minutes")),
    ("workspace list", Routes(&["list_workspaces"])),
    ("workspace create", Routes(&["make_workspace"])),
    ("workspace settings list", Routes(&["get_settings"])),
    ("workspace settings get", Routes(&["get_setting"])),
    ("workspace settings set", Routes(&["change_settings", "change_setting"])),
    ("workspace settings reset", Routes(&["reset_setting", "reset_settings"])),
    (
        "workspace instructions show",
        Routes(&["get_workspace_instructions", "get_automation_instructions", "get_session_instructions"]),
    ),
    ("workspace instructions set", Routes(&CHANGE_INSTRUCTIONS)),
    ("workspace instructions import", Routes(&CHANGE_INSTRUCTIONS)),
    (
        "workspace instructions history",
        Routes(&["list_workspace_instructions", "list_automation_instructions", "list_session_instructions"]),
    ),
    (
        "workspace instructions clear",
        Routes(&[
            "clear_workspace_instructions",
            "clear_automation_instructions",
            "clear_session_instructions",
        ]),
    ),
    ("provider list", Routes(&["list_providers"])),
    ("provider show", Routes(&["get_provider"])),
    ("provider add", Routes(&["put_provider"])),
    ("provider edit", Routes(&["put_provider", "change_provider"])),
    ("provider remove", Routes(&["remove_provider"])),
    ("provider models", Routes(&["list_models"])),
    ("provider check", Routes(&["check_provider"])),
    ("mcp", Here("speaks on its standard input and output")),
    ("mcp login", Here("the browser comes back to a port of the machine that keeps the login")),
    ("mcp tools", Routes(&["list_tool_servers", "get_tool_server"])),
    ("mcp prompts", Here("the prompts are fetched by the machine that runs the servers")),
    ("mcp trust", Routes(&["decide_tools"])),
    ("mcp ask", Routes(&["decide_tools"])),
    ("mcp keep", Routes(&["decide_tools"])),
    ("mcp logout", Here("the login is kept on the machine")),
    ("mcp status", Routes(&["get_doctor"])),
    ("serve", Here("is the server")),
    ("service install", Here("is for the user of the machine")),
    ("service status", Here("is for the user of the machine")),
    ("service uninstall", Here("is for the user of the machine")),
    ("knowledge add", Routes(&["keep_document", "keep_pdf"])),
    ("knowledge embed", Routes(&["make_vectors"])),
    ("knowledge list", Routes(&["list_documents"])),
    ("knowledge show", Routes(&["get_document"])),
    ("knowledge search", Routes(&["search_knowledge"])),
    ("knowledge remove", Routes(&["remove_document"])),
    ("login", Routes(&["open_terminal_login", "claim_terminal_login", "create_login_link", "me"])),
    ("logout", Routes(&["revoke_current_token"])),
    ("token create", Routes(&["create_token", "add_person", "invite_person", "accept_invitation"])),
    ("token list", Routes(&["list_tokens", "get_token", "list_people", "get_person"])),
    ("token revoke", Routes(&["revoke_token", "expel_person"])),
    ("secret set", Routes(&["keep_own_secret"])),
    ("secret list", Routes(&["list_own_secrets"])),
    ("secret remove", Routes(&["remove_own_secret"])),
    ("notify list", Routes(&["list_targets", "list_notifications"])),
    ("notify test", Routes(&["test_target"])),
    ("notify add", Routes(&["add_target"])),
    ("notify remove", Routes(&["remove_target"])),
    ("logs", Here("reads the log of this machine")),
    ("db migrate", Here("is done before a server begins, and by it")),
    ("db check", Routes(&["check_database"])),
    ("db backup", Routes(&["make_backup"])),
    ("db repair", Here("works while no process uses the database")),
    ("db copy", Here("moves a database while no server has it")),
    ("doctor", Routes(&["get_doctor", "ask_around", "get_owner"])),
    ("config show", Routes(&["get_config"])),
    ("trust", Here("is about a folder of the machine")),
    ("completions", Here("is for a shell")),
    ("man", Here("is for a terminal")),
];

const CHANGE_INSTRUCTIONS: [&str; 3] =
    ["change_workspace_instructions", "change_automation_instructions", "change_session_instructions"];

/// Routes without a command.
const OF_THE_SERVER: [&str; 27] = [
    // Entry points, and routes for monitoring.
    "healthz",
    "readyz",
    "metrics",
    "login",
    "logout",
    "create_ticket",
    "take_callback",
    // Actions of web pages.
    "open_link",
    "act_by_link",
    "get_terminal_login",
    "decide_terminal_login",
    "say_present",
    "run_agent",
    "get_file",
    "get_session_file",
    // The command line has an editor for the file instead.
    "list_config_entries",
    "get_config_entry",
    "put_config_entry",
    "remove_config_entry",
    "check_config_entry",
    "get_push_key",
    "read_log",
    // Parts of what a command shows or does in one step.
    "find_id",
    "list_approvals",
    "get_target",
    "change_target",
    "withdraw_message",
];

/// Collects the commands without subcommands, with their full names.
fn leaves(command: &Command, words: &[&str], found: &mut BTreeSet<String>) {
    let mut subs = command.get_subcommands().filter(|sub| !sub.is_hide_set()).peekable();
    let does_something = subs.peek().is_none() || !command.is_subcommand_required_set();
    if does_something && !words.is_empty() {
        found.insert(words.join(" "));
    }
    for sub in subs {
        leaves(sub, &[words, &[sub.get_name()]].concat(), found);
    }
}

fn operations() -> BTreeSet<String> {
    let text = include_str!("../../../docs/openapi.json");
    let document: serde_json::Value = serde_json::from_str(text).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let all = paths.flat_map(|item| item.as_object().unwrap().values());
    all.filter_map(|operation| operation["operationId"].as_str().map(str::to_owned)).collect()
}

/// Input: all commands and all routes; expected: each command is in the list, with existing routes or with a reason,
/// and each route belongs to a command or to the server alone.
#[test]
fn what_the_command_line_can_do_the_server_can_do() {
    let mut commands = BTreeSet::new();
    leaves(&Cli::command(), &[], &mut commands);
    let listed: BTreeSet<String> = COMMANDS.iter().map(|(words, _)| (*words).to_owned()).collect();
    assert_eq!(listed.len(), COMMANDS.len(), "a command is listed once");
    let differ: Vec<&String> = commands.symmetric_difference(&listed).collect();
    assert!(differ.is_empty(), "in one of the lists only: {differ:?}");

    let operations = operations();
    let mut reached: BTreeSet<&str> = OF_THE_SERVER.into_iter().collect();
    for (words, over) in COMMANDS {
        match over {
            Routes(routes) => reached.extend(routes.iter().copied()),
            Here(why) => assert!(!why.is_empty(), "{words}"),
        }
    }
    let gone: Vec<&&str> = reached.iter().filter(|name| !operations.contains(**name)).collect();
    assert!(gone.is_empty(), "no such routes: {gone:?}");
    let new: Vec<&String> = operations.iter().filter(|name| !reached.contains(name.as_str())).collect();
    assert!(
        new.is_empty(),
        "routes that no command leads to; add the command, or say that none is needed: {new:?}"
    );
}
