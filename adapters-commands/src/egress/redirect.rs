//! Decides whether and where a redirect is followed. Pure.

use reqwest::Method;
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderMap, HeaderName, LOCATION, USER_AGENT};
use url::Url;

use super::endpoint_check::{host_of, parsed};
use super::error::{EgressError, RedirectProblem, UrlProblem};

/// One request of a redirect chain.
#[derive(Clone, Debug)]
pub(super) struct RedirectHop {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

/// Status and headers of an answer.
pub(super) struct RedirectResponseHead<'a> {
    pub(super) status: u16,
    pub(super) headers: &'a HeaderMap,
}

/// The headers that a redirect to another origin keeps.
const HARMLESS: [HeaderName; 3] = [ACCEPT, ACCEPT_LANGUAGE, USER_AGENT];

/// The next request; `None` if this answer is the last.
pub(super) fn next_hop(
    hop: &RedirectHop,
    before: &[RedirectHop],
    most: usize,
    head: &RedirectResponseHead<'_>,
) -> Result<Option<RedirectHop>, EgressError> {
    let Some(location) = location(hop, head)? else { return Ok(None) };
    let refused = |problem| {
        Err(EgressError::RedirectRefused {
            host: host_of(&hop.url),
            status: head.status,
            to: host_of(&location),
            problem,
        })
    };
    let is_read = hop.method == Method::GET || hop.method == Method::HEAD;
    if !is_read && head.status != 303 {
        return refused(RedirectProblem::Action);
    }
    if hop.url.scheme() == "https" && location.scheme() == "http" {
        return refused(RedirectProblem::NotEncrypted);
    }
    if before.len() >= most {
        return Err(EgressError::TooManyRedirects { host: host_of(&hop.url), most });
    }
    let method = if is_read { hop.method.clone() } else { Method::GET };
    let seen = |known: &RedirectHop| known.url == location && known.method == method;
    if seen(hop) || before.iter().any(seen) {
        return Err(EgressError::RedirectLoop { host: host_of(&hop.url) });
    }
    Ok(Some(RedirectHop { headers: headers(hop, &location, is_read), method, url: location, body: None }))
}

/// The target of a redirect; `None` if the answer is not one.
fn location(hop: &RedirectHop, head: &RedirectResponseHead<'_>) -> Result<Option<Url>, EgressError> {
    let sends_on = matches!(head.status, 301 | 302 | 303 | 307 | 308);
    let Some(value) = head.headers.get(LOCATION).filter(|_| sends_on) else { return Ok(None) };
    let redirected = |source| EgressError::Redirected { from: host_of(&hop.url), source: Box::new(source) };
    let wrong = |problem| redirected(EgressError::Url { problem });
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| wrong(UrlProblem::RedirectNotUtf8))?;
    let joined = hop.url.join(text);
    let mut url = joined.map_err(|fault| wrong(UrlProblem::RedirectUnreadable(fault.to_string())))?;
    url.set_fragment(None);
    parsed(url).map(Some).map_err(redirected)
}

fn headers(hop: &RedirectHop, location: &Url, is_read: bool) -> HeaderMap {
    let same_origin = hop.url.origin() == location.origin();
    let stays = |name: &HeaderName| {
        // The headers that describe a dropped body are dropped with it.
        let of_body = !is_read && name.as_str().starts_with("content-");
        (same_origin && !of_body) || HARMLESS.contains(name)
    };
    let kept = hop.headers.iter().filter(|(name, _)| stays(name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}
