//! The credit ledger of an account: stories, and rules that no sequence of requests may break.

mod account;
mod properties;

use account::play;

#[test]
fn credits_are_spent_down_to_zero_and_once_for_each_number() {
    play(
        "
        debit d1 credits 1          -> insufficient-balance  0 0
        credit credits 100          ->                       100 0
        debit d1 credits 60         -> debit:d1              40 0
        debit d1 credits 60         -> debit:d1              40 0
        debit d2 credits 60         -> insufficient-balance  40 0
        debit d2 credits 40         -> debit:d2              0 0
        debit d2 credits 40         -> debit:d2              0 0
        ",
    );
}

#[test]
fn a_number_stands_for_one_kind_and_quantity_for_ever() {
    play(
        "
        credit credits 100          ->                       100 0
        credit minutes 100          ->                       100 0
        debit d1 credits 60         -> debit:d1              40 0
        debit d1 credits 59         -> debit-conflict        40 0
        debit d1 minutes 60         -> debit-conflict        100 0
        hold h1 credits 10 60       -> HELD 0                40 10
        hold h1 credits 11 60       -> hold-conflict         40 10
        hold h1 credits 10 61       -> hold-conflict         40 10
        hold h1 minutes 10 60       -> hold-conflict         100 0
        hold d1 credits 10 60       -> HELD 0                40 20
        debit h1 credits 20         -> debit:h1              20 20
        ",
    );
}

#[test]
fn what_is_held_is_spent_by_nobody_else() {
    play(
        "
        credit credits 100          ->                       100 0
        hold h1 credits 70 60       -> HELD 0                100 70
        debit d1 credits 31         -> insufficient-balance  100 70
        hold h2 credits 31 60       -> insufficient-balance  100 70
        debit d1 credits 30         -> debit:d1              70 70
        release h1                  -> RELEASED 0            70 0
        debit d2 credits 70         -> debit:d2              0 0
        ",
    );
}

#[test]
fn a_part_is_captured_once_and_the_rest_is_free() {
    play(
        "
        credit credits 100          ->                       100 0
        hold h1 credits 100 60      -> HELD 0                100 100
        capture h1 101              -> capture-exceeds-hold  100 100
        capture h1 60               -> CAPTURED 60           40 0
        capture h1 60               -> CAPTURED 60           40 0
        capture h1 40               -> hold-conflict         40 0
        release h1                  -> hold-ended            40 0
        hold h1 credits 100 60      -> CAPTURED 60           40 0
        tick 3600                   ->                       40 0
        expire h1                   -> CAPTURED 60           40 0
        ",
    );
}

#[test]
fn what_was_released_cannot_be_captured() {
    play(
        "
        credit credits 100          ->                       100 0
        hold h1 credits 100 60      -> HELD 0                100 100
        release h1                  -> RELEASED 0            100 0
        release h1                  -> RELEASED 0            100 0
        capture h1 1                -> hold-ended            100 0
        hold h1 credits 100 60      -> RELEASED 0            100 0
        ",
    );
}

#[test]
fn a_hold_expires_at_its_moment_whoever_comes_first() {
    play(
        "
        credit credits 100          ->                       100 0
        hold h1 credits 10 60       -> HELD 0                100 10
        hold h2 credits 20 60       -> HELD 0                100 30
        hold h3 credits 30 60       -> HELD 0                100 60
        hold h4 credits 40 60       -> HELD 0                100 100
        expire h1                   -> HELD 0                100 100
        tick 59                     ->                       100 100
        expire h1                   -> HELD 0                100 100
        tick 1                      ->                       100 100
        expire h1                   -> EXPIRED 0             100 90
        capture h2 20               -> hold-expired          100 70
        release h3                  -> EXPIRED 0             100 40
        hold h4 credits 40 60       -> EXPIRED 0             100 0
        capture h1 10               -> hold-expired          100 0
        capture h2 20               -> hold-expired          100 0
        release h1                  -> EXPIRED 0             100 0
        ",
    );
}

#[test]
fn an_account_that_may_goes_below_zero_as_far_as_it_may() {
    play(
        "
        overdraft 50                ->                       0 0
        debit d1 credits 51         -> insufficient-balance  0 0
        debit d1 credits 30         -> debit:d1              -30 0
        hold h1 credits 20 60       -> HELD 0                -30 20
        debit d2 credits 1          -> insufficient-balance  -30 20
        capture h1 20               -> CAPTURED 20           -50 0
        ",
    );
}

/// A refund takes back what was spent: the account owes it, and what was put aside before is still captured.
#[test]
fn a_debt_stops_debits_and_spares_what_is_held() {
    play(
        "
        credit credits 100          ->                       100 0
        hold h1 credits 60 60       -> HELD 0                100 60
        credit credits -90          ->                       10 60
        debit d1 credits 1          -> insufficient-balance  10 60
        capture h1 60               -> CAPTURED 60           -50 0
        hold h2 credits 1 60        -> insufficient-balance  -50 0
        ",
    );
}

#[test]
fn what_an_order_holds_is_nobody_elses_to_touch() {
    play(
        "
        credit credits 100          ->                       100 0
        ordered order:o1:credits credits 100 ->              100 100
        capture order:o1:credits 100 -> not-found            100 100
        release order:o1:credits    -> not-found             100 100
        expire order:o1:credits     -> not-found             100 100
        capture nothing 1           -> not-found             100 100
        ",
    );
}

#[test]
fn the_ends_of_numbers_are_too_little_and_never_wrap() {
    play(
        "
        credit credits -9223372036854775807   ->                       -9223372036854775807 0
        overdraft 9223372036854775807         ->                       -9223372036854775807 0
        debit d1 credits 2                    -> insufficient-balance  -9223372036854775807 0
        ",
    );
}
