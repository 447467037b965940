//! Which commands a prompt describes. Where the commands of MCP servers do not fit, or more are configured than the model's
//! server accepts as tools, the prompt only lists them, and the model reads their descriptions by the query
//! `commands.find` when it needs them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

use entracte_domain::command::FIND_COMMANDS;

use crate::command_naming::{CommandNaming, RUN_COMMAND};
use crate::commands::FIND_WORD;
use crate::ports::{CommandSpec, command_doc};
use crate::settings::Language;
use crate::terminal_text;
use crate::texts::{LocalizedTexts, say};

/// The commands of a session, by how its prompt has them.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSelection {
    /// Described with their arguments.
    pub described: Vec<CommandSpec>,
    /// Found on demand; `None` if all are described.
    pub listing: Option<CommandListing>,
}

/// The commands that a prompt lists without describing them.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandListing {
    /// The commands, by name.
    pub commands: Vec<CommandSpec>,
    /// What the prompt says of each.
    pub detail: ListingDetail,
}

/// What a prompt says of a command that it does not describe: as much as fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingDetail {
    /// Its name and the beginning of its documentation.
    Lines,
    /// Its name.
    Names,
    /// Only its server, with the number of its commands.
    Servers,
}

/// Maximum characters of the documentation in a line of the list.
const LINE_CHARS_MAX: usize = 100;
/// The bytes that a list must save: finding a command costs a round of its own.
const SAVED_BYTES_MIN: usize = 2_000;

/// The commands of one server.
#[derive(Clone, Debug)]
pub struct ServerCommands<'a, T> {
    /// Name of the server.
    pub server: &'a str,
    /// Its commands.
    pub commands: Vec<&'a CommandSpec>,
    /// Their sizes together, in the unit of who measures.
    pub size: T,
}

/// The commands of each server, the largest server first; those of no server are left out. `weigh` gives the size of a
/// command.
pub fn commands_by_server<'a, T: Copy + Default + Ord + AddAssign>(
    commands: impl IntoIterator<Item = &'a CommandSpec>,
    weigh: impl Fn(&CommandSpec) -> T,
) -> Vec<ServerCommands<'a, T>> {
    let mut servers: BTreeMap<&str, ServerCommands<'a, T>> = BTreeMap::new();
    for spec in commands {
        let Some(server) = spec.server.as_deref() else { continue };
        let empty = || ServerCommands { server, commands: Vec::new(), size: T::default() };
        let known = servers.entry(server).or_insert_with(empty);
        known.commands.push(spec);
        known.size += weigh(spec);
    }
    let mut servers: Vec<ServerCommands<'a, T>> = servers.into_values().collect();
    servers.sort_by_key(|server| Reverse(server.size));
    servers
}

/// The room that a prefix has for descriptions of commands; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandRoom {
    /// Most bytes of all descriptions, with the list of the commands without one.
    pub bytes: Option<usize>,
    /// Most commands that may be described: servers of models accept so many tools and no more.
    pub commands: Option<usize>,
}

impl CommandRoom {
    /// Whether so many commands are known to fit: no limit on their bytes was reached.
    pub fn holds_all(&self, commands: usize) -> bool {
        self.bytes.is_none() && self.has_number(commands)
    }

    fn has_bytes(&self, bytes: usize) -> bool {
        self.bytes.is_none_or(|most| bytes <= most)
    }

    fn has_number(&self, commands: usize) -> bool {
        self.commands.is_none_or(|most| commands <= most)
    }
}

