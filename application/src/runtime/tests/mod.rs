mod perform;
mod remote;
mod workspace;
