//! The file format: read as a whole, written to a temporary file and renamed atomically.

use std::fs::{DirBuilder, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{DeclarationPin, PinError, PinFileContent, PinFileDamage, VERSION};

pub(super) fn read(path: &Path) -> Result<PinFileContent, PinError> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(PinFileContent { version: VERSION, servers: Default::default() });
        }
        Err(error) => return Err(PinError::Unreadable { path: shown(path), cause: error }),
    };
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<PinFileContent, PinError> {
    let head: PinFileHead = serde_json::from_str(text).map_err(|fault| damaged(path, unreadable(&fault)))?;
    match head.version.as_ref().and_then(serde_json::Value::as_u64) {
        None => return Err(damaged(path, PinFileDamage::NoVersion)),
        Some(found) if found > u64::from(VERSION) => {
            return Err(PinError::Version { path: shown(path), found });
        }
        Some(_) => {}
    }
    let pins: PinFileContent =
        serde_json::from_str(text).map_err(|fault| damaged(path, unreadable(&fault)))?;
    for (server, known) in &pins.servers {
        for (tool, known) in &known.tools {
            let kept = [&known.accepted, &known.offered];
            if kept.into_iter().flatten().any(|pin| !fits(pin, tool)) {
                return Err(damaged(path, PinFileDamage::Hash { tool: format!("{server}.{tool}") }));
            }
        }
    }
    Ok(pins)
}

/// What tells whether this program reads the rest.
#[derive(Deserialize)]
struct PinFileHead {
    version: Option<serde_json::Value>,
}

fn fits(pin: &DeclarationPin, tool: &str) -> bool {
    pin.declaration.name == tool && pin.declaration.hash().as_str() == pin.hash
}

/// Takes the lock that one process holds while it reads and writes.
pub(super) fn lock(path: &Path) -> Result<File, PinError> {
    let beside = sibling_path(path, "lock");
    let locked = make_folder(path).and_then(|()| {
        let file = File::options().create(true).truncate(false).write(true).open(beside)?;
        file.lock()?;
        Ok(file)
    });
    locked.map_err(|error| unwritable(path, error))
}

/// With a database server, nothing else has created the data folder.
fn make_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    path.parent().map_or(Ok(()), |folder| builder.create(folder))
}

pub(super) fn write(path: &Path, pins: &PinFileContent) -> Result<(), PinError> {
    replace(path, pins).map_err(|error| unwritable(path, error))
}

fn replace(path: &Path, pins: &PinFileContent) -> std::io::Result<()> {
    let new = sibling_path(path, "new");
    let mut file = File::create(&new)?;
    serde_json::to_writer_pretty(&mut file, pins)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    std::fs::rename(&new, path)
}

fn sibling_path(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    PathBuf::from(name)
}

fn unwritable(path: &Path, error: std::io::Error) -> PinError {
    PinError::Unwritable { path: shown(path), cause: error }
}

fn damaged(path: &Path, problem: PinFileDamage) -> PinError {
    PinError::Damaged { path: shown(path), problem }
}

fn unreadable(fault: &serde_json::Error) -> PinFileDamage {
    PinFileDamage::Unreadable(fault.to_string())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
