//! Logins of terminals (in the spirit of RFC 8628): a terminal asks for one and shows its code, a person compares the
//! code in the console and decides, and the terminal takes its token, once. In memory only: after a restart of the
//! server a terminal asks again. No token exists before the terminal takes it, so none is kept here.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use entracte_application::ports::{IdGenerator, Person, TokenRow, TokenScopes};
use entracte_application::system::sha256;
use entracte_domain::id::Digest;
use entracte_domain::time::{Millis, Timestamp};
use secrecy::SecretString;

/// The letters of a code: without vowels, so that no code spells a word, and none is mistaken for another one or for a digit.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";

/// Letters of a code; a dash stands in the middle.
const CODE_LETTERS: usize = 8;

/// How often a code is drawn again, because an open login has the same one.
const DRAWS_MAX: usize = 8;

/// The terminal that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TerminalRequest {
    /// What it calls itself: `ann@laptop`. Nobody checked it.
    pub(crate) name: String,
    /// The address that it asked from.
    pub(crate) address: IpAddr,
    /// When it asked.
    pub(crate) asked_at: Timestamp,
    /// When the login expires.
    pub(crate) expires_at: Timestamp,
}

/// What a person allowed a terminal, and on whose authority its token is made.
#[derive(Clone, Debug)]
pub(crate) struct TerminalGrant {
    /// The token of the person who allowed it.
    pub(crate) token: TokenRow,
    /// The person who allowed it.
    pub(crate) person: Person,
    /// The scopes of the terminal's token.
    pub(crate) scopes: TokenScopes,
    /// When the terminal's token expires.
    pub(crate) expires_at: Timestamp,
}

/// How far the login of a terminal is.
#[derive(Clone, Debug)]
pub(crate) enum TerminalLoginState {
    /// It waits for a person.
    Waiting,
    /// A person allowed it; the terminal has not taken its token yet.
    Allowed(Box<TerminalGrant>),
    /// A person refused it.
    Refused,
}

/// An open login of a terminal.
#[derive(Clone, Debug)]
pub(crate) struct TerminalLogin {
    /// The terminal that asks.
    pub(crate) request: TerminalRequest,
    /// How far it is.
    pub(crate) state: TerminalLoginState,
    /// Its code, with the dash.
    pub(crate) code: String,
    /// SHA-256 of the terminal's secret.
    secret: Digest,
    /// When it expires, on the monotonic clock.
    ends: Millis,
}

/// What the terminal that asked gets: the secret is for itself, the code for the person who decides.
#[derive(Debug)]
pub(crate) struct TerminalCredentials {
    /// Takes the token, once.
    pub(crate) secret: SecretString,
    /// The code: `WXZB-CDFG`.
    pub(crate) code: String,
}

/// Why a decision about a terminal was not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TerminalDecisionFault {
    /// No open login has this code.
    Unknown,
    /// It was decided before.
    Decided,
}

/// What a terminal finds that asks for its token.
#[derive(Debug)]
pub(crate) enum TerminalClaim {
    /// No open login has this secret.
    Unknown,
    /// Nobody decided yet.
    Waiting,
    /// It was refused.
    Refused,
    /// It was allowed. The login is not open any more: what is here makes one token.
    Allowed(Box<TerminalLogin>, Box<TerminalGrant>),
}

/// The open logins of terminals.
#[derive(Debug)]
pub(crate) struct TerminalLogins {
    most: usize,
    lasts: Millis,
    open: Mutex<Vec<TerminalLogin>>,
}

impl TerminalLogins {
    /// At most `most` open logins, each for `lasts`.
    pub(crate) fn new(most: usize, lasts: Millis) -> Self {
        Self { most, lasts, open: Mutex::default() }
    }

    /// Opens a login at `now`, on the monotonic clock; `None` if as many are open as may be.
    pub(crate) fn open(
        &self,
        request: TerminalRequest,
        ids: &dyn IdGenerator,
        now: Millis,
    ) -> Option<TerminalCredentials> {
        let mut open = self.open_at(now);
        if open.len() >= self.most {
            return None;
        }
        let is_free = |code: &String| open.iter().all(|login| login.code != *code);
        let code = (0..DRAWS_MAX).map(|_| code_of(&ids.secret())).find(is_free)?;
        let secret = ids.secret();
        open.push(TerminalLogin {
            request,
            state: TerminalLoginState::Waiting,
            code: code.clone(),
            secret: sha256(secret.as_bytes()),
            ends: Millis(now.0.saturating_add(self.lasts.0)),
        });
        Some(TerminalCredentials { secret: secret.into(), code })
    }

