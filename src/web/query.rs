//! Reading the query of a list: like a form, every fault under the name of its parameter.

use super::cursor;
use super::language::Text;
use super::problem::{FieldError, Problem};
use actix_web::HttpRequest;
use actix_web::web::Query;

const NO_CURSOR: Text = Text::new("is not a cursor of this list", "不是该列表的游标");

/// The parameters of a request. Those that nobody has asked for are unknown.
#[derive(Debug)]
pub(crate) struct Parameters {
    pairs: Vec<(String, String)>,
    asked: Vec<&'static str>,
    errors: Vec<FieldError>,
}

impl Parameters {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let pairs = Query::<Vec<(String, String)>>::from_query(request.query_string());
        Self {
            pairs: pairs.map(Query::into_inner).unwrap_or_default(),
            asked: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// A parameter that may be absent, as `parse` reads it.
    pub(crate) fn parse<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, Text>,
    ) -> Option<T> {
        self.asked.push(name);
        let mut given = self.pairs.iter().filter(|(key, _)| key == name);
        let (_, text) = given.next()?;
        let read = match given.next() {
            Some(_) => Err(Text::new("is given more than once", "重复出现")),
            None => parse(text),
        };
        match read {
            Ok(read) => Some(read),
            Err(message) => {
                self.errors.push(FieldError::new(name, message));
                None
            }
        }
    }

    /// The limit of the page.
    pub(crate) fn limit(&mut self) -> u64 {
        self.parse("limit", cursor::limit)
            .unwrap_or(cursor::LIMIT_DEFAULT)
    }

    /// The id after which the page begins.
    pub(crate) fn cursor(&mut self, prefix: &str) -> Option<String> {
        self.parse("cursor", |text| cursor::read(text, prefix).ok_or(NO_CURSOR))
    }

    /// As `cursor`, of a list whose rows are found by numbers.
    pub(crate) fn cursor_number(&mut self, prefix: &str) -> Option<i64> {
        self.parse("cursor", |text| {
            cursor::number(text, prefix).ok_or(NO_CURSOR)
        })
    }

    /// Fails if a parameter was wrong or unknown.
    pub(crate) fn finish(mut self) -> Result<(), Problem> {
        for (key, _) in &self.pairs {
            if !self.asked.contains(&key.as_str()) {
                let message = Text::new("is not a known parameter", "未知参数");
                self.errors.push(FieldError::new(key.clone(), message));
            }
        }
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(Problem::validation(self.errors))
        }
    }
}
