//! Mails as `.eml` files, for an installation without SMTP.

use std::path::Path;
use tokio::io::AsyncWriteExt;

/// Writes the mail under a name made of its Message-ID, whole or not at all; a repeat replaces it.
pub(super) async fn write(folder: &Path, message_id: &str, message: &[u8]) -> std::io::Result<()> {
    let mut private = tokio::fs::DirBuilder::new();
    private.recursive(true);
    #[cfg(unix)]
    private.mode(0o700);
    private.create(folder).await?;
    let name: String = message_id
        .chars()
        .filter_map(|letter| match letter {
            '<' | '>' => None,
            letter if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '@') => {
                Some(letter)
            }
            _ => Some('_'),
        })
        .collect();
    let unfinished = folder.join(format!(".{name}.tmp"));
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(&unfinished).await?;
    file.write_all(message).await?;
    file.flush().await?;
    file.sync_all().await?;
    tokio::fs::rename(&unfinished, folder.join(format!("{name}.eml"))).await
}
