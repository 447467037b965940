//! A child, seen from its parent.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport};

/// A running child; killed with -9 when it is dropped.
#[derive(Debug)]
pub struct BenchWorkerProcess {
    child: Child,
    words: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl BenchWorkerProcess {
    /// Starts one.
    pub fn start(orders: &BenchWorkerConfig) -> Self {
        Self::start_under(&[], orders)
    }

    /// Starts one that another program watches, which is called with these words before it.
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

    /// Waits for its next answer.
    pub fn hear(&mut self) -> BenchWorkerReport {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the child answers");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the child ended: {line}"))
    }

    /// Says one word and waits for the answer.
    pub fn ask(&mut self, word: &str) -> BenchWorkerReport {
        let words = self.words.as_mut().expect("its input is piped");
        writeln!(words, "{word}").expect("the child listens");
        self.hear()
    }

    /// Says that there is nothing more to do, and waits until it has ended by itself.
    pub fn end(mut self) {
        self.words = None;
        self.child.wait().expect("the child ends");
    }
}

impl Drop for BenchWorkerProcess {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
