//! The list of use cases, read from the sources.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The use cases: types that `use_cases` exports and that have a `new`.
pub(crate) fn use_cases() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../application/src/use_cases");
    let exported = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
    let exports: String = exported
        .split("pub use ")
        .skip(1)
        .filter_map(|rest| rest.split_once(';').map(|(list, _)| list))
        .collect::<Vec<_>>()
        .join(" ");
    let is_name = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_uppercase());
    let names: BTreeSet<&str> =
        exports.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(is_name).collect();
    // Those that post one request are created by a macro, and so are most others.
    let verbs = std::fs::read_to_string(folder.join("ask.rs")).unwrap();
    let mut sources = String::new();
    read(&folder, &mut sources);
    let is_made = |name: &&str| {
        let begins = format!("\nimpl {name} {{");
        let own = sources.split(&begins).skip(1);
        let blocks = own.map(|rest| rest.split("\n}").next().unwrap_or_default());
        let declared = format!("\n    pub struct {name} ");
        let by_macro = verbs.contains(&format!("\n    {name}(")) || sources.contains(&declared);
        by_macro || blocks.into_iter().any(|block| block.contains("pub fn new("))
    };
    names.into_iter().filter(is_made).map(str::to_owned).collect()
}

fn read(folder: &Path, into: &mut String) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "tests") {
                read(&path, into);
            }
        } else {
            into.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}
