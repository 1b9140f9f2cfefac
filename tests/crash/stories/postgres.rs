//! The database server loses processes under load: `kill -9` of the one that writes for us, again and again.

use super::{are_paid_once, begin, orders};
use crate::support::{Cluster, Processor, Shop, Stage, eventually};
use futures_util::future::join_all;
use sea_orm::{ConnectionTrait, Database, Statement};
use std::time::Duration;

const KILLS: u32 = 3;

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_processes_are_killed_under_load_loses_and_repeats_nothing() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let processor = Processor::start().await;
    let stage = Stage {
        database: Some(cluster.database()),
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let in_flight = orders("pg-slow", "VIP #delay=2s #no-callback", 6);
    begin(&shop, &in_flight).await;
    let mut all = in_flight;
    for kill in 0..KILLS {
        let hurried = orders(&format!("pg-{kill}"), "VIP", 40);
        let creates = join_all(hurried.iter().map(|body| shop.create(body)));
        let killed = async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            cluster.kill_backend(writer(&cluster).await);
        };
        let (answers, ()) = tokio::join!(creates, killed);
        for answer in &answers {
            let honest = [200, 202, 503, 504].contains(&answer.status);
            assert!(honest, "{} {:?}", answer.status, answer.body);
        }
        all.extend(hurried);
        shop.is_ready().await;
    }
    are_paid_once(&shop, &processor, &all).await;
    assert!(shop.running.is_running(), "the same process serves on");
}

/// A process of the database server that writes for the shop.
async fn writer(cluster: &Cluster) -> i64 {
    let busy = "SELECT pid::bigint FROM pg_stat_activity WHERE application_name = 'oncepay' \
                ORDER BY (query ILIKE '%orders%') DESC, query_start DESC LIMIT 1";
    eventually("the shop has a connection", || async {
        let url = cluster.database().url.clone();
        let connection = Database::connect(url).await.map_err(|it| it.to_string())?;
        let statement = Statement::from_string(connection.get_database_backend(), busy);
        let row = connection.query_one_raw(statement).await;
        let row = row.map_err(|it| it.to_string())?;
        let pid = row.ok_or("none yet")?.try_get_by_index::<i64>(0);
        pid.map_err(|it| it.to_string())
    })
    .await
}
