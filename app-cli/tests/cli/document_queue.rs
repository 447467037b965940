//! Documents that take long, or crash their reader: they hinder no other document, and end with whoever waits for them.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::server::{ServeServerProcess, end, send_request, serve, token};
use crate::untrusted_documents::{pdf_of, zlib};

/// Maximum number of looks at the processes of this machine.
const LOOKS: u32 = 100_000;

/// Bounds that a slow PDF does not reach within a test.
const PATIENT: &str = "[reader]\ncpu = \"1h\"\n";

/// A PDF that takes minutes to read: many pages with the same long content.
fn slow_pdf() -> Vec<u8> {
    let pages = 10_000;
    let content = zlib(b"q Q ", 1 << 20);
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", page + 4)).collect();
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        format!("<</Type/Pages/Kids[{}]/Count {pages}>>", kids.join(" ")).into_bytes(),
        content,
    ];
    let page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<<>>>>";
    objects.extend(std::iter::repeat_n(page.to_vec(), pages));
    pdf_of(&objects)
}

/// A server with a slow PDF.
struct QueueFixture {
    stage: CliFixture,
    served: ServeServerProcess,
    token: String,
    pdf: String,
}

impl QueueFixture {
    fn with_config(config: &str) -> Self {
        let stage = CliFixture::with_config(&format!("{PATIENT}{config}"));
        let (_, token) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
        let served = serve(&stage);
        Self { stage, served, token, pdf: BASE64.encode(slow_pdf()) }
    }

    /// Sends a slow PDF, without waiting for the answer.
    fn send_pdf(&self, name: &str) -> TcpStream {
        let body = json!({ "pdf": self.pdf }).to_string();
        self.send(
            &format!("PUT /v1/workspaces/local:main/documents/{name}/pdf"),
            "application/json",
            body.as_bytes(),
        )
    }

    /// Sends an image that needs a reader, without waiting for the answer.
    fn send_animation(&self, name: &str) -> TcpStream {
        let frame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0];
        let screen = [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255];
        let gif = [&b"GIF89a"[..], &screen, &frame, &frame, &[0x3b]].concat();
        self.send(
            &format!("POST /v1/workspaces/local:main/files?name={name}"),
            "application/octet-stream",
            &gif,
        )
    }

    fn send(&self, line: &str, content_type: &str, body: &[u8]) -> TcpStream {
        let address = &self.served.address;
        let head = format!(
            "{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            self.token,
            body.len()
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        stream
    }

    fn send_text(&self, name: &str, format: &str, text: &str) -> (u16, Value) {
        let path = format!("/v1/workspaces/local:main/documents/{name}");
        send_request(&self.served, "PUT", &path, &self.token, "", &json!({ "format": format, "text": text }))
    }

    fn process(&self) -> u32 {
        self.served.running.child.id()
    }
}

/// The head and the body of an answer.
fn answer(mut stream: TcpStream) -> (String, Value) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_lowercase(), serde_json::from_str(body).unwrap())
}

/// Whether a process reads a document.
fn is_reading(process: i32) -> bool {
    let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    arguments.split(|byte| *byte == 0).nth(1) == Some(b"__read")
}

/// The processes of a parent that read documents.
fn readers(parent: u32) -> Vec<i32> {
    let all = std::fs::read_dir("/proc").unwrap();
    let numbers = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |process: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        status.lines().any(|line| line == format!("PPid:\t{parent}"))
    };
    numbers.filter(|process| is_reading(*process)).filter(is_child).collect()
}

/// Waits until a condition holds.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if holds() {
            return;
        }
        std::thread::yield_now();
    }
    panic!("it never happens: {what}");
}

/// Waits until a process has so many readers, and returns them.
fn wait_for_readers(parent: u32, count: usize) -> Vec<i32> {
    let mut found = Vec::new();
    wait_until(&format!("{count} readers"), || {
        found = readers(parent);
        found.len() == count
    });
    found
}

/// Waits until another reader than this one works.
fn wait_for_other_reader(parent: u32, than: i32) -> i32 {
    let mut found = Vec::new();
    wait_until("another reader", || {
        found = readers(parent);
        found.len() == 1 && !found.contains(&than)
    });
    found[0]
}

fn send_signal(process: i32, signal: Signal) {
    kill(Pid::from_raw(process), signal).unwrap();
}

/// Input: two PDFs that hold both readers for as long as the test lasts, then small documents of each text format;
/// expected: the small ones are stored meanwhile.
#[test]
fn large_pdf_does_not_block_other_readers() {
    let mut scene = QueueFixture::with_config("");
    let waiting = [scene.send_pdf("one.pdf"), scene.send_pdf("two.pdf"), scene.send_pdf("three.pdf")];
    for reader in wait_for_readers(scene.process(), 2) {
        send_signal(reader, Signal::SIGSTOP);
    }
    let documents = [
        ("page.html", "html", "<p>Lunch costs 15 euros.</p>"),
        ("guide.md", "markdown", "# Travel\n\nBy train.\n"),
        ("note.txt", "text", "Call the plumber."),
        ("staff.csv", "csv", "name,city\nAnn,Lyon\n"),
        ("hotel.json", "json", "{\"rooms\": 2}"),
    ];
    for (name, format, text) in documents {
        let (status, stored) = scene.send_text(name, format, text);
        assert_eq!(status, 201, "{name}: {stored}");
    }
    assert_eq!(readers(scene.process()).len(), 2, "the PDFs are still being read");
    drop(waiting);
    wait_for_readers(scene.process(), 0);
    assert_eq!(end(&mut scene.served), 0);
}

