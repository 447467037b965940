//! The source of the workspace, parsed once for all checks: what each file defines, imports and calls.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod bodies;
mod definitions;
mod items;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(crate) use self::bodies::{CallSite, ValueSource};
pub(crate) use self::definitions::{FileDefinitions, TypeDefinition};
pub(crate) use self::items::{
    FunctionOwner, FunctionSyntax, ModulePath, ModuleSyntax, TypeReference, TypeShape,
};

/// Folders of the packages.
pub(crate) const PACKAGES: [&str; 8] = [
    "domain",
    "application",
    "adapters-db",
    "adapters-providers",
    "adapters-commands",
    "adapters-http",
    "entracte",
    "tests",
];

/// Folder of the program: its `main`, and its tests.
const PROGRAM: &str = "app-cli";

/// A parsed file.
pub(crate) struct ParsedFile {
    /// Relative to the root.
    pub(crate) path: String,
    /// Whether a package builds it into its own tests only; the tests of the package `tests` are no such files.
    pub(crate) is_test: bool,
    pub(crate) definitions: FileDefinitions,
    /// Its module, and the modules written inside of it. Items for tests only are left out.
    pub(crate) modules: Vec<ModuleSyntax>,
    /// The functions of more than one line, in the order of the file.
    pub(crate) function_lines: Vec<FunctionLength>,
}

impl ParsedFile {
    /// Whether it stands in a folder, or below it.
    pub(crate) fn is_within(&self, folder: &str) -> bool {
        Path::new(&self.path).starts_with(folder)
    }
}

/// How long a function is.
pub(crate) struct FunctionLength {
    pub(crate) name: String,
    /// From its `fn` to its last brace.
    pub(crate) lines: usize,
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// Every Rust file of the packages, sorted by path. Parsed by the first caller in a process.
pub(crate) fn parsed_files() -> &'static [ParsedFile] {
    static FILES: OnceLock<Vec<ParsedFile>> = OnceLock::new();
    FILES.get_or_init(|| {
        let root = root();
        let mut paths = Vec::new();
        for package in PACKAGES.into_iter().chain([PROGRAM]) {
            for folder in ["src", "tests", "test-support"] {
                rust_files(&root.join(package).join(folder), &mut paths);
            }
        }
        paths.sort();
        let mut files = parse_all(&root, &paths);
        leave_out_test_modules(&mut files);
        files
    })
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // The packages of other languages that tests run.
            if !path.ends_with("node_modules") {
                rust_files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Parses the files on all cores: every check waits for them.
fn parse_all(root: &Path, paths: &[PathBuf]) -> Vec<ParsedFile> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parse_share = |paths: &[PathBuf]| paths.iter().map(|path| parse(root, path)).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let shares = paths.chunks(paths.len().div_ceil(cores).max(1));
        let threads: Vec<_> = shares.map(|share| scope.spawn(move || parse_share(share))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn parse(root: &Path, path: &Path) -> ParsedFile {
    let text = fs::read_to_string(path).unwrap();
    let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let path = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
    let modules = items::modules(&syntax, &path, module_path(&path));
    let definitions = FileDefinitions::read(&syntax, &path);
    let (is_test, function_lines) = (has_test_name(&path), function_lines(&text));
    ParsedFile { path, is_test, definitions, modules, function_lines }
}

/// The module that a file is: the name of its crate, then the modules from the root of the crate. Each program and each
/// integration test is a crate of its own.
fn module_path(path: &str) -> ModulePath {
    let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    let (crate_name, below) = match parts[..] {
        [package, "src", "bin", program, ..] => (format!("{package}/src/bin/{program}"), &parts[4..]),
        [package, "tests", name, ..] => (format!("{package}/tests/{name}"), &parts[3..]),
        [package, _, ..] => (package.to_owned(), &parts[2..]),
        _ => panic!("{path} is in no package"),
    };
    let below = match below.split_last() {
        Some((&("mod" | "lib" | "main"), folder)) => folder,
        _ => below,
    };
    let below = below.iter().map(|part| (*part).to_owned());
    std::iter::once(crate_name).chain(below).collect()
}

/// Whether the name of a file in a `src`, or of a folder above it, is one of tests.
fn has_test_name(path: &str) -> bool {
    let Some((_, below)) = path.split_once("/src/") else { return false };
    let is_test = |part: &str| part == "tests" || part == "tests.rs" || part.ends_with("_tests.rs");
    below.split('/').any(is_test)
}

/// Marks the files of modules that are declared for tests only.
fn leave_out_test_modules(files: &mut [ParsedFile]) {
    let of_tests: Vec<ModulePath> = files
        .iter()
        .flat_map(|file| &file.modules)
        .flat_map(|module| module.test_children.iter().map(|child| module.child(child)))
        .collect();
    for file in files {
        let module = &file.modules[0].path;
        file.is_test |= of_tests.iter().any(|tests| module.starts_with(tests));
    }
}

/// The functions of a formatted file: each ends with the first brace that stands as deep as its first line.
fn function_lines(text: &str) -> Vec<FunctionLength> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let depth = line.len() - line.trim_start().len();
        let end = format!("{}}}", &line[..depth]);
        // A function without a body, or with all of it in one line.
        let is_short = line.ends_with([';', '}']);
        let length = lines[at..].iter().position(|line| *line == end).filter(|_| !is_short);
        found.extend(length.map(|length| FunctionLength { name: name.to_owned(), lines: length + 1 }));
    }
    found
}

/// The name of the function that a line begins.
fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_modifier = |word: &str| {
        matches!(word, "const" | "async" | "unsafe" | "in" | "extern")
            || word.starts_with("pub")
            || word.ends_with(')')
    };
    let name = after.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    (before.split_whitespace().all(is_modifier) && !name.is_empty()).then_some(name)
}
