mod effects;
mod loaded_workspace;
mod policy_check;
mod remote_mail;
mod spans;
mod workspace_worker;
