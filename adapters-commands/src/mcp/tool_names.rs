//! Command names of tools: `server.tool`, the envelope word `SERVER_TOOL`, and the wire name, all unique among each
//! other and among Entracte's own.

use std::collections::{BTreeMap, BTreeSet};

use entracte_application::protocol::tools::tool_name;
use entracte_application::system::sha256;

/// Identifies a tool: its server, and its name there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct McpToolAddress {
    pub(super) server: String,
    pub(super) tool: String,
}

/// The command name and the envelope word of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct McpToolNames {
    /// `server.tool`.
    pub(super) name: String,
    /// `SERVER_TOOL`.
    pub(super) word: String,
}

/// Assigns command names in order of server and tool. A tool whose plain names are taken or too long for the wire
/// gets a stable suffix from its hash.
pub(super) fn assign_command_names(
    places: &BTreeSet<McpToolAddress>,
    reserved: &BTreeSet<String>,
) -> BTreeMap<McpToolAddress, McpToolNames> {
    let mut taken = reserved.clone();
    let mut named = BTreeMap::new();
    for place in places {
        let plain = plain(place, "");
        let fits = plain.name.chars().count() <= WIRE_MAX && is_free(&plain, &taken);
        let chosen = if fits { plain } else { hashed(place) };
        if !is_free(&chosen, &taken) {
            tracing::warn!(server = place.server, tool = place.tool, "no free name for the tool; left out");
            continue;
        }
        taken.extend(keys(&chosen));
        named.insert(place.clone(), chosen);
    }
    named
}

fn hashed(place: &McpToolAddress) -> McpToolNames {
    let hash = sha256(format!("{}\0{}", place.server, place.tool).as_bytes());
    let end = format!("_{}", hash.as_str().chars().take(HASH_CHARS).collect::<String>());
    plain(place, &end)
}

fn plain(place: &McpToolAddress, end: &str) -> McpToolNames {
    let room = if end.is_empty() { usize::MAX } else { WIRE_MAX - end.len() };
    let fits = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    let tool = place.tool.chars().map(|character| if fits(character) { character } else { '_' });
    let begin: String = format!("{}.", place.server).chars().chain(tool).take(room).collect();
    let name = format!("{begin}{end}");
    let word = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    McpToolNames { word: word.collect(), name }
}

/// The keys by which the catalog and the wire tell commands apart.
fn keys(names: &McpToolNames) -> [String; 3] {
    [names.name.clone(), names.word.clone(), tool_name(&names.name)]
}

fn is_free(names: &McpToolNames, taken: &BTreeSet<String>) -> bool {
    keys(names).iter().all(|key| !taken.contains(key))
}

/// The most characters of a wire name.
const WIRE_MAX: usize = 64;
/// The number of hash characters in a suffix.
const HASH_CHARS: usize = 6;

#[cfg(test)]
mod tests {
    use entracte_application::commands::Catalog;

    use super::*;

    fn check(places: &[(&str, &str)], reserved: &[&str]) -> Vec<(String, String)> {
        let places = places
            .iter()
            .map(|(server, tool)| McpToolAddress { server: (*server).into(), tool: (*tool).into() });
        let reserved = reserved.iter().map(|word| (*word).to_owned()).collect();
        assign_command_names(&places.collect(), &reserved)
            .into_values()
            .map(|names| (names.name, names.word))
            .collect()
    }

    /// Input: tools whose plain names are those of control tools, or of commands that the catalog adds last; expected:
    /// none gets such a name, on the wire either.
    #[test]
    fn tool_never_gets_name_of_entracte() {
        let reserved: Vec<String> = Catalog::reserved_names().collect();
        let reserved: Vec<&str> = reserved.iter().map(String::as_str).collect();
        let places =
            [("ask", "user"), ("commands", "find"), ("run", "command"), ("tasks", "list"), ("tasks", "stop")];
        for (name, word) in check(&places, &reserved) {
            for key in [name.clone(), word, tool_name(&name)] {
                assert!(!reserved.contains(&key.as_str()), "{key}");
            }
        }
        assert_eq!(check(&places, &reserved).len(), places.len());
    }

    fn pair(name: &str, word: &str) -> (String, String) {
        (name.to_owned(), word.to_owned())
    }

    #[test]
    fn tool_name_begins_with_server_name() {
        assert_eq!(
            check(&[("fs", "read_file"), ("my-git", "log.é/x")], &[]),
            [pair("fs.read_file", "FS_READ_FILE"), pair("my-git.log.__x", "MY_GIT_LOG___X")]
        );
    }

    #[test]
    fn equal_names_get_stable_hash_suffix() {
        let both = check(&[("a", "x-y"), ("a", "x_y"), ("a_x", "y")], &[]);
        assert_eq!(
            both,
            [
                pair("a.x-y", "A_X_Y"),
                pair("a.x_y_35d885", "A_X_Y_35D885"),
                pair("a_x.y_4d9ab3", "A_X_Y_4D9AB3"),
            ]
        );
    }

    #[test]
    fn reserved_names_are_not_assigned() {
        let taken = check(&[("create", "zone")], &["CREATE_ZONE"]);
        assert_eq!(taken.len(), 1);
        assert!(taken.iter().all(|(name, word)| name.starts_with("create.zone_") && word != "CREATE_ZONE"));
    }

    #[test]
    fn long_name_is_shortened_and_unique() {
        let long = "x".repeat(80);
        let other = format!("{}y", "x".repeat(79));
        let names = check(&[("s", &long), ("s", &other)], &[]);
        let wire: BTreeSet<String> = names.iter().map(|(name, _)| tool_name(name)).collect();
        assert_eq!(wire.len(), 2);
        assert!(names.iter().all(|(name, _)| name.len() == WIRE_MAX));
    }
}
