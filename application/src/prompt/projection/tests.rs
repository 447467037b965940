mod examples;
mod generated;
mod handmade;
mod legal;
mod special;
mod story;
