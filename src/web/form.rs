//! Reading a request field by field: every fault is noted under its field's name, and all of them come back together.

use super::json::{Object, whole_number};
use super::language::Text;
use super::problem::{FieldError, Problem};
use serde_json::value::RawValue;

/// An object that is being read. Fields that nobody has asked for are unknown.
#[derive(Debug)]
pub(crate) struct Form<'a> {
    object: Object<'a>,
    /// Where the object stands in the body: empty, or a path that ends in a dot.
    place: String,
    asked: Vec<&'static str>,
    errors: Vec<FieldError>,
}

impl<'a> Form<'a> {
    pub(crate) fn new(object: Object<'a>) -> Self {
        Self::at(String::new(), object)
    }

    /// The form of an object inside the body, at `place` such as `entitlements[0].`.
    pub(crate) fn at(place: String, object: Object<'a>) -> Self {
        let mut form = Self {
            object,
            place,
            asked: Vec::new(),
            errors: Vec::new(),
        };
        for key in std::mem::take(&mut form.object.repeated) {
            form.refuse(&key, Text::new("is given more than once", "重复出现"));
        }
        form
    }

    /// Notes a fault of a field of this object.
    pub(crate) fn refuse(&mut self, field: &str, message: Text) {
        let place = format!("{}{field}", self.place);
        self.errors.push(FieldError::new(place, message));
    }

    /// Takes over faults that were noted elsewhere, under their own names.
    pub(crate) fn refuse_all(&mut self, errors: Vec<FieldError>) {
        self.errors.extend(errors);
    }

    /// The raw value of a field; `null` is as good as absent.
    pub(crate) fn raw(&mut self, field: &'static str) -> Option<&'a RawValue> {
        self.asked.push(field);
        let mut fields = self.object.fields.iter();
        let (_, value) = fields.find(|(key, _)| key == field)?;
        (value.get() != "null").then_some(*value)
    }

    /// The text of a field that may be absent. `rule` says what is wrong with it, if anything.
    pub(crate) fn text(
        &mut self,
        field: &'static str,
        rule: impl FnOnce(&str) -> Option<Text>,
    ) -> Option<String> {
        let raw = self.raw(field)?;
        match as_text(raw) {
            Err(message) => self.refuse(field, message),
            Ok(text) => match rule(&text) {
                Some(message) => self.refuse(field, message),
                None => return Some(text),
            },
        }
        None
    }

    /// The text of a field that must be there.
    pub(crate) fn required_text(
        &mut self,
        field: &'static str,
        rule: impl FnOnce(&str) -> Option<Text>,
    ) -> Option<String> {
        self.require(field);
        self.text(field, rule)
    }

    /// A whole number in `low..=high` that may be absent.
    pub(crate) fn whole(&mut self, field: &'static str, low: i64, high: i64) -> Option<i64> {
        let raw = self.raw(field)?;
        let number = whole_number(raw.get()).filter(|number| (low..=high).contains(number));
        if number.is_none() {
            self.refuse(field, whole_between(low, high));
        }
        number
    }

    /// A whole number in `low..=high` that must be there.
    pub(crate) fn required_whole(
        &mut self,
        field: &'static str,
        low: i64,
        high: i64,
    ) -> Option<i64> {
        self.require(field);
        self.whole(field, low, high)
    }

    fn require(&mut self, field: &'static str) {
        if self.raw(field).is_none() {
            self.refuse(field, Text::new("is required", "为必填项"));
        }
    }

    /// Every fault, unknown fields among them.
    pub(crate) fn into_errors(mut self) -> Vec<FieldError> {
        let fields = self.object.fields.iter().map(|(key, _)| key.clone());
        let unknown: Vec<String> = fields
            .filter(|key| !self.asked.contains(&key.as_str()))
            .collect();
        for key in unknown {
            self.refuse(&key, Text::new("is not a known field", "未知字段"));
        }
        self.errors
    }

    /// What was read, if nothing is wrong with the form.
    pub(crate) fn finish<T>(self, read: Option<T>) -> Result<T, Problem> {
        match (self.into_errors(), read) {
            (errors, Some(read)) if errors.is_empty() => Ok(read),
            (errors, _) => Err(Problem::validation(errors)),
        }
    }
}

/// The text that a value is.
pub(crate) fn as_text(raw: &RawValue) -> Result<String, Text> {
    if !raw.get().starts_with('"') {
        return Err(Text::new("must be a string", "必须是字符串"));
    }
    // What is wrong with a string that the body's own reading let pass is an escape, such as half a surrogate.
    serde_json::from_str(raw.get())
        .map_err(|_invalid_escape| Text::new("is not valid Unicode", "不是有效的 Unicode 文本"))
}

fn whole_between(low: i64, high: i64) -> Text {
    Text::owned(
        format!("must be a whole number from {low} to {high}, written in digits"),
        format!("必须是 {low} 到 {high} 之间的整数，只用数字书写"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::language::Language;
    use crate::web::rules;

    /// The faults of a form with a text `name`, a number `amount` of 1–10 and a nested text `note`.
    fn faults(body: &str) -> Vec<String> {
        let mut form = Form::new(Object::of_body(body.as_bytes()).unwrap());
        let name = form.required_text("name", rules::name);
        let amount = form.required_whole("amount", 1, 10);
        let note = form.text("note", rules::plain(1, 5));
        let read = name.zip(amount).map(|both| (both, note));
        match form.finish(read) {
            Ok(_) => Vec::new(),
            Err(problem) => problem
                .errors
                .iter()
                .map(|error| {
                    let message = error.message.in_language(Language::English);
                    format!("{} {message}", error.field)
                })
                .collect(),
        }
    }

    #[test]
    fn a_right_form_is_read_and_null_is_as_good_as_absent() {
        assert!(faults(r#"{"name": "a", "amount": 10}"#).is_empty());
        assert!(faults(r#"{"name": "a", "amount": 1, "note": null}"#).is_empty());
    }

    #[test]
    fn all_faults_of_a_form_come_back_together_each_under_its_field() {
        let body = r#"{"amount": 1e1, "note": 5, "extra": 1, "extra": 2}"#;
        assert_eq!(
            faults(body),
            [
                "extra is given more than once",
                "name is required",
                "amount must be a whole number from 1 to 10, written in digits",
                "note must be a string",
                "extra is not a known field",
            ]
        );
    }

    #[test]
    fn amounts_that_are_not_plain_digits_in_range_are_refused() {
        for amount in [
            "0",
            "-1",
            "11",
            "1.0",
            "1e0",
            "-0",
            "\"1\"",
            "true",
            "[1]",
            "99999999999999999999",
        ] {
            let faults = faults(&format!(r#"{{"name": "a", "amount": {amount}}}"#));
            assert_eq!(faults.len(), 1, "{amount}");
            assert!(faults[0].starts_with("amount "), "{amount}");
        }
    }
}
