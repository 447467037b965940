mod examples;
mod generated;
mod special;
mod story;
