//! Encoding of notification targets. It contains references to secrets, never secrets.

use super::{CodecError, format_version, v1};
use crate::notify::NotificationTarget;
use crate::ports::TargetRow;

/// Encodes the body of a target's row.
///
/// # Errors
/// [`CodecError::Unstorable`]; no target is known to cause it.
pub fn encode_target(target: &NotificationTarget) -> Result<Vec<u8>, CodecError> {
    format_version::write("target", &v1::TargetV1::from(target))
}

/// Decodes the target of a row.
///
/// # Errors
/// When a newer Entracte wrote it, or it is damaged.
pub fn decode_target(row: &TargetRow) -> Result<NotificationTarget, CodecError> {
    let body: v1::TargetV1 = format_version::read_shape("target", &row.body)?;
    body.into_target(row).map_err(|detail| CodecError::Malformed { what: "target", detail })
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::WorkspaceKey;
    use entracte_domain::time::{Millis, Timestamp};

    use super::*;
    use crate::notify::{NotificationKind, QuietHours, TargetPreferences};
    use crate::ports::{DeliveryChannel, SecretProgramSpec, SecretReference};
    use crate::texts::Language;

    #[test]
    fn a_target_is_read_as_it_was_written() {
        let secret = || SecretReference::Environment("HOOK".into());
        let printed = |folder: Option<&str>| DeliveryChannel::Webhook {
            url: "https://a.example/x".into(),
            secret: SecretReference::Command(SecretProgramSpec {
                line: vec!["pass".into(), "hook".into()],
                folder: folder.map(str::to_owned),
            }),
        };
        let ways = [
            (
                DeliveryChannel::Webhook { url: "https://a.example/x".into(), secret: secret() },
                r#"{"v":1,"person":"ann","way":{"webhook":{"url":"https://a.example/x","secret":{"env":"HOOK"}}},"operator":true}"#,
            ),
            (
                DeliveryChannel::Ntfy { url: "https://ntfy.sh/a".into(), token: None },
                r#"{"v":1,"person":"ann","way":{"ntfy":{"url":"https://ntfy.sh/a"}}}"#,
            ),
            (
                DeliveryChannel::Command { program: "/bin/tell".into(), arguments: vec!["-v".into()] },
                r#"{"v":1,"person":"ann","way":{"command":{"program":"/bin/tell","arguments":["-v"]}},"operator":true}"#,
            ),
            (
                DeliveryChannel::Push {
                    endpoint: "https://push.example/a".into(),
                    key: "BA".into(),
                    auth: "Bw".into(),
                },
                r#"{"v":1,"person":"ann","way":{"push":{"endpoint":"https://push.example/a","key":"BA","auth":"Bw"}}}"#,
            ),
            (
                printed(None),
                r#"{"v":1,"person":"ann","way":{"webhook":{"url":"https://a.example/x","secret":{"command":["pass","hook"]}}},"operator":true}"#,
            ),
            (
                printed(Some("/k")),
                r#"{"v":1,"person":"ann","way":{"webhook":{"url":"https://a.example/x","secret":{"command":{"line":["pass","hook"],"folder":"/k"}}}},"operator":true}"#,
            ),
        ];
        let wants = TargetPreferences {
            kinds: vec![NotificationKind::Approval, NotificationKind::Run],
            quiet: QuietHours::parse("22:00-07:30"),
            gather: Millis::minutes(15),
            is_private: true,
            is_full: true,
            has_links: true,
            language: Some(Language::Fr),
        };
        for (way, expected) in ways {
            let is_operators = expected.ends_with("\"operator\":true}");
            let target = NotificationTarget {
                id: "tgt_1".into(),
                workspace: WorkspaceKey::new("ann:home"),
                name: "phone".into(),
                person: "ann".into(),
                way,
                wants: TargetPreferences::default(),
                is_operators,
            };
            let row = |target: &NotificationTarget| TargetRow {
                id: target.id.clone(),
                workspace: target.workspace.clone(),
                name: target.name.clone(),
                disabled: None,
                cursor: 0,
                looked_at: Timestamp(0),
                revision: 1,
                created_at: Timestamp(0),
                body: encode_target(target).unwrap(),
            };
            assert_eq!(String::from_utf8_lossy(&row(&target).body), expected);
            assert_eq!(decode_target(&row(&target)).unwrap(), target);
            let told = NotificationTarget { wants: wants.clone(), ..target };
            assert_eq!(decode_target(&row(&told)).unwrap(), told);
        }
    }
    /// Input: targets written by earlier versions, which do not state who added them; expected: a target whose channel
    /// cannot be configured over HTTP is the operator's, any other is not.
    #[test]
    fn stored_target_owner_follows_from_channel() {
        let read = |way: &str| {
            let row = TargetRow {
                id: "tgt_1".into(),
                workspace: WorkspaceKey::new("ann:home"),
                name: "phone".into(),
                disabled: None,
                cursor: 0,
                looked_at: Timestamp(0),
                revision: 1,
                created_at: Timestamp(0),
                body: format!(r#"{{"v":1,"person":"ann","way":{way}}}"#).into_bytes(),
            };
            decode_target(&row).unwrap().is_operators
        };
        for own in [
            r#"{"webhook":{"url":"https://a.example/x","secret":{"env":"HOOK"}}}"#,
            r#"{"webhook":{"url":"https://a.example/x","secret":{"file":"/k"}}}"#,
            r#"{"ntfy":{"url":"file:/k"}}"#,
            r#"{"command":{"program":"/bin/tell"}}"#,
        ] {
            assert!(read(own), "{own}");
        }
        for other in [
            r#"{"webhook":{"url":"https://a.example/x","secret":{"env":"ENTRACTE_NOTIFY_HOOK"}}}"#,
            r#"{"ntfy":{"url":"https://ntfy.sh/a"}}"#,
            r#"{"ntfy":{"url":"env:ENTRACTE_NOTIFY_TOPIC","token":{"env":"ENTRACTE_NOTIFY_TOKEN"}}}"#,
        ] {
            assert!(!read(other), "{other}");
        }
    }
}
