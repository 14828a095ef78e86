use shop::Store;
use crate::helper::assist;

mod helper;

fn main() {
    let mut store = Store::new("x");
    store.put("a");
    assist(&store);
    let other: Store = shop::open("y");
    other.flush();
}
