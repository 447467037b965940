//! The metrics, as Prometheus reads them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::cli_fixture::{CliFixture, command_output};
use crate::server::{get_text, serve, token};

const SPEAKS: &str = "[[turn]]\ntext = \"One.\"\n";

/// Input: the metrics of a server that has answered, in both formats; expected: the checker of Prometheus, which knows the
/// older one alone, finds nothing in it, and the newer one has the same samples. Runs where `ENTRACTE_TEST_PROMTOOL` names
/// the checker (`.ci/world metrics`).
#[test]
fn promtool_check_is_clean() {
    let Some(promtool) = std::env::var_os("ENTRACTE_TEST_PROMTOOL") else { return };
    let stage = CliFixture::with_script(SPEAKS);
    stage.send_in_new_session("one", 0);
    let (_, root) = token(&stage, &["--person", "root", "--everywhere", "--scope", "read"]);
    let served = serve(&stage);
    let read = |accept: &str| {
        let (status, text) = get_text(&served, "/metrics", &root, accept);
        assert_eq!(status, 200, "{text}");
        text
    };
    // The first request has a sample of its own.
    read("");
    let text = read("");
    let mut check = Command::new(promtool);
    check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut check = check.spawn().unwrap();
    check.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let found = command_output(check.wait_with_output().unwrap());
    assert_eq!((found.code, found.out.as_str(), found.err.as_str()), (0, "", ""), "{text}");

    let open = read("Accept: application/openmetrics-text; version=1.0.0\r\n");
    assert!(open.ends_with("# EOF\n") && !text.contains("# EOF"), "{open}");
    let names = |text: &str| -> Vec<String> {
        let samples = text.lines().filter(|line| !line.starts_with('#'));
        samples.filter_map(|line| Some(line.rsplit_once(' ')?.0.to_owned())).collect()
    };
    assert_eq!(names(&open), names(&text));
}
