//! Origin guard: checks the headers that browsers set, before everything else. Pure. Refuses other web pages, other
//! ports of this machine, and foreign DNS names that point here.

use std::net::{IpAddr, SocketAddr};

use entracte_application::ports::TokenKind;
use http::{HeaderMap, Method, header};
use url::Url;

/// The accepted host names and origins of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerOrigins {
    /// `localhost:8723`, in lower case; the port is left out if it is the scheme's default.
    pub hosts: Vec<String>,
    /// `http://localhost:8723`, in lower case.
    pub origins: Vec<String>,
}

impl ServerOrigins {
    /// The names of a server with this bind address. On the loopback these are the names of this machine; elsewhere its
    /// address and the configured names. `public_url` is the address that browsers use, behind a proxy for example.
    pub fn from_bind_address(
        bind: SocketAddr,
        is_tls: bool,
        public_url: Option<&Url>,
        more: &[String],
    ) -> Self {
        let (scheme, usual) = if is_tls { ("https", 443) } else { ("http", 80) };
        let port = bind.port();
        let with_port = |host: &str| if port == usual { host.to_owned() } else { format!("{host}:{port}") };
        let mut names = vec![match bind.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        }];
        if bind.ip().is_loopback() {
            names.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
        }
        let mut hosts: Vec<String> = names.iter().map(|name| with_port(name)).collect();
        hosts
            .extend(more.iter().map(|host| host.trim().to_ascii_lowercase()).filter(|host| !host.is_empty()));
        let mut origins: Vec<String> = hosts.iter().map(|host| format!("{scheme}://{host}")).collect();
        if let Some(url) = public_url {
            origins.push(url.origin().ascii_serialization());
            hosts.extend(url.host_str().map(|host| match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            }));
        }
        Self { hosts: unique(hosts), origins: unique(origins) }
    }
}

fn unique(mut all: Vec<String>) -> Vec<String> {
    all.sort();
    all.dedup();
    all
}

/// The headers and properties of a request that show its origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginHeaders {
    /// Every Host header, and the authority of an absolute request target.
    pub hosts: Vec<String>,
    /// Every Origin header.
    pub origins: Vec<String>,
    /// Every Sec-Fetch-Site header.
    pub sites: Vec<String>,
    /// The method is GET or HEAD.
    pub reads: bool,
    /// A GET navigation to a page.
    pub opens_page: bool,
    /// The request has a session cookie and no token.
    pub by_cookie: bool,
    /// The request asks for a protocol upgrade.
    pub upgrades: bool,
    /// The request has a token; any cookie is ignored then.
    pub by_token: bool,
    /// The request reads the widget, which is for pages of every site.
    pub takes_widget: bool,
    /// A CORS preflight request.
    pub asks_first: bool,
}

/// Origin of an accepted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOrigin {
    /// A program, or a page of this server.
    Here,
    /// A page of this other origin. The token must list the origin.
    Elsewhere(String),
}

/// Reason for a refusal by the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginRefusal {
    /// The host is not exactly one of the server's names.
    Host,
    /// The page has another origin, or the origin is unknown.
    Origin,
}

/// The name of the login cookie.
pub const COOKIE: &str = "entracte";

/// Checks the origin of a request.
///
/// # Errors
/// If the host or the origin is not allowed.
pub fn check_origin(ours: &ServerOrigins, heard: &OriginHeaders) -> Result<RequestOrigin, OriginRefusal> {
    let [host] = heard.hosts.as_slice() else { return Err(OriginRefusal::Host) };
    if !ours.hosts.contains(host) {
        return Err(OriginRefusal::Host);
    }
    if heard.takes_widget && heard.reads && !heard.upgrades {
        return Ok(RequestOrigin::Here);
    }
    if let [origin] = heard.origins.as_slice()
        && !ours.origins.contains(origin)
        && (heard.by_token || heard.asks_first)
        && !heard.upgrades
    {
        return Ok(RequestOrigin::Elsewhere(origin.clone()));
    }
    let has_origin = match heard.origins.as_slice() {
        [] => false,
        [origin] if ours.origins.contains(origin) => true,
        _ => return Err(OriginRefusal::Origin),
    };
    let is_same_site = match heard.sites.as_slice() {
        [] => true,
        [site] => site == "same-origin",
        _ => return Err(OriginRefusal::Origin),
    };
    // A link in a mail opens a page; that page then sends its requests from this origin.
    if !(is_same_site || heard.opens_page && heard.reads) {
        return Err(OriginRefusal::Origin);
    }
    // Every browser names the origin of a WebSocket, so one without an origin and a cookie is a program's.
    let needs_origin = heard.by_cookie && (!heard.reads || heard.upgrades);
    if needs_origin && !has_origin {
        return Err(OriginRefusal::Origin);
    }
    Ok(RequestOrigin::Here)
}

