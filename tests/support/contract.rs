//! What `/openapi.json` promises, held against the answers that come.

use super::{Answer, Shop};
use serde_json::Value;

/// The document of a running shop.
pub struct Contract {
    pub document: Value,
}

impl Contract {
    pub async fn of(shop: &Shop) -> Self {
        let answer = shop.send(shop.client.get(shop.url("/openapi.json"))).await;
        assert_eq!(answer.status, 200);
        Self {
            document: answer.body,
        }
    }

    /// The answer to this request is one that the document describes: its status, its media type, its shape.
    pub fn covers(&self, method: &str, path: &str, answer: &Answer) {
        let what = format!("{method} {path} → {}: {}", answer.status, answer.body);
        let operation = self.operation(method, path);
        let operation = operation.unwrap_or_else(|| panic!("not in the document: {what}"));
        let response = &operation["responses"][answer.status.to_string()];
        assert!(response.is_object(), "status not in the document: {what}");
        {
            let name = "X-Request-Id";
            assert!(!answer.header(name).is_empty(), "no {name}: {what}");
        }
        let Some(content) = response["content"].as_object() else {
            assert_eq!(
                answer.body, "",
                "a body that is not in the document: {what}"
            );
            return;
        };
        let media = answer
            .header("content-type")
            .split(';')
            .next()
            .unwrap_or("");
        let described = content.get(media).or_else(|| content.get("*/*"));
        let described =
            described.unwrap_or_else(|| panic!("{media} is not in the document: {what}"));
        if let Err(fault) = self.fits(&described["schema"], &answer.body, "$") {
            panic!("{fault}, in {what}");
        }
    }

    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let path = path.split('?').next().unwrap_or_default();
        let segments: Vec<_> = path.split('/').collect();
        let paths = self.document["paths"].as_object()?;
        let matching = paths.iter().find(|(template, _)| {
            let template: Vec<_> = template.split('/').collect();
            template.len() == segments.len()
                && template
                    .iter()
                    .zip(&segments)
                    .all(|(part, segment)| part.starts_with('{') || part == segment)
        });
        matching?.1.get(method.to_ascii_lowercase())
    }

    /// As much of JSON Schema as the document uses for answers.
    fn fits(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        if let Some(target) = schema["$ref"].as_str() {
            let target = self.document.pointer(target.trim_start_matches('#'));
            return self.fits(target.ok_or("a reference leads nowhere")?, value, place);
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(schemas) = schema[choice].as_array() {
                let any = schemas
                    .iter()
                    .any(|one| self.fits(one, value, place).is_ok());
                return any
                    .then_some(())
                    .ok_or(format!("{place} fits no choice: {value}"));
            }
        }
        if let Some(words) = schema["enum"].as_array()
            && !words.contains(value)
        {
            return Err(format!("{place} is none of {words:?}: {value}"));
        }
        let one = schema["type"].as_str();
        let several = schema["type"].as_array().into_iter().flatten();
        let types: Vec<&str> = one
            .into_iter()
            .chain(several.filter_map(Value::as_str))
            .collect();
        if !types.is_empty() && !types.iter().any(|name| is_a(name, value)) {
            return Err(format!("{place} is no {types:?}: {value}"));
        }
        self.parts_fit(schema, value, place)
    }

    fn parts_fit(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        for item in value.as_array().into_iter().flatten() {
            self.fits(&schema["items"], item, &format!("{place}[]"))?;
        }
        let (Some(fields), Some(properties)) =
            (value.as_object(), schema["properties"].as_object())
        else {
            return Ok(());
        };
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap_or_default();
            if !fields.contains_key(name) {
                return Err(format!("{place}.{name} is missing"));
            }
        }
        for (name, field) in fields {
            let property = properties.get(name);
            let property = property.ok_or(format!("{place}.{name} is not in the document"))?;
            self.fits(property, field, &format!("{place}.{name}"))?;
        }
        Ok(())
    }
}

fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// A refusal is a problem document of this status and code, complete and with the id of its request.
pub fn is_problem(answer: &Answer, status: u16, code: &str, what: &str) {
    let body = &answer.body;
    assert_eq!(answer.status, status, "{what}: {body}");
    assert_eq!(body["code"], code, "{what}: {body}");
    assert_eq!(body["status"], status, "{what}");
    assert_eq!(
        body["type"],
        format!("urn:oncepay:problem:{code}"),
        "{what}"
    );
    assert_eq!(
        answer.header("content-type"),
        "application/problem+json",
        "{what}"
    );
    assert_eq!(
        answer.header("x-request-id"),
        answer.text("request_id"),
        "{what}"
    );
    for text in ["title", "detail", "request_id"] {
        assert!(!answer.text(text).is_empty(), "{what}: no {text}");
    }
}

/// The fields that a refusal names.
pub fn fields(answer: &Answer) -> Vec<String> {
    let errors = answer.body["errors"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    errors
        .iter()
        .map(|error| error["field"].as_str().unwrap_or_default().to_owned())
        .collect()
}
