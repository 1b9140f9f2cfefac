//! The document says what the API is: every reference leads somewhere, and every answer is described.

use super::text;
use serde_json::Value;

fn document() -> Value {
    serde_json::from_str(text()).unwrap()
}

/// Every `$ref` in the document.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(target) if key == "$ref" => found.push(target.to_owned()),
                    Some(_) | None => references(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 50);
    for target in found {
        let pointer = target.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
}

#[test]
fn every_operation_of_the_api_names_its_key_and_its_problems() {
    let document = document();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |it| (path, it)));
    for (path, (method, operation)) in operations {
        let responses = operation["responses"].as_object().unwrap();
        for (status, response) in responses {
            let id = &response["headers"]["X-Request-Id"];
            assert!(id.is_object(), "{method} {path} {status}");
        }
        if path.starts_with("/v1/") && path != "/v1/callbacks/{channel}" {
            assert!(responses.contains_key("401"), "{method} {path}");
            assert!(responses.contains_key("403"), "{method} {path}");
            assert!(operation["security"].is_array(), "{method} {path}");
        }
    }
}

#[test]
fn bodies_of_requests_take_no_unknown_fields() {
    let document = document();
    for name in [
        "NewOrder",
        "NewEntitlement",
        "NewReview",
        "NewRefund",
        "NewRefundReview",
        "NewKey",
        "NewDebit",
        "NewHold",
        "NewCapture",
    ] {
        let schema = &document["components"]["schemas"][name];
        assert_eq!(schema["additionalProperties"], false, "{name}");
    }
}
