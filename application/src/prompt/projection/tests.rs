mod examples;
mod files;
mod fixture;
mod generated;
mod handmade;
mod legal;
mod special;
