const std = @import("std");
const codec = @import("codec.zig");

pub const Store = struct {
    size: usize,

    pub fn init() Store {
        return Store{ .size = 0 };
    }

    pub fn put(self: *Store, item: u8) void {
        self.check(item);
        codec.encode(item);
        std.debug.print("x", .{});
    }

    fn check(self: *Store, item: u8) void {
        _ = self;
        helper(item);
    }
};

fn helper(item: u8) void {
    _ = item;
}
