/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleSupplier;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Every public function of some rooms, with every bad argument in turn, alone and in a stack, in
 * FLOAT and DOUBLE: it is refused by its name. A new function is found by itself; where it behaves
 * otherwise for a reason, the test of the room says so, and each of these excuses has to be needed.
 */
public abstract class ArgumentsContract {

  /** The size of all matrices. */
  protected static final int N = 3;

  /** What is neither FLOAT nor DOUBLE. */
  protected static final String TYPES = "INT LONG BOOL HALF BFLOAT16";

  private static final Map<String, DataType> OTHERS =
      Map.of(
          "INT", DataType.INT32,
          "LONG", DataType.INT64,
          "BOOL", DataType.BOOL,
          "HALF", DataType.FLOAT16,
          "BFLOAT16", DataType.BFLOAT16);

  /** What all arguments are made of, and whether matrices are two in a stack. */
  public enum Form {
    /** A matrix. */
    DOUBLE(DataType.DOUBLE, false),
    /** Two matrices. */
    DOUBLES(DataType.DOUBLE, true),
    /** A matrix. */
    FLOAT(DataType.FLOAT, false),
    /** Two matrices. */
    FLOATS(DataType.FLOAT, true);

    private final DataType type;
    private final boolean isStack;

    Form(DataType type, boolean isStack) {
      this.type = type;
      this.isStack = isStack;
    }

    /** FLOAT or DOUBLE. */
    public DataType type() {
      return type;
    }

    /** Whether matrices are two in a stack. */
    public boolean isStack() {
      return isStack;
    }

    /** Positive definite, and another one for another number. */
    public INDArray definite(int number) {
      return matrix(number, ArgumentsContract::definite);
    }

    /** A point of the Stiefel manifold. */
    public INDArray point(int number) {
      return matrix(number, ArgumentsContract::rotation);
    }

    /** A lower triangle with a positive diagonal. */
    public INDArray triangle(int number) {
      return matrix(
          number, i -> Nd4j.tri(N, N).castTo(DataType.DOUBLE).muli(ArgumentsContract.definite(i)));
    }

    private INDArray matrix(int number, IntFunction<INDArray> made) {
      INDArray one = made.apply(number);
      return (isStack ? Nd4j.stack(0, made.apply(number + N), one) : one).castTo(type).dup('c');
    }
  }

  private static INDArray definite(int number) {
    INDArray q = rotation(number);
    INDArray values = Nd4j.createFromArray(new double[][] {{0.7, 1.3, 2.1 + 0.4 * number}});
    return q.mulRowVector(values).mmul(q.transpose());
  }

  private static INDArray rotation(int number) {
    double c = Math.cos(0.4 + 0.3 * number);
    double s = Math.sin(0.4 + 0.3 * number);
    INDArray q = Nd4j.createFromArray(new double[][] {{c, -s, 0}, {s, c, 0}, {0, 0, 1}});
    return q.mmul(Nd4j.createFromArray(new double[][] {{1, 0, 0}, {0, c, -s}, {0, s, c}}));
  }

  private final String[] rooms;
  private final Set<String> excuses = new TreeSet<>();
  private final Set<String> needed = new TreeSet<>();

  /**
   * A test.
   *
   * @param rooms the packages, below {@code io.github.spd4j}
   */
  protected ArgumentsContract(String... rooms) {
    this.rooms = rooms;
  }

  /**
   * What is answered, rightly or with what shows what is wrong: each kind of bad argument, as each
   * of the parameters of each function that has it; names with blanks between them.
   */
  protected final void answered(String functions, String parameters, String kinds) {
    for (String function : functions.split(" ")) {
      for (String parameter : parameters.split(" ")) {
        for (String kind : kinds.split(" ")) {
          assertThat(excuses.add(function + " " + parameter + " " + kind)).isTrue();
        }
      }
    }
  }

  /** Objects of all classes that have methods. */
  protected abstract Stream<Object> objects(Form form);

  /** A good argument of a type that is not usual; null if it is. */
  protected abstract Object good(String function, Parameter parameter, int place, Form form);

  /** What is bad for a parameter only because of what it means, by kind. */
  protected Map<String, Object> worse(String argument, Object good) {
    return Map.of();
  }

  /** Whether a function of matrices takes but one, and refuses a stack. */
  protected boolean isOfOne(String function) {
    return false;
  }

