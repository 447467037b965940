//! Client of another process's session stream: receives live model text from a server that uses the same database.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::{
    CallProgress, RemoteStreamCallback, RemoteStreamClient, RemoteStreamError, RemoteStreamEvent,
    RemoteStreamLocation,
};
use entracte_application::terminal_text::one_line;
use entracte_domain::id::CallId;
use reqwest::redirect::Policy;
use rustls::crypto::CryptoProvider;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::{Host, Url};

use crate::event_lines::LineBuffer;
use crate::tls;

/// Timeouts for connecting and for silence; servers send heartbeats more often.
const CONNECT: Duration = Duration::from_secs(3);
const SILENCE: Duration = Duration::from_secs(40);

/// The most calls of a reply whose progress is kept.
const CALLS_MAX: usize = 1_000;

/// Reads session streams of servers over HTTP.
pub struct RemoteStreamSource {
    crypto: Arc<CryptoProvider>,
    /// Created on first use, because most processes read no remote stream.
    client: OnceLock<Result<reqwest::Client, String>>,
}

impl RemoteStreamSource {
    /// A source that uses `crypto` for TLS.
    pub fn new(crypto: Arc<CryptoProvider>) -> Self {
        Self { crypto, client: OnceLock::new() }
    }

    fn client(&self) -> Result<&reqwest::Client, RemoteStreamError> {
        let made = self.client.get_or_init(|| client(self.crypto.clone()));
        made.as_ref().map_err(|why| RemoteStreamError::Broken(why.clone()))
    }
}

fn client(crypto: Arc<CryptoProvider>) -> Result<reqwest::Client, String> {
    let tls = tls::client_config(crypto, "https").map_err(|fault| fault.to_string())?;
    // The token must go only to its server: no redirects, and no proxy from the environment.
    let client =
        reqwest::Client::builder().redirect(Policy::none()).no_proxy().tls_backend_preconfigured(tls);
    client.connect_timeout(CONNECT).read_timeout(SILENCE).build().map_err(|why| why.to_string())
}

/// The frames that are evaluated.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum RelayFrame {
    Entry,
    StreamChunk {
        attempt: u64,
        channel: String,
        offset: u64,
        text: String,
    },
    StreamSuperseded {
        attempt: u64,
        reason: String,
    },
    Session {
        calls: Vec<RelayCall>,
    },
    #[serde(other)]
    Other,
}

/// A call of the current reply.
#[derive(Debug, Deserialize)]
struct RelayCall {
    id: String,
    /// Missing in the frames of earlier versions.
    #[serde(default)]
    progress: Option<RelayProgress>,
}

/// How far a running call is.
#[derive(Debug, Deserialize)]
struct RelayProgress {
    text: String,
    percent: Option<u8>,
}

#[async_trait]
impl RemoteStreamClient for RemoteStreamSource {
    async fn stream_session(
        &self,
        at: RemoteStreamLocation,
        token: SecretString,
        ear: RemoteStreamCallback,
    ) -> Result<(), RemoteStreamError> {
        let url = stream_url(&at)?;
        let client = self.client()?;
        let broken = |why: reqwest::Error| RemoteStreamError::Broken(why.without_url().to_string());
        let asked = client.get(url).bearer_auth(token.expose_secret()).header("accept", "text/event-stream");
        let mut answer = asked.send().await.map_err(broken)?;
        let media = answer.headers().get("content-type").and_then(|media| media.to_str().ok());
        if !answer.status().is_success() || !media.is_some_and(|media| media.starts_with("text/event-stream"))
        {
            return Err(RemoteStreamError::Refused(answer.status().to_string()));
        }
        let mut lines = LineBuffer::default();
        while let Some(bytes) = answer.chunk().await.map_err(broken)? {
            for line in lines.push(&bytes).map_err(|fault| RemoteStreamError::Broken(fault.to_string()))? {
                if let Some(heard) = parse_frame_line(&line) {
                    ear(heard);
                }
            }
        }
        Ok(())
    }
}

/// The event in a line of the stream; `None` for other lines.
fn parse_frame_line(line: &str) -> Option<RemoteStreamEvent> {
    let data = line.strip_prefix("data:")?;
    match serde_json::from_str(data.trim_start()).ok()? {
        RelayFrame::Entry => Some(RemoteStreamEvent::Committed),
        RelayFrame::StreamChunk { attempt, channel, offset, text } => {
            Some(RemoteStreamEvent::Words { attempt, thinks: channel == "reasoning", offset, text })
        }
        RelayFrame::StreamSuperseded { attempt, reason } => {
            (reason == "corrected").then_some(RemoteStreamEvent::Corrected { attempt })
        }
        RelayFrame::Session { calls } => {
            let progressed = calls.into_iter().take(CALLS_MAX).filter_map(|call| {
                let RelayProgress { text, percent } = call.progress?;
                Some((CallId::new(call.id), CallProgress { text: one_line(&text), percent }))
            });
            Some(RemoteStreamEvent::CallsProgressed(progressed.collect()))
        }
        RelayFrame::Other => None,
    }
}

