//! The JSON of a host stays its own.

use serde::Deserialize;
use serde_json::{Value, json};

/// A size of a host's configuration.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Size {
    Share(f32),
    Name(String),
}

/// A picture of a host, whose size is written beside its name.
#[derive(Debug, Deserialize, PartialEq)]
struct Picture {
    name: String,
    #[serde(flatten)]
    frame: Frame,
}

/// The frame of a picture.
#[derive(Debug, Deserialize, PartialEq)]
struct Frame {
    width: f32,
}

/// Input: a host that uses JSON, TOML and serde's buffers beside the crates; expected: all of it is as without them.
#[test]
fn host_json_is_unchanged() {
    let config = json!({ "port": 8080, "ratio": 0.5 });
    assert_eq!(toml::to_string(&config).unwrap(), "port = 8080\nratio = 0.5\n");
    assert_eq!(Size::deserialize(&json!(0.5)).unwrap(), Size::Share(0.5));
    assert_eq!(serde_json::from_str::<Size>("0.5").unwrap(), Size::Share(0.5));
    let picture = Picture { name: "sea".to_owned(), frame: Frame { width: 1.5 } };
    assert_eq!(serde_json::from_str::<Picture>(r#"{"name":"sea","width":1.5}"#).unwrap(), picture);
    assert_eq!(serde_json::from_str::<Value>("1e2").unwrap(), json!(100.0));
    assert_eq!(serde_json::from_str::<Value>("72.50").unwrap().to_string(), "72.5");
}