    /// The open login with this code, as a person types it; `None` if there is none.
    pub(crate) fn find(&self, code: &str, now: Millis) -> Option<TerminalLogin> {
        let code = normalize_code(code);
        self.open_at(now).iter().find(|login| login.code == code).cloned()
    }

    /// Records the one decision about the login with this code: with a grant it is allowed, else refused.
    ///
    /// # Errors
    /// If there is no such login, or it was decided before.
    pub(crate) fn decide(
        &self,
        code: &str,
        grant: Option<TerminalGrant>,
        now: Millis,
    ) -> Result<TerminalLogin, TerminalDecisionFault> {
        let code = normalize_code(code);
        let mut open = self.open_at(now);
        let login = open.iter_mut().find(|login| login.code == code).ok_or(TerminalDecisionFault::Unknown)?;
        if !matches!(login.state, TerminalLoginState::Waiting) {
            return Err(TerminalDecisionFault::Decided);
        }
        login.state = match grant {
            Some(grant) => TerminalLoginState::Allowed(Box::new(grant)),
            None => TerminalLoginState::Refused,
        };
        Ok(login.clone())
    }

    /// What became of the login with this secret. One that was allowed is closed: only [`restore`](Self::restore) opens
    /// it again.
    pub(crate) fn claim(&self, secret: &str, now: Millis) -> TerminalClaim {
        let secret = sha256(secret.as_bytes());
        let mut open = self.open_at(now);
        let Some(at) = open.iter().position(|login| login.secret == secret) else {
            return TerminalClaim::Unknown;
        };
        match open[at].state.clone() {
            TerminalLoginState::Waiting => TerminalClaim::Waiting,
            TerminalLoginState::Refused => TerminalClaim::Refused,
            TerminalLoginState::Allowed(grant) => {
                TerminalClaim::Allowed(Box::new(open.swap_remove(at)), grant)
            }
        }
    }

    /// Opens a login again whose token could not be made.
    pub(crate) fn restore(&self, login: TerminalLogin) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).push(login);
    }

    /// The logins that are open at `now`.
    fn open_at(&self, now: Millis) -> MutexGuard<'_, Vec<TerminalLogin>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|login| login.ends > now);
        open
    }
}

/// A code that is drawn from this random text.
fn code_of(drawn: &str) -> String {
    let hash = sha256(drawn.as_bytes());
    // Four hexadecimal digits for a letter: their 65,536 values spread evenly enough over twenty letters.
    let letters = hash.as_str().as_bytes().chunks(4).take(CODE_LETTERS).map(|digits| {
        let value = digits.iter().fold(0_usize, |value, digit| {
            value * 16 + char::from(*digit).to_digit(16).unwrap_or_default() as usize
        });
        char::from(LETTERS[value % LETTERS.len()])
    });
    with_dash(letters)
}

/// The code that a person means: in capitals, with the dash, whatever else they typed between.
fn normalize_code(typed: &str) -> String {
    with_dash(typed.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()))
}

