//! How a use case is declared.

/// A use case: what it does; what it is over, which it shares with others; and what it is given `with` that besides. These are
/// its fields, and what its `new` takes, in this order; `and` has the fields that begin with a value. What a drop leaves behind is said by a word where it only `reads`, and
/// with what comes of it `again` where it hands one request in.
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
    ($(#[$docs:meta])* pub struct $name:ident $how:ident $ports:tt again $($again:literal)+) => {
        use_case! {
            $(#[$docs])*
            ///
            /// # Cancel safety
            /// Hands one request in ([what a drop leaves](crate::use_cases#cancel-safety)).
            $(#[doc = $again])+
            pub struct $name $how $ports
        }
    };
    (
        $(#[$docs:meta])*
        pub struct $name:ident
        $(over ($($see:vis $port:ident: $role:ty),*))?
        $(with ($($(#[$why:meta])* $given:ident: $type:ty),*))?
        $(and ($($(#[$own:meta])* $state:ident: $kept:ty = $first:expr),*))?
    ) => {
        $(#[$docs])*
        pub struct $name {
            $($($see $port: Arc<$role>,)*)?
            $($($given: $type,)*)?
            $($($(#[$own])* $state: $kept,)*)?
        }

        impl $name {
            /// Over these ports.
            $($($(#[$why])*)*)?
            pub fn new($($($port: Arc<$role>,)*)? $($($given: $type),*)?) -> Self {
                Self { $($($port,)*)? $($($given,)*)? $($($state: $first,)*)? }
            }
        }
    };
}
