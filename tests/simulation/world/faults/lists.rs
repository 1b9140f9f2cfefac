//! What is broken, by name.

macro_rules! faults {
    ($($name:ident)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault { $($name,)+ }

        pub(crate) const FAULTS: &[Fault] = &[$(Fault::$name,)+];
    };
}

faults! {
    // Charging.
    TimeoutFails
    SubmitsWithoutAsking
    SubmitsUnderANewKey
    GraceIsSkipped
    OneNotFoundIsEnough
    OpenCallsAreForgotten
    InterruptedIsSentAgain
    SendsAfterTheExpiry
    SendsBeyondTheLimit
    SendsAfterTheKeysLife
    SendsAgainWhereNobodyMay
    CallsUnderAnotherAccount
    AmountIsNotCompared
    ProcessingIsPaid
    UnreadableIsDeclined
    UnexplainedIsClosed
    ClosesAtItsExpiry
    ClosesWhenAsked
    NoticeUndoesPaid
    LateSuccessIsIgnored
    // Refunds and grants.
    RefundUnderANewNumber
    RefundTimeoutFails
    PendingRefundIsDone
    RefundCapIsGone
    RefundTakesNothingBack
    GrantsAgain
    GrantsWhatIsNotPaid
    DebitsAgain
    // Telling.
    ManualWithoutAnAlert
    AlertIsOverTooEarly
    SlowSuccessIsNotTold
    SecondPaymentIsForgotten
    StatusWithoutAnEvent
    VersionStandsStill
    NextCheckIsForgotten
    // The database.
    VersionIsNotCompared
    OrderNumberIsNotUnique
    TradeNumberIsNotUnique
    NoticeCountsTwice
    AlertKeyIsNotKept
    // The runtime.
    CallsBeforeTheCommit
    AcknowledgesBeforeTheCommit
    TimersAreForgottenAtStart
    TimerOfUnknownIsForgotten
    OutboxIsForgottenAtStart
}
