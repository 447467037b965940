//! A child process as its parent sees it.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport};

/// A running child process; killed with -9 when dropped.
#[derive(Debug)]
pub struct BenchWorkerProcess {
    child: Child,
    words: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl BenchWorkerProcess {
    /// Starts a child process.
    pub fn start(orders: &BenchWorkerConfig) -> Self {
        Self::start_under(&[], orders)
    }

    /// Starts a child process under a tracing program, whose command line is `watcher`.
    pub fn start_under(watcher: &[String], orders: &BenchWorkerConfig) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut words = watcher.iter().map(OsString::from).chain([program.into_os_string()]);
        let mut child = Command::new(words.next().expect("there is the program"))
            .args(words)
            .arg("child")
            .arg(serde_json::to_string(orders).expect("orders are plain data"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the child starts");
        let words = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("its output is piped"));
        Self { child, words, answers }
    }

    /// Waits for its next report.
    pub fn hear(&mut self) -> BenchWorkerReport {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the child answers");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the child ended: {line}"))
    }

    /// Sends one command and waits for the report.
    pub fn ask(&mut self, word: &str) -> BenchWorkerReport {
        let words = self.words.as_mut().expect("its input is piped");
        writeln!(words, "{word}").expect("the child listens");
        self.hear()
    }

    /// Closes its input and waits until it has ended by itself.
    pub fn end(mut self) {
        self.words = None;
        self.child.wait().expect("the child ends");
    }
}

impl Drop for BenchWorkerProcess {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
