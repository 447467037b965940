-- Of a link that was made from a login: when that login ends. What logs in with the link ends with it at the latest.
ALTER TABLE tokens ADD COLUMN login_until BIGINT;