  @TestFactory
  final Stream<DynamicTest> badArgumentsAreRefusedByName() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Form form : Form.values()) {
      for (Executable function : functions()) {
        Parameter[] parameters = function.getParameters();
        for (int i = 0; i < parameters.length && !(form.isStack && isOfOne(name(function))); i++) {
          int place = i;
          String argument = name(function) + " " + parameters[i].getName();
          bad(function, i, form)
              .forEach(
                  (kind, value) ->
                      tests.add(
                          dynamicTest(
                              argument + " (" + form + "): " + kind,
                              () -> refuses(function, place, argument, kind, value, form))));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(50);
    tests.add(
        dynamicTest(
            "all excuses are needed",
            () -> assertThat(needed).containsExactlyInAnyOrderElementsOf(excuses)));
    return tests.stream();
  }

  private void refuses(
      Executable function, int place, String argument, String kind, Object value, Form form)
      throws ReflectiveOperationException {
    String name = function.getParameters()[place].getName();
    Class<?> parameterType = function.getParameterTypes()[place];
    String excuse = argument + " " + kind;
    for (Object receiver : receivers(function, form)) {
      Object[] arguments = good(function, form);
      arguments[place] =
          parameterType == SDVariable.class && value != null
              ? ((SameDiff) arguments[0]).constant((INDArray) value)
              : value;
      try {
        Object answer = call(function, receiver, arguments);
        needed.add(excuse);
        assertThat(excuses).as("answers %s", answer).contains(excuse);
        if (kind.equals("NaN") && !argument.matches(".*(isFinite|closeAll|SymmetricEigen) .*")) {
          assertThat(shows(answer) || shows(arguments)).as("shows it: %s", answer).isTrue();
        }
      } catch (InvocationTargetException e) {
        Throwable refusal = e.getCause();
        String message = String.valueOf(refusal.getMessage());
        if (!message.matches("(?s)" + name + "(:.*)?")) {
          needed.add(excuse);
          assertThat(excuses).as("%s", refusal).contains(excuse);
          assertThat(refusal instanceof ArithmeticException || isOfShapes(message, function))
              .as("%s", refusal)
              .isTrue();
        }
        StackTraceElement thrower =
            Arrays.stream(refusal.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith("java."))
                .filter(frame -> !frame.getClassName().startsWith("org.apache.commons.lang3."))
                .findFirst()
                .orElseThrow();
        assertThat(thrower.getClassName()).startsWith("io.github.spd4j.");
      }
    }
  }

  /** Of two that do not go together, a function may refuse either. */
  private static boolean isOfShapes(String message, Executable function) {
    return message.contains("of the same shape")
        || Arrays.stream(function.getParameters())
            .anyMatch(parameter -> message.startsWith(parameter.getName() + ": "));
  }

  private static boolean shows(Object answer) {
    if (answer instanceof INDArray) {
      return !Matrices.isFinite((INDArray) answer);
    }
    if (answer instanceof Object[]) { // a function that changes an argument
      return Arrays.stream((Object[]) answer).anyMatch(ArgumentsContract::shows);
    }
    double[] numbers =
        answer instanceof float[]
            ? shown((float[]) answer)
            : answer instanceof double[]
                ? (double[]) answer
                : answer instanceof Number ? new double[] {((Number) answer).doubleValue()} : null;
    if (numbers != null) {
      return !DoubleStream.of(numbers).allMatch(Double::isFinite);
    }
    return answer instanceof DoubleSupplier
        ? !Double.isFinite(((DoubleSupplier) answer).getAsDouble())
        : answer instanceof Optional && ((Optional<?>) answer).isPresent();
  }

  private static double[] shown(float[] numbers) {
    double[] copy = new double[numbers.length];
    Arrays.setAll(copy, i -> numbers[i]);
    return copy;
  }

  @TestFactory
  final Stream<DynamicTest> oneMatrixIsAStackOfOne() {
    return functions().stream()
        .filter(function -> !isOfOne(name(function)))
        .filter(function -> Arrays.stream(function.getParameters()).anyMatch(this::isMatrixOrArray))
        .map(function -> dynamicTest(name(function), () -> sameForAStack(function)));
  }

  private boolean isMatrixOrArray(Parameter parameter) {
    return parameter.getType() == INDArray.class && !parameter.getName().equals("weights");
  }

  private void sameForAStack(Executable function) throws ReflectiveOperationException {
    for (Object receiver : receivers(function, Form.DOUBLE)) {
      Object[] single = good(function, Form.DOUBLE);
      Object[] stack = good(function, Form.DOUBLE);
      for (int i = 0; i < stack.length; i++) {
        if (isMatrixOrArray(function.getParameters()[i])) {
          stack[i] = Nd4j.expandDims((INDArray) stack[i], 0);
        }
        if (stack[i] instanceof SymmetricEigen) {
          stack[i] = SymmetricEigen.of(Form.DOUBLE.definite(i).reshape(1, N, N));
        }
      }
      Object expected = call(function, receiver, single);
      Object got = call(function, receiver, stack);
      assertThat(numbers(got)).isEqualTo(numbers(expected));
      if (got instanceof INDArray && ((INDArray) expected).rank() == 2) {
        assertThat(((INDArray) got).shape()).isEqualTo(shapeIn(function, (INDArray) expected));
      }
    }
  }

  /** A mean is a single matrix. */
  private static long[] shapeIn(Executable function, INDArray expected) {
    return name(function).equals("SpdMetric.mean")
        ? expected.shape()
        : Nd4j.expandDims(expected, 0).shape();
  }

  private static List<Double> numbers(Object answer) {
    if (answer instanceof SymmetricEigen) {
      SymmetricEigen eigen = (SymmetricEigen) answer;
      List<Double> numbers = new ArrayList<>(numbers(eigen.values()));
      numbers.addAll(numbers(eigen.vectors()));
      return numbers;
    }
    if (answer instanceof INDArray) {
      return DoubleStream.of(Matrices.doubles((INDArray) answer))
          .boxed()
          .collect(Collectors.toList());
    }
    return answer instanceof Number ? List.of(((Number) answer).doubleValue()) : List.of();
  }

  // What there is to call, and with what.

  private List<Executable> functions() {
    List<Executable> functions = new ArrayList<>();
    new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(
                Arrays.stream(rooms).map(room -> "io.github.spd4j." + room).toArray(String[]::new))
            .stream()
            .filter(found -> found.getModifiers().contains(JavaModifier.PUBLIC))
            .filter(found -> !found.isInterface())
            .map(JavaClass::reflect)
            .filter(NullArguments::isSeen)
            .sorted((a, b) -> a.getName().compareTo(b.getName()))
            .forEach(
                type -> {
                  functions.addAll(Arrays.asList(type.getConstructors()));
                  Arrays.stream(type.getDeclaredMethods())
                      .filter(method -> Modifier.isPublic(method.getModifiers()))
                      .filter(method -> !method.isSynthetic())
                      .filter(method -> !(type.isEnum() && method.getName().equals("valueOf")))
                      .filter(method -> !isCalledByOthers(method))
                      .forEach(functions::add);
                });
    return functions;
  }

  /** What another library declares, and calls. */
  private static boolean isCalledByOthers(Method method) {
    return NullArguments.declarers(method.getDeclaringClass())
        .filter(type -> !type.getName().startsWith("io.github.spd4j."))
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .anyMatch(
            other ->
                other.getName().equals(method.getName())
                    && other.getParameterCount() == method.getParameterCount());
  }

  private static String name(Executable function) {
    String type = function.getDeclaringClass().getCanonicalName();
    String method =
        function instanceof Constructor
            ? function.getDeclaringClass().getSimpleName()
            : function.getName();
    return type.replaceFirst("io[.]github[.]spd4j[.][a-z]+[.]", "") + "." + method;
  }

  private static Object call(Executable function, Object receiver, Object[] arguments)
      throws ReflectiveOperationException {
    return function instanceof Constructor
        ? ((Constructor<?>) function).newInstance(arguments)
        : ((Method) function).invoke(receiver, arguments);
  }

  private List<Object> receivers(Executable function, Form form)
      throws ReflectiveOperationException {
    if (function instanceof Constructor || Modifier.isStatic(function.getModifiers())) {
      return Arrays.asList((Object) null);
    }
    Class<?> type = function.getDeclaringClass();
    if (type.isEnum()) {
      return List.of(type.getEnumConstants());
    }
    List<Object> kinds = kinds(type);
    if (!kinds.isEmpty()) {
      return kinds;
    }
    List<Object> some = objects(form).filter(type::isInstance).collect(Collectors.toList());
    assertThat(some).as("an object of %s to call its methods on", type).isNotEmpty();
    return some;
  }

  /** What the static functions of a type without arguments make of it, such as all metrics. */
  private static List<Object> kinds(Class<?> type) throws ReflectiveOperationException {
    List<Object> kinds = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (Modifier.isStatic(method.getModifiers())
          && method.getParameterCount() == 0
          && method.getReturnType() == type) {
        kinds.add(method.invoke(null));
      }
    }
    return kinds;
  }

  private Object[] good(Executable function, Form form) {
    SameDiff sd = SameDiff.create();
    Object[] all = new Object[function.getParameterCount()];
    Arrays.setAll(all, i -> good(function, i, form, sd));
    return all;
  }

  private Object good(Executable function, int place, Form form, SameDiff sd) {
    Parameter parameter = function.getParameters()[place];
    Class<?> type = parameter.getType();
    Object own = good(name(function), parameter, place, form);
    if (type == SDVariable.class) {
      INDArray array = own == null ? Form.DOUBLE.definite(place).reshape(1, N, N) : (INDArray) own;
      return sd.constant(array);
    }
    if (own != null) {
      return own;
    }
    if (type == INDArray.class) {
      return form.definite(place);
    }
    Object[] usual = {new INDArray[] {form.definite(place)}, new double[N], form.type, sd, "a"};
    for (Object value : usual) {
      if (type.isInstance(value)) {
        return value;
      }
    }
    boolean isPlace = parameter.getName().equals("from") || parameter.getName().equals("start");
    if (type == double.class) {
      return 0.5;
    }
    if (type == long.class) {
      return isPlace ? 0L : (long) N;
    }
    assertThat(type)
        .as("%s %s, which this test has no value for", name(function), parameter.getName())
        .isEqualTo(int.class);
    return isPlace ? 0 : N;
  }

  private Map<String, Object> bad(Executable function, int place, Form form) {
    Parameter parameter = function.getParameters()[place];
    Class<?> type = parameter.getType();
    Object good = good(function, form)[place];
    String argument = name(function) + " " + parameter.getName();
    Map<String, Object> bad = new LinkedHashMap<>();
    if (type == INDArray.class) {
      for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
        INDArray array = ((INDArray) good).dup(((INDArray) good).ordering());
        array.putScalar(array.length() - 1, wrong);
        bad.put(Double.isNaN(wrong) ? "NaN" : "infinity", array);
      }
    }
    bad.putAll(worse(argument, good));
    if (form != Form.DOUBLE) { // all else is as it was there
      return type == INDArray.class ? bad : Map.of();
    }
    if (!type.isPrimitive()) {
      bad.put("null", null);
    }
    if (type == INDArray.class) {
      bad.putAll(badArrays((INDArray) good, parameter, isOfOne(name(function)), place));
    } else if (type == SDVariable.class) {
      INDArray array = ((SDVariable) good).getArr();
      OTHERS.forEach((kind, other) -> bad.put(kind, array.castTo(other)));
      bad.put("vector", Nd4j.ones(DataType.DOUBLE, N * N));
    } else if (type == double.class) {
      bad.put("NaN", Double.NaN);
      bad.put("infinity", Double.POSITIVE_INFINITY);
      bad.put("-infinity", Double.NEGATIVE_INFINITY);
    } else if (type == int.class) {
      bad.put("negative", -1);
    } else if (type == long.class) {
      bad.put("negative", -1L);
    } else if (type == double[].class) {
      bad.put("empty", new double[0]);
      bad.put("NaN", new double[] {0.5, Double.NaN, 0.5});
    } else if (type == DataType.class) {
      bad.putAll(OTHERS);
    } else if (Object[].class.isAssignableFrom(type) && !type.getComponentType().isArray()) {
      bad.put("hole", java.lang.reflect.Array.newInstance(type.getComponentType(), 1));
    }
    return bad;
  }

  private static Map<String, Object> badArrays(
      INDArray good, Parameter parameter, boolean isOfOne, int place) {
    Map<String, Object> bad = new LinkedHashMap<>();
    OTHERS.forEach((kind, other) -> bad.put(kind, good.castTo(other)));
    bad.put("empty", Nd4j.empty(DataType.DOUBLE));
    bad.put("nothing", Nd4j.create(DataType.DOUBLE, 0, N, N));
    if (!parameter.getName().matches("weights|values|memory")) {
      bad.put("vector", Nd4j.ones(DataType.DOUBLE, N * N));
      bad.put("stacks", Nd4j.ones(DataType.DOUBLE, 1, 1, N, N));
      bad.put("wide", Nd4j.ones(DataType.DOUBLE, N - 1, N));
    }
    if (isOfOne) {
      bad.put("stack", Form.DOUBLES.definite(place));
    }
    return bad;
  }
}
