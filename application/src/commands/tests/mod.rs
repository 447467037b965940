mod catalog;
mod pipeline;
mod resolver;
