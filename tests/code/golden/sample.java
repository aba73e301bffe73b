package com.x;
import java.util.*;
/** Doc. */
@Deprecated
public abstract class A<T> extends Base<T> implements Runnable, Comparable<A> {
  @Inject private static final int MAX = 5, MIN = 1;
  private String name;
  public A(int x) throws IOException { this.name = ""; }
  @Override public <K> List<K> run(@NonNull String a, int... rest) { if (a == null && x) { Runnable r = () -> {}; } return null; }
  abstract void g();
  enum Color { RED, GREEN(1) { void x() {} }; int v; }
  interface I extends J, K { void m(); int C = 1; }
  record Point(int x, int y) implements Z {}
  @interface Ann { String value() default ""; }
}
