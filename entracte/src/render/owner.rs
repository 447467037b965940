//! Renders the owner of the database. Pure.

use entracte_application::ports::OwnershipRecord;

use crate::user_text::{UserText, message};

/// The kind of the owner, its process, and its address.
pub(crate) fn owner(holder: &OwnershipRecord) -> UserText {
    let pid = holder.pid.map(|pid| pid.to_string()).unwrap_or_default();
    let kind = holder.kind.kind.as_str();
    let words = match &holder.kind.host {
        Some(host) => message!("owner-words-host", kind = kind, pid = pid, host = host.as_str()),
        None => message!("owner-words", kind = kind, pid = pid),
    };
    match &holder.kind.url {
        Some(url) => message!("owner-words-at", owner = words, url = url.as_str()),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::OwnerDescription;
    use entracte_domain::time::Timestamp;

    use super::*;

    #[test]
    fn owner_is_rendered_with_known_facts() {
        let words = |host: Option<&str>, url: Option<&str>| {
            let kind = OwnerDescription {
                kind: "serve".into(),
                host: host.map(str::to_owned),
                url: url.map(str::to_owned),
            };
            owner(&OwnershipRecord { epoch: 1, kind, pid: Some(812), since: Timestamp(0), wanted_by: None })
                .to_string()
        };
        assert_eq!(words(None, None), "serve, process 812");
        assert_eq!(
            words(Some("box"), Some("http://127.0.0.1:8723")),
            "serve, process 812 on box, at http://127.0.0.1:8723"
        );
    }
}
