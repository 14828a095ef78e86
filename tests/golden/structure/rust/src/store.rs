use crate::codec::{encode, Codec};
use std::fs;

pub struct Store {
    codec: Codec,
}

impl Store {
    pub fn new(path: &str) -> Self {
        fs::read(path);
        Self::check(path);
        Store { codec: Codec::default() }
    }

    pub fn put(&mut self, item: &str) -> &mut Self {
        self.codec.run(item);
        self.flush();
        encode(item);
        self
    }

    fn flush(&self) {}
    fn check(path: &str) { println!("{}", path.len()); }
}

pub trait Sink {
    fn write(&self) { self.done() }
    fn done(&self);
}

impl Sink for Store {
    fn done(&self) { self.flush() }
}
