//! The ledger, one statement for each thing.

use super::super::balance::{entered, moved};
use crate::store::mapping::{AccountRows, MovementRow, PostingRows};
use crate::store::single::Single;
use entities::{balances, holds, ledger_entries};
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, DatabaseTransaction, DbErr, EntityTrait,
    IntoActiveModel, QueryFilter,
};

/// The movements of an order: it stands already, and they are made whatever the balances are.
pub(super) async fn postings(write: &DatabaseTransaction, rows: &PostingRows) -> Result<(), DbErr> {
    for movement in &rows.movements {
        let Some(moved) = moves(write, movement).await? else {
            continue;
        };
        let of_kind = |kind: &str| kind == moved.kind;
        for entry in rows.entries.iter().filter(|entry| of_kind(&entry.kind)) {
            enter(write, entry, &moved).await?;
        }
        for row in rows.holds.iter().filter(|row| of_kind(&row.kind)) {
            hold(write, row).await?;
        }
    }
    Ok(())
}

/// The movement of an account, if its balance is as it expects.
pub(super) async fn of_account(
    write: &DatabaseTransaction,
    rows: &AccountRows,
) -> Result<bool, DbErr> {
    if let Some(entry) = &rows.entry
        && is_booked(write, entry).await?
    {
        return Ok(false);
    }
    let Some(moved) = moves(write, &rows.movement).await? else {
        return Ok(false);
    };
    if let Some(entry) = &rows.entry {
        enter(write, entry, &moved).await?;
    }
    if let Some(row) = &rows.hold {
        hold(write, row).await?;
    }
    Ok(true)
}

/// Whether the source of this entry has one already, of whatever kind.
async fn is_booked(
    write: &DatabaseTransaction,
    entry: &ledger_entries::Model,
) -> Result<bool, DbErr> {
    let found = ledger_entries::Entity::find()
        .filter(ledger_entries::Column::Account.eq(entry.account.as_str()))
        .filter(ledger_entries::Column::Source.eq(entry.source.as_str()))
        .single(write)
        .await?;
    Ok(found.is_some())
}

/// The balance as it stands after the movement; `None` if it is not as expected.
async fn moves(
    write: &DatabaseTransaction,
    movement: &MovementRow,
) -> Result<Option<balances::Model>, DbErr> {
    let by = &movement.row;
    let key = (by.account.clone(), by.kind.clone());
    let found = balances::Entity::find_by_id(key).single(write).await?;
    let Some(next) = moved(found.as_ref(), movement) else {
        return Ok(None);
    };
    let row = next.clone().into_active_model().reset_all();
    if found.is_none() {
        balances::Entity::insert(row)
            .exec_without_returning(write)
            .await?;
    } else {
        balances::Entity::update_many()
            .set(row)
            .filter(balances::Column::Account.eq(by.account.as_str()))
            .filter(balances::Column::Kind.eq(by.kind.as_str()))
            .exec(write)
            .await?;
    }
    Ok(Some(next))
}

async fn enter(
    write: &DatabaseTransaction,
    entry: &ledger_entries::Model,
    moved: &balances::Model,
) -> Result<(), DbErr> {
    let mut row = entered(entry, moved).into_active_model().reset_all();
    row.seq = ActiveValue::NotSet;
    ledger_entries::Entity::insert(row)
        .exec_without_returning(write)
        .await?;
    Ok(())
}

async fn hold(write: &DatabaseTransaction, row: &holds::Model) -> Result<(), DbErr> {
    let key = (row.account.clone(), row.hold_no.clone());
    let Some(found) = holds::Entity::find_by_id(key).single(write).await? else {
        holds::Entity::insert(row.clone().into_active_model().reset_all())
            .exec_without_returning(write)
            .await?;
        return Ok(());
    };
    let next = holds::Model {
        kind: found.kind,
        created_at: found.created_at,
        ..row.clone()
    };
    holds::Entity::update_many()
        .set(next.into_active_model().reset_all())
        .filter(holds::Column::Account.eq(row.account.as_str()))
        .filter(holds::Column::HoldNo.eq(row.hold_no.as_str()))
        .exec(write)
        .await?;
    Ok(())
}