/// Input: a PDF that is read, then one more and an animation where none may wait; expected: 503 with the seconds to wait,
/// the file, and the setting.
#[test]
fn full_reading_queue_answers_retry_after() {
    let mut scene = QueueFixture::with_config("[knowledge]\nreaders = 1\nwaiting = 0\n");
    let held = scene.send_pdf("one.pdf");
    let [reader] = wait_for_readers(scene.process(), 1)[..] else { panic!("one reader") };
    send_signal(reader, Signal::SIGSTOP);
    for (name, sent) in
        [("two.pdf", scene.send_pdf("two.pdf")), ("party.gif", scene.send_animation("party.gif"))]
    {
        let (head, refused) = answer(sent);
        assert!(head.starts_with("http/1.1 503") && head.contains("\r\nretry-after: 5\r\n"), "{head}");
        assert_eq!(refused["code"], "readers-busy", "{refused}");
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.contains(name) && detail.contains("knowledge.waiting"), "{detail}");
    }
    drop(held);
    wait_for_readers(scene.process(), 0);
    assert_eq!(end(&mut scene.served), 0);
}

/// Input: a PDF that is read, and one more that may wait for a moment only; expected: 503 with the seconds to wait, the
/// file, and the setting.
#[test]
fn wait_for_reader_is_limited() {
    let mut scene = QueueFixture::with_config("[knowledge]\nreaders = 1\nwait_timeout = \"1s\"\n");
    let held = scene.send_pdf("one.pdf");
    let [reader] = wait_for_readers(scene.process(), 1)[..] else { panic!("one reader") };
    send_signal(reader, Signal::SIGSTOP);
    let (head, refused) = answer(scene.send_pdf("two.pdf"));
    assert!(head.starts_with("http/1.1 503") && head.contains("\r\nretry-after: 5\r\n"), "{head}");
    assert_eq!(refused["code"], "readers-busy", "{refused}");
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.starts_with("two.pdf: it waited 1 s for a reader"), "{detail}");
    assert_eq!(readers(scene.process()), [reader], "the one that is read goes on");
    drop(held);
    wait_for_readers(scene.process(), 0);
    assert_eq!(end(&mut scene.served), 0);
}

/// Inputs: a request that is dropped while its PDF is read and another waits, a server that is killed, and a command
/// that is killed; expected: their readers end at once, and the waiting PDF has its turn.
#[test]
fn dropped_request_ends_its_reader() {
    let mut scene = QueueFixture::with_config("[knowledge]\nreaders = 1\n");
    let first = scene.send_pdf("one.pdf");
    let [reader] = wait_for_readers(scene.process(), 1)[..] else { panic!("one reader") };
    let second = scene.send_pdf("two.pdf");
    first.shutdown(Shutdown::Both).unwrap();
    let next = wait_for_other_reader(scene.process(), reader);
    assert!(!is_reading(reader));
    scene.served.running.child.kill().unwrap();
    scene.served.running.child.wait().unwrap();
    wait_until("the reader of a killed server ends", || !is_reading(next));
    drop(second);

    std::fs::write(scene.stage.folder.path().join("slow.pdf"), slow_pdf()).unwrap();
    let mut command = scene.stage.begin(&["knowledge", "add", "slow.pdf"]);
    let [reader] = wait_for_readers(command.child.id(), 1)[..] else { panic!("one reader") };
    command.child.kill().unwrap();
    command.child.wait().unwrap();
    wait_until("the reader of a killed command ends", || !is_reading(reader));
}

/// Inputs: a reader that crashes, of a server and of a command; expected: the file is refused by its name, with what to
/// do, no advice about sessions and no path of the machine that built the program; the next document is read.
#[test]
fn reader_crash_is_isolated() {
    let mut scene = QueueFixture::with_config("[knowledge]\nreaders = 1\n");
    let sent = scene.send_pdf("map.pdf");
    let [reader] = wait_for_readers(scene.process(), 1)[..] else { panic!("one reader") };
    send_signal(reader, Signal::SIGSEGV);
    let (head, refused) = answer(sent);
    assert!(head.starts_with("http/1.1 422"), "{head} {refused}");
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.starts_with("map.pdf: its reader crashed (signal: 11"), "{detail}");
    assert!(detail.contains("save it again with another program"), "{detail}");
    let page = "<p>Lunch costs 15 euros.</p>".repeat(20_000);
    let (status, stored) = scene.send_text("large.html", "html", &page);
    assert_eq!(status, 201, "{stored}");
    assert_eq!(end(&mut scene.served), 0);

    std::fs::write(scene.stage.folder.path().join("map.pdf"), slow_pdf()).unwrap();
    let mut command = scene.stage.begin(&["knowledge", "add", "map.pdf"]);
    let [reader] = wait_for_readers(command.child.id(), 1)[..] else { panic!("one reader") };
    send_signal(reader, Signal::SIGSEGV);
    let told = command.lines_until("entracte knowledge add --help").join("\n");
    assert_eq!(command.child.wait().unwrap().code(), Some(2), "{told}");
    assert!(told.contains("map.pdf: its reader crashed (signal: 11"), "{told}");
    assert!(!told.contains("verify") && !told.contains("/src/"), "{told}");
}
