use super::super::{schema, schema_for};

#[test]
fn the_schema_names_the_commands_and_their_arguments() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema()).unwrap(), @r#"
    {
      "additionalProperties": false,
      "description": "The one JSON object of a reply. `queries` and `actions` are never both given; a `question` stands alone.",
      "properties": {
        "actions": {
          "description": "Commands that change something, in order.",
          "items": {
            "additionalProperties": false,
            "description": "One command.",
            "properties": {
              "params": {
                "additionalProperties": true,
                "description": "Its arguments.",
                "type": [
                  "object",
                  "null"
                ]
              },
              "type": {
                "description": "Its word.",
                "type": "string"
              }
            },
            "required": [
              "type"
            ],
            "type": "object"
          },
          "type": [
            "array",
            "null"
          ]
        },
        "completed": {
          "description": "The work is done.",
          "type": [
            "boolean",
            "null"
          ]
        },
        "keep_control": {
          "description": "You want to speak again after the actions succeeded.",
          "type": [
            "boolean",
            "null"
          ]
        },
        "plan": {
          "description": "The steps that you plan, in order; shown to the user.",
          "items": {
            "type": "string"
          },
          "type": [
            "array",
            "null"
          ]
        },
        "post_text": {
          "description": "What the user reads once all actions succeeded.",
          "type": [
            "string",
            "null"
          ]
        },
        "pre_text": {
          "description": "What you say to the user before anything is run; may be empty.",
          "type": "string"
        },
        "queries": {
          "description": "Commands that read.",
          "items": {
            "additionalProperties": false,
            "description": "One command.",
            "properties": {
              "params": {
                "additionalProperties": true,
                "description": "Its arguments.",
                "type": [
                  "object",
                  "null"
                ]
              },
              "type": {
                "description": "Its word.",
                "type": "string"
              }
            },
            "required": [
              "type"
            ],
            "type": "object"
          },
          "type": [
            "array",
            "null"
          ]
        },
        "question": {
          "anyOf": [
            {
              "anyOf": [
                {
                  "additionalProperties": false,
                  "description": "One of several options.",
                  "properties": {
                    "allow_other": {
                      "description": "The user may answer something else.",
                      "type": [
                        "boolean",
                        "null"
                      ]
                    },
                    "options": {
                      "description": "Two or more.",
                      "items": {
                        "type": "string"
                      },
                      "type": "array"
                    },
                    "question": {
                      "description": "The question.",
                      "type": "string"
                    },
                    "type": {
                      "const": "MultipleChoice",
                      "type": "string"
                    }
                  },
                  "required": [
                    "type",
                    "question",
                    "options"
                  ],
                  "type": "object"
                },
                {
                  "additionalProperties": false,
                  "description": "Yes or no.",
                  "properties": {
                    "message": {
                      "description": "What to say yes to.",
                      "type": "string"
                    },
                    "type": {
                      "const": "Validation",
                      "type": "string"
                    }
                  },
                  "required": [
                    "type",
                    "message"
                  ],
                  "type": "object"
                }
              ],
              "description": "A question to the user."
            },
            {
              "type": "null"
            }
          ],
          "description": "A question to the user."
        },
        "validation_request": {
          "description": "The user must be asked before the actions.",
          "type": [
            "boolean",
            "null"
          ]
        }
      },
      "required": [
        "pre_text"
      ],
      "title": "Envelope",
      "type": "object"
    }
    "#);
    let spec = crate::kit::few_commands();
    let schema = schema_for(&spec);
    let validator = jsonschema::validator_for(&crate::json_value::to_serde(&schema)).unwrap();
    let valid = |text: &str| validator.is_valid(&serde_json::from_str(text).unwrap());
    assert!(valid(r#"{"pre_text":"","queries":[{"type":"ZONES","params":{}}]}"#));
    assert!(!valid(r#"{"pre_text":"","actions":[{"type":"ZONES","params":{}}]}"#));
    assert!(!valid(r#"{"pre_text":"","queries":[{"type":"ZONES","params":{"unknown":1}}]}"#));
}
