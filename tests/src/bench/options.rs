//! Command line options of the benchmark.

/// Names of the rows, in the order of measurement.
pub const ROWS: [&str; 14] = [
    "reference",
    "rounds",
    "syscalls",
    "growth",
    "resume",
    "idle",
    "tick",
    "prefix",
    "streams",
    "money",
    "files",
    "start",
    "http",
    "weight",
];

/// Rows that run only when named explicitly: they take long and need gigabytes of disk space.
pub const LONG_ROWS: [&str; 3] = ["life", "retention", "large"];

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchDatabaseKind {
    /// An SQLite file.
    Sqlite,
    /// A database of a Postgres server.
    Postgres,
}

impl BenchDatabaseKind {
    /// Its name in options and rows.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// The parsed options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchOptions {
    /// Names of the rows to run.
    pub rows: Vec<String>,
    /// The databases to measure on; empty: SQLite, and Postgres if a server is configured.
    pub stores: Vec<BenchDatabaseKind>,
    /// How often each loop is measured, alternating with the other loop.
    pub tries: Option<usize>,
    /// Total rounds of `life`, over all sessions.
    pub rounds: usize,
    /// Ended sessions of `retention`.
    pub ended: usize,
    /// A tenth or less of all work, to check that the benchmark runs; the figures are not meaningful.
    pub quick: bool,
}

/// The usage line.
pub const USAGE: &str = "usage: bench [--rows rounds,growth,…] [--store sqlite|postgres] [--tries 7] [--rounds 1000000] [--ended 100000] [--quick]";

impl BenchOptions {
    /// Parses the arguments.
    ///
    /// # Errors
    /// A readable message if an argument is unknown.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let rows = ROWS.map(str::to_owned).to_vec();
        let mut options =
            Self { rows, stores: Vec::new(), tries: None, rounds: 1_000_000, ended: 100_000, quick: false };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--rows" => {
                    let rows = rest.next().ok_or("--rows needs names")?;
                    options.rows = rows.split(',').map(str::to_owned).collect();
                    if let Some(row) = options.rows.iter().find(|row| !is_row(row)) {
                        let known = [&ROWS[..], &LONG_ROWS].concat().join(", ");
                        return Err(format!("there is no row {row}; there are {known}"));
                    }
                }
                "--tries" => {
                    let tries = rest.next().and_then(|tries| tries.parse().ok());
                    options.tries = Some(tries.filter(|tries| *tries > 0).ok_or("--tries needs a number")?);
                }
                "--rounds" => {
                    let rounds = rest.next().and_then(|rounds| rounds.parse().ok());
                    options.rounds = rounds.filter(|rounds| *rounds > 0).ok_or("--rounds needs a number")?;
                }
                "--ended" => {
                    let ended = rest.next().and_then(|ended| ended.parse().ok());
                    options.ended = ended.filter(|ended| *ended > 0).ok_or("--ended needs a number")?;
                }
                "--store" => match rest.next().map(String::as_str) {
                    Some("sqlite") => options.stores.push(BenchDatabaseKind::Sqlite),
                    Some("postgres") => options.stores.push(BenchDatabaseKind::Postgres),
                    other => return Err(format!("--store is sqlite or postgres, not {other:?}")),
                },
                other => return Err(format!("{other} is unknown")),
            }
        }
        Ok(options)
    }

    /// How often each loop is measured.
    pub fn tries(&self) -> usize {
        self.tries.unwrap_or(self.size(3, 1))
    }

    /// `full`, or `quick` for a quick run.
    pub fn size(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}

fn is_row(name: &str) -> bool {
    ROWS.iter().chain(&LONG_ROWS).any(|row| *row == name)
}
