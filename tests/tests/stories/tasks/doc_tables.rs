//! The tables of docs/TASKS.md.

/// The rows of the table under this heading, each as its cells.
pub(crate) fn table(heading: &str) -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/TASKS.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, chapter) = page.split_once(&format!("## {heading}\n")).unwrap();
    let chapter = chapter.split("\n## ").next().unwrap();
    let lines = chapter.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    lines.map(cells).collect()
}
