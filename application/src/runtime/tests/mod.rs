mod perform;
mod remote;
mod spans;
mod task;
mod workspace;
