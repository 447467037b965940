//! The rooms of each crate in layers, from the bottom: each imports only what stands before it.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::{Place, Sources};
use crate::root;

/// The rooms of each crate, from the bottom. A new room gets its place here.
const LAYERS: [(&str, &str); 8] = [
    (
        "domain",
        "words id time dollars value restriction command period speech usage question validation call message \
         enrichment session automation workspace",
    ),
    (
        "application",
        "texts json failpoints planted settings schema calendar mail journal ports system visible codec rules commands \
         protocol samples prompt copies runtime use_cases",
    ),
    (
        "adapters-db",
        "schema file fixed location db_error numbers error connection options dialect opener migrations queries \
         ownership writer commit opening database backup copy stores snapshot",
    ),
    (
        "adapters-providers",
        "text sse retry_after kind writing price call_ids schema_fit narrow failure server_error profiles good_ids \
         config key prices transport settings dialect encoding beside body anthropic_messages responses \
         chat_completions spoken check client listing relay probe rehearsal registry answers",
    ),
    ("adapters-commands", "json sentence answer secret egress resources file_log http mcp known_secrets"),
    (
        "adapters-http",
        "limits tls guard problem house page etag access body shapes routes document pages serve",
    ),
    (
        "app-cli",
        "span colour secrets environment args message error restriction logging help output keys keyboard render \
         config json tools wiring way desk follow demo commands",
    ),
    ("tests", "length machine strict contracts aimock postgres proxy stage fakes world bench simulate crash"),
];

/// The same inside of rooms that are layers themselves.
const INNER_LAYERS: [(&str, &str, &str); 1] = [(
    "application",
    "runtime",
    "lock moment error call_time overlay data feed incoming remote scrub spoken compaction schedule providers \
     call_limits accounts under_way owner services perform prefixes stages draft live turn workspace needs job \
     alarm task local",
)];

/// Files that import one another, inside of one folder, and why that is so.
const CIRCLES: [(&str, &str, &str, &str); 14] = [
    (
        "domain",
        "session",
        "attachment batch facts input limits note phase record round rules run standing start step",
        "what is known of a session is one value of many parts; and a round may begin with a batch, which ends in a round",
    ),
    ("application", "codec/v1", "approval call lookup", "shapes that hold one another"),
    ("application", "codec/v1", "message system", "shapes that hold one another"),
    ("application", "codec/v1", "automation origin", "shapes that hold one another"),
    (
        "application",
        "ports",
        "automation_reader mail_store resource_reader store",
        "what the readers read is written by the store's one commit, and all fail with its errors",
    ),
    ("application", "runtime", "alarm local task", "the tasks of one process wake and start one another"),
    ("adapters-providers", "rehearsal", "entry script", "a script as it is written, and as it is played"),
    (
        "adapters-commands",
        "mcp",
        "declaration offer",
        "an offer is made of declarations, and both are measured alike",
    ),
    ("adapters-commands", "mcp", "connection dial", "a connection that is lost is dialled again"),
    (
        "adapters-commands",
        "resources",
        "ask rows",
        "what is asked gives rows, which are read in its language",
    ),
    (
        "app-cli",
        "config",
        "bounds database file keys layers server tools",
        "each part names its settings and reads them from the layers, which are read by those names",
    ),
    (
        "tests",
        "bench",
        "child growth idle model prefix raw reference resume rounds run services tick",
        "the process that measures starts itself again as the process that is measured",
    ),
    ("tests", "crash", "child person story", "the person and the process that is killed play one story"),
    ("tests", "machine/explorer", "checks world", "a world checks itself after each move"),
];

fn sources(name: &str) -> Sources {
    Sources::read(&root().join(name).join("src"))
}

/// Of what is directly in a folder: who imports from whom.
fn edges(imports: &BTreeSet<(Place, Place)>, folder: &[String]) -> BTreeSet<(String, String)> {
    let inside = |place: &Place| place.strip_prefix(folder).and_then(|rest| rest.first()).cloned();
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
    sources: &Sources,
    imports: &BTreeSet<(Place, Place)>,
    folder: &[String],
    order: &str,
) -> Vec<String> {
    let order: Vec<&str> = order.split_whitespace().collect();
    let place = |room: &str| order.iter().position(|known| *known == room);
    let unknown = sources.children(folder).iter().filter(|room| place(room).is_none());
    let unknown = unknown.map(|room| format!("{room} has no place among the layers"));
    let gone = order.iter().filter(|room| !sources.children(folder).contains(**room));
    let gone = gone.map(|room| format!("there is no {room}"));
    let upward = edges(imports, folder).into_iter().filter(|(from, to)| place(from) < place(to));
    let upward = upward.filter(|(from, to)| !is_known(folder, from, to));
    let upward = upward.map(|(from, to)| format!("{from} imports {to}, which stands above it"));
    unknown.chain(gone).chain(upward).collect()
}

#[test]
fn layers_hold_in_every_crate() {
    // `config/check.rs` has `super::Kind`, which `config.rs` only hands on.
    let handed_on = (vec!["config".to_owned(), "check".to_owned()], vec!["kind".to_owned()]);
    for (name, order) in LAYERS {
        let sources = sources(name);
        let imports = sources.imports();
        assert!(imports.len() > 20, "the imports of {name} are found");
        assert!(
            name != "adapters-providers" || imports.contains(&handed_on),
            "what is handed on is followed"
        );
        assert_eq!(faults(&sources, &imports, &[], order), Vec::<String>::new(), "{name}");
        for (_, room, order) in INNER_LAYERS.into_iter().filter(|(of, ..)| *of == name) {
            let found = faults(&sources, &imports, &[room.to_owned()], order);
            assert_eq!(found, Vec::<String>::new(), "{name}, {room}");
        }
    }
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
    for (name, _) in LAYERS {
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
