mod examples;
mod fixture;
mod generated;
mod handmade;
mod legal;
mod special;
