//! The modules of each crate in layers: each imports and calls only what stands before it in the table of its crate's
//! documentation.

use std::collections::BTreeSet;

use super::super::syntax::PACKAGES;
use super::call_graph::CallGraph;
use super::cycles::{AllowedCycle, cycles};
use super::imports::{CrateSources, ModulePath};
use super::root;

/// The modules of a folder from the bottom, as the table in its own documentation lists them; none where it has no
/// table.
fn order_of(folder: &str) -> Option<Vec<String>> {
    let (name, inside) = folder.split_once('/').unwrap_or((folder, ""));
    let sources = root().join(name).join("src").join(inside);
    let files = ["lib.rs", "main.rs", "mod.rs"].map(|file| sources.join(file));
    let text = files.iter().find_map(|file| std::fs::read_to_string(file).ok())?;
    let modules = text.lines().filter_map(|line| line.strip_prefix("//! | `")?.split('`').next());
    let modules: Vec<String> = modules.map(str::to_owned).collect();
    (!modules.is_empty()).then_some(modules)
}

/// The folders in which a cycle may have a folder in it. A session begins a round with a batch of calls, `call_batch`, and a
/// batch that is done begins a round; the process that measures `streams` is started by the one that lists all measures.
/// `CYCLES` says what ends them.
const CYCLES_WITH_A_FOLDER: [&str; 2] = ["domain/src/session", "tests/src/bench"];

/// Files of one folder that import or call one another.
const CYCLES: [AllowedCycle; 18] = [
    AllowedCycle {
        folder: "domain/src/session",
        members: "attachment call_batch child_agents facts input journal_note limits phase round \
                  rules run_policy standing start_gate transition_context transition_record",
        reason: "what is known of a session is one value of many parts; and a round may begin with a batch, which ends in a round",
        end: "when the parts of the facts stand below `facts`, and the end of a batch returns the round to begin",
    },
    AllowedCycle {
        folder: "application/src/codec/v1",
        members: "agent approval call lookup outcome",
        reason: "shapes that hold one another",
        end: "with version 1 of the stored form: its files follow the types of the domain",
    },
    AllowedCycle {
        folder: "application/src/codec/v1",
        members: "message system",
        reason: "shapes that hold one another",
        end: "with version 1 of the stored form: its files follow the types of the domain",
    },
    AllowedCycle {
        folder: "application/src/codec/v1",
        members: "automation origin",
        reason: "shapes that hold one another",
        end: "with version 1 of the stored form: its files follow the types of the domain",
    },
    AllowedCycle {
        folder: "application/src/ports",
        members: "automation_reader mail_store memory_receipt_table resource_reader store \
                  task_reader triage_rows",
        reason: "what the readers read is written by the store's one commit, and all fail with its errors",
        end: "when errors and rows stand in modules of their own, below the stores and the readers",
    },
    AllowedCycle {
        folder: "application/src/protocol/envelope",
        members: "endings fields",
        reason: "the fields of a reply are read in one place, and those that end an agent beside it, by the same helpers",
        end: "when the helpers that read a field stand in a module below both",
    },
    AllowedCycle {
        folder: "application/src/runtime",
        members: "local_runtime wake_timer workspace_worker",
        reason: "the tasks of one process wake and start one another",
        end: "when timer and workers send to a channel that the runtime reads",
    },
    AllowedCycle {
        folder: "adapters-providers/src",
        members: "model_list network_provider token_count window_lookup",
        reason: "methods of one provider in four files, which send by the same helpers",
        end: "when listing and counting take what sends, not the provider",
    },
    AllowedCycle {
        folder: "adapters-providers/src/config",
        members: "check model",
        reason: "the checks of an entry and of its models are methods of one type",
        end: "when the check of a model returns its fault instead of recording it",
    },
    AllowedCycle {
        folder: "adapters-providers/src/rehearsal",
        members: "script script_entry",
        reason: "a script as it is written, and as it is played",
        end: "when what an entry reads of a script stands in a module below both",
    },
    AllowedCycle {
        folder: "adapters-commands/src/mcp",
        members: "declaration tool_offer",
        reason: "an offer is made of declarations, and both are measured alike",
        end: "when what measures both stands in a module below them",
    },
    AllowedCycle {
        folder: "adapters-commands/src/mcp",
        members: "connection connector",
        reason: "a connection that is lost is dialled again",
        end: "when a lost connection asks its owner for a new one instead of dialling",
    },
    AllowedCycle {
        folder: "entracte/src/commands",
        members: "session_messages turn",
        reason: "methods of the context of a session: a turn that is shown marks its messages as read",
        end: "when the context stands in a module below the commands",
    },
    AllowedCycle {
        folder: "entracte/src/config",
        members: "agents bound_settings embeddings file files inbox knowledge layers notify policy retention \
                  secrets server setting_keys telemetry tools",
        reason: "each part names its settings and reads them from the layers, which are read by those names",
        end: "when the names of the settings stand in a module below those that read them",
    },
    AllowedCycle {
        folder: "tests/src/bench",
        members: "child endurance files growth idle model_server money program prompt_prefix raw_commits \
                  reference resume retention rounds runner schedule_tick services streams syscalls",
        reason: "the process that measures starts itself again as the process that is measured",
        end: "when the measured process is a program of its own",
    },
    AllowedCycle {
        folder: "tests/src/crash",
        members: "automation_user child files knowledge notify retention scenario_run user",
        reason: "the person and the process that is killed play one story",
        end: "when the killed process is a program of its own",
    },
    AllowedCycle {
        folder: "tests/src/machine/explorer",
        members: "checks explored_state",
        reason: "a world checks itself after each move",
        end: "when checks take a step and its states, not the explored state",
    },
    AllowedCycle {
        folder: "tests/src/simulate",
        members: "acts agent_invariants cards four_eyes invariants task_invariants tasks workspace",
        reason: "the simulated workspace is one type with a file for each kind of act",
        end: "when acts and invariants are functions that take the workspace",
    },
];