/// The address of a session's stream, if a token may be sent there.
fn stream_url(at: &RemoteStreamLocation) -> Result<Url, RemoteStreamError> {
    let not_asked = || RemoteStreamError::NotAsked(one_line(&at.url));
    let mut url = Url::parse(&at.url).map_err(|_| not_asked())?;
    let may_be_asked = match url.scheme() {
        "https" => true,
        "http" => at.is_here && is_loopback(&url),
        _ => false,
    };
    if !may_be_asked || !url.username().is_empty() || url.password().is_some() {
        return Err(not_asked());
    }
    let parts = ["v1", "workspaces", at.workspace.as_str(), "sessions", at.session.as_str(), "stream"];
    url.path_segments_mut().map_err(|()| not_asked())?.pop_if_empty().extend(parts);
    // From the beginning of the current text; everything before it is in the database.
    url.set_query(Some("after=now"));
    url.set_fragment(None);
    Ok(url)
}

/// Whether an address is numerically this machine's own; a name may resolve to another machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::{SessionId, WorkspaceKey};

    use super::*;

    fn at(url: &str, is_here: bool) -> Result<String, RemoteStreamError> {
        let (workspace, session) = (WorkspaceKey::new("ann:home"), SessionId::new("ses_1"));
        stream_url(&RemoteStreamLocation { url: url.into(), is_here, workspace, session })
            .map(|url| url.to_string())
    }

    #[test]
    fn a_token_goes_to_the_loopback_of_this_machine_or_over_tls() {
        let stream = "/v1/workspaces/ann:home/sessions/ses_1/stream?after=now";
        for (url, is_here) in [
            ("http://127.0.0.1:8723", true),
            ("http://[::1]:8723/", true),
            ("https://entracte.example", false),
            ("https://entracte.example/base", false),
        ] {
            assert_eq!(at(url, is_here), Ok(format!("{}{stream}", url.trim_end_matches('/'))));
        }
        for (url, is_here) in [
            ("http://127.0.0.1:8723", false),
            ("http://10.0.0.7:8723", true),
            ("http://localhost.evil.example", true),
            ("http://localhost:8723", true),
            ("https://user:secret@entracte.example", false),
            ("file:///etc/passwd", true),
            ("nothing", true),
        ] {
            assert!(matches!(at(url, is_here), Err(RemoteStreamError::NotAsked(_))), "{url}");
        }
    }

    #[test]
    fn frames_are_parsed_in_any_chunking() {
        let stream = "id: 5\nevent: entry\ndata: {\"type\":\"entry\",\"seq\":5}\n\n\
                      data: {\"type\":\"stream_chunk\",\"attempt\":5,\"channel\":\"text\",\"offset\":0,\"text\":\"né\"}\n\n\
                      data: {\"type\":\"stream_superseded\",\"attempt\":5,\"reason\":\"corrected\"}\n\n\
                      data: {\"type\":\"stream_superseded\",\"attempt\":5,\"reason\":\"lost\"}\n\n\
                      data: {\"type\":\"session\",\"calls\":[{\"id\":\"cal_1\",\"progress\":{\"text\":\"Half\",\"percent\":50}},{\"id\":\"cal_2\"}]}\n\n\
                      data: {\"type\":\"beat\"}\n\ndata: nonsense\n\n";
        let half = CallProgress { text: "Half".into(), percent: Some(50) };
        let expected = [
            RemoteStreamEvent::Committed,
            RemoteStreamEvent::Words { attempt: 5, thinks: false, offset: 0, text: "né".into() },
            RemoteStreamEvent::Corrected { attempt: 5 },
            RemoteStreamEvent::CallsProgressed([(CallId::new("cal_1"), half)].into()),
        ];
        for size in [1, 7, 4096] {
            let mut lines = LineBuffer::default();
            let told: Vec<RemoteStreamEvent> = stream
                .as_bytes()
                .chunks(size)
                .flat_map(|bytes| lines.push(bytes).unwrap())
                .filter_map(|line| parse_frame_line(&line))
                .collect();
            assert_eq!(told, expected);
        }
    }
}
