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
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Every public function, constructor and method of what can be made of nothing, with null in one
 * place after the other: where it is refused, its name is said, and not the words of the Java
 * machine.
 */
public final class NullArguments {
  /** What a layer or DL4J calls, in every pass or with a stream of its own. */
  private static final String CALLED = ".*Kernel[.](define|backward)|HealthRecord[.](en|de)code";

  private final Path folder;

  private NullArguments(Path folder) {
    this.folder = folder;
  }

  /**
   * A test of each argument.
   *
   * @param folder a folder for what asks for one
   * @param rooms the package, and all below it
   */
  public static Stream<DynamicTest> areRefusedByName(Path folder, String rooms) {
    return new NullArguments(folder).tests(rooms);
  }

  private Stream<DynamicTest> tests(String rooms) {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages(rooms)
            .stream()
            .filter(type -> !type.getPackageName().startsWith("io.github.spd4j.internal"))
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::reflect)
            .filter(NullArguments::isSeen)
            .flatMap(this::functions)
            .flatMap(
                function ->
                    IntStream.range(0, function.getParameterCount())
                        .filter(i -> !function.getParameterTypes()[i].isPrimitive())
                        .mapToObj(i -> test(function, function.getParameters()[i], i)));
  }

  private DynamicTest test(Executable function, Parameter parameter, int place) {
    String name =
        function.getDeclaringClass().getName().replaceFirst(".*[.]", "")
            + "."
            + function.getName()
            + Arrays.toString(function.getParameterTypes())
            + " "
            + parameter.getName();
    return dynamicTest(name, () -> refuses(function, parameter.getName(), place));
  }

  /** Whether users of the library see a class. */
  static boolean isSeen(Class<?> type) {
    for (Class<?> outer = type; outer != null; outer = outer.getEnclosingClass()) {
      if (!Modifier.isPublic(outer.getModifiers())) {
        return false;
      }
    }
    return true;
  }

  /** All that a class extends or implements. */
  static Stream<Class<?>> declarers(Class<?> type) {
    Stream<Class<?>> own = Stream.of(type.getInterfaces());
    Stream<Class<?>> all =
        type.getSuperclass() == null ? own : Stream.concat(own, Stream.of(type.getSuperclass()));
    return all.flatMap(each -> Stream.concat(Stream.of(each), declarers(each)));
  }

  private Stream<Executable> functions(Class<?> type) {
    Stream<Executable> constructors =
        Modifier.isAbstract(type.getModifiers())
            ? Stream.of()
            : Arrays.stream(type.getConstructors());
    Stream<Executable> methods =
        Arrays.stream(type.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .filter(method -> !(type.isEnum() && method.getName().equals("valueOf")))
            .filter(method -> Modifier.isStatic(method.getModifiers()) || made(type) != null)
            .filter(method -> !method.getName().equals("equals"))
            .filter(method -> !(type.getSimpleName() + "." + method.getName()).matches(CALLED))
            .map(method -> method);
    return Stream.concat(constructors, methods);
  }

  /** An object, where one can be made of nothing. */
  private static Object made(Class<?> type) {
    try {
      for (Method method : type.getMethods()) {
        if (Modifier.isStatic(method.getModifiers())
            && method.getParameterCount() == 0
            && method.getReturnType() == type) {
          return method.invoke(null);
        }
      }
      return type.getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Something that is not null, which need not be right; null where nothing is known. */
  private Object any(Class<?> type) {
    if (type.isArray()) {
      Object array = Array.newInstance(type.getComponentType(), 1);
      Array.set(array, 0, any(type.getComponentType()));
      return array;
    }
    if (type.isPrimitive()) {
      return Array.get(Array.newInstance(type, 1), 0);
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    Object[] known = {
      "a", folder, List.of(), Map.of(), Set.of(), Nd4j.eye(3), new Random(1), Object.class
    };
    for (Object each : known) {
      if (type.isInstance(each) && type != Object.class) {
        return each;
      }
    }
    return type.isInterface() ? proxy(type) : made(type);
  }

  private Object proxy(Class<?> type) {
    try {
      return Proxy.newProxyInstance(
          NullArguments.class.getClassLoader(),
          new Class<?>[] {type},
          (proxy, method, arguments) ->
              method.getReturnType() == void.class ? null : any(method.getReturnType()));
    } catch (IllegalArgumentException e) { // it is sealed
      return made(type);
    }
  }

  private static boolean hasNull(Object argument) {
    return argument == null
        || argument instanceof Object[] && Arrays.asList((Object[]) argument).contains(null);
  }

  private void refuses(Executable function, String name, int place)
      throws ReflectiveOperationException {
    Object[] arguments = Arrays.stream(function.getParameterTypes()).map(this::any).toArray();
    arguments[place] = null;
    boolean alone = Arrays.stream(arguments).filter(NullArguments::hasNull).count() == 1;
    try {
      if (function instanceof Constructor) {
        ((Constructor<?>) function).newInstance(arguments);
      } else {
        ((Method) function).invoke(made(function.getDeclaringClass()), arguments);
      }
    } catch (InvocationTargetException e) {
      String message = String.valueOf(e.getCause().getMessage());
      assertThat(message)
          .as("%s: %s", function, e.getCause())
          .doesNotStartWith("Cannot ")
          .isNotEqualTo("null");
      if (alone && e.getCause() instanceof NullPointerException) {
        assertThat(message).as("%s: %s", function, e.getCause()).startsWith(name);
      }
    }
  }
}
