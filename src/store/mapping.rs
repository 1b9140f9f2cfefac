//! Between rows and the domain.
