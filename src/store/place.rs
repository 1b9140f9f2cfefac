//! Where the database is: a file of ours, or a PostgreSQL server. It is shown without its credentials.

use super::{StoreError, file};
use std::fmt;
use std::path::{Path, PathBuf};

/// A database URL, understood.
#[derive(Clone)]
pub(super) enum Place {
    /// `url` as it was given, and the file, which is opened by this path as it stands here: once it is settled, a
    /// change of links or of the working directory leads nowhere else.
    Sqlite {
        url: String,
        file: PathBuf,
    },
    Postgres {
        url: String,
    },
}

impl Place {
    /// # Errors
    /// `Unusable` when the URL is of neither kind, or names no file.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres {
                url: url.to_owned(),
            });
        }
        let path = url
            .strip_prefix("sqlite://")
            .or_else(|| url.strip_prefix("sqlite:"))
            .ok_or_else(|| {
                StoreError::Unusable(format!(
                    "`{}` is no database: use sqlite://FILE or postgres://…",
                    without_credentials(url)
                ))
            })?;
        let file = path.split('?').next().unwrap_or_default();
        if file.is_empty() || file.contains(":memory:") {
            return Err(StoreError::Unusable(
                "the database must be a file: orders in memory would be lost".to_owned(),
            ));
        }
        Ok(Self::Sqlite {
            url: url.to_owned(),
            file: PathBuf::from(file),
        })
    }

    pub(super) fn url(&self) -> &str {
        match self {
            Self::Sqlite { url, .. } | Self::Postgres { url } => url,
        }
    }

    /// Finds out which file is meant, whatever links lead to it, and makes its folder. Two places of one database are
    /// the same then.
    ///
    /// # Errors
    /// `Unusable` when the folder cannot be made or found, or the file has more than one name.
    pub(super) fn settled(self) -> Result<Self, StoreError> {
        match self {
            Self::Sqlite { url, file } => {
                make_parent(&file)?;
                let shown = file.display();
                let file = file::canonical(&file)
                    .map_err(|error| StoreError::Unusable(format!("{shown}: {error}")))?;
                file::has_one_name(&file)?;
                Ok(Self::Sqlite { url, file })
            }
            Self::Postgres { .. } => Ok(self),
        }
    }

    /// The file of an embedded database.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite { file, .. } => Some(file),
            Self::Postgres { .. } => None,
        }
    }

    /// The error that names this place and what is wrong with it.
    pub(super) fn unusable(&self, error: &dyn fmt::Display) -> StoreError {
        StoreError::Unusable(format!("{self}: {error}"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&without_credentials(self.url()))
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

fn make_parent(file: &Path) -> Result<(), StoreError> {
    let Some(folder) = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|error| {
        StoreError::Unusable(format!(
            "cannot make the folder {}: {error}",
            folder.display()
        ))
    })
}

/// The URL without user, password and parameters: any of them may be a secret.
pub(super) fn without_credentials(url: &str) -> String {
    let bare = url.split('?').next().unwrap_or_default();
    match bare.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{host}")
        }
        None => bare.to_owned(),
    }
}
