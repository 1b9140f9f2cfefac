//! Asking the gateway in a way that a client cannot cancel by hanging up: actix drops the handler of a connection
//! that was reset, and what a payment has begun must go on.

use crate::actors::GatewayError;

/// Runs the ask to its end and answers with what it brought. One that broke is unclear, never undone.
pub(crate) async fn detached<T: 'static>(
    ask: impl Future<Output = Result<T, GatewayError>> + 'static,
) -> Result<T, GatewayError> {
    match actix_web::rt::spawn(ask).await {
        Ok(answer) => answer,
        Err(end) => Err(GatewayError::Unclear(end.to_string())),
    }
}