/// Reads the headers of a request that show its origin.
pub fn read_origin_headers(
    method: &Method,
    authority: Option<&str>,
    headers: &HeaderMap,
    is_page: bool,
) -> OriginHeaders {
    let all = |name: &str| -> Vec<String> {
        let values = headers.get_all(name).iter();
        values.map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase()).collect()
    };
    let mut hosts = all("host");
    if let Some(authority) = authority {
        let authority = authority.to_ascii_lowercase();
        if !hosts.contains(&authority) {
            hosts.push(authority);
        }
    }
    let navigates = all("sec-fetch-mode").iter().any(|mode| mode == "navigate");
    OriginHeaders {
        hosts,
        origins: all("origin"),
        sites: all("sec-fetch-site"),
        reads: matches!(*method, Method::GET | Method::HEAD),
        opens_page: is_page && navigates && *method == Method::GET,
        by_cookie: read_session_cookie(headers).is_some() && !headers.contains_key(header::AUTHORIZATION),
        upgrades: headers.contains_key(header::UPGRADE),
        by_token: headers.contains_key(header::AUTHORIZATION),
        takes_widget: false,
        asks_first: *method == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD),
    }
}

/// The token of a request: a program's, or else a browser's.
pub(crate) fn read_token(headers: &HeaderMap) -> Option<(TokenKind, &str)> {
    if let Some(line) = headers.get(header::AUTHORIZATION) {
        let (scheme, token) = line.to_str().ok()?.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then_some((TokenKind::Program, token.trim()));
    }
    read_session_cookie(headers).map(|cookie| (TokenKind::Browser, cookie))
}

