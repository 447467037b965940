//! Telemetry: a collector in the test receives the spans of a round, and none of its content.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Told;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use crate::cli_fixture::{CliCommandOutput, CliFixture, command_output};

/// Paths and bodies of requests.
type TelemetryRequestLog = Mutex<Vec<(String, Vec<u8>)>>;

/// A collector of telemetry; also the address that notes are sent to.
struct FakeTelemetryCollector {
    address: String,
    heard: Arc<TelemetryRequestLog>,
}

impl FakeTelemetryCollector {
    fn listens() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard = Arc::new(TelemetryRequestLog::default());
        let kept = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = kept.clone();
                std::thread::spawn(move || while record_request(&stream, &kept).is_some() {});
            }
        });
        Self { address, heard }
    }

    fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter(|(heard, _)| heard == path).map(|(_, body)| body.clone()).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let requests = self.bodies("/v1/traces");
        let requests = requests.iter().map(|body| ExportTraceServiceRequest::decode(&body[..]).unwrap());
        let scopes =
            requests.flat_map(|request| request.resource_spans).flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }

    fn metrics(&self) -> Vec<String> {
        let requests = self.bodies("/v1/metrics");
        let requests = requests.iter().map(|body| ExportMetricsServiceRequest::decode(&body[..]).unwrap());
        let scopes =
            requests.flat_map(|request| request.resource_metrics).flat_map(|resource| resource.scope_metrics);
        scopes.flat_map(|scope| scope.metrics).map(|metric| metric.name).collect()
    }
}

