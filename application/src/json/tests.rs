//! Values in, text out, and back.
