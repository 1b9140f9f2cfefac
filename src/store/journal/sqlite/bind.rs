//! Binds a row to a statement as it stands, without a copy of its texts.

use rusqlite::types::Null;
use rusqlite::{Error, Statement, ToSql};
use serde::ser::{Impossible, Serialize, SerializeStruct, Serializer};
use std::fmt::Display;

/// Columns of a row that are not bound, as bits by their place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Without(u64);

impl Without {
    /// Those of `columns` that `left_out` names.
    pub(super) fn of(columns: &[&str], left_out: &[&str]) -> Self {
        let bits = (0_u32..).zip(columns).map(|(place, name)| {
            let bit = u64::from(left_out.contains(name));
            bit.checked_shl(place).unwrap_or_default()
        });
        Self(bits.fold(0, |all, bit| all | bit))
    }

    fn leaves(self, place: u32) -> bool {
        self.0.checked_shr(place).unwrap_or_default() & 1 == 0
    }
}

/// Binds the columns of `row`, in their order, to the first places; the next place is free then.
pub(super) fn bind_row<R: Serialize>(
    statement: &mut Statement<'_>,
    row: &R,
    without: Without,
) -> rusqlite::Result<usize> {
    let mut binder = Binder {
        statement,
        without,
        field: 0,
        place: 1,
    };
    row.serialize(&mut binder).map_err(|Unbound(error)| error)?;
    Ok(binder.place)
}

struct Binder<'a, 'c> {
    statement: &'a mut Statement<'c>,
    without: Without,
    field: u32,
    place: usize,
}

impl Binder<'_, '_> {
    fn bind(&mut self, value: impl ToSql) -> Result<(), Unbound> {
        self.statement
            .raw_bind_parameter(self.place, value)
            .map_err(Unbound)?;
        self.place = self.place.saturating_add(1);
        Ok(())
    }
}

/// Why a row is not bound.
#[derive(Debug)]
struct Unbound(Error);

impl Display for Unbound {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Unbound {}

impl serde::ser::Error for Unbound {
    fn custom<T: Display>(message: T) -> Self {
        Self(Error::ToSqlConversionFailure(message.to_string().into()))
    }
}

type Never = Impossible<(), Unbound>;

fn refused<T>(what: &str) -> Result<T, Unbound> {
    Err(serde::ser::Error::custom(format!(
        "{what} has no place in a row"
    )))
}

impl SerializeStruct for &mut Binder<'_, '_> {
    type Ok = ();
    type Error = Unbound;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        _name: &'static str,
        value: &T,
    ) -> Result<(), Unbound> {
        let bound = self.without.leaves(self.field);
        self.field = self.field.saturating_add(1);
        if bound {
            value.serialize(&mut **self)?;
        }
        Ok(())
    }

    fn end(self) -> Result<(), Unbound> {
        Ok(())
    }
}

/// Our tables hold whole numbers, truths, texts and nothing else.
impl Serializer for &mut Binder<'_, '_> {
    type Ok = ();
    type Error = Unbound;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Self;
    type SerializeStructVariant = Never;

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Unbound> {
        Ok(self)
    }
    fn serialize_bool(self, truth: bool) -> Result<(), Unbound> {
        self.bind(truth)
    }
    fn serialize_i64(self, number: i64) -> Result<(), Unbound> {
        self.bind(number)
    }
    fn serialize_str(self, text: &str) -> Result<(), Unbound> {
        self.bind(text)
    }
    fn serialize_none(self) -> Result<(), Unbound> {
        self.bind(Null)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unbound> {
        value.serialize(self)
    }
    fn serialize_i8(self, _: i8) -> Result<(), Unbound> {
        refused("an i8")
    }
    fn serialize_i16(self, _: i16) -> Result<(), Unbound> {
        refused("an i16")
    }
    fn serialize_i32(self, _: i32) -> Result<(), Unbound> {
        refused("an i32")
    }
    fn serialize_u8(self, _: u8) -> Result<(), Unbound> {
        refused("a u8")
    }
    fn serialize_u16(self, _: u16) -> Result<(), Unbound> {
        refused("a u16")
    }
    fn serialize_u32(self, _: u32) -> Result<(), Unbound> {
        refused("a u32")
    }
    fn serialize_u64(self, _: u64) -> Result<(), Unbound> {
        refused("a u64")
    }
    fn serialize_f32(self, _: f32) -> Result<(), Unbound> {
        refused("an f32")
    }
    fn serialize_f64(self, _: f64) -> Result<(), Unbound> {
        refused("an f64")
    }
    fn serialize_char(self, _: char) -> Result<(), Unbound> {
        refused("a char")
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<(), Unbound> {
        refused("a list of bytes")
    }
    fn serialize_unit(self) -> Result<(), Unbound> {
        refused("a unit")
    }
    fn serialize_unit_struct(self, name: &'static str) -> Result<(), Unbound> {
        refused(name)
    }
    fn serialize_unit_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), Unbound> {
        refused(name)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: &T,
    ) -> Result<(), Unbound> {
        refused(name)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Unbound> {
        refused(name)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Never, Unbound> {
        refused("a list")
    }
    fn serialize_tuple(self, _: usize) -> Result<Never, Unbound> {
        refused("a tuple")
    }
    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Never, Unbound> {
        refused(name)
    }
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, Unbound> {
        refused(name)
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Never, Unbound> {
        refused("a map")
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Never, Unbound> {
        refused(name)
    }
}