/// The value of the session cookie.
pub fn read_session_cookie(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value).next()
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    fn ours() -> ServerOrigins {
        ServerOrigins { hosts: vec!["localhost:8723".into()], origins: vec!["http://localhost:8723".into()] }
    }

    fn judged(method: Method, is_page: bool, headers: &[(&str, &str)]) -> Result<(), OriginRefusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        match check_origin(&ours(), &read_origin_headers(&method, None, &map, is_page)) {
            Ok(whence) => {
                assert_eq!(whence, RequestOrigin::Here);
                Ok(())
            }
            Err(refusal) => Err(refusal),
        }
    }

    const HOST: (&str, &str) = ("host", "localhost:8723");
    const ORIGIN: (&str, &str) = ("origin", "http://localhost:8723");
    const OURS: (&str, &str) = ("cookie", "a=b; entracte=entr_k1.secret");

    #[test]
    fn only_listed_hosts_are_accepted() {
        assert_eq!(judged(Method::GET, false, &[HOST]), Ok(()));
        assert_eq!(judged(Method::GET, false, &[("host", "LOCALHOST:8723")]), Ok(()));
        let wrong: [&[(&str, &str)]; 6] = [
            &[],
            &[("host", "evil.example")],
            &[("host", "localhost")],
            &[("host", "localhost:8724")],
            &[("host", "localhost.:8723")],
            &[HOST, ("host", "evil.example")],
        ];
        for headers in wrong {
            assert_eq!(judged(Method::GET, true, headers), Err(OriginRefusal::Host), "{headers:?}");
        }
        let absolute = read_origin_headers(&Method::GET, Some("evil.example"), &HeaderMap::new(), false);
        assert_eq!(check_origin(&ours(), &absolute), Err(OriginRefusal::Host));
    }

    #[test]
    fn foreign_origin_is_refused() {
        for method in [Method::GET, Method::POST] {
            assert_eq!(judged(method.clone(), false, &[HOST, ORIGIN]), Ok(()));
            for origin in
                ["http://evil.example", "http://localhost:8724", "https://localhost:8723", "null", ""]
            {
                let answer = judged(method.clone(), false, &[HOST, ("origin", origin)]);
                assert_eq!(answer, Err(OriginRefusal::Origin), "{method} {origin}");
            }
            assert_eq!(judged(method, false, &[HOST, ORIGIN, ORIGIN]), Err(OriginRefusal::Origin));
        }
    }

    #[test]
    fn cross_site_request_may_only_navigate() {
        let navigate = ("sec-fetch-mode", "navigate");
        for site in ["cross-site", "same-site", "none"] {
            let from = ("sec-fetch-site", site);
            assert_eq!(judged(Method::GET, true, &[HOST, from, navigate]), Ok(()), "{site}");
            for (method, is_page, mode) in [
                (Method::GET, false, "navigate"),
                (Method::GET, true, "no-cors"),
                (Method::POST, true, "navigate"),
                (Method::POST, false, "cors"),
            ] {
                let answer = judged(method.clone(), is_page, &[HOST, from, ("sec-fetch-mode", mode)]);
                assert_eq!(answer, Err(OriginRefusal::Origin), "{method} {is_page} {site} {mode}");
            }
        }
        assert_eq!(judged(Method::POST, false, &[HOST, ("sec-fetch-site", "same-origin")]), Ok(()));
    }

    #[test]
    fn cookie_write_needs_own_origin() {
        assert_eq!(judged(Method::POST, false, &[HOST, OURS]), Err(OriginRefusal::Origin));
        assert_eq!(judged(Method::POST, false, &[HOST, OURS, ORIGIN]), Ok(()));
        assert_eq!(judged(Method::GET, false, &[HOST, OURS]), Ok(()));
        // A foreign cookie, or a program with a token, does not indicate a page.
        assert_eq!(judged(Method::POST, false, &[HOST, ("cookie", "other=1")]), Ok(()));
        let token = ("authorization", "Bearer entr_k1.secret");
        assert_eq!(judged(Method::POST, false, &[HOST, OURS, token]), Ok(()));
    }

    #[test]
    fn server_origins_contain_bind_address_and_public_url() {
        let url: Url = "https://entracte.example/x".parse().unwrap();
        let ours = ServerOrigins::from_bind_address(
            "127.0.0.1:8723".parse().unwrap(),
            false,
            Some(&url),
            &["Box.lan:8723".into()],
        );
        let hosts = ["127.0.0.1:8723", "[::1]:8723", "box.lan:8723", "entracte.example", "localhost:8723"];
        assert_eq!(ours.hosts, hosts);
        assert!(ours.origins.contains(&"https://entracte.example".to_owned()));
        assert!(ours.origins.contains(&"http://localhost:8723".to_owned()));
        let public = ServerOrigins::from_bind_address("192.0.2.1:443".parse().unwrap(), true, None, &[]);
        assert_eq!(
            (public.hosts, public.origins),
            (vec!["192.0.2.1".into()], vec!["https://192.0.2.1".into()])
        );
    }

    #[test]
    fn foreign_origin_may_send_only_tokens() {
        let heard = |method: Method, headers: &[(&str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                let name: HeaderName = name.parse().unwrap();
                map.append(name, HeaderValue::from_str(value).unwrap());
            }
            check_origin(&ours(), &read_origin_headers(&method, None, &map, false))
        };
        let (shop, token) = (("origin", "https://shop.example"), ("authorization", "Bearer entr_k1.secret"));
        let elsewhere = Ok(RequestOrigin::Elsewhere("https://shop.example".into()));
        let site = ("sec-fetch-site", "cross-site");
        assert_eq!(heard(Method::POST, &[HOST, shop, token, site]), elsewhere);
        assert_eq!(
            heard(Method::POST, &[HOST, shop, token, site, OURS]),
            elsewhere,
            "the cookie counts nothing"
        );
        assert_eq!(
            heard(Method::OPTIONS, &[HOST, shop, site, ("access-control-request-method", "POST")]),
            elsewhere
        );
        for wrong in [
            &[HOST, shop, site] as &[_],
            &[HOST, shop, site, OURS],
            &[HOST, shop, shop, token],
            &[HOST, shop, token, ("upgrade", "websocket")],
        ] {
            assert_eq!(heard(Method::POST, wrong), Err(OriginRefusal::Origin), "{wrong:?}");
        }
        let widget = OriginHeaders {
            takes_widget: true,
            ..read_origin_headers(&Method::GET, None, &HeaderMap::new(), false)
        };
        let anywhere = OriginHeaders {
            hosts: ours().hosts,
            origins: vec!["null".into()],
            sites: vec!["cross-site".into()],
            ..widget
        };
        assert_eq!(
            check_origin(&ours(), &anywhere),
            Ok(RequestOrigin::Here),
            "the widget is nobody's secret"
        );
        assert_eq!(
            check_origin(&ours(), &OriginHeaders { reads: false, ..anywhere }),
            Err(OriginRefusal::Origin)
        );
        let evil = [("host", "evil.example"), shop, token];
        assert_eq!(heard(Method::POST, &evil), Err(OriginRefusal::Host));
        assert_eq!(heard(Method::POST, &[HOST, ORIGIN, token]), Ok(RequestOrigin::Here));
    }

    #[test]
    fn upgrade_by_cookie_needs_origin() {
        let upgrade = ("upgrade", "websocket");
        let token = ("authorization", "Bearer entr_k1.secret");
        let evil = ("origin", "http://evil.example");
        assert_eq!(judged(Method::GET, false, &[HOST, upgrade, OURS]), Err(OriginRefusal::Origin));
        assert_eq!(judged(Method::GET, false, &[HOST, upgrade, OURS, ORIGIN]), Ok(()));
        assert_eq!(judged(Method::GET, false, &[HOST, upgrade, token]), Ok(()));
        assert_eq!(judged(Method::GET, false, &[HOST, upgrade]), Ok(()), "a ticket is checked later");
        assert_eq!(judged(Method::GET, false, &[HOST, upgrade, token, evil]), Err(OriginRefusal::Origin));
    }
}
