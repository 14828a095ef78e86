package com.example.store;

import java.util.List;
import static java.lang.Math.*;

/**
 * Keeps things.
 *
 * @param <T> what
 */
@Entity
@Table(name = "store")
public abstract class Sample<T extends Comparable<T>> extends Base<T> implements Reader, java.io.Closeable {
    private static final int LIMIT = 10, OTHER = 20;
    @Inject private final List<T> items = new ArrayList<>();
    protected String name;

    static {
        register(Sample.class);
    }

    // Makes one.
    public Sample(String name) {
        super(name);
        this.name = name;
    }

    Sample() { this("x"); }

    /** Finds one. */
    @Override
    @SuppressWarnings({"unchecked", "raw"})
    public <K> Optional<T> find(
            @Nonnull String key,
            K... others) throws IOException {
        int local = abs(-1);
        Runnable task = new Runnable() {
            @Override public void run() { log(local); }
        };
        return items.stream().map(item -> convert(item)).filter(Objects::nonNull).findFirst();
    }

    protected abstract int size();

    enum Color implements Named {
        RED(1) { @Override int code() { return super.code(); } },
        GREEN;
        private int code;
        int code() { return code; }
    }

    interface Visitor<R> extends Function<T, R>, Other {
        int DEPTH = 3;
        R visit(Node node);
        default void close() { new Outer.Helper().close(); }
    }

    record Point(int x, int y) implements Named {
        Point {
            check(x);
        }
        static Point zero() { return new Point(0, 0); }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Marker {
        String value() default "";
    }
}

class Bound extends Base {
    private final Client client = new DefaultClient();
    Gateway gateway, backup;
    List<Client> many;
    int count;

    Bound(Client client, Client[] array) {
        this.gateway = new org.example.Gateway<>(client);
        var local = new Line<String>();
        backup = new Gateway();
        for (Line line : local.lines()) { line.check(); }
        try (Session session = client.open()) { session.run(); } catch (Failure failure) { failure.log(); }
    }

    Bound chain(final Optional<Client> maybe) { return this; }
}
