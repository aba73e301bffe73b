using System;
using static System.Math;
namespace App.Core {
  /// <summary>Doc.</summary>
  [Serializable]
  public class Foo<T> : Base, IFoo where T : class {
    private readonly int _x = 1, _y;
    public string Name { get; set; } = "";
    public event Action Changed;
    public Foo(int x) : base(x) {}
    ~Foo() {}
    [Obsolete("x")] public async Task<int> RunAsync(string a, int b = 2, params int[] rest) { if (a != null && b > 1) { } var l = 1; return a ?? 1; }
    public int this[int i] => i;
    public static Foo operator +(Foo a, Foo b) => a;
    int Expr() => 1;
  }
  enum Color { Red, Green = 2 }
  interface IFoo { void M(); }
  record P(int X, int Y);
  struct S { public int A; }
  delegate void D(int x);
}
