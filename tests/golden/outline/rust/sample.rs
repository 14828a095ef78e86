//! Crate documentation belongs to no item.
use std::{fmt, io::Read};
extern crate alloc;

/// How many.
pub const LIMIT: usize = 10;
static mut COUNTER: u32 = 0;

/// Keeps things.
///
/// For long.
#[derive(Debug, Clone)]
#[serde(rename_all = "camelCase")]
pub struct Store<T: Clone, const N: usize> {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    items: [T; N],
}

struct Unit;
struct Wrapper(pub u32, String);

pub enum Shape {
    Circle(f64),
    Rect { width: f64, height: f64 },
    #[default]
    Empty = 3,
}

pub trait Area: fmt::Display + Into<f64> {
    const SIDES: u8;
    type Output;
    fn area(&self) -> f64;
    fn double(&self) -> f64 { self.area() * 2.0 }
}

impl<T: Clone, const N: usize> Store<T, N> {
    // An ordinary comment documents too.
    #[inline]
    pub async fn new(name: &str) -> Result<Self, io::Error>
    where
        T: Default,
    {
        const LOCAL: u8 = 1;
        let helper = |x: u32| x + 1;
        fn nested(y: u32) -> u32 { helper(y) }
        let items = Vec::<T>::with_capacity(nested(3)).into_iter().collect::<Vec<_>>();
        println!("{}", describe(&items));
        Ok(Store { name: String::from(name), items: items.try_into()? })
    }
}

impl Area for Shape {
    const SIDES: u8 = 0;
    type Output = f64;
    fn area(&self) -> f64 {
        match self { Shape::Circle(r) => std::f64::consts::PI.mul_add(r * r, 0.0), _ => unreachable!() }
    }
}

impl<'a> From<&'a Shape> for Wrapper { fn from(_: &'a Shape) -> Self { Wrapper(1, self::name()) } }
impl fmt::Display for dyn Area<Output = f64> { fn fmt(&self) {} }

macro_rules! square {
    ($x:expr) => { $x * $x };
}

pub(crate) mod inner {
    pub union Bits { int: u32, float: f32 }
    pub type Alias<T> = super::Store<T, 3>;
    unsafe extern "C" { fn raw(x: i32) -> i32; }
}

/* A block comment. */
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn works() { assert_eq!(square!(2), compute(4)); }
}

use crate::store::{self, deep::{Inner, Other as Renamed}, wide::*};
pub use self::shapes::Circle;
use serde as codec;

struct Bound<'a> {
    client: Arc<Client>,
    maybe: Option<Client>,
    by_name: &'a mut shapes::Circle,
}

impl<'a> Bound<'a> {
    fn build(inner: &Inner, dynamic: Box<dyn Area>, many: [Inner; 2]) -> Self {
        let made = Client::<u8>::new();
        let read = Client::open("x");
        let literal = shapes::Circle { radius: 1.0 };
        let mut typed: Renamed = inner.into();
        let own = Self::default();
        own
    }
}
