//! The parts of prompts that are the same in every workspace, built once a process.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind, SessionRules};

use super::lock::lock;
use crate::commands::Catalog;
use crate::ports::{CommandSpec, ToolDeclaration};
use crate::prompt::{PromptChunk, PromptPrefix};
use crate::schema::SchemaDocument;
use crate::settings::{ChunkImportance, ChunkImportances, Language};

/// Everything but the catalog that the common parts of a prompt depend on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PromptPartsKey {
    pub(super) kind: SessionKind,
    pub(super) dialect: Dialect,
    pub(super) rules: SessionRules,
    pub(super) mode: PlanMode,
    pub(super) restriction: Restriction,
    /// The agent this session runs as, if any.
    pub(super) agent: Option<String>,
    /// IANA name of the time zone.
    pub(super) zone: String,
    pub(super) language: Language,
    pub(super) importance: ChunkImportance,
    pub(super) grades: ChunkImportances,
}

/// What a prompt contains of described commands, and its texts that name no workspace.
#[derive(Debug)]
pub(super) struct PromptParts {
    /// Level 1 after its first chunk.
    pub(super) chunks: Vec<PromptChunk>,
    /// The commands as native tools (`tools` dialect).
    pub(super) tools: Arc<[ToolDeclaration]>,
    /// The JSON Schema of a reply (`envelope` dialect).
    pub(super) reply_schema: Option<Arc<SchemaDocument>>,
    /// The model's name for the command that reads on in a truncated result, if it has that command.
    pub(super) read_on: Option<String>,
}

/// The parts of a prompt that describes every command which its sessions may request.
#[derive(Debug)]
pub(super) struct CommonPromptParts {
    pub(super) parts: PromptParts,
    /// The commands, by name.
    pub(super) commands: Vec<CommandSpec>,
    /// The bytes of their descriptions, once they were needed.
    pub(super) command_bytes: OnceLock<usize>,
}

/// The parts of prompts that all workspaces of a process share: the first workspace that needs them builds them for all.
/// They change with the catalog only.
#[derive(Debug, Default)]
pub struct SharedPromptParts(Mutex<PartsOfCatalog>);

/// The parts built with one catalog, the latest last.
#[derive(Default)]
struct PartsOfCatalog {
    catalog: Weak<Catalog>,
    built: Vec<(PromptPartsKey, Arc<CommonPromptParts>)>,
}

impl std::fmt::Debug for PartsOfCatalog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartsOfCatalog").field("built", &self.built.len()).finish_non_exhaustive()
    }
}

/// Most parts kept, beyond which the earliest are built again when they are needed: kinds, dialects, languages, modes and
/// restrictions of sessions multiply. Not a setting: nothing is refused or lost beyond it, only built again, which takes
/// less than the model call that follows; a description of all commands has about 50 kB, so that 64 have about 3 MB.
const MOST_PARTS: usize = 64;

impl SharedPromptParts {
    /// The parts for these properties and this catalog, built by `build` if no workspace has built them.
    pub(super) fn get_or_build(
        &self,
        catalog: &Arc<Catalog>,
        key: PromptPartsKey,
        build: impl FnOnce() -> CommonPromptParts,
    ) -> Arc<CommonPromptParts> {
        let mut known = lock(&self.0);
        // The weak reference keeps the address from being used by another catalog.
        if !std::ptr::eq(known.catalog.as_ptr(), Arc::as_ptr(catalog)) {
            *known = PartsOfCatalog { catalog: Arc::downgrade(catalog), built: Vec::new() };
        }
        if let Some((_, parts)) = known.built.iter().find(|(built_for, _)| *built_for == key) {
            return parts.clone();
        }
        // Built under the lock: workspaces that begin together wait for one of them.
        let parts = Arc::new(build());
        if known.built.len() >= MOST_PARTS {
            known.built.remove(0);
        }
        known.built.push((key, parts.clone()));
        parts
    }

    /// A prefix that was read, with the declarations that workspaces share in place of equal ones of its own: after a
    /// restart each workspace reads its prefix.
    pub(super) fn share_declarations(&self, mut prefix: PromptPrefix) -> PromptPrefix {
        let known = lock(&self.0);
        for (_, common) in &known.built {
            let parts = &common.parts;
            if parts.tools == prefix.tools && parts.reply_schema == prefix.reply_schema {
                prefix.tools = parts.tools.clone();
                prefix.reply_schema = parts.reply_schema.clone();
                break;
            }
        }
        prefix
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use entracte_domain::session::LimitProfile;

    use super::*;
    use crate::kit::catalog;

    fn key(zone: &str) -> PromptPartsKey {
        PromptPartsKey {
            kind: SessionKind::Chat,
            dialect: Dialect::Tools,
            rules: SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous),
            mode: PlanMode::Free,
            restriction: Restriction::Open,
            agent: None,
            zone: zone.to_owned(),
            language: Language::En,
            importance: ChunkImportance::Helpful,
            grades: ChunkImportances::NONE,
        }
    }

    /// The parts of a prompt with this tool, and nothing else.
    fn parts_with(tool: &str) -> CommonPromptParts {
        let (name, description) = (tool.to_owned(), String::new());
        let schema = serde_json::json!({"type": "object"}).into();
        let parts = PromptParts {
            chunks: Vec::new(),
            tools: Arc::new([ToolDeclaration { name, description, schema }]),
            reply_schema: None,
            read_on: None,
        };
        CommonPromptParts { parts, commands: Vec::new(), command_bytes: OnceLock::new() }
    }

    /// Input: prefixes that were read, one with the declarations that were built and one with others; expected: the first
    /// shares them, and neither has other bytes.
    #[test]
    fn read_prefix_shares_declarations() {
        let shared = SharedPromptParts::default();
        let built = shared.get_or_build(&catalog(), key("UTC"), || parts_with("look"));
        for (tool, is_shared) in [("look", true), ("send", false)] {
            let tools = parts_with(tool).parts.tools;
            let bytes = PromptPrefix { tools, ..PromptPrefix::default() }.encode();
            let read = shared.share_declarations(PromptPrefix::decode(&bytes).unwrap());
            assert_eq!(Arc::ptr_eq(&read.tools, &built.parts.tools), is_shared, "{tool}");
            assert_eq!(read.encode(), bytes, "{tool}");
        }
    }

    /// Input: the same properties, others, another catalog, and more than are kept; expected: parts are built once for each
    /// until the catalog changes or too many follow.
    #[test]
    fn parts_are_kept_for_catalog() {
        let (shared, built) = (SharedPromptParts::default(), Cell::new(0));
        let parts = |catalog: &Arc<Catalog>, zone: &str| {
            shared.get_or_build(catalog, key(zone), || {
                built.set(built.get() + 1);
                parts_with("look")
            })
        };
        let (here, other) = (catalog(), catalog());
        assert!(Arc::ptr_eq(&parts(&here, "UTC"), &parts(&here, "UTC")));
        assert_eq!(built.get(), 1);
        parts(&here, "Europe/Paris");
        assert_eq!(built.get(), 2);
        parts(&other, "UTC");
        assert_eq!(built.get(), 3);
        for number in 0..MOST_PARTS {
            parts(&other, &format!("Zone/{number}"));
        }
        assert_eq!(built.get(), 3 + MOST_PARTS);
        parts(&other, "Zone/0");
        assert_eq!(built.get(), 3 + MOST_PARTS, "it is one of the latest");
        parts(&other, "UTC");
        assert_eq!(built.get(), 4 + MOST_PARTS);
    }
}
