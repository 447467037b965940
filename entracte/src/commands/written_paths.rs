//! Paths as people write them, and as terminals write files that are dropped on them. Pure.

use std::path::PathBuf;

/// The paths of a line. Spaces separate them; quotes and, where they are no separators of folders, backslashes keep a
/// space in a path. `~/` is the home folder, and a `file:` address is a path.
pub(super) fn written_paths(line: &str, home: Option<&str>) -> Vec<PathBuf> {
    words(line).iter().map(|word| path_of(word, home)).collect()
}

/// The paths of a line that consists of absolute paths alone; `None` for every other line.
pub(super) fn dropped_paths(line: &str, home: Option<&str>) -> Option<Vec<PathBuf>> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let paths = written_paths(line, home);
    let are_dropped = !paths.is_empty() && paths.iter().all(|path| path.is_absolute());
    are_dropped.then_some(paths)
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) if std::path::MAIN_SEPARATOR != '\\' => {
                word.get_or_insert_default().extend(characters.next());
            }
            (space, None) if space.is_whitespace() => words.extend(word.take()),
            (_, None | Some(_)) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

fn path_of(word: &str, home: Option<&str>) -> PathBuf {
    if let Some(path) = word.starts_with("file:").then(|| url::Url::parse(word).ok()?.to_file_path().ok()) {
        return path.unwrap_or_else(|| PathBuf::from(word));
    }
    match (word.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        (Some(_) | None, _) => PathBuf::from(word),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<String> {
        let paths = written_paths(line, Some("/home/ann"));
        paths.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn paths_are_read_as_terminals_write_them() {
        assert_eq!(read("a.png  b.pdf"), ["a.png", "b.pdf"]);
        assert_eq!(read(r"/tmp/a\ b.png"), ["/tmp/a b.png"]);
        assert_eq!(read("'/tmp/a b.png' \"/tmp/c d.png\""), ["/tmp/a b.png", "/tmp/c d.png"]);
        assert_eq!(read(r"'/tmp/it'\''s.png'"), ["/tmp/it's.png"]);
        assert_eq!(read("~/shot.png"), ["/home/ann/shot.png"]);
        assert_eq!(read("file:///tmp/a%20b.png"), ["/tmp/a b.png"]);
        assert_eq!(read("'/tmp/open"), ["/tmp/open"]);
        assert_eq!(read(" "), [""; 0]);
    }

    #[test]
    fn only_lines_of_absolute_paths_are_dropped_files() {
        let is_dropped = |line: &str| dropped_paths(line, Some("/home/ann")).is_some();
        assert!(is_dropped("/tmp/a.png '/tmp/b c.png' "));
        assert!(is_dropped("~/a.png") && is_dropped("file:///tmp/a.png"));
        for message in ["/etc/hosts is wrong", "a.png", " /tmp/a.png", "", "see /tmp/a.png"] {
            assert!(!is_dropped(message), "{message}");
        }
    }
}
