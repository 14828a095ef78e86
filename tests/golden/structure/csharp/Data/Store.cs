using System;

namespace Shop.Data
{
    public partial class Store : Base, ISink
    {
        private readonly Codec codec = new Codec();

        public Store(string path) : base(path) { }

        public void Write(string item)
        {
            Flush();
            this.codec.Encode(item);
            base.Log(item);
        }

        public static Store Open(string path) => new Store(path);
    }

    public interface ISink { void Write(string item); }
}
