//! The metrics, as Prometheus reads them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::cli_fixture::{CliFixture, command_output};
use crate::server::{get_text, serve, token};

const SPEAKS: &str = "[[turn]]\ntext = \"One.\"\n";

/// Input: the metrics of a server that has answered, in both formats; expected: the checker of Prometheus finds nothing.
/// Runs where `ENTRACTE_TEST_PROMTOOL` names its program (`.ci/world metrics`).
#[test]
fn promtool_check_is_clean() {
    let Some(promtool) = std::env::var_os("ENTRACTE_TEST_PROMTOOL") else { return };
    let stage = CliFixture::with_script(SPEAKS);
    stage.send_in_new_session("one", 0);
    let (_, root) = token(&stage, &["--person", "root", "--everywhere", "--scope", "read"]);
    let served = serve(&stage);
    for accept in ["", "Accept: application/openmetrics-text; version=1.0.0\r\n"] {
        let (status, text) = get_text(&served, "/metrics", &root, accept);
        assert_eq!(status, 200, "{text}");
        assert_eq!(text.ends_with("# EOF\n"), !accept.is_empty(), "{text}");
        let mut check = Command::new(&promtool);
        check.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut check = check.spawn().unwrap();
        check.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let found = command_output(check.wait_with_output().unwrap());
        assert_eq!((found.code, found.out.as_str(), found.err.as_str()), (0, "", ""), "{text}");
    }
}