/// Records one request; `None` at the end of the connection.
fn record_request(stream: &TcpStream, heard: &TelemetryRequestLog) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut path, mut length) = (String::new(), 0);
    for line in reader.by_ref().lines() {
        let line = line.ok()?;
        if path.is_empty() {
            path = line.split(' ').nth(1)?.to_owned();
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    if path.is_empty() {
        return None;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let is_note = path == "/note";
    heard.lock().unwrap().push((path, body));
    let answer = if is_note { "CANARY-RESULT" } else { "" };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
    let mut stream = stream;
    stream.write_all(head.as_bytes()).ok()
}

const SENDS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "CANARY-WORDS", "actions": [{"type": "notes.send", "params": {"to": "CANARY-ARGUMENT"}}], "keep_control": true}'''
[[turn]]
envelope = '''{"pre_text": "CANARY-LAST"}'''
"#;

/// A model that sends a note after an approval, in a fixture that reports to this collector if `told`.
fn stage(collector: &FakeTelemetryCollector, told: bool) -> CliFixture {
    let address = &collector.address;
    let telemetry = format!("[telemetry]\notlp_endpoint = \"http://{address}\"\n");
    let stage = CliFixture::with_config(&format!(
        "{}[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
         [tools.http]\nallow = [\"127.0.0.1\"]\n\
         [[tools.http.tool]]\nname = \"notes.send\"\nmethod = \"POST\"\nurl = \"http://{address}/note\"\n\
         body = \"json\"\ndoc = \"Sends a note.\"\n\
         arguments = {{ type = \"object\", properties = {{ to = {{ type = \"string\" }} }}, \
         additionalProperties = false }}\n",
        if told { telemetry.as_str() } else { "" }
    ));
    stage.write("story.toml", SENDS);
    stage
}

/// The same history each time: requested in one process, approved and executed in another one. Returns the session, and
/// the log of the first process.
fn run_telemetry_scenario(stage: &CliFixture, collector: &FakeTelemetryCollector) -> (String, String) {
    let run = |arguments: &[&str]| -> CliCommandOutput {
        let mut command = stage.command(arguments);
        // Environment variables alone enable nothing.
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{}", collector.address));
        command_output(command.env("ENTRACTE_LOG", "debug").output().unwrap())
    };
    let asked = run(&[
        "--json",
        "chat",
        "--model",
        "story-1",
        "--name",
        "CANARY-NAME",
        "--message",
        "CANARY-QUESTION",
    ])
    .expect(3);
    let session = asked.json()["session"].as_str().unwrap().to_owned();
    run(&["approve", "--session", &session, "--all"]).expect(0);
    (session, asked.err)
}

fn text<'a>(span: &'a Span, key: &str) -> Option<&'a str> {
    let found = span.attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        Told::StringValue(text) => Some(text),
        other => panic!("{key} is no text: {other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Input: a round that calls a model, waits for an approval, and continues in another process; expected: one trace
/// under the id of the log, with a span until the wait, and another trace, linked to the first, after it.
#[test]
fn a_round_is_a_trace_with_genai_names() {
    let collector = FakeTelemetryCollector::listens();
    let (session, log) = run_telemetry_scenario(&stage(&collector, true), &collector);
    let spans = collector.spans();
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    let agents: Vec<&Span> = spans.iter().filter(|span| span.name == "invoke_agent").collect();
    assert_eq!(agents.len(), 3, "asked, gone on, and the next round: {names:?}");
    let (first, resumed, next) = (agents[0], agents[1], agents[2]);
    let trace = log.split("trace=\"").nth(1).or(log.split("trace=").nth(1)).unwrap();
    assert_eq!(hex(&first.trace_id), trace[..32], "the id of the log");
    assert!(first.parent_span_id.is_empty() && first.links.is_empty());
    assert_eq!(resumed.trace_id, first.trace_id);
    assert_eq!(resumed.links.len(), 1, "it goes on from the first: {resumed:?}");
    assert_eq!((&resumed.links[0].span_id, &resumed.links[0].trace_id), (&first.span_id, &first.trace_id));
    assert_ne!(next.trace_id, first.trace_id, "another round is another trace");
    assert!(first.end_time_unix_nano <= resumed.start_time_unix_nano, "the wait is in no span");

    let chats: Vec<&Span> = spans.iter().filter(|span| span.name == "chat story-1").collect();
    assert_eq!(chats.len(), 2, "{names:?}");
    assert_eq!((&chats[0].trace_id, &chats[0].parent_span_id), (&first.trace_id, &first.span_id));
    assert_eq!((&chats[1].trace_id, &chats[1].parent_span_id), (&next.trace_id, &next.span_id));
    let about = [
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "entracte.provider",
        "gen_ai.request.model",
        "gen_ai.conversation.id",
    ];
    let expected = ["chat", "rehearsal", "stage", "story-1", &session];
    assert_eq!(about.map(|key| text(chats[0], key)), expected.map(Some));
    let tool = spans.iter().find(|span| span.name == "execute_tool notes.send").unwrap();
    assert_eq!((&tool.trace_id, &tool.parent_span_id), (&first.trace_id, &resumed.span_id));
    assert!(text(tool, "gen_ai.tool.call.id").is_some_and(|id| id.starts_with("cal_")));
    let metrics = collector.metrics();
    let wanted = ["client.inference.duration", "execute_tool.duration", "invoke_agent.duration"];
    for name in wanted.map(|name| format!("gen_ai.{name}")) {
        assert!(metrics.contains(&name), "{name}: {metrics:?}");
    }
}

/// Input: the same with words, a name, arguments and a result that are easily found; expected: none of them is sent.
#[test]
fn no_content_leaves_in_a_span() {
    let collector = FakeTelemetryCollector::listens();
    run_telemetry_scenario(&stage(&collector, true), &collector);
    let sent: Vec<Vec<u8>> =
        ["/v1/traces", "/v1/metrics"].iter().flat_map(|path| collector.bodies(path)).collect();
    assert!(!sent.is_empty());
    for body in &sent {
        assert!(!String::from_utf8_lossy(body).contains("CANARY"), "{}", String::from_utf8_lossy(body));
    }
    assert_eq!(collector.bodies("/note").len(), 1, "it was done, once");
}

/// Input: the same without the setting, though variables name a collector; expected: nothing is sent.
#[test]
fn telemetry_off_sends_nothing() {
    let collector = FakeTelemetryCollector::listens();
    run_telemetry_scenario(&stage(&collector, false), &collector);
    assert_eq!((collector.bodies("/v1/traces").len(), collector.bodies("/v1/metrics").len()), (0, 0));
    assert_eq!(collector.bodies("/note").len(), 1);
}

/// Input: a collector that is not available; expected: the work is done nevertheless.
#[test]
fn a_collector_that_is_away_hinders_nothing() {
    let collector = FakeTelemetryCollector::listens();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let stage = stage(&collector, false);
    let config = std::fs::read_to_string(stage.folder.path().join("entracte.toml")).unwrap();
    let telemetry = format!("[telemetry]\notlp_endpoint = \"http://{gone}\"\ntimeout = \"200ms\"\n");
    stage.write("entracte.toml", &format!("{config}{telemetry}"));
    run_telemetry_scenario(&stage, &collector);
    assert_eq!(collector.bodies("/note").len(), 1);
}
