/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.spd4j.encoding.DescriptorSample;
import io.github.spd4j.encoding.ExpectationMaximization;
import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.encoding.GaussianMixture;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import io.github.spd4j.linalg.Tridiagonal;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.manifold.StiefelMetric;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Every public function of {@code linalg}, {@code manifold} and {@code encoding}, with every bad
 * argument in turn, alone and in a stack, in FLOAT and DOUBLE: it is refused by its name. A new
 * function is found by itself; where it behaves otherwise for a reason, it is named below.
 */
@Tag("once")
class ArgumentsTest {

  private static final int N = 3;

  /** Answers that are right, or that show what is wrong by a NaN or as a reason. */
  private static final Map<String, String> ANSWERED = new LinkedHashMap<>();

  /** Those of them that were needed. */
  private static final Set<String> NEEDED = new HashSet<>();

  private static final String TYPES = "INT|LONG|BOOL|HALF|FLOAT16|BFLOAT16";

  /** What all arguments are made of, and whether matrices are two in a stack. */
  private enum Form {
    DOUBLE(DataType.DOUBLE, false),
    DOUBLES(DataType.DOUBLE, true),
    FLOAT(DataType.FLOAT, false),
    FLOATS(DataType.FLOAT, true);

    private final DataType type;
    private final boolean isStack;

    Form(DataType type, boolean isStack) {
      this.type = type;
      this.isStack = isStack;
    }

    /** The identity is positive definite, a triangle, and a point of the Stiefel manifold. */
    INDArray matrix() {
      INDArray one = Nd4j.eye(N).castTo(type);
      return isStack ? Nd4j.stack(0, one, one) : one;
    }
  }

  static {
    // What any array may be asked.
    answered("Matrices.(floats|doubles|isFinite|requireFinite|closeAll) .*", TYPES + "|rank.*");
    answered("Matrices.(floats|doubles|isFinite|requireFinite|closeAll) .*", "wide|empty.*");
    answered("Matrices.(isFinite|closeAll) .*", "NaN|infinity");
    answered("Matrices.transpose .*", TYPES + "|empty stack"); // a view of any array
    answered("(StiefelGeometry.(squaredNorm|quotient|read|write)) .*", "rank.*|wide");
    answered("Matrices.addMultiple .*", "rank.*|wide");
    // What is computed for each step or pass does not look for NaN: the result has it.
    answered("Matrices.* [a-z]", "NaN|infinity");
    answered("Matrices.(floats|doubles) array", "NaN|infinity");
    answered("StiefelGeometry.* (w|g|v|z|target|tangent|vector|a)", "NaN|infinity");
    answered("(Shrinkage|Cholesky|SpectralFunction).* gradient", "NaN|infinity");
    answered("Cholesky.(lowerHalf|with.*) .*", "NaN|infinity");
    answered("SymmetricEigen.SymmetricEigen .*", "NaN|infinity"); // as LAPACK leaves them
    answered("Spd.asymmetry a", "NaN|infinity");
    answered("Stiefel.(distanceFrom.*|estimated.*) (w|tangent)", "NaN|infinity");
    answered("NumericPolicy.(inverse|shrinking) .*", "NaN|infinity|-infinity");
    // Matrices of any size, and what may have more columns than rows.
    answered("(Matrices|StiefelGeometry).* [a-z]+", "wide");
    answered("Stiefel.(distanceFrom.*|estimated.*|addProjection) (w|tangent|target)", "wide");
    // Reasons.
    answered("(Spd|Stiefel).check (a|w)", TYPES + "|NaN|infinity|rank.*|wide|empty.*");
    // Others.
    answered("SpdMetric.mean weights", TYPES); // any numbers are weights
    answered("SpdMetric.mean weights", "rank.*|wide|empty.*|NaN|infinity"); // by how many there are
    answered("(Spd|Stiefel).check .*olerance", "infinity"); // anything is near enough
    answered("Tridiagonal.Shifted.solve rows", "empty"); // nothing to solve
    answered("NotFiniteException.NotFiniteException message", "null");
    // Rows, of which there may be any number.
    answered("(DescriptorSample|ExpectationMaximization).* descriptors", "wide");
    answered("(PrincipalComponents|GaussianMixture).* (rows|means)", "wide");
    answered("PrincipalComponents.project rows", "NaN|infinity"); // the result has it
    answered("(DescriptorSample|ExpectationMaximization).* seed", "negative"); // any seed
  }

  private static void answered(String argument, String bad) {
    ANSWERED.merge(argument, bad, (a, b) -> a + "|" + b);
  }

