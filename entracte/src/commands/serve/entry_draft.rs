//! An entry before it is written: its file and the whole configuration are checked as if it were.

use std::collections::BTreeMap;

use entracte_application::ports::{ConfigEntry, ConfigEntryEdit, ConfigSection};
use entracte_application::system::sha256;
use entracte_domain::id::Digest;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use tempfile::TempPath;

use super::entry_secrets::{ChangedFile, EntrySecrets, hide, refuse_texts, reveal, store, usage};
use crate::command_context::CommandContext;
use crate::commands::provider::http_edit::own_target;
use crate::commands::provider::{ConfigEditTarget, keep, unusable_entry_error, write_text};
use crate::config::{AppSettings, ConfigEntryChange, ConfigFault, ConfigLayer, EntryTable, load, load_with};
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// Keys of an MCP server that start a program on the machine of the server, or say what it gets.
const LOCAL: [&str; 5] = ["command", "args", "env", "inherit", "cwd"];

/// The name of the only entry of the embeddings.
const EMBEDDINGS: &str = "embeddings";

/// Where the entries of a section stand.
const fn table_of(section: ConfigSection) -> EntryTable {
    match section {
        ConfigSection::McpServers => EntryTable::MCP_SERVERS,
        ConfigSection::Agents => EntryTable::AGENTS,
        ConfigSection::HttpTools => EntryTable::HTTP_TOOLS,
        ConfigSection::Embeddings => EntryTable::TABLES,
    }
}

/// The entries of a section, by name: those in force, and in their place those of the file as it is now.
pub(super) fn entries(
    settings: &AppSettings,
    target: &ConfigEditTarget,
    section: ConfigSection,
    tags: &EntryTags,
) -> Vec<ConfigEntry> {
    let table = table_of(section);
    let shown = |name: String, mut settings: Json, digest: Option<Digest>| {
        hide(&mut settings);
        (name.clone(), ConfigEntry { name, settings, digest })
    };
    let in_force = in_force(settings, section).into_iter();
    let mut all: BTreeMap<_, _> = in_force.map(|(name, settings)| shown(name, settings, None)).collect();
    let named = target.edited.names(table).into_iter().filter(|name| is_name_of(section, name));
    all.extend(named.map(|name| {
        let settings = target.edited.settings(table, &name).unwrap_or_default();
        let digest = tags.digest(target, EntryAddress { section, name: &name });
        shown(name, settings, digest)
    }));
    all.into_values().collect()
}

/// Makes the digests of entries, which whoever may read an entry is shown. They are keyed, because an entry may hold texts that
/// are not shown, and could be guessed by a digest of them.
pub(super) struct EntryTags {
    /// The key, which only this process has.
    pub(super) key: String,
}

impl EntryTags {
    /// The digest of an entry in the file.
    fn digest(&self, target: &ConfigEditTarget, at: EntryAddress<'_>) -> Option<Digest> {
        let EntryAddress { section, name } = at;
        let text = target.edited.entry_text(table_of(section), name).filter(|_| is_name_of(section, name));
        text.map(|text| sha256(format!("{}\n{text}", self.key).as_bytes()))
    }
}

/// Whether a table of the file may be an entry of the section.
fn is_name_of(section: ConfigSection, name: &str) -> bool {
    section != ConfigSection::Embeddings || name == EMBEDDINGS
}

/// The entries in force, as a file would have them.
pub(super) fn in_force(settings: &AppSettings, section: ConfigSection) -> Vec<(String, Json)> {
    match section {
        ConfigSection::McpServers => {
            settings.tools.mcp.iter().map(|(name, server)| (name.clone(), said(server))).collect()
        }
        ConfigSection::Agents => {
            settings.agents.iter().map(|agent| (agent.name.clone(), said(agent))).collect()
        }
        ConfigSection::HttpTools => {
            settings.tools.http.iter().map(|tool| (tool.name.clone(), without_name(said(tool)))).collect()
        }
        ConfigSection::Embeddings => {
            let config = settings.embeddings.config();
            let said = config.map(|config| match settings.parts.embeddings.contains_key(&config.provider) {
                true => json!({ "provider": config.provider }),
                false => json!({ "provider": config.provider, "model": config.model, "dims": config.dims }),
            });
            said.map(|said| (EMBEDDINGS.to_owned(), said)).into_iter().collect()
        }
    }
}

fn said(entry: &impl Serialize) -> Json {
    serde_json::to_value(entry).unwrap_or_default()
}

/// The settings of a tool of a list, whose name is not one of them.
fn without_name(mut settings: Json) -> Json {
    if let Some(members) = settings.as_object_mut() {
        members.remove("name");
    }
    settings
}

/// Names an entry of a section.
#[derive(Clone, Copy)]
pub(super) struct EntryAddress<'a> {
    /// The section.
    pub(super) section: ConfigSection,
    /// The name of the entry.
    pub(super) name: &'a str,
}

/// The new text of the file, with what it would mean.
pub(super) struct EntryDraft {
    target: ConfigEditTarget,
    text: String,
    /// The files of pasted secrets.
    files: Vec<TempPath>,
    /// What the file says now.
    before: ConfigLayer,
    /// What it would say.
    after: ConfigLayer,
    /// The configuration as the next process would read it.
    pub(super) read: AppSettings,
    /// The same before the change; `None` if it cannot be used.
    pub(super) replaced: Option<AppSettings>,
}

