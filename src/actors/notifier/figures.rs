//! The report of a day, read from the store.

use crate::domain::UnixMillis;
use crate::domain::order::OrderStatus;
use crate::mail::daily::{Case, Failing, Report, Standing, Sum};
use crate::moment::rfc3339;
use crate::store::{Database, StoreError, audit, figures};

const DAY_MS: i64 = 86_400_000;

/// What became of the day that began at `day`, and what stands open at `now`.
pub(super) async fn report(
    database: &Database,
    day: UnixMillis,
    now: UnixMillis,
) -> Result<Report, StoreError> {
    let read = &database.read;
    let until = day.plus(DAY_MS);
    let standing =
        |cases: Vec<figures::Case>| Standing::of(cases.into_iter().map(case).collect(), now);
    Ok(Report {
        day: rfc3339(day).chars().take(10).collect(),
        paid: sums(figures::paid(read, day, until).await?),
        refunded: sums(figures::refunded(read, day, until).await?),
        second_payments: sums(figures::second_payments(read, day, until).await?),
        manual_orders: standing(figures::orders_in(read, OrderStatus::Manual).await?),
        manual_refunds: standing(figures::refunds_in_manual(read).await?),
        unknown: standing(figures::orders_in(read, OrderStatus::Unknown).await?),
        deliveries: failing(figures::failing_deliveries(read).await?),
        grants: failing(figures::failing_grants(read).await?),
        audit_head: audit::head(read).await?.to_string(),
    })
}

fn sums(sums: Vec<figures::Sum>) -> Vec<Sum> {
    let sums = sums.into_iter().map(|sum| Sum {
        channel: sum.channel,
        currency: sum.currency,
        count: sum.count,
        amount: sum.amount,
    });
    sums.collect()
}

fn case(case: figures::Case) -> Case {
    Case {
        order_id: case.order_id,
        order_no: case.order_no,
        refund_no: case.refund_no,
        since: UnixMillis(case.since),
    }
}

const fn failing(failing: figures::Failing) -> Failing {
    Failing {
        retried: failing.retried,
        given_up: failing.given_up,
    }
}
