mod effects;
mod loaded_workspace;
mod remote_mail;
mod spans;
mod workspace_worker;
