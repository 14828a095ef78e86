use crate::store::{Sink, Store};

pub fn assist(store: &Store) {
    store.write();
    super::helper::other();
}

pub fn other() {}
