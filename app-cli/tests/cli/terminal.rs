//! The command line in a real terminal: a pseudo-terminal and the content of its screen.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use vt100::Parser;

use crate::cli_fixture::CliFixture;

/// How long the program may print nothing while output is expected.
const DEADLINE: Duration = Duration::from_secs(60);

/// Scrolled rows that are kept.
const SCROLLBACK: usize = 10_000;

/// The sequence by which a program queries the cursor position.
const WHERE: &[u8] = b"\x1b[6n";

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const ENTER: &str = "\r";

/// A program that runs in a terminal; killed when dropped.
pub(crate) struct PseudoTerminal {
    _master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    said: Receiver<Vec<u8>>,
    screen: Parser,
    /// Bytes that may be the beginning of a cursor position query.
    rest: Vec<u8>,
}

impl PseudoTerminal {
    /// Starts the command in a terminal of this many columns and 24 rows.
    pub(crate) fn open(stage: &CliFixture, columns: u16, arguments: &[&str]) -> Self {
        Self::open_with(stage, columns, arguments, &[])
    }

    /// The same with these variables.
    pub(crate) fn open_with(
        stage: &CliFixture,
        columns: u16,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let size = PtySize { rows: 24, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut builder = builder(stage, arguments);
        variables.iter().for_each(|(name, value)| builder.env(name, value));
        let child = pair.slave.spawn_command(builder).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, said) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The terminal of an ended program gives an error on some systems, and nothing on others.
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if send.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let screen = Parser::new(NonZeroU16::new(24).unwrap(), NonZeroU16::new(columns).unwrap(), SCROLLBACK);
        Self { _master: pair.master, child, keys, said, screen, rest: Vec::new() }
    }

    /// Types keys.
    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Types a line.
    pub(crate) fn type_line(&mut self, line: &str) {
        self.types(line);
        self.types(ENTER);
    }

    /// Waits until the text is on the screen this many times, scrolled rows included. Blanks and line ends are ignored,
    /// because they depend on the width.
    pub(crate) fn until_times(&mut self, wanted: &str, times: usize) {
        let wanted = without_blanks(wanted);
        while without_blanks(&self.text()).matches(&wanted).count() < times {
            match self.said.recv_timeout(DEADLINE) {
                Ok(bytes) => self.take(bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("no “{wanted}” ({times} times) on the screen:\n{}", self.text())
                }
            }
        }
    }

    /// Waits until the name and a number of seconds from `least` on are on the screen: a program that stands still for a
    /// moment shows no second in between.
    pub(crate) fn until_seconds(&mut self, name: &str, least: u32) {
        let shown: Vec<String> =
            (least..60).map(|seconds| without_blanks(&format!("{name} · {seconds} s"))).collect();
        loop {
            let text = without_blanks(&self.text());
            if shown.iter().any(|one| text.contains(one)) {
                return;
            }
            match self.said.recv_timeout(DEADLINE) {
                Ok(bytes) => self.take(bytes),
                Err(_) => panic!("no seconds of “{name}” on the screen:\n{}", self.text()),
            }
        }
    }

    /// Waits until the text is on the screen.
    pub(crate) fn until(&mut self, wanted: &str) {
        self.until_times(wanted, 1);
    }

    /// Waits until the prompt is in the row of the cursor: the program waits for a line.
    pub(crate) fn until_prompt(&mut self, prompt: &str) {
        while !self.row_of_cursor().trim_start().starts_with(prompt.trim_end()) {
            match self.said.recv_timeout(DEADLINE) {
                Ok(bytes) => self.take(bytes),
                Err(_) => panic!("no prompt “{prompt}” on the screen:\n{}", self.text()),
            }
        }
    }

    /// Waits until the row of the cursor contains the text: the program waits for a key.
    pub(crate) fn until_keys(&mut self, keys: &str) {
        while !self.row_of_cursor().contains(keys) {
            match self.said.recv_timeout(DEADLINE) {
                Ok(bytes) => self.take(bytes),
                Err(_) => panic!("no keys “{keys}” on the screen:\n{}", self.text()),
            }
        }
    }

    fn row_of_cursor(&self) -> String {
        let screen = self.screen.screen();
        let (row, _) = screen.cursor_position();
        screen.rows(0, screen.size().1.get()).nth(usize::from(row)).unwrap_or_default()
    }

    /// Waits until the program has ended; returns its exit code.
    pub(crate) fn ends(&mut self) -> u32 {
        while let Ok(bytes) = self.said.recv_timeout(DEADLINE) {
            self.take(bytes);
        }
        self.child.wait().unwrap().exit_code()
    }

