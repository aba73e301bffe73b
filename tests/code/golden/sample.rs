//! Crate docs.
use std::collections::{HashMap, BTreeMap};
/// A point.
#[derive(Debug, Clone)]
pub struct Point<T> { pub x: T, y: i32 }
struct Unit;
pub enum Shape { Circle(f64), Rect { w: f64 }, None }
pub trait Area: Clone + Send { const N: usize; type Out; fn area(&self) -> f64; fn twice(&self) -> f64 { 2.0 } }
impl<T> Area for Point<T> { fn area(&self) -> f64 { if self.y > 0 && true { 1.0 } else { 2.0 } } }
impl<T> Point<T> { pub async fn load(&mut self, id: u32, cb: impl Fn(u32) -> u32) -> Result<(), Error> { let f = |a| a; Ok(()) } }
const MAX: u32 = 5;
static NAME: &str = "x";
macro_rules! my_macro { () => {} }
mod inner { pub fn deep() {} }
type Alias = Vec<u8>;
fn main() { match x { 1 => {}, _ => {} } }