/// Selects the commands to describe so that they and the list of the others have `room`. The servers with the largest
/// descriptions are listed first; then the largest configured commands of no server, where their number is not accepted.
/// Entracte's own commands are always described. All are described where they have room, or where a list saves little and
/// their number is accepted. `find` is the query that describes listed commands, and `weigh` gives the bytes of a
/// description.
pub fn select_commands(
    offered: Vec<CommandSpec>,
    find: &CommandSpec,
    room: CommandRoom,
    weigh: impl Fn(&CommandSpec) -> usize,
    naming: CommandNaming,
    language: Language,
) -> CommandSelection {
    let whole: usize = offered.iter().map(&weigh).sum();
    let line_bytes = |spec: &&CommandSpec| listing_line(spec, naming, language).len() + 1;
    let title =
        CommandListing { commands: Vec::new(), detail: ListingDetail::Lines }.text(naming, language).len();
    // What is described, with the query, and the lines of what is listed.
    let (mut described_bytes, mut lines) = (whole + weigh(find), 0);
    let mut described_count = offered.len() + 1;
    let fits_whole = room.has_bytes(whole) && room.has_number(offered.len());
    let mut on_demand: BTreeSet<&str> = BTreeSet::new();
    for ServerCommands { server, commands, size } in commands_by_server(&offered, &weigh) {
        let fits = room.has_bytes(described_bytes + title + lines) && room.has_number(described_count);
        if fits_whole || fits {
            break;
        }
        described_bytes -= size;
        described_count -= commands.len();
        lines += commands.iter().map(line_bytes).sum::<usize>();
        on_demand.insert(server);
    }
    let mut alone: BTreeSet<&str> = BTreeSet::new();
    if !fits_whole && !room.has_number(described_count) {
        let configured = offered.iter().filter(|spec| spec.server.is_none() && spec.is_configured());
        let mut configured: Vec<&CommandSpec> = configured.collect();
        configured.sort_by_key(|spec| Reverse(weigh(spec)));
        for spec in configured {
            if room.has_number(described_count) {
                break;
            }
            described_bytes -= weigh(spec);
            described_count -= 1;
            alone.insert(&spec.name);
        }
    }
    let is_listed = |spec: &CommandSpec| match spec.server.as_deref() {
        Some(server) => on_demand.contains(server),
        None => alone.contains(spec.name.as_str()),
    };
    let commands = offered.iter().filter(|spec| is_listed(spec)).cloned().collect();
    let mut listing = CommandListing { commands, detail: ListingDetail::Lines };
    for detail in [ListingDetail::Names, ListingDetail::Servers] {
        if !room.has_bytes(described_bytes + listing.text(naming, language).len()) {
            listing.detail = detail;
        }
    }
    let result = described_bytes + listing.text(naming, language).len();
    let saves_little = result + SAVED_BYTES_MIN > whole && room.has_number(offered.len());
    if listing.commands.is_empty() || saves_little {
        return CommandSelection { described: offered, listing: None };
    }
    let described = offered.iter().filter(|spec| !is_listed(spec)).cloned().chain([find.clone()]).collect();
    CommandSelection { described, listing: Some(listing) }
}

impl CommandListing {
    /// The part of level 1 that lists the commands.
    pub fn text(&self, naming: CommandNaming, language: Language) -> String {
        let texts = LocalizedTexts::for_language(language);
        let find = naming.format_call(FIND_WORD, FIND_COMMANDS);
        let title = match naming {
            CommandNaming::Types => say!(texts, "prompt-on-demand-types", find = find),
            CommandNaming::Tools => say!(texts, "prompt-on-demand-tools", find = find, run = RUN_COMMAND),
        };
        let mut by_server: BTreeMap<&str, Vec<&CommandSpec>> = BTreeMap::new();
        for spec in &self.commands {
            by_server.entry(spec.server.as_deref().unwrap_or_default()).or_default().push(spec);
        }
        let servers = by_server.into_iter().map(|(server, commands)| match self.detail {
            ListingDetail::Servers if !server.is_empty() => {
                say!(texts, "prompt-on-demand-server", server = server, count = commands.len())
            }
            ListingDetail::Names | ListingDetail::Servers => {
                let name = |spec: &&CommandSpec| naming.format_call(&spec.word, &spec.name);
                commands.iter().map(name).collect::<Vec<_>>().join(", ")
            }
            ListingDetail::Lines => {
                let line = |spec: &&CommandSpec| listing_line(spec, naming, language);
                commands.iter().map(line).collect::<Vec<_>>().join("\n")
            }
        });
        std::iter::once(title).chain(servers).collect::<Vec<_>>().join("\n")
    }
}

/// The name of a command and the first sentence of its documentation.
fn listing_line(spec: &CommandSpec, naming: CommandNaming, language: Language) -> String {
    let name = naming.format_call(&spec.word, &spec.name);
    format!("- {name}: {}", first_sentence(&command_doc(spec, naming, language)))
}

