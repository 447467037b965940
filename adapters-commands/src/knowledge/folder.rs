//! Selects the importable files of a folder. Nothing leads out of it: links are not followed, and only plain files
//! are read.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use entracte_application::ports::DocumentFormat;

/// Limits of a folder scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderLimits {
    /// The most levels of nested folders.
    pub depth: usize,
    /// The most files.
    pub files: usize,
    /// The most bytes of one file.
    pub bytes: u64,
}

/// A file that may be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFile {
    /// Its path on disk.
    pub path: PathBuf,
    /// Its path relative to the folder, with `/`: the name of the document.
    pub name: String,
    /// Its format, from its file name extension.
    pub format: DocumentFormat,
}

/// Why a file or folder is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSkipReason {
    /// It is a link.
    Link,
    /// It is a pipe, socket or device.
    Special,
    /// No reader knows its file name extension.
    Format,
    /// It is hidden: its name begins with a dot.
    Hidden,
    /// It is nested deeper than the limit.
    Depth,
    /// The limit of files is reached.
    Number,
    /// It cannot be read.
    Unreadable,
}

/// The result of a folder scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderScan {
    /// The files that may be imported, by name.
    pub files: Vec<FolderFile>,
    /// The skipped paths, with the reason.
    pub left_out: Vec<(PathBuf, FileSkipReason)>,
}

/// The format of a file by its extension; `None` if no reader knows it.
pub fn format_of(path: &Path) -> Option<DocumentFormat> {
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match end.as_str() {
        "md" | "markdown" | "mdown" | "mkd" => DocumentFormat::Markdown,
        "txt" | "text" | "rst" | "adoc" | "log" => DocumentFormat::Text,
        "html" | "htm" | "xhtml" => DocumentFormat::Html,
        "pdf" => DocumentFormat::Pdf,
        "csv" | "tsv" => DocumentFormat::Csv,
        "json" | "jsonl" | "ndjson" => DocumentFormat::Json,
        _ => return None,
    })
}

/// Scans a folder for importable files.
///
/// # Errors
///
/// When the root folder cannot be read.
pub fn scan_folder(root: &Path, limits: FolderLimits) -> io::Result<FolderScan> {
    let mut gathered = FolderScan::default();
    let mut folders = vec![(root.to_owned(), 0_usize)];
    while let Some((folder, depth)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if depth == 0 => return Err(error),
            Err(_) => {
                gathered.left_out.push((folder, FileSkipReason::Unreadable));
                continue;
            }
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            match classify_entry(&path, ScanProgress { depth, files: gathered.files.len() }, limits) {
                Ok(FolderEntryKind::Folder) => folders.push((path, depth + 1)),
                Ok(FolderEntryKind::File(format)) => {
                    let name = name_in(root, &path);
                    gathered.files.push(FolderFile { path, name, format });
                }
                Err(why) => gathered.left_out.push((path, why)),
            }
        }
    }
    gathered.files.sort_by(|one, other| one.name.cmp(&other.name));
    gathered.left_out.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(gathered)
}

enum FolderEntryKind {
    Folder,
    File(DocumentFormat),
}

/// The position of a scan, as far as limits apply to it.
#[derive(Clone, Copy)]
struct ScanProgress {
    /// Folders between the root and the entry.
    depth: usize,
    /// Files found so far.
    files: usize,
}

fn classify_entry(
    path: &Path,
    progress: ScanProgress,
    limits: FolderLimits,
) -> Result<FolderEntryKind, FileSkipReason> {
    let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    if hidden {
        return Err(FileSkipReason::Hidden);
    }
    // The metadata of a link itself, not of its target.
    let kind = fs::symlink_metadata(path).map_err(|_| FileSkipReason::Unreadable)?.file_type();
    if kind.is_symlink() {
        Err(FileSkipReason::Link)
    } else if kind.is_dir() {
        if progress.depth < limits.depth { Ok(FolderEntryKind::Folder) } else { Err(FileSkipReason::Depth) }
    } else if !kind.is_file() {
        Err(FileSkipReason::Special)
    } else if progress.files >= limits.files {
        Err(FileSkipReason::Number)
    } else {
        format_of(path).map(FolderEntryKind::File).ok_or(FileSkipReason::Format)
    }
}

fn name_in(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

/// Reads a plain file, at most one byte more than `most`. Refuses one that has become a special file, or a link out
/// of `root`.
///
/// # Errors
///
/// When the file cannot be read, is no plain file, or is outside `root`.
pub fn read(root: &Path, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let inside = fs::canonicalize(path)?.starts_with(fs::canonicalize(root)?);
    let is_plain = fs::symlink_metadata(path)?.is_file();
    if !inside || !is_plain {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file of the folder"));
    }
    read_plain(path, most)
}

/// Like [`read`], for a file that a person named: it may be a link.
///
/// # Errors
///
/// When the file cannot be read, or is no plain file.
pub fn read_plain(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Checked before opening, because opening a pipe waits for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
