//! Shapes: serialisable types that represent domain types. Each field or variant is declared once, which generates
//! serde's form and both conversions. So a new one of the domain does not compile until the shape defines how it is
//! stored.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::id::{
    ApprovalId, AutomationId, CallId, Digest, MessageId, SessionId, TaskId, WorkspaceKey,
};
use entracte_domain::time::{Millis, Timestamp};

/// The stored form of a `D`.
pub(super) trait ShapeV1<D>: Sized {
    /// Converts a domain value to its stored form.
    fn of(value: &D) -> Self;

    /// Converts the stored form to the domain value.
    fn domain(self) -> D;
}

/// Implements [`ShapeV1`] for types that are stored unchanged.
macro_rules! as_it_is {
    ($($type:ty),* $(,)?) => { $(
        impl ShapeV1<$type> for $type {
            fn of(value: &$type) -> Self {
                value.clone()
            }

            fn domain(self) -> $type {
                self
            }
        }
    )* };
}

as_it_is!(bool, u16, u32, u64, i64, usize, String);

/// Implements [`ShapeV1`] for newtypes: ids are stored as text, instants and spans as numbers.
macro_rules! by_what_is_inside {
    ($($type:ty as $form:ty: $inside:expr, $outside:expr;)*) => { $(
        impl ShapeV1<$type> for $form {
            fn of(value: &$type) -> Self {
                $inside(value)
            }

            fn domain(self) -> $type {
                $outside(self)
            }
        }
    )* };
}

by_what_is_inside! {
    ApprovalId as String: |id: &ApprovalId| id.as_str().to_owned(), ApprovalId::new;
    AutomationId as String: |id: &AutomationId| id.as_str().to_owned(), AutomationId::new;
    Digest as String: |digest: &Digest| digest.as_str().to_owned(), Digest::new;
    CallId as String: |id: &CallId| id.as_str().to_owned(), CallId::new;
    MessageId as String: |id: &MessageId| id.as_str().to_owned(), MessageId::new;
    SessionId as String: |id: &SessionId| id.as_str().to_owned(), SessionId::new;
    TaskId as String: |id: &TaskId| id.as_str().to_owned(), TaskId::new;
    WorkspaceKey as String: |key: &WorkspaceKey| key.as_str().to_owned(), WorkspaceKey::new;
    Millis as i64: |span: &Millis| span.0, Millis;
    Timestamp as i64: |at: &Timestamp| at.0, Timestamp;
}

impl<D, S: ShapeV1<D>> ShapeV1<Option<D>> for Option<S> {
    fn of(value: &Option<D>) -> Self {
        value.as_ref().map(S::of)
    }

    fn domain(self) -> Option<D> {
        self.map(S::domain)
    }
}

impl<D, S: ShapeV1<D>> ShapeV1<Vec<D>> for Vec<S> {
    fn of(value: &Vec<D>) -> Self {
        value.iter().map(S::of).collect()
    }

    fn domain(self) -> Vec<D> {
        self.into_iter().map(S::domain).collect()
    }
}

impl<C, D, R: ShapeV1<C>, S: ShapeV1<D>> ShapeV1<(C, D)> for (R, S) {
    fn of((one, other): &(C, D)) -> Self {
        (R::of(one), S::of(other))
    }

    fn domain(self) -> (C, D) {
        (self.0.domain(), self.1.domain())
    }
}

impl<D: Ord, S: ShapeV1<D> + Ord> ShapeV1<BTreeSet<D>> for BTreeSet<S> {
    fn of(value: &BTreeSet<D>) -> Self {
        value.iter().map(S::of).collect()
    }

    fn domain(self) -> BTreeSet<D> {
        self.into_iter().map(S::domain).collect()
    }
}

impl<K: Ord + Clone, D, S: ShapeV1<D>> ShapeV1<BTreeMap<K, D>> for BTreeMap<K, S> {
    fn of(value: &BTreeMap<K, D>) -> Self {
        value.iter().map(|(key, value)| (key.clone(), S::of(value))).collect()
    }

    fn domain(self) -> BTreeMap<K, D> {
        self.into_iter().map(|(key, value)| (key, value.domain())).collect()
    }
}

