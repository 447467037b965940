//! Calls go in one direction: no cycle of functions leads from one file to another.

use std::collections::BTreeSet;
use std::path::Path;

use super::call_graph::{CallGraph, FunctionNode};
use super::cycles::{AllowedCycle, cycles};

/// Cycles of functions over several files.
const FUNCTION_CYCLES: [AllowedCycle; 2] = [
    AllowedCycle {
        folder: "entracte/src",
        members: "user_text.rs user_text/config_fault.rs",
        reason: "a text has values that are texts: the recursion ends with the data",
        end: "when a fault of the configuration is a text with a key, as the others are",
    },
    AllowedCycle {
        folder: "domain/src/session",
        members: "call_batch.rs call_batch/follow_up.rs round.rs transition_context.rs",
        reason: "a batch that ends begins a round, and a round may begin with a batch that needs nothing else",
        end: "when the end of a batch returns the round to begin instead of beginning it",
    },
];

/// Folders whose files are checked, too: calls between them, at every depth and with the file that a folder belongs to, go in
/// one direction. Elsewhere two files may call one another, as a `mod.rs` and the helpers of its folder do in `routes` and
/// `commands`, if their functions are in no cycle. A folder without cycles is added here and stays without.
const FILES_IN_ONE_DIRECTION: [&str; 6] = [
    "adapters-db/src",
    "application/src/commands",
    "application/src/ports",
    "application/src/prompt",
    "application/src/runtime/turn",
    "application/src/use_cases",
];

/// A function, as a failed test shows it.
fn shown(function: &FunctionNode) -> String {
    format!("{} {}", function.file, function.name)
}

/// The calls from one of these functions to another one.
fn calls_among(graph: &CallGraph, functions: &BTreeSet<usize>) -> Vec<String> {
    let calls = |from: &usize| {
        let from = &graph.functions[*from];
        let called = from.calls.intersection(functions).map(|to| &graph.functions[*to]);
        called.map(|to| format!("{} calls {}", shown(from), shown(to))).collect::<Vec<_>>()
    };
    functions.iter().flat_map(calls).collect()
}

/// The calls from one of these files to another one.
fn calls_between(graph: &CallGraph, files: &BTreeSet<&str>) -> Vec<String> {
    let calls = graph.edges().into_iter().map(|(from, to)| (&graph.functions[from], &graph.functions[to]));
    let is_among = |function: &FunctionNode| files.contains(function.file.as_str());
    let calls = calls.filter(|(from, to)| from.file != to.file && is_among(from) && is_among(to));
    calls.map(|(from, to)| format!("{} calls {}", shown(from), shown(to))).collect()
}

/// Whether a cycle of these files is allowed.
fn is_allowed(allowed: &AllowedCycle, files: &BTreeSet<&str>) -> bool {
    let members = allowed.members.split(' ').map(|member| format!("{}/{member}", allowed.folder));
    members.eq(files.iter().copied())
}

#[test]
fn no_cycle_between_functions() {
    let graph = CallGraph::of_workspace();
    let calls = graph.edges();
    assert!(calls.len() > 20_000, "only {} calls are seen", calls.len());
    let mut met = BTreeSet::new();
    for cycle in cycles(&calls) {
        let files: BTreeSet<&str> = cycle.iter().map(|at| graph.functions[*at].file.as_str()).collect();
        // Functions of one file may: a walk over a tree does.
        if files.len() > 1 {
            let known = FUNCTION_CYCLES.iter().position(|allowed| is_allowed(allowed, &files));
            assert!(known.is_some(), "functions call one another: {:#?}", calls_among(graph, &cycle));
            met.extend(known);
        }
    }
    let gone = FUNCTION_CYCLES.iter().enumerate().filter(|(at, _)| !met.contains(at));
    let gone: Vec<String> = gone.map(|(_, allowed)| allowed.to_string()).collect();
    assert!(gone.is_empty(), "these cycles are gone: {gone:#?}");
}

#[test]
fn files_of_one_direction_call_no_file_back() {
    let graph = CallGraph::of_workspace();
    let is_in = |file: &str, folder: &str| Path::new(file).starts_with(folder);
    for folder in FILES_IN_ONE_DIRECTION {
        let seen = graph.functions.iter().filter(|function| is_in(&function.file, folder)).count();
        assert!(seen > 20, "{folder} has {seen} functions");
    }
    let files = graph.edges().into_iter().map(|(from, to)| {
        let file = |at: usize| graph.functions[at].file.as_str();
        (file(from), file(to))
    });
    for cycle in cycles(&files.collect()) {
        let has_file_in = |folder: &&&str| cycle.iter().any(|file| is_in(file, folder));
        let folder = FILES_IN_ONE_DIRECTION.iter().find(has_file_in);
        assert!(
            folder.is_none(),
            "files of {folder:?} call one another: {:#?}",
            calls_between(graph, &cycle)
        );
    }
}