    /// The whole text of the screen, scrolled rows first.
    pub(crate) fn text(&mut self) -> String {
        let screen = self.screen.screen_mut();
        let columns = screen.size().1.get();
        let mut rows = Vec::new();
        for back in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(back);
            rows.extend(screen.rows(0, columns).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, columns));
        rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// The rows that the terminal had to break because the program printed more than fits, scrolled rows first.
    pub(crate) fn overfull_rows(&mut self) -> Vec<String> {
        let screen = self.screen.screen_mut();
        let (height, columns) = (screen.size().0.get(), screen.size().1.get());
        let text = |screen: &vt100::Screen, row: u16| {
            screen.row_wrapped(row).then(|| screen.rows(0, columns).nth(usize::from(row)).unwrap_or_default())
        };
        let mut rows = Vec::new();
        for back in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(back);
            rows.extend(text(screen, 0));
        }
        screen.set_scrollback(0);
        rows.extend((0..height).filter_map(|row| text(screen, row)));
        rows
    }

    /// The number of columns, and every row with content, scrolled rows first.
    pub(crate) fn cells(&mut self) -> (usize, Vec<Vec<TerminalCell>>) {
        let screen = self.screen.screen_mut();
        let (height, columns) = (screen.size().0.get(), screen.size().1.get());
        let row = |screen: &vt100::Screen, row: u16| -> Vec<TerminalCell> {
            (0..columns).filter_map(|column| screen.cell(row, column)).map(TerminalCell::from_vt100).collect()
        };
        let mut rows = Vec::new();
        for back in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(back);
            rows.push(row(screen, 0));
        }
        screen.set_scrollback(0);
        rows.extend((0..height).map(|index| row(screen, index)));
        let is_empty = |row: &Vec<TerminalCell>| row.iter().all(|cell| cell.text.trim().is_empty());
        while rows.last().is_some_and(is_empty) {
            rows.pop();
        }
        (usize::from(columns), rows)
    }

    fn take(&mut self, bytes: Vec<u8>) {
        self.rest.extend(bytes);
        while let Some(at) = self.rest.windows(WHERE.len()).position(|window| window == WHERE) {
            let before: Vec<u8> = self.rest.drain(..at + WHERE.len()).take(at).collect();
            self.screen.process(&before);
            let (row, column) = self.screen.screen().cursor_position();
            self.types(&format!("\x1b[{};{}R", row + 1, column + 1));
        }
        let kept = (1..WHERE.len()).rev().find(|length| self.rest.ends_with(&WHERE[..*length])).unwrap_or(0);
        let done: Vec<u8> = self.rest.drain(..self.rest.len() - kept).collect();
        self.screen.process(&done);
    }
}

/// A cell of the screen as it is drawn.
#[derive(Clone, Debug)]
pub(crate) struct TerminalCell {
    pub(crate) text: String,
    /// Attributes of an SVG text.
    pub(crate) style: String,
}

impl TerminalCell {
    fn from_vt100(cell: &vt100::Cell) -> Self {
        let text = match cell.contents() {
            "" if cell.is_wide_continuation() => String::new(),
            "" => " ".to_owned(),
            text => text.to_owned(),
        };
        let mut style = String::new();
        if let vt100::Color::Idx(index) = cell.fgcolor() {
            let colours = ["#5c6370", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2"];
            let colour = colours.get(usize::from(index % 8)).unwrap_or(&"#d7dae0");
            style.push_str(&format!(" fill=\"{colour}\""));
        }
        for (is_on, attribute) in [
            (cell.bold(), " font-weight=\"bold\""),
            (cell.dim(), " opacity=\"0.6\""),
            (cell.italic(), " font-style=\"italic\""),
            (cell.underline(), " text-decoration=\"underline\""),
        ] {
            style.push_str(if is_on { attribute } else { "" });
        }
        Self { text, style }
    }
}

impl Drop for PseudoTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text without blanks and line ends, which depend only on the width.
pub(crate) fn without_blanks(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

fn builder(stage: &CliFixture, arguments: &[&str]) -> CommandBuilder {
    let command = stage.command(arguments);
    let mut builder = CommandBuilder::new(command.get_program());
    builder.env_clear();
    builder.args(command.get_args());
    builder.cwd(stage.folder.path());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            builder.env(name, value);
        }
    }
    builder.env("TERM", "xterm-256color");
    builder
}