fn with_dash(letters: impl Iterator<Item = char>) -> String {
    let mut code = String::with_capacity(CODE_LETTERS + 1);
    for (at, letter) in letters.enumerate() {
        if at == CODE_LETTERS / 2 {
            code.push('-');
        }
        code.push(letter);
    }
    code
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::{AccessReach, TokenKind, TokenScope};
    use entracte_application::system::RandomIdGenerator;
    use secrecy::ExposeSecret;

    use super::*;

    const LASTS: Millis = Millis::minutes(10);

    fn request() -> TerminalRequest {
        TerminalRequest {
            name: "ann@laptop".to_owned(),
            address: IpAddr::from([192, 0, 2, 1]),
            asked_at: Timestamp(0),
            expires_at: Timestamp(600_000_000),
        }
    }

    fn grant() -> TerminalGrant {
        let (reach, created_at) = (AccessReach::Everywhere, Timestamp(0));
        let person = Person {
            id: "per_1".to_owned(),
            reach: reach.clone(),
            name: "ann".to_owned(),
            created_at,
            removed_at: None,
        };
        let token = TokenRow {
            id: "k1".to_owned(),
            person: person.id.clone(),
            reach,
            kind: TokenKind::Browser,
            name: "browser".to_owned(),
            hash: Digest::new(""),
            proof: None,
            scopes: TokenScopes::new([TokenScope::Admin]),
            embedded: None,
            created_at,
            expires_at: None,
            revoked_at: None,
            last_used: None,
            made_by: None,
            login_until: None,
        };
        TerminalGrant {
            token,
            person,
            scopes: TokenScopes::new([TokenScope::Read]),
            expires_at: Timestamp(9),
        }
    }

    fn opened(logins: &TerminalLogins, now: Millis) -> (String, String) {
        let made = logins.open(request(), &RandomIdGenerator, now).unwrap();
        (made.secret.expose_secret().to_owned(), made.code)
    }

    /// Input: a hundred codes; expected: four letters, a dash, four letters, none of which looks like another sign.
    #[test]
    fn code_has_no_look_alikes() {
        let logins = TerminalLogins::new(100, LASTS);
        for _ in 0..100 {
            let (_, code) = opened(&logins, Millis(0));
            let (left, right) = code.split_once('-').unwrap();
            assert_eq!((left.len(), right.len()), (4, 4), "{code}");
            assert!(code.bytes().all(|sign| sign == b'-' || LETTERS.contains(&sign)), "{code}");
            assert!(!code.contains(['0', 'O', '1', 'I', '5', '2', '8', 'Y']), "{code}");
        }
        assert_eq!(normalize_code(" wxzb cdfg "), "WXZB-CDFG");
    }

    /// Input: one login, decided twice, and taken twice; expected: the first decision counts, and one token is made.
    #[test]
    fn code_is_bound_to_one_decision() {
        let logins = TerminalLogins::new(10, LASTS);
        let (secret, code) = opened(&logins, Millis(0));
        assert!(matches!(logins.claim(&secret, Millis(1)), TerminalClaim::Waiting));
        assert!(logins.decide(&code.to_lowercase(), Some(grant()), Millis(2)).is_ok());
        assert_eq!(logins.decide(&code, None, Millis(3)).unwrap_err(), TerminalDecisionFault::Decided);
        assert!(matches!(logins.claim(&code, Millis(4)), TerminalClaim::Unknown), "the code takes nothing");
        let TerminalClaim::Allowed(login, _) = logins.claim(&secret, Millis(4)) else { panic!() };
        assert!(matches!(logins.claim(&secret, Millis(5)), TerminalClaim::Unknown), "once");
        assert_eq!(logins.decide(&code, None, Millis(5)).unwrap_err(), TerminalDecisionFault::Unknown);
        logins.restore(*login);
        assert!(matches!(logins.claim(&secret, Millis(6)), TerminalClaim::Allowed(..)), "its token failed");
    }

    /// Input: a refused login; expected: the terminal hears it as often as it asks.
    #[test]
    fn refused_login_stays_refused() {
        let logins = TerminalLogins::new(10, LASTS);
        let (secret, code) = opened(&logins, Millis(0));
        logins.decide(&code, None, Millis(1)).unwrap();
        for _ in 0..2 {
            assert!(matches!(logins.claim(&secret, Millis(2)), TerminalClaim::Refused));
        }
        assert_eq!(
            logins.decide(&code, Some(grant()), Millis(3)).unwrap_err(),
            TerminalDecisionFault::Decided
        );
    }

    /// Input: logins up to the limit, and time; expected: one more is refused until one has expired.
    #[test]
    fn expired_login_makes_room() {
        let logins = TerminalLogins::new(2, LASTS);
        let (secret, code) = opened(&logins, Millis(0));
        opened(&logins, Millis(1000));
        assert!(logins.open(request(), &RandomIdGenerator, Millis(2000)).is_none());
        assert!(logins.find(&code, Millis(LASTS.0 - 1)).is_some());
        assert!(logins.find(&code, LASTS).is_none(), "it has expired");
        assert!(matches!(logins.claim(&secret, LASTS), TerminalClaim::Unknown));
        assert!(logins.open(request(), &RandomIdGenerator, LASTS).is_some());
        let none = TerminalLogins::new(0, LASTS);
        assert!(none.open(request(), &RandomIdGenerator, Millis(0)).is_none(), "0: no terminal logs in");
    }
}