impl EntryDraft {
    /// The draft of an entry with exactly these settings, in the place of the one that was read.
    pub(super) fn put(
        context: &CommandContext,
        at: EntryAddress<'_>,
        edit: &ConfigEntryEdit,
        read: ReadEntry<'_>,
    ) -> Result<Self, CliError> {
        let EntryAddress { section, name } = at;
        check_name(section, name)?;
        let target = own_target(context)?;
        read.check(&target, at)?;
        let there = target.edited.settings(table_of(section), name).filter(|_| read.digest.is_some());
        let settings = edit.settings.as_object();
        let mut settings = settings.ok_or_else(|| usage(message!("provider-no-object")))?.clone();
        let has_hidden = reveal(&mut settings, there.as_ref())?;
        check_local(section, &settings, there.as_ref())?;
        let mut files = Vec::new();
        match section {
            ConfigSection::McpServers | ConfigSection::HttpTools => {
                refuse_texts(&settings, there.as_ref())?;
                let entry = format!("{}-{name}", section.word());
                files = store(context, &entry, &edit.secrets, &mut settings)?;
            }
            ConfigSection::Agents | ConfigSection::Embeddings if !edit.secrets.is_empty() => {
                return Err(usage(message!("entry-no-secrets")));
            }
            ConfigSection::Agents | ConfigSection::Embeddings => {}
        }
        let change = ConfigEntryChange::Put(settings);
        let draft = Self::plan(context, target, at, change, files)?;
        if !draft.read.uses_entry_of(&draft.after, section, name) {
            return Err(usage(message!("entry-overridden", entry = name)));
        }
        let secrets = EntrySecrets { section, name, files: &draft.files, has_hidden };
        secrets.check_addresses(&ChangedFile {
            running: &context.settings,
            before: &draft.before.tools,
            after: &draft.after.tools,
            next: &draft.read,
        })?;
        Ok(draft)
    }

    /// The draft of the file without an entry.
    pub(super) fn remove(
        context: &CommandContext,
        at: EntryAddress<'_>,
        read: ReadEntry<'_>,
    ) -> Result<Self, CliError> {
        let target = own_target(context)?;
        read.check(&target, at)?;
        Self::plan(context, target, at, ConfigEntryChange::Remove, Vec::new())
    }

    fn plan(
        context: &CommandContext,
        mut target: ConfigEditTarget,
        at: EntryAddress<'_>,
        change: ConfigEntryChange,
        files: Vec<TempPath>,
    ) -> Result<Self, CliError> {
        let unusable = |fault: ConfigFault| unusable_entry_error(&fault);
        let replaced = load(&context.flags, &context.environment).ok();
        let is_put = matches!(change, ConfigEntryChange::Put(_));
        let before = target.file.check(target.file.text.as_deref().unwrap_or_default()).map_err(unusable)?;
        target.edited.change(table_of(at.section), at.name, change).map_err(unusable)?;
        let text = target.edited.text();
        let after = target.file.check(&text).map_err(unusable)?;
        // An inline table holds no tables: what was added to one is not in the text.
        if after.has_entry(at.section, at.name) != is_put {
            let text = message!("entry-unwritable", file = target.file.shown(), entry = at.name);
            return Err(usage(text));
        }
        let read = load_with(&context.flags, &context.environment, after.clone()).map_err(unusable)?;
        Ok(Self { target, text, files, before, after, read, replaced })
    }

    /// Writes the file, and keeps the secrets that it names.
    pub(super) fn write(self, context: &CommandContext) -> Result<(), CliError> {
        write_text(context, &self.target, &self.text)?;
        self.files.into_iter().try_for_each(keep)
    }
}

/// Requires a name that is safe in the name of a file; what else it must be is checked with its entry.
fn check_name(section: ConfigSection, name: &str) -> Result<(), CliError> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    match !name.is_empty() && name.chars().all(is_plain) && is_name_of(section, name) {
        true => Ok(()),
        false => Err(usage(message!("entry-name", name = name))),
    }
}

/// The entry that somebody read before changing it.
#[derive(Clone, Copy)]
pub(super) struct ReadEntry<'a> {
    /// Makes its digest.
    pub(super) tags: &'a EntryTags,
    /// The digest; `None` means that there must be none.
    pub(super) digest: Option<&'a Digest>,
}

impl ReadEntry<'_> {
    /// Requires that the entry is the one that was read.
    fn check(self, target: &ConfigEditTarget, at: EntryAddress<'_>) -> Result<(), CliError> {
        if self.tags.digest(target, at).as_ref() == self.digest {
            return Ok(());
        }
        let text = message!("config-changed", file = target.file.shown());
        Err(CliError::new(CliExitCode::Conflict, text))
    }
}

/// Requires that what starts a program stays as the machine's file says it.
fn check_local(
    section: ConfigSection,
    settings: &Map<String, Json>,
    there: Option<&Json>,
) -> Result<(), CliError> {
    let is_other = |key: &&str| settings.get(*key) != there.and_then(|there| there.get(*key));
    match LOCAL.iter().find(|key| is_other(key)) {
        Some(key) if section == ConfigSection::McpServers => {
            Err(usage(message!("provider-local-key", key = *key)))
        }
        Some(_) | None => Ok(()),
    }
}
