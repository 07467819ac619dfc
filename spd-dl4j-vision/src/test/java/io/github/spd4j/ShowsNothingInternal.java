/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;
import java.util.stream.Stream;

/** What users can see of a class names no type of an internal package. */
final class ShowsNothingInternal extends ArchCondition<JavaClass> {

  ShowsNothingInternal() {
    super("show nothing internal");
  }

  @Override
  public void check(JavaClass type, ConditionEvents events) {
    if (!isSeen(type)) {
      return;
    }
    Stream<JavaType> above =
        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
    report(type, type.getName(), above, events);
    for (JavaMember member : type.getMembers()) {
      if (isSeen(member, type)) {
        report(type, member.getFullName().replaceAll("\\(.*", ""), typesOf(member), events);
      }
    }
  }

  private static boolean isSeen(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ShowsNothingInternal::isSeen).orElse(true);
  }

  private static boolean isSeen(JavaMember member, JavaClass type) {
    Set<JavaModifier> modifiers = member.getModifiers();
    boolean canExtend = !type.getModifiers().contains(JavaModifier.FINAL);
    return !modifiers.contains(JavaModifier.SYNTHETIC)
        && (modifiers.contains(JavaModifier.PUBLIC)
            || modifiers.contains(JavaModifier.PROTECTED) && canExtend);
  }

  private static Stream<JavaType> typesOf(JavaMember member) {
    return member instanceof JavaCodeUnit unit
        ? Stream.concat(Stream.of(unit.getReturnType()), unit.getParameterTypes().stream())
        : Stream.of(((JavaField) member).getType());
  }

  private void report(
      JavaClass owner, String name, Stream<JavaType> types, ConditionEvents events) {
    types
        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
        .filter(type -> type.getPackageName().startsWith("io.github.spd4j.internal."))
        .forEach(
            type ->
                events.add(
                    SimpleConditionEvent.violated(owner, name + " names " + type.getName())));
  }
}
