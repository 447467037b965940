//! The macro that declares a use case.

/// Declares a use case: its documentation, the ports it shares with others (`over`), and the values it is constructed
/// `with`. These are its fields and the parameters of its `new`, in this order; `and` lists fields with initial
/// values. The effect of dropping it is documented by the word `reads` if it only reads, and by the text after `again`
/// if it posts one request.
macro_rules! use_case {
    ($(#[$docs:meta])* pub struct $name:ident reads $($rest:tt)*) => {
        use_case! {
            $(#[$docs])*
            ///
            /// # Cancel safety
            /// Only reads: dropping it leaves nothing behind.
            pub struct $name over $($rest)*
        }
    };
    ($(#[$docs:meta])* pub struct $name:ident $how:ident $ports:tt again $($again:literal)+) => {
        use_case! {
            $(#[$docs])*
            ///
            /// # Cancel safety
            /// Posts one request ([what a drop leaves](crate::use_cases#cancel-safety)).
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
            /// Creates the use case over these ports.
            $($($(#[$why])*)*)?
            pub fn new($($($port: Arc<$role>,)*)? $($($given: $type),*)?) -> Self {
                Self { $($($port,)*)? $($($given,)*)? $($($state: $first,)*)? }
            }
        }
    };
}
