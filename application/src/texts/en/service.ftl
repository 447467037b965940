# The server as a service of the system: entracte service install, status, uninstall.

telemetry-endpoint-invalid = telemetry.otlp_endpoint must be an address like http://127.0.0.1:4318, without a user, a password or a query; a key goes into the variable OTEL_EXPORTER_OTLP_HEADERS
telemetry-unusable = telemetry cannot be sent: { $why }
service-installed = installed: { $file }
service-runs = it runs ({ $says })
service-rests = it does not run ({ $says }); to start it: { $command }
service-no-linger = it ends when you log out; to keep it running: { $command }
service-removed = removed: { $file }; data and configuration stay
service-absent = the service is not installed
service-foreign = { $file } was not written by entracte; look at it first
service-foreign-stays = { $file } was not written by entracte, so it stays; remove it yourself
service-keys = a service does not see the variables of your shell; write { $keys } into { $file }, as NAME=value, one per line
service-untried = this has never been tried on macOS; please tell us what happens
service-none = there is no service manager here that entracte knows ({ $system }); have yours run this at startup
service-no-home = there is no home folder; set HOME
service-password = the file of a service must not hold a password; name the database in the configuration instead, with database.url_env or database.url_file
service-unwritable = “{ $value }” cannot be written into the file of a service: it must be UTF-8, without control characters
service-manager-failed = { $command }: { $why }
service-no-bus = no service manager of yours runs here, as over su or in a container ({ $why }). On a machine of your own: loginctl enable-linger $USER, then log in again. Or run the server yourself
