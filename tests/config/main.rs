//! The configuration as an operator meets it, and the commands that need no server.

#[cfg(test)]
mod channels;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod database;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod pairs;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod start;
#[cfg(test)]
mod support;
#[cfg(test)]
mod verify;
