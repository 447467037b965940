//! The OAuth callback: a local address that listens for the browser's return from one login.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::error::McpLoginError;

/// The parameters of a callback. Never displayed: they contain the authorization code.
#[derive(Clone)]
pub struct OauthCallback {
    pub(super) code: Option<String>,
    pub(super) state: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) error: Option<String>,
}

impl OauthCallback {
    /// Reads the callback parameters from an address that a person pastes from the browser.
    ///
    /// # Errors
    /// When it is not a callback address.
    pub fn from_address(address: &str) -> Result<Self, McpLoginError> {
        let url = Url::parse(address.trim()).map_err(|_| McpLoginError::NotTheAddress)?;
        let callback = Self::of(&url);
        if callback.code.is_none() && callback.error.is_none() {
            return Err(McpLoginError::NotTheAddress);
        }
        Ok(callback)
    }

    fn of(url: &Url) -> Self {
        let get = |wanted: &str| {
            url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
        };
        let error = get("error").map(|error| match get("error_description") {
            Some(more) => format!("{error}: {more}"),
            None => error,
        });
        Self { code: get("code"), state: get("state"), issuer: get("iss"), error }
    }
}

/// The callback listener. It accepts only connections from this machine.
pub struct OauthCallbackListener {
    listener: TcpListener,
    port: u16,
}

impl OauthCallbackListener {
    /// Listens on this port; `None` takes any free one.
    ///
    /// # Errors
    /// When the port is in use.
    pub async fn open(port: Option<u16>) -> Result<Self, McpLoginError> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        let unusable = |cause| McpLoginError::Listen { port: port.unwrap_or(0), cause };
        let listener = TcpListener::bind(wanted).await.map_err(unusable)?;
        let port = listener.local_addr().map_err(unusable)?.port();
        Ok(Self { listener, port })
    }

    /// The redirect address for the browser.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the callback of this login; requests with another `state` are rejected, and the wait continues.
    /// `page` is the text the browser shows on success, `refused` the text for rejected requests; both plain text.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn wait(&self, state: &str, page: &str, refused: &str) -> Result<OauthCallback, McpLoginError> {
        loop {
            let unusable = |cause| McpLoginError::Listen { port: self.port, cause };
            let (mut stream, _) = self.listener.accept().await.map_err(unusable)?;
            let asked = tokio::time::timeout(REQUEST_WAIT, request(&mut stream)).await.ok().flatten();
            let found = asked.and_then(|target| self.found(&target, state));
            let (status, text) =
                if found.is_some() { ("200 OK", page) } else { ("400 Bad Request", refused) };
            // The browser may be gone, but its parameters have arrived.
            let _ = tokio::time::timeout(REQUEST_WAIT, answer(&mut stream, status, text)).await;
            if let Some(callback) = found {
                return Ok(callback);
            }
        }
    }

    fn found(&self, target: &str, state: &str) -> Option<OauthCallback> {
        let url = Url::parse(&self.address()).ok()?.join(target).ok()?;
        let callback = OauthCallback::of(&url);
        let is_ours = url.path() == PATH && callback.state.as_deref() == Some(state);
        (is_ours && (callback.code.is_some() || callback.error.is_some())).then_some(callback)
    }
}

/// The target of a request: the second word of its first line.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let (mut read, mut part) = (Vec::new(), [0; 1024]);
    while !read.windows(4).any(|end| end == b"\r\n\r\n") {
        let count = stream.read(&mut part).await.ok()?;
        if count == 0 || read.len() + count > REQUEST_MAX_BYTES {
            return None;
        }
        read.extend_from_slice(part.get(..count)?);
    }
    let text = String::from_utf8(read).ok()?;
    let mut words = text.lines().next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    (method == "GET" && target.starts_with('/')).then(|| target.to_owned())
}

async fn answer(stream: &mut TcpStream, status: &str, text: &str) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n\
         connection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

/// The path of the redirect address.
const PATH: &str = "/callback";
/// The most bytes of a request.
const REQUEST_MAX_BYTES: usize = 16 * 1024;
/// Time-out for reading a request, and for sending the answer.
const REQUEST_WAIT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    async fn get(listener: &OauthCallbackListener, target: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", listener.port)).await.unwrap();
        stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn callback_requires_matching_state() {
        let listener = OauthCallbackListener::open(None).await.unwrap();
        let browsers = async {
            for wrong in [
                "/callback?code=evil&state=other",
                "/callback?code=evil",
                "/other?code=evil&state=ours",
                "/callback?state=ours",
                "//evil.example/callback?code=evil&state=other",
            ] {
                let answer = get(&listener, wrong).await;
                assert!(answer.starts_with("HTTP/1.1 400") && answer.ends_with("no"), "{wrong}: {answer}");
            }
            get(&listener, "/callback?code=ours%2B1&state=ours&iss=https%3A%2F%2Fas").await
        };
        let (callback, last) = tokio::join!(listener.wait("ours", "done", "no"), browsers);
        let callback = callback.unwrap();
        assert!(last.starts_with("HTTP/1.1 200") && last.ends_with("done"), "{last}");
        assert_eq!(callback.code.as_deref(), Some("ours+1"));
        assert_eq!(callback.issuer.as_deref(), Some("https://as"));
    }

    #[test]
    fn pasted_address_without_parameters_is_refused() {
        let read = |address: &str| OauthCallback::from_address(address).map(|callback| callback.state);
        let whole = " http://127.0.0.1:1/callback?code=c&state=s\n";
        assert_eq!(read(whole).unwrap().as_deref(), Some("s"));
        assert!(matches!(read("http://127.0.0.1:1/callback"), Err(McpLoginError::NotTheAddress)));
        assert!(matches!(read("yes"), Err(McpLoginError::NotTheAddress)));
        let refused =
            OauthCallback::from_address("http://127.0.0.1/?error=access_denied&error_description=No");
        assert_eq!(refused.unwrap().error.as_deref(), Some("access_denied: No"));
    }
}
