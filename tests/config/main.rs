//! The configuration as an operator meets it, and the commands that need no server.

mod commands;
mod database;
mod pairs;
mod settings;
mod start;
mod support;
mod verify;
