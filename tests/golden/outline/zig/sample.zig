//! Money in, money out.
const std = @import("std");
const Allocator = std.mem.Allocator;
const clock = @import("clock.zig").clock;
usingnamespace @import("compat.zig");

/// How much of it is tax.
pub const rate: u32 = 19;
var cache: ?*Invoice = null;
threadlocal var depth: usize = 0;

pub const Error = error{ Missing, Late };

pub const Status = enum(u8) {
    open = 1,
    paid,

    pub fn label(self: Status) []const u8 {
        return @tagName(self);
    }
};

const Value = union(enum) {
    int: i64,
    text: []const u8,
    none,
};

/// An invoice.
pub const Invoice = struct {
    number: []const u8,
    total: u64 = 0,

    const Self = @This();
    pub const Line = struct { position: usize };

    pub fn init(allocator: Allocator, number: []const u8) !Self {
        const local = try allocator.dupe(u8, number);
        return .{ .number = local };
    }

    pub fn charge(self: *Self, amount: u64) callconv(.C) bool {
        self.total += retry(amount, 3);
        std.debug.assert(self.total > 0);
        defer self.lines.deinit();
        return @intCast(Status.label(.open).len) > 0;
    }
};

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn append(self: *@This(), item: T) void {
            self.items[0] = item;
        }
    };
}

fn retry(amount: u64, times: usize) u64 {
    const Local = struct {
        fn once(n: u64) u64 {
            return n;
        }
    };
    return Local.once(amount) * times;
}

const Handle = opaque {
    extern fn close(self: *Handle) void;
};
const Packed = packed struct(u8) { low: u4, high: u4 };
extern "c" fn sin(x: f64) f64;
export fn add(a: i32, b: i32) i32 {
    return a + b;
}
inline fn @"odd name"() void {}

test "charges" {
    var invoice = try Invoice.init(std.testing.allocator, "1");
    try std.testing.expect(invoice.charge(2));
}

test List {
    _ = List(u8);
}