/// Declares a shape with its serde form and its conversions, field by field and variant by variant. The content of a
/// variant has a name, so that both conversions can refer to it: `Failed(failure: Failure)`. Fields in parentheses are
/// written as a list.
macro_rules! shape {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident = $domain:ty $( , as $version:ident )? {
            $( $(#[$field_meta:meta])* $field_vis:vis $field:ident : $type:ty ),* $(,)?
        }
        $(
            beside { $( $(#[$beside_meta:meta])* $beside:ident : $beside_type:ty ),* $(,)? }
            then { $( $(#[$then_meta:meta])* $then:ident : $then_type:ty ),* $(,)? }
        )?
    ) => {
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $(#[$meta])*
        $vis struct $name {
            $( v: $version, )?
            $( $(#[$field_meta])* $field_vis $field: $type, )*
            $(
                $( $(#[$beside_meta])* pub(super) $beside: $beside_type, )*
                $( $(#[$then_meta])* $then: $then_type, )*
            )?
        }

        impl From<&$domain> for $name {
            fn from(value: &$domain) -> Self {
                type Domain = $domain;
                let Domain { $( $field, )* $( $( $then, )* )? } = value;
                Self {
                    $( v: $version, )?
                    $( $field: <$type as $crate::codec::v1::shape::ShapeV1<_>>::of($field), )*
                    $(
                        $( $beside: Default::default(), )*
                        $( $then: <$then_type as $crate::codec::v1::shape::ShapeV1<_>>::of($then), )*
                    )?
                }
            }
        }

        impl From<$name> for $domain {
            fn from(shape: $name) -> Self {
                let $name { $( v: $version, )? $( $field, )* $( $( $beside: _, )* $( $then, )* )? } = shape;
                Self {
                    $( $field: <$type as $crate::codec::v1::shape::ShapeV1<_>>::domain($field), )*
                    $( $( $then: <$then_type as $crate::codec::v1::shape::ShapeV1<_>>::domain($then), )* )?
                }
            }
        }

        $crate::codec::v1::shape::by_hand!($name = $domain);
    };
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident = $domain:ty [ $( $field:ident : $type:ty ),* $(,)? ]
    ) => {
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        $vis struct $name( $( $type ),* );

        impl From<&$domain> for $name {
            fn from(value: &$domain) -> Self {
                type Domain = $domain;
                let Domain { $( $field ),* } = value;
                Self( $( <$type as $crate::codec::v1::shape::ShapeV1<_>>::of($field), )* )
            }
        }

        impl From<$name> for $domain {
            fn from($name( $( $field ),* ): $name) -> Self {
                Self { $( $field: <$type as $crate::codec::v1::shape::ShapeV1<_>>::domain($field), )* }
            }
        }

        $crate::codec::v1::shape::by_hand!($name = $domain);
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident = $domain:ty {
            $(
                $(#[$variant_meta:meta])*
                $variant:ident $( ( $inner:ident : $inner_type:ty ) )?
                $( { $( $(#[$field_meta:meta])* $field:ident : $type:ty ),* $(,)? } )?
                $( => $stored:ident : $hand:ident ( $( $part:ident ),* ) )?
            ),* $(,)?
        }
        $( stored as { $( $other:pat => $as:ident ),* $(,)? } )?
    ) => {
        #[derive(Debug, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        $vis enum $name {
            $(
                $(#[$variant_meta])*
                $variant $( ( $inner_type ) )? $( { $( $(#[$field_meta])* $field: $type, )* } )? $( ( $hand ) )?,
            )*
        }

        impl From<&$domain> for $name {
            fn from(value: &$domain) -> Self {
                type Domain = $domain;
                match value {
                    $(
                        Domain::$variant $( ( $inner ) )? $( { $( $field ),* } )? $( { $( $part ),* } )? => Self::$variant
                            $( ( <$inner_type as $crate::codec::v1::shape::ShapeV1<_>>::of($inner) ) )?
                            $( { $( $field: <$type as $crate::codec::v1::shape::ShapeV1<_>>::of($field), )* } )?
                            $( ( $hand::of($( $part ),*) ) )?,
                    )*
                    $( $( $other => Self::$as, )* )?
                }
            }
        }

        impl From<$name> for $domain {
            fn from(shape: $name) -> Self {
                match shape {
                    $(
                        $name::$variant $( ( $inner ) )? $( { $( $field ),* } )? $( ( $stored ) )? => {
                            $( let ( $( $part ),* ) = $stored.parts(); )?
                            Self::$variant
                                $( ( <$inner_type as $crate::codec::v1::shape::ShapeV1<_>>::domain($inner) ) )?
                                $( { $( $field: <$type as $crate::codec::v1::shape::ShapeV1<_>>::domain($field), )* } )?
                                $( { $( $part ),* } )?
                        }
                    )*
                }
            }
        }

        $crate::codec::v1::shape::by_hand!($name = $domain);
    };
}
pub(super) use shape;

/// Implements [`ShapeV1`] for hand-written conversions, so that declared shapes can contain these types, also boxed.
macro_rules! by_hand {
    ($($name:ty = $domain:ty),* $(,)?) => { $(
        impl $crate::codec::v1::shape::ShapeV1<$domain> for $name {
            fn of(value: &$domain) -> Self {
                value.into()
            }

            fn domain(self) -> $domain {
                self.into()
            }
        }

        impl $crate::codec::v1::shape::ShapeV1<Box<$domain>> for $name {
            fn of(value: &Box<$domain>) -> Self {
                (&**value).into()
            }

            fn domain(self) -> Box<$domain> {
                Box::new(self.into())
            }
        }

        impl $crate::codec::v1::shape::ShapeV1<Box<$domain>> for Box<$name> {
            fn of(value: &Box<$domain>) -> Self {
                Box::new((&**value).into())
            }

            fn domain(self) -> Box<$domain> {
                Box::new((*self).into())
            }
        }
    )* };
}
pub(super) use by_hand;
