//! Commands go through the API: only the composition root of the program names use cases.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{root, sources};

/// The composition root: what wires use cases to their adapters.
const ROOT: [&str; 7] = [
    "app_services.rs",
    "commands/serve.rs",
    "commands/serve/",
    "knowledge_services.rs",
    "lib.rs",
    "notifier.rs",
    "tools.rs",
];

/// The files that still name use cases beside it. The list may only become shorter.
const STILL: &[&str] = &[
    "command_context.rs",
    "commands/chat.rs",
    "commands/chat_attachment.rs",
    "commands/complete.rs",
    "commands/db.rs",
    "commands/doctor/disabled_targets.rs",
    "commands/doctor/mod.rs",
    "commands/doctor/sessions.rs",
    "commands/doctor/upgrade/view.rs",
    "commands/enrichment.rs",
    "commands/knowledge/add.rs",
    "commands/knowledge/error_text.rs",
    "commands/mcp.rs",
    "commands/session_copy/file.rs",
    "commands/session_copy/mod.rs",
    "commands/session_copy/rename.rs",
    "commands/session_copy/session_settings.rs",
    "commands/session_deleted.rs",
    "commands/session_messages.rs",
    "commands/session_open.rs",
    "commands/settle_again.rs",
    "commands/turn.rs",
    "commands/web_login.rs",
    "demo/checks.rs",
    "demo/presenter.rs",
    "demo/session_process.rs",
    "error.rs",
    "follow.rs",
    "json/slot_queue.rs",
    "model_stream.rs",
    "render/progress.rs",
    "render/tests.rs",
];

/// Input: the sources of the command line; expected: only the root and the listed files name use cases, and each
/// listed file still does.
#[test]
fn only_the_root_names_use_cases() {
    let folder = root().join("entracte/src");
    let mut files: Vec<PathBuf> = Vec::new();
    sources(&folder, &mut files);
    let name = |file: &PathBuf| file.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/");
    let names_use_cases = |file: &&PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.any(|line| {
            line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(is_use_cases)
        })
    };
    let found: BTreeSet<String> = files.iter().filter(names_use_cases).map(name).collect();
    let beside: BTreeSet<&str> = found.iter().map(String::as_str).filter(|name| !is_root(name)).collect();
    let still: BTreeSet<&str> = STILL.iter().copied().collect();
    let new: Vec<&&str> = beside.difference(&still).collect();
    assert!(new.is_empty(), "these go through `ApiClient`, not through use cases: {new:?}");
    let gone: Vec<&&str> = still.difference(&beside).collect();
    assert!(gone.is_empty(), "take these from the list, they name none any more: {gone:?}");
}

fn is_use_cases(word: &str) -> bool {
    word == "use_cases"
}

fn is_root(name: &str) -> bool {
    ROOT.iter().any(|root| name == *root || (root.ends_with('/') && name.starts_with(root)))
}