fn sources(name: &str) -> CrateSources {
    CrateSources::read(&root().join(name).join("src"))
}

/// Which module of a crate imports from, or calls a function of, which other one.
fn dependencies(name: &str, sources: &CrateSources) -> BTreeSet<(ModulePath, ModulePath)> {
    let mut found = sources.imports();
    let graph = CallGraph::of_workspace();
    for from in graph.functions.iter().filter(|function| function.module[0] == name) {
        let called = from.calls.iter().map(|to| &graph.functions[*to].module);
        let elsewhere = called.filter(|to| to[0] == name && **to != from.module);
        found.extend(elsewhere.map(|to| (from.module[1..].to_vec(), to[1..].to_vec())));
    }
    found
}

/// Of what is directly in a folder: what depends on what.
fn edges(dependencies: &BTreeSet<(ModulePath, ModulePath)>, folder: &[String]) -> BTreeSet<(String, String)> {
    let inside = |place: &ModulePath| place.strip_prefix(folder).and_then(|rest| rest.first()).cloned();
    let pairs = dependencies.iter().filter_map(|(from, to)| inside(from).zip(inside(to)));
    pairs.filter(|(from, to)| from != to).collect()
}

/// Whether what is in a folder of a crate depends on each other in a cycle that is allowed.
fn is_known(folder: &str, from: &str, to: &str) -> bool {
    let has = |cycle: &AllowedCycle, file: &str| cycle.members.split(' ').any(|member| member == file);
    CYCLES.iter().any(|cycle| cycle.folder == folder && has(cycle, from) && has(cycle, to))
}

/// The path of a folder of a crate from the root.
fn path_of(name: &str, folder: &[String]) -> String {
    [&[name.to_owned(), "src".to_owned()][..], folder].concat().join("/")
}

/// What is wrong with the rooms of a folder, held against their order.
fn faults(
    name: &str,
    sources: &CrateSources,
    dependencies: &BTreeSet<(ModulePath, ModulePath)>,
    folder: &[String],
    order: &[String],
) -> Vec<String> {
    let place = |room: &str| order.iter().position(|known| known == room);
    let unknown = sources.children(folder).iter().filter(|room| place(room).is_none());
    let unknown = unknown.map(|room| format!("{room} has no row in the table of modules of its crate"));
    let gone = order.iter().filter(|room| !sources.children(folder).contains(*room));
    let gone = gone.map(|room| format!("the table of modules has {room}, which is not there"));
    let later = edges(dependencies, folder).into_iter().filter(|(from, to)| place(from) < place(to));
    let path = path_of(name, folder);
    let later = later.filter(|(from, to)| !is_known(&path, from, to));
    let later = later.map(|(from, to)| format!("{from} depends on {to}, which stands after it in the table"));
    unknown.chain(gone).chain(later).collect()
}

#[test]
fn layers_hold_in_every_crate() {
    // `config/check.rs` has `super::ProviderKind`, which `config.rs` only hands on.
    let handed_on = (vec!["config".to_owned(), "check".to_owned()], vec!["provider_kind".to_owned()]);
    let mut checked = 0;
    for name in PACKAGES {
        let sources = sources(name);
        let dependencies = dependencies(name, &sources);
        assert!(dependencies.len() > 20, "the imports and calls of {name} are found");
        assert!(
            name != "adapters-providers" || dependencies.contains(&handed_on),
            "what is handed on is followed"
        );
        for folder in sources.folders() {
            let Some(order) = order_of(&[&[name.to_owned()][..], folder].concat().join("/")) else {
                assert!(!folder.is_empty(), "{name} has no table of its modules");
                continue;
            };
            assert_eq!(
                faults(name, &sources, &dependencies, folder, &order),
                Vec::<String>::new(),
                "{name}, {folder:?}"
            );
            checked += 1;
        }
    }
    assert_eq!(
        checked,
        PACKAGES.len() + 4,
        "the crates, the runtime, and what calls and follows the API in the program"
    );
}

#[test]
fn no_circle_between_folders() {
    let mut met = BTreeSet::new();
    for name in PACKAGES {
        let sources = sources(name);
        let dependencies = dependencies(name, &sources);
        for folder in sources.folders() {
            let path = path_of(name, folder);
            for cycle in cycles(&edges(&dependencies, folder)) {
                let members = cycle.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
                let is_this = |known: &AllowedCycle| known.folder == path && known.members == members;
                let known = CYCLES.iter().position(is_this);
                let is_folder =
                    |member: &String| sources.is_folder(&[folder, std::slice::from_ref(member)].concat());
                let has_folder = cycle.iter().any(is_folder);
                assert!(
                    !has_folder || CYCLES_WITH_A_FOLDER.contains(&path.as_str()),
                    "a cycle of folders in {path}: {members}"
                );
                assert!(known.is_some(), "a cycle of files without a reason in {path}: {members}");
                met.extend(known);
            }
        }
    }
    let gone = CYCLES.iter().enumerate().filter(|(at, _)| !met.contains(at));
    let gone: Vec<String> = gone.map(|(_, known)| known.to_string()).collect();
    assert!(gone.is_empty(), "these cycles are gone: {gone:#?}");
}
