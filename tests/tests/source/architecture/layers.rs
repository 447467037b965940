//! The rooms of each crate in layers: each imports only what stands before it in the map of `docs/ARCHITECTURE.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{CrateSources, ModulePath};
use super::root;

/// The crates that have rooms.
const CRATES: [&str; 8] = [
    "domain",
    "application",
    "adapters-db",
    "adapters-providers",
    "adapters-commands",
    "adapters-http",
    "app-cli",
    "tests",
];

/// The rooms of a folder from the bottom, as the map in `docs/ARCHITECTURE.md` tells them; none where it has no table.
fn order_of(folder: &str) -> Option<Vec<String>> {
    let page = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let (_, below) = page.split_once(&format!("\n### `{folder}`\n"))?;
    let table = below.split("\n#").next().unwrap();
    let rooms = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    Some(rooms.map(str::to_owned).collect())
}

/// Files that import one another, inside of one folder, and why that is so.
const CIRCLES: [(&str, &str, &str, &str); 15] = [
    (
        "domain",
        "session",
        "attachment call_batch child_agents facts input journal_note limits phase round rules run_policy standing start_gate transition_context transition_record",
        "what is known of a session is one value of many parts; and a round may begin with a batch, which ends in a round",
    ),
    ("application", "codec/v1", "agent approval call lookup outcome", "shapes that hold one another"),
    ("application", "codec/v1", "message system", "shapes that hold one another"),
    ("application", "codec/v1", "automation origin", "shapes that hold one another"),
    (
        "application",
        "ports",
        "automation_reader mail_store memory_receipt_table resource_reader store task_reader",
        "what the readers read is written by the store's one commit, and all fail with its errors",
    ),
    (
        "application",
        "protocol/envelope",
        "endings fields",
        "the fields of a reply are read in one place, and those that end an agent beside it, by the same helpers",
    ),
    (
        "application",
        "runtime",
        "local_runtime wake_timer workspace_worker",
        "the tasks of one process wake and start one another",
    ),
    (
        "adapters-providers",
        "rehearsal",
        "script script_entry",
        "a script as it is written, and as it is played",
    ),
    (
        "adapters-commands",
        "mcp",
        "declaration tool_offer",
        "an offer is made of declarations, and both are measured alike",
    ),
    ("adapters-commands", "mcp", "connection connector", "a connection that is lost is dialled again"),
    (
        "adapters-commands",
        "resources",
        "call_context decoded_resource",
        "what is asked gives rows, which are read in its language",
    ),
    (
        "app-cli",
        "config",
        "agents bound_settings embeddings file knowledge layers notify secrets server setting_keys telemetry tools",
        "each part names its settings and reads them from the layers, which are read by those names",
    ),
    (
        "tests",
        "bench",
        "child endurance growth idle model_server prompt_prefix raw_commits reference resume rounds runner schedule_tick services streams syscalls",
        "the process that measures starts itself again as the process that is measured",
    ),
    (
        "tests",
        "crash",
        "child knowledge notify scenario_run user",
        "the person and the process that is killed play one story",
    ),
    ("tests", "machine/explorer", "checks explored_state", "a world checks itself after each move"),
];

fn sources(name: &str) -> CrateSources {
    CrateSources::read(&root().join(name).join("src"))
}

/// Of what is directly in a folder: who imports from whom.
fn edges(imports: &BTreeSet<(ModulePath, ModulePath)>, folder: &[String]) -> BTreeSet<(String, String)> {
    let inside = |place: &ModulePath| place.strip_prefix(folder).and_then(|rest| rest.first()).cloned();
    let pairs = imports.iter().filter_map(|(from, to)| inside(from).zip(inside(to)));
    pairs.filter(|(from, to)| from != to).collect()
}

/// Whether two files are in a circle that has a reason.
fn is_known(folder: &[String], from: &str, to: &str) -> bool {
    let has = |circle: &str, file: &str| circle.split(' ').any(|one| one == file);
    let folder = folder.join("/");
    CIRCLES.iter().any(|(_, within, circle, _)| *within == folder && has(circle, from) && has(circle, to))
}

