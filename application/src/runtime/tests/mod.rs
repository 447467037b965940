mod perform;
mod remote;
mod task;
mod workspace;
