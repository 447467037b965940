//! The program of Entracte as a library: configuration, wiring, commands and server, with the adapters of a host in place
//! of its own.
//!
//! [`Program::builder`] takes what a host gives; [`Program::command_line`] is the `main` of the `entracte` command, and
//! [`Program::start`] runs the sessions in a host's own process, with [`RunningProgram::router`] for its own server.
//!
//! `args` is the command line, `config` the layered settings, `app_services` the only module that names every
//! adapter, `runtime_access` the request entry point (own runtime, or the mail store of the owner), `commands` a file
//! per command, `render` and `json` pure formats of the output. Logic is in the use cases of `entracte-application`.
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `colour` | Terminal colours. |
//! | `environment` | The process environment: variables, folders, terminals. |
//! | `cryptography` | The cryptography of TLS connections, unless the host gives its own. Only this module chooses one. |
//! | `program_stores` | The stores that the program works on: those of the database, or what the host puts in their place. |
//! | `program_parts` | What the host of the program gives in place of what the configuration names. |
//! | `next_command_hints` | Adds the commands that help to texts from below the command line, which name none. Pure. |
//! | `user_text` | Texts whose language is not known yet: errors are created before the language of the workspace is read. |
//! | `error` | Errors for people: the fault, the rejected value and the next command to run; and the exit codes. |
//! | `args` | The command line, as its contract defines it. |
//! | `complete` | Shell completion of stored ids. Pure: `commands/complete` reads them. |
//! | `command_restriction` | The command-line form of a session's command restriction. |
//! | `log_ring` | The latest lines of the log, in memory, for the console. |
//! | `logging` | The log of the program: a file on a terminal, otherwise standard error, and with `log.file` both. |
//! | `help` | Help and errors of the command line in the person's language. |
//! | `output` | Prints everything: data to standard output, messages to standard error. |
//! | `progress_display` | Shows at a terminal that long work goes on, in a line that the next output replaces. |
//! | `raw_keyboard` | Reads single keys while a model works, when there is no prompt for a line. |
//! | `line_reader` | Reads lines: with an editor on a terminal, otherwise plainly. |
//! | `render` | Pure rendering: values in, lines out. `render/markdown` draws what a model said. |
//! | `backup_files` | The files of scheduled backups: their names, and the latest one. |
//! | `config` | The configuration in its layers; `config/project` reads the folder's file, `config/restrict` decides what of it applies before it is trusted (adr 23). |
//! | `secrets` | Secret stores: environment variables, files and programs of this machine. |
//! | `json` | The objects that `--json` prints: shapes of the HTTP API under a versioned name, and what only commands print. |
//! | `knowledge_services` | The document use cases over the adapters of this process. |
//! | `tools` | The executors of this process. Commands that only read start no MCP server. |
//! | `dry_run_database` | The sandbox of a dry run: a database in a temporary folder, and the rehearsal provider. |
//! | `policy_hook` | The policy hook over the adapters of this process. |
//! | `app_services` | The only module that names every adapter: constructs the services from the configuration. |
//! | `runtime_access` | Request entry point: this process's runtime if it can own the database, otherwise the mail store of the owner. |
//! | `command_context` | The context of every command: settings, output, environment, and access to the use cases. |
//! | `notifier` | The notifier over the adapters of this process. |
//! | `model_stream` | Receives the live text of a server while a session is followed from another process. |
//! | `follow` | Follows a session until it rests, in this process or beside the process that owns it. |
//! | `api_client` | The API as commands use it: on the database of this machine, or on a server. |
//! | `api_follow` | Follows a session or a workspace over the API: its stream without gap or repeat, and a turn until its session rests. |
//! | `demo` | `demo`: a rehearsed story on a temporary database, with a real process that is really killed. |
//! | `commands` | One file per command: each parses its arguments, calls one use case, and prints the result. `commands/chat_loop` is the chat, `serve` the server, `service` the files of service managers. |
//! | `command_line` | Parses the arguments, runs the command with its settings, and reports its error. |
//! | `program` | The program as its host builds it. |

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

mod api_client;
mod api_follow;
mod app_services;
mod args;
mod backup_files;
mod colour;
mod command_context;
mod command_line;
mod command_restriction;
mod commands;
mod complete;
mod config;
mod cryptography;
#[cfg(feature = "resources")]
mod demo;
mod dry_run_database;
mod environment;
mod error;
mod follow;
mod help;
mod json;
mod knowledge_services;
mod line_reader;
mod log_ring;
mod logging;
mod model_stream;
mod next_command_hints;
mod notifier;
mod output;
mod policy_hook;
mod program;
mod program_parts;
mod program_stores;
mod progress_display;
mod raw_keyboard;
mod render;
mod runtime_access;
mod secrets;
mod tools;
mod user_text;

pub use self::program::{Program, ProgramBuilder, ProgramError, RunningProgram};
pub use self::program_stores::ProgramStores;
