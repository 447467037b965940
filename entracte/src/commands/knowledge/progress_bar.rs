//! A progress bar on one row.

use crate::render::text::one_line;

/// `[████······] 34/120 guide/travel.md`, on one row.
pub(super) fn bar(done: usize, count: usize, name: &str) -> String {
    const WIDTH: usize = 20;
    const NAME: usize = 40;
    let filled = done * WIDTH / count.max(1);
    let name: String = one_line(name).chars().take(NAME).collect();
    let filled = filled.min(WIDTH);
    format!("[{}{}] {done}/{count} {name}", "█".repeat(filled), "·".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_fills_with_progress() {
        assert_eq!(bar(5, 20, "a.md"), format!("[{}{}] 5/20 a.md", "█".repeat(5), "·".repeat(15)));
        assert_eq!(bar(0, 0, "a\nb"), format!("[{}] 0/0 {}", "·".repeat(20), one_line("a\nb")));
    }
}