/// The first sentence of a text, on one line.
fn first_sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let sentence = line.split_once(". ").map_or(line, |(first, _)| first);
    let shown = terminal_text::one_line(sentence);
    match shown.char_indices().nth(LINE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", shown[..end].trim_end()),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn command(server: Option<&str>, name: &str, doc: &str) -> CommandSpec {
        let schema = json!({"type": "object", "properties": {}});
        let server = server.map(str::to_owned);
        CommandSpec {
            server,
            ..CommandSpec::query(&name.to_uppercase().replace('.', "_"), name, doc, schema)
        }
    }

    fn commands() -> Vec<CommandSpec> {
        vec![
            command(Some("git"), "git.log", "Shows the log. Newest first."),
            command(Some("web"), "web.get", "Gets a page"),
            command(Some("web"), "web.put", "Puts\na page"),
            command(None, "zones.list", "Lists the zones."),
        ]
    }

    /// The names described, those listed, and how, where each command of a server has `bytes` bytes and each other 10.
    fn select(bytes: usize, room: usize) -> (Vec<String>, Vec<String>, Option<ListingDetail>) {
        select_within(bytes, CommandRoom { bytes: Some(room), commands: None })
    }

    fn select_within(bytes: usize, room: CommandRoom) -> (Vec<String>, Vec<String>, Option<ListingDetail>) {
        let find = command(None, FIND_COMMANDS, "Finds.");
        let weigh = |spec: &CommandSpec| if spec.server.is_some() { bytes } else { 10 };
        let selection = select_commands(commands(), &find, room, weigh, CommandNaming::Tools, Language::En);
        let names = |specs: &[CommandSpec]| specs.iter().map(|spec| spec.name.clone()).collect();
        let listed = selection.listing.as_ref();
        (
            names(&selection.described),
            listed.map(|listing| names(&listing.commands)).unwrap_or_default(),
            listed.map(|listing| listing.detail),
        )
    }

    fn text(detail: ListingDetail, naming: CommandNaming) -> String {
        let commands = vec![
            command(Some("git"), "git.log", "Shows the log. Newest first."),
            command(Some("web"), "web.get", &format!("{}\nend", "x".repeat(120))),
            command(Some("web"), "web.put", "Puts\na page"),
        ];
        let text = CommandListing { commands, detail }.text(naming, Language::En);
        text.lines().skip(2).map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn commands_of_largest_servers_are_listed_until_the_rest_fits() {
        let (described, listed, detail) = select(5_000, 6_000);
        assert_eq!(described, ["git.log", "zones.list", FIND_COMMANDS]);
        assert_eq!(listed, ["web.get", "web.put"]);
        assert_eq!(detail, Some(ListingDetail::Lines));
        let (described, listed, detail) = select(5_000, 0);
        assert_eq!(described, ["zones.list", FIND_COMMANDS], "what belongs to no server stays");
        assert_eq!((listed.len(), detail), (3, Some(ListingDetail::Servers)));
    }

    /// Input: commands with room, and some without whose list saves little; expected: all are described.
    #[test]
    fn nothing_is_listed_where_that_gains_nothing() {
        for (bytes, room) in [(5_000, 15_010), (500, 0)] {
            let (described, listed, detail) = select(bytes, room);
            assert_eq!((described.len(), listed.len(), detail), (4, 0, None), "{bytes}");
        }
    }

    /// Input: few bytes of descriptions, but more commands than the model's server accepts tools; expected: the commands of
    /// servers are listed until the number fits.
    #[test]
    fn commands_beyond_the_accepted_number_are_listed() {
        let room = |commands| CommandRoom { bytes: None, commands: Some(commands) };
        let (described, listed, _) = select_within(10, room(4));
        assert_eq!((described.len(), listed.len()), (4, 0));
        let (described, listed, _) = select_within(10, room(3));
        assert_eq!(described, ["git.log", "zones.list", FIND_COMMANDS]);
        assert_eq!(listed, ["web.get", "web.put"]);
        let (described, listed, _) = select_within(10, room(1));
        assert_eq!((described.len(), listed.len()), (2, 3), "Entracte's own commands stay");
    }

    /// Input: 150 configured commands of no server, of different sizes, and one of Entracte's own, where 128 tools are
    /// accepted; expected: as many of the largest are listed as are too many, and no more.
    #[test]
    fn configured_commands_beyond_the_accepted_number_are_listed() {
        let find = command(None, FIND_COMMANDS, "Finds.");
        let http = |number: usize| CommandSpec {
            target: json!({"method": "GET", "url": "https://h"}),
            ..command(None, &format!("http.get_{number:03}"), &"x".repeat(number))
        };
        let offered: Vec<CommandSpec> =
            (0..150).map(http).chain([command(None, "zones.list", &"x".repeat(500))]).collect();
        let room = CommandRoom { bytes: None, commands: Some(128) };
        let weigh = |spec: &CommandSpec| spec.doc.len();
        let selection = select_commands(offered, &find, room, weigh, CommandNaming::Tools, Language::En);
        assert_eq!(selection.described.len(), 128);
        let names: Vec<&str> = selection.described.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!((names[0], names[125], names[126]), ("http.get_000", "http.get_125", "zones.list"));
        let listing = selection.listing.unwrap();
        assert_eq!(listing.commands.len(), 24);
        let by_server = CommandListing { detail: ListingDetail::Servers, ..listing };
        assert!(by_server.text(CommandNaming::Tools, Language::En).contains("http_get_126, http_get_127"));
    }

    #[test]
    fn list_says_as_much_of_each_command_as_fits() {
        let cut = format!("- web_get: {}…\n", "x".repeat(100));
        let lines = format!("- git_log: Shows the log\n{cut}- web_put: Puts\n");
        assert_eq!(text(ListingDetail::Lines, CommandNaming::Tools), lines);
        assert_eq!(text(ListingDetail::Names, CommandNaming::Types), "GIT_LOG\nWEB_GET, WEB_PUT\n");
        assert_eq!(text(ListingDetail::Servers, CommandNaming::Types), "git: 1 tool\nweb: 2 tools\n");
    }
}
