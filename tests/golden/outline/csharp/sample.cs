using System;
using Alias = System.Collections.Generic.List<int>;

namespace Example.Store
{
    /// <summary>
    /// Keeps things.
    /// </summary>
    [Serializable, Obsolete("old")]
    [Table("store")]
    public abstract partial class Store<T> : Base<T>, IReader, N.ICloseable where T : class
    {
        private const int Limit = 10;
        private static readonly int first = 1, second;
        [Inject] private readonly ILogger<T> logger;
        protected string name = Make("x");
        public event EventHandler Changed;

        // Makes one.
        public Store(string name) : base(name)
        {
            this.name = name;
        }

        ~Store() { Dispose(false); }

        /// <summary>Finds <c>one</c>.</summary>
        [HttpGet("{id}")]
        public async Task<T?> FindAsync<K>(
            [FromRoute] string id,
            K key = default) where K : struct
        {
            int Local(int x) => x + Count;
            var made = new Dictionary<string, T> { ["a"] = Create<T>(id) };
            await logger.LogAsync<T>(Local(1)).ConfigureAwait(false);
            logger?.Flush();
            items?.First().Close();
            return new N.Helper(id).Run();
        }

        public int Count { get; private set; } = 1;
        public int Half => Compute(Count);
        public T this[int index] { get { return items.At(index); } }
        public static Store<T> operator +(Store<T> a, Store<T> b) => a;
        public static implicit operator int(Store<T> store) => store.Count;
        protected abstract void Clear();
        void IReader.Read() => base.Read();

        private enum Color { [Display] Red = 1, Green }
    }

    public record Point(int X, int Y) : Shape(X), IPoint;
    public readonly record struct Size(int W);
    public struct Pair<A> : IEquatable<A> { public A left; }
    interface IReader : IDisposable { void Read(); int Length { get; } }
    public delegate int Handler(object sender);
    static class Extensions { public static int Twice(this int x) => x * 2; }
    class Primary(int x) : Base(x), IReader { }
}

public class Bound(Clock clock) : Base
{
    private readonly Client _client = new Client();
    public Gateway? Gateway { get; set; }
    private List<Client> _many;

    public Bound Chain(ref Client given, Client[] many)
    {
        var made = new Billing.Line();
        Client declared = new();
        this._client = new Client();
        foreach (Line line in given.Lines) { line.Check(); }
        try { Local(); } catch (Failure failure) { failure.Log(); }
        if (given is Special special) { special.Run(); }
        Gateway Local() => null;
        return this;
    }
}
