//! What the program is asked to measure.

/// The rows, in the order in which they are measured.
pub const ROWS: [&str; 9] =
    ["reference", "rounds", "syscalls", "growth", "resume", "idle", "tick", "prefix", "streams"];

/// Rows that are measured where they are named alone: they take long, and need gigabytes of the disk.
pub const LONG_ROWS: [&str; 1] = ["life"];

/// A kind of database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchDatabaseKind {
    /// A file of SQLite.
    Sqlite,
    /// A database of a Postgres server.
    Postgres,
}

impl BenchDatabaseKind {
    /// The word in options and rows.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchOptions {
    /// The rows to run.
    pub rows: Vec<String>,
    /// On which databases; empty: SQLite, and Postgres where there is a server.
    pub stores: Vec<BenchDatabaseKind>,
    /// How often each loop is measured, in turn with the other one.
    pub tries: Option<usize>,
    /// The rounds of `life`, all sessions together.
    pub rounds: usize,
    /// A tenth and less of all work, to see that it runs; its figures say nothing.
    pub quick: bool,
}

/// How the program is called.
pub const USAGE: &str = "usage: bench [--rows rounds,growth,…] [--store sqlite|postgres] [--tries 7] [--rounds 1000000] [--quick]";

impl BenchOptions {
    /// Reads the arguments.
    ///
    /// # Errors
    /// In words, when one is unknown.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let rows = ROWS.map(str::to_owned).to_vec();
        let mut options = Self { rows, stores: Vec::new(), tries: None, rounds: 1_000_000, quick: false };
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

    /// `full`, or `quick` where little is to be done.
    pub fn size(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }
}

fn is_row(name: &str) -> bool {
    ROWS.iter().chain(&LONG_ROWS).any(|row| *row == name)
}
