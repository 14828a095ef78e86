namespace Shop.Data;

public class Base
{
    public Base(string name) { }
    protected void Log(string item) { }
}

public class Codec
{
    public string Encode(string item) => item.Trim();
}
