//! Starts the mock of model APIs (`@copilotkit/aimock`, installed by `.ci/peers`) for a test.
//!
//! It listens on a port of its own on this machine, plays `tests/aimock/fixtures`, and is killed when dropped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A running mock server.
#[derive(Debug)]
pub struct AimockServerProcess {
    child: Child,
    address: String,
}

impl AimockServerProcess {
    /// Starts a mock server; the error message says how to install it.
    pub fn start() -> Result<Self, String> {
        let home = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("aimock");
        let program = home.join("node_modules/@copilotkit/aimock/dist/cli.js");
        if !program.is_file() {
            return Err("aimock is not installed; run .ci/peers".to_owned());
        }
        let mut child = Command::new("node")
            .arg(program)
            .args(["--port", "0", "--strict", "--validate-on-load", "--fixtures"])
            .arg(home.join("fixtures"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("node cannot be started ({error}); install Node.js 20 or later"))?;
        let Some(stdout) = child.stdout.take() else { return Err("aimock has no output".to_owned()) };
        let mut aimock = Self { child, address: String::new() };
        aimock.address = address(stdout)?;
        Ok(aimock)
    }

    /// Its base URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests it received, as JSON.
    pub fn journal(&self) -> Result<String, String> {
        let read = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(&self.address)?;
            stream.set_read_timeout(Some(Duration::from_secs(10)))?;
            stream.write_all(b"GET /__aimock/journal HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = read().map_err(|error| format!("aimock's journal cannot be read: {error}"))?;
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        body.ok_or_else(|| format!("aimock's journal is no answer: {answer}"))
    }
}

impl Drop for AimockServerProcess {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the address from the line that announces it; later output is read and discarded, because a full pipe would
/// block the server.
fn address(stdout: ChildStdout) -> Result<String, String> {
    let mut lines = BufReader::new(stdout).lines();
    let mut said = String::new();
    for line in lines.by_ref().map_while(Result::ok) {
        if let Some((_, address)) = line.split_once("listening on http://") {
            let address = address.trim().to_owned();
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(address);
        }
        said.push_str(&line);
        said.push('\n');
    }
    Err(format!("aimock ended before it listened:\n{said}"))
}
