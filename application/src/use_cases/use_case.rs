//! How a use case is declared.

/// A use case: what it does; what it is over, which it shares with others; and what it is given `with` that besides. These are
/// its fields, and what its `new` takes, in this order. One that only `reads` says what a drop leaves behind by that word.
macro_rules! use_case {
    ($(#[$docs:meta])* pub struct $name:ident reads $($rest:tt)*) => {
        use_case! {
            $(#[$docs])*
            ///
            /// # Cancel safety
            /// Only reads: to drop it leaves nothing behind.
            pub struct $name over $($rest)*
        }
    };
    (
        $(#[$docs:meta])*
        pub struct $name:ident
        $(over ($($see:vis $port:ident: $role:ty),*))?
        $(with ($($(#[$why:meta])* $given:ident: $type:ty),*))?
    ) => {
        $(#[$docs])*
        pub struct $name {
            $($($see $port: Arc<$role>,)*)?
            $($($given: $type,)*)?
        }

        impl $name {
            /// Over these ports.
            $($($(#[$why])*)*)?
            pub fn new($($($port: Arc<$role>,)*)? $($($given: $type),*)?) -> Self {
                Self { $($($port,)*)? $($($given),*)? }
            }
        }
    };
}