  /** What has to be on the Stiefel manifold for the answer to be one. */
  private static final String POINTS =
      "Stiefel.(projection|addProjection) w|StiefelMetric.gradient w"
          + "|Stiefel.(principalAngles|projectionDistance) (a|b)";

  /** What has to be positive definite. */
  private static final String DEFINITE =
      "SpdMetric.(distance|geodesic|logarithm|transport) (a|b)|SpdMetric.(exponential|norm) a"
          + "|SpdMetric.mean points|Spd.(logarithm|power) a|Spd.optimalMap (a|b)";

  /** Functions of one matrix, which refuse a stack. */
  private static final Set<String> OF_ONE =
      Set.of(
          "Matrices.transposeSecondInParts",
          "Matrices.plusProduct",
          "Matrices.gramMinusIdentity",
          "SymmetricEigen.valuesOf",
          "SymmetricEigen.overwriteByVectors",
          "Tridiagonal.overwriteByBasis",
          "Spd.eigenvalues",
          "Stiefel.addProjection",
          "StiefelGeometry.gradient",
          "StiefelGeometry.addProjection",
          "StiefelGeometry.retract",
          "StiefelGeometry.estimatedDistance");

  @TestFactory
  Stream<DynamicTest> badArgumentsAreRefusedByName() {
    List<DynamicTest> tests = new ArrayList<>();
    for (Form form : Form.values()) {
      for (Executable function : functions()) {
        Parameter[] parameters = function.getParameters();
        for (int i = 0; i < parameters.length && (!form.isStack || !isOfOne(function)); i++) {
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
    assertThat(tests).hasSizeGreaterThan(1000);
    tests.add(
        dynamicTest(
            "all that is answered is known to be",
            () -> assertThat(NEEDED).containsAll(ANSWERED.keySet())));
    return tests.stream();
  }

  private static boolean isOfOne(Executable function) {
    return OF_ONE.contains(name(function))
        || function.getDeclaringClass().getPackageName().endsWith(".encoding");
  }

  private static void refuses(
      Executable function, int place, String argument, String kind, Object value, Form form)
      throws ReflectiveOperationException {
    String name = function.getParameters()[place].getName();
    Set<String> excuses =
        ANSWERED.keySet().stream()
            .filter(key -> argument.matches(key) && kind.matches(ANSWERED.get(key)))
            .collect(Collectors.toSet());
    boolean mayAnswer = !excuses.isEmpty();
    for (Object receiver : receivers(function, form)) {
      Object[] arguments = good(function, form);
      arguments[place] = value;
      try {
        Object answer = call(function, receiver, arguments);
        NEEDED.addAll(excuses);
        assertThat(mayAnswer).as("answers %s", answer).isTrue();
        if (kind.matches("NaN") && !argument.matches(".*(isFinite|closeAll|SymmetricEigen) .*")) {
          assertThat(shows(answer) || shows(arguments)).as("shows it: %s", answer).isTrue();
        }
      } catch (InvocationTargetException e) {
        Throwable refusal = e.getCause();
        String message = String.valueOf(refusal.getMessage());
        boolean isByName = message.matches("(?s)" + name + "(:.*)?");
        NEEDED.addAll(isByName ? Set.of() : excuses);
        assertThat(
                isByName
                    || mayAnswer && refusal instanceof ArithmeticException
                    || mayAnswer && isOfShapes(message, function))
            .as("%s", refusal)
            .isTrue();
        StackTraceElement thrower =
            Arrays.stream(refusal.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith("java."))
                .findFirst()
                .orElseThrow();
        assertThat(thrower.getClassName()).startsWith("io.github.spd4j.");
      }
    }
  }

  /** Of two that do not go together, a function may refuse either. */
  private static boolean isOfShapes(String message, Executable function) {
    return message.contains("of the same shape")
        || message.contains("shape")
            && Arrays.stream(function.getParameters())
                .anyMatch(parameter -> message.startsWith(parameter.getName() + ": "));
  }

  private static boolean shows(Object answer) {
    if (answer instanceof INDArray) {
      return !Matrices.isFinite((INDArray) answer);
    }
    if (answer instanceof Object[]) { // a function that changes an argument
      return Arrays.stream((Object[]) answer).anyMatch(ArgumentsTest::shows);
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
  Stream<DynamicTest> oneMatrixIsAStackOfOne() {
    return functions().stream()
        .filter(
            function ->
                Arrays.stream(function.getParameters())
                    .anyMatch(parameter -> isMatrix(function, parameter)))
        .filter(function -> !isOfOne(function))
        .map(function -> dynamicTest(name(function), () -> sameForAStack(function)));
  }

  private static void sameForAStack(Executable function) throws ReflectiveOperationException {
    for (Object receiver : receivers(function, Form.DOUBLE)) {
      Object[] single = good(function, Form.DOUBLE);
      Object[] stack = good(function, Form.DOUBLE);
      for (int i = 0; i < stack.length; i++) {
        if (isMatrix(function, function.getParameters()[i])) {
          INDArray matrix = (INDArray) stack[i];
          stack[i] = Nd4j.expandDims(matrix, 0);
        } else if (function.getParameters()[i].getName().equals("values")) {
          stack[i] = ((INDArray) stack[i]).reshape(1, N);
        }
        if (stack[i] instanceof SymmetricEigen) {
          stack[i] = SymmetricEigen.of(Form.DOUBLE.matrix().reshape(1, N, N));
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

  private static List<Executable> functions() {
    List<Executable> functions = new ArrayList<>();
    new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(
                "io.github.spd4j.linalg", "io.github.spd4j.manifold", "io.github.spd4j.encoding")
            .stream()
            .filter(found -> found.getModifiers().contains(JavaModifier.PUBLIC))
            .filter(found -> !found.isInterface())
            .map(JavaClass::reflect)
            .sorted((a, b) -> a.getName().compareTo(b.getName()))
            .forEach(
                type -> {
                  functions.addAll(Arrays.asList(type.getConstructors()));
                  Arrays.stream(type.getDeclaredMethods())
                      .filter(method -> Modifier.isPublic(method.getModifiers()))
                      .filter(method -> !method.isSynthetic())
                      .filter(method -> !(type.isEnum() && method.getName().equals("valueOf")))
                      .forEach(functions::add);
                });
    return functions;
  }

  private static String name(Executable function) {
    String type = function.getDeclaringClass().getCanonicalName();
    String method =
        function instanceof Constructor
            ? function.getDeclaringClass().getSimpleName()
            : function.getName();
    return type.replaceFirst(".*\\.(linalg|manifold|encoding)\\.", "") + "." + method;
  }

  private static Object call(Executable function, Object receiver, Object[] arguments)
      throws ReflectiveOperationException {
    return function instanceof Constructor
        ? ((Constructor<?>) function).newInstance(arguments)
        : ((Method) function).invoke(receiver, arguments);
  }

  private static List<Object> receivers(Executable function, Form form)
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
    Tridiagonal tridiagonal = Tridiagonal.overwriteByBasis(Form.DOUBLE.matrix().dup('f'));
    List<Object> all =
        List.of(
            new StiefelGeometry(),
            SymmetricEigen.of(form.matrix()),
            SpectralFunction.logarithm(1e-9),
            tridiagonal,
            tridiagonal.plus(1),
            new NotFiniteException(""),
            new DescriptorSample(N, 1),
            new ExpectationMaximization().components(2),
            mixture(),
            PrincipalComponents.of(Form.DOUBLE.matrix(), 2));
    List<Object> some = all.stream().filter(type::isInstance).collect(Collectors.toList());
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

  private static GaussianMixture mixture() {
    INDArray ones = Nd4j.ones(DataType.DOUBLE, N, N);
    return new GaussianMixture(Nd4j.ones(DataType.DOUBLE, 1, N).divi(N), ones, ones);
  }

  private static boolean isMatrix(Executable function, Parameter parameter) {
    return parameter.getType() == INDArray.class
        && !parameter.getName().equals("weights")
        && !parameter.getName().equals("values");
  }

  private static Object[] good(Executable function, Form form) {
    SameDiff sd = SameDiff.create();
    return Arrays.stream(function.getParameters()).map(p -> good(function, p, form, sd)).toArray();
  }

  private static INDArray goodArray(Executable function, String name, Form form) {
    boolean inFortranOrder = name(function).contains(".overwriteBy");
    switch (name) {
      case "weights":
        return function.getDeclaringClass() == GaussianMixture.class
            ? Nd4j.valueArrayOf(new long[] {1, N}, 1.0 / N, form.type)
            : Nd4j.ones(form.type, form.isStack ? 2 : 1);
      case "values":
        return form.isStack ? Nd4j.ones(form.type, 2, N) : Nd4j.ones(form.type, N);
      case "variances":
        return Nd4j.ones(form.type, N, N);
      default:
        return form.matrix().dup(inFortranOrder ? 'f' : 'c');
    }
  }

  private static Object good(Executable function, Parameter parameter, Form form, SameDiff sd) {
    Class<?> type = parameter.getType();
    String name = parameter.getName();
    if (type == INDArray.class) {
      return goodArray(function, name, form);
    }
    Object[] usual = {
      new INDArray[] {form.matrix()},
      new double[N],
      form.type,
      StiefelMetric.CANONICAL,
      Retraction.QR,
      (DoubleUnaryOperator) x -> x,
      UnaryOperator.<SDVariable>identity(),
      sd,
      SymmetricEigen.of(form.matrix()),
      FitProgress.NONE,
      "a" // requireFinite: its first
    };
    for (Object value : usual) {
      if (type.isInstance(value)) {
        return value;
      }
    }
    if (type == SDVariable.class) {
      return sd.constant(
          name.equals("alpha") ? Nd4j.scalar(0.5) : Form.DOUBLE.matrix().reshape(1, N, N));
    }
    boolean isPlace = name.equals("from") || name.equals("start");
    if (type == double.class) {
      return 0.5;
    }
    if (type == long.class) {
      return isPlace ? 0L : (long) N;
    }
    assertThat(type)
        .as("%s %s, which this test has no value for", name(function), name)
        .isEqualTo(int.class);
    return isPlace ? 0 : N;
  }

  private static final List<DataType> OTHERS =
      List.of(DataType.INT32, DataType.INT64, DataType.BOOL, DataType.FLOAT16, DataType.BFLOAT16);

  /** Good but for an entry on the diagonal of the last matrix. */
  private static INDArray wrongLast(Form form, double entry) {
    INDArray matrix = form.matrix();
    INDArray last = form.isStack ? matrix.slice(1) : matrix;
    last.putScalar(1, 1, entry);
    return matrix;
  }

  private static Map<String, Object> badNumbers(
      Executable function, Parameter parameter, Form form) {
    Map<String, Object> bad = new LinkedHashMap<>();
    for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      INDArray array = goodArray(function, parameter.getName(), form);
      array.putScalar(array.length() - 1, wrong);
      bad.put(Double.isNaN(wrong) ? "NaN" : "infinity", array);
    }
    String argument = name(function) + " " + parameter.getName();
    if (argument.matches(DEFINITE)) {
      bad.put("not positive definite", wrongLast(form, -1e-3));
    }
    if (argument.matches(POINTS)) {
      bad.put("off the manifold", wrongLast(form, 1.01));
    }
    return bad;
  }

  private static Map<String, Object> bad(Executable function, int place, Form form) {
    Parameter parameter = function.getParameters()[place];
    Class<?> type = parameter.getType();
    Map<String, Object> bad = new LinkedHashMap<>();
    if (form != Form.DOUBLE) { // all else is as it was there
      return type == INDArray.class ? badNumbers(function, parameter, form) : bad;
    }
    if (!type.isPrimitive()) {
      bad.put("null", null);
    }
    if (type == INDArray.class) {
      INDArray good = goodArray(function, parameter.getName(), form);
      for (DataType other : OTHERS) {
        bad.put(other.name(), good.castTo(other));
      }
      bad.putAll(badNumbers(function, parameter, form));
      bad.put("empty", Nd4j.empty(DataType.DOUBLE));
      bad.put("empty stack", Nd4j.create(DataType.DOUBLE, 0, N, N));
      if (isMatrix(function, parameter)) {
        bad.put("rank 1", Nd4j.ones(DataType.DOUBLE, N * N));
        bad.put("rank 4", Nd4j.ones(DataType.DOUBLE, 1, 1, N, N));
        bad.put("wide", Nd4j.ones(DataType.DOUBLE, N - 1, N));
      }
      if (isOfOne(function)) {
        bad.put("stack", Form.DOUBLES.matrix().castTo(form.type));
      }
    } else if (type == double.class) {
      bad.put("NaN", Double.NaN);
      bad.put("infinity", Double.POSITIVE_INFINITY);
      bad.put("-infinity", Double.NEGATIVE_INFINITY);
      if (parameter.getName().matches("alpha|shrinkage")
          && name(function).startsWith("Shrinkage")) {
        bad.put("more than all", 2.0);
        bad.put("less than none", -0.1);
      }
    } else if (type == int.class) {
      bad.put("negative", -1);
    } else if (type == long.class) {
      bad.put("negative", -1L);
    } else if (type == double[].class) {
      bad.put("empty", new double[0]);
    } else if (type == DataType.class) {
      OTHERS.forEach(other -> bad.put(other.name(), other));
    } else if (type == INDArray[].class) {
      bad.put("array with null", new INDArray[] {null});
    }
    return bad;
  }
}
