namespace Shop.Data
{
    public partial class Store
    {
        public Store Flush() { Console.WriteLine("x"); return this; }
    }
}