/// What is wrong with the rooms of a folder, held against their order.
fn faults(
    sources: &CrateSources,
    imports: &BTreeSet<(ModulePath, ModulePath)>,
    folder: &[String],
    order: &[String],
) -> Vec<String> {
    let place = |room: &str| order.iter().position(|known| known == room);
    let unknown = sources.children(folder).iter().filter(|room| place(room).is_none());
    let unknown = unknown.map(|room| format!("{room} has no row in its table of docs/ARCHITECTURE.md"));
    let gone = order.iter().filter(|room| !sources.children(folder).contains(*room));
    let gone = gone.map(|room| format!("docs/ARCHITECTURE.md tells of {room}, which is not there"));
    let later = edges(imports, folder).into_iter().filter(|(from, to)| place(from) < place(to));
    let later = later.filter(|(from, to)| !is_known(folder, from, to));
    let later = later.map(|(from, to)| format!("{from} imports {to}, which stands after it in the table"));
    unknown.chain(gone).chain(later).collect()
}

#[test]
fn layers_hold_in_every_crate() {
    // `config/check.rs` has `super::ProviderKind`, which `config.rs` only hands on.
    let handed_on = (vec!["config".to_owned(), "check".to_owned()], vec!["provider_kind".to_owned()]);
    let mut checked = 0;
    for name in CRATES {
        let sources = sources(name);
        let imports = sources.imports();
        assert!(imports.len() > 20, "the imports of {name} are found");
        assert!(
            name != "adapters-providers" || imports.contains(&handed_on),
            "what is handed on is followed"
        );
        for folder in sources.folders() {
            let Some(order) = order_of(&[&[name.to_owned()][..], folder].concat().join("/")) else {
                assert!(!folder.is_empty(), "docs/ARCHITECTURE.md has no table of {name}");
                continue;
            };
            assert_eq!(
                faults(&sources, &imports, folder, &order),
                Vec::<String>::new(),
                "{name}, {folder:?}"
            );
            checked += 1;
        }
    }
    assert_eq!(checked, CRATES.len() + 1, "the crates, and the rooms of the runtime");
}

fn size(reached: &BTreeMap<&str, BTreeSet<&str>>) -> usize {
    reached.values().map(BTreeSet::len).sum()
}

/// The sets of names that reach one another.
fn circles(edges: &BTreeSet<(String, String)>) -> Vec<BTreeSet<String>> {
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        reached.entry(from).or_default().insert(to);
    }
    loop {
        let before = size(&reached);
        for name in reached.keys().copied().collect::<Vec<_>>() {
            let further: Vec<&str> =
                reached[name].iter().filter_map(|next| reached.get(next)).flatten().copied().collect();
            reached.get_mut(name).unwrap().extend(further);
        }
        if before == size(&reached) {
            break;
        }
    }
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|found| found.contains(to));
    let of = |name: &str| -> BTreeSet<String> {
        let others = reached.keys().filter(|other| reaches(name, other) && reaches(other, name));
        others.map(|other| (*other).to_owned()).collect()
    };
    let found: BTreeSet<BTreeSet<String>> = reached.keys().map(|name| of(name)).collect();
    found.into_iter().filter(|circle| circle.len() > 1).collect()
}

#[test]
fn no_circle_between_folders() {
    let mut met: BTreeSet<&(&str, &str, &str, &str)> = BTreeSet::new();
    for name in CRATES {
        let sources = sources(name);
        let imports = sources.imports();
        for folder in sources.folders() {
            for circle in circles(&edges(&imports, folder)) {
                let circle = circle.into_iter().collect::<Vec<_>>().join(" ");
                let room = folder.join("/");
                let known = CIRCLES.iter().find(|(of, within, known, _)| {
                    (*of, *within, *known) == (name, room.as_str(), circle.as_str())
                });
                let has_folder = circle
                    .split(' ')
                    .any(|one| sources.is_folder(&[&folder[..], &[one.to_owned()]].concat()));
                let kind = if has_folder { "folders" } else { "files without a reason" };
                assert!(known.is_some(), "a circle of {kind} in {name}/src/{room}: {circle}");
                met.extend(known);
            }
        }
    }
    let left: Vec<_> = CIRCLES.iter().filter(|known| !met.contains(known)).collect();
    assert!(left.is_empty(), "these circles are gone: {left:?}");
}
