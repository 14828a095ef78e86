pub mod store;
mod codec;

pub use store::Store;

pub fn open(path: &str) -> Store {
    Store::new(path)
}
