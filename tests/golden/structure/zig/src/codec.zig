pub fn encode(item: u8) void {
    plain(item);
}

fn plain(item: u8) void {
    _ = item;
}
