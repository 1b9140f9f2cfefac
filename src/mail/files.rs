//! Mails as `.eml` files, for an installation without SMTP.

use std::path::Path;

/// Writes the mail under a name made of its Message-ID, whole or not at all; a repeat replaces it.
pub(super) async fn write(folder: &Path, message_id: &str, message: &[u8]) -> std::io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
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
    tokio::fs::write(&unfinished, message).await?;
    tokio::fs::File::open(&unfinished).await?.sync_all().await?;
    tokio::fs::rename(&unfinished, folder.join(format!("{name}.eml"))).await
}
