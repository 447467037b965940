//! The command line as a user has it: the real binary, in folders of its own, with a rehearsed model. No network, no
//! key, no clock; events in another process are awaited with a deadline.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says where"
)]

#[cfg(unix)]
mod agents;
mod agui;
mod attachments;
mod automations;
mod chat_message;
mod chat_names;
mod cli_fixture;
mod configuration;
mod conversations;
mod costs;
mod database_faults;
#[cfg(unix)]
mod database_files;
mod databases;
mod decisions;
mod doctor;
#[cfg(target_os = "linux")]
mod document_queue;
mod dry_runs;
mod enrichments;
mod entry_files;
mod entry_setup;
mod fallbacks;
mod faults;
#[cfg(unix)]
mod files;
mod filtered_decisions;
mod first_run;
mod folded_approvals;
#[cfg(unix)]
mod folder_trust;
mod four_eyes;
mod http_stub;
#[cfg(unix)]
mod inbox_triage;
mod instructions;
mod json_schemas;
mod knowledge;
mod language;
mod logins;
mod manual_data_changes;
mod mcp_clients;
#[cfg(unix)]
mod mcp_content;
mod mcp_decisions;
#[cfg(unix)]
mod mcp_images;
mod mcp_results;
mod mcp_server;
mod mcp_starts;
mod metrics_formats;
mod notify;
#[cfg(unix)]
mod operations;
#[cfg(unix)]
mod overnight_automation;
mod own_program;
#[cfg(unix)]
mod ownership_loss;
#[cfg(unix)]
mod pinnokio_example;
mod plans;
#[cfg(unix)]
mod policy_hook;
#[cfg(unix)]
mod poolers;
#[cfg(unix)]
mod postgres_servers;
#[cfg(unix)]
mod program_folders;
mod provider_setup;
mod providers;
mod rebuilt_prompts;
mod relays;
mod remote_chats;
mod remote_commands;
#[cfg(unix)]
mod replicas;
mod retention;
mod rules;
#[cfg(unix)]
mod scans;
#[cfg(unix)]
mod screenshots;
mod scripted_model;
mod second_process;
#[cfg(unix)]
mod secret_leaks;
mod secrets;
#[cfg(unix)]
mod semantic_search;
mod server;
#[cfg(unix)]
mod server_logins;
#[cfg(unix)]
mod service;
mod session_copies;
mod session_output;
mod shell_completion;
mod slots;
mod stream_bench;
mod stream_clients;
#[cfg(unix)]
mod tasks;
mod telemetry;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod terminal_chat;
#[cfg(unix)]
mod terminal_inbox;
mod time_zones;
mod untrusted_documents;
mod upgrades;
mod web_push;
mod workspace;
mod workspace_isolation;
