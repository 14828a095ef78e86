using Shop.Data;

class Program
{
    private ISink sink;

    static void Main(string[] args)
    {
        var store = new Store("a");
        store.Write("b");
        Store.Open("c").Flush();
        Run(store);
    }

    static void Run(ISink target)
    {
        target.Write("d");
        dynamic other = Make();
        other.Flush();
    }
}
